//! Vitest, Jest, Mocha, AVA, tap, Jasmine, node's own runner and Bun's.

use super::package_json::{LOCKS, NodePackage, launcher_of};
use super::project::{FoundManifest, Project, relative};
use super::quote::argument;
use super::{Runner, TestTarget};

const PACKAGE: &[&str] = &["package.json"];

/// The nearest `package.json` that names a runner, in a script for tests or as a dependency.
pub(super) const ROW: Runner = Runner {
    endings: &[".cjs", ".cts", ".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx"],
    markers: PACKAGE,
    others: LOCKS,
    target,
};

/// A program that runs tests.
struct Program {
    /// Name in reports, and of the package.
    name: &'static str,
    /// Word of a script that starts it.
    word: &'static str,
    /// Program and arguments before the files.
    head: &'static [&'static str],
    /// Whether it comes with the runtime, so that no package manager starts it.
    is_built_in: bool,
    /// Options of a script that are kept, each with one value: what tests cannot be loaded without.
    options: &'static [&'static str],
    /// Field of `package.json` that configures it.
    field: &'static str,
}

const LOADERS: &[&str] = &["--require", "-r", "--import", "--loader", "--experimental-loader", "--conditions", "-C"];

/// In order of precedence where a package has several: the more specific first.
// One row, one line where it fits: a table is read by its columns.
#[rustfmt::skip]
static PROGRAMS: [Program; 8] = [
    Program { name: "vitest", word: "vitest", head: &["vitest", "run"], is_built_in: false, options: &["--config", "-c", "--project"], field: "vitest" },
    Program { name: "react-scripts", word: "react-scripts", head: &["react-scripts", "test", "--watchAll=false", "--runTestsByPath"], is_built_in: false, options: &[], field: "" },
    Program { name: "jest", word: "jest", head: &["jest", "--runTestsByPath"], is_built_in: false, options: &["--config", "-c"], field: "jest" },
    Program { name: "mocha", word: "mocha", head: &["mocha"], is_built_in: false, options: &["--require", "-r", "--import", "--loader", "--ui", "-u", "--config", "--timeout", "-t"], field: "mocha" },
    Program { name: "ava", word: "ava", head: &["ava"], is_built_in: false, options: &["--config"], field: "ava" },
    Program { name: "tap", word: "tap", head: &["tap"], is_built_in: false, options: &[], field: "tap" },
    Program { name: "jasmine", word: "jasmine", head: &["jasmine"], is_built_in: false, options: &["--config"], field: "" },
    Program { name: "node:test", word: "node", head: &["node", "--test"], is_built_in: true, options: LOADERS, field: "" },
];

static BUN: Program = Program {
    name: "bun test",
    word: "bun",
    head: &["bun", "test"],
    is_built_in: true,
    options: &["--preload"],
    field: "",
};

/// Directories of tests that run in a browser, which no command here starts.
const BROWSER: [&str; 4] = ["cypress", "e2e", "playwright", "tests-e2e"];

fn target(project: &Project<'_>, path: &str) -> Option<TestTarget> {
    let is_browser = path.split('/').any(|part| BROWSER.contains(&part)) || path.contains(".cy.");
    let packages: Vec<(FoundManifest<'_>, NodePackage)> =
        project.above(path, PACKAGE).filter_map(|found| Some((found, NodePackage::of(found.text)?))).collect();
    let drives_browser =
        |package: &NodePackage| package.depends_on("@playwright/test") || package.depends_on("cypress");
    if is_browser && packages.iter().any(|(_, package)| drives_browser(package)) {
        return None;
    }
    let launcher = launcher_of(project, path);
    let named = packages.iter().find_map(|(found, package)| {
        let (program, options) = select_program(package)?;
        Some((found.directory, program, options))
    });
    let (directory, program, options) = match (named, packages.first()) {
        (Some(named), _) => named,
        // Bun has a runner of its own, which nothing need name.
        (None, Some((found, _))) if launcher.name == "bun" => (found.directory, &BUN, Vec::new()),
        _ => return None,
    };
    let launch = if program.is_built_in { &[] } else { launcher.launch };
    let head = [launch, program.head, &options].concat();
    Some(TestTarget::new(program.name, directory, &head, argument(relative(directory, path))))
}

/// The program that a package runs its tests with, and the options to keep: by its scripts, then by what it depends on.
fn select_program(package: &NodePackage) -> Option<(&'static Program, Vec<&str>)> {
    for words in package.test_commands() {
        let starts = |program: &Program, word: &str| {
            let name = word.rsplit('/').next().unwrap_or(word);
            name.trim_start_matches('_').trim_end_matches(".js").trim_end_matches(".mjs") == program.word
        };
        for program in PROGRAMS.iter().chain([&BUN]) {
            let Some(at) = words.iter().position(|word| starts(program, word)) else { continue };
            let arguments = &words[at + 1..];
            let is_meant = match program.name {
                "node:test" => arguments.contains(&"--test"),
                "bun test" => arguments.first() == Some(&"test"),
                _ => true,
            };
            if is_meant {
                return Some((program, retain_options(arguments, program.options)));
            }
        }
    }
    let depends = |program: &&Program| {
        !program.is_built_in
            && (package.depends_on(program.name) || !program.field.is_empty() && package.has(program.field))
    };
    PROGRAMS.iter().find(depends).map(|program| (program, Vec::new()))
}

/// Those of `arguments` that are one of `options` with its value, where the value is a plain word.
fn retain_options<'a>(arguments: &[&'a str], options: &[&str]) -> Vec<&'a str> {
    let is_plain = |word: &str| {
        !word.starts_with('-') && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./:@".contains(&byte))
    };
    let mut kept = Vec::new();
    let mut words = arguments.iter().copied().peekable();
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some((option, value)) if options.contains(&option) && is_plain(value) => kept.push(word),
            None if options.contains(&word) => {
                if let Some(value) = words.next_if(|value| is_plain(value)) {
                    kept.extend([word, value]);
                }
            }
            _ => {}
        }
    }
    kept
}

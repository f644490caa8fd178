//! Task runners whose files name targets.

use super::CommandKind::{self, Build, Format, Lint, Run, Test};
use super::Findings;
use super::directory::ManifestDirectory;

/// Names under which projects keep a command of a kind, the most usual first.
const USUAL_NAMES: &[(CommandKind, &[&str])] = &[
    (Build, &["build", "compile"]),
    (Test, &["test", "tests", "test:unit", "unit"]),
    (Lint, &["lint", "lint:check", "clippy", "typecheck", "type-check"]),
    (Format, &["fmt", "format", "format:write", "prettier"]),
    (Run, &["run", "start", "dev", "serve"]),
];

/// Adds `command(name)` for the first usual name of each kind that `has` knows; `also` holds names that are usual with
/// this runner only.
pub(super) fn declare(
    findings: &mut Findings,
    source: &str,
    also: &[(CommandKind, &str)],
    has: impl Fn(&str) -> bool,
    command: impl Fn(&str) -> String,
) {
    for (kind, names) in USUAL_NAMES {
        let also = also.iter().filter(|(other, _)| other == kind).map(|(_, name)| name);
        if let Some(name) = names.iter().chain(also).find(|name| has(name)) {
            findings.declared(*kind, command(name), source);
        }
    }
}

/// The kind that `name` is usual for, whatever the runner.
pub(super) fn usual_kind(name: &str) -> Option<CommandKind> {
    USUAL_NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(kind, _)| *kind)
}

/// Recipes of a justfile that can be started without arguments.
pub(super) fn just(directory: &ManifestDirectory<'_>, marker: &str, findings: &mut Findings) {
    let text = directory.text(marker);
    let recipes: Vec<&str> = text.lines().filter_map(just_recipe).collect();
    declare(findings, marker, &[], |name| recipes.contains(&name), |name| format!("just {name}"));
}

fn just_recipe(line: &str) -> Option<&str> {
    if line.starts_with([' ', '\t', '#', '[']) {
        return None;
    }
    let (head, rest) = line.split_once(':')?;
    let mut words = head.split_whitespace();
    let name = words.next()?.trim_start_matches('@');
    // A parameter needs a value unless it has one or takes any number of them.
    let optional = |word: &str| word.contains('=') || word.starts_with('*');
    (!rest.starts_with('=') && words.all(optional)).then_some(name)
}

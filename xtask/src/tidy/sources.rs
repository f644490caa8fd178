//! Sources: no unfinished work, no disabled tests, no waiting by the clock, no languages apart from their tables.

use icr_lang::languages;

use super::rust_code::{code_of, is_test_path, strings_of};
use super::{TidyFinding, Tree};

/// Forbidden text in code, and why. It only matches if no identifier character precedes it.
const FORBIDDEN_EVERYWHERE: &[(&str, &str)] = &[
    // tidy: sorted
    ("#[ignore", "a test that does not run proves nothing; delete it or make it run"),
    ("dbg!", "use `tracing`, or nothing"),
    ("thread::sleep", "wait for the event itself; a clock is too short on a slow machine and too long on a fast one"),
    ("todo!", "write it, or leave the feature out"),
    ("unimplemented!", "write it, or leave the feature out"),
    // tidy: end
];

/// Crates that read no file, clock, environment or network.
const PURE_CRATES: &[&str] = &["icr-history", "icr-impact", "icr-pack", "icr-rank", "icr-secrets", "icr-words"];

/// Crates, what their code never names, and why. Tests may.
const FORBIDDEN_IN_CRATES: &[(&[&str], &[&str], &str)] = &[
    (PURE_CRATES, &["std::{"], "import from modules of std one by one, so that this check sees which"),
    (
        PURE_CRATES,
        &["std::env", "std::fs", "stdin", "std::net", "std::process", "std::thread", "Instant::now", "SystemTime"],
        "this crate is pure: what it needs is given to it",
    ),
    (
        &["icr-compute", "icr-view"],
        &["Access::Write", "LedgerWrite", "LexicalWriter", "VectorWriter", "WriterOptions"],
        "views and what they are computed of never write; the engine writes after the answer",
    ),
];

/// Crates whose code asks what a language is like, and where it is said.
const LANGUAGE_TABLES: &[(&str, &str)] = &[
    // tidy: sorted
    ("icr-db", "`crates/icr-db/src/language_rules.rs`"),
    ("icr-engine", "`crates/icr-impact/src/symbols/language.rs`, or of `crates/icr-db/src/language_rules.rs`"),
    ("icr-impact", "`crates/icr-impact/src/symbols/language.rs`"),
    // tidy: end
];

/// Files and directories in these crates that may name languages, and why.
const NAMING_LANGUAGES: &[(&str, &str)] = &[
    // tidy: sorted
    ("crates/icr-db/src/fuzzing.rs", "it makes up files of several languages"),
    ("crates/icr-db/src/known_bases.rs", "it lists what libraries of some languages have"),
    ("crates/icr-db/src/language_rules.rs", "it is a table"),
    ("crates/icr-db/src/schemes/", "a scheme is of few languages"),
    ("crates/icr-engine/src/project_commands/", "programs have such names"),
    ("crates/icr-impact/src/expect/kind.rs", "files have such endings"),
    ("crates/icr-impact/src/fuzzing/", "it makes up files of one language"),
    ("crates/icr-impact/src/report/format.rs", "formats have such names"),
    ("crates/icr-impact/src/select/pairs.rs", "directories have such names"),
    ("crates/icr-impact/src/select/runners/", "programs have such names"),
    ("crates/icr-impact/src/select/rust_source.rs", "it reads texts of one language"),
    ("crates/icr-impact/src/select/test_files.rs", "it is a table"),
    ("crates/icr-impact/src/symbols/fixture.rs", "it makes up files for tests"),
    ("crates/icr-impact/src/symbols/language.rs", "it is a table"),
    // tidy: end
];

/// Tables with a row for each language, and what stands before its name.
const WHOLE_TABLES: &[(&str, &str)] = &[
    // tidy: sorted
    ("crates/icr-impact/src/select/test_files.rs", "row(\""),
    ("crates/icr-impact/src/symbols/language.rs", "name: \""),
    // tidy: end
];

/// Finds names of languages in the code of [`LANGUAGE_TABLES`] outside of [`NAMING_LANGUAGES`]. To add a language,
/// nobody should have to extend lists in many places, so what holds for some languages only is a column of a table.
/// Also finds languages without a row in one of [`WHOLE_TABLES`].
pub(crate) fn language_names(tree: &Tree) -> Vec<TidyFinding> {
    let names: Vec<&str> = languages().collect();
    let mut findings = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| path.ends_with(".rs") && !is_test_path(path)) {
        let is_of = |name: &str| path.starts_with(&format!("crates/{name}/src/"));
        let Some((_, table)) = LANGUAGE_TABLES.iter().find(|(name, _)| is_of(name)) else { continue };
        if NAMING_LANGUAGES.iter().any(|(allowed, _)| path.starts_with(allowed)) {
            continue;
        }
        let strings = strings_of(without_tests(text)).into_iter();
        for (line, name) in strings.filter(|(_, string)| names.contains(&string.as_str())) {
            let right = format!("`{name}` is a language; what holds for it alone is a column of {table}");
            findings.push(TidyFinding::at(path, line, right));
        }
    }
    for (path, before) in WHOLE_TABLES {
        let Some(text) = tree.text(path) else { continue };
        let absent = names.iter().filter(|name| !text.contains(&format!("{before}{name}\"")));
        findings.extend(absent.map(|name| TidyFinding::new(*path, format!("add a row for `{name}`"))));
    }
    findings
}

/// The source up to its module of tests, if it has one inside.
fn without_tests(text: &str) -> &str {
    let has_body = |(at, _): &(usize, &str)| text[*at..].lines().nth(1).is_some_and(|line| line.ends_with('{'));
    let end = text.match_indices("#[cfg(test)]\nmod ").find(has_body).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

/// Finds forbidden words in the crates of [`FORBIDDEN_IN_CRATES`].
pub(crate) fn forbidden_in_crates(tree: &Tree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for (crates, words, reason) in FORBIDDEN_IN_CRATES {
        let is_of_crate = |path: &str| crates.iter().any(|name| path.starts_with(&format!("crates/{name}/src/")));
        for (path, text) in
            tree.texts().filter(|(path, _)| path.ends_with(".rs") && is_of_crate(path) && !is_test_path(path))
        {
            // Tests at the end of a file may read fixtures.
            let code = code_of(text.split("#[cfg(test)]\nmod ").next().unwrap_or_default());
            for (at, line) in code.lines().enumerate() {
                for word in words.iter().filter(|word| line.contains(**word)) {
                    findings.push(TidyFinding::at(path, at + 1, format!("`{word}`: {reason}")));
                }
            }
        }
    }
    findings
}

/// No code contains any of these.
pub(crate) fn sources(tree: &Tree) -> Vec<TidyFinding> {
    tree.texts().filter(|(path, _)| path.ends_with(".rs")).flat_map(|(path, text)| forbidden(path, text)).collect()
}

fn forbidden(path: &str, text: &str) -> Vec<TidyFinding> {
    let code = code_of(text);
    let mut findings = Vec::new();
    for (at, line) in code.lines().enumerate() {
        for (words, reason) in FORBIDDEN_EVERYWHERE {
            let mut places = line.match_indices(words).map(|(start, _)| line[..start].chars().next_back());
            if places.any(|before| before.is_none_or(|character| !character.is_alphanumeric() && character != '_')) {
                findings.push(TidyFinding::at(path, at + 1, format!("`{words}`: {reason}")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_found_in_code_and_nowhere_else() {
        for (words, reason) in FORBIDDEN_EVERYWHERE {
            let code = format!("fn a() {{\n    {words}\n}}\n");
            assert_eq!(forbidden("a.rs", &code), [TidyFinding::at("a.rs", 2, format!("`{words}`: {reason}"))]);
            for harmless in
                [format!("// {words}\n"), format!("const A: &str = \"{words}\";\n"), format!("/* {words} */")]
            {
                assert_eq!(forbidden("a.rs", &harmless), [], "{harmless}");
            }
        }
    }

    #[test]
    fn what_is_kept_out_of_a_crate_is_found_outside_of_its_tests() {
        let code = "use std::fs;\n// std::net\n#[cfg(test)]\nmod tests { use std::fs; }\n";
        let paths = ["crates/icr-rank/src/a.rs", "crates/icr-rank/src/a/tests.rs", "crates/icr-git/src/a.rs"];
        let tree = Tree::of_texts(&paths.map(|path| (path, code)));
        let findings = forbidden_in_crates(&tree);
        let right = "crates/icr-rank/src/a.rs:1: `std::fs`: this crate is pure: what it needs is given to it";
        assert_eq!(findings.iter().map(TidyFinding::to_string).collect::<Vec<_>>(), [right]);
        let grouped = Tree::of_texts(&[("crates/icr-rank/src/a.rs", "use std::{fs, mem};\n")]);
        assert_eq!(forbidden_in_crates(&grouped).len(), 1);
    }

    #[test]
    fn languages_are_found_outside_of_tables_and_tests() {
        let code = "#[cfg(test)]\nmod tests;\n// \"go\"\nconst A: [&str; 2] = [\"go\", \"gone\"];\n\
                    #[cfg(test)]\nmod more_tests {\n    const B: &str = \"go\";\n}\n";
        let paths = [
            "crates/icr-db/src/a.rs",
            "crates/icr-db/src/a/tests.rs",
            "crates/icr-db/src/schemes/go.rs",
            "crates/icr-engine/src/a.rs",
            "crates/icr-lang/src/a.rs",
        ];
        let tree = Tree::of_texts(&paths.map(|path| (path, code)));
        let findings: Vec<String> = language_names(&tree).iter().map(TidyFinding::to_string).collect();
        let right = "`go` is a language; what holds for it alone is a column of";
        assert_eq!(
            findings,
            [
                format!("crates/icr-db/src/a.rs:4: {right} {}", LANGUAGE_TABLES[0].1),
                format!("crates/icr-engine/src/a.rs:4: {right} {}", LANGUAGE_TABLES[1].1),
            ]
        );
    }

    #[test]
    fn a_language_without_a_row_is_found() {
        let rows = languages().filter(|name| *name != "zig").map(|name| format!("row(\"{name}\"),\n"));
        let tree = Tree::of_texts(&[(WHOLE_TABLES[0].0, &rows.collect::<String>())]);
        let findings: Vec<String> = language_names(&tree).iter().map(TidyFinding::to_string).collect();
        assert_eq!(findings, [format!("{}: add a row for `zig`", WHOLE_TABLES[0].0)]);
    }

    #[test]
    fn what_may_name_languages_does() {
        let tree = Tree::of_workspace().expect("the workspace can be read");
        let names: Vec<&str> = languages().collect();
        let says = |text: &str| strings_of(text).iter().any(|(_, string)| names.contains(&string.as_str()));
        for (allowed, _) in NAMING_LANGUAGES {
            let mut texts = tree.texts().filter(|(path, _)| path.starts_with(allowed));
            assert!(texts.any(|(_, text)| says(text)), "{allowed} names no language, so it needs no row");
        }
    }

    #[test]
    fn longer_names_are_other_names() {
        assert_eq!(forbidden("a.rs", "my_dbg!(1); no_todo!(); mythread::sleep();"), []);
    }
}

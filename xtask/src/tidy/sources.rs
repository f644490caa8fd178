//! Sources: no unfinished work, no disabled tests, no waiting by the clock.

use super::rust_code::{code_of, is_test_path};
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
    fn longer_names_are_other_names() {
        assert_eq!(forbidden("a.rs", "my_dbg!(1); no_todo!(); mythread::sleep();"), []);
    }
}

//! Names: modules and types are called by words of the domain, not by words that fit anything.

use super::rust_code::{code_of, identifiers_of};
use super::{Finding, Tree};

/// Words that say nothing about a module.
const MODULES: &[&str] = &[
    // tidy: sorted
    "base",
    "common",
    "core",
    "data",
    "helper",
    "helpers",
    "info",
    "manager",
    "misc",
    "processor",
    "service",
    "util",
    "utils",
    // tidy: end
];

/// Words that say nothing in the name of a type.
const TYPES: &[&str] = &[
    // tidy: sorted
    "helper",
    "helpers",
    "manager",
    "processor",
    "service",
    "util",
    "utils",
    // tidy: end
];

/// No module, and no word in the name of a type, is one of those.
pub(crate) fn names(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| path.ends_with(".rs")) {
        let modules = path.split('/').map(|part| part.strip_suffix(".rs").unwrap_or(part));
        for module in modules.filter(|module| MODULES.contains(module)) {
            findings.push(Finding::new(path, format!("a noun of the domain says more than `{module}`")));
        }
        findings.extend(declared(path, text));
    }
    findings
}

/// Findings about modules and types that `text` declares.
fn declared(path: &str, text: &str) -> Vec<Finding> {
    let code = code_of(text);
    let mut findings = Vec::new();
    for (at, line) in code.lines().enumerate() {
        let words: Vec<&str> = identifiers_of(line).collect();
        for pair in words.windows(2) {
            let is_vague = match pair[0] {
                "mod" => MODULES.contains(&pair[1]),
                "enum" | "struct" | "trait" | "type" => words_of(pair[1]).any(|word| TYPES.contains(&word.as_str())),
                _ => false,
            };
            if is_vague {
                let right = format!("say what `{}` is: a noun of the domain says more", pair[1]);
                findings.push(Finding::at(path, at + 1, right));
            }
        }
    }
    findings
}

/// The words of a name in camel case, in lower case.
fn words_of(name: &str) -> impl Iterator<Item = String> + '_ {
    let starts = name.char_indices().filter(|(_, character)| character.is_uppercase()).map(|(at, _)| at);
    let mut starts: Vec<usize> = std::iter::once(0).chain(starts).chain([name.len()]).collect();
    starts.dedup();
    (1..starts.len()).map(move |at| name[starts[at - 1]..starts[at]].to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let findings = names(&Tree::of_texts(&[(path, text)]));
        assert_eq!(findings.iter().map(Finding::to_string).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn vague_files_and_directories_are_found() {
        check("src/utils.rs", "", &["src/utils.rs: a noun of the domain says more than `utils`"]);
        check("src/core/mod.rs", "", &["src/core/mod.rs: a noun of the domain says more than `core`"]);
        check("src/database.rs", "", &[]);
        check("src/utils.py", "struct Manager;", &[]);
    }

    #[test]
    fn vague_declarations_are_found() {
        check(
            "a.rs",
            "\npub struct IndexManager;",
            &["a.rs:2: say what `IndexManager` is: a noun of the domain says more"],
        );
        check("a.rs", "mod helper {}", &["a.rs:1: say what `helper` is: a noun of the domain says more"]);
    }

    #[test]
    fn other_names_texts_and_comments_are_left_alone() {
        check(
            "a.rs",
            "// struct Manager\nconst A: &str = \"struct Manager\";\nenum Managerial {}\nfn util() {}\n",
            &[],
        );
    }
}

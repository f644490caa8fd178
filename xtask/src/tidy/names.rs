//! Names: modules and types are called by words of the domain, not by words that fit anything.

use std::collections::BTreeMap;

use super::rust_code::{code_of, identifiers_of, is_test_path};
use super::{TidyFinding, Tree};

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

/// Words that are no name of a type by themselves: they say neither what it is nor which of several. The same holds for
/// every other word that ends in "ed".
const BARE_TYPES: &[&str] = &[
    // tidy: sorted
    "Alone",
    "Around",
    "Asked",
    "At",
    "Before",
    "Begun",
    "Both",
    "Bound",
    "Built",
    "By",
    "Chosen",
    "Cut",
    "Done",
    "Drawn",
    "Everything",
    "Everywhere",
    "Following",
    "Found",
    "From",
    "Given",
    "Gone",
    "Heaviest",
    "Held",
    "Kept",
    "Known",
    "Lacking",
    "Lead",
    "Left",
    "Lost",
    "Lying",
    "Made",
    "Meaning",
    "Means",
    "Meant",
    "Met",
    "Most",
    "Named",
    "Near",
    "Next",
    "Of",
    "Often",
    "Past",
    "Put",
    "Quick",
    "Ran",
    "Read",
    "Rest",
    "Said",
    "Seen",
    "Sent",
    "Shown",
    "Silent",
    "Standing",
    "Taken",
    "Then",
    "Together",
    "Told",
    "Unread",
    "Until",
    "Untold",
    "Waiting",
    "Wanted",
    "When",
    "Whole",
    "Within",
    // tidy: end
];

/// Words in "ed" that are nouns or verbs.
const NO_PARTICIPLES: &[&str] = &["Embed", "Seed"];

/// Words that are no name of a function by themselves.
const BARE_FUNCTIONS: &[&str] = &[
    // tidy: sorted
    "added",
    "allowed",
    "alone",
    "answered",
    "around",
    "asked",
    "before",
    "both",
    "bound",
    "bounded",
    "brought",
    "called",
    "changed",
    "checked",
    "chosen",
    "compared",
    "counted",
    "damaged",
    "described",
    "done",
    "drawn",
    "ended",
    "everything",
    "everywhere",
    "found",
    "gone",
    "heaviest",
    "held",
    "imported",
    "included",
    "joined",
    "kept",
    "known",
    "lead",
    "left",
    "listed",
    "looked",
    "lost",
    "meaning",
    "means",
    "meant",
    "measured",
    "mentioned",
    "most",
    "named",
    "narrowed",
    "near",
    "noted",
    "offered",
    "opened",
    "past",
    "put",
    "quick",
    "reached",
    "refused",
    "removed",
    "resolved",
    "rest",
    "said",
    "say",
    "seen",
    "sent",
    "shown",
    "standing",
    "stored",
    "taken",
    "tell",
    "then",
    "together",
    "told",
    "unread",
    "until",
    "used",
    "wanted",
    "whole",
    "within",
    // tidy: end
];

/// Files that may declare a type of one name: with more of them, a search for the name finds anything.
const FILES_PER_TYPE_NAME: usize = 3;

/// Names that every crate uses for the same thing.
const CONVENTIONAL_TYPES: &[&str] = &["Error"];

/// No module, and no word in the name of a type, is one of those.
pub(crate) fn names(tree: &Tree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| path.ends_with(".rs")) {
        let modules = path.split('/').map(|part| part.strip_suffix(".rs").unwrap_or(part));
        for module in modules.filter(|module| MODULES.contains(module)) {
            findings.push(TidyFinding::new(path, format!("a noun of the domain says more than `{module}`")));
        }
        findings.extend(declared(path, text));
    }
    findings
}

/// A type is named after what it is, and a function after what it does or returns, never by a bare participle. No name
/// stands for types in more than a few files. Tests are not checked.
pub(crate) fn bare_names(tree: &Tree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    let mut declarations: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for (path, text) in tree.texts().filter(|(path, _)| path.ends_with(".rs") && !is_test_path(path)) {
        for declaration in declarations_of(text) {
            let Declaration { line, is_type, name } = declaration;
            let is_bare = match is_type {
                true => BARE_TYPES.contains(&name.as_str()) || is_participle(&name),
                false => BARE_FUNCTIONS.contains(&name.as_str()),
            };
            if is_bare {
                let right = match is_type {
                    true => format!("say what `{name}` is: a noun of the domain"),
                    false => format!("say what `{name}` does or gives"),
                };
                findings.push(TidyFinding::at(path, line, right));
            }
            if is_type && !CONVENTIONAL_TYPES.contains(&name.as_str()) {
                declarations.entry(name).or_default().entry(path).or_insert(line);
            }
        }
    }
    for (name, files) in declarations.into_iter().filter(|(_, files)| files.len() > FILES_PER_TYPE_NAME) {
        for (path, line) in &files {
            let right = format!("{} files have a type `{name}`; say which of them this one is", files.len());
            findings.push(TidyFinding::at(*path, *line, right));
        }
    }
    findings.sort();
    findings
}

fn is_participle(name: &str) -> bool {
    words_of(name).count() == 1 && name.ends_with("ed") && !NO_PARTICIPLES.contains(&name)
}

/// A name that a source gives to a type or a function of its own.
struct Declaration {
    /// 1-based.
    line: usize,
    is_type: bool,
    name: String,
}

/// Declarations at the beginning of a line or after words like `pub`. Types that a trait requires (`type Item`) are
/// named by the trait, so they do not count.
fn declarations_of(text: &str) -> Vec<Declaration> {
    let code = code_of(text);
    let mut declarations = Vec::new();
    for (at, line) in code.lines().enumerate() {
        let words: Vec<&str> = identifiers_of(line).collect();
        let Some(place) = words.iter().position(|word| !MODIFIERS.contains(word)) else { continue };
        let Some(name) = words.get(place + 1) else { continue };
        let is_type = match words[place] {
            "enum" | "struct" | "trait" | "union" => true,
            "type" => !line.starts_with(' '),
            "fn" => false,
            _ => continue,
        };
        if is_type || words[place] == "fn" {
            declarations.push(Declaration { line: at + 1, is_type, name: (*name).to_owned() });
        }
    }
    declarations
}

/// What may stand before the keyword of a declaration.
const MODIFIERS: &[&str] = &["async", "const", "crate", "extern", "in", "pub", "super", "unsafe"];

/// Findings about modules and types that `text` declares.
fn declared(path: &str, text: &str) -> Vec<TidyFinding> {
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
                findings.push(TidyFinding::at(path, at + 1, right));
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
        assert_eq!(findings.iter().map(TidyFinding::to_string).collect::<Vec<_>>(), expected);
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

    #[track_caller]
    fn check_bare(files: &[(&str, &str)], expected: &[&str]) {
        let findings = bare_names(&Tree::of_texts(files));
        assert_eq!(findings.iter().map(TidyFinding::to_string).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn bare_participles_are_found() {
        check_bare(
            &[("a.rs", "struct Found;\npub(crate) enum Gathered {}\npub const fn told() {}\n    fn asked(&self) {}\n")],
            &[
                "a.rs:1: say what `Found` is: a noun of the domain",
                "a.rs:2: say what `Gathered` is: a noun of the domain",
                "a.rs:3: say what `told` does or gives",
                "a.rs:4: say what `asked` does or gives",
            ],
        );
        check_bare(
            &[(
                "a.rs",
                "struct FoundFiles;\nfn found_files() {}\n// struct Found;\nlet told = 1;\nimpl X { type Read = u8; }\n    type Read = u8;\n",
            )],
            &[],
        );
        check_bare(&[("a/tests.rs", "struct Found;"), ("tests/a.rs", "struct Found;")], &[]);
    }

    #[test]
    fn a_name_of_types_in_many_files_is_found() {
        let files = |name: &str| -> Vec<(String, String)> {
            ["a.rs", "b.rs", "c.rs", "d.rs"]
                .map(|path| (path.to_owned(), format!("struct {name};\nstruct {name};")))
                .into()
        };
        let borrow = |files: &[(String, String)]| -> Vec<TidyFinding> {
            let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            bare_names(&Tree::of_texts(&files))
        };
        assert_eq!(borrow(&files("Place")).len(), 4);
        assert_eq!(borrow(&files("Place")[..3]), []);
        assert_eq!(borrow(&files("Error")), []);
        assert_eq!(
            borrow(&files("Place"))[0].to_string(),
            "a.rs:1: 4 files have a type `Place`; say which of them this one is"
        );
    }
}

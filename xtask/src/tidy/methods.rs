//! Types with so many methods that a reader cannot tell what they are.

use std::collections::BTreeMap;

use super::rust_code::{code_of, identifiers_of, is_test_path};
use super::{TidyFinding, Tree};

/// Crates whose types are held to [`METHODS_MOST`]: those where a type is tempted to do everything.
const CRATES: [&str; 2] = ["icr-engine", "icr-serve"];

/// Most methods of a type, over all of its files.
const METHODS_MOST: usize = 25;

/// What may stand before `fn`.
const MODIFIERS: &[&str] = &["async", "const", "crate", "in", "pub", "super", "unsafe"];

/// A type of [`CRATES`] has at most [`METHODS_MOST`] methods of its own; those of traits do not count.
pub(crate) fn methods(tree: &Tree) -> Vec<TidyFinding> {
    let mut counts: BTreeMap<(&str, String), (usize, &str)> = BTreeMap::new();
    for name in CRATES {
        let prefix = format!("crates/{name}/src/");
        let is_meant = |path: &str| path.starts_with(&prefix) && path.ends_with(".rs") && !is_test_path(path);
        for (path, text) in tree.texts().filter(|(path, _)| is_meant(path)) {
            for of in types_of_methods(text) {
                counts.entry((name, of)).or_insert((0, path)).0 += 1;
            }
        }
    }
    let large = counts.into_iter().filter(|(_, (methods, _))| *methods > METHODS_MOST);
    let finding = |((_, name), (methods, path)): ((&str, String), (usize, &str))| {
        let right = format!(
            "`{name}` has {methods} methods; at most {METHODS_MOST}: give each subject a value with the parts that it needs"
        );
        TidyFinding::new(path, right)
    };
    large.map(finding).collect()
}

/// For each method of a type itself, the name of the type. Reads code as rustfmt lays it out: an `impl` begins and ends
/// at the beginning of a line, and its methods are indented once.
fn types_of_methods(text: &str) -> Vec<String> {
    let code = code_of(text);
    let (mut types, mut current) = (Vec::new(), None);
    for line in code.lines() {
        if let Some(header) = line.strip_prefix("impl") {
            current = type_of(header);
        } else if line.starts_with('}') {
            current = None;
        } else if let Some(name) = &current
            && line.strip_prefix("    ").is_some_and(|line| !line.starts_with(' '))
            && identifiers_of(line).find(|word| !MODIFIERS.contains(word)) == Some("fn")
        {
            types.push(String::clone(name));
        }
    }
    types
}

/// The type that `impl` and this header are about; `None` for the methods of a trait.
fn type_of(header: &str) -> Option<String> {
    let mut depth = 0_usize;
    let name = header.trim_start_matches(|character: char| {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => return depth > 0 || character == ' ',
        }
        true
    });
    let is_of_trait = identifiers_of(name).any(|word| word == "for");
    identifiers_of(name).next().filter(|_| !is_of_trait).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(types_of_methods(text), expected);
    }

    #[test]
    fn methods_of_types_count_and_those_of_traits_do_not() {
        check("impl Tide {\n    fn rise(&self) {}\n    pub(crate) const fn fall() {}\n}\nfn free() {}\n", &["Tide"; 2]);
        check("impl<'a, T: Into<u8>> Tide<'a, T> {\n    pub fn rise() {\n        fn inner() {}\n    }\n}\n", &["Tide"]);
        check("impl Moon for Tide {\n    fn rise(&self) {}\n}\n", &[]);
        check("impl<T> Moon for Tide<T> {\n    fn rise(&self) {}\n}\n", &[]);
    }

    #[test]
    fn a_type_with_more_methods_is_found_over_all_of_its_files() {
        let half = |from: usize| {
            let methods: String = (from..from + 13).map(|at| format!("    fn rise_{at}() {{}}\n")).collect();
            format!("impl Tide {{\n{methods}}}\n")
        };
        let (one, other) = (half(0), half(13));
        let files = [("crates/icr-engine/src/a.rs", one.as_str()), ("crates/icr-engine/src/b.rs", other.as_str())];
        let findings: Vec<String> = methods(&Tree::of_texts(&files)).iter().map(TidyFinding::to_string).collect();
        assert_eq!(
            findings,
            [
                "crates/icr-engine/src/a.rs: `Tide` has 26 methods; at most 25: give each subject a value with the parts that it needs"
            ]
        );
        assert!(methods(&Tree::of_texts(&files[..1])).is_empty());
        let text = format!("{one}{other}");
        assert!(methods(&Tree::of_texts(&[("crates/icr-git/src/a.rs", text.as_str())])).is_empty());
    }
}

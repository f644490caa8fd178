//! Documents: those that every reader looks for, and the map of the crates.

use crate::tables::{GeneratedTable, TABLES};

use super::rust_code::{code_of, identifiers_of};
use super::{TidyFinding, Tree};

/// Files at the root, and what readers look for in each.
const DOCUMENTS: &[(&str, &str)] = &[
    // tidy: sorted
    ("ARCHITECTURE.md", "invariants, map of the crates, glossary"),
    ("CHANGELOG.md", "what changed, from the user's view"),
    ("LICENSE-APACHE", "the text of the Apache licence"),
    ("LICENSE-MIT", "the text of the MIT licence"),
    ("README.md", "what it is and how to begin"),
    ("SECURITY.md", "who is trusted with what, and what stops whom"),
    // tidy: end
];

/// The map of the code. Every path and item of Rust that it quotes must exist.
const MAP: &str = "ARCHITECTURE.md";

/// Documents about users' files too. In them only paths that begin at the root or at a crate count as paths of the
/// workspace.
const NAMING_PATHS: &[&str] =
    &["CHANGELOG.md", "README.md", "SECURITY.md", "benches/MEASUREMENTS.md", "benches/README.md"];

/// The document that names tests.
const PROMISES: &str = "SECURITY.md";

/// All documents exist, and the tests, files and items that they name do too.
pub(crate) fn documents(tree: &Tree) -> Vec<TidyFinding> {
    let absent = DOCUMENTS.iter().filter(|(name, _)| tree.text(name).is_none_or(|text| text.trim().is_empty()));
    let mut findings: Vec<TidyFinding> =
        absent.map(|(name, of)| TidyFinding::new(*name, format!("write it: {of}"))).collect();
    findings.extend(tree.text(PROMISES).map(|text| absent_tests(text, tree)).unwrap_or_default());
    if let Some(map) = tree.text(MAP) {
        findings.extend(absent_paths(MAP, map, tree, is_path));
        findings.extend(absent_items(map, tree));
    }
    for document in NAMING_PATHS {
        findings.extend(
            tree.text(document).map(|text| absent_paths(document, text, tree, is_below_root)).unwrap_or_default(),
        );
    }
    findings
}

/// Test names in code quotes of `text`, of three words or more, for which there is no test.
fn absent_tests(text: &str, tree: &Tree) -> Vec<TidyFinding> {
    let is_test = |name: &str| {
        name.split('_').count() > 2
            && name.chars().all(|letter| letter.is_ascii_lowercase() || "_0123456789".contains(letter))
    };
    let mut findings = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for name in line.split('`').skip(1).step_by(2).filter(|name| is_test(name)) {
            // A function, or a row of a macro that makes one.
            let forms = [format!("fn {name}("), format!("{name}: ")];
            let exists =
                tree.texts().any(|(path, text)| path.ends_with(".rs") && forms.iter().any(|form| text.contains(form)));
            if !exists {
                findings.push(TidyFinding::at(PROMISES, at + 1, format!("there is no test `{name}`")));
            }
        }
    }
    findings
}

/// Generated tables are up to date.
pub(crate) fn generated_tables(tree: &Tree) -> Vec<TidyFinding> {
    TABLES.iter().filter_map(|table| outdated(table, tree)).collect()
}

fn outdated(table: &GeneratedTable, tree: &Tree) -> Option<TidyFinding> {
    // Another check reports a missing document.
    let text = tree.text(table.document)?;
    let right = match table.put_into(text) {
        Ok(right) if right == text => return None,
        Ok(_) => format!("the table of {0} is out of date; `cargo run -p xtask -- {0}` writes it", table.name),
        Err(error) => error.to_string(),
    };
    Some(TidyFinding::new(table.document, right))
}

/// Quoted paths that do not exist. A path may omit its first directories, as in `tidy/documents.rs`.
fn absent_paths(document: &str, text: &str, tree: &Tree, is_path: fn(&str, &Tree) -> bool) -> Vec<TidyFinding> {
    let absent = quoted(text).filter(|(_, quoted)| is_path(quoted, tree) && !lies_in(tree, quoted));
    absent
        .map(|(line, path)| TidyFinding::at(document, line, format!("there is no `{path}`; name what is there now")))
        .collect()
}

/// Quoted items of Rust, like `Type::method`, with a part that occurs in no source.
fn absent_items(map: &str, tree: &Tree) -> Vec<TidyFinding> {
    let is_item = |text: &str| text.contains("::") && text.split("::").all(is_identifier);
    let items: Vec<(usize, &str)> =
        quoted(map).map(|(line, text)| (line, text.trim_end_matches("()"))).filter(|(_, text)| is_item(text)).collect();
    let sources: Vec<String> =
        tree.texts().filter(|(path, _)| path.ends_with(".rs")).map(|(_, text)| code_of(text)).collect();
    let is_there = |name: &str| {
        sources.iter().any(|code| code.contains(name) && code.lines().flat_map(identifiers_of).any(|word| word == name))
    };
    let absent = items.into_iter().filter(|(_, item)| !item.split("::").all(is_there));
    absent
        .map(|(line, item)| TidyFinding::at(MAP, line, format!("there is no `{item}`; name what is there now")))
        .collect()
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Texts in backticks, with their line numbers, counted from 1. Code blocks are skipped.
fn quoted(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    (1..).zip(text.lines()).flat_map(move |(line, text)| {
        let is_fence = text.starts_with("```");
        is_code ^= is_fence;
        let quoted = text.split('`').skip(1).step_by(2).filter(move |_| !is_code && !is_fence);
        quoted.map(move |quoted| (line, quoted)).collect::<Vec<_>>()
    })
}

/// Whether `text` is a path in the workspace: a source file or a directory that begins at the root or at a crate.
fn is_path(text: &str, tree: &Tree) -> bool {
    is_plain(text) && (text.ends_with(".rs") || text.ends_with('/')) || is_below_root(text, tree)
}

/// Whether `text` is a path that begins with a directory of the root or with a crate.
fn is_below_root(text: &str, tree: &Tree) -> bool {
    let begins_at = |first: &str| {
        let directories = [format!("{first}/"), format!("crates/{first}/")];
        directories.iter().any(|directory| tree.files.iter().any(|file| file.path.starts_with(directory)))
    };
    is_plain(text) && text.split_once('/').is_some_and(|(first, _)| begins_at(first))
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte))
}

/// Whether a file, or a directory with files, has a path that ends in `path`.
fn lies_in(tree: &Tree, path: &str) -> bool {
    let (inside, path) = (format!("/{}/", path.trim_end_matches('/')), format!("/{path}"));
    tree.files.iter().any(|file| {
        let file = format!("/{}", file.path);
        file.ends_with(&path) || file.contains(&inside)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_that_are_absent_or_empty_are_found() {
        let tree = Tree::of_texts(&[
            ("README.md", "# icr"),
            ("CHANGELOG.md", "\n"),
            ("LICENSE-MIT", "x"),
            ("LICENSE-APACHE", "x"),
        ]);
        let findings: Vec<String> = documents(&tree).iter().map(TidyFinding::to_string).collect();
        assert_eq!(
            findings,
            [
                "ARCHITECTURE.md: write it: invariants, map of the crates, glossary",
                "CHANGELOG.md: write it: what changed, from the user's view",
                "SECURITY.md: write it: who is trusted with what, and what stops whom",
            ]
        );
    }

    #[test]
    fn a_promise_without_its_test_is_found() {
        let text = "| `a_b_c` | `d_e_f`, `max_size`, `g.h_i_j` |\n`k_l_m`\n";
        let tree = Tree::of_texts(&[("a.rs", "fn a_b_c() {}\n    k_l_m: of::that;\n"), ("a.md", "fn d_e_f()")]);
        assert_eq!(absent_tests(text, &tree), [TidyFinding::at("SECURITY.md", 1, "there is no test `d_e_f`")]);
    }

    #[test]
    fn a_table_that_is_out_of_date_is_found() {
        for table in TABLES {
            let old = format!("<!-- {0}: begin -->\n\n| rust |\n\n<!-- {0}: end -->\n", table.name);
            let right = table.put_into(&old).unwrap();
            let finding = |text: &str| outdated(table, &Tree::of_texts(&[(table.document, text)]));
            assert_eq!(finding(&right), None);
            assert!(finding(&old).is_some() && finding("# icr\n").is_some(), "{}", table.name);
        }
    }

    #[test]
    fn paths_of_the_map_at_which_nothing_lies_are_found() {
        let tree = Tree::of_texts(&[("crates/icr-a/src/tide/table.rs", ""), ("benches/run.sh", "")]);
        let map = "`table.rs`, `tide/table.rs`, `icr-a/src/tide/`, `icr-a/src`, `tide/`, `benches/run.sh` are there.\n\
                   `a/b`, `logs/x.log`, `<git>/gone/` and `X::y()` are no paths.\n```\n`gone.rs`\n```\n\
                   `gone.rs`, `ide/table.rs`, `benches/gone.sh`, `icr-a/lib`, `ebb/` and `able.rs` are not there.\n";
        assert_eq!(
            absent_paths(MAP, map, &tree, is_path).iter().map(TidyFinding::to_string).collect::<Vec<_>>(),
            ["gone.rs", "ide/table.rs", "benches/gone.sh", "icr-a/lib", "ebb/", "able.rs"]
                .map(|path| format!("ARCHITECTURE.md:6: there is no `{path}`; name what is there now"))
        );
    }

    #[test]
    fn items_of_the_map_that_no_source_has_are_found() {
        let tree = Tree::of_texts(&[("crates/icr-a/src/tide.rs", "impl Tide { fn turn() {} } // gone\n")]);
        let map = "`Tide::turn`, `tide` and `Tide::turn()` are there.\n`Tide::gone` and `Ebb::turn` are not.\n";
        assert_eq!(
            absent_items(map, &tree).iter().map(TidyFinding::to_string).collect::<Vec<_>>(),
            ["Tide::gone", "Ebb::turn"]
                .map(|item| format!("ARCHITECTURE.md:2: there is no `{item}`; name what is there now"))
        );
    }

    #[test]
    fn other_documents_name_paths_from_the_root_or_a_crate() {
        let tree = Tree::of_texts(&[
            ("crates/icr-a/src/tide.rs", ""),
            ("README.md", "`src/server.rs`, `node_modules/`, `icr-a/src/tide.rs`\n`icr-a/src/gone.rs`\n"),
        ]);
        let findings = absent_paths("README.md", tree.text("README.md").unwrap(), &tree, is_below_root);
        assert_eq!(
            findings,
            [TidyFinding::at("README.md", 2, "there is no `icr-a/src/gone.rs`; name what is there now")]
        );
    }
}

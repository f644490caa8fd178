//! Documents: those that every reader looks for, and the map of the crates.

use crate::tables::{GeneratedTable, TABLES};

use super::crates::{EDGES, Edges};
use super::manifest::{Manifest, manifests};
use super::{Finding, Tree};

/// What lies at the root, and what a reader wants of it.
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

/// The document whose table of crates is checked.
const MAP: &str = "ARCHITECTURE.md";

/// The document that names tests.
const PROMISES: &str = "SECURITY.md";

/// All documents exist, the tests that one names too, and the map has the crates that there are, and names no file that there is not.
pub(crate) fn documents(tree: &Tree) -> Vec<Finding> {
    let absent = DOCUMENTS.iter().filter(|(name, _)| tree.text(name).is_none_or(|text| text.trim().is_empty()));
    let mut findings: Vec<Finding> = absent.map(|(name, of)| Finding::new(*name, format!("write it: {of}"))).collect();
    findings.extend(tree.text(PROMISES).map(|text| absent_tests(text, tree)).unwrap_or_default());
    match (manifests(tree), tree.text(MAP)) {
        (Ok(manifests), Some(map)) => {
            let packages: Vec<&str> = manifests.iter().filter_map(Manifest::package).collect();
            findings.extend(map_of_crates(&packages, map));
            findings.extend(edges_of_map(map, EDGES));
            findings.extend(absent_paths(map, tree));
        }
        (Err(unreadable), _) => findings.extend(unreadable),
        (Ok(_), None) => {}
    }
    findings
}

/// Names of tests in `text`, in code and of three words or more, of which there is no test.
fn absent_tests(text: &str, tree: &Tree) -> Vec<Finding> {
    let is_test = |name: &str| {
        name.split('_').count() > 2
            && name.chars().all(|letter| letter.is_ascii_lowercase() || "_0123456789".contains(letter))
    };
    let mut findings = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for name in line.split('`').skip(1).step_by(2).filter(|name| is_test(name)) {
            // As a function, or as a row of what makes one.
            let forms = [format!("fn {name}("), format!("{name}: ")];
            let exists =
                tree.texts().any(|(path, text)| path.ends_with(".rs") && forms.iter().any(|form| text.contains(form)));
            if !exists {
                findings.push(Finding::at(PROMISES, at + 1, format!("there is no test `{name}`")));
            }
        }
    }
    findings
}

/// Tables that are generated are those that would be written now.
pub(crate) fn generated_tables(tree: &Tree) -> Vec<Finding> {
    TABLES.iter().filter_map(|table| outdated(table, tree)).collect()
}

fn outdated(table: &GeneratedTable, tree: &Tree) -> Option<Finding> {
    // That the document must exist is another fact.
    let text = tree.text(table.document)?;
    let right = match table.put_into(text) {
        Ok(right) if right == text => return None,
        Ok(_) => format!("the table of {0} is out of date; `cargo run -p xtask -- {0}` writes it", table.name),
        Err(error) => error.to_string(),
    };
    Some(Finding::new(table.document, right))
}

/// Every crate has a row, and every row a crate.
fn map_of_crates(packages: &[&str], map: &str) -> Vec<Finding> {
    let rows = rows(map);
    let unmapped = packages.iter().filter(|package| !rows.iter().any(|row| row.crate_name == **package));
    let mut findings: Vec<Finding> =
        unmapped.map(|package| Finding::new(MAP, format!("the table of crates needs a row for `{package}`"))).collect();
    for row in rows.iter().filter(|row| row.is_of_icr() && !packages.contains(&row.crate_name)) {
        findings.push(Finding::at(MAP, row.line, format!("there is no crate `{}`; take the row out", row.crate_name)));
    }
    findings
}

/// The map and `edges` name the same crates, and the last cell of a row says what `edges` says: names without `icr-`, or `all`
/// and `all above`, which may be more.
fn edges_of_map(map: &str, edges: Edges<'_>) -> Vec<Finding> {
    let rows: Vec<Row<'_>> = rows(map).into_iter().filter(Row::is_of_icr).collect();
    let unmapped = edges.iter().filter(|(name, _)| !rows.iter().any(|row| row.crate_name == *name));
    let unmapped =
        unmapped.map(|(name, _)| format!("`EDGES` has `{name}`, and the table of crates needs a row for it"));
    let mut findings: Vec<Finding> = unmapped.map(|right| Finding::new(MAP, right)).collect();
    for (at, row) in rows.iter().enumerate() {
        let Some((_, allowed)) = edges.iter().find(|(name, _)| *name == row.crate_name) else {
            findings.push(Finding::at(MAP, row.line, format!("`EDGES` has no row for `{}`", row.crate_name)));
            continue;
        };
        let mut allowed: Vec<&str> = allowed.iter().map(|name| name.strip_prefix("icr-").unwrap_or(name)).collect();
        let is_above = |name: &str| rows[..at].iter().any(|row| row.crate_name.strip_prefix("icr-") == Some(name));
        let mut said: Vec<&str> =
            row.may_depend_on.split([' ', ',']).filter(|word| !["", "–", "-"].contains(word)).collect();
        said.sort_unstable();
        allowed.sort_unstable();
        let agrees = match row.may_depend_on {
            "all" => true,
            "all above" => allowed.iter().all(|name| is_above(name)),
            _ => said == allowed,
        };
        if !agrees {
            let right = if allowed.is_empty() { "–".to_owned() } else { allowed.join(" ") };
            findings.push(Finding::at(MAP, row.line, format!("`{}` may depend on: {right}", row.crate_name)));
        }
    }
    findings
}

/// Paths in backticks at which nothing lies. A path may leave out its first directories, as in `tidy/documents.rs`.
fn absent_paths(map: &str, tree: &Tree) -> Vec<Finding> {
    let mut is_code = false;
    let mut findings = Vec::new();
    for (line, text) in (1..).zip(map.lines()) {
        if text.starts_with("```") {
            is_code = !is_code;
            continue;
        }
        let quoted = text.split('`').skip(1).step_by(2).filter(|_| !is_code);
        for path in quoted.filter(|quoted| is_path(quoted, tree) && !lies_in(tree, quoted)) {
            findings.push(Finding::at(MAP, line, format!("there is no `{path}`; name what is there now")));
        }
    }
    findings
}

/// Whether `text` says where something lies in the workspace: a source, a directory, or what begins at the root or at a crate.
fn is_path(text: &str, tree: &Tree) -> bool {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte));
    let begins_at = |first: &str| {
        let directories = [format!("{first}/"), format!("crates/{first}/")];
        directories.iter().any(|directory| tree.files.iter().any(|file| file.path.starts_with(directory)))
    };
    let is_below = || text.split_once('/').is_some_and(|(first, _)| begins_at(first));
    is_plain && (text.ends_with(".rs") || text.ends_with('/') || is_below())
}

/// Whether a file, or a directory with files, has a path that ends in `path`.
fn lies_in(tree: &Tree, path: &str) -> bool {
    let (inside, path) = (format!("/{}/", path.trim_end_matches('/')), format!("/{path}"));
    tree.files.iter().any(|file| {
        let file = format!("/{}", file.path);
        file.ends_with(&path) || file.contains(&inside)
    })
}

/// A row of a table that begins with a name in backticks.
struct Row<'a> {
    line: usize,
    crate_name: &'a str,
    /// The last cell.
    may_depend_on: &'a str,
}

impl<'a> Row<'a> {
    fn of(line: usize, text: &'a str) -> Option<Self> {
        let cells = text.trim().strip_prefix('|')?.strip_suffix('|')?;
        let (crate_name, _) = cells.trim_start().strip_prefix('`')?.split_once('`')?;
        let may_depend_on = cells.rsplit('|').next().unwrap_or_default().trim();
        Some(Self { line, crate_name, may_depend_on })
    }

    /// Tables of other things have names in backticks too.
    fn is_of_icr(&self) -> bool {
        self.crate_name == "icr" || self.crate_name.starts_with("icr-") || self.crate_name == "xtask"
    }
}

fn rows(map: &str) -> Vec<Row<'_>> {
    (1..).zip(map.lines()).filter_map(|(line, text)| Row::of(line, text)).collect()
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
        let findings: Vec<String> = documents(&tree).iter().map(Finding::to_string).collect();
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
        assert_eq!(absent_tests(text, &tree), [Finding::at("SECURITY.md", 1, "there is no test `d_e_f`")]);
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
    fn map_and_crates_are_the_same() {
        let map = "| crate | charter |\n|---|---|\n| `icr-a` (dev) | a |\n| `icr-gone` | g |\n| `AT` | other |\nalso `icr-b`\n";
        let findings = map_of_crates(&["icr-a", "icr-b"], map);
        assert_eq!(
            findings.iter().map(Finding::to_string).collect::<Vec<_>>(),
            [
                "ARCHITECTURE.md: the table of crates needs a row for `icr-b`",
                "ARCHITECTURE.md:4: there is no crate `icr-gone`; take the row out",
            ]
        );
    }

    #[test]
    fn paths_of_the_map_at_which_nothing_lies_are_found() {
        let tree = Tree::of_texts(&[("crates/icr-a/src/tide/table.rs", ""), ("benches/run.sh", "")]);
        let map = "`table.rs`, `tide/table.rs`, `icr-a/src/tide/`, `icr-a/src`, `tide/`, `benches/run.sh` are there.\n\
                   `a/b`, `logs/x.log`, `<git>/gone/` and `X::y()` are no paths.\n```\n`gone.rs`\n```\n\
                   `gone.rs`, `ide/table.rs`, `benches/gone.sh`, `icr-a/lib`, `ebb/` and `able.rs` are not there.\n";
        assert_eq!(
            absent_paths(map, &tree).iter().map(Finding::to_string).collect::<Vec<_>>(),
            ["gone.rs", "ide/table.rs", "benches/gone.sh", "icr-a/lib", "ebb/", "able.rs"]
                .map(|path| format!("ARCHITECTURE.md:6: there is no `{path}`; name what is there now"))
        );
    }

    #[test]
    fn the_map_and_the_table_of_edges_have_the_same_crates() {
        let edges: Edges<'_> = &[("icr-a", &[]), ("icr-b", &[])];
        assert_eq!(
            edges_of_map("| `icr-a` | – |\n| `icr-c` | – |\n", edges)
                .iter()
                .map(Finding::to_string)
                .collect::<Vec<_>>(),
            [
                "ARCHITECTURE.md: `EDGES` has `icr-b`, and the table of crates needs a row for it",
                "ARCHITECTURE.md:2: `EDGES` has no row for `icr-c`",
            ]
        );
    }

    #[test]
    fn the_map_says_which_edges_are_allowed() {
        let edges: Edges<'_> =
            &[("icr-a", &[]), ("icr-b", &["icr-a"]), ("icr-c", &["icr-b", "icr-a"]), ("xtask", &["icr-c"])];
        let map = "| `icr-a` | – |\n| `icr-b` | a |\n| `icr-c` | all above |\n| `xtask` | all |\n";
        assert_eq!(edges_of_map(map, edges), []);
        let map = "| `icr-a` | b |\n| `icr-c` | all above |\n| `icr-b` | – |\n| `xtask` | c a |\n";
        assert_eq!(
            edges_of_map(map, edges).iter().map(Finding::to_string).collect::<Vec<_>>(),
            [
                "ARCHITECTURE.md:1: `icr-a` may depend on: –",
                "ARCHITECTURE.md:2: `icr-c` may depend on: a b",
                "ARCHITECTURE.md:3: `icr-b` may depend on: a",
                "ARCHITECTURE.md:4: `xtask` may depend on: c",
            ]
        );
    }
}

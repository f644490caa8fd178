//! Fixtures under `fixtures/imports`: every import of every file, forward and backward.
//!
//! `UPDATE_EXPECT=bash cargo test -p icr-db` writes what was found in `bash.txt` in place of what is expected there, of
//! several fixtures with a comma between their names; read it before you commit it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::QueryGraph;
use crate::testing::Fixture;

#[test]
fn imports_lead_where_the_fixtures_say() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/imports");
    let mut wrong = Vec::new();
    for path in fixtures(&directory) {
        let text = std::fs::read_to_string(&path).unwrap();
        let fixture = Fixture::new(&text);
        let found = found(&fixture);
        if found != fixture.expected {
            if is_to_update(&path) {
                std::fs::write(&path, format!("{}{found}", fixture.files)).unwrap();
            }
            wrong.push(format!("{}\nexpected:\n{}found:\n{found}", path.display(), fixture.expected));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Looking back finds exactly what looking forward does, for every file of every fixture.
#[test]
fn importers_are_the_edges_turned_around() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/imports");
    for fixture_path in fixtures(&directory) {
        let fixture = Fixture::new(&std::fs::read_to_string(&fixture_path).unwrap());
        let graph = QueryGraph::new(fixture.source.clone());
        let paths = fixture.source.paths();
        let forward: BTreeSet<_> = paths
            .iter()
            .flat_map(|from| graph.imports(from).unwrap().edges.into_iter().map(|edge| (from.clone(), edge.to)))
            .collect();
        let fresh = QueryGraph::new(fixture.source.clone());
        let backward: BTreeSet<_> = paths
            .iter()
            .flat_map(|to| fresh.importers(to).unwrap().into_iter().map(|from| (from, to.clone())))
            .collect();
        let missing: Vec<_> = forward.difference(&backward).collect();
        assert!(missing.is_empty(), "{}: looking back misses {missing:?}", fixture_path.display());
        let extra: Vec<_> = backward.difference(&forward).collect();
        assert!(extra.is_empty(), "{}: looking back invents {extra:?}", fixture_path.display());
    }
}

fn fixtures(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    assert!(!paths.is_empty(), "there are fixtures in {}", directory.display());
    paths
}

/// Whether the environment asks for the expectation at `path` to be written anew. Names only, so that nobody takes over
/// at once what nobody read.
#[expect(clippy::disallowed_methods, reason = "a variable asks for it")]
fn is_to_update(path: &Path) -> bool {
    let asked = std::env::var("UPDATE_EXPECT").unwrap_or_default();
    asked.split(',').any(|name| path.file_stem().is_some_and(|stem| stem == name))
}

fn found(fixture: &Fixture) -> String {
    let graph = QueryGraph::new(fixture.source.clone());
    let [mut edges, mut external, mut unresolved, mut problems] = [const { String::new() }; 4];
    for path in fixture.source.paths() {
        let imports = graph.imports(&path).unwrap();
        for edge in imports.edges {
            let flag = if edge.type_only { " (type only)" } else { "" };
            writeln!(edges, "{path}:{} -> {} {}{flag}", edge.line, edge.to, edge.kind.name()).unwrap();
        }
        for import in imports.external {
            writeln!(external, "{path}:{} {}", import.line, import.specifier).unwrap();
        }
        for import in imports.unresolved {
            writeln!(unresolved, "{path}:{} {}", import.line, import.specifier).unwrap();
        }
        for problem in imports.problems {
            writeln!(problems, "{path}: {}: {}", problem.path, problem.reason).unwrap();
        }
    }
    let sections = [("edges", edges), ("external", external), ("unresolved", unresolved), ("problems", problems)];
    let shown = sections.into_iter().filter(|(_, lines)| !lines.is_empty());
    shown.map(|(name, lines)| format!("--- {name}\n{lines}")).collect()
}

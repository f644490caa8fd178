//! The table of crates, generated from the manifests and from the tables that the edges are checked against.

use std::fmt::Write;

use crate::tidy::{CargoManifest, EDGES, HEAVY, Tree, manifests};

/// Stands behind a dependency that other crates may name too.
const SHARED: &str = "†";

/// Crates that no released program contains.
const FOR_DEVELOPMENT: &[&str] = &["icr-benches", "icr-fixture", "icr-recipe", "icr-tests", "xtask"];

/// One line for each crate of this workspace; crates without dependencies come first.
pub(crate) fn table() -> String {
    let tree = Tree::of_workspace().expect("the workspace that this program was built in can be read");
    let manifests = manifests(&tree).unwrap_or_else(|findings| panic!("{findings:?}"));
    table_of(&manifests)
}

fn table_of(manifests: &[CargoManifest]) -> String {
    let mut rows: Vec<(bool, usize, &str)> =
        EDGES.iter().map(|(name, _)| (FOR_DEVELOPMENT.contains(name), height_of(name), *name)).collect();
    rows.sort_unstable();
    let mut table = "| crate | what it does | heavy dependencies | depends on |\n|---|---|---|---|\n".to_owned();
    for (is_for_development, _, name) in rows {
        let note = if is_for_development { note_of(name, manifests) } else { String::new() };
        let description = description_of(name, manifests);
        let (heavy, edges) = (heavy_of(name), edges_of(name));
        writeln!(table, "| `{name}`{note} | {description} | {heavy} | {edges} |").expect("a string takes all text");
    }
    table
}

/// The note behind a crate that no released program contains, with its directory unless that is in `crates/`.
fn note_of(name: &str, manifests: &[CargoManifest]) -> String {
    let manifest = manifests.iter().find(|manifest| manifest.package() == Some(name));
    match manifest.and_then(|manifest| manifest.path.strip_suffix("Cargo.toml")) {
        Some(directory) if !directory.starts_with("crates/") => format!(" (development, in `{directory}`)"),
        _ => " (development)".to_owned(),
    }
}

/// Length of the longest way from a crate down to one that depends on no other.
fn height_of(name: &str) -> usize {
    edges(name).iter().map(|below| height_of(below) + 1).max().unwrap_or(0)
}

fn edges(name: &str) -> &'static [&'static str] {
    EDGES.iter().find(|(of, _)| *of == name).map_or(&[], |(_, edges)| edges)
}

fn description_of<'a>(name: &str, manifests: &'a [CargoManifest]) -> &'a str {
    let manifest = manifests.iter().find(|manifest| manifest.package() == Some(name));
    let own = manifest.and_then(CargoManifest::description);
    own.or_else(|| manifests.iter().find_map(CargoManifest::workspace_description)).unwrap_or("–")
}

fn heavy_of(name: &str) -> String {
    let homes = HEAVY.iter().filter(|(_, homes, _)| homes.contains(&name));
    let names = homes.map(|(pattern, homes, _)| format!("{pattern}{}", if homes.len() > 1 { SHARED } else { "" }));
    joined_or_dash(&names.collect::<Vec<_>>(), ", ")
}

fn edges_of(name: &str) -> String {
    joined_or_dash(&edges(name).iter().map(|edge| edge.trim_start_matches("icr-")).collect::<Vec<_>>(), " ")
}

fn joined_or_dash<T: std::borrow::Borrow<str>>(words: &[T], separator: &str) -> String {
    if words.is_empty() { "–".to_owned() } else { words.join(separator) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_stands_below_those_that_it_depends_on() {
        let table = table();
        let place = |name: &str| table.find(&format!("| `{name}`")).unwrap_or_else(|| panic!("{name}\n{table}"));
        for (name, edges) in EDGES.iter().filter(|(name, _)| !FOR_DEVELOPMENT.contains(name)) {
            for edge in edges.iter().filter(|edge| !FOR_DEVELOPMENT.contains(edge)) {
                assert!(place(edge) < place(name), "{edge} {name}");
            }
        }
        assert!(table.lines().all(|line| line.matches('|').count() == 5), "{table}");
    }

    #[test]
    fn a_row_says_what_a_crate_does_names_and_depends_on() {
        let table = table();
        let row = |name: &str| table.lines().find(|line| line.starts_with(&format!("| `{name}`"))).unwrap();
        assert!(row("icr-git").ends_with("| gix*, rayon† | model |"), "{}", row("icr-git"));
        assert!(row("icr-words").ends_with("| – | – |"), "{}", row("icr-words"));
        assert!(!row("icr").contains("| – |"), "{}", row("icr"));
        assert!(row("icr-recipe").starts_with("| `icr-recipe` (development) |"), "{}", row("icr-recipe"));
        assert!(row("xtask").starts_with("| `xtask` (development, in `xtask/`) |"), "{}", row("xtask"));
    }
}

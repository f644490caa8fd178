//! Rust: a path goes through the modules of a crate, and re-exports are followed to the definition.
//!
//! Manifests say which files are crate roots and how other crates are called. `mod` statements say which files are
//! child modules of which others; `automod::dir!` of the crate `automod` stands for one per file of a directory. A
//! `use` leads to the file that defines the last item of its path.

mod crates;
mod follow;
mod keys;
mod modules;

use icr_model::{Import, ImportKind};

pub(super) use self::keys::keys;

pub(crate) use self::crates::packages as cargo_packages;
use self::follow::{RustPathResolver, RustPathTarget};
use self::modules::{Module, is_attribute, is_whole, module_directory};
use crate::graph::PathInput;
use crate::resolve::{ImportOutcome, ImportTarget, Statement};
use crate::schemes::PassedItem;
use crate::view::{GraphView, join};

/// What a statement leads to: the file of a child module, or, for each name, the files that define it.
pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let import = statement.import;
    let module = Module { file: statement.path.to_owned(), inside: statement.inside.to_vec() };
    if import.kind == ImportKind::Module {
        let files = if is_attribute(&import.specifier) {
            module.attribute_file(view, &import.specifier).into_iter().collect()
        } else if let Some(directory) = module_directory(&import.specifier) {
            module.directory_files(view, directory)
        } else {
            module.child_files(view, &import.specifier)
        };
        return ImportOutcome::paths(view, files);
    }
    let found = targets(view, &module, import);
    let target = |(name, place): &(Option<u32>, RustPathTarget)| Some(ImportTarget::new(view, place.file()?, *name));
    match ImportOutcome::files(view, found.iter().filter_map(target).collect()) {
        ImportOutcome::Unresolved if found.iter().any(|(_, place)| *place == RustPathTarget::Outside) => {
            ImportOutcome::External
        }
        outcome => outcome,
    }
}

/// As [`resolve`], for each name: the files that define it, with the name that they define it by. An item that is passed
/// on under another name has its own name there.
pub(super) fn items(view: GraphView<'_>, statement: &Statement<'_>) -> Vec<PassedItem> {
    if statement.import.kind == ImportKind::Module {
        return Vec::new();
    }
    let module = Module { file: statement.path.to_owned(), inside: statement.inside.to_vec() };
    let found = targets(view, &module, statement.import).into_iter();
    let item = |(index, place): (Option<u32>, RustPathTarget)| {
        Some(PassedItem { index: index?, file: place.file()?.to_owned(), name: place.name()?.to_owned() })
    };
    found.filter_map(item).collect()
}

/// What each name of a `use` leads to, by its index in [`icr_model::Import::names`]; without an index, what the whole
/// statement does.
fn targets(view: GraphView<'_>, module: &Module, import: &Import) -> Vec<(Option<u32>, RustPathTarget)> {
    let places = RustPathResolver::new(view).path(module, &import.specifier, !is_whole(import));
    if import.names.is_empty() {
        return places.into_iter().map(|place| (None, place)).collect();
    }
    let mut found = Vec::new();
    for (index, name) in (0_u32..).zip(&import.names) {
        // Each name gets its own budget of look-ups, so that an expensive name does not use up the budget of the next.
        let members = RustPathResolver::new(view).members(module, &places, &name.name, true);
        found.extend(members.into_iter().map(|place| (Some(index), place)));
    }
    found
}

/// Empty: other files in the directory are not in the scope of a module.
pub(super) fn siblings(_: GraphView<'_>, _: &str) -> Vec<PathInput> {
    Vec::new()
}

/// `Cargo.toml` of every directory above the file: the package's and its workspace's are among them.
pub(super) fn manifests(_: GraphView<'_>, path: &str) -> Vec<String> {
    GraphView::directories_above(path).map(|directory| join(directory, "Cargo.toml")).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::sync::Arc;

    use crate::QueryGraph;
    use crate::testing::view_of;
    use crate::view::path_of;

    /// Files whose statements were read to resolve the imports of `path`.
    #[track_caller]
    fn statements_read(text: &str, path: &str) -> u64 {
        let graph = QueryGraph::new(Arc::new(view_of(text)));
        let imports = graph.imports(&path_of(path)).unwrap();
        assert!(!imports.edges.is_empty() || !imports.unresolved.is_empty(), "`{path}` imports something");
        graph.take_executed()["statements"]
    }

    #[test]
    fn packages_are_known_with_those_that_they_depend_on() {
        let text = "//- Cargo.toml\n[workspace]\nmembers = ['*']\n[workspace.dependencies]\na = { path = 'a' }\n\
            //- a/Cargo.toml\n[package]\nname = 'a'\n//- a/src/lib.rs\n\
            //- b/Cargo.toml\n[package]\nname = 'b'\n[dependencies]\nserde = '1'\n[dev-dependencies]\na.workspace = true\n\
            //- b/src/main.rs\nfn main() {}\n";
        let graph = QueryGraph::new(Arc::new(view_of(text)));
        let row = |package: crate::CargoPackageEdges| {
            let dependencies: Vec<String> = package.dependencies.into_iter().collect();
            format!("{} {:?} {dependencies:?}", package.directory, package.library)
        };
        let rows: Vec<String> = graph.cargo_packages().unwrap().into_iter().map(row).collect();
        assert_eq!(rows, [r#"a Some("a/src/lib.rs") []"#, r#"b None ["a"]"#]);
    }

    #[test]
    fn an_import_reads_the_files_on_its_way_and_no_others() {
        let mut text = "//- Cargo.toml\n[package]\nname = 'a'\nedition = '2024'\n//- src/lib.rs\npub mod one;\npub mod two;\n\
            //- src/one.rs\nuse crate::two::deep::Thing;\n//- src/two.rs\npub mod deep;\n//- src/two/deep.rs\npub struct Thing;\n"
            .to_owned();
        let few = statements_read(&text, "src/one.rs");
        for number in 0..200 {
            writeln!(text, "//- src/two/other{number}.rs\nuse super::deep::Thing;").unwrap();
        }
        assert_eq!(statements_read(&text, "src/one.rs"), few);
    }

    #[test]
    fn many_imports_that_lead_in_circles_come_to_an_end() {
        let mut text = "//- Cargo.toml\n[package]\nname = 'a'\nedition = '2024'\n//- src/lib.rs\n".to_owned();
        for number in 0..60 {
            writeln!(text, "pub mod m{number};").unwrap();
        }
        for number in 0..60 {
            writeln!(text, "//- src/m{number}.rs").unwrap();
            for other in 0..60 {
                writeln!(text, "pub use crate::m{other}::*;\npub use super::m{other}::absent as absent{other};")
                    .unwrap();
            }
        }
        assert!(statements_read(&text, "src/m1.rs") <= 61);
    }
}

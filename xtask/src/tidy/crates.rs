//! Allowed dependencies: between the crates of the workspace, and on crates with a large interface.

use super::manifest::{CargoManifest, Dependency, Section, manifests};
use super::{TidyFinding, Tree};

/// The file that holds the tables below, for findings about them.
const TABLES: &str = "xtask/src/tidy/crates.rs";

/// Rows of a crate and its allowed dependencies.
pub(crate) type Edges<'a> = &'a [(&'a str, &'a [&'a str])];

/// For each crate of the workspace, the crates of the workspace that it may depend on. Crates that produce facts (git,
/// lang) and crates that store them (store, lexical) must not depend on each other.
pub(crate) const EDGES: Edges<'_> = &[
    // tidy: sorted
    (
        "icr",
        &[
            "icr-agents",
            "icr-embed",
            "icr-engine",
            "icr-hooks",
            "icr-http",
            "icr-impact",
            "icr-mcp",
            "icr-memory",
            "icr-model",
            "icr-run",
            "icr-secrets",
            "icr-serve",
            "icr-tokens",
            "icr-traces",
            "icr-watch",
        ],
    ),
    ("icr-agents", &["icr-model", "icr-secrets", "icr-tokens", "icr-traces"]),
    ("icr-benches", &["icr-engine", "icr-fixture", "icr-git", "icr-lang", "icr-lexical", "icr-model"]),
    ("icr-compute", &["icr-embed", "icr-git", "icr-lang", "icr-lexical", "icr-model", "icr-store", "icr-vector"]),
    ("icr-db", &["icr-model"]),
    ("icr-embed", &["icr-model"]),
    (
        "icr-engine",
        &[
            "icr-compute",
            "icr-db",
            "icr-embed",
            "icr-git",
            "icr-history",
            "icr-impact",
            "icr-ingest",
            "icr-lang",
            "icr-lexical",
            "icr-memory",
            "icr-model",
            "icr-pack",
            "icr-rank",
            "icr-secrets",
            "icr-store",
            "icr-tokens",
            "icr-vector",
            "icr-view",
        ],
    ),
    ("icr-fixture", &[]),
    ("icr-git", &["icr-model"]),
    ("icr-history", &["icr-model"]),
    ("icr-hooks", &["icr-model"]),
    (
        "icr-http",
        &[
            "icr-engine",
            "icr-impact",
            "icr-memory",
            "icr-model",
            "icr-run",
            "icr-secrets",
            "icr-serve",
            "icr-tokens",
            "icr-traces",
        ],
    ),
    ("icr-impact", &["icr-history", "icr-model", "icr-rank"]),
    ("icr-ingest", &["icr-compute", "icr-embed", "icr-git", "icr-lexical", "icr-model", "icr-store", "icr-vector"]),
    ("icr-lang", &["icr-model"]),
    ("icr-lexical", &["icr-model", "icr-words"]),
    (
        "icr-mcp",
        &[
            "icr-engine",
            "icr-impact",
            "icr-memory",
            "icr-model",
            "icr-secrets",
            "icr-serve",
            "icr-tokens",
            "icr-traces",
        ],
    ),
    ("icr-memory", &["icr-model", "icr-rank", "icr-sqlite", "icr-words"]),
    ("icr-model", &[]),
    ("icr-pack", &["icr-model", "icr-rank", "icr-tokens"]),
    ("icr-rank", &["icr-model", "icr-words"]),
    ("icr-recipe", &[]),
    ("icr-run", &[]),
    ("icr-secrets", &[]),
    (
        "icr-serve",
        &["icr-engine", "icr-impact", "icr-memory", "icr-model", "icr-run", "icr-tokens", "icr-traces", "icr-watch"],
    ),
    ("icr-sqlite", &[]),
    ("icr-store", &["icr-model", "icr-sqlite"]),
    ("icr-tests", &["icr-embed", "icr-engine", "icr-fixture", "icr-impact", "icr-lexical", "icr-tokens"]),
    ("icr-tokens", &[]),
    ("icr-traces", &["icr-secrets", "icr-sqlite"]),
    ("icr-vector", &["icr-model"]),
    (
        "icr-view",
        &[
            "icr-compute",
            "icr-db",
            "icr-embed",
            "icr-git",
            "icr-lang",
            "icr-lexical",
            "icr-model",
            "icr-rank",
            "icr-store",
            "icr-vector",
        ],
    ),
    ("icr-watch", &["icr-model"]),
    ("icr-words", &[]),
    ("xtask", &["icr-embed", "icr-impact", "icr-lang", "icr-rank"]),
    // tidy: end
];

/// Crate that tests of any crate may depend on, in addition.
const TEST_CRATE: &str = "icr-fixture";

/// Crate that build scripts of any crate may depend on, in addition.
const BUILD_CRATE: &str = "icr-recipe";

/// For each crate, additional dependencies of its tests: those of the query graph make facts from sources, those of the
/// server use a slow model.
const TEST_EDGES: Edges<'_> = &[("icr-db", &["icr-lang"]), ("icr-http", &["icr-mcp"]), ("icr-mcp", &["icr-embed"])];

/// Rows of a dependency, the crates that may name it, and why.
pub(crate) type HeavyDependencies<'a> = &'a [(&'a str, &'a [&'a str], &'a str)];

/// A dependency with a heavy interface (`*` stands for any ending), the crates that may name it, and why these.
pub(crate) const HEAVY: HeavyDependencies<'_> = &[
    // tidy: sorted
    ("anyhow", &["icr"], "libraries have errors of their own; only the binary just reports them"),
    ("arroy", &["icr-vector"], "vectors cross that crate's border as numbers"),
    ("axum", &["icr-http"], "HTTP is the service's"),
    ("clap", &["icr"], "arguments are the binary's"),
    ("flate2", &["icr-embed"], "what is fetched is unpacked where it is fetched"),
    ("gix*", &["icr-git"], "git objects cross that crate's border as plain data"),
    ("heed", &["icr-vector"], "vectors cross that crate's border as numbers"),
    ("hyper*", &["icr-http"], "HTTP is the service's"),
    ("indicatif", &["icr"], "the terminal is the binary's"),
    ("landlock", &["icr-run"], "only commands that are run are held in a sandbox"),
    ("libloading", &["icr-embed"], "a runtime is tried before it is used, where it is used"),
    ("notify", &["icr-watch"], "what the system says of files crosses that crate's border as batches of paths"),
    ("ort", &["icr-embed"], "models cross that crate's border as an embedder"),
    ("prost", &["icr-embed"], "models cross that crate's border as an embedder"),
    (
        "rayon",
        &["icr-compute", "icr-db", "icr-engine", "icr-git", "icr-ingest"],
        "those that work through many files at once: statting them, extracting them, resolving them, comparing them",
    ),
    ("rmcp", &["icr-mcp"], "the protocol is the server's"),
    (
        "rusqlite",
        &["icr-memory", "icr-sqlite", "icr-store", "icr-tests", "icr-traces"],
        "rows cross the border of what keeps them as plain data; tests damage databases from outside",
    ),
    ("rustls", &["icr-embed"], "only models may come over a network, and only when a user said so"),
    ("safetensors", &["icr-embed"], "models cross that crate's border as an embedder"),
    ("salsa", &["icr-db"], "answers of the query graph cross its border as plain data"),
    ("seccompiler", &["icr-run"], "only commands that are run are held in a sandbox"),
    ("signal-hook", &["icr"], "what a terminal sends is the binary's"),
    ("syn", &["icr-recipe"], "syntax of Rust is read for digests, when icr is built"),
    ("tantivy*", &["icr-lexical"], "postings cross that crate's border as plain data"),
    ("tar", &["icr-embed"], "what is fetched is unpacked where it is fetched"),
    ("tiktoken-rs", &["icr-tokens"], "tests ask it for tokens; nothing that is shipped loads a vocabulary"),
    (
        "tokio*",
        &["icr", "icr-http", "icr-mcp", "icr-serve"],
        "only who serves many callers at once has calls that wait for each other",
    ),
    (
        "toml",
        &["icr", "icr-agents", "icr-db", "icr-engine", "xtask"],
        "configuration is the binary's, that of agents is their crate's; manifests are read where they are asked for",
    ),
    ("tree-sitter*", &["icr-lang"], "syntax trees cross that crate's border as facts"),
    ("ureq", &["icr-embed"], "only models may come over a network, and only when a user said so"),
    ("yaml-rust2", &["icr-agents"], "YAML that icr writes is that of agents"),
    ("zip", &["icr-embed"], "what is fetched is unpacked where it is fetched"),
    // tidy: end
];

/// Every crate of the workspace has a row in [`EDGES`], and depends only on the workspace crates in that row.
pub(crate) fn edges(tree: &Tree) -> Vec<TidyFinding> {
    let manifests = match manifests(tree) {
        Ok(manifests) => manifests,
        Err(findings) => return findings,
    };
    [edges_by(&manifests, EDGES), unused_by(&manifests, EDGES), unused_by(&manifests, TEST_EDGES)].concat()
}

/// Every dependency of [`HEAVY`] is named by its crates only.
pub(crate) fn heavy_dependencies(tree: &Tree) -> Vec<TidyFinding> {
    let manifests = match manifests(tree) {
        Ok(manifests) => manifests,
        Err(findings) => return findings,
    };
    [heavy_by(&manifests, HEAVY), unused_homes(&manifests, HEAVY)].concat()
}

fn edges_by(manifests: &[CargoManifest], table: Edges<'_>) -> Vec<TidyFinding> {
    let packages: Vec<&str> = manifests.iter().filter_map(CargoManifest::package).collect();
    let mut findings = Vec::new();
    for (name, allowed) in table {
        for absent in std::iter::once(name).chain(*allowed).filter(|name| !packages.contains(*name)) {
            findings.push(TidyFinding::new(TABLES, format!("there is no crate `{absent}`; take it out of `EDGES`")));
        }
    }
    for manifest in manifests {
        let Some(package) = manifest.package() else { continue };
        let Some((_, allowed)) = table.iter().find(|(name, _)| *name == package) else {
            let right =
                format!("`{package}` needs a row in `EDGES` of {TABLES} that says which crates it may depend on");
            findings.push(TidyFinding::new(&manifest.path, right));
            continue;
        };
        for dependency in manifest.dependencies() {
            let is_ours = packages.contains(&dependency.name.as_str());
            let for_tests = dependency.section == Section::Dev && is_for_tests(package, &dependency.name);
            let for_build = dependency.section == Section::Build && dependency.name == BUILD_CRATE;
            if is_ours && !for_tests && !for_build && !allowed.contains(&dependency.name.as_str()) {
                let known = if allowed.is_empty() { "no other crate".to_owned() } else { allowed.join(", ") };
                let right = format!("`{package}` may depend on {known}, not on `{}`", dependency.name);
                findings.push(TidyFinding::new(&manifest.path, right));
            }
        }
    }
    findings
}

/// Allowed dependencies of `table` that no manifest uses. Unused ones must be removed.
fn unused_by(manifests: &[CargoManifest], table: Edges<'_>) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for (name, allowed) in table {
        // Another check reports a missing crate.
        let Some(manifest) = manifests.iter().find(|manifest| manifest.package() == Some(*name)) else { continue };
        let used: Vec<String> = manifest.dependencies().into_iter().map(|dependency| dependency.name).collect();
        for unused in allowed.iter().filter(|allowed| !used.iter().any(|used| used == *allowed)) {
            findings.push(TidyFinding::new(
                TABLES,
                format!("`{name}` does not depend on `{unused}`; take it out of the row"),
            ));
        }
    }
    findings
}

/// Whether tests of `package` may depend on `dependency`, in addition to the dependencies of the crate.
fn is_for_tests(package: &str, dependency: &str) -> bool {
    let listed = || TEST_EDGES.iter().any(|(name, allowed)| *name == package && allowed.contains(&dependency));
    dependency == TEST_CRATE || listed()
}

fn heavy_by(manifests: &[CargoManifest], table: HeavyDependencies<'_>) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for manifest in manifests {
        let Some(package) = manifest.package() else { continue };
        for Dependency { name, .. } in manifest.dependencies() {
            let row = table.iter().find(|(pattern, ..)| fits(pattern, &name));
            if let Some((_, homes, reason)) = row.filter(|(_, homes, _)| !homes.contains(&package)) {
                let right = format!("`{name}` may be named by {} only: {reason}", homes.join(" and "));
                findings.push(TidyFinding::new(&manifest.path, right));
            }
        }
    }
    findings
}

/// Crates that may name a dependency by `table`, but do not.
fn unused_homes(manifests: &[CargoManifest], table: HeavyDependencies<'_>) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for (pattern, homes, _) in table {
        for home in *homes {
            let manifest = manifests.iter().find(|manifest| manifest.package() == Some(*home));
            let dependencies = manifest.map(CargoManifest::dependencies).unwrap_or_default();
            if !dependencies.iter().any(|dependency| fits(pattern, &dependency.name)) {
                findings.push(TidyFinding::new(
                    TABLES,
                    format!("`{home}` does not name `{pattern}`; take it out of the row"),
                ));
            }
        }
    }
    findings
}

/// Whether `name` is `pattern`, or begins with it where it ends in `*`.
fn fits(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: Edges<'_> = &[("icr-fixture", &[]), ("low", &[]), ("top", &["low"])];

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let tree = Tree::of_texts(files);
        let manifests = manifests(&tree).unwrap();
        let heavy: HeavyDependencies<'_> = &[("tree-sitter*", &["low"], "it hides them")];
        let findings = [edges_by(&manifests, TABLE), heavy_by(&manifests, heavy)].concat();
        assert_eq!(findings.iter().map(TidyFinding::to_string).collect::<Vec<_>>(), expected);
    }

    const FIXTURE: (&str, &str) = ("f/Cargo.toml", "[package]\nname = 'icr-fixture'\n");
    const LOW: (&str, &str) =
        ("low/Cargo.toml", "[package]\nname = 'low'\n[dependencies]\ntree-sitter-c.workspace = true\n");
    const TOP: (&str, &str) = ("top/Cargo.toml", "[package]\nname = 'top'\n[dependencies]\nlow.workspace = true\n");

    #[test]
    fn edges_of_the_table_are_allowed() {
        check(&[FIXTURE, LOW, TOP], &[]);
    }

    #[test]
    fn any_other_edge_is_found_in_every_section() {
        for section in ["dependencies", "dev-dependencies", "build-dependencies", "target.'cfg(unix)'.dependencies"] {
            let low = format!("[package]\nname = 'low'\n[{section}]\ntop.workspace = true\n");
            check(
                &[FIXTURE, ("low/Cargo.toml", &low), TOP],
                &["low/Cargo.toml: `low` may depend on no other crate, not on `top`"],
            );
        }
    }

    #[test]
    fn tests_may_depend_on_fixtures_and_nothing_else_may() {
        let low = "[package]\nname = 'low'\n[dev-dependencies]\nicr-fixture.workspace = true\n";
        check(&[FIXTURE, ("low/Cargo.toml", low), TOP], &[]);
        let low = "[package]\nname = 'low'\n[dependencies]\nicr-fixture.workspace = true\n";
        check(
            &[FIXTURE, ("low/Cargo.toml", low), TOP],
            &["low/Cargo.toml: `low` may depend on no other crate, not on `icr-fixture`"],
        );
    }

    #[test]
    fn build_scripts_may_depend_on_recipes_and_nothing_else_may() {
        let table: Edges<'_> = &[("icr-recipe", &[]), ("low", &[])];
        for (section, findings) in [("build-dependencies", 0), ("dependencies", 1), ("dev-dependencies", 1)] {
            let low = format!("[package]\nname = 'low'\n[{section}]\nicr-recipe.workspace = true\n");
            let recipe = ("recipe/Cargo.toml", "[package]\nname = 'icr-recipe'\n");
            let tree = Tree::of_texts(&[recipe, ("low/Cargo.toml", &low)]);
            assert_eq!(edges_by(&manifests(&tree).unwrap(), table).len(), findings, "{section}");
        }
    }

    #[test]
    fn table_and_crates_are_the_same() {
        check(
            &[FIXTURE, LOW, ("new/Cargo.toml", "[package]\nname = 'new'\n")],
            &[
                "xtask/src/tidy/crates.rs: there is no crate `top`; take it out of `EDGES`",
                "new/Cargo.toml: `new` needs a row in `EDGES` of xtask/src/tidy/crates.rs that says which crates it may depend on",
            ],
        );
    }

    #[test]
    fn edges_that_no_manifest_uses_are_found() {
        let unused = |top: &str| {
            let tree = Tree::of_texts(&[FIXTURE, LOW, ("top/Cargo.toml", top)]);
            let findings = unused_by(&manifests(&tree).unwrap(), TABLE);
            findings.iter().map(TidyFinding::to_string).collect::<Vec<_>>()
        };
        let right = "xtask/src/tidy/crates.rs: `top` does not depend on `low`; take it out of the row";
        assert_eq!(unused("[package]\nname = 'top'\n"), [right]);
        assert_eq!(unused("[package]\nname = 'top'\n[dev-dependencies]\nlow.workspace = true\n"), [""; 0]);
        assert_eq!(unused("[package]\nname = 'other'\n"), [""; 0]);
    }

    #[test]
    fn homes_that_do_not_name_their_dependency_are_found() {
        let manifests = manifests(&Tree::of_texts(&[FIXTURE, LOW, TOP])).unwrap();
        let right = |home: &str| {
            format!("xtask/src/tidy/crates.rs: `{home}` does not name `tree-sitter*`; take it out of the row")
        };
        let findings = unused_homes(&manifests, &[("tree-sitter*", &["low", "top", "gone"], "reason")]);
        assert_eq!(findings.iter().map(TidyFinding::to_string).collect::<Vec<_>>(), [right("top"), right("gone")]);
    }

    #[test]
    fn heavy_dependencies_are_found_outside_of_their_home() {
        let top = "[package]\nname = 'top'\n[dev-dependencies]\ntree-sitter = { workspace = true }\n";
        check(
            &[FIXTURE, LOW, ("top/Cargo.toml", top)],
            &["top/Cargo.toml: `tree-sitter` may be named by low only: it hides them"],
        );
    }
}

//! `package.json`: the name of a package, its entry points, and the packages that belong together.

use std::sync::Arc;

use serde_json::Value;

use crate::graph::{Db, PathInput};
use crate::manifests::{ManifestResult, jsonc, text};
use crate::view::GraphView;

/// The content of one `package.json`. Paths are relative to its directory, as written.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct PackageJson {
    /// Name of the package.
    pub(crate) name: Option<String>,
    /// Entry points from separate fields (`main`, `module`, `types`), the most informative first.
    pub(crate) entries: Vec<SubpathTarget>,
    /// What the package exports; `None` when every file may be imported.
    pub(crate) exports: Option<Vec<SubpathEntry>>,
    /// Names that begin with `#` and are valid inside the package only.
    pub(crate) imports: Vec<SubpathEntry>,
    /// Patterns of the directories of workspace member packages.
    pub(crate) workspaces: Vec<String>,
    /// Packages that it depends on in any way, with the requested version; sorted by name.
    pub(crate) dependencies: Vec<(String, String)>,
    /// The configuration that other configurations may extend.
    pub(crate) tsconfig: Option<String>,
}

/// An entry of `exports` or `imports`.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) struct SubpathEntry {
    /// The requested name or pattern: `.`, `./sub`, `./features/*`, `#internal`.
    pub(crate) pattern: String,
    /// Its targets under all conditions, in order; empty when the entry must not be imported.
    pub(crate) targets: Vec<SubpathTarget>,
}

/// A target of an entry.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) struct SubpathTarget {
    /// The purpose of the target.
    pub(crate) purpose: Purpose,
    /// Path relative to the package, or, in `imports`, the name of another package.
    pub(crate) path: String,
}

/// The purpose of a target: who uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) enum Purpose {
    /// Tools that want the original source text.
    Source,
    /// Type checkers.
    Types,
    /// Programs.
    Program,
}

/// Fields that name an entry point, with their purpose; the most informative first. `browser` is last, because it
/// replaces another entry point.
const ENTRY_FIELDS: [(&str, Purpose); 10] = [
    ("source", Purpose::Source),
    ("types", Purpose::Types),
    ("typings", Purpose::Types),
    ("module", Purpose::Program),
    ("main", Purpose::Program),
    ("jsnext:main", Purpose::Program),
    ("browser", Purpose::Program),
    ("svelte", Purpose::Program),
    ("sass", Purpose::Program),
    ("style", Purpose::Program),
];

/// Fields that list packages it depends on.
const DEPENDENCY_FIELDS: [&str; 4] = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/// What is wrong with the `package.json` at `path`, when something is.
pub(crate) fn problem(view: GraphView<'_>, path: &str) -> Option<String> {
    view.package_json(path)?.err()
}

impl GraphView<'_> {
    /// The `package.json` at `path`; `None` when no file is there.
    pub(crate) fn package_json(self, path: &str) -> Option<ManifestResult<PackageJson>> {
        package_json(self.db(), self.input(path))
    }
}

#[salsa::tracked(returns(clone))]
fn package_json(db: &dyn Db, input: PathInput) -> Option<ManifestResult<PackageJson>> {
    let text = text(db, input)?;
    Some(read(&text).map(Arc::new))
}

fn read(text: &[u8]) -> Result<PackageJson, String> {
    let value = jsonc::parse(text)?;
    if !value.is_object() {
        return Err("it is not a JSON object".to_owned());
    }
    let entry = |(field, purpose): &(&str, Purpose)| {
        Some(SubpathTarget { purpose: *purpose, path: value[*field].as_str()?.to_owned() })
    };
    // Yarn once allowed an object around the list.
    let workspaces =
        if value["workspaces"].is_object() { &value["workspaces"]["packages"] } else { &value["workspaces"] };
    let mut dependencies: Vec<(String, String)> = DEPENDENCY_FIELDS
        .iter()
        .filter_map(|field| value[*field].as_object())
        .flatten()
        .map(|(name, version)| (name.clone(), version.as_str().unwrap_or_default().to_owned()))
        .collect();
    dependencies.sort();
    Ok(PackageJson {
        name: value["name"].as_str().filter(|name| !name.is_empty()).map(str::to_owned),
        entries: ENTRY_FIELDS.iter().filter_map(entry).collect(),
        exports: value.get("exports").filter(|exports| !exports.is_null()).map(exports),
        imports: value["imports"].as_object().map(entries).unwrap_or_default(),
        workspaces: workspaces.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
        dependencies,
        tsconfig: value["tsconfig"].as_str().map(str::to_owned),
    })
}

/// Entries of `exports`. The value may also be just the target of the entry `.`.
fn exports(value: &Value) -> Vec<SubpathEntry> {
    match value.as_object() {
        Some(object) if object.keys().any(|key| key.starts_with('.')) => entries(object),
        _ => vec![export(".", value)],
    }
}

fn entries(object: &serde_json::Map<String, Value>) -> Vec<SubpathEntry> {
    object.iter().map(|(pattern, value)| export(pattern, value)).collect()
}

fn export(pattern: &str, value: &Value) -> SubpathEntry {
    let mut targets = Vec::new();
    add_targets(value, Purpose::Program, &mut targets);
    SubpathEntry { pattern: pattern.to_owned(), targets }
}

/// Targets of an entry under all its conditions, in order. The recursion is limited by the depth of the JSON, which
/// the JSON reader bounds.
fn add_targets(value: &Value, purpose: Purpose, targets: &mut Vec<SubpathTarget>) {
    match value {
        Value::String(path) => targets.push(SubpathTarget { purpose, path: path.clone() }),
        Value::Array(several) => several.iter().for_each(|value| add_targets(value, purpose, targets)),
        Value::Object(conditions) => {
            for (condition, value) in conditions {
                add_targets(value, purpose_of(condition).unwrap_or(purpose), targets);
            }
        }
        _ => {}
    }
}

/// The purpose of targets under this condition.
fn purpose_of(condition: &str) -> Option<Purpose> {
    match condition {
        "types" | "typings" => Some(Purpose::Types),
        _ if condition.starts_with("types@") => Some(Purpose::Types),
        // Workspaces define their own conditions for packages to see each other's source: `@acme/source`.
        _ if condition == "src" || condition.ends_with("source") => Some(Purpose::Source),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format_entries(text: &str) -> String {
        let package = read(text.as_bytes()).unwrap();
        let target = |target: &SubpathTarget| format!("{:?} {}", target.purpose, target.path);
        let line = |export: &SubpathEntry| {
            format!("{} -> {}\n", export.pattern, export.targets.iter().map(target).collect::<Vec<_>>().join(", "))
        };
        package.exports.iter().flatten().chain(&package.imports).map(line).collect()
    }

    #[test]
    fn exports_in_every_shape() {
        let text = r##"{
            "exports": {
                ".": {"acme-source": "./src/a.ts", "import": {"types": "./a.d.mts", "default": "./a.mjs"}, "default": ["./a.js"]},
                "./x/*": "./dist/x/*.js",
                "./x/private/*": null
            },
            "imports": {"#dep": {"node": "dep", "default": "./shim.js"}}
        }"##;
        insta::assert_snapshot!(format_entries(text), @r"
        . -> Source ./src/a.ts, Types ./a.d.mts, Program ./a.mjs, Program ./a.js
        ./x/* -> Program ./dist/x/*.js
        ./x/private/* -> 
        #dep -> Program dep, Program ./shim.js
        ");
        assert_eq!(format_entries(r#"{"exports": "./a.js"}"#), ". -> Program ./a.js\n");
        assert_eq!(format_entries(r#"{"exports": {"require": "./a.js"}}"#), ". -> Program ./a.js\n");
        assert_eq!(format_entries(r#"{"exports": null}"#), "");
    }

    #[test]
    fn entries_of_another_shape_say_nothing() {
        let package =
            read(br#"{"name": 1, "main": {}, "workspaces": {"packages": ["a", 2]}, "dependencies": {"b": {}}}"#);
        let expected = PackageJson {
            workspaces: vec!["a".to_owned()],
            dependencies: vec![("b".to_owned(), String::new())],
            ..PackageJson::default()
        };
        assert_eq!(package, Ok(expected));
        assert_eq!(read(b"1"), Err("it is not a JSON object".to_owned()));
    }
}

//! `tsconfig.json` and `jsconfig.json`: the files of a project, and how it maps module names to paths.

use std::sync::Arc;

use serde_json::Value;

use crate::graph::{Db, PathInput};
use crate::manifests::{ManifestResult, jsonc, text};
use crate::view::GraphView;

/// What one configuration itself says, as written. Paths are relative to its directory.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct TsConfig {
    /// Configurations that it extends; later ones win.
    pub(crate) extends: Vec<String>,
    /// Directory in which bare names are looked up.
    pub(crate) base_url: Option<String>,
    /// Patterns of module names, each with paths to try in order. Pattern and paths may each contain one `*`.
    pub(crate) paths: Option<Vec<(String, Vec<String>)>>,
    /// Directories that are treated as one.
    pub(crate) root_dirs: Option<Vec<String>>,
    /// Output directory of compiled files, which are not part of the project.
    pub(crate) out_dir: Option<String>,
    /// Files of the project, by name.
    pub(crate) files: Option<Vec<String>>,
    /// Patterns of files of the project.
    pub(crate) include: Option<Vec<String>>,
    /// Patterns of files that are left out from `include`.
    pub(crate) exclude: Option<Vec<String>>,
    /// Projects that this one consists of or references.
    pub(crate) references: Vec<String>,
}

/// Whether a file of this name is a configuration: `tsconfig.json`, `tsconfig.build.json`, `jsconfig.json`.
pub(crate) fn is_tsconfig(name: &str) -> bool {
    let variant = name.strip_prefix("tsconfig").or_else(|| name.strip_prefix("jsconfig"));
    variant.and_then(|rest| rest.strip_suffix(".json")).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// What is wrong with the configuration at `path`, when something is.
pub(crate) fn problem(view: GraphView<'_>, path: &str) -> Option<String> {
    view.tsconfig(path)?.err()
}

impl GraphView<'_> {
    /// The configuration at `path`; `None` when no file is there.
    pub(crate) fn tsconfig(self, path: &str) -> Option<ManifestResult<TsConfig>> {
        tsconfig(self.db(), self.input(path))
    }
}

#[salsa::tracked(returns(clone))]
fn tsconfig(db: &dyn Db, input: PathInput) -> Option<ManifestResult<TsConfig>> {
    let text = text(db, input)?;
    Some(read(&text).map(Arc::new))
}

fn read(text: &[u8]) -> Result<TsConfig, String> {
    // The compiler treats an empty file as an empty object.
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(TsConfig::default());
    }
    let value = jsonc::parse(text)?;
    if !value.is_object() {
        return Err("it is not a JSON object".to_owned());
    }
    let options = &value["compilerOptions"];
    let extends = match &value["extends"] {
        Value::String(one) => vec![one.clone()],
        several => strings(several).unwrap_or_default(),
    };
    let path_map = |(pattern, targets): (&String, &Value)| Some((pattern.clone(), strings(targets)?));
    let references = value["references"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(TsConfig {
        extends,
        base_url: options["baseUrl"].as_str().map(str::to_owned),
        paths: options["paths"].as_object().map(|paths| paths.iter().filter_map(path_map).collect()),
        root_dirs: strings(&options["rootDirs"]),
        out_dir: options["outDir"].as_str().map(str::to_owned),
        files: strings(&value["files"]),
        include: strings(&value["include"]),
        exclude: strings(&value["exclude"]),
        references: references.iter().filter_map(|entry| entry["path"].as_str().map(str::to_owned)).collect(),
    })
}

/// The strings of an array; `None` for anything else.
fn strings(value: &Value) -> Option<Vec<String>> {
    let entries = value.as_array()?;
    Some(entries.iter().filter_map(|entry| entry.as_str().map(str::to_owned)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_configurations() {
        for (name, expected) in [
            ("tsconfig.json", true),
            ("jsconfig.json", true),
            ("tsconfig.app.json", true),
            ("tsconfigs.json", false),
            ("tsconfig.js", false),
            ("package.json", false),
        ] {
            assert_eq!(is_tsconfig(name), expected, "{name}");
        }
    }

    #[test]
    fn entries_of_another_shape_say_nothing() {
        let config = read(br#"{"extends": 1, "compilerOptions": {"paths": {"a": "b", "c": ["d", 2]}}, "files": {}}"#);
        let expected = TsConfig { paths: Some(vec![("c".to_owned(), vec!["d".to_owned()])]), ..TsConfig::default() };
        assert_eq!(config, Ok(expected));
        assert_eq!(read(b" \n"), Ok(TsConfig::default()));
        assert_eq!(read(b"[]"), Err("it is not a JSON object".to_owned()));
    }
}

//! `pyproject.toml`: the directories in which a Python project keeps its packages.

use std::sync::Arc;

use toml::{Table, Value};

use super::{ManifestResult, text};
use crate::graph::{Db, PathInput};
use crate::view::GraphView;

/// The module directories that a `pyproject.toml` gives.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Pyproject {
    /// Directories that hold top-level packages, as written, relative to the manifest; sorted, each once.
    pub(crate) source_directories: Vec<String>,
}

impl GraphView<'_> {
    /// The `pyproject.toml` at `path`; `None` where no file is.
    pub(crate) fn pyproject(self, path: &str) -> Option<ManifestResult<Pyproject>> {
        pyproject(self.db(), self.input(path))
    }
}

/// What is wrong with the `pyproject.toml` at `path`, when something is.
pub(super) fn problem(view: GraphView<'_>, path: &str) -> Option<String> {
    view.pyproject(path)?.err()
}

#[salsa::tracked(returns(clone))]
fn pyproject(db: &dyn Db, input: PathInput) -> Option<ManifestResult<Pyproject>> {
    Some(parse(&text(db, input)?).map(Arc::new))
}

fn parse(bytes: &[u8]) -> Result<Pyproject, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let manifest: Table = text.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let manifest = Value::Table(manifest);
    let mut directories: Vec<String> = DIRECTORIES.iter().flat_map(|keys| texts(at(&manifest, keys))).collect();
    directories.extend(setuptools(&manifest));
    directories.extend(poetry(&manifest));
    directories.extend(hatch(&manifest));
    directories.sort();
    directories.dedup();
    Ok(Pyproject { source_directories: directories })
}

/// Keys whose value is a directory of modules, or a list of such directories: those of build backends, and those of
/// test runners and type checkers with the same meaning.
static DIRECTORIES: &[&[&str]] = &[
    &["tool", "hatch", "build", "sources"],
    &["tool", "hatch", "build", "targets", "wheel", "sources"],
    &["tool", "maturin", "python-source"],
    &["tool", "mypy", "mypy_path"],
    &["tool", "pdm", "build", "package-dir"],
    &["tool", "pyright", "extraPaths"],
    &["tool", "pytest", "ini_options", "pythonpath"],
    &["tool", "setuptools", "packages", "find", "where"],
    &["tool", "uv", "build-backend", "module-root"],
];

/// `package-dir = {"" = "lib"}`: the directory of packages that have no directory of their own.
fn setuptools(manifest: &Value) -> Vec<String> {
    texts(at(manifest, &["tool", "setuptools", "package-dir", ""]))
}

/// `packages = [{ include = "name", from = "lib" }]`.
fn poetry(manifest: &Value) -> Vec<String> {
    let packages = at(manifest, &["tool", "poetry", "packages"]).and_then(Value::as_array);
    packages.into_iter().flatten().flat_map(|package| texts(package.get("from"))).collect()
}

/// `packages = ["lib/name"]`: packages by path; the last component is the package name.
fn hatch(manifest: &Value) -> Vec<String> {
    let packages = texts(at(manifest, &["tool", "hatch", "build", "targets", "wheel", "packages"]));
    packages.iter().filter_map(|path| Some(path.trim_end_matches('/').rsplit_once('/')?.0.to_owned())).collect()
}

/// The value under nested `keys`.
fn at<'a>(manifest: &'a Value, keys: &[&str]) -> Option<&'a Value> {
    keys.iter().try_fold(manifest, |value, key| value.get(key))
}

/// The strings of the value: the string itself, the strings of a list, or the keys of a table.
fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::Table(table)) => table.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(manifest: &str, directories: &[&str]) {
        assert_eq!(parse(manifest.as_bytes()).unwrap().source_directories, directories, "{manifest}");
    }

    #[test]
    fn every_build_backend_says_it_in_its_own_words() {
        check("[project]\nname = 'x'\n", &[]);
        check("[tool.setuptools.packages.find]\nwhere = ['lib', 'src']\n", &["lib", "src"]);
        check("[tool.setuptools]\npackage-dir = { '' = 'lib' }\n", &["lib"]);
        check("[tool.setuptools]\npackages = ['a', 'b']\n", &[]);
        check("[tool.poetry]\npackages = [{ include = 'a' }, { include = 'b', from = 'lib' }]\n", &["lib"]);
        check("[tool.hatch.build.targets.wheel]\npackages = ['src/a', 'b', 'libs/c/']\n", &["libs", "src"]);
        check("[tool.hatch.build]\nsources = { src = '' }\n", &["src"]);
        check("[tool.maturin]\npython-source = 'python'\n", &["python"]);
        check("[tool.uv.build-backend]\nmodule-root = ''\n", &[""]);
        check("[tool.pytest.ini_options]\npythonpath = '.'\n", &["."]);
    }

    #[test]
    fn values_of_other_types_say_nothing() {
        check("[tool.poetry]\npackages = 3\n[tool.setuptools.packages.find]\nwhere = [1, ['a']]\n", &[]);
        check("tool = 'none'\n", &[]);
    }

    #[test]
    fn what_is_no_toml_is_an_error() {
        assert!(parse(b"[tool\n").is_err());
        assert!(parse(b"\xff\xfe").is_err());
    }
}

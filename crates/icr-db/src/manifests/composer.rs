//! `composer.json`: the directories of the classes of a PHP package, by namespace prefix.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::{ManifestResult, text};
use crate::graph::{Db, PathInput};
use crate::view::{GraphView, normalised, parent};

/// The autoload settings of a `composer.json`, for the package and for its development.
#[derive(Debug, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Composer {
    /// Prefixes of namespaces without a separator at the end and the directory of each, longest prefix first.
    pub(crate) prefixes: Vec<Prefix>,
    /// Whether classes of any name are looked for in listed files or directories, too.
    pub(crate) has_class_map: bool,
}

/// The directory of classes whose names begin with a prefix.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) struct Prefix {
    /// Without a separator at the end; empty for all names.
    pub(crate) namespace: String,
    /// Directory, from the root of the repository.
    pub(crate) directory: String,
    /// Whether the directory replaces the prefix, so that the prefix is no part of the path below it (PSR-4).
    pub(crate) stripped: bool,
}

/// The content of the manifest at `path`; `None` when it does not exist or cannot be read.
pub(crate) fn composer_at(view: GraphView<'_>, path: &str) -> Option<Arc<Composer>> {
    composer(view.db(), view.input(path))?.ok()
}

/// What is wrong with the manifest at `path`.
pub(super) fn problem(view: GraphView<'_>, path: &str) -> Option<String> {
    composer(view.db(), view.input(path))?.err()
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ComposerManifest {
    autoload: Autoload,
    #[serde(rename = "autoload-dev")]
    autoload_dev: Autoload,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Autoload {
    #[serde(rename = "psr-4")]
    psr4: Directories,
    #[serde(rename = "psr-0")]
    psr0: Directories,
    classmap: serde_json::Value,
}

/// Directories by prefix. An empty map is written as an empty list, because PHP does not distinguish the two.
#[derive(Deserialize)]
#[serde(untagged)]
enum Directories {
    ByPrefix(BTreeMap<String, OneOrMore>),
    Nothing([(); 0]),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl Default for Directories {
    fn default() -> Self {
        Self::Nothing([])
    }
}

#[salsa::tracked(returns(clone))]
fn composer(db: &dyn Db, input: PathInput) -> Option<ManifestResult<Composer>> {
    let text = text(db, input)?;
    let here = parent(input.path(db).as_str()?);
    let read = serde_json::from_slice(&text).map(|package| Arc::new(read(&package, here)));
    Some(read.map_err(|error| error.to_string()))
}

fn read(package: &ComposerManifest, here: &str) -> Composer {
    let mut prefixes = Vec::new();
    for autoload in [&package.autoload, &package.autoload_dev] {
        for (directories, stripped) in [(&autoload.psr4, true), (&autoload.psr0, false)] {
            let Directories::ByPrefix(directories) = directories else { continue };
            for (namespace, directories) in directories {
                let directories = match directories {
                    OneOrMore::One(directory) => std::slice::from_ref(directory),
                    OneOrMore::More(directories) => directories,
                };
                // The view has no files outside of the repository.
                prefixes.extend(directories.iter().filter_map(|directory| normalised(here, directory)).map(
                    |directory| Prefix { namespace: namespace.trim_matches('\\').to_owned(), directory, stripped },
                ));
            }
        }
    }
    prefixes.sort_by_key(|prefix| std::cmp::Reverse(prefix.namespace.len()));
    let lists_classes = |autoload: &Autoload| autoload.classmap.as_array().is_some_and(|listed| !listed.is_empty());
    let has_class_map = lists_classes(&package.autoload) || lists_classes(&package.autoload_dev);
    Composer { prefixes, has_class_map }
}

impl Prefix {
    /// The part of the full name `name` after the prefix; `None` when the name does not begin with it.
    pub(crate) fn relative_name<'a>(&self, name: &'a str) -> Option<&'a str> {
        if self.namespace.is_empty() {
            return Some(name);
        }
        name.strip_prefix(&self.namespace)?.strip_prefix('\\')
    }

    /// Path of the file that should define a class called `name`.
    pub(crate) fn path_of(&self, name: &str) -> Option<String> {
        let rest = self.relative_name(name)?;
        let relative = if self.stripped { rest } else { name };
        normalised(&self.directory, &format!("{}.php", relative.replace('\\', "/")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn composer_of(text: &str) -> Composer {
        read(&serde_json::from_str(text).unwrap(), "pkg")
    }

    #[test]
    fn the_longest_prefix_comes_first_and_lists_may_stand_for_maps() {
        let said = composer_of(
            r#"{"autoload": {"psr-4": {"A\\": "src/", "A\\B\\": ["b", "../../c"], "": "any"}, "psr-0": []},
                "autoload-dev": {"psr-0": {"Old": "lib"}}, "name": "x/y"}"#,
        );
        let rows: Vec<_> = said.prefixes.iter().map(|prefix| (&*prefix.namespace, &*prefix.directory)).collect();
        assert_eq!(rows, [("A\\B", "pkg/b"), ("Old", "pkg/lib"), ("A", "pkg/src"), ("", "pkg/any")]);
    }

    #[test]
    fn a_prefix_ends_at_a_separator() {
        let prefix = Prefix { namespace: "A".to_owned(), directory: "src".to_owned(), stripped: true };
        assert_eq!(prefix.path_of("A\\B\\C").as_deref(), Some("src/B/C.php"));
        assert_eq!(prefix.path_of("AB\\C"), None);
        let old = Prefix { stripped: false, ..prefix };
        assert_eq!(old.path_of("A\\C").as_deref(), Some("src/A/C.php"));
    }
}

//! How languages name files: a small closed set of schemes, each shared by the languages that follow it.
//!
//! To add a scheme, add a row to [`SCHEMES`], a file in this directory, and a fixture under `fixtures/imports`.

mod dart;
mod ecmascript;
mod go;
#[cfg(test)]
mod hostile;
mod includes;
mod key;
mod load_path;
mod members;
mod modules;
mod namespaces;
mod ocaml;
mod packages;
mod protobuf;
mod psr4;
mod python;
mod rust;
mod script_paths;
mod swift;
mod terraform;
#[cfg(test)]
mod tests;

pub(crate) use self::key::{Key, KeyScope};
pub(crate) use self::members::{has_extensions, may_use_values_of, unpackaged};
pub(crate) use self::psr4::is_autoloaded;
pub(crate) use self::rust::cargo_packages;
use crate::graph::PathInput;
use crate::resolve::{ImportOutcome, Statement};
use crate::view::GraphView;

/// Finds what the names of a statement are called where they are defined.
pub(crate) type ItemsOfStatement = fn(GraphView<'_>, &Statement<'_>) -> Vec<PassedItem>;

/// An item that a name of a statement leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PassedItem {
    /// Index in [`icr_model::Import::names`] of the name.
    pub(crate) index: u32,
    /// Path of the file that defines the item.
    pub(crate) file: String,
    /// Its name there.
    pub(crate) name: String,
}

/// How the languages of one family name files.
pub(crate) struct Scheme {
    /// Names in the language table.
    pub(crate) languages: &'static [&'static str],
    /// What a statement leads to.
    pub(crate) resolve: fn(GraphView<'_>, &Statement<'_>) -> ImportOutcome,
    /// What the names of a statement are called where they are defined; `None` where [`Scheme::resolve`] does not follow
    /// re-exports, so that a name is always the one that the statement says.
    pub(crate) items: Option<ItemsOfStatement>,
    /// Import keys (see [`icr_model::import_keys`]) of statements that may name the file at this path. Every statement
    /// that [`Scheme::resolve`] leads to the file must have one of these keys and be in its scope. Few and rare keys
    /// make backward look-up cheap.
    pub(crate) keys: fn(GraphView<'_>, &str) -> Vec<Key>,
    /// Files that the file at this path sees without a statement: those of its package or namespace.
    pub(crate) siblings: fn(GraphView<'_>, &str) -> Vec<PathInput>,
    /// Manifests that are read for the file at this path, whether they exist or not.
    pub(crate) manifests: fn(GraphView<'_>, &str) -> Vec<String>,
    /// Who sees definitions outside of all packages and namespaces.
    pub(crate) unpackaged_visibility: UnpackagedVisibility,
}

/// Which files see, without a statement, definitions outside of all packages and namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnpackagedVisibility {
    /// None: the language has no packages, or [`Scheme::siblings`] says all.
    ByNone,
    /// Files that declare no package either.
    ByEachOther,
    /// The same, but functions and constants are seen by all files of the languages.
    FunctionsAndConstantsByAll,
    /// All files of the languages; the facts name such types. Nothing else is outside of all namespaces.
    TypesByAll,
    /// Files of the same module, wherever their directories are.
    ByModule,
}

/// All schemes, in the order of their names.
pub(crate) static SCHEMES: &[Scheme] = &[
    Scheme {
        languages: &["dart"],
        resolve: dart::resolve,
        items: None,
        keys: dart::keys,
        siblings: dart::siblings,
        manifests: dart::manifests,
        unpackaged_visibility: UnpackagedVisibility::ByNone,
    },
    Scheme {
        languages: &["python"],
        resolve: python::resolve,
        items: None,
        keys: python::keys,
        siblings: python::siblings,
        manifests: python::manifests,
        unpackaged_visibility: UnpackagedVisibility::ByNone,
    },
    Scheme {
        languages: &["css", "html", "javascript", "less", "scss", "tsx", "typescript"],
        resolve: ecmascript::resolve,
        items: None,
        keys: ecmascript::keys,
        siblings: ecmascript::siblings,
        manifests: ecmascript::manifests,
        unpackaged_visibility: UnpackagedVisibility::ByNone,
    },
    Scheme {
        languages: &["go"],
        resolve: go::resolve,
        items: None,
        keys: go::keys,
        siblings: go::siblings,
        manifests: go::manifests,
        unpackaged_visibility: UnpackagedVisibility::ByNone,
    },
    Scheme {
        languages: &["c", "cpp"],
        resolve: includes::resolve,
        items: None,
        keys: includes::keys,
        siblings: includes::siblings,
        manifests: includes::manifests,
        unpackaged_visibility: UnpackagedVisibility::ByNone,
    },
    Scheme {
        languages: &["lua", "ruby"],
        resolve: load_path::resolve,
        items: None,
        keys: load_path::keys,
        siblings: load_path::siblings,
        manifests: load_path::manifests,
        unpackaged_visibility: UnpackagedVisibility::ByNone,
    },
    Scheme {
        languages: &["elixir", "haskell"],
        resolve: modules::resolve,
        items: None,
        keys: modules::keys,
        siblings: modules::siblings,
        manifests: modules::manifests,
        unpackaged_visibility: UnpackagedVisibility::ByNone,
    },
    Scheme {
        languages: &["csharp"],
        resolve: namespaces::resolve,
        items: None,
        keys: namespaces::keys,
        siblings: namespaces::siblings,
        manifests: namespaces::manifests,
        unpackaged_visibility: UnpackagedVisibility::TypesByAll,
    },
    Scheme {
        languages: &["ocaml", "ocaml_interface"],
        resolve: ocaml::resolve,
        items: None,
        keys: ocaml::keys,
        siblings: ocaml::siblings,
        manifests: ocaml::manifests,
        unpackaged_visibility: UnpackagedVisibility::ByNone,
    },
    Scheme {
        languages: &["java", "kotlin", "scala"],
        resolve: packages::resolve,
        items: None,
        keys: packages::keys,
        siblings: packages::siblings,
        manifests: packages::manifests,
        unpackaged_visibility: UnpackagedVisibility::ByEachOther,
    },
    Scheme {
        languages: &["protobuf"],
        resolve: protobuf::resolve,
        items: None,
        keys: protobuf::keys,
        siblings: protobuf::siblings,
        manifests: protobuf::manifests,
        unpackaged_visibility: UnpackagedVisibility::ByNone,
    },
    Scheme {
        languages: &["php"],
        resolve: psr4::resolve,
        items: None,
        keys: psr4::keys,
        siblings: psr4::siblings,
        manifests: psr4::manifests,
        unpackaged_visibility: UnpackagedVisibility::FunctionsAndConstantsByAll,
    },
    Scheme {
        languages: &["rust"],
        resolve: rust::resolve,
        items: Some(rust::items),
        keys: rust::keys,
        siblings: rust::siblings,
        manifests: rust::manifests,
        unpackaged_visibility: UnpackagedVisibility::ByNone,
    },
    Scheme {
        languages: &["bash", "make", "r", "zig"],
        resolve: script_paths::resolve,
        items: None,
        keys: script_paths::keys,
        siblings: script_paths::siblings,
        manifests: script_paths::manifests,
        unpackaged_visibility: UnpackagedVisibility::ByNone,
    },
    Scheme {
        languages: &["swift"],
        resolve: swift::resolve,
        items: None,
        keys: swift::keys,
        siblings: swift::siblings,
        manifests: swift::manifests,
        unpackaged_visibility: UnpackagedVisibility::ByModule,
    },
    Scheme {
        languages: &["hcl"],
        resolve: terraform::resolve,
        items: None,
        keys: terraform::keys,
        siblings: terraform::siblings,
        manifests: terraform::manifests,
        unpackaged_visibility: UnpackagedVisibility::ByNone,
    },
];

/// Whether files of the language see definitions outside of all packages and namespaces.
pub(crate) fn sees_unpackaged(language: &str) -> bool {
    scheme_of(language).is_some_and(|scheme| scheme.unpackaged_visibility != UnpackagedVisibility::ByNone)
}

/// The scheme of a language, if it has one.
pub(crate) fn scheme_of(language: &str) -> Option<&'static Scheme> {
    SCHEMES.iter().find(|scheme| scheme.languages.contains(&language))
}

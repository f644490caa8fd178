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
use crate::graph::PathInput;
use crate::resolve::{ImportOutcome, Statement};
use crate::view::GraphView;

/// How the languages of one family name files.
pub(crate) struct Scheme {
    /// Names in the language table.
    pub(crate) languages: &'static [&'static str],
    /// What a statement leads to.
    pub(crate) resolve: fn(GraphView<'_>, &Statement<'_>) -> ImportOutcome,
    /// Import keys (see [`icr_model::import_keys`]) of statements that may name the file at this path. Every statement
    /// that [`Scheme::resolve`] leads to the file must have one of these keys and be in its scope. Few and rare keys
    /// make backward look-up cheap.
    pub(crate) keys: fn(GraphView<'_>, &str) -> Vec<Key>,
    /// Files that the file at this path sees without a statement: those of its package or namespace.
    pub(crate) siblings: fn(GraphView<'_>, &str) -> Vec<PathInput>,
    /// Manifests that are read for the file at this path, whether they exist or not.
    pub(crate) manifests: fn(GraphView<'_>, &str) -> Vec<String>,
}

/// All schemes, in the order of their names.
pub(crate) static SCHEMES: &[Scheme] = &[
    Scheme {
        languages: &["dart"],
        resolve: dart::resolve,
        keys: dart::keys,
        siblings: dart::siblings,
        manifests: dart::manifests,
    },
    Scheme {
        languages: &["python"],
        resolve: python::resolve,
        keys: python::keys,
        siblings: python::siblings,
        manifests: python::manifests,
    },
    Scheme {
        languages: &["css", "html", "javascript", "less", "scss", "tsx", "typescript"],
        resolve: ecmascript::resolve,
        keys: ecmascript::keys,
        siblings: ecmascript::siblings,
        manifests: ecmascript::manifests,
    },
    Scheme {
        languages: &["go"],
        resolve: go::resolve,
        keys: go::keys,
        siblings: go::siblings,
        manifests: go::manifests,
    },
    Scheme {
        languages: &["c", "cpp"],
        resolve: includes::resolve,
        keys: includes::keys,
        siblings: includes::siblings,
        manifests: includes::manifests,
    },
    Scheme {
        languages: &["lua", "ruby"],
        resolve: load_path::resolve,
        keys: load_path::keys,
        siblings: load_path::siblings,
        manifests: load_path::manifests,
    },
    Scheme {
        languages: &["elixir", "haskell"],
        resolve: modules::resolve,
        keys: modules::keys,
        siblings: modules::siblings,
        manifests: modules::manifests,
    },
    Scheme {
        languages: &["csharp"],
        resolve: namespaces::resolve,
        keys: namespaces::keys,
        siblings: namespaces::siblings,
        manifests: namespaces::manifests,
    },
    Scheme {
        languages: &["ocaml", "ocaml_interface"],
        resolve: ocaml::resolve,
        keys: ocaml::keys,
        siblings: ocaml::siblings,
        manifests: ocaml::manifests,
    },
    Scheme {
        languages: &["java", "kotlin", "scala"],
        resolve: packages::resolve,
        keys: packages::keys,
        siblings: packages::siblings,
        manifests: packages::manifests,
    },
    Scheme {
        languages: &["protobuf"],
        resolve: protobuf::resolve,
        keys: protobuf::keys,
        siblings: protobuf::siblings,
        manifests: protobuf::manifests,
    },
    Scheme {
        languages: &["php"],
        resolve: psr4::resolve,
        keys: psr4::keys,
        siblings: psr4::siblings,
        manifests: psr4::manifests,
    },
    Scheme {
        languages: &["rust"],
        resolve: rust::resolve,
        keys: rust::keys,
        siblings: rust::siblings,
        manifests: rust::manifests,
    },
    Scheme {
        languages: &["bash", "make", "r", "zig"],
        resolve: script_paths::resolve,
        keys: script_paths::keys,
        siblings: script_paths::siblings,
        manifests: script_paths::manifests,
    },
    Scheme {
        languages: &["swift"],
        resolve: swift::resolve,
        keys: swift::keys,
        siblings: swift::siblings,
        manifests: swift::manifests,
    },
    Scheme {
        languages: &["hcl"],
        resolve: terraform::resolve,
        keys: terraform::keys,
        siblings: terraform::siblings,
        manifests: terraform::manifests,
    },
];

/// The scheme of a language, if it has one.
pub(crate) fn scheme_of(language: &str) -> Option<&'static Scheme> {
    SCHEMES.iter().find(|scheme| scheme.languages.contains(&language))
}

//! The language table: one row per language, sorted by name. Adding a language is a row, a folder of queries and a
//! fixture.

use icr_model::{RepoPath, Visibility};
use tree_sitter::Language;

/// Name of what has no row: text without a grammar, until a first line that names an interpreter says otherwise.
pub const TEXT: &str = "text";

/// Everything about one language.
#[derive(Debug)]
pub struct LanguageRow {
    /// Name used in answers and filters.
    pub name: &'static str,
    /// What follows the last dot of a file name, in lower case.
    pub extensions: &'static [&'static str],
    /// Whole file names.
    pub file_names: &'static [&'static str],
    /// Programs named by a first line `#!…`, without digits and dots at their end.
    pub interpreters: &'static [&'static str],
    pub(crate) grammar: GrammarCrate,
    /// Texts read by the query engine: definitions and imports.
    pub(crate) queries: &'static [QueryText],
    /// Texts of path patterns: where a definition may be cut, and roles of identifiers.
    pub(crate) path_patterns: &'static [QueryText],
    /// How a comment begins that documents what follows it.
    pub(crate) doc_prefixes: &'static [&'static str],
    /// What joins the parts of an import that is written as a tree, and of a name that stands in another.
    pub(crate) import_separator: &'static str,
    pub(crate) visibility: VisibilityRule,
}

/// Where a grammar comes from.
#[derive(Debug)]
pub(crate) struct GrammarCrate {
    /// Name of the crate, as code says it.
    pub(crate) name: &'static str,
    pub(crate) language: fn() -> Language,
}

/// A file of `queries/`.
#[derive(Debug)]
pub(crate) struct QueryText {
    /// Path in `queries/`.
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
}

/// How a language says who may use a definition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VisibilityRule {
    /// Words of a modifier and what they mean, first match first; a word that ends in `(` or `[` matches as a prefix.
    pub(crate) words: &'static [(&'static str, Visibility)],
    /// What a name alone says.
    pub(crate) names: NameRule,
    /// What holds at file level when neither a modifier nor the name speaks.
    pub(crate) unmarked: Unmarked,
}

/// What a name says of its visibility.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// Nothing.
    Silent,
    /// Public with a capital first, else the package's own.
    Capitalised,
    /// Private with `_` first, except between double underscores; else public.
    Underscore,
    /// Private with `#` first.
    Hash,
}

/// What holds for a definition without any mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unmarked {
    /// Always the same.
    Is(Visibility),
    /// Private in a blob that exports something; a blob without exports is a script, where nothing is said.
    PrivateAmongExports,
}

/// The row of `name`; `None` for [`TEXT`] and unknown names.
pub fn language_row(name: &str) -> Option<&'static LanguageRow> {
    row_index(name).map(|index| &TABLE[index])
}

/// Names of all languages with a grammar, sorted.
pub fn languages() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.name)
}

/// The language that the path alone says: of the row that lists its file name, else its extension in any case; [`TEXT`]
/// when none does, and then [`crate::Extractor::extract`] looks for an interpreter in the first line.
pub fn language_of(path: &RepoPath) -> &'static str {
    let lists = |list: &[&str], word: &[u8]| list.iter().any(|listed| listed.as_bytes().eq_ignore_ascii_case(word));
    let by_name = || TABLE.iter().find(|row| row.file_names.iter().any(|name| name.as_bytes() == path.file_name()));
    let by_extension = || TABLE.iter().find(|row| path.extension().is_some_and(|word| lists(row.extensions, word)));
    by_name().or_else(by_extension).map_or(TEXT, |row| row.name)
}

pub(crate) fn row_index(name: &str) -> Option<usize> {
    TABLE.binary_search_by(|row| row.name.cmp(name)).ok()
}

/// The row whose interpreter the first line of `blob` names: `#!/usr/bin/env -S python3.11 -u` is `python`.
pub(crate) fn row_of_shebang(blob: &[u8]) -> Option<&'static LanguageRow> {
    /// Longest first line believed; Linux reads 256 bytes (`BINPRM_BUF_SIZE`).
    const LONGEST: usize = 256;
    let line = blob.strip_prefix(b"#!")?;
    let line = &line[..line.len().min(LONGEST)];
    let line = std::str::from_utf8(line.split(|byte| *byte == b'\n').next()?).ok()?;
    let mut words = line.split_whitespace().filter(|word| !word.starts_with('-') && !word.contains('='));
    let program = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let mut name = program(words.next()?);
    if name == "env" {
        name = program(words.next()?);
    }
    let name = name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
    TABLE.iter().find(|row| row.interpreters.contains(&name))
}

macro_rules! texts {
    ($($file:literal),*) => {
        &[$(QueryText { path: $file, text: include_str!(concat!("../queries/", $file)) }),*]
    };
}

macro_rules! grammar {
    ($name:ident::$language:ident) => {
        GrammarCrate { name: stringify!($name), language: || $name::$language.into() }
    };
}

const ECMASCRIPT_VISIBILITY: VisibilityRule = VisibilityRule {
    words: &[("private", Visibility::Private), ("protected", Visibility::Restricted), ("public", Visibility::Public)],
    names: NameRule::Hash,
    unmarked: Unmarked::PrivateAmongExports,
};

/// All rows, sorted by name.
pub(crate) static TABLE: &[LanguageRow] = &[
    LanguageRow {
        name: "bash",
        extensions: &["bash", "sh"],
        file_names: &[".bash_aliases", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc", ".profile"],
        interpreters: &["bash", "dash", "sh"],
        grammar: grammar!(tree_sitter_bash::LANGUAGE),
        queries: texts!["bash/tags.scm", "bash/imports.scm"],
        path_patterns: texts!["bash/chunks.scm", "bash/references.scm"],
        doc_prefixes: &["#"],
        import_separator: "",
        visibility: VisibilityRule {
            words: &[],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Unspecified),
        },
    },
    LanguageRow {
        name: "c",
        extensions: &["c", "h"],
        file_names: &[],
        interpreters: &[],
        grammar: grammar!(tree_sitter_c::LANGUAGE),
        queries: texts!["c/tags.scm", "c/imports.scm"],
        path_patterns: texts!["c/chunks.scm", "c/references.scm"],
        doc_prefixes: &["/*", "//"],
        import_separator: "",
        visibility: VisibilityRule {
            words: &[("static", Visibility::Private)],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Public),
        },
    },
    LanguageRow {
        name: "cpp",
        extensions: &["cc", "cpp", "cxx", "hh", "hpp", "hxx", "inl", "ipp"],
        file_names: &[],
        interpreters: &[],
        grammar: grammar!(tree_sitter_cpp::LANGUAGE),
        queries: texts!["cpp/tags.scm", "c/imports.scm", "cpp/imports.scm"],
        path_patterns: texts!["c/chunks.scm", "cpp/chunks.scm", "c/references.scm", "cpp/references.scm"],
        doc_prefixes: &["/*", "//"],
        import_separator: "::",
        visibility: VisibilityRule {
            words: &[
                ("static", Visibility::Private),
                ("private", Visibility::Private),
                ("protected", Visibility::Restricted),
                ("public", Visibility::Public),
            ],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Public),
        },
    },
    LanguageRow {
        name: "csharp",
        extensions: &["cs", "csx"],
        file_names: &[],
        interpreters: &["dotnet-script"],
        grammar: grammar!(tree_sitter_c_sharp::LANGUAGE),
        queries: texts!["csharp/tags.scm", "csharp/imports.scm"],
        path_patterns: texts!["csharp/chunks.scm", "csharp/references.scm"],
        doc_prefixes: &["///", "/**"],
        import_separator: ".",
        visibility: VisibilityRule {
            words: &[
                ("file", Visibility::Private),
                ("internal", Visibility::Restricted),
                ("private", Visibility::Private),
                ("protected", Visibility::Restricted),
                ("public", Visibility::Public),
            ],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Restricted),
        },
    },
    LanguageRow {
        name: "dart",
        extensions: &["dart"],
        file_names: &[],
        interpreters: &["dart"],
        grammar: grammar!(tree_sitter_dart::LANGUAGE),
        queries: texts!["dart/tags.scm", "dart/imports.scm"],
        path_patterns: texts!["dart/chunks.scm", "dart/references.scm"],
        doc_prefixes: &["///", "/**"],
        import_separator: ".",
        visibility: VisibilityRule {
            words: &[],
            names: NameRule::Underscore,
            unmarked: Unmarked::Is(Visibility::Public),
        },
    },
    LanguageRow {
        name: "elixir",
        extensions: &["ex", "exs"],
        file_names: &[],
        interpreters: &["elixir"],
        grammar: grammar!(tree_sitter_elixir::LANGUAGE),
        queries: texts!["elixir/tags.scm", "elixir/imports.scm"],
        path_patterns: texts!["elixir/chunks.scm", "elixir/references.scm"],
        doc_prefixes: &["@doc", "@typedoc"],
        import_separator: ".",
        visibility: VisibilityRule {
            words: &[
                ("def", Visibility::Public),
                ("defp", Visibility::Private),
                ("defn", Visibility::Public),
                ("defnp", Visibility::Private),
                ("defmacro", Visibility::Public),
                ("defmacrop", Visibility::Private),
                ("defguard", Visibility::Public),
                ("defguardp", Visibility::Private),
                ("defdelegate", Visibility::Public),
                ("defmodule", Visibility::Public),
                ("defprotocol", Visibility::Public),
                ("opaque", Visibility::Public),
                ("type", Visibility::Public),
                ("typep", Visibility::Private),
            ],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Unspecified),
        },
    },
    LanguageRow {
        name: "go",
        extensions: &["go"],
        file_names: &[],
        interpreters: &[],
        grammar: grammar!(tree_sitter_go::LANGUAGE),
        queries: texts!["go/tags.scm", "go/imports.scm"],
        path_patterns: texts!["go/chunks.scm", "go/references.scm"],
        doc_prefixes: &["/*", "//"],
        import_separator: "",
        visibility: VisibilityRule {
            words: &[],
            names: NameRule::Capitalised,
            unmarked: Unmarked::Is(Visibility::Unspecified),
        },
    },
    LanguageRow {
        name: "haskell",
        extensions: &["hs", "hs-boot"],
        file_names: &[],
        interpreters: &["runghc", "runhaskell"],
        grammar: grammar!(tree_sitter_haskell::LANGUAGE),
        queries: texts!["haskell/tags.scm", "haskell/imports.scm"],
        path_patterns: texts!["haskell/chunks.scm", "haskell/references.scm"],
        doc_prefixes: &["-- |", "--|", "{-|", "{- |"],
        import_separator: ".",
        visibility: VisibilityRule { words: &[], names: NameRule::Silent, unmarked: Unmarked::PrivateAmongExports },
    },
    LanguageRow {
        name: "java",
        extensions: &["java"],
        file_names: &[],
        interpreters: &[],
        grammar: grammar!(tree_sitter_java::LANGUAGE),
        queries: texts!["java/tags.scm", "java/imports.scm"],
        path_patterns: texts!["java/chunks.scm", "java/references.scm"],
        doc_prefixes: &["/**"],
        import_separator: ".",
        visibility: VisibilityRule {
            words: &[
                ("private", Visibility::Private),
                ("protected", Visibility::Restricted),
                ("public", Visibility::Public),
            ],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Restricted),
        },
    },
    LanguageRow {
        name: "javascript",
        extensions: &["cjs", "js", "jsx", "mjs"],
        file_names: &[],
        interpreters: &["bun", "deno", "node", "nodejs"],
        grammar: grammar!(tree_sitter_javascript::LANGUAGE),
        queries: texts!["javascript/tags.scm", "javascript/class_fields.scm", "javascript/imports.scm"],
        path_patterns: texts![
            "javascript/chunks.scm",
            "javascript/references.scm",
            "javascript/untyped_references.scm",
            "tsx/references.scm"
        ],
        doc_prefixes: &["/**"],
        import_separator: "",
        visibility: ECMASCRIPT_VISIBILITY,
    },
    LanguageRow {
        name: "kotlin",
        extensions: &["kt", "kts"],
        file_names: &[],
        interpreters: &["kotlin"],
        grammar: grammar!(tree_sitter_kotlin_ng::LANGUAGE),
        queries: texts!["kotlin/tags.scm", "kotlin/imports.scm"],
        path_patterns: texts!["kotlin/chunks.scm", "kotlin/references.scm"],
        doc_prefixes: &["/**"],
        import_separator: ".",
        visibility: VisibilityRule {
            words: &[
                ("private", Visibility::Private),
                ("protected", Visibility::Restricted),
                ("internal", Visibility::Restricted),
                ("public", Visibility::Public),
            ],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Public),
        },
    },
    LanguageRow {
        name: "lua",
        extensions: &["lua", "rockspec"],
        file_names: &[".luacheckrc"],
        interpreters: &["lua", "luajit"],
        grammar: grammar!(tree_sitter_lua::LANGUAGE),
        queries: texts!["lua/tags.scm", "lua/imports.scm"],
        path_patterns: texts!["lua/chunks.scm", "lua/references.scm"],
        doc_prefixes: &["--"],
        import_separator: ".",
        visibility: VisibilityRule {
            words: &[("local", Visibility::Private)],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Public),
        },
    },
    LanguageRow {
        name: "ocaml",
        extensions: &["ml"],
        file_names: &[],
        interpreters: &["ocaml"],
        grammar: grammar!(tree_sitter_ocaml::LANGUAGE_OCAML),
        queries: texts!["ocaml/tags.scm", "ocaml/imports.scm"],
        path_patterns: texts!["ocaml/chunks.scm", "ocaml/references.scm"],
        doc_prefixes: &["(**"],
        import_separator: ".",
        visibility: VisibilityRule {
            words: &[("private", Visibility::Private)],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Unspecified),
        },
    },
    LanguageRow {
        name: "ocaml_interface",
        extensions: &["mli"],
        file_names: &[],
        interpreters: &[],
        grammar: grammar!(tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE),
        queries: texts!["ocaml/tags.scm", "ocaml/imports.scm"],
        path_patterns: texts!["ocaml/chunks.scm", "ocaml/references.scm"],
        doc_prefixes: &["(**"],
        import_separator: ".",
        visibility: VisibilityRule {
            words: &[("private", Visibility::Private)],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Public),
        },
    },
    LanguageRow {
        name: "php",
        extensions: &["php", "phtml"],
        file_names: &[],
        interpreters: &["php"],
        grammar: grammar!(tree_sitter_php::LANGUAGE_PHP),
        queries: texts!["php/tags.scm", "php/imports.scm"],
        path_patterns: texts!["php/chunks.scm", "php/references.scm"],
        doc_prefixes: &["/**"],
        import_separator: "\\",
        visibility: VisibilityRule {
            words: &[
                ("private", Visibility::Private),
                ("protected", Visibility::Restricted),
                ("public", Visibility::Public),
            ],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Public),
        },
    },
    LanguageRow {
        name: "python",
        extensions: &["py", "pyi", "pyw"],
        file_names: &["SConscript", "SConstruct", "wscript"],
        interpreters: &["pypy", "python"],
        grammar: grammar!(tree_sitter_python::LANGUAGE),
        queries: texts!["python/tags.scm", "python/imports.scm"],
        path_patterns: texts!["python/chunks.scm", "python/references.scm"],
        doc_prefixes: &[],
        import_separator: "",
        visibility: VisibilityRule {
            words: &[],
            names: NameRule::Underscore,
            unmarked: Unmarked::Is(Visibility::Public),
        },
    },
    LanguageRow {
        name: "r",
        extensions: &["r"],
        file_names: &[".Rprofile"],
        interpreters: &["Rscript"],
        grammar: grammar!(tree_sitter_r::LANGUAGE),
        queries: texts!["r/tags.scm", "r/imports.scm"],
        path_patterns: texts!["r/chunks.scm", "r/references.scm"],
        doc_prefixes: &["#'"],
        import_separator: "/",
        visibility: VisibilityRule {
            words: &[],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Unspecified),
        },
    },
    LanguageRow {
        name: "ruby",
        extensions: &["gemspec", "rake", "rb"],
        file_names: &["Gemfile", "Rakefile"],
        interpreters: &["ruby"],
        grammar: grammar!(tree_sitter_ruby::LANGUAGE),
        queries: texts!["ruby/tags.scm", "ruby/imports.scm"],
        path_patterns: texts!["ruby/chunks.scm", "ruby/references.scm"],
        doc_prefixes: &["#", "=begin"],
        import_separator: "",
        visibility: VisibilityRule {
            words: &[
                ("private", Visibility::Private),
                ("protected", Visibility::Restricted),
                ("public", Visibility::Public),
            ],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Unspecified),
        },
    },
    LanguageRow {
        name: "rust",
        extensions: &["rs"],
        file_names: &[],
        interpreters: &["rust-script"],
        grammar: grammar!(tree_sitter_rust::LANGUAGE),
        queries: texts!["rust/tags.scm", "rust/imports.scm"],
        path_patterns: texts!["rust/chunks.scm", "rust/references.scm"],
        doc_prefixes: &["///", "/**"],
        import_separator: "::",
        visibility: VisibilityRule {
            words: &[("pub", Visibility::Public), ("pub(", Visibility::Restricted), ("crate", Visibility::Restricted)],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Private),
        },
    },
    LanguageRow {
        name: "scala",
        extensions: &["sbt", "sc", "scala"],
        file_names: &[],
        interpreters: &["amm", "scala"],
        grammar: grammar!(tree_sitter_scala::LANGUAGE),
        queries: texts!["scala/tags.scm", "scala/imports.scm"],
        path_patterns: texts!["scala/chunks.scm", "scala/references.scm"],
        doc_prefixes: &["/**"],
        import_separator: ".",
        visibility: VisibilityRule {
            words: &[
                ("private", Visibility::Private),
                ("private[", Visibility::Restricted),
                ("protected", Visibility::Restricted),
                ("protected[", Visibility::Restricted),
            ],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Public),
        },
    },
    LanguageRow {
        name: "swift",
        extensions: &["swift"],
        file_names: &[],
        interpreters: &["swift"],
        grammar: grammar!(tree_sitter_swift::LANGUAGE),
        queries: texts!["swift/tags.scm", "swift/imports.scm"],
        path_patterns: texts!["swift/chunks.scm", "swift/references.scm"],
        doc_prefixes: &["///", "/**"],
        import_separator: ".",
        visibility: VisibilityRule {
            words: &[
                ("private", Visibility::Private),
                ("fileprivate", Visibility::Private),
                ("internal", Visibility::Restricted),
                ("package", Visibility::Restricted),
                ("public", Visibility::Public),
                ("open", Visibility::Public),
            ],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Restricted),
        },
    },
    LanguageRow {
        name: "tsx",
        extensions: &["tsx"],
        file_names: &[],
        interpreters: &[],
        grammar: grammar!(tree_sitter_typescript::LANGUAGE_TSX),
        queries: texts![
            "javascript/tags.scm",
            "javascript/imports.scm",
            "typescript/tags.scm",
            "typescript/imports.scm"
        ],
        path_patterns: texts![
            "javascript/chunks.scm",
            "javascript/references.scm",
            "typescript/chunks.scm",
            "typescript/references.scm",
            "tsx/references.scm"
        ],
        doc_prefixes: &["/**"],
        import_separator: "",
        visibility: ECMASCRIPT_VISIBILITY,
    },
    LanguageRow {
        name: "typescript",
        extensions: &["cts", "mts", "ts"],
        file_names: &[],
        interpreters: &["ts-node", "tsx"],
        grammar: grammar!(tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
        queries: texts![
            "javascript/tags.scm",
            "javascript/imports.scm",
            "typescript/tags.scm",
            "typescript/imports.scm"
        ],
        path_patterns: texts![
            "javascript/chunks.scm",
            "javascript/references.scm",
            "typescript/chunks.scm",
            "typescript/references.scm"
        ],
        doc_prefixes: &["/**"],
        import_separator: "",
        visibility: ECMASCRIPT_VISIBILITY,
    },
    LanguageRow {
        name: "zig",
        extensions: &["zig", "zon"],
        file_names: &[],
        interpreters: &[],
        grammar: grammar!(tree_sitter_zig::LANGUAGE),
        queries: texts!["zig/tags.scm", "zig/imports.scm"],
        path_patterns: texts!["zig/chunks.scm", "zig/references.scm"],
        doc_prefixes: &["///"],
        import_separator: "",
        visibility: VisibilityRule {
            words: &[("pub", Visibility::Public), ("export", Visibility::Public)],
            names: NameRule::Silent,
            unmarked: Unmarked::Is(Visibility::Private),
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_by_name() {
        assert!(TABLE.is_sorted_by(|one, next| one.name < next.name));
    }

    #[test]
    fn an_extension_a_file_name_and_an_interpreter_belong_to_one_row() {
        for list in [
            |row: &LanguageRow| row.extensions,
            |row: &LanguageRow| row.file_names,
            |row: &LanguageRow| row.interpreters,
        ] {
            let mut words: Vec<_> = TABLE.iter().flat_map(list).collect();
            words.sort();
            let total = words.len();
            words.dedup();
            assert_eq!(words.len(), total, "{words:?}");
        }
    }

    #[test]
    fn a_path_names_its_language() {
        for (path, language) in [
            ("src/main.rs", "rust"),
            ("a.tar/B.JAVA", "java"),
            ("SConstruct", "python"),
            ("sconstruct", "text"),
            ("include/x.h", "c"),
            ("include/x.hpp", "cpp"),
            ("a.cs", "csharp"),
            ("analysis.R", "r"),
            ("a.ml", "ocaml"),
            ("a.mli", "ocaml_interface"),
            ("build.sbt", "scala"),
            ("a.test.tsx", "tsx"),
            (".rs", "text"),
            ("README.md", "text"),
            ("", "text"),
        ] {
            assert_eq!(language_of(&RepoPath::from(path)), language, "{path}");
        }
    }

    #[test]
    fn a_first_line_names_its_language() {
        for (line, language) in [
            ("#!/usr/bin/python\n", Some("python")),
            ("#!/usr/bin/env -S python3.11 -u\r\nprint()", Some("python")),
            ("#! /usr/bin/env FOO=1 node\n", Some("javascript")),
            ("#!/bin/sh\n", Some("bash")),
            ("#!/usr/bin/env Rscript --vanilla\n", Some("r")),
            ("#!/usr/bin/lua5.4\n", Some("lua")),
            ("#!/bin/awk -f\n", None),
            ("#!", None),
            ("#!/usr/bin/env", None),
            (" #!/usr/bin/python", None),
        ] {
            assert_eq!(row_of_shebang(line.as_bytes()).map(|row| row.name), language, "{line:?}");
        }
        assert!(row_of_shebang(b"#!\xff\n").is_none());
    }
}

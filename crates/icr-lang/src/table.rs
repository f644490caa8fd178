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
    pub(crate) grammar: fn() -> Language,
    /// Texts read by the query engine: definitions and imports.
    pub(crate) queries: &'static [&'static str],
    /// Texts of path patterns: where a definition may be cut, and roles of identifiers.
    pub(crate) path_patterns: &'static [&'static str],
    /// How a comment begins that documents what follows it.
    pub(crate) doc_prefixes: &'static [&'static str],
    /// What joins the parts of an import that is written as a tree.
    pub(crate) import_separator: &'static str,
    pub(crate) visibility: VisibilityRule,
}

/// How a language says who may use a definition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VisibilityRule {
    /// Words of a modifier and what they mean, first match first; a word that ends in `(` matches as a prefix.
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
    ($($file:literal),*) => { &[$(include_str!(concat!("../queries/", $file))),*] };
}

const ECMASCRIPT_VISIBILITY: VisibilityRule = VisibilityRule {
    words: &[("private", Visibility::Private), ("protected", Visibility::Restricted), ("public", Visibility::Public)],
    names: NameRule::Hash,
    unmarked: Unmarked::PrivateAmongExports,
};

/// Of languages in which nothing is hidden from others.
const NO_VISIBILITY: VisibilityRule =
    VisibilityRule { words: &[], names: NameRule::Silent, unmarked: Unmarked::Is(Visibility::Unspecified) };

/// All rows, sorted by name.
pub(crate) static TABLE: &[LanguageRow] = &[
    LanguageRow {
        name: "bash",
        extensions: &["bash", "sh"],
        file_names: &[".bash_aliases", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc", ".profile"],
        interpreters: &["bash", "dash", "sh"],
        grammar: || tree_sitter_bash::LANGUAGE.into(),
        queries: texts!["bash/tags.scm", "bash/imports.scm"],
        path_patterns: texts!["bash/chunks.scm", "bash/references.scm"],
        doc_prefixes: &["#"],
        import_separator: "",
        visibility: NO_VISIBILITY,
    },
    LanguageRow {
        name: "c",
        extensions: &["c", "h"],
        file_names: &[],
        interpreters: &[],
        grammar: || tree_sitter_c::LANGUAGE.into(),
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
        grammar: || tree_sitter_cpp::LANGUAGE.into(),
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
        grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
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
        name: "css",
        extensions: &["css"],
        file_names: &[],
        interpreters: &[],
        grammar: || tree_sitter_css::LANGUAGE.into(),
        queries: texts!["css/tags.scm", "css/imports.scm"],
        path_patterns: texts!["css/chunks.scm", "css/references.scm"],
        doc_prefixes: &["/*"],
        import_separator: "",
        visibility: NO_VISIBILITY,
    },
    LanguageRow {
        name: "dockerfile",
        extensions: &["containerfile", "dockerfile"],
        file_names: &["Containerfile", "Dockerfile"],
        interpreters: &[],
        grammar: || tree_sitter_containerfile::LANGUAGE.into(),
        queries: texts!["dockerfile/tags.scm"],
        path_patterns: texts!["dockerfile/chunks.scm", "dockerfile/references.scm"],
        doc_prefixes: &["#"],
        import_separator: "",
        visibility: NO_VISIBILITY,
    },
    LanguageRow {
        name: "go",
        extensions: &["go"],
        file_names: &[],
        interpreters: &[],
        grammar: || tree_sitter_go::LANGUAGE.into(),
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
        name: "graphql",
        extensions: &["gql", "graphql", "graphqls"],
        file_names: &[],
        interpreters: &[],
        grammar: || tree_sitter_graphql::LANGUAGE.into(),
        queries: texts!["graphql/tags.scm"],
        path_patterns: texts!["graphql/chunks.scm", "graphql/references.scm"],
        doc_prefixes: &[],
        import_separator: "",
        visibility: NO_VISIBILITY,
    },
    LanguageRow {
        name: "hcl",
        extensions: &["hcl", "nomad", "tf", "tfvars"],
        file_names: &[],
        interpreters: &[],
        grammar: || tree_sitter_hcl::LANGUAGE.into(),
        queries: texts!["hcl/tags.scm", "hcl/imports.scm"],
        path_patterns: texts!["hcl/chunks.scm", "hcl/references.scm"],
        doc_prefixes: &["#", "/*", "//"],
        import_separator: "",
        visibility: NO_VISIBILITY,
    },
    LanguageRow {
        name: "html",
        extensions: &["htm", "html", "xhtml"],
        file_names: &[],
        interpreters: &[],
        grammar: || tree_sitter_html::LANGUAGE.into(),
        queries: texts!["html/tags.scm", "html/imports.scm"],
        path_patterns: texts!["html/chunks.scm"],
        doc_prefixes: &[],
        import_separator: "",
        visibility: NO_VISIBILITY,
    },
    LanguageRow {
        name: "java",
        extensions: &["java"],
        file_names: &[],
        interpreters: &[],
        grammar: || tree_sitter_java::LANGUAGE.into(),
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
        grammar: || tree_sitter_javascript::LANGUAGE.into(),
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
        name: "json",
        extensions: &["geojson", "json", "json5", "jsonc", "webmanifest"],
        file_names: &[".babelrc", ".eslintrc", ".jshintrc", "Pipfile.lock", "composer.lock", "deno.lock", "flake.lock"],
        interpreters: &[],
        grammar: || tree_sitter_json::LANGUAGE.into(),
        queries: texts!["json/tags.scm", "json/imports.scm"],
        path_patterns: texts!["json/chunks.scm"],
        doc_prefixes: &["/*", "//"],
        import_separator: "",
        visibility: NO_VISIBILITY,
    },
    LanguageRow {
        name: "kotlin",
        extensions: &["kt", "kts"],
        file_names: &[],
        interpreters: &["kotlin"],
        grammar: || tree_sitter_kotlin_ng::LANGUAGE.into(),
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
        name: "make",
        extensions: &["mak", "make", "mk"],
        file_names: &["BSDmakefile", "GNUmakefile", "Makefile", "makefile"],
        interpreters: &[],
        grammar: || tree_sitter_make::LANGUAGE.into(),
        queries: texts!["make/tags.scm", "make/imports.scm"],
        path_patterns: texts!["make/chunks.scm", "make/references.scm"],
        doc_prefixes: &["#"],
        import_separator: "",
        visibility: NO_VISIBILITY,
    },
    LanguageRow {
        name: "markdown",
        extensions: &["markdown", "md", "mdown", "mkd", "mkdn"],
        file_names: &[],
        interpreters: &[],
        grammar: || tree_sitter_md::LANGUAGE.into(),
        queries: texts!["markdown/tags.scm"],
        path_patterns: texts!["markdown/chunks.scm"],
        doc_prefixes: &[],
        import_separator: "",
        visibility: NO_VISIBILITY,
    },
    LanguageRow {
        name: "php",
        extensions: &["php", "phtml"],
        file_names: &[],
        interpreters: &["php"],
        grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
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
        name: "protobuf",
        extensions: &["proto"],
        file_names: &[],
        interpreters: &[],
        grammar: || tree_sitter_proto::LANGUAGE.into(),
        queries: texts!["protobuf/tags.scm", "protobuf/imports.scm"],
        path_patterns: texts!["protobuf/chunks.scm", "protobuf/references.scm"],
        doc_prefixes: &["/*", "//"],
        import_separator: "",
        visibility: NO_VISIBILITY,
    },
    LanguageRow {
        name: "python",
        extensions: &["py", "pyi", "pyw"],
        file_names: &["SConscript", "SConstruct", "wscript"],
        interpreters: &["pypy", "python"],
        grammar: || tree_sitter_python::LANGUAGE.into(),
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
        name: "ruby",
        extensions: &["gemspec", "rake", "rb"],
        file_names: &["Gemfile", "Rakefile"],
        interpreters: &["ruby"],
        grammar: || tree_sitter_ruby::LANGUAGE.into(),
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
        grammar: || tree_sitter_rust::LANGUAGE.into(),
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
        name: "sql",
        extensions: &["ddl", "psql", "sql"],
        file_names: &[],
        interpreters: &[],
        grammar: || tree_sitter_sequel::LANGUAGE.into(),
        queries: texts!["sql/tags.scm"],
        path_patterns: texts!["sql/chunks.scm", "sql/references.scm"],
        doc_prefixes: &["--", "/*"],
        import_separator: "",
        visibility: NO_VISIBILITY,
    },
    LanguageRow {
        name: "toml",
        extensions: &["toml"],
        file_names: &["Cargo.lock", "Pipfile", "pdm.lock", "poetry.lock", "uv.lock"],
        interpreters: &[],
        grammar: || tree_sitter_toml_ng::LANGUAGE.into(),
        queries: texts!["toml/tags.scm", "toml/imports.scm"],
        path_patterns: texts!["toml/chunks.scm"],
        doc_prefixes: &["#"],
        import_separator: "",
        visibility: NO_VISIBILITY,
    },
    LanguageRow {
        name: "tsx",
        extensions: &["tsx"],
        file_names: &[],
        interpreters: &[],
        grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
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
        grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
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
        name: "yaml",
        extensions: &["yaml", "yml"],
        file_names: &[".clang-format", ".clang-tidy", ".clangd", "pixi.lock"],
        interpreters: &[],
        grammar: || tree_sitter_yaml::LANGUAGE.into(),
        queries: texts!["yaml/tags.scm"],
        path_patterns: texts!["yaml/chunks.scm"],
        doc_prefixes: &["#"],
        import_separator: "",
        visibility: NO_VISIBILITY,
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
            ("a.test.tsx", "tsx"),
            (".rs", "text"),
            ("README.txt", "text"),
            ("README.md", "markdown"),
            ("docker/Dockerfile", "dockerfile"),
            ("Cargo.lock", "toml"),
            ("GNUmakefile", "make"),
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

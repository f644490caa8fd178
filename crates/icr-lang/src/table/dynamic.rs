//! Languages that a program runs from their source.

use icr_model::Visibility;

use super::{
    DefaultVisibility, DefiningWords, DirectiveComments, LanguageRow, NO_DEFINING_WORDS, NO_DIRECTIVES, NO_VISIBILITY,
    NameRule, Preprocessor, VisibilityRule,
};

const ECMASCRIPT_VISIBILITY: VisibilityRule = VisibilityRule {
    words: &[("private", Visibility::Private), ("protected", Visibility::Restricted), ("public", Visibility::Public)],
    names: NameRule::Hash,
    unmarked: DefaultVisibility::PrivateAmongExports,
};

/// What TypeScript's compiler and Flow read: which files are checked, what they refer to, and what JSX means.
const ECMASCRIPT_DIRECTIVES: DirectiveComments = DirectiveComments {
    anywhere: Some(concat!(
        r"(?s)\A(?:///\s*<(?:amd-|reference\b)",
        r"|/[/*]+\s*@(?:ts-(?:check|expect-error|ignore|nocheck)|flow|noflow)\b",
        r"|/\*.*?@jsx)",
    )),
    ..NO_DIRECTIVES
};

/// Their rows, sorted by name.
pub(super) const ROWS: &[LanguageRow] = &[
    LanguageRow {
        name: "bash",
        extensions: &["bash", "sh"],
        file_names: &[".bash_aliases", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc", ".profile"],
        interpreters: &["bash", "dash", "sh"],
        reserved_words: &[],
        defining_words: NO_DEFINING_WORDS,
        // The scanner of version 0.25.1 calls `isdigit` with the character after the brace and the dots of `{1..2}`.
        // The GNU C library looks the character up in a table that ends with U+00FF.
        grammar: grammar!(
            tree_sitter_bash::LANGUAGE,
            must_not_see: Some(r"(?-u)\{[0-9]*(?:\.\.[0-9]*)?([\xc4-\xff][\x80-\xbf]*)")
        ),
        queries: texts!["bash/tags.scm", "bash/imports.scm"],
        path_patterns: texts!["bash/chunks.scm", "bash/references.scm"],
        shapes: texts!["bash/shapes.scm"],
        doc_prefixes: &["#"],
        directives: NO_DIRECTIVES,
        import_separator: "",
        preprocessor: Preprocessor::Absent,
        respelling: None,
        visibility: NO_VISIBILITY,
    },
    LanguageRow {
        name: "elixir",
        extensions: &["ex", "exs"],
        file_names: &[],
        interpreters: &["elixir"],
        reserved_words: &[],
        defining_words: DefiningWords::without_body(&[
            "def",
            "defguard",
            "defmacro",
            "defmacrop",
            "defmodule",
            "defp",
            "defprotocol",
        ]),
        grammar: grammar!(tree_sitter_elixir::LANGUAGE),
        queries: texts!["elixir/tags.scm", "elixir/imports.scm"],
        path_patterns: texts!["elixir/chunks.scm", "elixir/references.scm"],
        shapes: texts!["elixir/shapes.scm"],
        doc_prefixes: &["@doc", "@typedoc"],
        directives: NO_DIRECTIVES,
        import_separator: ".",
        preprocessor: Preprocessor::Absent,
        respelling: None,
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
            unmarked: DefaultVisibility::Is(Visibility::Unspecified),
        },
    },
    LanguageRow {
        name: "javascript",
        extensions: &["cjs", "js", "jsx", "mjs"],
        file_names: &[],
        interpreters: &["bun", "deno", "node", "nodejs"],
        reserved_words: &[],
        defining_words: DefiningWords::without_body(&["class", "function"]),
        grammar: grammar!(tree_sitter_javascript::LANGUAGE),
        queries: texts!["javascript/tags.scm", "javascript/class_fields.scm", "javascript/imports.scm"],
        path_patterns: texts![
            "javascript/chunks.scm",
            "javascript/references.scm",
            "javascript/untyped_references.scm",
            "tsx/references.scm"
        ],
        shapes: texts!["javascript/shapes.scm"],
        doc_prefixes: &["/**"],
        directives: ECMASCRIPT_DIRECTIVES,
        import_separator: "",
        preprocessor: Preprocessor::Absent,
        respelling: None,
        visibility: ECMASCRIPT_VISIBILITY,
    },
    LanguageRow {
        name: "lua",
        extensions: &["lua", "rockspec"],
        file_names: &[".luacheckrc"],
        interpreters: &["lua", "luajit"],
        reserved_words: &[],
        defining_words: DefiningWords::without_body(&["function"]),
        grammar: grammar!(tree_sitter_lua::LANGUAGE),
        queries: texts!["lua/tags.scm", "lua/imports.scm"],
        path_patterns: texts!["lua/chunks.scm", "lua/references.scm"],
        shapes: texts!["lua/shapes.scm"],
        doc_prefixes: &["--"],
        directives: NO_DIRECTIVES,
        import_separator: ".",
        preprocessor: Preprocessor::Absent,
        respelling: None,
        visibility: VisibilityRule {
            words: &[("local", Visibility::Private)],
            names: NameRule::Silent,
            unmarked: DefaultVisibility::Is(Visibility::Public),
        },
    },
    LanguageRow {
        name: "php",
        extensions: &["php", "phtml"],
        file_names: &[],
        interpreters: &["php"],
        reserved_words: &[],
        defining_words: DefiningWords::without_body(&["class", "enum", "function", "interface", "namespace", "trait"]),
        grammar: grammar!(tree_sitter_php::LANGUAGE_PHP),
        queries: texts!["php/tags.scm", "php/imports.scm"],
        path_patterns: texts!["php/chunks.scm", "php/references.scm"],
        shapes: texts!["php/shapes.scm"],
        doc_prefixes: &["/**"],
        directives: NO_DIRECTIVES,
        import_separator: "\\",
        preprocessor: Preprocessor::Absent,
        respelling: None,
        visibility: VisibilityRule {
            words: &[
                ("private", Visibility::Private),
                ("protected", Visibility::Restricted),
                ("public", Visibility::Public),
            ],
            names: NameRule::Silent,
            unmarked: DefaultVisibility::Is(Visibility::Public),
        },
    },
    LanguageRow {
        name: "python",
        extensions: &["py", "pyi", "pyw"],
        file_names: &["SConscript", "SConstruct", "wscript"],
        interpreters: &["pypy", "python"],
        reserved_words: &[],
        defining_words: DefiningWords::without_body(&["class", "def"]),
        grammar: grammar!(tree_sitter_python::LANGUAGE),
        queries: texts!["python/tags.scm", "python/imports.scm"],
        path_patterns: texts!["python/chunks.scm", "python/references.scm"],
        shapes: texts!["python/shapes.scm"],
        doc_prefixes: &[],
        directives: DirectiveComments { leading: Some(r"\A#.*?coding[:=]"), ..NO_DIRECTIVES },
        import_separator: "",
        preprocessor: Preprocessor::Absent,
        respelling: None,
        visibility: VisibilityRule {
            words: &[],
            names: NameRule::Underscore,
            unmarked: DefaultVisibility::Is(Visibility::Public),
        },
    },
    LanguageRow {
        name: "r",
        extensions: &["r"],
        file_names: &[".Rprofile"],
        interpreters: &["Rscript"],
        reserved_words: &[],
        defining_words: NO_DEFINING_WORDS,
        grammar: grammar!(tree_sitter_r::LANGUAGE),
        queries: texts!["r/tags.scm", "r/imports.scm"],
        path_patterns: texts!["r/chunks.scm", "r/references.scm"],
        shapes: texts!["r/shapes.scm"],
        doc_prefixes: &["#'"],
        directives: NO_DIRECTIVES,
        import_separator: "/",
        preprocessor: Preprocessor::Absent,
        respelling: None,
        visibility: NO_VISIBILITY,
    },
    LanguageRow {
        name: "ruby",
        extensions: &["gemspec", "rake", "rb"],
        file_names: &["Gemfile", "Rakefile"],
        interpreters: &["ruby"],
        reserved_words: &[],
        // The scanner of version 0.23.1 stores the length of a here-document's end word in one byte, and fails an
        // assertion for a longer word. Text directly after `<<` is such a word.
        defining_words: DefiningWords::without_body(&["class", "def", "module"]),
        grammar: grammar!(
            tree_sitter_ruby::LANGUAGE,
            must_not_see: Some(
                r#"(?-u)(<<)[-~]?(?:"[^"]{255}|'[^']{255}|`[^`]{255}|[0-9A-Z_a-z\x80-\xff]{255})"#
            )
        ),
        queries: texts!["ruby/tags.scm", "ruby/imports.scm"],
        path_patterns: texts!["ruby/chunks.scm", "ruby/references.scm"],
        shapes: texts!["ruby/shapes.scm"],
        doc_prefixes: &["#", "=begin"],
        directives: DirectiveComments {
            leading: Some(
                r"(?i)\A#(?:.*?coding[:=]|.*?(?:frozen[_-]string[_-]literal|warn[_-]indent|shareable[_-]constant[_-]value):)",
            ),
            ..NO_DIRECTIVES
        },
        import_separator: "",
        preprocessor: Preprocessor::Absent,
        respelling: None,
        visibility: VisibilityRule {
            words: &[
                ("private", Visibility::Private),
                ("protected", Visibility::Restricted),
                ("public", Visibility::Public),
            ],
            names: NameRule::Silent,
            unmarked: DefaultVisibility::Is(Visibility::Unspecified),
        },
    },
    LanguageRow {
        name: "tsx",
        extensions: &["tsx"],
        file_names: &[],
        interpreters: &[],
        reserved_words: &[],
        defining_words: DefiningWords::without_body(&["class", "enum", "function", "interface", "namespace", "type"]),
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
        shapes: texts!["typescript/shapes.scm"],
        doc_prefixes: &["/**"],
        directives: ECMASCRIPT_DIRECTIVES,
        import_separator: "",
        preprocessor: Preprocessor::Absent,
        respelling: None,
        visibility: ECMASCRIPT_VISIBILITY,
    },
    LanguageRow {
        name: "typescript",
        extensions: &["cts", "mts", "ts"],
        file_names: &[],
        interpreters: &["ts-node", "tsx"],
        reserved_words: &[],
        defining_words: DefiningWords::without_body(&["class", "enum", "function", "interface", "namespace", "type"]),
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
        shapes: texts!["typescript/shapes.scm"],
        doc_prefixes: &["/**"],
        directives: ECMASCRIPT_DIRECTIVES,
        import_separator: "",
        preprocessor: Preprocessor::Absent,
        respelling: None,
        visibility: ECMASCRIPT_VISIBILITY,
    },
];

//! What the comparison of definitions knows of each language: one row per language, sorted by name.

use icr_model::SymbolKind::{self, Interface, Struct, Type, Variant};

use super::tokens::{
    BRACES, C_SIGNS, DART_SIGNS, DASHES, ECMASCRIPT_SIGNS, ELIXIR_SIGNS, GO_SIGNS, GRAPHQL_SIGNS, HASH, HASKELL_SIGNS,
    HCL_SIGNS, KOTLIN_SIGNS, LUA_SIGNS, MARKUP, NO_SIGNS, OCAML_SIGNS, PHP_SIGNS, PYTHON_SIGNS, RUBY_SIGNS, RUST_SIGNS,
    SCALA_SIGNS, SHELL_SIGNS, STYLE_SIGNS, SWIFT_SIGNS, Signs, TOML_SIGNS, YAML_SIGNS, ZIG_SIGNS,
};

/// Everything about one language.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LanguageRow {
    /// Name, as in the table of languages.
    pub(crate) name: &'static str,
    /// How its text falls into tokens.
    pub(crate) signs: &'static Signs,
    /// What a restricted definition is to others.
    pub(crate) restricted: RestrictedVisibility,
    /// What others name besides the qualified name.
    pub(crate) address: Address,
    /// Which arguments callers may name.
    pub(crate) naming: Naming,
    /// The meaning of a written type.
    pub(crate) types: Types,
    /// What becomes of code that lists all variants when one more is there.
    pub(crate) matching: Matching,
    /// Kinds whose every field has to be given to build one, or written to implement one.
    pub(crate) whole: &'static [SymbolKind],
}

/// What a restricted definition is to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RestrictedVisibility {
    /// Part of the program only.
    Hidden,
    /// There for heirs: all that the language restricts is protected.
    Protected,
    /// There for heirs when the definition says `protected`.
    WhenProtected,
}

/// What others name besides the qualified name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Address {
    /// The file.
    File,
    /// The file when it is a header; what is defined elsewhere is found by its name.
    Header,
    /// The directory.
    Directory,
    /// The package that the file declares itself to be, or nothing.
    Package,
}

/// Which arguments callers may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// None.
    Never,
    /// Keyword-only arguments.
    Labelled,
    /// All except positional-only arguments.
    Every,
}

/// The meaning of a written type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Types {
    /// The compiler rejects code that does not fit; without a written type there is none.
    Checked,
    /// The same; but where none is written, the compiler finds one, or takes any.
    Inferred,
    /// Nothing while the program runs.
    Unchecked,
}

/// What becomes of code that lists all variants when one more is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matching {
    /// It is refused.
    Refused,
    /// The compiler warns, or what reads the values may not expect more.
    Warned,
    /// Nothing.
    Free,
}

/// The row of `language`; of an unknown one that of text, in which every byte counts that is no white space.
pub(crate) fn language_row(language: &str) -> &'static LanguageRow {
    TABLE.binary_search_by(|row| row.name.cmp(language)).map_or(&TEXT, |index| &TABLE[index])
}

/// What is no language of the table. Nothing is restricted, nothing is called.
const TEXT: LanguageRow = LanguageRow {
    name: "text",
    signs: &NO_SIGNS,
    restricted: RestrictedVisibility::Hidden,
    address: Address::File,
    naming: Naming::Never,
    types: Types::Unchecked,
    matching: Matching::Free,
    whole: &[],
};

/// Languages whose compilers check types and whose functions are called by place.
const CHECKED: LanguageRow = LanguageRow { types: Types::Checked, ..TEXT };

/// The same with types that need not be written.
const INFERRED: LanguageRow = LanguageRow { types: Types::Inferred, ..TEXT };

/// JavaScript with types.
const TYPESCRIPT: LanguageRow = LanguageRow {
    signs: &ECMASCRIPT_SIGNS,
    restricted: RestrictedVisibility::Protected,
    matching: Matching::Warned,
    whole: &[Interface, Type],
    ..INFERRED
};

#[rustfmt::skip]
const TABLE: &[LanguageRow] = &[
    // tidy: sorted
    LanguageRow { name: "bash", signs: &SHELL_SIGNS, ..TEXT },
    LanguageRow { name: "c", signs: &C_SIGNS, address: Address::Header, ..CHECKED },
    LanguageRow { name: "cpp", signs: &C_SIGNS, restricted: RestrictedVisibility::Protected, address: Address::Header, ..CHECKED },
    LanguageRow { name: "csharp", signs: &BRACES, restricted: RestrictedVisibility::WhenProtected, address: Address::Package, naming: Naming::Every, ..CHECKED },
    LanguageRow { name: "css", signs: &STYLE_SIGNS, ..TEXT },
    LanguageRow { name: "dart", signs: &DART_SIGNS, naming: Naming::Labelled, matching: Matching::Refused, ..INFERRED },
    LanguageRow { name: "dockerfile", signs: &HASH, ..TEXT },
    LanguageRow { name: "elixir", signs: &ELIXIR_SIGNS, address: Address::Package, ..TEXT },
    LanguageRow { name: "go", signs: &GO_SIGNS, address: Address::Directory, ..CHECKED },
    LanguageRow { name: "graphql", signs: &GRAPHQL_SIGNS, address: Address::Package, naming: Naming::Every, matching: Matching::Warned, ..CHECKED },
    LanguageRow { name: "haskell", signs: &HASKELL_SIGNS, matching: Matching::Warned, whole: &[Struct, Type, Variant], ..INFERRED },
    LanguageRow { name: "hcl", signs: &HCL_SIGNS, address: Address::Directory, ..TEXT },
    LanguageRow { name: "html", signs: &MARKUP, ..TEXT },
    LanguageRow { name: "java", signs: &BRACES, restricted: RestrictedVisibility::WhenProtected, address: Address::Package, matching: Matching::Refused, ..CHECKED },
    LanguageRow { name: "javascript", signs: &ECMASCRIPT_SIGNS, restricted: RestrictedVisibility::Protected, ..TEXT },
    LanguageRow { name: "json", ..TEXT },
    LanguageRow { name: "kotlin", signs: &KOTLIN_SIGNS, restricted: RestrictedVisibility::WhenProtected, address: Address::Package, naming: Naming::Every, matching: Matching::Refused, ..INFERRED },
    LanguageRow { name: "lua", signs: &LUA_SIGNS, ..TEXT },
    LanguageRow { name: "make", signs: &HASH, ..TEXT },
    LanguageRow { name: "markdown", ..TEXT },
    LanguageRow { name: "ocaml", signs: &OCAML_SIGNS, naming: Naming::Labelled, matching: Matching::Warned, whole: &[Struct, Type], ..INFERRED },
    LanguageRow { name: "ocaml_interface", signs: &OCAML_SIGNS, naming: Naming::Labelled, matching: Matching::Warned, whole: &[Struct, Type], ..INFERRED },
    LanguageRow { name: "php", signs: &PHP_SIGNS, restricted: RestrictedVisibility::Protected, address: Address::Package, naming: Naming::Every, ..INFERRED },
    LanguageRow { name: "protobuf", signs: &C_SIGNS, address: Address::Package, ..CHECKED },
    LanguageRow { name: "python", signs: &PYTHON_SIGNS, naming: Naming::Every, ..TEXT },
    LanguageRow { name: "r", signs: &HASH, address: Address::Package, naming: Naming::Every, ..TEXT },
    LanguageRow { name: "ruby", signs: &RUBY_SIGNS, restricted: RestrictedVisibility::Protected, address: Address::Package, naming: Naming::Labelled, ..TEXT },
    LanguageRow { name: "rust", signs: &RUST_SIGNS, matching: Matching::Refused, whole: &[Struct, Variant], ..CHECKED },
    LanguageRow { name: "scala", signs: &SCALA_SIGNS, restricted: RestrictedVisibility::WhenProtected, address: Address::Package, naming: Naming::Every, matching: Matching::Warned, ..INFERRED },
    LanguageRow { name: "sql", signs: &DASHES, address: Address::Package, naming: Naming::Every, ..CHECKED },
    LanguageRow { name: "swift", signs: &SWIFT_SIGNS, address: Address::Package, naming: Naming::Every, matching: Matching::Refused, ..CHECKED },
    LanguageRow { name: "toml", signs: &TOML_SIGNS, ..TEXT },
    LanguageRow { name: "tsx", ..TYPESCRIPT },
    LanguageRow { name: "typescript", ..TYPESCRIPT },
    LanguageRow { name: "yaml", signs: &YAML_SIGNS, ..TEXT },
    LanguageRow { name: "zig", signs: &ZIG_SIGNS, matching: Matching::Refused, whole: &[Struct], ..CHECKED },
    // tidy: end
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_named_once() {
        assert!(TABLE.is_sorted_by(|one, next| one.name < next.name));
    }

    #[test]
    fn an_unknown_language_is_text() {
        assert_eq!(language_row("cobol").name, "text");
        assert_eq!(language_row("zig").name, "zig");
    }
}

//! Rules of each language by which the contracts of two sides are compared: one row per language, sorted by name.

use icr_model::SymbolKind::{self, Interface, Struct, Type, Variant};

use super::tokens::{
    BRACES, C_SIGNS, DART_SIGNS, DASHES, ECMASCRIPT_SIGNS, ELIXIR_SIGNS, GO_SIGNS, GRAPHQL_SIGNS, HASH, HASKELL_SIGNS,
    HCL_SIGNS, KOTLIN_SIGNS, LUA_SIGNS, MARKUP, NO_SIGNS, OCAML_SIGNS, PHP_SIGNS, PYTHON_SIGNS, RUBY_SIGNS, RUST_SIGNS,
    SCALA_SIGNS, SHELL_SIGNS, STYLE_SIGNS, SWIFT_SIGNS, Signs, TOML_SIGNS, YAML_SIGNS, ZIG_SIGNS,
};

/// Rules of one language: who can see a definition, what users of it depend on, and how its text becomes tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContractRules {
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
    /// What joins the segments of a qualified name. Empty where a name alone is never the end of one, as in Go, where it
    /// is of the same package.
    pub(crate) path_separators: &'static [&'static str],
    /// First segments of the names of libraries whose types everybody knows by their last segments: a name that begins with
    /// one of them is the same type without its first segments. Of other names an import decides which type is meant.
    pub(crate) library_roots: &'static [&'static str],
    /// How the parameters of function types may have names.
    pub(crate) function_type_names: FunctionTypeNames,
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

/// How the parameters of function types may have names, which mean nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FunctionTypeNames {
    /// They have none, or names are not told apart from types.
    None,
    /// `name: type`
    BeforeColon,
    /// As in Go: `name type`, where one type may stand for several names.
    BeforeType,
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
pub(crate) fn contract_rules(language: &str) -> &'static ContractRules {
    TABLE.binary_search_by(|row| row.name.cmp(language)).map_or(&TEXT, |index| &TABLE[index])
}

/// What is no language of the table. Nothing is restricted, nothing is called.
const TEXT: ContractRules = ContractRules {
    name: "text",
    signs: &NO_SIGNS,
    restricted: RestrictedVisibility::Hidden,
    address: Address::File,
    naming: Naming::Never,
    types: Types::Unchecked,
    path_separators: &[],
    library_roots: &[],
    function_type_names: FunctionTypeNames::None,
    matching: Matching::Free,
    whole: &[],
};

/// Languages whose compilers check types and whose functions are called by place.
const CHECKED: ContractRules = ContractRules { types: Types::Checked, ..TEXT };

/// The same with types that need not be written.
const INFERRED: ContractRules = ContractRules { types: Types::Inferred, ..TEXT };

/// JavaScript with types.
const TYPESCRIPT: ContractRules = ContractRules {
    signs: &ECMASCRIPT_SIGNS,
    restricted: RestrictedVisibility::Protected,
    path_separators: DOTS,
    function_type_names: FunctionTypeNames::BeforeColon,
    matching: Matching::Warned,
    whole: &[Interface, Type],
    ..INFERRED
};

/// The separator of most languages.
const DOTS: &[&str] = &["."];

#[rustfmt::skip]
const TABLE: &[ContractRules] = &[
    // tidy: sorted
    ContractRules { name: "bash", signs: &SHELL_SIGNS, ..TEXT },
    ContractRules { name: "c", signs: &C_SIGNS, address: Address::Header, ..CHECKED },
    ContractRules { name: "cpp", signs: &C_SIGNS, restricted: RestrictedVisibility::Protected, address: Address::Header, path_separators: &["::"], library_roots: &["std"], ..CHECKED },
    ContractRules { name: "csharp", signs: &BRACES, restricted: RestrictedVisibility::WhenProtected, address: Address::Package, naming: Naming::Every, path_separators: &["::", "."], library_roots: &["System"], ..CHECKED },
    ContractRules { name: "css", signs: &STYLE_SIGNS, ..TEXT },
    ContractRules { name: "dart", signs: &DART_SIGNS, naming: Naming::Labelled, matching: Matching::Refused, path_separators: DOTS, ..INFERRED },
    ContractRules { name: "dockerfile", signs: &HASH, ..TEXT },
    ContractRules { name: "elixir", signs: &ELIXIR_SIGNS, address: Address::Package, ..TEXT },
    ContractRules { name: "go", signs: &GO_SIGNS, address: Address::Directory, function_type_names: FunctionTypeNames::BeforeType, ..CHECKED },
    ContractRules { name: "graphql", signs: &GRAPHQL_SIGNS, address: Address::Package, naming: Naming::Every, matching: Matching::Warned, ..CHECKED },
    ContractRules { name: "haskell", signs: &HASKELL_SIGNS, matching: Matching::Warned, whole: &[Struct, Type, Variant], path_separators: DOTS, ..INFERRED },
    ContractRules { name: "hcl", signs: &HCL_SIGNS, address: Address::Directory, ..TEXT },
    ContractRules { name: "html", signs: &MARKUP, ..TEXT },
    ContractRules { name: "java", signs: &BRACES, restricted: RestrictedVisibility::WhenProtected, address: Address::Package, matching: Matching::Refused, path_separators: DOTS, library_roots: &["java", "javax"], ..CHECKED },
    ContractRules { name: "javascript", signs: &ECMASCRIPT_SIGNS, restricted: RestrictedVisibility::Protected, ..TEXT },
    ContractRules { name: "json", ..TEXT },
    ContractRules { name: "kotlin", signs: &KOTLIN_SIGNS, restricted: RestrictedVisibility::WhenProtected, address: Address::Package, naming: Naming::Every, matching: Matching::Refused, path_separators: DOTS, library_roots: &["java", "javax", "kotlin", "kotlinx"], function_type_names: FunctionTypeNames::BeforeColon, ..INFERRED },
    ContractRules { name: "lua", signs: &LUA_SIGNS, ..TEXT },
    ContractRules { name: "make", signs: &HASH, ..TEXT },
    ContractRules { name: "markdown", ..TEXT },
    ContractRules { name: "ocaml", signs: &OCAML_SIGNS, naming: Naming::Labelled, matching: Matching::Warned, whole: &[Struct, Type], ..INFERRED },
    ContractRules { name: "ocaml_interface", signs: &OCAML_SIGNS, naming: Naming::Labelled, matching: Matching::Warned, whole: &[Struct, Type], ..INFERRED },
    ContractRules { name: "php", signs: &PHP_SIGNS, restricted: RestrictedVisibility::Protected, address: Address::Package, naming: Naming::Every, path_separators: &["\\"], ..INFERRED },
    ContractRules { name: "protobuf", signs: &C_SIGNS, address: Address::Package, path_separators: DOTS, ..CHECKED },
    ContractRules { name: "python", signs: &PYTHON_SIGNS, naming: Naming::Every, path_separators: DOTS, library_roots: &["builtins", "collections", "typing", "typing_extensions"], ..TEXT },
    ContractRules { name: "r", signs: &HASH, address: Address::Package, naming: Naming::Every, ..TEXT },
    ContractRules { name: "ruby", signs: &RUBY_SIGNS, restricted: RestrictedVisibility::Protected, address: Address::Package, naming: Naming::Labelled, ..TEXT },
    ContractRules { name: "rust", signs: &RUST_SIGNS, matching: Matching::Refused, whole: &[Struct, Variant], path_separators: &["::"], library_roots: &["alloc", "core", "std"], function_type_names: FunctionTypeNames::BeforeColon, ..CHECKED },
    ContractRules { name: "scala", signs: &SCALA_SIGNS, restricted: RestrictedVisibility::WhenProtected, address: Address::Package, naming: Naming::Every, matching: Matching::Warned, path_separators: DOTS, library_roots: &["java", "javax", "scala"], ..INFERRED },
    ContractRules { name: "sql", signs: &DASHES, address: Address::Package, naming: Naming::Every, ..CHECKED },
    ContractRules { name: "swift", signs: &SWIFT_SIGNS, address: Address::Package, naming: Naming::Every, matching: Matching::Refused, path_separators: DOTS, library_roots: &["Foundation", "Swift"], function_type_names: FunctionTypeNames::BeforeColon, ..CHECKED },
    ContractRules { name: "toml", signs: &TOML_SIGNS, ..TEXT },
    ContractRules { name: "tsx", ..TYPESCRIPT },
    ContractRules { name: "typescript", ..TYPESCRIPT },
    ContractRules { name: "yaml", signs: &YAML_SIGNS, ..TEXT },
    ContractRules { name: "zig", signs: &ZIG_SIGNS, matching: Matching::Refused, whole: &[Struct], path_separators: DOTS, ..CHECKED },
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
        assert_eq!(contract_rules("cobol").name, "text");
        assert_eq!(contract_rules("zig").name, "zig");
    }
}

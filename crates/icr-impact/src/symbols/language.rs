//! Rules of each language by which the contracts of two sides are compared and their users are judged: one row per
//! language, sorted by name.

use icr_model::SymbolKind::{self, Interface, Struct, Type, Variant};

use crate::contract::Spellings;

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
    /// How it says for which builds a definition is.
    pub(crate) conditions: ConditionSyntax,
    /// What others name besides the qualified name.
    pub(crate) address: Address,
    /// Which arguments callers may name.
    pub(crate) naming: Naming,
    /// The meaning of a written type.
    pub(crate) types: Types,
    /// What joins the segments of a qualified name. Empty where a name alone is never the end of one, as in Go, where it
    /// is of the same package.
    pub(crate) path_separators: &'static [&'static str],
    /// First segments of a path that say from where it leads, not where to.
    pub(crate) path_starts: &'static [&'static str],
    /// First segments of the names of libraries whose types everybody knows by their last segments: a name that begins with
    /// one of them is the same type without its first segments. Of other names an import decides which type is meant.
    pub(crate) library_roots: &'static [&'static str],
    /// How the parameters of function types may have names.
    pub(crate) function_type_names: FunctionTypeNames,
    /// In which words it writes one type.
    pub(crate) spellings: Spellings,
    /// The word for the type that a member is of.
    pub(crate) own_type: Option<&'static str>,
    /// Whether the type of a parameter may be a type parameter without a name: `impl Trait`.
    pub(crate) has_anonymous_parameters: bool,
    /// What becomes of code that lists all variants when one more is there.
    pub(crate) matching: Matching,
    /// Kinds whose every field has to be given to build one, or written to implement one.
    pub(crate) whole: &'static [SymbolKind],
    /// Whether every field of a schema has to be given to build one.
    pub(crate) whole_schemas: bool,
    /// Whether fields are known by numbers, which are their values.
    pub(crate) numbers_fields: bool,
    /// Whether methods get their bodies apart from their type.
    pub(crate) separates_bodies: bool,
    /// Whether a call passes the receiver, whatever its name.
    pub(crate) passes_receiver: bool,
    /// Whether a name is there for other packages only if it begins with a capital.
    pub(crate) exports_capitals: bool,
    /// Whether commands, tests and directories called `internal` offer nothing to others.
    pub(crate) closes_packages: bool,
    /// Whether what a namespace without a name holds is of its file only.
    pub(crate) has_nameless_namespaces: bool,
    /// Whether code declares its tests by importing them: `mod tests;`.
    pub(crate) imports_tests: bool,
    /// What makes a value of a type. `None` if types are values, so that any mention of one may make a value.
    pub(crate) making: Option<ValueMaking>,
    /// How calls are written and what is said of them.
    pub(crate) calls: CallRules,
    /// What holds between a definition and what declares, overrides or uses it.
    pub(crate) definitions: DefinitionRules,
}

/// What makes a value of a type, besides `new T` and `T(…)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ValueMaking {
    /// What stands behind the name of the type where its constructor is named.
    pub(crate) constructors: &'static [&'static str],
    /// Another form.
    pub(crate) other_form: MakingForm,
}

/// Another form of code that makes a value of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MakingForm {
    /// There is none.
    Absent,
    /// The declaration of a variable of that type.
    Declaration,
    /// `= new(…)` behind the name of the type.
    NewBehindType,
    /// A call of a constructor with a name of its own: `T.of(…)`.
    NamedConstructor,
}

/// How calls are written and what is said of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallRules {
    /// What becomes of a call with another number of arguments than are taken.
    pub(crate) counting: ArgumentCounting,
    /// The sign behind the name of an argument that is given by name. Two of them mean something else.
    pub(crate) name_sign: char,
    /// Whether `*` before an argument stands for any number of them.
    pub(crate) spreads_by_star: bool,
    /// Whether `&` before an argument makes it a block, which is none.
    pub(crate) takes_blocks: bool,
    /// Whether a block behind the list is one more argument.
    pub(crate) takes_blocks_behind: bool,
    /// Whether all pairs of a call together give one value, if no parameter takes them as names.
    pub(crate) joins_pairs: bool,
    /// Whether arguments go to all required parameters first, wherever these are.
    pub(crate) fills_required_first: bool,
    /// Whether an argument that is a call may give several values.
    pub(crate) spreads_calls: bool,
}

/// What becomes of a program that calls with another number of arguments than are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentCounting {
    /// Nothing, or it is not known.
    Free,
    /// It fails if there are too few; what is too much is dropped.
    AtLeast,
    /// It is refused, or fails.
    Exact,
}

/// Rules of one language for what holds between a definition and what declares, overrides or uses it.
#[derive(Debug, Clone, Copy)]
pub struct DefinitionRules {
    /// Whether a type does not inherit fields.
    pub fields_are_own: bool,
    /// Whether any number of files may open a module, so that none of them has the module to itself.
    pub modules_are_open: bool,
    /// Whether a private constructor is kept from all other files.
    pub hides_private_constructors: bool,
    /// Whether a private definition is there for its module and the modules in it only.
    pub private_is_of_module: bool,
    /// Whether private definitions are there for others all the same, because only their name makes them private, or
    /// because heirs have them too.
    pub private_is_advice: bool,
    /// Whether a type has to define all that its interfaces declare in its own text.
    pub types_define_all: bool,
    /// Whether definitions of one name may differ in their parameters.
    pub has_overloads: bool,
    /// Whether a definition must have as many parameters as its declaration.
    pub fixes_parameters: bool,
    /// How an override or a body says that it belongs to a declaration, which it then must. `None` if the language
    /// takes one without a declaration.
    pub override_mark: Option<OverrideMark>,
    /// Whether it is one of the languages of the Java virtual machine, which can use each other's definitions by names
    /// that their compilers generate.
    pub is_of_java_machine: bool,
    /// Name of the method that runs when a value of its type is made, if that has a name of its own.
    pub constructor: Option<&'static str>,
    /// Whether every import offers its names to those who import the file.
    pub offers_imports: bool,
    /// Constants that the language itself has. A name that ends in `_` stands for all that begin with it.
    pub given_constants: &'static [&'static str],
    /// Whether indentation alone says what a block is; in other languages, tokens show blocks.
    pub indents_blocks: bool,
    /// What stands between a path and the name that an import takes from there.
    pub import_joint: &'static str,
    /// Whether an import of a whole path takes the definition that is called by the last name of the path.
    pub imports_name_definitions: bool,
    /// Whether an import may name a module itself, among what it takes from the module, by the word `self`.
    pub imports_self: bool,
    /// Whether a file sees what its namespace, its package or a wildcard brings without naming it, and the compiler checks
    /// the types.
    pub sees_unnamed: bool,
    /// Whether a type may derive a trait that it could implement.
    pub derives_traits: bool,
    /// What tells that others can fetch a library.
    pub publication: Publication,
}

/// What tells that others can fetch a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Publication {
    /// Nothing in the repository.
    Untold,
    /// The `Cargo.toml` above a file, with what the registry demands.
    CargoManifest,
    /// The `go.mod` above a file, if the path of its module is an address.
    GoModule,
}

/// How an override, or a body, says that it belongs to a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverrideMark {
    /// By the word `override`.
    Word,
    /// By the same word, or because it is written apart from its type.
    WordOrPlace,
    /// By the annotation `@Override`.
    Annotation,
    /// By the block around it, which names what it implements.
    Block,
}

/// How a language says for which builds a definition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConditionSyntax {
    /// It does not.
    Absent,
    /// By `#[cfg(…)]` before it.
    Attributes,
    /// By `#if` and its kin around it.
    Directives,
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

/// The rules of `language` for what holds between a definition and what declares, overrides or uses it. For a language
/// that is not in the table nothing holds. Costs one search in a sorted table.
pub fn definition_rules(language: &str) -> &'static DefinitionRules {
    &contract_rules(language).definitions
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
    conditions: ConditionSyntax::Absent,
    address: Address::File,
    naming: Naming::Never,
    types: Types::Unchecked,
    path_separators: &[],
    path_starts: &[],
    library_roots: &[],
    function_type_names: FunctionTypeNames::None,
    spellings: Spellings::NONE,
    own_type: None,
    has_anonymous_parameters: false,
    matching: Matching::Free,
    whole: &[],
    whole_schemas: false,
    numbers_fields: false,
    separates_bodies: false,
    passes_receiver: false,
    exports_capitals: false,
    closes_packages: false,
    has_nameless_namespaces: false,
    imports_tests: false,
    making: None,
    calls: CALLS,
    definitions: LOOSE,
};

/// Calls of which nothing is known.
const CALLS: CallRules = CallRules {
    counting: ArgumentCounting::Free,
    name_sign: ':',
    spreads_by_star: false,
    takes_blocks: false,
    takes_blocks_behind: false,
    joins_pairs: false,
    fills_required_first: false,
    spreads_calls: false,
};

/// Calls with as many arguments as are taken.
const COUNTED: CallRules = CallRules { counting: ArgumentCounting::Exact, ..CALLS };

/// Definitions for which nothing else has to hold.
const LOOSE: DefinitionRules = DefinitionRules {
    fields_are_own: false,
    modules_are_open: false,
    hides_private_constructors: false,
    private_is_of_module: false,
    private_is_advice: false,
    types_define_all: false,
    has_overloads: false,
    fixes_parameters: false,
    override_mark: None,
    is_of_java_machine: false,
    constructor: None,
    offers_imports: false,
    given_constants: &[],
    indents_blocks: false,
    import_joint: ".",
    imports_name_definitions: false,
    imports_self: false,
    sees_unnamed: false,
    derives_traits: false,
    publication: Publication::Untold,
};

/// Definitions of languages with overloads that check what overrides what.
const OVERLOADED: DefinitionRules =
    DefinitionRules { has_overloads: true, fixes_parameters: true, override_mark: Some(OverrideMark::Word), ..LOOSE };

/// What makes values where nothing but the name of a type does.
const BY_NAME: ValueMaking = ValueMaking { constructors: &[], other_form: MakingForm::Absent };

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
    spellings: Spellings::TYPESCRIPT,
    matching: Matching::Warned,
    whole: &[Interface, Type],
    calls: COUNTED,
    ..INFERRED
};

/// The separator of most languages.
const DOTS: &[&str] = &["."];

const TABLE: &[ContractRules] = &[
    // tidy: sorted
    ContractRules { name: "bash", signs: &SHELL_SIGNS, ..TEXT },
    ContractRules {
        name: "c",
        conditions: ConditionSyntax::Directives,
        spellings: Spellings::C,
        signs: &C_SIGNS,
        address: Address::Header,
        calls: COUNTED,
        definitions: DefinitionRules { fields_are_own: true, fixes_parameters: true, ..LOOSE },
        ..CHECKED
    },
    ContractRules {
        name: "cpp",
        conditions: ConditionSyntax::Directives,
        spellings: Spellings::C,
        signs: &C_SIGNS,
        restricted: RestrictedVisibility::Protected,
        address: Address::Header,
        path_separators: &["::"],
        library_roots: &["std"],
        separates_bodies: true,
        has_nameless_namespaces: true,
        making: Some(ValueMaking { other_form: MakingForm::Declaration, ..BY_NAME }),
        definitions: DefinitionRules {
            modules_are_open: true,
            override_mark: Some(OverrideMark::WordOrPlace),
            ..OVERLOADED
        },
        ..CHECKED
    },
    ContractRules {
        name: "csharp",
        conditions: ConditionSyntax::Directives,
        spellings: Spellings::CSHARP,
        signs: &BRACES,
        restricted: RestrictedVisibility::WhenProtected,
        address: Address::Package,
        naming: Naming::Every,
        path_separators: &["::", "."],
        library_roots: &["System"],
        making: Some(ValueMaking { other_form: MakingForm::NewBehindType, ..BY_NAME }),
        calls: COUNTED,
        definitions: DefinitionRules {
            imports_name_definitions: true,
            sees_unnamed: true,
            types_define_all: true,
            ..OVERLOADED
        },
        ..CHECKED
    },
    ContractRules { name: "css", signs: &STYLE_SIGNS, ..TEXT },
    ContractRules {
        name: "dart",
        signs: &DART_SIGNS,
        naming: Naming::Labelled,
        matching: Matching::Refused,
        path_separators: DOTS,
        making: Some(ValueMaking { constructors: &[".new", ".apply"], other_form: MakingForm::NamedConstructor }),
        definitions: DefinitionRules { sees_unnamed: true, ..LOOSE },
        ..INFERRED
    },
    ContractRules { name: "dockerfile", signs: &HASH, ..TEXT },
    ContractRules { name: "elixir", signs: &ELIXIR_SIGNS, address: Address::Package, ..TEXT },
    ContractRules {
        name: "go",
        spellings: Spellings::GO,
        signs: &GO_SIGNS,
        address: Address::Directory,
        function_type_names: FunctionTypeNames::BeforeType,
        exports_capitals: true,
        closes_packages: true,
        calls: CallRules { spreads_calls: true, ..COUNTED },
        definitions: DefinitionRules {
            publication: Publication::GoModule,
            fields_are_own: true,
            fixes_parameters: true,
            ..LOOSE
        },
        ..CHECKED
    },
    ContractRules {
        name: "graphql",
        signs: &GRAPHQL_SIGNS,
        address: Address::Package,
        naming: Naming::Every,
        matching: Matching::Warned,
        ..CHECKED
    },
    ContractRules {
        name: "haskell",
        signs: &HASKELL_SIGNS,
        matching: Matching::Warned,
        whole: &[Struct, Type, Variant],
        path_separators: DOTS,
        ..INFERRED
    },
    ContractRules { name: "hcl", signs: &HCL_SIGNS, address: Address::Directory, ..TEXT },
    ContractRules { name: "html", signs: &MARKUP, ..TEXT },
    ContractRules {
        name: "java",
        signs: &BRACES,
        restricted: RestrictedVisibility::WhenProtected,
        address: Address::Package,
        matching: Matching::Refused,
        path_separators: DOTS,
        library_roots: &["java", "javax"],
        making: Some(ValueMaking { constructors: &["::new"], ..BY_NAME }),
        calls: COUNTED,
        definitions: DefinitionRules {
            imports_name_definitions: true,
            sees_unnamed: true,
            hides_private_constructors: true,
            types_define_all: true,
            override_mark: Some(OverrideMark::Annotation),
            is_of_java_machine: true,
            ..OVERLOADED
        },
        ..CHECKED
    },
    ContractRules { name: "javascript", signs: &ECMASCRIPT_SIGNS, restricted: RestrictedVisibility::Protected, ..TEXT },
    ContractRules { name: "json", ..TEXT },
    ContractRules {
        name: "kotlin",
        signs: &KOTLIN_SIGNS,
        restricted: RestrictedVisibility::WhenProtected,
        address: Address::Package,
        naming: Naming::Every,
        matching: Matching::Refused,
        path_separators: DOTS,
        library_roots: &["java", "javax", "kotlin", "kotlinx"],
        function_type_names: FunctionTypeNames::BeforeColon,
        making: Some(ValueMaking { constructors: &[".init"], ..BY_NAME }),
        calls: CallRules { name_sign: '=', spreads_by_star: true, takes_blocks_behind: true, ..COUNTED },
        definitions: DefinitionRules {
            imports_name_definitions: true,
            sees_unnamed: true,
            hides_private_constructors: true,
            types_define_all: true,
            is_of_java_machine: true,
            ..OVERLOADED
        },
        ..INFERRED
    },
    ContractRules { name: "lua", signs: &LUA_SIGNS, ..TEXT },
    ContractRules { name: "make", signs: &HASH, ..TEXT },
    ContractRules { name: "markdown", ..TEXT },
    ContractRules {
        name: "ocaml",
        signs: &OCAML_SIGNS,
        naming: Naming::Labelled,
        matching: Matching::Warned,
        whole: &[Struct, Type],
        ..INFERRED
    },
    ContractRules {
        name: "ocaml_interface",
        signs: &OCAML_SIGNS,
        naming: Naming::Labelled,
        matching: Matching::Warned,
        whole: &[Struct, Type],
        ..INFERRED
    },
    ContractRules {
        name: "php",
        signs: &PHP_SIGNS,
        restricted: RestrictedVisibility::Protected,
        address: Address::Package,
        naming: Naming::Every,
        path_separators: &["\\"],
        making: Some(BY_NAME),
        calls: CallRules { counting: ArgumentCounting::AtLeast, ..CALLS },
        definitions: DefinitionRules {
            imports_name_definitions: true,
            import_joint: "\\",
            hides_private_constructors: true,
            constructor: Some("__construct"),
            ..LOOSE
        },
        ..INFERRED
    },
    ContractRules {
        name: "protobuf",
        signs: &C_SIGNS,
        address: Address::Package,
        path_separators: DOTS,
        numbers_fields: true,
        ..CHECKED
    },
    ContractRules {
        name: "python",
        spellings: Spellings::PYTHON,
        signs: &PYTHON_SIGNS,
        naming: Naming::Every,
        path_separators: DOTS,
        library_roots: &["builtins", "collections", "typing", "typing_extensions"],
        whole_schemas: true,
        passes_receiver: true,
        calls: CallRules { name_sign: '=', spreads_by_star: true, ..COUNTED },
        definitions: DefinitionRules {
            private_is_advice: true,
            constructor: Some("__init__"),
            offers_imports: true,
            indents_blocks: true,
            ..LOOSE
        },
        ..TEXT
    },
    ContractRules { name: "r", signs: &HASH, address: Address::Package, naming: Naming::Every, ..TEXT },
    ContractRules {
        name: "ruby",
        signs: &RUBY_SIGNS,
        restricted: RestrictedVisibility::Protected,
        address: Address::Package,
        naming: Naming::Labelled,
        calls: CallRules {
            spreads_by_star: true,
            takes_blocks: true,
            joins_pairs: true,
            fills_required_first: true,
            ..COUNTED
        },
        definitions: DefinitionRules {
            modules_are_open: true,
            private_is_advice: true,
            constructor: Some("initialize"),
            given_constants: &["ARGF", "ARGV", "DATA", "ENV", "RUBY_", "STDERR", "STDIN", "STDOUT"],
            ..LOOSE
        },
        ..TEXT
    },
    ContractRules {
        name: "rust",
        signs: &RUST_SIGNS,
        conditions: ConditionSyntax::Attributes,
        spellings: Spellings::RUST,
        own_type: Some("Self"),
        has_anonymous_parameters: true,
        matching: Matching::Refused,
        whole: &[Struct, Variant],
        path_separators: &["::"],
        path_starts: &["crate", "self", "super"],
        library_roots: &["alloc", "core", "std"],
        function_type_names: FunctionTypeNames::BeforeColon,
        imports_tests: true,
        calls: COUNTED,
        definitions: DefinitionRules {
            imports_self: true,
            import_joint: "::",
            sees_unnamed: true,
            derives_traits: true,
            private_is_of_module: true,
            publication: Publication::CargoManifest,
            fields_are_own: true,
            types_define_all: true,
            fixes_parameters: true,
            override_mark: Some(OverrideMark::Block),
            ..LOOSE
        },
        ..CHECKED
    },
    ContractRules {
        name: "scala",
        signs: &SCALA_SIGNS,
        restricted: RestrictedVisibility::WhenProtected,
        address: Address::Package,
        naming: Naming::Every,
        matching: Matching::Warned,
        path_separators: DOTS,
        library_roots: &["java", "javax", "scala"],
        making: Some(ValueMaking { constructors: &[".new", ".apply"], ..BY_NAME }),
        definitions: DefinitionRules {
            imports_name_definitions: true,
            sees_unnamed: true,
            is_of_java_machine: true,
            ..OVERLOADED
        },
        ..INFERRED
    },
    ContractRules { name: "sql", signs: &DASHES, address: Address::Package, naming: Naming::Every, ..CHECKED },
    ContractRules {
        name: "swift",
        spellings: Spellings::SWIFT,
        signs: &SWIFT_SIGNS,
        address: Address::Package,
        naming: Naming::Every,
        matching: Matching::Refused,
        path_separators: DOTS,
        library_roots: &["Foundation", "Swift"],
        function_type_names: FunctionTypeNames::BeforeColon,
        making: Some(ValueMaking { constructors: &[".init"], ..BY_NAME }),
        definitions: DefinitionRules {
            imports_name_definitions: true,
            sees_unnamed: true,
            hides_private_constructors: true,
            ..OVERLOADED
        },
        ..CHECKED
    },
    ContractRules { name: "toml", signs: &TOML_SIGNS, ..TEXT },
    ContractRules { name: "tsx", ..TYPESCRIPT },
    ContractRules { name: "typescript", ..TYPESCRIPT },
    ContractRules { name: "yaml", signs: &YAML_SIGNS, ..TEXT },
    ContractRules {
        name: "zig",
        signs: &ZIG_SIGNS,
        matching: Matching::Refused,
        whole: &[Struct],
        path_separators: DOTS,
        imports_tests: true,
        calls: COUNTED,
        definitions: DefinitionRules { fields_are_own: true, ..LOOSE },
        ..CHECKED
    },
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

    #[test]
    fn a_definition_in_an_unknown_language_is_bound_to_nothing() {
        assert_eq!(definition_rules("cobol").override_mark, None);
        assert!(!definition_rules("cobol").has_overloads);
        assert_eq!(definition_rules("java").override_mark, Some(OverrideMark::Annotation));
        assert!(definition_rules("java").has_overloads);
    }
}

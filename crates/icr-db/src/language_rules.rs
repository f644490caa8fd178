//! Rules of each language by which names are resolved: one row per language, sorted by name.

/// Rules of one language: what its names can mean, and who gives a type its members.
#[derive(Debug, Clone, Copy)]
pub struct ResolutionRules {
    /// Name, as in the table of languages; empty for all languages without a row.
    pub(crate) name: &'static str,
    /// Whether a bare name may mean a member of a type.
    pub(crate) bare_names: BareMembers,
    /// Functions that are members of other types where they are in scope.
    pub extensions: ExtensionMembers,
    /// Which files may add members to a type, besides its own.
    pub(crate) added_members: AddedMembers,
    /// What a fully written path means without an import.
    pub(crate) written_paths: WrittenPaths,
    /// The local name of a module that is imported as a whole.
    pub(crate) module_names: ModuleNames,
    /// Name for the base type of the current type, if it is not called `super`.
    pub(crate) base_name: Option<&'static str>,
    /// Name of the member of each type that makes a value of it, if that has a name.
    pub constructing_member: Option<&'static str>,
    /// Whether a function is declared in one file and defined in another.
    pub declares_apart: bool,
    /// Whether a type has only the members in its own text and in its bases, with few exceptions.
    pub(crate) closes_types: bool,
    /// Whether a type has members that its text and its bases do not show: of modules and traits that it mixes in, and
    /// made up when they are called.
    pub(crate) mixes_in_members: bool,
    /// Whether a value may have a subtype of its declared type after a test (`isinstance`, `is`, `instanceof`).
    pub(crate) narrows_types: bool,
    /// Whether no type overrides a private member.
    pub(crate) hides_private_members: bool,
    /// Whether files get values without importing their type, so that a member which only one file defines is probably
    /// the one that is meant.
    pub(crate) passes_values_without_import: bool,
    /// Whether a type implements an interface without naming it.
    pub(crate) implements_unnamed: bool,
    /// Whether a type that is made of a list, a map or a function has only the methods that are given to it.
    pub(crate) composites_are_bare: bool,
    /// Whether a block that implements a trait must itself define everything that the trait asks for, whatever else the
    /// type has.
    pub(crate) blocks_are_complete: bool,
    /// Whether a module is like a type: bare names in it may mean its members.
    pub(crate) modules_are_types: bool,
    /// Whether only constants are looked for in the types around a type, and no other bare names.
    pub(crate) only_constants_reach_inwards: bool,
    /// Whether reading a field may look like a call.
    pub(crate) fields_are_called: bool,
    /// Whether a class or module is found by the end of its full name, because any file may open a module again.
    pub(crate) finds_constants_by_full_name: bool,
    /// Whether a path that leads to a file means the module that the file is, and no type with a part in it.
    pub(crate) files_are_modules: bool,
    /// Whether a macro can be in scope by its place in the text, without an import.
    pub(crate) scopes_macros_by_place: bool,
    /// Whether a name that a module imports is also a name of the module.
    pub(crate) imports_are_names: bool,
    /// Whether one definition can be the module itself (`module.exports =`).
    pub(crate) exports_one_as_module: bool,
    /// Whether a module can export a definition under another name.
    pub(crate) renames_exports: bool,
}

/// Whether a bare name may mean a member of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BareMembers {
    /// It may: of `self` or `this`, or because the syntax does not show the difference.
    Possible,
    /// Not without an import of all members; but a name that is not called may be in the place of one.
    Rare,
    /// Never, unless an import brings it.
    Never,
}

/// Functions that are members of other types where they are in scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtensionMembers {
    /// There are none.
    Absent,
    /// Each names the type that it extends.
    ByReceiver,
    /// They are methods of a class whose name says, by convention, that it holds some.
    ByNameOfClass,
}

/// Which files may add members to a type, besides its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddedMembers {
    /// None.
    Nowhere,
    /// Those in its directory.
    InDirectory,
    /// All, in blocks or by names that contain the type.
    Anywhere,
}

/// What a fully written path means without an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WrittenPaths {
    /// Nothing.
    Nothing,
    /// The same as an import of that path.
    Import,
    /// The same as an import of its last name from the module before it.
    ImportOfLastName,
    /// A module by its full name or by an alias, wherever it stands.
    ModuleOrAlias,
}

/// The local name of a module that is imported as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModuleNames {
    /// The last part of its path.
    LastPart,
    /// The same, without a version and without `go-`.
    LastPartWithoutVersion,
    /// Its whole path.
    WholePath,
}

/// The row of `language`; for a language without one, the row in which nothing is special. Costs one search in a sorted
/// table.
pub fn resolution_rules(language: &str) -> &'static ResolutionRules {
    TABLE.binary_search_by(|row| row.name.cmp(language)).map_or(&OTHER, |index| &TABLE[index])
}

/// Languages without a row of their own.
const OTHER: ResolutionRules = ResolutionRules {
    name: "",
    bare_names: BareMembers::Rare,
    extensions: ExtensionMembers::Absent,
    added_members: AddedMembers::Nowhere,
    written_paths: WrittenPaths::Nothing,
    module_names: ModuleNames::LastPart,
    base_name: None,
    constructing_member: None,
    declares_apart: false,
    closes_types: false,
    mixes_in_members: false,
    narrows_types: false,
    hides_private_members: false,
    passes_values_without_import: false,
    implements_unnamed: false,
    composites_are_bare: false,
    blocks_are_complete: false,
    modules_are_types: false,
    only_constants_reach_inwards: false,
    fields_are_called: false,
    finds_constants_by_full_name: false,
    files_are_modules: false,
    scopes_macros_by_place: false,
    imports_are_names: false,
    exports_one_as_module: false,
    renames_exports: false,
};

/// JavaScript, with types or without.
const ECMASCRIPT: ResolutionRules =
    ResolutionRules { bare_names: BareMembers::Never, exports_one_as_module: true, renames_exports: true, ..OTHER };

const TABLE: &[ResolutionRules] = &[
    ResolutionRules { name: "c", declares_apart: true, closes_types: true, ..OTHER },
    ResolutionRules {
        name: "cpp",
        bare_names: BareMembers::Possible,
        added_members: AddedMembers::Anywhere,
        declares_apart: true,
        closes_types: true,
        ..OTHER
    },
    ResolutionRules {
        name: "csharp",
        bare_names: BareMembers::Possible,
        extensions: ExtensionMembers::ByNameOfClass,
        written_paths: WrittenPaths::Import,
        base_name: Some("base"),
        closes_types: true,
        hides_private_members: true,
        passes_values_without_import: true,
        ..OTHER
    },
    ResolutionRules { name: "dart", bare_names: BareMembers::Possible, ..OTHER },
    ResolutionRules { name: "elixir", written_paths: WrittenPaths::ModuleOrAlias, ..OTHER },
    ResolutionRules {
        name: "go",
        bare_names: BareMembers::Never,
        added_members: AddedMembers::InDirectory,
        module_names: ModuleNames::LastPartWithoutVersion,
        implements_unnamed: true,
        composites_are_bare: true,
        ..OTHER
    },
    ResolutionRules {
        name: "java",
        bare_names: BareMembers::Possible,
        written_paths: WrittenPaths::Import,
        closes_types: true,
        hides_private_members: true,
        ..OTHER
    },
    ResolutionRules { name: "javascript", ..ECMASCRIPT },
    ResolutionRules {
        name: "kotlin",
        bare_names: BareMembers::Possible,
        extensions: ExtensionMembers::ByReceiver,
        written_paths: WrittenPaths::Import,
        closes_types: true,
        narrows_types: true,
        hides_private_members: true,
        passes_values_without_import: true,
        ..OTHER
    },
    ResolutionRules {
        name: "php",
        bare_names: BareMembers::Never,
        base_name: Some("parent"),
        mixes_in_members: true,
        narrows_types: true,
        hides_private_members: true,
        passes_values_without_import: true,
        ..OTHER
    },
    ResolutionRules {
        name: "python",
        module_names: ModuleNames::WholePath,
        closes_types: true,
        narrows_types: true,
        imports_are_names: true,
        renames_exports: true,
        ..OTHER
    },
    ResolutionRules {
        name: "ruby",
        bare_names: BareMembers::Possible,
        added_members: AddedMembers::Anywhere,
        constructing_member: Some("new"),
        mixes_in_members: true,
        passes_values_without_import: true,
        modules_are_types: true,
        only_constants_reach_inwards: true,
        fields_are_called: true,
        finds_constants_by_full_name: true,
        ..OTHER
    },
    ResolutionRules {
        name: "rust",
        bare_names: BareMembers::Never,
        added_members: AddedMembers::Anywhere,
        written_paths: WrittenPaths::ImportOfLastName,
        blocks_are_complete: true,
        files_are_modules: true,
        scopes_macros_by_place: true,
        imports_are_names: true,
        ..OTHER
    },
    ResolutionRules {
        name: "scala",
        bare_names: BareMembers::Possible,
        added_members: AddedMembers::Anywhere,
        written_paths: WrittenPaths::Import,
        ..OTHER
    },
    ResolutionRules {
        name: "swift",
        bare_names: BareMembers::Possible,
        added_members: AddedMembers::Anywhere,
        hides_private_members: true,
        ..OTHER
    },
    ResolutionRules { name: "tsx", narrows_types: true, ..ECMASCRIPT },
    ResolutionRules { name: "typescript", narrows_types: true, ..ECMASCRIPT },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of the rows with a rule.
    fn languages_where(rule: fn(&ResolutionRules) -> bool) -> Vec<&'static str> {
        TABLE.iter().filter(|row| rule(row)).map(|row| row.name).collect()
    }

    #[test]
    fn rows_are_sorted_and_named_once() {
        assert!(TABLE.is_sorted_by(|one, next| one.name < next.name));
    }

    #[test]
    fn each_row_is_one_of_a_language() {
        let others: Vec<&str> =
            TABLE.iter().map(|row| row.name).filter(|name| icr_lang::language_row(name).is_none()).collect();
        assert!(others.is_empty(), "{others:?}");
    }

    #[test]
    fn nothing_is_special_in_a_language_without_a_row() {
        assert_eq!(resolution_rules("cobol").name, "");
        assert_eq!(resolution_rules("cobol").bare_names, BareMembers::Rare);
        assert_eq!(resolution_rules("typescript").name, "typescript");
    }

    #[test]
    fn a_bare_name_may_be_a_member_where_the_language_says_so() {
        let may_be = languages_where(|row| row.bare_names == BareMembers::Possible);
        assert_eq!(may_be, ["cpp", "csharp", "dart", "java", "kotlin", "ruby", "scala", "swift"]);
        let never = languages_where(|row| row.bare_names == BareMembers::Never);
        assert_eq!(never, ["go", "javascript", "php", "rust", "tsx", "typescript"]);
    }
}

//! One language prepared for the walk: its grammar, its compiled queries, and tables by node kind.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use icr_model::{Contract, Role, SymbolKind, Visibility};
use regex::bytes::Regex;
use tree_sitter::Language;

use crate::access_paths::DeclarationPart;
use crate::allocations::count_allocations;
use crate::definitions::is_value;
use crate::paths::{self, PathPattern};
use crate::query::{KindPattern, Query, QueryError};
use crate::scanner::{Serialize, guarded};
use crate::table::{LanguageRow, language_row, row_index};

/// Actions of the walk at nodes of a kind. `queries/README.md` describes the captures that they come from.
pub(crate) mod flag {
    /// Some query pattern begins at this kind.
    pub(crate) const ROOT: u32 = 1;
    /// Results of the patterns that begin here are ignored inside a function.
    pub(crate) const ROOT_SKIPS_SCOPES: u32 = 1 << 1;
    pub(crate) const COMMENT: u32 = 1 << 2;
    pub(crate) const ANNOTATION: u32 = 1 << 3;
    pub(crate) const WRAPPER: u32 = 1 << 4;
    /// A wrapper only while it has a single named child.
    pub(crate) const WRAPPER_SINGLE: u32 = 1 << 5;
    /// A function: names declared inside are local to it.
    pub(crate) const SCOPE: u32 = 1 << 6;
    /// A long definition may be cut between its named children.
    pub(crate) const SPLIT: u32 = 1 << 7;
    pub(crate) const VISIBILITY: u32 = 1 << 8;
    /// A wrapper that makes its content public.
    pub(crate) const PUBLIC: u32 = 1 << 9;
    /// Raw tokens: an identifier before `(` is a call.
    pub(crate) const TOKENS: u32 = 1 << 10;
    /// Longer path patterns end at this kind.
    pub(crate) const PATHS: u32 = 1 << 11;
    /// Longer path patterns ask for the field of nodes of this kind.
    pub(crate) const NEEDS_FIELD: u32 = 1 << 12;
    /// An identifier.
    pub(crate) const IDENTIFIER: u32 = 1 << 13;
    /// Its words give the visibility of the members after it.
    pub(crate) const SECTION: u32 = 1 << 14;
    /// A scope only where it holds data rather than structure: see [`crate::walk`].
    pub(crate) const SCOPE_DATA: u32 = 1 << 15;
    /// Treated as one token, whatever nodes it has.
    pub(crate) const TOKEN: u32 = 1 << 16;
    /// Has no closing sign, so comments at its end belong to what follows.
    pub(crate) const UNCLOSED: u32 = 1 << 17;
    /// A heading: its definition extends to the next section.
    pub(crate) const HEADING: u32 = 1 << 18;
    /// Declares names whose type or value is inside.
    pub(crate) const DECLARES: u32 = 1 << 19;
    /// Lists the types that the enclosing definition inherits from.
    pub(crate) const BASES: u32 = 1 << 20;
    /// Its braces contain fields of a value of the type directly before it.
    pub(crate) const CONSTRUCTS: u32 = 1 << 21;
    /// Gives the result of a call of the enclosing function.
    pub(crate) const RETURNS: u32 = 1 << 23;
    /// A loop: declares names for each of the values.
    pub(crate) const EACH: u32 = 1 << 24;
    /// The type of what the enclosing node declares, for grammars without a field for it.
    pub(crate) const TYPE: u32 = 1 << 25;
    /// Not part of the expression around it: type arguments.
    pub(crate) const ASIDE: u32 = 1 << 22;
    /// The value of what the enclosing node declares, for grammars without a field for it.
    pub(crate) const VALUE: u32 = 1 << 27;
    /// Variables from outside are not seen inside, and those declared inside are local to it.
    pub(crate) const SCOPE_VARIABLES: u32 = 1 << 26;
    /// Code that may not run: what it assigns may not be what the name is after it.
    pub(crate) const BRANCH: u32 = 1 << 28;
}

/// Names of fields, and what a node in the field says about the declaration around it. Grammars use the same names.
const PARTS: [(&str, DeclarationPart); 11] = [
    ("bounds", DeclarationPart::Bases),
    ("interfaces", DeclarationPart::Bases),
    ("result", DeclarationPart::Results),
    ("return_type", DeclarationPart::Type),
    ("returns", DeclarationPart::Type),
    ("right", DeclarationPart::Value),
    ("superclass", DeclarationPart::Bases),
    ("superclasses", DeclarationPart::Bases),
    ("trait", DeclarationPart::Bases),
    ("type", DeclarationPart::Type),
    ("value", DeclarationPart::Value),
];

/// Meaning of a capture in `tags.scm` and `imports.scm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capture {
    Definition(SymbolKind),
    Name,
    Doc,
    Body,
    Contract(Contract),
    Members(Members),
    Receiver,
    Continued,
    Comment,
    Annotation,
    Keyword,
    Export,
    /// The name under which others import it.
    ExportAs,
    /// Others import it as the default export.
    ExportDefault,
    /// Others import it as the module itself.
    ExportModule,
    Provides(ProvidedNameScope),
    TypeOnlyScope,
    Import(ImportPart),
    /// Only predicates read it (`@_name`).
    Unused,
}

/// Visibility of members without a modifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Members {
    /// The visibility of the definition around them.
    Inherit,
    Are(Visibility),
    /// The visibility of the section around them, whatever their modifiers say. This is the visibility before the
    /// first section.
    Sections(Visibility),
}

/// The scope of a declared name: which inner names are joined to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProvidedNameScope {
    /// None, and it is not joined to an outer name.
    Itself,
    /// Names inside the node.
    Inside,
    /// Names after the node, inside the node around it.
    Following,
    /// None: it is the name of a type outside of all namespaces.
    Global,
}

/// Parts of an import statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImportPart {
    Statement,
    Scope,
    Specifier,
    Name,
    Alias,
    Default,
    Namespace,
    Wildcard,
    TypeOnly,
    Reexport,
    Module,
    Include,
    System,
}

/// What a path pattern says about its innermost node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathMeaning {
    Reference(Role),
    /// A member of something, so never a local name. Its role is [`Role::Member`].
    Member,
    /// A member that is assigned a value. On `self` or `this`, the assignment is also a definition.
    Field,
    /// Declares a name that is local to the function around it.
    Local,
    /// A local name that is also a member of the destructured value.
    Taken,
    /// A local name that is also a field of the type before the enclosing braces.
    TakenField,
    /// A variable that a sign before it tells from other names (`$x`): never a reference.
    Variable,
    /// The same where it gets its type or value.
    DeclaredVariable,
    /// Not a reference: a label, or the name of an argument.
    Nothing,
    /// Raw tokens that may hold definitions.
    Items,
    /// Raw text whose words are references.
    Words,
}

/// A path pattern of two or more nodes, or the fallback of one.
#[derive(Debug)]
pub(crate) struct Path {
    pattern: PathPattern,
    pub(crate) meaning: PathMeaning,
}

/// Everything that the walk needs to know about a language.
#[derive(Debug)]
pub(crate) struct Grammar {
    pub(crate) row: &'static LanguageRow,
    /// The tree-sitter language, with its scanner guarded (see [`crate::scanner`]).
    pub(crate) language: Language,
    /// The function with which that scanner writes its state.
    pub(crate) serialize: Option<Serialize>,
    pub(crate) query: Query,
    /// Meaning of each capture of `query`, by capture index.
    pub(crate) captures: Vec<Capture>,
    /// Text that the scanner must not see, as given in the row.
    pub(crate) must_not_see: Option<Regex>,
    flags: Vec<u32>,
    paths: PathTable,
    /// By field number.
    parts: Vec<DeclarationPart>,
    /// Whether values assigned to fields of `self` or `this` define these fields.
    pub(crate) has_fields: bool,
    /// Words that are tokens of the grammar (keywords), sorted.
    keywords: OnceLock<Vec<&'static str>>,
}

/// The error for queries that do not fit their grammar or the vocabulary.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GrammarError {
    #[error("`{language}`: {source}")]
    Query { language: &'static str, source: QueryError },
    #[error("`{language}`: {source}")]
    Paths { language: &'static str, source: paths::PathError },
    #[error("`{language}`: capture `@{name}` is not in the vocabulary")]
    Capture { language: &'static str, name: String },
    #[error("`{language}`: what its scanner must not see: {source}")]
    Expression { language: &'static str, source: regex::Error },
}

/// The grammar of the row of that name, compiled when first asked for.
pub(crate) fn grammar(row: &'static LanguageRow) -> &'static Grammar {
    static GRAMMARS: [OnceLock<Grammar>; TABLE_LEN] = [const { OnceLock::new() }; TABLE_LEN];
    const TABLE_LEN: usize = 64;
    let index = row_index(row.name).expect("rows are only made in the table");
    assert!(index < TABLE_LEN, "the table has more than {TABLE_LEN} rows");
    GRAMMARS[index].get_or_init(|| compile(row).expect("a test compiles the queries of every row"))
}

/// The words and signs of the grammar of `language`, each once. Used to make up texts of the language.
#[doc(hidden)]
pub fn literals(language: &str) -> Vec<&'static str> {
    let Some(row) = language_row(language) else { return Vec::new() };
    let known = &grammar(row).language;
    let kinds = (0..known.node_kind_count() as u16).filter(|kind| !known.node_kind_is_named(*kind));
    let literals =
        kinds.filter(|kind| known.node_kind_is_visible(*kind)).filter_map(|kind| known.node_kind_for_id(kind));
    literals.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Reads and checks the queries of `row`.
///
/// # Errors
///
/// [`GrammarError`] when they do not fit the grammar or the vocabulary. The table is constant, so a test finds such
/// errors.
pub(crate) fn compile(row: &'static LanguageRow) -> Result<Grammar, GrammarError> {
    count_allocations();
    let (language, serialize) = guarded((row.grammar.language)());
    let texts: Vec<_> = row.queries.iter().map(|query| query.text).collect();
    let text = texts.join("\n");
    let name = row.name;
    let query = Query::read(&text, &language).map_err(|source| GrammarError::Query { language: name, source })?;
    let unknown = |capture: &str| GrammarError::Capture { language: name, name: capture.to_owned() };
    let captures = query
        .capture_names
        .iter()
        .map(|capture| capture_of(capture).ok_or_else(|| unknown(capture)))
        .collect::<Result<Vec<_>, _>>()?;

    let mut flags = vec![0_u32; language.node_kind_count()];
    flag_roots(&query, &captures, &mut flags);
    let mut patterns = Vec::new();
    for file in row.path_patterns {
        patterns.extend(
            paths::read(file.text, &language).map_err(|source| GrammarError::Paths { language: name, source })?,
        );
    }
    let mut longer = Vec::new();
    for pattern in patterns {
        let kind = usize::from(pattern.steps[0].kind);
        for capture in &pattern.captures {
            match path_capture_of(capture).ok_or_else(|| unknown(capture))? {
                PathCapture::Flag(flag) => flags[kind] |= flag,
                PathCapture::Meaning(meaning) => longer.push(Path { pattern: pattern.clone(), meaning }),
            }
        }
    }
    let has_fields = longer.iter().any(|path| path.meaning == PathMeaning::Field);
    let paths = PathTable::new(longer, &mut flags);
    let must_not_see = row.grammar.must_not_see.map(Regex::new).transpose();
    let must_not_see = must_not_see.map_err(|source| GrammarError::Expression { language: name, source })?;
    let mut parts = vec![DeclarationPart::Nothing; language.field_count() + 1];
    for (field, part) in PARTS {
        if let Some(field) = language.field_id_for_name(field) {
            parts[usize::from(field.get())] = part;
        }
    }
    Ok(Grammar {
        row,
        language,
        serialize,
        query,
        captures,
        must_not_see,
        flags,
        paths,
        parts,
        has_fields,
        keywords: OnceLock::new(),
    })
}

impl Grammar {
    /// Flags of a node kind; none for error nodes, whose kind is outside of the table.
    #[inline]
    pub(crate) fn flags(&self, kind: u16) -> u32 {
        self.flags.get(usize::from(kind)).copied().unwrap_or(0)
    }

    /// What a node in the field with this number says about the node that has the field; 0 is no field.
    #[inline]
    pub(crate) fn part(&self, field: u16) -> DeclarationPart {
        self.parts.get(usize::from(field)).copied().unwrap_or_default()
    }

    /// Whether some kind has one of `flags`.
    pub(crate) fn has_any(&self, flags: u32) -> bool {
        self.flags.iter().any(|of_kind| of_kind & flags != 0)
    }

    /// Whether the word is a keyword of the language.
    pub(crate) fn is_keyword(&self, word: &[u8]) -> bool {
        let keywords = self.keywords.get_or_init(|| literals(self.row.name));
        keywords.binary_search_by(|keyword| keyword.as_bytes().cmp(word)).is_ok()
    }

    /// Paths that can end at a node of `kind` inside one of `parent`, in order of preference.
    #[inline]
    pub(crate) fn paths(&self, kind: u16, parent: u16) -> &[Path] {
        self.paths.of(kind, parent)
    }
}

impl Path {
    /// Whether the path matches a node in `field`, given kind and field of its ancestors from the inside out.
    #[inline]
    pub(crate) fn fits(&self, field: impl FnOnce() -> u16, mut ancestors: impl Iterator<Item = (u16, u16)>) -> bool {
        let steps = &self.pattern.steps;
        if steps[0].field != 0 && steps[0].field != field() {
            return false;
        }
        steps[1..].iter().all(|step| {
            ancestors.next().is_some_and(|(kind, field)| kind == step.kind && (step.field == 0 || step.field == field))
        })
    }
}

/// Paths by (kind, kind of the parent).
#[derive(Debug)]
struct PathTable {
    /// For each kind, the row of its parents in `lists`; `u16::MAX` when no path ends at the kind.
    slots: Vec<u16>,
    /// By slot, then by kind of the parent. The last entry is for parents that no path names.
    lists: Vec<Vec<u16>>,
    /// Lists of paths, each longest first.
    paths: Vec<Vec<Path>>,
}

impl PathTable {
    fn new(longer: Vec<Path>, flags: &mut [u32]) -> Self {
        let kinds = flags.len();
        let mut table = Self { slots: vec![u16::MAX; kinds], lists: Vec::new(), paths: Vec::new() };
        for path in &longer {
            let steps = &path.pattern.steps;
            let kind = usize::from(steps[0].kind);
            flags[kind] |= flag::PATHS;
            if path.meaning != PathMeaning::Items {
                flags[kind] |= flag::IDENTIFIER;
            }
            for step in steps[1..].iter().filter(|step| step.field != 0) {
                flags[usize::from(step.kind)] |= flag::NEEDS_FIELD;
            }
            if table.slots[kind] == u16::MAX {
                table.slots[kind] = table.lists.len() as u16;
                table.lists.push(vec![0; kinds + 1]);
            }
        }
        for kind in 0..kinds {
            let slot = usize::from(table.slots[kind]);
            if slot >= table.lists.len() {
                continue;
            }
            for parent in 0..=kinds {
                let ends_here = |path: &&Path| {
                    let steps = &path.pattern.steps;
                    usize::from(steps[0].kind) == kind
                        && steps.get(1).is_none_or(|step| usize::from(step.kind) == parent)
                };
                let mut list: Vec<Path> = longer.iter().filter(ends_here).map(Path::copy).collect();
                list.sort_by_key(|path| std::cmp::Reverse(path.pattern.steps.len()));
                table.lists[slot][parent] = table.index_of(list);
            }
        }
        table
    }

    fn index_of(&mut self, list: Vec<Path>) -> u16 {
        let same = |known: &Vec<Path>| {
            known.len() == list.len()
                && known
                    .iter()
                    .zip(&list)
                    .all(|(one, other)| one.meaning == other.meaning && one.pattern == other.pattern)
        };
        let index = self.paths.iter().position(same).unwrap_or_else(|| {
            self.paths.push(list);
            self.paths.len() - 1
        });
        index as u16
    }

    #[inline]
    fn of(&self, kind: u16, parent: u16) -> &[Path] {
        let slot = self.slots.get(usize::from(kind)).copied().unwrap_or(u16::MAX);
        let Some(lists) = self.lists.get(usize::from(slot)) else {
            return &[];
        };
        let list = lists.get(usize::from(parent)).or(lists.last()).expect("every slot has a last list");
        &self.paths[usize::from(*list)]
    }
}

impl Path {
    fn copy(&self) -> Self {
        Self { pattern: self.pattern.clone(), meaning: self.meaning }
    }
}

fn flag_roots(query: &Query, captures: &[Capture], flags: &mut [u32]) {
    let mut counts_in_scopes = vec![false; flags.len()];
    for pattern in &query.patterns {
        if let KindPattern::Is(root) = pattern.root.kind {
            let root = usize::from(root);
            flags[root] |= flag::ROOT;
            let counts = |capture: u16| counts_in_scope(&captures[usize::from(capture)]);
            counts_in_scopes[root] |= pattern.root.all_captures().into_iter().any(counts);
        }
    }
    for (flags, counts) in flags.iter_mut().zip(counts_in_scopes) {
        if *flags & flag::ROOT != 0 && !counts {
            *flags |= flag::ROOT_SKIPS_SCOPES;
        }
    }
}

/// Whether the capture also matters inside a function; local values do not.
fn counts_in_scope(capture: &Capture) -> bool {
    match capture {
        Capture::Definition(kind) => !is_value(*kind),
        Capture::Import(_) | Capture::Provides(_) | Capture::Comment | Capture::TypeOnlyScope => true,
        Capture::Annotation | Capture::Keyword => true,
        _ => false,
    }
}

fn capture_of(name: &str) -> Option<Capture> {
    if name.starts_with('_') {
        return Some(Capture::Unused);
    }
    let (head, tail) = name.split_once('.').unwrap_or((name, ""));
    Some(match (head, tail) {
        ("definition", kind) => Capture::Definition(SymbolKind::from_name(kind)?),
        ("contract", label) => Capture::Contract(Contract::from_name(label)?),
        ("members", "inherit") => Capture::Members(Members::Inherit),
        ("members", "public") => Capture::Members(Members::Are(Visibility::Public)),
        ("members", "private") => Capture::Members(Members::Are(Visibility::Private)),
        ("members", "sections.private") => Capture::Members(Members::Sections(Visibility::Private)),
        ("members", "sections.public") => Capture::Members(Members::Sections(Visibility::Public)),
        ("members", "unspecified") => Capture::Members(Members::Are(Visibility::Unspecified)),
        ("name", "") => Capture::Name,
        ("doc", "") => Capture::Doc,
        ("body", "") => Capture::Body,
        ("receiver", "") => Capture::Receiver,
        ("comment", "") => Capture::Comment,
        ("continued", "") => Capture::Continued,
        ("annotation", "") => Capture::Annotation,
        ("reference", "none") => Capture::Keyword,
        ("export", "") => Capture::Export,
        ("export", "as") => Capture::ExportAs,
        ("export", "default") => Capture::ExportDefault,
        ("export", "module") => Capture::ExportModule,
        ("provides", "") => Capture::Provides(ProvidedNameScope::Itself),
        ("provides", "global") => Capture::Provides(ProvidedNameScope::Global),
        ("provides", "following") => Capture::Provides(ProvidedNameScope::Following),
        ("provides", "inside") => Capture::Provides(ProvidedNameScope::Inside),
        ("scope", "type_only") => Capture::TypeOnlyScope,
        ("import", part) => Capture::Import(import_part_of(part)?),
        _ => return None,
    })
}

fn import_part_of(name: &str) -> Option<ImportPart> {
    Some(match name {
        "" => ImportPart::Statement,
        "scope" => ImportPart::Scope,
        "specifier" => ImportPart::Specifier,
        "name" => ImportPart::Name,
        "alias" => ImportPart::Alias,
        "default" => ImportPart::Default,
        "namespace" => ImportPart::Namespace,
        "wildcard" => ImportPart::Wildcard,
        "type_only" => ImportPart::TypeOnly,
        "reexport" => ImportPart::Reexport,
        "module" => ImportPart::Module,
        "include" => ImportPart::Include,
        "system" => ImportPart::System,
        _ => return None,
    })
}

enum PathCapture {
    Flag(u32),
    Meaning(PathMeaning),
}

fn path_capture_of(name: &str) -> Option<PathCapture> {
    use PathCapture::{Flag, Meaning};
    Some(match name {
        "annotation" => Flag(flag::ANNOTATION),
        "aside" => Flag(flag::ASIDE),
        "bases" => Flag(flag::BASES),
        "branch" => Flag(flag::BRANCH),
        "comment" => Flag(flag::COMMENT),
        "constructs" => Flag(flag::CONSTRUCTS),
        "declares" => Flag(flag::DECLARES),
        "declares.each" => Flag(flag::DECLARES | flag::EACH),
        "heading" => Flag(flag::HEADING),
        "items" => Meaning(PathMeaning::Items),
        "local" => Meaning(PathMeaning::Local),
        "local.field" => Meaning(PathMeaning::TakenField),
        "local.member" => Meaning(PathMeaning::Taken),
        "outside" => Flag(flag::ROOT_SKIPS_SCOPES),
        "public" => Flag(flag::PUBLIC),
        "reference.call" => Meaning(PathMeaning::Reference(Role::Call)),
        "reference.import" => Meaning(PathMeaning::Reference(Role::Import)),
        "reference.field" => Meaning(PathMeaning::Field),
        "reference.member" => Meaning(PathMeaning::Member),
        "reference.none" => Meaning(PathMeaning::Nothing),
        "reference.other" => Meaning(PathMeaning::Reference(Role::Other)),
        "reference.type" => Meaning(PathMeaning::Reference(Role::Type)),
        "reference.words" => Meaning(PathMeaning::Words),
        "returns" => Flag(flag::RETURNS),
        "scope" => Flag(flag::SCOPE),
        "scope.data" => Flag(flag::SCOPE_DATA),
        "scope.variables" => Flag(flag::SCOPE_VARIABLES),
        "section" => Flag(flag::SECTION),
        "split" => Flag(flag::SPLIT),
        "token" => Flag(flag::TOKEN),
        "tokens" => Flag(flag::TOKENS),
        "type" => Flag(flag::TYPE),
        "unclosed" => Flag(flag::UNCLOSED),
        "value" => Flag(flag::VALUE),
        "variable" => Meaning(PathMeaning::Variable),
        "variable.declared" => Meaning(PathMeaning::DeclaredVariable),
        "visibility" => Flag(flag::VISIBILITY),
        "wrapper" => Flag(flag::WRAPPER),
        "wrapper.single" => Flag(flag::WRAPPER_SINGLE),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::TABLE;

    #[test]
    fn the_queries_of_every_row_compile() {
        for row in TABLE {
            let grammar = compile(row).unwrap_or_else(|error| panic!("{error}"));
            grammar.query.check_expressions().unwrap_or_else(|error| panic!("`{}`: {error}", row.name));
            assert!(grammar.flags.iter().any(|flags| flags & flag::ROOT != 0), "{}", row.name);
            let reads_references = row.path_patterns.iter().any(|file| file.text.contains("@reference."));
            let has_identifiers = grammar.flags.iter().any(|flags| flags & flag::IDENTIFIER != 0);
            assert_eq!(has_identifiers, reads_references, "{}", row.name);
        }
    }

    #[test]
    fn all_texts_are_queries_of_the_engine_too() {
        count_allocations();
        for row in TABLE {
            let language = (row.grammar.language)();
            for file in row.queries.iter().chain(row.path_patterns) {
                tree_sitter::Query::new(&language, file.text).unwrap_or_else(|error| panic!("{}: {error}", row.name));
            }
        }
    }

    #[test]
    fn captures_outside_of_the_vocabulary_are_refused() {
        for name in ["definition.thing", "contract.deed", "members.hidden", "import.names", "nmae"] {
            assert_eq!(capture_of(name), None, "{name}");
        }
    }
}

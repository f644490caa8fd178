//! Facts of single files, reduced to what questions about the whole view need. Each reduction is a query of its own,
//! so an edit that does not change it causes no further work.

use std::sync::Arc;

use icr_model::{Facts, LineSpan, Role, Statements, SymbolKind, Visibility};

use crate::graph::{Db, PathInput, sound};
use crate::source::ViewBlob;

/// The definitions of a file, without their byte positions.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Definitions {
    /// In order of the text, so that a parent precedes its members.
    pub(crate) list: Vec<FileDefinition>,
    /// Digests of the names, sorted, with indices in `list`. Most names that are asked for are not defined here, and
    /// the digests show that without comparing names.
    by_name: Box<[(u32, u32)]>,
}

/// One definition.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) struct FileDefinition {
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    /// Index of the enclosing definition.
    pub(crate) parent: Option<u32>,
    /// The type that has it as a member, when another blob defines that type.
    pub(crate) receiver: Option<String>,
    /// Access path of its type, or of the result of a call.
    pub(crate) path: Option<String>,
    /// Access paths of the types that it inherits from.
    pub(crate) bases: Vec<String>,
    /// Whether it has a body, not only a signature.
    pub(crate) has_body: bool,
    pub(crate) visibility: Visibility,
}

/// The identifiers that a file mentions, by name and role. They are most of the memory of the graph of a whole view,
/// so they are stored compactly.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Mentions {
    /// All names, in order, without separators.
    names: Box<str>,
    /// The lines of all groups.
    lines: Box<[u32]>,
    /// Access paths of receivers, sorted, each once.
    receivers: Box<[Box<str>]>,
    /// Ordered by name, role and receiver.
    groups: Box<[GroupEnd]>,
    /// The lines of each definition, by its number.
    definition_lines: Box<[LineSpan]>,
}

/// End of each group; it begins at the end of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, salsa::SalsaValue)]
struct GroupEnd {
    name: u32,
    lines: u32,
    role: Role,
    /// Number of the receiver plus one; 0 for no receiver.
    receiver: u32,
}

/// Occurrences of an identifier in one role.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MentionGroup<'a> {
    pub(crate) name: &'a str,
    pub(crate) role: Role,
    /// Access path of the value that it is a member of, as far as the file says.
    pub(crate) receiver: Option<&'a str>,
    /// Ascending. A line is repeated for each occurrence on it.
    pub(crate) lines: &'a [u32],
}

impl Definitions {
    fn of(facts: &Facts) -> Self {
        let list: Vec<FileDefinition> = facts
            .symbols
            .iter()
            .map(|symbol| FileDefinition {
                name: symbol.name.clone(),
                kind: symbol.kind,
                parent: symbol.parent,
                receiver: symbol.receiver.clone(),
                path: symbol.path.clone(),
                bases: symbol.bases.clone(),
                has_body: symbol.has_body(),
                visibility: symbol.visibility,
            })
            .collect();
        let mut by_name: Box<[(u32, u32)]> =
            list.iter().zip(0..).map(|(definition, at)| (digest(&definition.name), at)).collect();
        by_name.sort_unstable();
        Self { list, by_name }
    }

    /// Definitions called `name`, in order of their place.
    pub(crate) fn definitions_of_name<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u32, &'a FileDefinition)> {
        let wanted = digest(name);
        let first = self.by_name.partition_point(|(digest, _)| *digest < wanted);
        let alike = self.by_name[first..].iter().take_while(move |(digest, _)| *digest == wanted);
        alike.map(|(_, at)| (*at, &self.list[*at as usize])).filter(move |(_, definition)| definition.name == name)
    }

    /// Name of the type that a definition is a member of, or of the definition around it.
    pub(crate) fn holder<'a>(&'a self, definition: &'a FileDefinition) -> Option<&'a str> {
        let parent = definition.parent.map(|parent| self.list[parent as usize].name.as_str());
        definition.receiver.as_deref().or(parent)
    }

    /// Whether a definition is a member of a type or of a block of members.
    pub(crate) fn is_member(&self, definition: &FileDefinition) -> bool {
        let parent = definition.parent.map(|parent| &self.list[parent as usize]);
        definition.receiver.is_some() || parent.is_some_and(|parent| parent.kind != SymbolKind::Module)
    }

    /// Whether the file defines `name` outside of any type. A block of members has the name of its type but does not
    /// define it.
    pub(crate) fn offers(&self, name: &str) -> bool {
        let mut named = self.definitions_of_name(name).map(|(_, definition)| definition);
        named.any(|definition| definition.kind != SymbolKind::Implementation && !self.is_member(definition))
    }
}

impl Mentions {
    fn of(facts: &Facts) -> Self {
        let references = &facts.references;
        let mut names = String::with_capacity(references.iter().map(|group| group.name.len()).sum());
        let mut lines = Vec::with_capacity(references.iter().map(|group| group.lines.len()).sum());
        let mut receivers: Vec<&str> = references.iter().filter_map(|group| group.receiver.as_deref()).collect();
        receivers.sort_unstable();
        receivers.dedup();
        let number = |receiver: &str| receivers.binary_search(&receiver).map_or(0, |at| at as u32 + 1);
        let groups = references.iter().map(|group| {
            names.push_str(&group.name);
            lines.extend_from_slice(&group.lines);
            let receiver = group.receiver.as_deref().map_or(0, number);
            GroupEnd { name: names.len() as u32, lines: lines.len() as u32, role: group.role, receiver }
        });
        let groups = groups.collect();
        let receivers = receivers.iter().map(|receiver| (*receiver).into()).collect();
        let definition_lines = facts.symbols.iter().map(|symbol| symbol.lines).collect();
        Self { names: names.into(), lines: lines.into(), receivers, groups, definition_lines }
    }

    /// First line of the definition with this number.
    pub(crate) fn line_of(&self, definition: u32) -> Option<u32> {
        self.definition_lines.get(definition as usize).map(|lines| lines.start)
    }

    /// The lines of all definitions, by their numbers.
    pub(crate) fn definition_lines(&self) -> &[LineSpan] {
        &self.definition_lines
    }

    /// All of them, in order of name, role and receiver.
    pub(crate) fn all(&self) -> impl Iterator<Item = MentionGroup<'_>> {
        (0..self.groups.len()).map(|at| self.at(at))
    }

    /// Those of `name`, whatever their role.
    pub(crate) fn mentions_of_name(&self, name: &str) -> impl Iterator<Item = MentionGroup<'_>> {
        let mut range = 0..self.groups.len();
        while !range.is_empty() {
            let middle = range.start + range.len() / 2;
            match self.at(middle).name < name {
                true => range.start = middle + 1,
                false => range.end = middle,
            }
        }
        (range.start..self.groups.len()).map(|at| self.at(at)).take_while(move |mention| mention.name == name)
    }

    fn at(&self, at: usize) -> MentionGroup<'_> {
        let (group, before) = (&self.groups[at], at.checked_sub(1).map(|before| &self.groups[before]));
        let (name, lines) = before.map_or((0, 0), |before| (before.name, before.lines));
        MentionGroup {
            name: &self.names[name as usize..group.name as usize],
            role: group.role,
            receiver: group.receiver.checked_sub(1).map(|at| &*self.receivers[at as usize]),
            lines: &self.lines[lines as usize..group.lines as usize],
        }
    }
}

/// A digest of a name: FNV-1a, with its offset basis and prime.
fn digest(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |digest, byte| (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// A content that some path of some view has.
#[salsa::interned(debug)]
struct Blob<'db> {
    #[returns(copy)]
    content: ViewBlob,
}

/// The facts of a blob. The source caches them; the graph keeps only the reductions below.
fn facts(db: &dyn Db, blob: Blob<'_>) -> Arc<Facts> {
    sound(db, db.source().facts(blob.content(db)))
}

/// The reduction `of` applied to the blob at a path; the default when there is no file.
fn at_path<'db, T: Default + 'static>(
    db: &'db dyn Db,
    input: PathInput,
    of: impl FnOnce(&'db dyn Db, Blob<'db>) -> &'db Arc<T>,
) -> Arc<T> {
    input.content(db).map_or_else(Arc::default, |content| Arc::clone(of(db, Blob::new(db, content))))
}

/// What the file at a path imports and offers. If a path gets an earlier content back, nothing is read again.
#[salsa::tracked(returns(ref))]
pub(crate) fn statements(db: &dyn Db, input: PathInput) -> Arc<Statements> {
    at_path(db, input, statements_in)
}

/// What the file at a path defines.
#[salsa::tracked(returns(ref))]
pub(crate) fn definitions(db: &dyn Db, input: PathInput) -> Arc<Definitions> {
    at_path(db, input, definitions_in)
}

/// What the file at a path mentions.
#[salsa::tracked(returns(ref))]
pub(crate) fn mentions(db: &dyn Db, input: PathInput) -> Arc<Mentions> {
    at_path(db, input, mentions_in)
}

#[salsa::tracked(returns(ref))]
fn statements_in<'db>(db: &'db dyn Db, blob: Blob<'db>) -> Arc<Statements> {
    Arc::new(sound(db, db.source().statements(blob.content(db))))
}

#[salsa::tracked(returns(ref))]
fn definitions_in<'db>(db: &'db dyn Db, blob: Blob<'db>) -> Arc<Definitions> {
    Arc::new(Definitions::of(&facts(db, blob)))
}

#[salsa::tracked(returns(ref))]
fn mentions_in<'db>(db: &'db dyn Db, blob: Blob<'db>) -> Arc<Mentions> {
    Arc::new(Mentions::of(&facts(db, blob)))
}

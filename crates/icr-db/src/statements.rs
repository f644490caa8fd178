//! What single files say, cut to what questions about the whole view need of it. Each cut is a query of its own, so that
//! an edit that leaves it as it was stops there.

use std::sync::Arc;

use icr_model::{Facts, Import, ReferenceGroup, SymbolKind, Visibility};

use crate::graph::{Db, PathInput, sound};
use crate::source::Content;

/// What a file asks of others.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Statements {
    /// Its language, which its first line may say where its path does not.
    pub(crate) language: String,
    /// Its imports, in order.
    pub(crate) imports: Vec<Import>,
    /// What it declares itself to be.
    pub(crate) provides: Vec<String>,
    /// For each import the modules written out around it in the file, outermost first.
    pub(crate) inside: Vec<Vec<String>>,
}

/// What a file defines, without where in it.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Definitions {
    /// In order of their place, so that a parent precedes its members.
    pub(crate) list: Vec<Definition>,
    /// Indices of `list` by name.
    by_name: Vec<u32>,
}

/// One definition.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    /// Index of the definition around it.
    pub(crate) parent: Option<u32>,
    /// The type whose member it is, when another blob defines that type.
    pub(crate) receiver: Option<String>,
    pub(crate) visibility: Visibility,
}

/// The identifiers that a file mentions, by name and role.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Mentions {
    pub(crate) groups: Vec<ReferenceGroup>,
}

impl Definitions {
    fn of(facts: &Facts) -> Self {
        let list: Vec<Definition> = facts
            .symbols
            .iter()
            .map(|symbol| Definition {
                name: symbol.name.clone(),
                kind: symbol.kind,
                parent: symbol.parent,
                receiver: symbol.receiver.clone(),
                visibility: symbol.visibility,
            })
            .collect();
        let mut by_name: Vec<u32> = (0..list.len() as u32).collect();
        by_name.sort_by(|a, b| list[*a as usize].name.cmp(&list[*b as usize].name));
        Self { list, by_name }
    }

    /// Definitions called `name`, in order of their place.
    pub(crate) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u32, &'a Definition)> {
        let first = self.by_name.partition_point(|at| self.list[*at as usize].name.as_str() < name);
        let rest = self.by_name[first..].iter().map(|at| (*at, &self.list[*at as usize]));
        rest.take_while(move |(_, definition)| definition.name == name)
    }

    /// Whether a definition is a member of something: of a type, or of a block of members.
    pub(crate) fn is_member(&self, definition: &Definition) -> bool {
        let parent = definition.parent.map(|parent| &self.list[parent as usize]);
        definition.receiver.is_some() || parent.is_some_and(|parent| parent.kind != SymbolKind::Module)
    }

    /// Whether the file defines `name` outside of any type.
    pub(crate) fn offers(&self, name: &str) -> bool {
        self.named(name).any(|(_, definition)| !self.is_member(definition))
    }
}

impl Mentions {
    /// Occurrences of `name`, whatever their role.
    pub(crate) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a ReferenceGroup> {
        let first = self.groups.partition_point(|group| group.name.as_str() < name);
        self.groups[first..].iter().take_while(move |group| group.name == name)
    }
}

/// A content that some path of some view holds.
#[salsa::interned(debug)]
struct Blob<'db> {
    #[returns(copy)]
    content: Content,
}

/// What a blob says; its source keeps it, so only the cuts below stay in the graph.
fn facts(db: &dyn Db, blob: Blob<'_>) -> Arc<Facts> {
    sound(db, db.source().facts(blob.content(db)))
}

/// The cut that `of` makes of the blob at a path; nothing where no file is.
fn at_path<'db, T: Default + 'static>(
    db: &'db dyn Db,
    input: PathInput,
    of: impl FnOnce(&'db dyn Db, Blob<'db>) -> &'db Arc<T>,
) -> Arc<T> {
    input.content(db).map_or_else(Arc::default, |content| Arc::clone(of(db, Blob::new(db, content))))
}

/// What the file at a path asks of others. A path that goes back to a content it had before reads nothing.
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
    let facts = facts(db, blob);
    let modules: Vec<_> = facts.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Module).collect();
    let inside = |import: &Import| {
        let around = modules.iter().filter(|module| (module.lines.start..=module.lines.end).contains(&import.line));
        // A statement that declares a module is no part of it.
        let around = around.filter(|module| module.lines.start < module.lines.end || module.lines.start != import.line);
        around.map(|module| module.name.clone()).collect()
    };
    Arc::new(Statements {
        language: facts.language.clone(),
        inside: facts.imports.iter().map(inside).collect(),
        imports: facts.imports.clone(),
        provides: facts.provides.clone(),
    })
}

#[salsa::tracked(returns(ref))]
fn definitions_in<'db>(db: &'db dyn Db, blob: Blob<'db>) -> Arc<Definitions> {
    Arc::new(Definitions::of(&facts(db, blob)))
}

#[salsa::tracked(returns(ref))]
fn mentions_in<'db>(db: &'db dyn Db, blob: Blob<'db>) -> Arc<Mentions> {
    Arc::new(Mentions { groups: facts(db, blob).references.clone() })
}

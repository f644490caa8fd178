//! What single files say, cut to what questions about the whole view need of it. Each cut is a query of its own, so that
//! an edit that leaves it as it was stops there.

use std::sync::Arc;

use icr_model::{Facts, Import, ReferenceGroup, SymbolKind, Visibility};

use crate::graph::{Db, PathInput, sound};

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

/// What the file at a path says; nothing where no file is.
fn facts(db: &dyn Db, input: PathInput) -> Option<Arc<Facts>> {
    let content = input.content(db)?;
    Some(sound(db, db.source().facts(content)))
}

#[salsa::tracked(returns(ref))]
pub(crate) fn statements(db: &dyn Db, input: PathInput) -> Arc<Statements> {
    let Some(facts) = facts(db, input) else { return Arc::default() };
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
pub(crate) fn definitions(db: &dyn Db, input: PathInput) -> Arc<Definitions> {
    facts(db, input).map_or_else(Arc::default, |facts| Arc::new(Definitions::of(&facts)))
}

#[salsa::tracked(returns(ref))]
pub(crate) fn mentions(db: &dyn Db, input: PathInput) -> Arc<Mentions> {
    facts(db, input).map_or_else(Arc::default, |facts| Arc::new(Mentions { groups: facts.references.clone() }))
}

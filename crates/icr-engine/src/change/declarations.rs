//! Declarations that a change leaves without a definition that fits them.

use std::sync::Arc;

use icr_db::{Counterpart, LackingType, may_be_given, may_provide};
use icr_impact::symbols::{DefinitionSide, definition_rules};
use icr_model::{Facts, RepoPath, Symbol, SymbolKind};

use crate::Error;
use crate::change::bases::Bases;
use crate::change::callers::Callers;
use crate::change::sides::ViewChange;

/// Most files that are read for one name. If more define it, nothing is concluded.
const DEFINERS: usize = 64;

/// A file and its facts.
type FactsOfFile = (RepoPath, Arc<Facts>);

/// A declaration without a definition that fits it.
pub(crate) struct UnfitDeclaration {
    pub(crate) path: RepoPath,
    /// First line of the declaration.
    pub(crate) line: u32,
    /// File and first line of the type that has to define it, if the language refuses the type as it is now.
    pub(crate) lacking_type: Option<(RepoPath, u32)>,
}

/// The declaration that `old` implemented or was the body of before the change, if the change leaves it as it was: one
/// of an interface or a header, or an abstract member. `new` is the definition after the change, if there is one. `None`
/// if the type of `old` is gone too, if its bases changed, or if something else may define what is declared.
///
/// Cost: the file of `old` and those of its declarations are parsed once for all questions, the bases of one type are
/// resolved, and at most [`DEFINERS`] files are read for its name, for that of each base and for that of the member.
pub(crate) fn unfit_declaration(
    change: &ViewChange<'_>,
    (callers_before, callers_after): (&Callers<'_>, &Callers<'_>),
    bases: &Bases<'_>,
    old: &DefinitionSide,
    new: Option<&DefinitionSide>,
) -> Result<Option<UnfitDeclaration>, Error> {
    let counterparts = change.old.graph()?.overridden(&old.path, old.symbol)?;
    let mut declarations: Vec<&Counterpart> =
        counterparts.iter().filter(|counterpart| counterpart.is_declaration).collect();
    // Overloads are told apart only by the number of their parameters.
    if definition_rules(&old.language).has_overloads && !declarations.is_empty() {
        let own = bases.parameters_total(&old.path, old.symbol)?;
        let mut fitting = Vec::new();
        for declaration in declarations {
            if bases.parameters_total(&declaration.path, declaration.at)? == own {
                fitting.push(declaration);
            }
        }
        declarations = fitting;
    }
    if declarations.is_empty() {
        return Ok(None);
    }
    let Some(facts) = callers_before.facts(&old.path)? else { return Ok(None) };
    // The definition itself has that name too, if only its parameters changed.
    let is_itself = new.is_some_and(|new| new.qualified_name == old.qualified_name);
    let Some(definers) = facts_of_definers(change, callers_after, &old.name)? else { return Ok(None) };
    let bodies = |facts: &Facts| symbols_named(facts, &old.qualified_name).filter(|symbol| symbol.has_body()).count();
    let bodies_now: usize = definers.iter().map(|(_, facts)| bodies(facts)).sum();
    if bodies_now > usize::from(is_itself) || bodies(&facts) > 1 {
        return Ok(None);
    }
    let mut lacking_type = None;
    if let Some(holder) = facts.symbols[old.symbol as usize].parent.map(|at| &facts.symbols[at as usize]) {
        let Some((path, ty)) = unchanged_type(change, callers_after, holder, &old.path)? else { return Ok(None) };
        if declarations.len() == counterparts.len() && must_define(change, callers_after, (&path, &ty), old)? {
            lacking_type = Some((path, ty.lines.start));
        }
    }
    let mut unfit = None;
    for Counterpart { path, at, .. } in declarations {
        let (Some(before), Some(now)) = (callers_before.facts(path)?, callers_after.facts(path)?) else { continue };
        let declared = &before.symbols[*at as usize];
        let qualified_name = before.qualified_name(*at);
        let mut namesakes = symbols_named(&now, &qualified_name);
        match namesakes.find(|other| !other.has_body() && other.signature_hash == declared.signature_hash) {
            Some(same) => unfit = unfit.or(Some((path.clone(), same.lines.start))),
            // Of overloads, the one that was meant may be the one that changed too.
            None => return Ok(None),
        }
    }
    Ok(unfit.map(|(path, line)| UnfitDeclaration { path, line, lacking_type }))
}

/// Types that a required member leaves incomplete, each by its file and first line.
#[derive(Debug, Default)]
pub(crate) struct IncompleteTypes {
    /// Those that the language refuses.
    pub(crate) refused: Vec<(RepoPath, u32)>,
    /// Those that may have the member in a way that is not known, or that fail only where it is called.
    pub(crate) doubtful: Vec<(RepoPath, u32)>,
}

/// The types that inherit or implement `member`, a declaration of the view after the change, without a definition of it.
/// Abstract types are left out.
///
/// Cost: that of [`icr_db::QueryGraph::lacking`]; the text of each such type is read.
pub(crate) fn incomplete_types(
    change: &ViewChange<'_>,
    callers: &Callers<'_>,
    member: &DefinitionSide,
) -> Result<IncompleteTypes, Error> {
    let mut found = IncompleteTypes::default();
    if may_be_given(&member.language, &member.name) {
        return Ok(found);
    }
    for LackingType { path, at, is_sure } in change.new.graph()?.lacking(&member.path, member.symbol)? {
        let Some(facts) = callers.facts(&path)? else { continue };
        let ty = &facts.symbols[at as usize];
        let text = change.new.view.text_at(&path)?.unwrap_or_default();
        let text = TypeText { ty, text: &text };
        if text.says("abstract") {
            continue;
        }
        let may_have = text.may_have_more_members() || text.has_text_apart(&facts, at) || ty.kind == SymbolKind::Enum;
        let is_refused = is_sure && !may_have && definition_rules(&member.language).types_define_all;
        let places = if is_refused { &mut found.refused } else { &mut found.doubtful };
        places.push((path, ty.lines.start));
    }
    Ok(found)
}

/// The text of a type.
struct TypeText<'t> {
    ty: &'t Symbol,
    /// The whole file.
    text: &'t [u8],
}

impl TypeText<'_> {
    /// Whether the signature of the type contains the word.
    fn says(&self, word: &str) -> bool {
        let signature = self.text.get(self.ty.span.start as usize..self.ty.signature.end as usize).unwrap_or_default();
        let signature = String::from_utf8_lossy(signature);
        signature.split(|sign: char| !sign.is_alphanumeric()).any(|it| it == word)
    }

    /// Whether the type may have members that its text does not show. In Kotlin, `by` names a value that has them, and
    /// what is expected of each platform has none of its own; in C#, another part of the type may have them; a record of
    /// Java has members that are not written.
    fn may_have_more_members(&self) -> bool {
        ["actual", "by", "expect", "partial", "record"].into_iter().any(|word| self.says(word))
    }

    /// Whether a block of Rust has text that is part of no member: a macro may write members there.
    fn has_text_apart(&self, facts: &Facts, at: u32) -> bool {
        if self.ty.kind != SymbolKind::Implementation {
            return false;
        }
        let mut from = self.ty.signature.end as usize;
        let members = facts.symbols.iter().filter(|symbol| symbol.parent == Some(at));
        let mut spans: Vec<(usize, usize)> =
            members.map(|symbol| (symbol.span.start as usize, symbol.span.end as usize)).collect();
        spans.sort_unstable();
        spans.push((self.ty.span.end as usize, self.ty.span.end as usize));
        spans.into_iter().any(|(start, end)| {
            let between = self.text.get(from..start.max(from)).unwrap_or_default();
            from = from.max(end);
            between.contains(&b'!')
        })
    }
}

/// The facts of the files that define `name` after the change; `None` if they are too many.
fn facts_of_definers(
    change: &ViewChange<'_>,
    callers: &Callers<'_>,
    name: &str,
) -> Result<Option<Vec<FactsOfFile>>, Error> {
    let definers = change.new.graph()?.defining(name)?;
    if definers.len() > DEFINERS {
        return Ok(None);
    }
    let mut found = Vec::new();
    for path in definers {
        if let Some(facts) = callers.facts(&path)? {
            found.push((path, facts));
        }
    }
    Ok(Some(found))
}

/// The type `holder` after the change, by its file, if it has the same bases as before: the one in the file at `path`,
/// where it was, or the only other one.
fn unchanged_type(
    change: &ViewChange<'_>,
    callers: &Callers<'_>,
    holder: &Symbol,
    path: &RepoPath,
) -> Result<Option<(RepoPath, Symbol)>, Error> {
    let is_it = |other: &&Symbol| (other.kind, &other.name, &other.bases) == (holder.kind, &holder.name, &holder.bases);
    let definers = facts_of_definers(change, callers, &holder.name)?.unwrap_or_default();
    let types =
        definers.into_iter().filter_map(|(path, facts)| Some((path, facts.symbols.iter().find(is_it)?.clone())));
    let mut types: Vec<(RepoPath, Symbol)> = types.collect();
    let own = types.iter().position(|(of, _)| of == path).or((types.len() == 1).then_some(0));
    Ok(own.map(|at| types.swap_remove(at)))
}

/// Whether the language refuses the type, of the file at a path, without a definition of the member: it is no abstract
/// type, and all its bases are interfaces of the view or known not to have such a member.
fn must_define(
    change: &ViewChange<'_>,
    callers: &Callers<'_>,
    (path, ty): (&RepoPath, &Symbol),
    member: &DefinitionSide,
) -> Result<bool, Error> {
    if !definition_rules(&member.language).types_define_all || may_be_given(&member.language, &member.name) {
        return Ok(false);
    }
    if ty.kind == SymbolKind::Implementation {
        return Ok(!ty.bases.is_empty());
    }
    let text = change.new.view.text_at(path)?.unwrap_or_default();
    let text = TypeText { ty, text: &text };
    if text.says("abstract")
        || text.may_have_more_members()
        || matches!(ty.kind, SymbolKind::Interface | SymbolKind::Trait)
    {
        return Ok(false);
    }
    for base in &ty.bases {
        let name = base.rsplit('.').next().unwrap_or(base);
        let Some(definers) = facts_of_definers(change, callers, name)? else { return Ok(false) };
        let mut definitions =
            definers.iter().flat_map(|(_, facts)| &facts.symbols).filter(|symbol| symbol.name == name).peekable();
        let is_known = match definitions.peek() {
            Some(_) => definitions.all(|symbol| symbol.kind == SymbolKind::Interface),
            None => !may_provide(&member.language, base, &member.name),
        };
        if !is_known {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The definitions of the file with a qualified name.
fn symbols_named<'f>(facts: &'f Facts, qualified_name: &'f str) -> impl Iterator<Item = &'f Symbol> {
    let name = qualified_name.rsplit('.').next().unwrap_or(qualified_name);
    let is_it = move |(at, symbol): &(u32, &Symbol)| symbol.name == name && facts.qualified_name(*at) == qualified_name;
    (0..).zip(&facts.symbols).filter(is_it).map(|(_, symbol)| symbol)
}

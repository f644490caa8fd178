//! What differs between the two sides of a definition.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use icr_model::{RepoPath, Symbol, SymbolKind, Visibility};

use super::conditions::Condition;
use super::language::Address;
use super::pairing::{AnalyzedFiles, Id, Pairs};
use super::side::{AnalyzedSide, between, is_container, is_data, parent_of};
use super::token_equality::{Run, own_tokens};
use super::tokens::SourceToken;
use super::{BuildChange, DefinitionSide, Holder, SymbolChange, VisibilityChange, export_status};
use crate::SymbolChangeKind;

/// What changed in a definition besides its text: for the index of its file, and its own on each side.
type UnseenChange<'a> = dyn Fn(usize, u32, u32) -> Option<SymbolChangeKind> + 'a;

/// Every definition that is in no pair, or differs from the other in its pair, by its text or by what `unseen` says.
pub(crate) fn differing(files: &AnalyzedFiles<'_>, pairs: &Pairs, unseen: &UnseenChange<'_>) -> Vec<SymbolChange> {
    let comparison =
        Comparison { files, pairs, unseen, open: RefCell::default(), filled_declarations: OnceCell::new() };
    let gone = files.old_ids().into_iter().filter(|old| pairs.of_old(*old).is_none());
    let gone = gone.filter_map(|old| comparison.removed_symbol_change(old));
    let there = files.new_ids().into_iter().filter_map(|new| match pairs.of_new(new) {
        Some(old) => comparison.kept_symbol_change(old, new),
        None => comparison.added_symbol_change(new),
    });
    gone.chain(there).collect()
}

struct Comparison<'a, 'b> {
    files: &'b AnalyzedFiles<'a>,
    pairs: &'b Pairs,
    unseen: &'b UnseenChange<'b>,
    /// What is known of [`Holder::open`], by the definition before the change.
    open: RefCell<HashMap<Id, bool>>,
    /// Declarations that got a body, by name.
    filled_declarations: OnceCell<HashMap<String, Vec<Id>>>,
}

/// The two sides of one definition.
struct Sides<'a, 'b> {
    before: &'b AnalyzedSide<'a>,
    after: &'b AnalyzedSide<'a>,
    old: Id,
    new: Id,
    was: &'a Symbol,
    is: &'a Symbol,
}

impl Comparison<'_, '_> {
    fn removed_symbol_change(&self, old: Id) -> Option<SymbolChange> {
        let reading = self.files.old(old);
        let outer = parent(reading, old);
        let gone = outer.is_some_and(|outer| self.pairs.of_old(outer).is_none());
        if gone && is_part(reading, old) || hides(self.files.new_in(old.file), reading, old) {
            return None;
        }
        let new_holder = outer.and_then(|outer| self.pairs.of_old(outer));
        let holder = match (outer, new_holder) {
            (Some(outer), Some(new)) => {
                Some(holder(self.files.new_side(new).symbol(new.symbol), true, self.is_open(outer)))
            }
            (Some(outer), None) => Some(holder(reading.symbol(outer.symbol), true, self.is_open(outer))),
            (None, _) => None,
        };
        let (builds, is_covered) = match self.variants_left(old) {
            VariantsLeft::Absent => (None, self.is_in_declaration(old)),
            VariantsLeft::ForAllBuilds => (None, true),
            VariantsLeft::ForOtherBuilds(builds) => (Some(builds), false),
        };
        Some(SymbolChange {
            change: SymbolChangeKind::Removed,
            // What takes its place may do something else.
            facets: match is_covered {
                true => vec![SymbolChangeKind::Removed, SymbolChangeKind::Body],
                false => vec![SymbolChangeKind::Removed],
            },
            old: Some(definition(reading, old)),
            new: None,
            follows: gone,
            same_address: is_covered || self.is_offered(reading, old),
            reach: None,
            builds,
            holder,
        })
    }

    fn added_symbol_change(&self, new: Id) -> Option<SymbolChange> {
        let reading = self.files.new_side(new);
        let outer = parent(reading, new);
        let old_holder = outer.and_then(|outer| self.pairs.of_new(outer));
        let is_covered = outer.is_some() && old_holder.is_none() && is_part(reading, new);
        if is_covered || hides(self.files.old_in(new.file), reading, new) {
            return None;
        }
        let open = old_holder.is_some_and(|old| self.is_open(old));
        Some(SymbolChange {
            change: SymbolChangeKind::Added,
            facets: vec![SymbolChangeKind::Added],
            old: None,
            new: Some(definition(reading, new)),
            follows: outer.is_some() && old_holder.is_none(),
            same_address: false,
            reach: None,
            builds: None,
            holder: outer.map(|outer| holder(reading.symbol(outer.symbol), old_holder.is_some(), open)),
        })
    }

    fn kept_symbol_change(&self, old: Id, new: Id) -> Option<SymbolChange> {
        let (before, after) = (self.files.old(old), self.files.new_side(new));
        let (was, is) = (before.symbol(old.symbol), after.symbol(new.symbol));
        let sides = Sides { before, after, old, new, was, is };
        let (old_outer, new_outer) = (parent(before, old), parent(after, new));
        let same_holder = old_outer.is_some() && old_outer.and_then(|outer| self.pairs.of_old(outer)) == new_outer;
        let renamed = sides.old_name() != sides.new_name();
        let moved = before.side.path != after.side.path;
        let follows = (renamed || moved)
            && was.name == is.name
            && (!renamed || same_holder || was.receiver.is_some() && is.receiver.is_some())
            && (!moved || same_holder || old.file == new.file);
        let is_document = matches!(is.kind, SymbolKind::Section | SymbolKind::Key);
        let reach = self.own_reach(&sides, same_holder, old_outer, new_outer);
        let builds = self.build_change(old, new).filter(|own| {
            let outer = old_outer.zip(new_outer).filter(|_| same_holder);
            let outer = outer.and_then(|(old, new)| self.build_change(old, new));
            outer.is_none_or(|outer| outer.reach != own.reach)
        });
        let mut facets = sides.facets(reach);
        if builds.is_some() && !facets.contains(&SymbolChangeKind::Signature) {
            facets.push(SymbolChangeKind::Signature);
        }
        let unseen = Some(old.file).filter(|file| *file == new.file);
        let unseen = unseen.and_then(|file| (self.unseen)(file, old.symbol, new.symbol));
        facets.extend(unseen.filter(|facet| !facets.contains(facet)));
        // A section is not named by its holder, and a key is not renamed by the renaming of its holders.
        let renamed_alone = was.name != is.name || is.kind != SymbolKind::Section;
        if !(is_document && follows) {
            facets.extend((renamed && renamed_alone).then_some(SymbolChangeKind::Renamed));
            facets.extend(moved.then_some(SymbolChangeKind::Moved));
        }
        facets.sort_unstable();
        if facets.len() > 1 {
            facets.retain(|facet| *facet != SymbolChangeKind::Cosmetic);
        }
        let change = *facets.first()?;
        let open = old_outer.is_some_and(|outer| self.is_open(outer));
        Some(SymbolChange {
            change,
            facets,
            old: Some(definition(before, old)),
            new: Some(definition(after, new)),
            follows,
            same_address: !renamed && (!moved || self.keeps_address(&sides)),
            reach,
            builds,
            holder: new_outer.map(|outer| holder(after.symbol(outer.symbol), same_holder, open)),
        })
    }

    /// Which builds have a definition that had it not, or have it no longer, counting all variants of it.
    fn build_change(&self, old: Id, new: Id) -> Option<BuildChange> {
        let (before, after) = (self.files.old(old), self.files.new_side(new));
        let (was, is) = (before.condition(old.symbol), after.condition(new.symbol));
        let symbol = after.symbol(new.symbol);
        let is_open_module = symbol.kind == SymbolKind::Module && after.row.definitions.modules_are_open;
        if was == is || is_open_module || before.row.name != after.row.name {
            return None;
        }
        let always = Condition::ALWAYS;
        let (was, is) = (was.unwrap_or(&always), is.unwrap_or(&always));
        let variants = |reading: &AnalyzedSide<'_>, id: Id| -> Vec<Condition> {
            let alike = reading.symbols().filter(|(other, _)| is_variant(reading, *other, reading, id.symbol));
            alike.map(|(other, _)| reading.condition(other).cloned().unwrap_or(Condition::ALWAYS)).collect()
        };
        let (olds, news) = (variants(before, old), variants(after, new));
        let reach = match () {
            () if !was.is_covered_by(&news.iter().collect::<Vec<_>>()) => VisibilityChange::Reduced,
            () if !is.is_covered_by(&olds.iter().collect::<Vec<_>>()) => VisibilityChange::Widened,
            () => return None,
        };
        Some(BuildChange { reach, condition: is.to_string() })
    }

    /// Whether a definition that is gone was the body of a declaration that has a body of its own now: in a header, for
    /// example.
    fn is_in_declaration(&self, old: Id) -> bool {
        let before = self.files.old(old);
        let was = before.symbol(old.symbol);
        if !before.row.separates_bodies || is_container(was.kind) || !before.has_body(was) {
            return false;
        }
        let name = before.names[old.symbol as usize].as_str();
        let known = self.filled_declarations.get_or_init(|| self.find_filled_declarations());
        // Namespaces around may be written on one side only.
        let is_end = |long: &str, short: &str| {
            long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        let alike = known.get(was.name.as_str()).into_iter().flatten();
        alike
            .map(|new| &self.files.new_side(*new).names[new.symbol as usize])
            .any(|now| is_end(now, name) || is_end(name, now))
    }

    /// Declarations without a body before the change that have one after it, by name.
    fn find_filled_declarations(&self) -> HashMap<String, Vec<Id>> {
        let mut found: HashMap<String, Vec<Id>> = HashMap::new();
        for new in self.files.new_ids() {
            let Some(old) = self.pairs.of_new(new) else { continue };
            let (before, after) = (self.files.old(old), self.files.new_side(new));
            let (was, is) = (before.symbol(old.symbol), after.symbol(new.symbol));
            let is_function = after.row.separates_bodies && !is_container(is.kind);
            if is_function && !before.has_body(was) && after.has_body(is) {
                found.entry(is.name.clone()).or_default().push(new);
            }
        }
        found
    }

    /// What is left in its file of a definition that is gone.
    fn variants_left(&self, old: Id) -> VariantsLeft {
        let before = self.files.old(old);
        let Some(after) = self.files.new_in(old.file).filter(|after| after.row.name == before.row.name) else {
            return VariantsLeft::Absent;
        };
        let left = after.symbols().filter(|(other, _)| is_variant(after, *other, before, old.symbol));
        // A declaration alone is no body.
        let has_body = before.has_body(before.symbol(old.symbol));
        let left = left.filter(|(_, symbol)| !has_body || after.has_body(symbol));
        let left: Vec<Option<&Condition>> = left.map(|(other, _)| after.condition(other)).collect();
        let was = before.condition(old.symbol);
        // Without conditions, several definitions of one name are no variants.
        if left.is_empty() || was.is_none() && left.iter().all(Option::is_none) {
            return VariantsLeft::Absent;
        }
        let always = Condition::ALWAYS;
        let was = was.unwrap_or(&always);
        let left: Vec<&Condition> = left.into_iter().map(|condition| condition.unwrap_or(&always)).collect();
        match was.is_covered_by(&left) {
            true => VariantsLeft::ForAllBuilds,
            false => VariantsLeft::ForOtherBuilds(BuildChange {
                reach: VisibilityChange::Reduced,
                condition: was.to_string(),
            }),
        }
    }

    /// What [`Holder::open`] says of a definition before the change.
    fn is_open(&self, old: Id) -> bool {
        *self.open.borrow_mut().entry(old).or_insert_with(|| is_open(self.files.old(old), old))
    }

    /// The change of its visibility; `None` if the visibility of its holder changed in the same way.
    fn own_reach(
        &self,
        sides: &Sides<'_, '_>,
        same_holder: bool,
        old_outer: Option<Id>,
        new_outer: Option<Id>,
    ) -> Option<VisibilityChange> {
        let reach = export_status::reach(sides.was.visibility, sides.is.visibility)?;
        let (Some(old), Some(new), true) = (old_outer, new_outer, same_holder) else { return Some(reach) };
        let (was, is) = (sides.before.symbol(old.symbol), sides.after.symbol(new.symbol));
        (export_status::reach(was.visibility, is.visibility) != Some(reach)).then_some(reach)
    }

    /// Whether others find a definition that moved by the words they used.
    fn keeps_address(&self, sides: &Sides<'_, '_>) -> bool {
        // A block of members, and they, are found by their type, in whichever file it is.
        let is_block = |reading: &AnalyzedSide<'_>, id: Id| {
            let outer = parent(reading, id).map(|outer| reading.symbol(outer.symbol).kind);
            [Some(reading.symbol(id.symbol).kind), outer].contains(&Some(SymbolKind::Implementation))
        };
        if is_block(sides.before, sides.old) && is_block(sides.after, sides.new) {
            return true;
        }
        let (from, to) = (sides.before.side, sides.after.side);
        let by_language = match sides.before.row.address {
            Address::File => false,
            Address::Header => !is_header(from.path),
            Address::Directory => from.path.directory() == to.path.directory(),
            Address::Package => from.facts.provides == to.facts.provides,
        };
        by_language || self.is_offered(sides.before, sides.old)
    }

    /// Whether the file in which a definition stood imports it now, so that it can be had from there.
    fn is_offered(&self, before: &AnalyzedSide<'_>, old: Id) -> bool {
        let name = before.names[old.symbol as usize].split('.').next().unwrap_or_default();
        let Some(now) = self.files.at(before.side.path) else { return false };
        let every_import = now.row.definitions.offers_imports;
        let imports = now.side.facts.imports.iter().filter(|import| every_import || import.reexport);
        let mut names = imports.flat_map(|import| &import.names);
        names.any(|taken| *taken.alias.as_ref().unwrap_or(&taken.name) == *name)
    }
}

impl Sides<'_, '_> {
    fn old_name(&self) -> &str {
        &self.before.names[self.old.symbol as usize]
    }

    fn new_name(&self) -> &str {
        &self.after.names[self.new.symbol as usize]
    }

    /// What differs besides name and file.
    fn facets(&self, reach: Option<VisibilityChange>) -> Vec<SymbolChangeKind> {
        let (was, is) = (self.was, self.is);
        let mut facets = HashSet::new();
        let has_members = self.has_members();
        if was.kind != is.kind || self.signature_differs() || reach.is_some() {
            facets.insert(SymbolChangeKind::Signature);
        }
        if was.body_hash != is.body_hash {
            let lead = self.lead_differs();
            if lead {
                facets.insert(if self.after.row.signs.decorates {
                    SymbolChangeKind::Signature
                } else {
                    SymbolChangeKind::Body
                });
            }
            let differs = if has_members { self.own_differs() } else { self.tail_differs(lead) };
            if differs {
                facets.insert(SymbolChangeKind::Body);
            }
        }
        if self.doc_differs() {
            facets.insert(SymbolChangeKind::Doc);
        }
        if facets.is_empty() && !has_members && self.before.code(was) != self.after.code(is) {
            let indents = self.after.row.signs.indents && was.body_hash == is.body_hash;
            let restructured = indents && {
                let (one, two) = (self.before.body_tokens(was), self.after.body_tokens(is));
                !self.run(&one, false).says_same(self.run(&two, true))
            };
            facets.insert(if restructured { SymbolChangeKind::Body } else { SymbolChangeKind::Cosmetic });
        }
        facets.into_iter().collect()
    }

    /// Whether it holds others on either side, for which it is not listed.
    fn has_members(&self) -> bool {
        let members = |reading: &AnalyzedSide<'_>, id: Id| {
            is_container(reading.symbol(id.symbol).kind) && !reading.members[id.symbol as usize].is_empty()
        };
        members(self.before, self.old) || members(self.after, self.new)
    }

    fn signature_differs(&self) -> bool {
        if self.was.signature_hash == self.is.signature_hash {
            return false;
        }
        let one = self.before.tokens_in(self.was.signature);
        let two = self.after.tokens_in(self.is.signature);
        // Equal tokens under digests that differ: the digests know the language better.
        if self.run(one, false).is_exactly(self.run(two, true)) {
            return true;
        }
        let (one, two) = (besides_name(one, self.was), besides_name(two, self.is));
        let (one, two) = (self.run(&one, false), self.run(&two, true));
        !one.without_ends().says_same(two.without_ends())
    }

    fn lead_differs(&self) -> bool {
        let one = self.before.tokens_in(self.before.span_before_signature(self.was));
        let two = self.after.tokens_in(self.after.span_before_signature(self.is));
        !self.run(one, false).says_same(self.run(two, true))
    }

    /// Whether bodies with unequal digests differ. `explained` says that another difference explains the digests.
    fn tail_differs(&self, explained: bool) -> bool {
        let (one, two) = (self.before.body_tokens(self.was), self.after.body_tokens(self.is));
        let (one, two) = (self.run(&one, false), self.run(&two, true));
        let unseen = !explained && one.is_exactly(two);
        unseen || !one.without_ends().says_same(two.without_ends())
    }

    fn doc_differs(&self) -> bool {
        let one = self.was.doc.map(|doc| doc.of(self.before.side.text));
        let two = self.is.doc.map(|doc| doc.of(self.after.side.text));
        one != two && lines(one).ne(lines(two))
    }

    fn own_differs(&self) -> bool {
        let one = own_tokens(self.before, self.old.symbol);
        let two = own_tokens(self.after, self.new.symbol);
        !self.run(&one, false).says_same(self.run(&two, true))
    }

    fn run<'r>(&'r self, tokens: &'r [SourceToken], is_new: bool) -> Run<'r> {
        let (reading, symbol) = if is_new { (self.after, self.is) } else { (self.before, self.was) };
        let outer = parent(reading, if is_new { self.new } else { self.old });
        let holder = outer.map(|outer| reading.symbol(outer.symbol).name.as_str()).or(symbol.receiver.as_deref());
        let names = [symbol.name.as_str(), holder.unwrap_or_default()];
        Run { text: reading.side.text, tokens, names, twin_quotes: reading.row.signs.twin_quotes }
    }
}

/// The tokens without those of the name of `symbol`, which may be several.
fn besides_name(tokens: &[SourceToken], symbol: &Symbol) -> Vec<SourceToken> {
    let name = between(symbol.name_start, symbol.name_start.saturating_add(symbol.name.len() as u32));
    tokens.iter().filter(|token| !name.contains_offset(token.start)).copied().collect()
}

/// What is left of a definition that is gone, in variants for other builds.
enum VariantsLeft {
    Absent,
    /// Each build that had it still has a variant.
    ForAllBuilds,
    /// Some builds do not.
    ForOtherBuilds(BuildChange),
}

/// Whether `index` of `reading` has the name of `index_of` in `of` and may be the same definition for other builds.
fn is_variant(reading: &AnalyzedSide<'_>, index: u32, of: &AnalyzedSide<'_>, index_of: u32) -> bool {
    use SymbolKind::{Implementation, Module};
    if reading.names[index as usize] != of.names[index_of as usize] {
        return false;
    }
    let (one, other) = (reading.symbol(index), of.symbol(index_of));
    let is_apart = |symbol: &Symbol| matches!(symbol.kind, Implementation | Module);
    if (is_apart(one) || is_apart(other)) && one.kind != other.kind {
        return false;
    }
    // Members of one name may be of different instances of a generic type.
    let block = |side: &AnalyzedSide<'_>, symbol: &Symbol| {
        let outer = parent_of(&side.side.facts.symbols, symbol).map(|outer| &side.side.facts.symbols[outer]);
        outer.filter(|outer| outer.kind == Implementation).map(|outer| outer.signature_hash)
    };
    let needs_signature = one.kind == Implementation || reading.row.definitions.has_overloads;
    block(reading, one) == block(of, other) && (!needs_signature || one.signature_hash == other.signature_hash)
}

/// The holder of a definition: the definition that contains it.
fn parent(reading: &AnalyzedSide<'_>, id: Id) -> Option<Id> {
    let symbols = &reading.side.facts.symbols;
    let parent = parent_of(symbols, &symbols[id.symbol as usize])?;
    Some(Id { file: id.file, symbol: parent as u32 })
}

/// Whether a definition is but a part of what it stands in: a field, a variant, a key.
fn is_part(reading: &AnalyzedSide<'_>, id: Id) -> bool {
    use SymbolKind::{Implementation, Key, Module, Section};
    let kind = reading.symbol(id.symbol).kind;
    let outer = parent(reading, id).map(|outer| reading.symbol(outer.symbol).kind);
    kind == Key || is_data(kind) && !matches!(outer, Some(Implementation | Module | Section))
}

fn holder(symbol: &Symbol, existed: bool, open: bool) -> Holder {
    Holder { kind: symbol.kind, contract: symbol.contract, existed, open }
}

/// Whether others may build a type, or match all of its variants.
fn is_open(reading: &AnalyzedSide<'_>, id: Id) -> bool {
    let symbol = reading.symbol(id.symbol);
    let reserved = || {
        let lead = reading.tokens_in(reading.span_before_signature(symbol)).iter();
        lead.map(|token| token.of(reading.side.text)).any(|word| word == b"non_exhaustive")
    };
    let members = reading.members[id.symbol as usize].iter().map(|member| reading.symbol(*member));
    let mut fields = members.filter(|member| member.kind == SymbolKind::Field);
    let is_hidden = |field: &Symbol| matches!(field.visibility, Visibility::Private | Visibility::Restricted);
    !fields.any(is_hidden) && !reserved()
}

fn is_header(path: &RepoPath) -> bool {
    path.extension().is_some_and(|extension| extension.starts_with(b"h") || extension.starts_with(b"i"))
}

/// The lines of a documentation without white space around them.
fn lines(doc: Option<&[u8]>) -> impl Iterator<Item = &[u8]> {
    let lines = doc.unwrap_or_default().split(|byte| *byte == b'\n');
    lines.map(<[u8]>::trim_ascii).filter(|line| !line.is_empty())
}

fn definition(reading: &AnalyzedSide<'_>, id: Id) -> DefinitionSide {
    let symbol = reading.symbol(id.symbol);
    DefinitionSide {
        file: id.file,
        symbol: id.symbol,
        path: reading.side.path.clone(),
        language: reading.side.facts.language.clone(),
        name: symbol.name.clone(),
        qualified_name: reading.names[id.symbol as usize].clone(),
        kind: symbol.kind,
        contract: symbol.contract,
        span: symbol.span,
        lines: symbol.lines,
        visibility: symbol.visibility,
        exported: reading.exported(id.symbol),
        has_body: reading.has_body(symbol),
        optional: reading.is_optional(symbol),
    }
}

/// Whether `other`, the other side of a file, may have the definition `id` of `reading` in code that does not parse: it
/// has syntax errors, and the line that begins the definition as often. Reads each side once, whatever the definitions.
fn hides(other: Option<&AnalyzedSide<'_>>, reading: &AnalyzedSide<'_>, id: Id) -> bool {
    let Some(other) = other.filter(|other| other.side.facts.error_bytes > 0) else { return false };
    let line = reading.first_line(id.symbol);
    let in_other = other.line_count(line);
    in_other > 0 && in_other >= reading.line_count(line)
}

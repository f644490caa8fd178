//! Pairs definitions that have no pair in their file: they were moved or renamed, or follow their holder.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use icr_model::{Symbol, SymbolKind};

use super::pairing::{Id, Pairing};
use super::side::{AnalyzedSide, is_container, is_data};

/// Fewest tokens of a body that identifies a definition. Getters, delegations and empty bodies have fewer; they are
/// equal without being the same definition. Of 10,078 functions of twelve repositories in eight languages, the share
/// with the same body as another function beside them with another name is 26 % for up to 12 tokens, 7 % for 13 to 17,
/// and 0.4 % for longer ones.
const MIN_TOKENS: usize = 13;

/// Most types that may share a body; if more do, the body is a convention and no evidence that one type became another.
const MAX_OWNERS: usize = 16;

/// What a definition does: kinds that are the same to callers, the digest of its body, and how many tokens that has.
type BodyFingerprint = (u8, u32, usize);

impl Pairing<'_, '_> {
    /// Pairs what is left over on both sides, surest first.
    pub(crate) fn across(&mut self) {
        self.equal_bodies(|kind| is_container(kind) && !is_data(kind));
        self.alike_types();
        self.followers();
        self.equal_bodies(|_| true);
    }

    /// Pairs those of equal bodies: with the same name, then in the same file, then anywhere.
    fn equal_bodies(&mut self, kinds: fn(SymbolKind) -> bool) {
        let files = self.files;
        let (olds, news) = self.deeds(kinds);
        let name = |reading: &AnalyzedSide<'_>, id: Id| reading.symbol(id.symbol).name.clone();
        type Key = (Option<String>, Option<u32>, Option<usize>);
        type KeyOf<'a> = &'a dyn Fn(&AnalyzedSide<'_>, Id) -> Key;
        let rounds: [KeyOf<'_>; 4] = [
            &|reading, id| (Some(name(reading, id)), Some(reading.symbol(id.symbol).signature_hash), None),
            &|reading, id| (Some(name(reading, id)), None, None),
            &|_, id| (None, None, Some(id.file)),
            &|_, _| (None, None, None),
        ];
        for round in rounds {
            let key_of_old = |id: Id| (olds.get(&id).copied(), round(files.old(id), id));
            let key_of_new = |id: Id| (news.get(&id).copied(), round(files.new_side(id), id));
            let in_order = |deeds: &BTreeMap<Id, BodyFingerprint>| deeds.keys().copied().collect::<Vec<_>>();
            self.match_by(in_order(&olds), in_order(&news), &key_of_old, &key_of_new);
        }
    }

    /// What the free definitions of some kinds do that may have a pair: those whose body is long enough and on both sides.
    fn deeds(&self, kinds: fn(SymbolKind) -> bool) -> (BTreeMap<Id, BodyFingerprint>, BTreeMap<Id, BodyFingerprint>) {
        let files = self.files;
        let bodies = |ids: &[Id], symbol: &dyn Fn(Id) -> u32| ids.iter().map(|id| symbol(*id)).collect::<BTreeSet<_>>();
        let mut olds = files.old_ids();
        olds.retain(|id| self.is_free_old(*id) && kinds(files.old(*id).symbol(id.symbol).kind));
        let mut news = files.new_ids();
        news.retain(|id| self.is_free_new(*id) && kinds(files.new_side(*id).symbol(id.symbol).kind));
        let before = bodies(&olds, &|id| files.old(id).symbol(id.symbol).body_hash);
        let after = bodies(&news, &|id| files.new_side(id).symbol(id.symbol).body_hash);
        let of_old = |id: Id| Some((id, body_fingerprint(files.old(id), id, &after)?));
        let of_new = |id: Id| Some((id, body_fingerprint(files.new_side(id), id, &before)?));
        (olds.into_iter().filter_map(of_old).collect(), news.into_iter().filter_map(of_new).collect())
    }

    /// Pairs types whose members that run are the same for the most part, those with most in common first.
    fn alike_types(&mut self) {
        let files = self.files;
        let (olds, news) = self.deeds(|kind| !is_container(kind));
        let mut owners: BTreeMap<BodyFingerprint, Vec<Id>> = BTreeMap::new();
        for (id, deed) in &olds {
            let reading = files.old(*id);
            owners.entry(*deed).or_default().extend(holder(reading, *id).filter(|holder| self.is_free_old(*holder)));
        }
        let mut shared: BTreeMap<(Id, Id), usize> = BTreeMap::new();
        for (id, deed) in &news {
            let Some(new) = holder(files.new_side(*id), *id).filter(|holder| self.is_free_new(*holder)) else {
                continue;
            };
            let owners = owners.get(deed).map_or(&[][..], Vec::as_slice);
            for old in owners.iter().filter(|_| owners.len() <= MAX_OWNERS) {
                *shared.entry((*old, new)).or_default() += 1;
            }
        }
        let is_alike = |(old, new): (Id, Id), count: usize| {
            let (before, after) = (files.old(old), files.new_side(new));
            let larger = running(before, old).max(running(after, new));
            before.symbol(old.symbol).kind == after.symbol(new.symbol).kind && 2 * count >= larger
        };
        let mut alike: Vec<_> = shared.into_iter().filter(|(pair, count)| is_alike(*pair, *count)).collect();
        alike.sort_by_key(|((old, new), count)| (std::cmp::Reverse(*count), old.file != new.file, *old, *new));
        for ((old, new), _) in alike {
            if self.is_free_old(old) && self.is_free_new(new) {
                self.link(old, new);
            }
        }
        self.follow();
    }

    /// Pairs what is written apart from a type that was paired: blocks of members, and members with a receiver. In one
    /// directory, as they may lie in any file of a package.
    fn followers(&mut self) {
        let files = self.files;
        let mut renamed: HashMap<&str, &str> = HashMap::new();
        for old in files.old_ids() {
            let Some(new) = self.pairs.of_old(old) else { continue };
            let (before, after) = (files.old(old).symbol(old.symbol), files.new_side(new).symbol(new.symbol));
            if is_container(before.kind) && before.kind != SymbolKind::Implementation && before.name != after.name {
                renamed.entry(&before.name).or_insert(&after.name);
            }
        }
        let now = |name: &'_ str| renamed.get(name).map_or_else(|| name.to_owned(), |name| (*name).to_owned());
        let key = |reading: &AnalyzedSide<'_>, id: Id, now: &dyn Fn(&str) -> String| {
            let symbol = reading.symbol(id.symbol);
            let place = reading.side.path.directory();
            match (&symbol.receiver, symbol.kind) {
                (Some(receiver), _) => Some((place, now(receiver), Some(symbol.name.clone()))),
                (None, SymbolKind::Implementation) => Some((place, now(&symbol.name), None)),
                (None, _) => None,
            }
        };
        let key_of_old = |id: Id| key(files.old(id), id, &now);
        let key_of_new = |id: Id| key(files.new_side(id), id, &str::to_owned);
        let mut olds = files.old_ids();
        olds.retain(|id| self.is_free_old(*id) && key_of_old(*id).is_some());
        let mut news = files.new_ids();
        news.retain(|id| self.is_free_new(*id) && key_of_new(*id).is_some());
        self.match_by(olds, news, &key_of_old, &key_of_new);
    }
}

/// What a definition does, when its body is long enough and one of `other`; tokens are counted only then.
fn body_fingerprint(reading: &AnalyzedSide<'_>, id: Id, other: &BTreeSet<u32>) -> Option<BodyFingerprint> {
    let symbol = reading.symbol(id.symbol);
    let callable = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
    let kind = if callable { SymbolKind::Function } else { symbol.kind };
    let length = other.contains(&symbol.body_hash).then(|| reading.body_tokens(symbol).len())?;
    (length >= MIN_TOKENS).then_some((kind as u8, symbol.body_hash, length))
}

/// The type that a definition is a member of.
fn holder(reading: &AnalyzedSide<'_>, id: Id) -> Option<Id> {
    let parent = reading.symbol(id.symbol).parent?;
    let is_type = |symbol: &Symbol| is_container(symbol.kind) && !is_data(symbol.kind);
    reading.side.facts.symbols.get(parent as usize).filter(|symbol| is_type(symbol))?;
    Some(Id { file: id.file, symbol: parent })
}

/// How many members of a type run.
fn running(reading: &AnalyzedSide<'_>, id: Id) -> usize {
    let members = reading.members[id.symbol as usize].iter();
    members.filter(|member| !is_container(reading.symbol(**member).kind)).count()
}

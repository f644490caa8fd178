//! Which definition after the change is which one before it: first inside each file, by names.

use std::collections::{BTreeMap, HashMap, VecDeque};

use icr_model::{RepoPath, Symbol, SymbolKind};

use super::FileSides;
use super::side::{AnalyzedSide, is_container};

/// A definition of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Id {
    pub(crate) file: usize,
    pub(crate) symbol: u32,
}

/// Both sides of all files, read.
#[derive(Debug)]
pub(crate) struct AnalyzedFiles<'a> {
    old: Vec<Option<AnalyzedSide<'a>>>,
    new: Vec<Option<AnalyzedSide<'a>>>,
    /// Files after the change, by path.
    new_paths: HashMap<&'a RepoPath, usize>,
}

impl<'a> AnalyzedFiles<'a> {
    pub(crate) fn new(files: &[FileSides<'a>]) -> Self {
        Self {
            old: files.iter().map(|file| file.old.map(AnalyzedSide::new)).collect(),
            new: files.iter().map(|file| file.new.map(AnalyzedSide::new)).collect(),
            new_paths: files.iter().enumerate().filter_map(|(index, file)| Some((file.new?.path, index))).collect(),
        }
    }

    /// The side before the change that `id` belongs to.
    pub(crate) fn old(&self, id: Id) -> &AnalyzedSide<'a> {
        self.old[id.file].as_ref().expect("ids are made from sides that are there")
    }

    /// The side after the change that `id` belongs to.
    pub(crate) fn new_side(&self, id: Id) -> &AnalyzedSide<'a> {
        self.new[id.file].as_ref().expect("ids are made from sides that are there")
    }

    /// The side before the change of the file with this index.
    pub(crate) fn old_in(&self, file: usize) -> Option<&AnalyzedSide<'a>> {
        self.old[file].as_ref()
    }

    /// The side after it.
    pub(crate) fn new_in(&self, file: usize) -> Option<&AnalyzedSide<'a>> {
        self.new[file].as_ref()
    }

    /// What `path` is after the change, where the change changes it.
    pub(crate) fn at(&self, path: &RepoPath) -> Option<&AnalyzedSide<'a>> {
        self.new_paths.get(path).and_then(|file| self.new[*file].as_ref())
    }

    /// All definitions before the change that are not local to a function, by file and place.
    pub(crate) fn old_ids(&self) -> Vec<Id> {
        self.old.iter().enumerate().flat_map(|(file, side)| ids(file, side)).collect()
    }

    /// The same after it.
    pub(crate) fn new_ids(&self) -> Vec<Id> {
        self.new.iter().enumerate().flat_map(|(file, side)| ids(file, side)).collect()
    }
}

fn ids<'b>(file: usize, side: &'b Option<AnalyzedSide<'_>>) -> impl Iterator<Item = Id> + 'b {
    let symbols = side.iter().flat_map(|side| side.symbols().filter(|(index, _)| !side.local[*index as usize]));
    symbols.map(move |(symbol, _)| Id { file, symbol })
}

/// Pairs of definitions, each in one pair at most.
#[derive(Debug)]
pub(crate) struct Pairs {
    of_old: Vec<Vec<Option<Id>>>,
    of_new: Vec<Vec<Option<Id>>>,
}

impl Pairs {
    /// The new side of a definition.
    pub(crate) fn of_old(&self, id: Id) -> Option<Id> {
        self.of_old[id.file][id.symbol as usize]
    }

    /// The old side of a definition.
    pub(crate) fn of_new(&self, id: Id) -> Option<Id> {
        self.of_new[id.file][id.symbol as usize]
    }
}

/// Pairs the definitions of `files`: inside each file by qualified name and kind, then across all by what they do.
pub(crate) fn pair(files: &AnalyzedFiles<'_>) -> Pairs {
    let none = |sides: &[Option<AnalyzedSide<'_>>]| -> Vec<Vec<Option<Id>>> {
        sides.iter().map(|side| vec![None; side.as_ref().map_or(0, |side| side.names.len())]).collect()
    };
    let pairs = Pairs { of_old: none(&files.old), of_new: none(&files.new) };
    let mut pairing = Pairing { files, pairs, unfollowed: VecDeque::new() };
    for file in 0..files.old.len() {
        pairing.pair_within_file(file);
    }
    pairing.across();
    pairing.pairs
}

/// Pairs while they are made.
pub(crate) struct Pairing<'a, 'b> {
    pub(crate) files: &'b AnalyzedFiles<'a>,
    pub(crate) pairs: Pairs,
    /// Pairs whose members have yet to be paired.
    unfollowed: VecDeque<(Id, Id)>,
}

/// What has to be equal in both of a pair: a kind, a signature, a body.
type KeyOf = fn(&Symbol) -> (u8, u32, u32);

/// What makes definitions of one name the same, surest first.
const ROUNDS: [KeyOf; 5] = [
    |symbol| (symbol.kind as u8, symbol.signature_hash, symbol.body_hash),
    |symbol| (symbol.kind as u8, symbol.signature_hash, 0),
    |symbol| (symbol.kind as u8, 0, symbol.body_hash),
    |symbol| (symbol.kind as u8, 0, 0),
    |symbol| (realm(symbol.kind), 0, 0),
];

/// Kinds between which one definition may change.
fn realm(kind: SymbolKind) -> u8 {
    match kind {
        SymbolKind::Section | SymbolKind::Key => 1,
        SymbolKind::Implementation => 2,
        SymbolKind::Module => 3,
        _ => 0,
    }
}

impl<'b> Pairing<'_, 'b> {
    /// Pairs definitions of one file by their names.
    fn pair_within_file(&mut self, file: usize) {
        let files = self.files;
        let (Some(old), Some(new)) = (&files.old[file], &files.new[file]) else {
            return;
        };
        let roots = |side: &'b Option<AnalyzedSide<'_>>, reading: &AnalyzedSide<'_>| -> Vec<Id> {
            ids(file, side).filter(|id| reading.symbol(id.symbol).parent.is_none()).collect()
        };
        let name_in = |reading: &'b AnalyzedSide<'_>| move |id: Id| reading.names[id.symbol as usize].as_str();
        let named = (name_in(old), name_in(new));
        self.match_by(roots(&files.old[file], old), roots(&files.new[file], new), &named.0, &named.1);
        // Members of what is written in several places may have changed theirs.
        let left = (ids(file, &files.old[file]).collect(), ids(file, &files.new[file]).collect());
        self.match_by(left.0, left.1, &named.0, &named.1);
    }

    /// Pairs those of `olds` and `news` that are free and have equal keys, and then their members.
    pub(crate) fn match_by<K: Ord>(
        &mut self,
        olds: Vec<Id>,
        news: Vec<Id>,
        key_of_old: &dyn Fn(Id) -> K,
        key_of_new: &dyn Fn(Id) -> K,
    ) {
        self.match_names(olds, news, key_of_old, key_of_new);
        self.follow();
    }

    /// The same without members.
    fn match_names<K: Ord>(
        &mut self,
        mut olds: Vec<Id>,
        mut news: Vec<Id>,
        key_of_old: &dyn Fn(Id) -> K,
        key_of_new: &dyn Fn(Id) -> K,
    ) {
        olds.retain(|id| self.is_free_old(*id));
        news.retain(|id| self.is_free_new(*id));
        let mut groups: BTreeMap<K, (Vec<Id>, Vec<Id>)> = BTreeMap::new();
        for id in olds {
            groups.entry(key_of_old(id)).or_default().0.push(id);
        }
        for id in news {
            groups.entry(key_of_new(id)).or_default().1.push(id);
        }
        for (_, (mut olds, mut news)) in groups {
            // Of variants for different builds, those for the same builds are one.
            let has_variants = olds.len().max(news.len()) > 1 && self.have_conditions(&olds, &news);
            for round in ROUNDS {
                for by_condition in [true, false].into_iter().filter(|by_condition| has_variants || !by_condition) {
                    if !olds.is_empty() && !news.is_empty() {
                        self.match_round(&mut olds, &mut news, round, by_condition);
                    }
                }
            }
        }
    }

    /// Whether one of the definitions is not there in every build.
    fn have_conditions(&self, olds: &[Id], news: &[Id]) -> bool {
        olds.iter().any(|id| self.files.old(*id).condition(id.symbol).is_some())
            || news.iter().any(|id| self.files.new_side(*id).condition(id.symbol).is_some())
    }

    /// Pairs those with equal keys in order, and takes them out of the lists. With `by_condition`, they must also be there
    /// in the same builds.
    fn match_round(&mut self, olds: &mut Vec<Id>, news: &mut Vec<Id>, key: KeyOf, by_condition: bool) {
        let files = self.files;
        let key_in = |reading: &'b AnalyzedSide<'_>, id: Id| {
            let condition = if by_condition { reading.condition(id.symbol) } else { None };
            (key(reading.symbol(id.symbol)), condition)
        };
        let mut by_key: HashMap<_, VecDeque<Id>> = HashMap::new();
        for id in &*news {
            by_key.entry(key_in(files.new_side(*id), *id)).or_default().push_back(*id);
        }
        olds.retain(|old| {
            let waiting = by_key.get_mut(&key_in(files.old(*old), *old));
            let new = waiting.and_then(VecDeque::pop_front);
            if let Some(new) = new {
                self.link(*old, new);
            }
            new.is_none()
        });
        news.retain(|id| self.is_free_new(*id));
    }

    pub(crate) fn is_free_old(&self, id: Id) -> bool {
        self.pairs.of_old(id).is_none()
    }

    pub(crate) fn is_free_new(&self, id: Id) -> bool {
        self.pairs.of_new(id).is_none()
    }

    /// Makes a pair of two that are free.
    pub(crate) fn link(&mut self, old: Id, new: Id) {
        self.pairs.of_old[old.file][old.symbol as usize] = Some(new);
        self.pairs.of_new[new.file][new.symbol as usize] = Some(old);
        self.unfollowed.push_back((old, new));
    }

    /// Pairs the members of what was paired, by name.
    pub(crate) fn follow(&mut self) {
        while let Some((old, new)) = self.unfollowed.pop_front() {
            let (before, after) = (self.files.old(old), self.files.new_side(new));
            let (outer, renamed) = (before.symbol(old.symbol), after.symbol(new.symbol));
            let members = |reading: &AnalyzedSide<'_>, of: Id| -> Vec<Id> {
                let members = reading.members[of.symbol as usize].iter();
                let members = members.filter(|member| !reading.local[**member as usize]);
                members.map(|member| Id { file: of.file, symbol: *member }).collect()
            };
            let (olds, news) = (members(before, old), members(after, new));
            if !is_container(outer.kind) || olds.is_empty() || news.is_empty() {
                continue;
            }
            // A member with the name of its type is a constructor, and is renamed with it.
            let old_name = |id: Id| {
                let name = &before.symbol(id.symbol).name;
                if *name == outer.name { renamed.name.as_str() } else { name.as_str() }
            };
            self.match_names(olds, news, &old_name, &|id| after.symbol(id.symbol).name.as_str());
        }
    }
}

//! Rename detection by git's own rules: which deleted and added files are the same file, moved.
//!
//! The reference is the output of `git log -M`, so this follows git's diffcore-rename.c and diffcore-delta.c step by
//! step: equal contents first, then equal file names with similar contents, then the most similar of all pairs. Pure,
//! except for reading the contents.

use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

use icr_model::RepoPath;

use crate::FileKind;

/// For each of `added` the index in `deleted` of the file that it was renamed from. The pairs are those that
/// `git diff -M` would find, but contents need not be in the object database. Files are given with their bytes as git
/// would store them, in any order, each path once; links and submodules must not be included.
///
/// Cost: one pass over all contents, a second one over those without an equal partner, and one comparison for each pair
/// of these. As in git, if there would be more than a million pairs, only files of the same name are compared. Files of
/// more than 32 MiB are paired by equal content only.
pub fn pair_renames<C: AsRef<[u8]>>(deleted: &[(RepoPath, C)], added: &[(RepoPath, C)]) -> Vec<Option<usize>> {
    let (deleted_order, added_order) = (by_path(deleted), by_path(added));
    let mut contents = Bytes::default();
    let sources = contents.candidates(deleted, &deleted_order);
    let targets = contents.candidates(added, &added_order);
    let mut pairs = vec![None; added.len()];
    for (source, target) in renames(&sources, &targets, &mut contents).into_iter().zip(added_order) {
        pairs[target] = source.map(|source| deleted_order[source]);
    }
    pairs
}

/// The indexes of `files`, by path.
fn by_path<C>(files: &[(RepoPath, C)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by(|a, b| files[*a].0.cmp(&files[*b].0));
    order
}

/// Contents by number; equal contents have the same number.
#[derive(Default)]
struct Bytes<'a> {
    all: Vec<&'a [u8]>,
    numbers: HashMap<&'a [u8], usize>,
}

impl<'a> Bytes<'a> {
    fn candidates<C: AsRef<[u8]>>(
        &mut self,
        files: &'a [(RepoPath, C)],
        order: &[usize],
    ) -> Vec<RenameCandidate<usize>> {
        let mut candidate = |(path, content): &'a (RepoPath, C)| {
            let next = self.all.len();
            let number = *self.numbers.entry(content.as_ref()).or_insert(next);
            if number == next {
                self.all.push(content.as_ref());
            }
            RenameCandidate { path: path.clone(), content: number, kind: FileKind::Regular }
        };
        order.iter().map(|at| candidate(&files[*at])).collect()
    }
}

impl ContentSource<usize> for Bytes<'_> {
    fn size(&mut self, content: usize) -> Option<u64> {
        Some(self.all[content].len() as u64)
    }

    fn read(&mut self, content: usize) -> Option<&[u8]> {
        Some(self.all[content])
    }
}

/// One file that was deleted or added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RenameCandidate<Id> {
    pub(crate) path: RepoPath,
    /// Id of the content: equal only for equal contents.
    pub(crate) content: Id,
    pub(crate) kind: FileKind,
}

/// Access to contents, as the rules need it.
pub(crate) trait ContentSource<Id> {
    /// Bytes of the content; `None` when it cannot be read.
    fn size(&mut self, content: Id) -> Option<u64>;
    /// The content; `None` when it cannot be read.
    fn read(&mut self, content: Id) -> Option<&[u8]>;
}

/// Scale of similarity: git's MAX_SCORE.
const MAX_SCORE: u64 = 60_000;

/// Least similarity of a rename, 50 %: git's DEFAULT_RENAME_SCORE.
const RENAME_SCORE: u64 = 30_000;

/// Least similarity of a rename that keeps the file's name, half-way between the two values above: git's default
/// GIT_BASENAME_FACTOR.
const SAME_NAME_SCORE: u64 = RENAME_SCORE + (MAX_SCORE - RENAME_SCORE) / 2;

/// Limit on the files whose contents are compared: at most its square of pairs of deleted and added files. Git's
/// default diff.renameLimit.
const RENAME_LIMIT: usize = 1_000;

/// Best partners remembered for an added file: git's NUM_CANDIDATE_PER_DST.
const PARTNERS: usize = 4;

/// Most equal contents that are tried for one added file: git tries a hundred more after its first.
const EQUAL_CONTENTS: usize = 102;

/// Largest file, in bytes, whose content is compared; larger files are paired by equal content only. Git has no such
/// bound; here it keeps one commit of huge files from delaying all others.
const LARGEST_COMPARED: u64 = 32 << 20;

/// For each of `added` the index in `deleted` of the file that it was renamed from. Both are ordered by path, as in a
/// diff; no file occurs twice.
pub(crate) fn renames<Id: Copy + Eq + Hash>(
    deleted: &[RenameCandidate<Id>],
    added: &[RenameCandidate<Id>],
    contents: &mut dyn ContentSource<Id>,
) -> Vec<Option<usize>> {
    let mut pairing = Pairing {
        deleted,
        added,
        source_of: vec![None; added.len()],
        used: vec![false; deleted.len()],
        counts: HashMap::new(),
        contents,
    };
    if !deleted.is_empty() && !added.is_empty() {
        pairing.equal_contents();
        pairing.equal_names();
        pairing.similar_contents();
    }
    pairing.source_of
}

struct Pairing<'a, Id> {
    deleted: &'a [RenameCandidate<Id>],
    added: &'a [RenameCandidate<Id>],
    source_of: Vec<Option<usize>>,
    used: Vec<bool>,
    counts: HashMap<Id, Option<Rc<Pieces>>>,
    contents: &'a mut dyn ContentSource<Id>,
}

impl<Id: Copy + Eq + Hash> Pairing<'_, Id> {
    fn record(&mut self, source: usize, target: usize) {
        self.source_of[target] = Some(source);
        self.used[source] = true;
    }

    fn free_sources(&self) -> Vec<usize> {
        (0..self.deleted.len()).filter(|source| !self.used[*source]).collect()
    }

    fn free_targets(&self) -> Vec<usize> {
        (0..self.added.len()).filter(|target| self.source_of[*target].is_none()).collect()
    }

    fn equal_contents(&mut self) {
        // For each content and kind its sources, and how many of the first ones already have a partner: a hundred
        // thousand files may be equal.
        let mut sources_of: HashMap<(Id, FileKind), (usize, Vec<usize>)> = HashMap::new();
        for (source, file) in self.deleted.iter().enumerate() {
            sources_of.entry((file.content, kind_of_content(file.kind))).or_default().1.push(source);
        }
        for target in 0..self.added.len() {
            let file = &self.added[target];
            let Some((paired, sources)) = sources_of.get_mut(&(file.content, kind_of_content(file.kind))) else {
                continue;
            };
            *paired += sources[*paired..].iter().take_while(|source| self.used[**source]).count();
            let free = sources[*paired..].iter().copied().filter(|source| !self.used[*source]);
            let mut free = free.take(EQUAL_CONTENTS);
            let first = free.next();
            let same_name = |source: &usize| same_name(&self.deleted[*source], file);
            let best = first.filter(same_name).or_else(|| free.find(same_name)).or(first);
            if let Some(source) = best {
                self.record(source, target);
            }
        }
    }

    /// Pairs files whose name occurs only once on each side.
    fn equal_names(&mut self) {
        let (sources, targets) = (self.free_sources(), self.free_targets());
        let unique_sources = unique_names(self.deleted, &sources);
        let unique_targets = unique_names(self.added, &targets);
        for source in sources {
            let name = self.deleted[source].path.file_name();
            let (Some(Some(_)), Some(Some(target))) = (unique_sources.get(name), unique_targets.get(name)) else {
                continue;
            };
            if self.score(source, *target, SAME_NAME_SCORE) >= SAME_NAME_SCORE {
                self.record(source, *target);
            }
        }
    }

    fn similar_contents(&mut self) {
        let (sources, targets) = (self.free_sources(), self.free_targets());
        if sources.is_empty() || targets.is_empty() || sources.len() * targets.len() > RENAME_LIMIT * RENAME_LIMIT {
            return;
        }
        let mut pairs = Vec::new();
        for target in targets {
            let mut best: [Option<Pair>; PARTNERS] = [None; PARTNERS];
            for source in &sources {
                let score = self.score(*source, target, RENAME_SCORE);
                let same_name = same_name(&self.deleted[*source], &self.added[target]);
                remember(&mut best, Pair { score, same_name, source: *source, target });
            }
            pairs.extend(best.into_iter().flatten());
        }
        // A stable sort, as in git: equal pairs stay in the order of their targets.
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.rank()));
        for pair in pairs.into_iter().take_while(|pair| pair.score >= RENAME_SCORE) {
            if self.source_of[pair.target].is_none() && !self.used[pair.source] {
                self.record(pair.source, pair.target);
            }
        }
    }

    /// Similarity in 0..=MAX_SCORE: the bytes that both files share, relative to the larger file; 0 if it cannot reach
    /// `least`.
    fn score(&mut self, source: usize, target: usize, least: u64) -> u64 {
        let (source, target) = (&self.deleted[source], &self.added[target]);
        if !source.kind.is_file() || !target.kind.is_file() {
            return 0;
        }
        let (Some(a), Some(b)) = (self.contents.size(source.content), self.contents.size(target.content)) else {
            return 0;
        };
        let (smaller, larger) = (a.min(b), a.max(b));
        if larger > LARGEST_COMPARED || larger * (MAX_SCORE - least) < (larger - smaller) * MAX_SCORE || larger == 0 {
            return 0;
        }
        match (self.pieces(source.content), self.pieces(target.content)) {
            (Some(source), Some(target)) => copied(&source, &target) * MAX_SCORE / larger,
            _ => 0,
        }
    }

    fn pieces(&mut self, content: Id) -> Option<Rc<Pieces>> {
        if !self.counts.contains_key(&content) {
            let pieces = self.contents.read(content).map(|content| Rc::new(pieces(content)));
            self.counts.insert(content, pieces);
        }
        self.counts.get(&content).cloned().flatten()
    }
}

#[derive(Clone, Copy)]
struct Pair {
    score: u64,
    same_name: bool,
    source: usize,
    target: usize,
}

impl Pair {
    fn rank(&self) -> (u64, bool) {
        (self.score, self.same_name)
    }
}

/// Replaces the worst pair of `best` by `pair`, if `pair` is better.
fn remember(best: &mut [Option<Pair>; PARTNERS], pair: Pair) {
    let rank = |slot: &Option<Pair>| slot.as_ref().map(Pair::rank);
    let mut worst = 0;
    for slot in 1..PARTNERS {
        if rank(&best[slot]) < rank(&best[worst]) {
            worst = slot;
        }
    }
    if rank(&best[worst]) < Some(pair.rank()) {
        best[worst] = Some(pair);
    }
}

fn unique_names<'a, Id>(files: &'a [RenameCandidate<Id>], indexes: &[usize]) -> HashMap<&'a [u8], Option<usize>> {
    let mut names = HashMap::new();
    for index in indexes {
        names.entry(files[*index].path.file_name()).and_modify(|only| *only = None).or_insert(Some(*index));
    }
    names
}

fn same_name<Id>(a: &RenameCandidate<Id>, b: &RenameCandidate<Id>) -> bool {
    a.path.file_name() == b.path.file_name()
}

/// Kind of a content for pairing: executable files are paired only with executable files.
fn kind_of_content(kind: FileKind) -> FileKind {
    if kind.is_file() { FileKind::Regular } else { kind }
}

/// Bytes by the hash of the piece they are in, ordered by hash.
type Pieces = Vec<(u32, u64)>;

/// Longest piece in bytes, as in diffcore-delta.c; a piece ends earlier after a line break.
const PIECE: u32 = 64;

/// Number of different hashes, a prime: git's HASHBASE.
const HASHES: u32 = 107_927;

/// Number of bytes at the start of a file that are checked for NUL; one makes the file binary: git's FIRST_FEW_BYTES.
const BINARY_WITHIN: usize = 8_000;

fn pieces(content: &[u8]) -> Pieces {
    let is_text = !content[..content.len().min(BINARY_WITHIN)].contains(&0);
    let mut counts: HashMap<u32, u64> = HashMap::new();
    let (mut low, mut high, mut len) = (0_u32, 0_u32, 0_u32);
    for (at, &byte) in content.iter().enumerate() {
        // A line counts as the same line if it ends in CRLF.
        if is_text && byte == b'\r' && content.get(at + 1) == Some(&b'\n') {
            continue;
        }
        let before = low;
        low = (low << 7) ^ (high >> 25);
        high = (high << 7) ^ (before >> 25);
        low = low.wrapping_add(u32::from(byte));
        len += 1;
        if len == PIECE || byte == b'\n' {
            *counts.entry(hash(low, high)).or_default() += u64::from(len);
            (low, high, len) = (0, 0, 0);
        }
    }
    if len > 0 {
        *counts.entry(hash(low, high)).or_default() += u64::from(len);
    }
    let mut pieces: Pieces = counts.into_iter().collect();
    pieces.sort_unstable();
    pieces
}

fn hash(low: u32, high: u32) -> u32 {
    low.wrapping_add(high.wrapping_mul(0x61)) % HASHES
}

/// Number of bytes of `source` that also occur in `target`.
fn copied(source: &Pieces, target: &Pieces) -> u64 {
    let mut target = target.iter().peekable();
    let mut copied = 0;
    for (hash, bytes) in source {
        while target.next_if(|(other, _)| other < hash).is_some() {}
        if let Some((_, others)) = target.next_if(|(other, _)| other == hash) {
            copied += bytes.min(others);
        }
    }
    copied
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files are `path=text`.
    #[track_caller]
    fn check(deleted: &[&str], added: &[&str], expected: &[&str]) {
        fn file<'a>(file: &&'a str) -> (RepoPath, &'a str) {
            let (path, text) = file.split_once('=').unwrap();
            (path.into(), text)
        }
        let (deleted, added): (Vec<_>, Vec<_>) = (deleted.iter().map(file).collect(), added.iter().map(file).collect());
        let found: Vec<String> = pair_renames(&deleted, &added)
            .into_iter()
            .zip(&added)
            .filter_map(|(source, target)| Some(format!("{} -> {}", deleted[source?].0, target.0)))
            .collect();
        assert_eq!(found, expected);
    }

    const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n0\n";

    #[test]
    fn equal_contents_pair_with_the_same_name_first() {
        check(&["a/x=1", "b/y=1"], &["c/y=1", "c/z=1"], &["b/y -> c/y", "a/x -> c/z"]);
    }

    #[test]
    fn half_of_the_larger_file_is_enough() {
        let five = "1\n2\n3\n4\n5\na\nb\nc\nd\ne\n";
        let four = "1\n2\n3\n4\na\nb\nc\nd\ne\nf\n";
        check(&[&format!("old={TEN}")], &[&format!("new={five}")], &["old -> new"]);
        check(&[&format!("old={TEN}")], &[&format!("new={four}")], &[]);
    }

    #[test]
    fn a_unique_name_wins_over_a_better_score_elsewhere() {
        let eight = "1\n2\n3\n4\n5\n6\n7\n8\nx\ny\n";
        let nine = "1\n2\n3\n4\n5\n6\n7\n8\n9\ny\n";
        check(&[&format!("a/f={TEN}")], &[&format!("b/f={eight}"), &format!("b/g={nine}")], &["a/f -> b/f"]);
    }

    #[test]
    fn line_ends_do_not_count() {
        let crlf = TEN.replace('\n', "\r\n");
        // The larger file is half line ends' worth longer, and still all of the smaller one is in it.
        check(&[&format!("old={TEN}")], &[&format!("new={crlf}")], &["old -> new"]);
    }

    #[test]
    fn empty_files_pair_only_when_equal() {
        check(&["old="], &["new="], &["old -> new"]);
        check(&["old="], &["new=a\n"], &[]);
    }

    #[test]
    fn the_order_of_the_files_does_not_matter() {
        let eight = "1\n2\n3\n4\n5\n6\n7\n8\nx\ny\n";
        let (old, new) = (format!("old={TEN}"), format!("new={eight}"));
        check(&["z=1", &old, "a=1"], &["c=1", &new, "b=1"], &["z -> c", "old -> new", "a -> b"]);
        check(&["a=1", "z=1", &old], &["b=1", "c=1", &new], &["a -> b", "z -> c", "old -> new"]);
    }
}

//! Words on the lines that a change modifies, and other files that mention them: in a view, and in past trees.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hasher;
use std::ops::Range;
use std::rc::Rc;

use icr_git::{BlobReader, Membership, Policy, Repository, line_hunks};
use icr_impact::expect::{
    ChangedWords, DiffCandidate, LineSide, MentionedWords, RareWordMentions, is_looked_up, mentioned_words,
    rare_at_most, rarity,
};
use icr_lexical::TextField;
use icr_model::{BlobId, BlobNo, CommitId, RepoPath, TreeId};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::change::texts::Texts;
use crate::{Error, Snapshot};

/// Most changed files whose words are used: the words of a sweep say nothing.
const FILES: usize = 50;

/// Most bytes of changed lines whose words are used, for each change.
const CHANGED_BYTES: usize = 1 << 18;

/// Chunks per file that may mention a rare word, on average. A word in more chunks is too common; such words are only
/// counted, which is cheaper than listing their chunks.
const CHUNKS_OF_A_FILE: usize = 8;

/// Candidates that are added only because of the words that they mention.
const FOUND: usize = 20;

/// Most candidates added including ties with the last one.
const FOUND_WITH_EQUALS: usize = 100;

/// Most files of a past tree that are read, spread evenly over it; in a larger tree, each stands for several.
const PAST_FILES: usize = 5_000;

/// Largest file of the past that is read, in bytes.
const PAST_BYTES: u64 = 1 << 19;

/// The words of the lines that differ between `texts`. Cost: a line diff for each file.
pub(crate) fn changed_words(texts: &Texts) -> ChangedWords {
    let mut words = WordsOfLines::new();
    let sides = texts.sides();
    if sides.len() > FILES {
        return words.found;
    }
    for file in &sides {
        let (old, new) = (file.old.map(|side| side.text), file.new.map(|side| side.text));
        words.add(old.unwrap_or_default(), new.unwrap_or_default());
    }
    words.found
}

/// Words of changed lines, up to the bound on bytes.
struct WordsOfLines {
    found: ChangedWords,
    bytes_left: usize,
}

impl WordsOfLines {
    fn new() -> Self {
        Self { found: ChangedWords::default(), bytes_left: CHANGED_BYTES }
    }

    /// Adds the words of the lines that differ between two contents.
    fn add(&mut self, old: &[u8], new: &[u8]) {
        if old == new {
            return;
        }
        let lines = |text: &[u8]| -> Vec<Range<usize>> {
            let mut start = 0;
            let line = |line: &[u8]| {
                let range = start..start + line.len();
                start = range.end;
                range
            };
            text.split_inclusive(|byte| *byte == b'\n').map(line).collect()
        };
        let (old_lines, new_lines) = (lines(old), lines(new));
        for hunk in line_hunks(old, new) {
            self.add_lines(old, &old_lines, &hunk.old, LineSide::Removed);
            self.add_lines(new, &new_lines, &hunk.new, LineSide::Added);
        }
    }

    fn add_lines(&mut self, text: &[u8], lines: &[Range<usize>], changed: &Range<u32>, side: LineSide) {
        let Some(lines) = lines.get(changed.start as usize..changed.end as usize) else { return };
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return };
        let bytes = (last.end - first.start).min(self.bytes_left);
        self.bytes_left -= bytes;
        icr_lexical::identifiers(&text[first.start..first.start + bytes], &mut |identifier| {
            self.found.add(identifier, side);
        });
    }
}

/// Adds to each candidate which of `words` it mentions in the view `old`, and adds the files that mention most as
/// candidates. Files of the change are in `own`.
///
/// Cost: for each of at most 300 words a count of its postings, and the postings of the rare words.
pub(crate) fn add_words(
    old: &Snapshot,
    words: &ChangedWords,
    own: &BTreeSet<&RepoPath>,
    found: &mut BTreeMap<RepoPath, DiffCandidate>,
) -> Result<(), Error> {
    let looked_up = words.longest();
    if looked_up.is_empty() {
        return Ok(());
    }
    let blob_at = |path: &RepoPath| -> Result<Option<BlobNo>, Error> {
        Ok(old.view.path_no(path)?.and_then(|path_no| old.view.blob_at(path_no)))
    };
    let mut own_blobs: FxHashSet<BlobNo> = FxHashSet::default();
    for path in own.iter().copied() {
        own_blobs.extend(blob_at(path)?);
    }
    let files_total = old.files_total() as usize;
    let most = rare_at_most(files_total);
    let chunks = old.view.live_chunks()?;
    let mut mentions: Vec<RareWordMentions<'_, BlobNo>> = Vec::new();
    for word in looked_up {
        old.context.deadline.check()?;
        if chunks.document_frequency(TextField::Body, &word.lower)? > (most * CHUNKS_OF_A_FILE) as u64 {
            continue;
        }
        let with_word = chunks.with_identifier(&word.lower)?;
        let mut files: Vec<BlobNo> = with_word.into_iter().map(|chunk| chunk.blob_no).collect();
        files.sort_unstable();
        files.dedup();
        let mentioning = files.len();
        files.retain(|blob_no| !own_blobs.contains(blob_no));
        if mentioning <= most && !files.is_empty() {
            mentions.push(RareWordMentions { word, files_total: mentioning, files });
        }
    }
    let mentioned = mentioned_words(&mentions, files_total);
    for (path, candidate) in found.iter_mut() {
        candidate.words = blob_at(path)?.and_then(|blob_no| mentioned.get(&blob_no)).cloned();
    }
    for (path, words) in mentioning_most(old, &mentioned)? {
        found.entry(path.clone()).or_insert_with(|| DiffCandidate::new(path)).words = Some(words);
    }
    Ok(())
}

/// The files that mention most of the words, best first and then by path.
fn mentioning_most(
    old: &Snapshot,
    mentioned: &BTreeMap<BlobNo, MentionedWords>,
) -> Result<Vec<(RepoPath, MentionedWords)>, Error> {
    let mut rarities: Vec<f64> = mentioned.values().map(|words| words.rarity).collect();
    rarities.sort_by(|one, other| other.total_cmp(one));
    let least = rarities.get(FOUND - 1).copied().unwrap_or_default();
    // Blob numbers depend on the order of indexing, so that either all ties are taken or none.
    let with_equals = rarities.iter().filter(|rarity| **rarity >= least).count() <= FOUND_WITH_EQUALS;
    let is_taken = |words: &MentionedWords| words.rarity > least || (with_equals && words.rarity >= least);
    let taken: FxHashSet<BlobNo> =
        mentioned.iter().filter(|(_, words)| is_taken(words)).map(|(blob_no, _)| *blob_no).collect();
    let mut files: Vec<(RepoPath, MentionedWords)> = Vec::new();
    for (blob_no, _, place) in old.view.paths_of(&taken)? {
        files.push((place.path.clone(), mentioned[&blob_no].clone()));
    }
    files.sort_by(|one, other| other.1.rarity.total_cmp(&one.1.rarity).then_with(|| one.0.cmp(&other.0)));
    files.truncate(FOUND);
    Ok(files)
}

/// Which past files mentioned which words, read from commits without a view. The number of files that mention a word is
/// counted in one tree; whether a file mentions it is read from the tree of the moment in question.
///
/// A blob that cannot be read, as in a partial clone, mentions nothing. Neither does a file that is no member, because
/// no view has its words.
pub(crate) struct PastWords<'a> {
    repository: &'a Repository,
    policy: &'a Policy,
    reader: BlobReader,
    /// Digests of the words of each blob that was read, ascending.
    words_by_blob: HashMap<BlobId, Rc<[u64]>>,
    /// Files of the tree that were read.
    files: Vec<RepoPath>,
    /// Indices in `files` of those that mention a word, by its digest.
    files_by_word: FxHashMap<u64, Vec<u32>>,
    /// How many files of the tree each of `files` stands for.
    step: usize,
    files_total: usize,
}

/// The trees before and after a commit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommitTrees {
    pub(crate) before: TreeId,
    after: TreeId,
}

impl<'a> PastWords<'a> {
    /// Reads the files of `tree` that are members of the views of `snapshot`'s engine, at most 5,000 of them.
    pub(crate) fn read(snapshot: &'a Snapshot, tree: TreeId) -> Result<Self, Error> {
        let foundation = &snapshot.context.foundation;
        let policy = foundation.shape.policy();
        let mut members: Vec<(RepoPath, BlobId)> = Vec::new();
        foundation.repository.files(tree, &mut |file| {
            if file.kind.is_file() && policy.decide(&file.path) == Membership::Member {
                members.push((file.path, file.blob));
            }
        })?;
        let mut past = Self {
            repository: &foundation.repository,
            policy,
            reader: foundation.repository.reader(),
            words_by_blob: HashMap::new(),
            files: Vec::new(),
            files_by_word: FxHashMap::default(),
            step: members.len().div_ceil(PAST_FILES).max(1),
            files_total: members.len(),
        };
        for (path, blob) in members.into_iter().step_by(past.step) {
            let number = past.files.len() as u32;
            for word in past.words_of(blob).iter() {
                past.files_by_word.entry(*word).or_default().push(number);
            }
            past.files.push(path);
        }
        Ok(past)
    }

    /// The trees before and after a commit that is no merge; `None` for a commit without a parent.
    ///
    /// # Errors
    ///
    /// Those of the repository, also for a missing parent.
    pub(crate) fn trees_of(&self, commit: CommitId) -> Result<Option<CommitTrees>, Error> {
        let parents = self.repository.parents(commit)?;
        let Some(parent) = parents.first() else { return Ok(None) };
        let before = self.repository.resolve(&parent.to_string())?.tree;
        let after = self.repository.resolve(&commit.to_string())?.tree;
        Ok(Some(CommitTrees { before, after }))
    }

    /// The words of the lines that a commit changed, for each of its `files` (paths before and after). The byte limit
    /// is the same as for a change, and applies to all files together, the first files first.
    pub(crate) fn read_changed_words(
        &mut self,
        trees: CommitTrees,
        files: &[(&RepoPath, &RepoPath)],
    ) -> Result<Vec<ChangedWords>, Error> {
        let mut words = WordsOfLines::new();
        let mut words_by_file = Vec::with_capacity(files.len());
        for (before, after) in files {
            if let (Some(old), Some(new)) = (self.text_at(trees.before, before)?, self.text_at(trees.after, after)?) {
                words.add(&old, &new);
            }
            words_by_file.push(std::mem::take(&mut words.found));
        }
        Ok(words_by_file)
    }

    /// The files that mention most of `words` in the tree that was read, without those of the change, best first and
    /// then by path.
    ///
    /// The path decides which of several equal files are cut off. A live answer takes all of them or none, since it
    /// knows them only by number.
    pub(crate) fn mentioning_most(&self, words: &ChangedWords, own: &[&RepoPath]) -> Vec<RepoPath> {
        let mut rarities: FxHashMap<u32, f64> = FxHashMap::default();
        for word in words.longest() {
            let Some(files) = self.files_by_word.get(&digest(&word.lower)) else { continue };
            let mentioning = files.len() * self.step;
            if mentioning > rare_at_most(self.files_total) {
                continue;
            }
            let rarity = rarity(self.files_total, mentioning);
            for file in files {
                *rarities.entry(*file).or_default() += rarity;
            }
        }
        let mut files: Vec<(f64, &RepoPath)> =
            rarities.into_iter().map(|(file, rarity)| (rarity, &self.files[file as usize])).collect();
        files.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
        let others = files.into_iter().map(|(_, path)| path).filter(|path| !own.contains(path));
        others.take(FOUND).cloned().collect()
    }

    /// For each of `candidates` (files outside of the change), in order, what it mentioned of `words` in the tree
    /// `before`.
    pub(crate) fn read_mentioned_words(
        &mut self,
        before: TreeId,
        words: &ChangedWords,
        candidates: &[RepoPath],
    ) -> Result<Vec<Option<MentionedWords>>, Error> {
        let mut words_by_candidate: Vec<Rc<[u64]>> = Vec::with_capacity(candidates.len());
        for path in candidates {
            let blob =
                self.repository.file_at(before, path)?.filter(|(_, kind)| kind.is_file() && self.is_member(path));
            words_by_candidate.push(blob.map(|(blob, _)| self.words_of(blob)).unwrap_or_default());
        }
        let mut mentions: Vec<RareWordMentions<'_, usize>> = Vec::new();
        for word in words.longest() {
            let digest = digest(&word.lower);
            let mentioning = self.files_by_word.get(&digest).map_or(0, Vec::len) * self.step;
            if mentioning > rare_at_most(self.files_total) {
                continue;
            }
            let files = words_by_candidate.iter().enumerate();
            let files: Vec<usize> =
                files.filter(|(_, words)| words.binary_search(&digest).is_ok()).map(|(at, _)| at).collect();
            if !files.is_empty() {
                // A file that was deleted since is not in the tree that was read; its mentions are counted here.
                mentions.push(RareWordMentions { word, files_total: mentioning.max(files.len()), files });
            }
        }
        let mut mentioned = mentioned_words(&mentions, self.files_total);
        Ok((0..candidates.len()).map(|at| mentioned.remove(&at)).collect())
    }

    fn is_member(&self, path: &RepoPath) -> bool {
        self.policy.decide(path) == Membership::Member
    }

    /// The text of a file in a tree; empty if it does not exist, `None` if it is not compared.
    fn text_at(&mut self, tree: TreeId, path: &RepoPath) -> Result<Option<Vec<u8>>, Error> {
        match self.repository.file_at(tree, path)? {
            None => Ok(Some(Vec::new())),
            Some((blob, kind)) if kind.is_file() && self.is_member(path) => Ok(self.text_of(blob)),
            Some(_) => Ok(None),
        }
    }

    fn text_of(&mut self, blob: BlobId) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let is_small = self.reader.size(blob).is_ok_and(|size| size <= PAST_BYTES);
        (is_small && self.reader.read(blob, &mut text).is_ok() && !text.contains(&0)).then_some(text)
    }

    fn words_of(&mut self, blob: BlobId) -> Rc<[u64]> {
        if let Some(words) = self.words_by_blob.get(&blob) {
            return Rc::clone(words);
        }
        let mut words: Vec<u64> = Vec::new();
        if let Some(text) = self.text_of(blob) {
            icr_lexical::identifiers(&text, &mut |identifier| {
                if is_looked_up(identifier) {
                    words.push(digest(identifier));
                }
            });
        }
        words.sort_unstable();
        words.dedup();
        let words: Rc<[u64]> = words.into();
        self.words_by_blob.insert(blob, Rc::clone(&words));
        words
    }
}

/// A digest of a word, independent of case.
fn digest(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    word.bytes().for_each(|byte| hasher.write_u8(byte.to_ascii_lowercase()));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use icr_fixture::Fixture;
    use tempfile::TempDir;

    use super::*;
    use crate::{Engine, OpenOptions, SyncOptions, ViewSelector};

    /// Each word with the sides of the change that contain it, longest first.
    #[track_caller]
    fn check(old: &str, new: &str, expected: &str) {
        let mut words = WordsOfLines::new();
        words.add(old.as_bytes(), new.as_bytes());
        let shown = words.found.longest().into_iter().map(|word| {
            let added = if word.added { "+" } else { "" };
            let removed = if word.removed { "-" } else { "" };
            format!("{added}{removed}{}", word.written)
        });
        assert_eq!(shown.collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn words_are_those_of_lines_that_differ() {
        check(
            "same_line();\nkeep_this(old_name);\n",
            "same_line();\nkeep_this(new_name);\n",
            "+-keep_this +new_name -old_name",
        );
        check("", "let answer = 42;\n", "+answer");
        check("gone_for_good\n", "", "-gone_for_good");
        check("same_line();\n", "same_line();\n", "");
    }

    #[test]
    fn of_a_long_change_only_the_first_words_count() {
        let mut words = WordsOfLines::new();
        let long = format!("first_word\n{}last_word\n", " \n".repeat(CHANGED_BYTES));
        words.add(b"", long.as_bytes());
        let found: Vec<&str> = words.found.longest().into_iter().map(|word| word.written.as_str()).collect();
        assert_eq!((found, words.bytes_left), (vec!["first_word"], 0));
    }

    const BANNER: &str =
        "//- a.rs\nfn a() { render_banner(); }\n//- docs/x.md\nCall render_banner.\n//- docs/y.md\nNo.\n";

    fn open_fixture(fixture: &Fixture) -> (TempDir, Snapshot) {
        let home = tempfile::tempdir().unwrap();
        let engine = Engine::open(OpenOptions::new(fixture.root(), home.path())).unwrap();
        engine.sync(&SyncOptions::default(), &icr_ingest::SilentObserver).unwrap();
        let snapshot = engine.snapshot(&ViewSelector::Head).unwrap();
        (home, snapshot)
    }

    fn format_mentions(words: Option<&MentionedWords>) -> String {
        words.map_or("nothing".to_owned(), |words| format!("{} of {}", words.word, words.words))
    }

    #[test]
    fn files_that_mention_a_changed_word_become_candidates() {
        let fixture = Fixture::new(BANNER);
        let (_home, snapshot) = open_fixture(&fixture);
        let mut words = ChangedWords::default();
        words.add("Render_Banner", LineSide::Removed);
        words.add("absent_word", LineSide::Added);
        let (changed, other): (RepoPath, RepoPath) = ("a.rs".into(), "docs/y.md".into());
        let mut found = BTreeMap::from([(other.clone(), DiffCandidate::new(other))]);
        add_words(&snapshot, &words, &BTreeSet::from([&changed]), &mut found).unwrap();
        let shown: Vec<String> = found
            .values()
            .map(|candidate| format!("{} {}", candidate.path, format_mentions(candidate.words.as_ref())))
            .collect();
        assert_eq!(shown, ["docs/x.md Render_Banner of 1", "docs/y.md nothing"]);
    }

    #[test]
    fn the_past_mentions_what_it_did_before_the_commit() {
        let fixture = Fixture::new(BANNER);
        fixture.write("//- a.rs\nfn a() { render_footer(); }\n//- docs/y.md\nCall render_footer.\n");
        let commit: CommitId = fixture.commit("second").parse().unwrap();
        let first: CommitId = fixture.git(&["rev-parse", "HEAD~1"]).parse().unwrap();
        let (_home, snapshot) = open_fixture(&fixture);
        let mut past = PastWords::read(&snapshot, snapshot.view.revision().tree).unwrap();
        assert!(past.trees_of(first).unwrap().is_none());
        let trees = past.trees_of(commit).unwrap().unwrap();
        let changed: RepoPath = "a.rs".into();
        let words = past.read_changed_words(trees, &[(&changed, &changed)]).unwrap().remove(0);
        let others = past.mentioning_most(&words, &[&changed]);
        assert_eq!(others.iter().map(RepoPath::to_string).collect::<Vec<_>>(), ["docs/x.md", "docs/y.md"]);
        let found = past.read_mentioned_words(trees.before, &words, &others).unwrap();
        let shown: Vec<String> = found.iter().map(|words| format_mentions(words.as_ref())).collect();
        assert_eq!(shown, ["render_banner of 1", "nothing"]);
    }

    /// The words of each file of HEAD's commit, by its paths before and after it.
    #[track_caller]
    fn check_changed(fixture: &Fixture, files: &[(&str, &str)], expected: &[&str]) {
        let commit: CommitId = fixture.git(&["rev-parse", "HEAD"]).parse().unwrap();
        let (_home, snapshot) = open_fixture(fixture);
        let mut past = PastWords::read(&snapshot, snapshot.view.revision().tree).unwrap();
        let trees = past.trees_of(commit).unwrap().unwrap();
        let files: Vec<(RepoPath, RepoPath)> = files.iter().map(|(old, new)| ((*old).into(), (*new).into())).collect();
        let files: Vec<(&RepoPath, &RepoPath)> = files.iter().map(|(old, new)| (old, new)).collect();
        let shown =
            past.read_changed_words(trees, &files).unwrap().into_iter().map(|words| {
                words.longest().into_iter().map(|word| word.written.clone()).collect::<Vec<_>>().join(" ")
            });
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn of_a_past_commit_each_file_has_the_words_of_its_changed_lines() {
        let fixture =
            Fixture::new("//- gone.rs\nfn taken_out() {}\n//- old.rs\nfn kept_line() {}\nfn first_name() {}\n");
        fixture.delete("gone.rs");
        fixture.delete("old.rs");
        fixture.write("//- moved.rs\nfn kept_line() {}\nfn other_name() {}\n//- new.rs\nfn brand_new() {}\n");
        fixture.write("//- node_modules/made.rs\nfn generated_name() {}\n");
        fixture.commit("second");
        check_changed(
            &fixture,
            &[
                ("gone.rs", "gone.rs"),
                ("old.rs", "moved.rs"),
                ("new.rs", "new.rs"),
                ("node_modules/made.rs", "node_modules/made.rs"),
            ],
            &["taken_out", "first_name other_name", "brand_new", ""],
        );
    }

    #[test]
    fn the_files_of_a_past_commit_share_the_bytes_of_a_change() {
        let fixture = Fixture::new("//- z.rs\n\n");
        let long = format!("first_word\n{}", " \n".repeat(CHANGED_BYTES / 2));
        fixture.write_bytes("a.rs", long.as_bytes());
        fixture.write("//- b.rs\nfn second_word() {}\n");
        fixture.commit("second");
        check_changed(&fixture, &[("b.rs", "b.rs"), ("a.rs", "a.rs")], &["second_word", "first_word"]);
        check_changed(&fixture, &[("a.rs", "a.rs"), ("b.rs", "b.rs")], &["first_word", ""]);
    }

    #[test]
    fn a_parent_that_is_not_there_is_an_error() {
        let fixture = Fixture::new(BANNER);
        fixture.write("//- a.rs\nfn a() {}\n");
        let commit: CommitId = fixture.commit("second").parse().unwrap();
        let first = fixture.git(&["rev-parse", "HEAD~1"]);
        let (_home, snapshot) = open_fixture(&fixture);
        let past = PastWords::read(&snapshot, snapshot.view.revision().tree).unwrap();
        fixture.delete(&format!(".git/objects/{}/{}", &first[..2], &first[2..]));
        assert!(past.trees_of(commit).is_err());
    }
}

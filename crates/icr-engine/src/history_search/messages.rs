//! Commit messages as documents, and the files that they are about.

use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;

use icr_history::{FILES_OF_A_COMMIT, FileNo, FileNumbers, HALF_LIFE_COMMITS, NewFile};
use icr_lexical::{inverse_document_frequency, length_norm, term_score};
use icr_model::{CommitId, Gap, PathNo, RepoPath};
use rustc_hash::FxHashMap;

use crate::Error;
use crate::history::History;
use crate::search::{Terms, cut};

/// Bytes of a message that count: the subject and the paragraph below. What follows is lists, trailers and quotations;
/// it added nothing to the answers to 452 public queries, and in some repositories it is nine tenths of the text.
const MESSAGE_BYTES: usize = 512;

/// The messages of a history. They do not depend on a view; the caller maps files to its view.
///
/// Each commit is a document, and the score of a file is the root of the sum of the squares of its commits' scores. One
/// document for each file, with all its messages, scored 0.01 less (NDCG@10 of 452 public queries that are messages and
/// issues): in the text of a file that changed often, a single relevant message is lost.
pub(crate) struct Messages {
    /// Newest first.
    commits: Vec<IndexedMessage>,
    /// 64-bit hashes of the tokens of all messages. Collisions do not occur in practice, and would only change a score.
    tokens: Vec<u64>,
    /// Files that the commits changed.
    changed: Vec<FileNo>,
    /// By number.
    files: Vec<HistoryFile>,
    /// The current file of a path in the store.
    file_of: FxHashMap<PathNo, FileNo>,
    /// Gaps of the history.
    pub(crate) gaps: Vec<Gap>,
    meets_cut: bool,
}

struct IndexedMessage {
    tokens: Range<u32>,
    changed: Range<u32>,
    /// Number of newer commits.
    age: u32,
}

struct HistoryFile {
    /// Its newest name; `None` if that name belongs to another file now.
    name: Option<HistoryPath>,
    /// Committer time of the newest commit that changed it, in seconds since 1970.
    newest_change: i64,
}

/// A path, by its number in the store where it has one.
pub(super) enum HistoryPath {
    Listed(PathNo),
    Unlisted(RepoPath),
}

impl Messages {
    /// Tokenises the messages of `history`; `read` loads those that are in the ledger. A commit of more than
    /// [`FILES_OF_A_COMMIT`] files counts only for the time of its changes.
    ///
    /// Cost: linear in the commits and their files; at most half a kilobyte of each message is looked at.
    ///
    /// # Errors
    ///
    /// Those of `read`.
    pub(crate) fn new(
        history: &History,
        mut read: impl FnMut(&CommitId) -> Result<String, Error>,
    ) -> Result<Self, Error> {
        let mut messages = Self {
            commits: Vec::new(),
            tokens: Vec::new(),
            changed: Vec::new(),
            files: Vec::new(),
            file_of: FxHashMap::default(),
            gaps: history.gaps.clone(),
            meets_cut: history.meets_cut,
        };
        let mut numbers = FileNumbers::default();
        for (age, (commit, origin)) in history.commits.iter().zip(&history.origins).enumerate() {
            let first = messages.changed.len();
            let Self { changed, files, file_of, .. } = &mut messages;
            numbers.add_commit(&commit.changes, changed, |new| {
                let file = match new {
                    NewFile::Named(path) => {
                        HistoryFile { name: Some(name(history, path)), newest_change: origin.committer_time }
                    }
                    NewFile::Displaced(by) => {
                        HistoryFile { name: None, newest_change: files[by as usize].newest_change }
                    }
                };
                if let Some(HistoryPath::Listed(path_no)) = file.name {
                    file_of.insert(path_no, files.len() as FileNo);
                }
                files.push(file);
            });
            if !(1..=FILES_OF_A_COMMIT).contains(&commit.changes.len()) {
                messages.changed.truncate(first);
                continue;
            }
            let read_now;
            let message = match &origin.message {
                Some(message) => message,
                None => {
                    read_now = read(&origin.id)?;
                    &read_now
                }
            };
            let first_token = messages.tokens.len() as u32;
            let spoken = cut(message, MESSAGE_BYTES).as_bytes();
            icr_lexical::tokens(spoken, &mut |token| messages.tokens.push(hash(token)));
            messages.commits.push(IndexedMessage {
                tokens: first_token..messages.tokens.len() as u32,
                changed: first as u32..messages.changed.len() as u32,
                age: age as u32,
            });
        }
        Ok(messages)
    }

    /// Whether these messages can be kept: a shallow or partial clone may get more history.
    pub(crate) fn is_whole(&self) -> bool {
        self.gaps.is_empty() && !self.meets_cut
    }

    /// Files with the score of their messages for the terms; all above 0, in no order. Deterministic to the last bit
    /// for the same history.
    pub(super) fn scores(&self, terms: &Terms) -> Vec<(FileNo, f64)> {
        let mut scores: FxHashMap<FileNo, f64> = FxHashMap::default();
        for (commit, score) in self.scored_commits(terms) {
            let message = &self.commits[commit];
            // On the same queries, half-lives of 300 and 1,000 did equally well, and no decay did worse.
            let weight = (-f64::from(message.age) / HALF_LIFE_COMMITS).exp2();
            for file in &self.changed[message.changed.start as usize..message.changed.end as usize] {
                *scores.entry(*file).or_default() += weight * score * score;
            }
        }
        scores.into_iter().map(|(file, sum)| (file, sum.sqrt())).collect()
    }

    /// BM25 of the commits whose messages have any of the terms, newest first.
    fn scored_commits(&self, terms: &Terms) -> Vec<(usize, f64)> {
        let Terms { terms, weights } = terms;
        let wanted: Vec<u64> = terms.iter().map(|term| hash(term)).collect();
        // Six bits of a hash exclude most other tokens without comparing the terms.
        let bit = |hash: u64| 1_u64 << (hash & 63);
        let bits = wanted.iter().fold(0, |bits, hash| bits | bit(*hash));
        let mut commits_with = vec![0_u64; terms.len()];
        let mut matched: Vec<(usize, Vec<u32>)> = Vec::new();
        for (at, message) in self.commits.iter().enumerate() {
            let mut frequencies: Vec<u32> = Vec::new();
            for token in &self.tokens[message.tokens.start as usize..message.tokens.end as usize] {
                if bits & bit(*token) == 0 {
                    continue;
                }
                if let Some(term) = wanted.iter().position(|term| term == token) {
                    frequencies.resize(terms.len(), 0);
                    commits_with[term] += u64::from(frequencies[term] == 0);
                    frequencies[term] += 1;
                }
            }
            if !frequencies.is_empty() {
                matched.push((at, frequencies));
            }
        }
        let commits_total = self.commits.len() as u64;
        let rarity: Vec<f64> =
            commits_with.iter().map(|with| inverse_document_frequency(commits_total, *with)).collect();
        let weighed: Vec<f64> = rarity.iter().zip(weights).map(|(rarity, weight)| rarity * weight).collect();
        let score = |(at, frequencies): (usize, Vec<u32>)| {
            let norm = length_norm(commits_total, self.tokens.len() as u64, self.commits[at].tokens.len() as u32);
            let parts = weighed.iter().zip(&frequencies).filter(|(_, frequency)| **frequency > 0);
            (at, parts.map(|(rarity, frequency)| term_score(*rarity, *frequency, norm)).sum())
        };
        matched.into_iter().map(score).collect()
    }

    /// The newest name of `file`; `None` when that is another file's now.
    pub(super) fn name(&self, file: FileNo) -> Option<&HistoryPath> {
        self.files[file as usize].name.as_ref()
    }

    /// Committer time of the newest commit that changed the file with a listed path, in seconds since 1970.
    pub(super) fn newest_change(&self, path_no: PathNo) -> Option<i64> {
        self.file_of.get(&path_no).map(|file| self.files[*file as usize].newest_change)
    }

    /// The same for the files with other paths.
    pub(super) fn unlisted(&self) -> impl Iterator<Item = (&HistoryPath, i64)> {
        let unlisted = |file: &&HistoryFile| matches!(file.name, Some(HistoryPath::Unlisted(_)));
        self.files.iter().filter(unlisted).filter_map(|file| Some((file.name.as_ref()?, file.newest_change)))
    }
}

fn name(history: &History, path_no: PathNo) -> HistoryPath {
    match history.new_path(path_no) {
        Some(path) => HistoryPath::Unlisted(path.clone()),
        None => HistoryPath::Listed(path_no),
    }
}

fn hash(token: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(token.as_bytes());
    hasher.finish()
}

//! Search in changes: hunks of commits, and uncommitted hunks.

use crate::history::history;
use std::collections::{BTreeMap, HashSet};

use icr_git::{FileKind, LineHunk, Membership, OverlayState, line_hunks};
use icr_lexical::{ChunkDocument, LexicalReader, MemoryIndex, Statistics};
use icr_model::{BlobId, BlobNo, ChunkNo, CommitId, LiveSet, Moment, RepoPath};

use crate::files::PathScope;
use crate::lines::{LineQuery, TermMatcher, preview};
use crate::search::strength::of_texts;
use crate::search::{SearchHit, SearchRequest, SearchResults, SearchSpan, Terms, UnreadBlobs, cut, known_language};
use crate::{Error, Snapshot};

/// Most commits whose hunks are read because their messages match; as many of the newest commits are read too. Each
/// costs a tree diff and the contents that differ, a millisecond or two.
const COMMITS_LOOKED_AT: usize = 50;

/// Most files of one commit that are read, in order of the path. A commit with more is an import or a sweeping change.
const FILES_OF_A_COMMIT: usize = 50;

/// Hunks with fewer lines between them are merged.
const LINES_BETWEEN: u32 = 3;

/// Removed lines of a hunk that are searched, and as many added ones.
const LINES_OF_A_HUNK: usize = 200;

/// Lines of a hunk that are shown.
const LINES_SHOWN: usize = 4;

/// Weight of message and path, relative to 1 for the hunk's text.
const MESSAGE_WEIGHT: f64 = 0.5;
const PATH_WEIGHT: f64 = 0.5;

/// The origin of a hunk.
#[derive(Debug, Clone, Default)]
struct Origin {
    /// `None` for an uncommitted hunk.
    commit: Option<CommitId>,
    message: String,
}

/// Adjacent changed lines of one file.
struct Hunk {
    origin: usize,
    path: RepoPath,
    /// Language of the text after the change, or before it if the file was deleted.
    language: &'static str,
    lines: LineHunk,
    /// See [`changed_lines`].
    text: String,
}

/// Hunks that best match the words of the query, one for each file of each commit: of what is uncommitted, of the
/// newest commits, and of the commits whose messages match, among the newest 2,000. With `since`, only commits made at
/// or after that time.
///
/// # Errors
///
/// As [`crate::search()`].
pub(crate) fn search_diffs(
    snapshot: &Snapshot,
    request: &SearchRequest,
    since: Option<Moment>,
) -> Result<SearchResults, Error> {
    let language = known_language(request.language.as_deref())?;
    let part = PathScope::of(request.path_prefix.as_deref());
    let terms = Terms::of(&request.query).terms;
    let wanted = |path: &RepoPath| {
        snapshot.context.foundation.shape.policy().decide(path) == Membership::Member
            && part.holds(path)
            && language.is_none_or(|language| icr_lang::may_hold(icr_lang::language_of(path), language))
    };
    let mut unread = UnreadBlobs::default();
    let mut origins = vec![Origin::default()];
    let mut hunks = uncommitted_hunks(snapshot, &wanted)?;
    for origin in commits_to_look_at(snapshot, &terms, since)? {
        let id = origin.commit.expect("what is walked are commits");
        origins.push(origin);
        hunks.extend(hunks_of(snapshot, id, origins.len() - 1, &wanted, &mut unread)?);
    }
    hunks.retain(|hunk| language.is_none_or(|language| hunk.language == language));
    let scores = scores(&hunks, &origins, &terms)?;
    let mut best: BTreeMap<(usize, RepoPath), (f64, usize)> = BTreeMap::new();
    for (at, score) in scores {
        let of_file = best.entry((hunks[at].origin, hunks[at].path.clone())).or_insert((score, at));
        if score > of_file.0 {
            *of_file = (score, at);
        }
    }
    let mut ranked: Vec<_> = best.into_iter().collect();
    // Newer first among equals: origins are in the order of the history.
    ranked.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
    let top = ranked.first().map_or(1.0, |(_, (score, _))| *score);
    let total_count = ranked.len() as u64;
    let texts = ranked
        .iter()
        .take(request.limit)
        .map(|((origin, path), (_, at))| format!("{}\n{path}\n{}", origins[*origin].message, hunks[*at].text));
    let strength = of_texts(&request.query, &terms, texts, ranked.len());
    let wanted = TermMatcher::of(terms);
    let asked = LineQuery { wanted: &wanted, rarity: &[], weights: &[], identifiers: &[], about_tests: false };
    let results = ranked
        .into_iter()
        .take(request.limit)
        .map(|((origin, path), (score, at))| hit(snapshot, &hunks[at], &origins[origin], &path, score / top, &asked))
        .collect();
    Ok(SearchResults { results, total_count, strength, gaps: unread.gaps() })
}

/// Hunks of the uncommitted changes.
fn uncommitted_hunks(snapshot: &Snapshot, wanted: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<Hunk>, Error> {
    let mut hunks = Vec::new();
    let max_bytes = snapshot.context.foundation.shape.policy().max_file_bytes();
    let objects = snapshot.context.foundation.repository.reader();
    for entry in snapshot.view.overlay().entries.iter().filter(|entry| wanted(&entry.path)) {
        let mut old = Vec::new();
        if let Some((blob, kind)) =
            snapshot.context.foundation.repository.file_at(snapshot.view.revision().tree, &entry.path)?
            && kind.is_file()
            && objects.size(blob).is_ok_and(|bytes| bytes <= max_bytes)
            && objects.read(blob, &mut old).is_err()
        {
            continue;
        }
        let new = match entry.state {
            OverlayState::Present { .. } => snapshot.view.text_at(&entry.path).unwrap_or_default().unwrap_or_default(),
            OverlayState::Deleted => Vec::new(),
        };
        add_hunks(&mut hunks, 0, &entry.path, &old, &new);
    }
    Ok(hunks)
}

/// Commits to search, newest first: the newest ones, and those whose messages match `terms` best.
fn commits_to_look_at(snapshot: &Snapshot, terms: &[String], since: Option<Moment>) -> Result<Vec<Origin>, Error> {
    let mut commits = Vec::new();
    for origin in history(snapshot)?.origins {
        if since.is_some_and(|since| Moment(origin.committer_time) < since) {
            continue;
        }
        let message = match origin.message {
            Some(message) => message,
            None => snapshot.view.look_ups().commit_message(&origin.id)?.unwrap_or_default(),
        };
        commits.push(Origin { commit: Some(origin.id), message });
    }
    let documents: Vec<ChunkDocument<'_>> =
        commits.iter().enumerate().map(|(at, commit)| document(at, commit.message.as_bytes())).collect();
    let said: HashSet<usize> = searched(&documents, terms, COMMITS_LOOKED_AT)?.into_iter().map(|(at, _)| at).collect();
    let looked_at = |at: usize| at < COMMITS_LOOKED_AT || said.contains(&at);
    Ok(commits.into_iter().enumerate().filter(|(at, _)| looked_at(*at)).map(|(_, commit)| commit).collect())
}

/// Hunks of what a commit changed against its parent.
fn hunks_of(
    snapshot: &Snapshot,
    commit: CommitId,
    origin: usize,
    wanted: &dyn Fn(&RepoPath) -> bool,
    unread: &mut UnreadBlobs,
) -> Result<Vec<Hunk>, Error> {
    let repository = &snapshot.context.foundation.repository;
    let parents = repository.parents(commit)?;
    let mut hunks = Vec::new();
    // If the parent lies beyond the cut of a shallow clone, there is nothing to compare with; the view reports that it
    // is shallow.
    let base = match parents.first().map(|parent| repository.resolve(&parent.to_string())).transpose() {
        Ok(base) => base.map(|base| base.tree),
        Err(_) => return Ok(hunks),
    };
    let tree = repository.resolve(&commit.to_string())?.tree;
    let max_bytes = snapshot.context.foundation.shape.policy().max_file_bytes();
    let objects = repository.reader();
    // Empty if the file does not exist on a side; `None` if it is no file or too large, and is skipped.
    let read = |side: Option<(BlobId, FileKind)>| -> Result<Option<Vec<u8>>, icr_git::Error> {
        let Some((blob, kind)) = side else { return Ok(Some(Vec::new())) };
        if !kind.is_file() || objects.size(blob)? > max_bytes {
            return Ok(None);
        }
        let mut text = Vec::new();
        objects.read(blob, &mut text)?;
        Ok(Some(text))
    };
    let changes = repository.changes_between(base, tree)?;
    for change in changes.iter().filter(|change| wanted(&change.path)).take(FILES_OF_A_COMMIT) {
        match (read(change.old), read(change.new)) {
            (Ok(Some(old)), Ok(Some(new))) => add_hunks(&mut hunks, origin, &change.path, &old, &new),
            (Ok(_), Ok(_)) => {}
            _ => unread.count_object(),
        }
    }
    Ok(hunks)
}

/// Adds the hunks between two contents of a file, unless one of them is not text.
fn add_hunks(hunks: &mut Vec<Hunk>, origin: usize, path: &RepoPath, old: &[u8], new: &[u8]) {
    if old.contains(&0) || new.contains(&0) {
        return;
    }
    let old_lines: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
    let language = icr_lang::language_of_text(icr_lang::language_of(path), if new.is_empty() { old } else { new });
    let new_lines: Vec<&[u8]> = new.split_inclusive(|byte| *byte == b'\n').collect();
    let line_hunks = line_hunks(old, new);
    for close in line_hunks.chunk_by(|one, next| next.new.start.saturating_sub(one.new.end) < LINES_BETWEEN) {
        let (first, last) = (&close[0], &close[close.len() - 1]);
        let lines = LineHunk { old: first.old.start..last.old.end, new: first.new.start..last.new.end };
        let text = changed_lines(close, &old_lines, &new_lines);
        hunks.push(Hunk { origin, path: path.clone(), language, lines, text });
    }
}

/// The removed lines after `-` and the added ones after `+`, in the order of a unified diff. Unchanged lines between
/// `hunks` are left out.
fn changed_lines(hunks: &[LineHunk], old_lines: &[&[u8]], new_lines: &[&[u8]]) -> String {
    let mut text = String::new();
    let (mut removed, mut added) = (LINES_OF_A_HUNK, LINES_OF_A_HUNK);
    for hunk in hunks {
        for (mark, side, range, left) in
            [('-', old_lines, &hunk.old, &mut removed), ('+', new_lines, &hunk.new, &mut added)]
        {
            let lines = &side[range.start as usize..range.end as usize];
            for line in lines.iter().take(*left) {
                text.push(mark);
                text.push_str(String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']));
                text.push('\n');
            }
            *left = left.saturating_sub(lines.len());
        }
    }
    text
}

/// Each matching hunk by its number, with its score.
fn scores(hunks: &[Hunk], origins: &[Origin], terms: &[String]) -> Result<Vec<(usize, f64)>, Error> {
    let paths: Vec<String> = hunks.iter().map(|hunk| hunk.path.to_string()).collect();
    let documents: Vec<ChunkDocument<'_>> = hunks
        .iter()
        .enumerate()
        .map(|(at, hunk)| ChunkDocument {
            definitions: vec![paths[at].as_str()],
            docs: vec![origins[hunk.origin].message.as_bytes()],
            ..document(at, hunk.text.as_bytes())
        })
        .collect();
    searched(&documents, terms, hunks.len())
}

pub(super) fn document(at: usize, body: &[u8]) -> ChunkDocument<'_> {
    let at = at as u32;
    ChunkDocument { body, ..ChunkDocument::new(ChunkNo(at), BlobNo(at)) }
}

/// The best of `documents`, which are numbered in their order, and all that score with the last of these.
pub(super) fn searched(
    documents: &[ChunkDocument<'_>],
    terms: &[String],
    limit: usize,
) -> Result<Vec<(usize, f64)>, Error> {
    if documents.is_empty() || terms.is_empty() {
        return Ok(Vec::new());
    }
    let index = MemoryIndex::build(documents, &[])?;
    let statistics = index.chunk_tokens().iter().fold(Statistics::default(), |sum, tokens| sum.with(*tokens));
    let live = LiveSet::from_numbers(0..documents.len() as u32);
    let hits = LexicalReader::of_memory(&index)?.live_chunks(&live, statistics)?.search(terms, limit, |scores| {
        let [body, path, message] = scores.fields;
        body + PATH_WEIGHT * path + MESSAGE_WEIGHT * message
    })?;
    Ok(hits.chunks.into_iter().map(|hit| (hit.chunk_no.0 as usize, hit.rank)).collect())
}

fn hit(
    snapshot: &Snapshot,
    hunk: &Hunk,
    origin: &Origin,
    path: &RepoPath,
    score: f64,
    asked: &LineQuery<'_>,
) -> SearchHit {
    // A pure deletion is shown at the line that follows it.
    let start_line = hunk.lines.new.start + 1;
    let end_line = hunk.lines.new.end.max(start_line);
    let commit = origin.commit.map(|commit| commit.to_string());
    let shown = snapshot.masked_part(&hunk.text);
    let short = commit.as_deref().map_or("worktree", |id| &id[..8]);
    SearchHit {
        id: format!("{short}:{path}:{start_line}-{end_line}"),
        path: path.to_string(),
        symbol: None,
        start_line,
        end_line,
        score,
        match_type: if commit.is_some() { "commit" } else { "uncommitted" },
        preview: preview(shown.as_bytes(), asked, LINES_SHOWN),
        language: hunk.language.to_owned(),
        spans: vec![SearchSpan { symbol: None, start_line, end_line, score }],
        explanation: Vec::new(),
        subject: origin.message.lines().next().filter(|_| commit.is_some()).map(|line| cut(line, 200).to_owned()),
        commit,
        speaker: None,
        said_at: None,
        scope: None,
    }
}

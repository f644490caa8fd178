//! A change line by line, as reviewers read it.

use icr_git::{LineHunk, line_hunks};
use icr_impact::FileStatus;
use icr_ingest::Observer;
use icr_model::{Provenance, RepoPath};
use serde::Serialize;

use crate::change::{ChangePlanner, FilePair, Opaque, ViewChange, outside};
use crate::search::path_of;
use crate::{ChangeSource, Engine, Error, Freshness, Snapshot};

/// Lines of context before and after changed lines, as in git's default.
const CONTEXT_LINES: u32 = 3;

/// Files of a change whose lines are shown: more than a person reads, and less than a browser chokes on.
const FILES_MOST: usize = 300;

/// Lines that are shown of all files together.
const LINES_MOST: usize = 20_000;

/// Longest line shown, in bytes; what is longer was written by a program.
const LINE_BYTES_MOST: usize = 2_000;

/// Which change to show.
#[derive(Debug, Clone)]
pub struct LineDiffRequest {
    /// What is compared with what.
    pub source: ChangeSource,
    /// Only this file, under its path before or after the change.
    pub path: Option<String>,
}

/// A change line by line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct LineDiff {
    /// What the change was made on, in words.
    pub base: String,
    /// What it leads to, in words.
    pub head: String,
    /// Files, by path.
    pub files: Vec<FileLines>,
    /// Files that changed.
    pub files_total: u64,
    /// Whether files or lines are left out.
    pub truncated: bool,
}

/// A file of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FileLines {
    /// Path after the change; before it for a deletion.
    pub path: String,
    /// Path before the change, where that was another.
    pub old_path: Option<String>,
    /// What happened to it.
    pub status: FileStatus,
    /// Lines that are new.
    pub added: u32,
    /// Lines that are gone.
    pub removed: u32,
    /// Why no lines are shown, where none can be: it is binary, too large, or must not be read.
    pub opaque: Option<String>,
    /// Places that changed, in order.
    pub hunks: Vec<HunkLines>,
}

/// Adjacent lines of a file, some of which changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct HunkLines {
    /// First line before the change, 1-based; 0 where the file was empty.
    pub old_start: u32,
    /// Lines of the old text.
    pub old_lines: u32,
    /// First line after the change, 1-based; 0 where the file is empty.
    pub new_start: u32,
    /// Lines of the new text.
    pub new_lines: u32,
    /// The lines, each after ` `, `-` or `+`, without their ends.
    pub lines: Vec<String>,
}

/// What a change does to each line, and what that was computed from. The store is brought up to date first, as
/// [`Engine::impact`] does.
///
/// Cost: both texts of every file shown.
///
/// # Errors
///
/// As for [`Engine::impact`].
pub fn line_diff(
    engine: &Engine,
    request: &LineDiffRequest,
    freshness: &Freshness,
    observer: &dyn Observer,
) -> Result<(LineDiff, Provenance), Error> {
    let plan = ChangePlanner::of(engine.context()).plan(&request.source)?;
    plan.bring_base_up_to_date(&engine.snapshots(), freshness, observer)?;
    engine.answer(&plan.at, freshness, observer, |asked| {
        let change = plan.change(&request.source, asked)?;
        Ok((diff_of(&change, request)?, change.new.provenance().clone()))
    })
}

fn diff_of(change: &ViewChange<'_>, request: &LineDiffRequest) -> Result<LineDiff, Error> {
    let only = request.path.as_deref().map(path_of);
    let is_wanted = |pair: &&FilePair| {
        only.as_ref().is_none_or(|path| pair.old.as_ref() == Some(path) || pair.new.as_ref() == Some(path))
    };
    let wanted: Vec<&FilePair> = change.files.iter().filter(is_wanted).collect();
    let mut room = LINES_MOST;
    let mut diff = LineDiff {
        base: change.sides.base.clone(),
        head: change.sides.head.clone(),
        files_total: wanted.len() as u64,
        truncated: wanted.len() > FILES_MOST,
        ..LineDiff::default()
    };
    for pair in wanted.into_iter().take(FILES_MOST) {
        let file = file_lines(change, pair, room)?;
        let shown: usize = file.hunks.iter().map(|hunk| hunk.lines.len()).sum();
        diff.truncated |= file.hunks.is_empty() && file.opaque.is_none() && file.added + file.removed > 0;
        room = room.saturating_sub(shown);
        diff.files.push(file);
    }
    Ok(diff)
}

/// The diff of one file; without lines if the bound is reached.
fn file_lines(change: &ViewChange<'_>, pair: &FilePair, room: usize) -> Result<FileLines, Error> {
    let old_path = pair.old.as_ref().filter(|old| pair.new.as_ref().is_some_and(|new| new != *old));
    let mut file = FileLines {
        path: pair.path().to_string(),
        old_path: old_path.map(ToString::to_string),
        status: pair.status,
        added: 0,
        removed: 0,
        opaque: pair.opaque.map(|opaque| opaque.words().to_owned()),
        hunks: Vec::new(),
    };
    if file.opaque.is_some() {
        return Ok(file);
    }
    let (old, new) = (text_of(&change.old, pair.old.as_ref())?, text_of(&change.new, pair.new.as_ref())?);
    let (Some(old), Some(new)) = (old, new) else {
        // A rule of one side leaves it out.
        let sides = [(&change.old, &pair.old), (&change.new, &pair.new)];
        let mut paths = sides.into_iter().filter_map(|(side, path)| Some((side, path.as_ref()?)));
        let opaque = paths.find_map(|(side, path)| outside(side.context.foundation.shape.policy(), path));
        file.opaque = Some(opaque.map_or_else(|| "it has no text".to_owned(), Opaque::words));
        return Ok(file);
    };
    let hunks = line_hunks(&old, &new);
    for hunk in &hunks {
        file.removed += hunk.old.end - hunk.old.start;
        file.added += hunk.new.end - hunk.new.start;
    }
    let (old, new) = (lines_of(&old), lines_of(&new));
    let shown: Vec<HunkLines> = groups(&hunks).into_iter().map(|group| hunk_lines(group, &old, &new)).collect();
    if shown.iter().map(|hunk| hunk.lines.len()).sum::<usize>() <= room {
        file.hunks = shown;
    }
    Ok(file)
}

/// The text on one side, with credentials masked; empty if the file does not exist there, `None` if it has no text.
fn text_of(side: &Snapshot, path: Option<&RepoPath>) -> Result<Option<Vec<u8>>, Error> {
    let Some(path) = path else { return Ok(Some(Vec::new())) };
    let mut text = side.view.text_at(path)?;
    if let Some(text) = &mut text {
        side.mask(text);
    }
    Ok(text)
}

fn lines_of(text: &[u8]) -> Vec<String> {
    let shown = |line: &[u8]| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let cut = line.len() > LINE_BYTES_MOST;
        let line = String::from_utf8_lossy(&line[..line.len().min(LINE_BYTES_MOST)]).into_owned();
        if cut { format!("{line}…") } else { line }
    };
    text.split_inclusive(|byte| *byte == b'\n').map(shown).collect()
}

/// Hunks whose context would overlap, merged.
fn groups(hunks: &[LineHunk]) -> Vec<&[LineHunk]> {
    hunks.chunk_by(|one, next| next.new.start - one.new.end <= 2 * CONTEXT_LINES).collect()
}

fn hunk_lines(group: &[LineHunk], old: &[String], new: &[String]) -> HunkLines {
    let (first, last) = (&group[0], &group[group.len() - 1]);
    let before = CONTEXT_LINES.min(first.new.start);
    let after = CONTEXT_LINES.min(new.len() as u32 - last.new.end);
    let (old_from, new_from) = (first.old.start - before, first.new.start - before);
    let (old_to, new_to) = (last.old.end + after, last.new.end + after);
    let marked =
        |mark: char, lines: &[String]| -> Vec<String> { lines.iter().map(|line| format!("{mark}{line}")).collect() };
    let mut lines = Vec::new();
    let mut at = new_from;
    for hunk in group {
        lines.extend(marked(' ', &new[at as usize..hunk.new.start as usize]));
        lines.extend(marked('-', &old[hunk.old.start as usize..hunk.old.end as usize]));
        lines.extend(marked('+', &new[hunk.new.start as usize..hunk.new.end as usize]));
        at = hunk.new.end;
    }
    lines.extend(marked(' ', &new[at as usize..new_to as usize]));
    let start = |from: u32, to: u32| if to > from { from + 1 } else { from };
    HunkLines {
        old_start: start(old_from, old_to),
        old_lines: old_to - old_from,
        new_start: start(new_from, new_to),
        new_lines: new_to - new_from,
        lines,
    }
}

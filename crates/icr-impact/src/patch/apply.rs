//! From one content of a file to the other.

use super::hunk::LineKind;
use super::hunk_placement::{ContentLines, DirectedHunk};
use super::{Error, FilePatch};
use crate::FileStatus;

/// Which way a patch is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the content before to the one after.
    Forward,
    /// From the content after to the one before.
    Reverse,
}

/// Ids of the empty blob, by SHA-1 and by SHA-256.
const EMPTY_BLOBS: [&str; 2] =
    ["e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"];

/// The content on the other side of `patch`, made from `content`. For a file that is not there the content is empty, on
/// either side.
///
/// Hunks fit as `git apply` fits them, without fuzz: at their line, else at the nearest other place where all their
/// lines are, the later of two equally near. What the diff knows of the beginning and the end of the file has to hold:
/// a hunk from line 1 is only at the beginning, one that ends without context only at the end. Hunks without any
/// context fit at their line alone.
///
/// Where the lines only fit if `\r\n` counts as `\n`, they fit so, and the result has the line ends of `content`.
/// Whether the last line has an end has to be as the patch says.
///
/// Cost: linear in the content and the patch, while hunks are at their line; finding those that are not is bounded.
///
/// # Errors
///
/// [`Error::Mismatch`] and [`Error::Overlap`] for a hunk that fits nowhere, [`Error::TooRepetitive`] when that would
/// take too long to know, [`Error::AlreadyThere`] and [`Error::NotAllDeleted`] when `content` is not the whole of a
/// file that is new or gone, [`Error::Binary`] and [`Error::LeftOut`] when the diff lacks the lines.
pub fn apply(patch: &FilePatch<'_>, content: &[u8], direction: Direction) -> Result<Vec<u8>, Error> {
    let path = || patch.path().to_string();
    if patch.binary {
        return Err(Error::Binary { path: path() });
    }
    let (makes, deletes) = match (patch.status, direction) {
        (FileStatus::Added, Direction::Forward) | (FileStatus::Deleted, Direction::Reverse) => (true, false),
        (FileStatus::Deleted, Direction::Forward) | (FileStatus::Added, Direction::Reverse) => (false, true),
        _ => (false, false),
    };
    if makes && !content.is_empty() {
        return Err(Error::AlreadyThere { path: path(), lines: lines(content) });
    }
    if patch.hunks.is_empty() && patch.status == FileStatus::Deleted && !held_nothing(patch) {
        return if deletes { Ok(Vec::new()) } else { Err(Error::LeftOut { path: path() }) };
    }
    let result = match apply_hunks(patch, content, direction, false) {
        Err(_) if has_other_ends(patch, content) => apply_hunks(patch, content, direction, true)?,
        result => result?,
    };
    if deletes && !result.is_empty() {
        return Err(Error::NotAllDeleted { path: path(), lines: lines(&result) });
    }
    Ok(result)
}

/// Whether the deleted file was empty, so that no hunk is missing.
fn held_nothing(patch: &FilePatch<'_>) -> bool {
    patch.old_blob.as_ref().is_none_or(|id| EMPTY_BLOBS.iter().any(|empty| empty.starts_with(id.as_str())))
}

/// Whether `\r` can be why a hunk does not fit.
fn has_other_ends(patch: &FilePatch<'_>, content: &[u8]) -> bool {
    let ends_in_return = |text: &[u8]| text.last() == Some(&b'\r');
    let in_patch = || patch.hunks.iter().any(|hunk| hunk.lines().any(|line| ends_in_return(line.text)));
    content.contains(&b'\r') || in_patch()
}

/// All hunks applied, with `\r\n` as `\n` where `any_ends`.
fn apply_hunks(patch: &FilePatch<'_>, bytes: &[u8], direction: Direction, any_ends: bool) -> Result<Vec<u8>, Error> {
    let hunks = patch.hunks.len();
    // A diff that lost its line ends cannot say which the new lines have.
    let any_ends = any_ends || patch.hunks.iter().any(|hunk| hunk.ends_are_lost);
    let content = ContentLines::new(bytes, any_ends);
    let mut result = Vec::with_capacity(bytes.len());
    let mut done = 0;
    // How far the hunk before was from its line, for messages: this one is likely as far.
    let mut moved = 0;
    for (number, hunk) in (1..).zip(&patch.hunks) {
        let piece = DirectedHunk::new(hunk, direction);
        let path = || patch.path().to_string();
        let at = match content.place(&piece, done) {
            Ok(Some(at)) => at,
            Ok(None) => {
                let expected_at = content.likely_place(&piece, moved);
                if expected_at < done {
                    return Err(Error::Overlap { path: path(), line: piece.stated + 1, hunk: number, hunks });
                }
                let (line, expected, found) = content.difference(&piece, expected_at);
                return Err(Error::Mismatch { path: path(), line, expected, found, hunk: number, hunks });
            }
            Err(_) => return Err(Error::TooRepetitive { path: path(), hunk: number, hunks }),
        };
        moved = at as isize - piece.stated as isize;
        result.extend_from_slice(content.lines(done, at));
        done = at;
        for step in &piece.steps {
            match step.kind {
                LineKind::Context => {
                    result.extend_from_slice(content.line(done));
                    done += 1;
                }
                LineKind::Removed => done += 1,
                LineKind::Added => content.push_line(step, done, &mut result),
            }
        }
    }
    result.extend_from_slice(content.lines(done, content.len()));
    Ok(result)
}

fn lines(content: &[u8]) -> usize {
    content.split_inclusive(|byte| *byte == b'\n').count()
}

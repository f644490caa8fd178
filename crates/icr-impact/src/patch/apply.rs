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
/// Hunks are placed as `git apply` does, without fuzz: at their line, else at the nearest other place where all their
/// lines match; of two equally near places, at the later one. If the diff shows that a hunk is at the beginning or the
/// end of the file, it must be placed there: a hunk from line 1 only at the beginning, a hunk that ends without context
/// only at the end. A hunk without any context is placed at its line only.
///
/// If the lines match only when `\r\n` counts as `\n`, they are accepted, and the result has the line ends of
/// `content`. The line break of the last line must be present or missing exactly as in the patch.
///
/// Cost: linear in the content and the patch, while hunks are at their line; finding those that are not is bounded.
///
/// # Errors
///
/// [`Error::Mismatch`] and [`Error::Overlap`] for a hunk that has no place; [`Error::TooRepetitive`] if the search
/// would take too long; [`Error::AlreadyThere`] and [`Error::NotAllDeleted`] if the file is created or deleted but
/// `content` has other lines; [`Error::Binary`] and [`Error::LeftOut`] if the diff lacks the lines.
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
    // Distance of the previous hunk from its line, for messages: this hunk probably has the same distance.
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

//! What holds for every text that is read as a diff and for every name in a report: bodies of the fuzz targets
//! `patches` and `reports`, which tests call as well.

pub(crate) mod report_checks;
pub(crate) mod sample;
pub(crate) mod sarif_rules;
mod xml;

use crate::patch::{Direction, Error, FilePatch, Hunk, LineKind, apply, parse};
use crate::report::Limit;

/// Most names that a report is made of, more than any list in it shows.
const MOST_NAMES: usize = 64;

/// Reads a diff, and applies it to contents.
///
/// In `bytes`, the content comes before the first NUL and the diff after it; without a NUL, everything is the diff.
///
/// # Panics
///
/// When what was read does not fit together.
pub fn check_patches(bytes: &[u8]) {
    let (content, diff) = match bytes.iter().position(|byte| *byte == 0) {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (&[][..], bytes),
    };
    let Ok(patches) = parse(diff) else { return };
    for patch in &patches {
        let count = |kind| patch.hunks.iter().flat_map(|hunk| hunk.lines()).filter(|line| line.kind == kind).count();
        assert_eq!(patch.lines_added() as usize, count(LineKind::Added));
        assert_eq!(patch.lines_removed() as usize, count(LineKind::Removed));
        assert!(!patch.path().as_bytes().is_empty());
        assert_eq!(patch.clone().into_owned(), *patch);
        let sides = [side(patch, LineKind::Removed), side(patch, LineKind::Added)];
        for content in [content, &[], sides[0].as_slice(), sides[1].as_slice()] {
            check_apply(patch, content, Direction::Forward);
            check_apply(patch, content, Direction::Reverse);
        }
    }
}

/// The lines of all hunks on one side.
fn side(patch: &FilePatch<'_>, kind: LineKind) -> Vec<u8> {
    let mut content = Vec::new();
    for line in patch.hunks.iter().flat_map(|hunk| hunk.lines()) {
        if line.kind == LineKind::Context || line.kind == kind {
            content.extend_from_slice(line.text);
            content.extend_from_slice(if line.ended { b"\n" } else { b"" });
        }
    }
    content
}

/// An applied patch adds as many lines as it says; a refusal is one visible line.
fn check_apply(patch: &FilePatch<'_>, content: &[u8], direction: Direction) {
    let ends = |hunk: &Hunk<'_>| hunk.lines().all(|line| line.ended);
    let all_end = patch.hunks.iter().all(ends) && (content.is_empty() || content.ends_with(b"\n"));
    match apply(patch, content, direction) {
        // In a patch without context, a line without a line break continues the next or previous text, as in git.
        Ok(result) if !patch.hunks.is_empty() && all_end => {
            let (more, less) = match direction {
                Direction::Forward => (patch.lines_added(), patch.lines_removed()),
                Direction::Reverse => (patch.lines_removed(), patch.lines_added()),
            };
            assert_eq!(lines(&result) + less as usize, lines(content) + more as usize);
        }
        Ok(_) => {}
        Err(error) => check_message(&error),
    }
}

fn lines(content: &[u8]) -> usize {
    content.split_inclusive(|byte| *byte == b'\n').count()
}

fn check_message(error: &Error) {
    let message = error.to_string();
    // A tab of the text stands as it is.
    let is_hidden = |letter: char| letter.is_control() && letter != '\t';
    assert!(!message.chars().any(is_hidden), "{message:?}");
}

/// Renders an impact with hostile names in every format.
///
/// The first two bytes choose limits; names are separated by `0xff`, which no UTF-8 has, and are read lossily.
///
/// # Panics
///
/// When a report is not well-formed, or longer than it may be.
pub fn check_reports(bytes: &[u8]) {
    let Some(([characters, lines], names)) = bytes.split_first_chunk() else { return };
    let names: Vec<String> = names
        .split(|byte| *byte == 0xff)
        .take(MOST_NAMES)
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect();
    let impact = sample::impact_with_names(&names);
    let characters = usize::from(*characters) * 100;
    report_checks::check_annotations(&impact);
    report_checks::check_dot(&impact);
    report_checks::check_gitlab(&impact);
    report_checks::check_json(&impact);
    report_checks::check_junit(&impact);
    report_checks::check_markdown(&impact, &Limit { characters, ..Limit::NONE });
    report_checks::check_markdown(&impact, &Limit { bytes: characters, ..Limit::NONE });
    report_checks::check_mermaid(&impact);
    report_checks::check_sarif(&impact);
    report_checks::check_text(&impact, &Limit { lines: usize::from(*lines), ..Limit::NONE });
}

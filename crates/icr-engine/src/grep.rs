//! Search by pattern: every matching line of the view, read from the file contents.

use crate::files::check_part;
use icr_model::Gap;
use icr_rank::Strength;
use regex::bytes::RegexBuilder;
use serde::Serialize;

use crate::files::PathScope;
use crate::search::{UnreadBlobs, cut, known_language};
use crate::{Error, Snapshot};
use icr_view::ViewFile;

/// Largest compiled pattern, in bytes; the engine's matching time is linear in the text whatever the pattern.
const PATTERN_BYTES: usize = 4 << 20;

/// Longest line shown; what is cut is marked.
const LINE_BYTES: usize = 300;

/// Bytes shown before a match that stands near the end of [`LINE_BYTES`] or beyond.
const BYTES_BEFORE: usize = 60;

/// What to look for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GrepRequest {
    /// A text, or with `regex` a regular expression.
    pub pattern: String,
    /// Whether `pattern` is a regular expression.
    pub regex: bool,
    /// Whether case matters; when `None`, it does if the pattern has a capital letter.
    pub case_sensitive: Option<bool>,
    /// Most lines in the answer.
    pub limit: usize,
    /// Only files in this language.
    pub language: Option<String>,
    /// Only files below this path.
    pub path_prefix: Option<String>,
}

/// The answer to a [`GrepRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct GrepResults {
    /// Lines in order of path and line.
    pub results: Vec<GrepHit>,
    /// All lines that match.
    pub total_count: u64,
    /// Files that have one.
    pub files_total: u64,
    /// Strong if any line matches; a pattern has no other degree.
    pub strength: Strength,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct GrepHit {
    /// First digits of the blob id, and the line.
    pub id: String,
    /// Path relative to the root.
    pub path: String,
    /// Qualified name of the innermost definition around the line.
    pub symbol: Option<String>,
    /// The line, 1-based.
    pub start_line: u32,
    /// The same line, as the end of the range.
    pub end_line: u32,
    /// 1.0: every line matches as well as any other.
    pub score: f64,
    /// `grep`.
    pub match_type: &'static str,
    /// The line, cut where it is long.
    pub preview: String,
}

/// Lines that match a pattern. Reads every file of the view, at some hundred MB/s on each core. Files that could not be
/// read in time are a gap.
///
/// # Errors
///
/// [`Error::Pattern`]; those of reading contents.
pub fn grep(snapshot: &Snapshot, request: &GrepRequest) -> Result<GrepResults, Error> {
    let language = known_language(request.language.as_deref())?;
    let source = if request.regex { request.pattern.clone() } else { regex::escape(&request.pattern) };
    let sensitive = request.case_sensitive.unwrap_or_else(|| request.pattern.chars().any(char::is_uppercase));
    let pattern = RegexBuilder::new(&source)
        .case_insensitive(!sensitive)
        .multi_line(true)
        .crlf(true)
        .size_limit(PATTERN_BYTES)
        .build()
        .map_err(|error| Error::Pattern { pattern: request.pattern.clone(), reason: last_line(&error.to_string()) })?;
    let mut files = snapshot.view.files()?;
    let part = PathScope::of(request.path_prefix.as_deref());
    files.retain(|file| part.holds(&file.path));
    if let Some(language) = language {
        let all = std::mem::take(&mut files);
        for file in all {
            if snapshot.is_in(language, &file.path, file.row.blob_no)? {
                files.push(file);
            }
        }
    }
    if files.is_empty() {
        check_part(snapshot, &part)?;
    }
    let (matching, gaps) = matching_lines(snapshot, &files, &pattern)?;
    let strength = if matching.is_empty() { Strength::None } else { Strength::Strong };
    let mut results = GrepResults { results: Vec::new(), total_count: 0, files_total: 0, strength, gaps };
    for (file, lines) in matching {
        results.total_count += lines.len() as u64;
        results.files_total += 1;
        for (line, offset, preview) in lines {
            if results.results.len() == request.limit {
                break;
            }
            results.results.push(GrepHit {
                id: format!("{}:{line}", &file.row.blob_id.to_string()[..8]),
                path: file.path.to_string(),
                symbol: innermost_symbol(snapshot, file, offset)?,
                start_line: line,
                end_line: line,
                score: 1.0,
                match_type: "grep",
                preview,
            });
        }
    }
    Ok(results)
}

/// For each file with a match, in order, its matching lines; and the gaps.
fn matching_lines<'f>(
    snapshot: &Snapshot,
    files: &'f [ViewFile],
    pattern: &regex::bytes::Regex,
) -> Result<(Vec<Matching<'f>>, Vec<Gap>), Error> {
    let (deadline, masks) = (&snapshot.context.deadline, snapshot.context.options.mask_credentials);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(files.len().max(1));
    let share = files.len().div_ceil(threads).max(1);
    let parts = std::thread::scope(|scope| {
        let workers: Vec<_> = files
            .chunks(share)
            .map(|part| {
                let mut texts = snapshot.view.texts();
                scope.spawn(move || {
                    let mut text = Vec::new();
                    let (mut found, mut unread) = (Vec::new(), UnreadBlobs::default());
                    for (searched, file) in part.iter().enumerate() {
                        if deadline.is_over() {
                            return Ok((found, unread, part.len() - searched));
                        }
                        if !unread.read(&mut texts, &file.row, &mut text)? {
                            continue;
                        }
                        let mut lines = lines_of(&text, pattern);
                        // Masked text is not matched either: otherwise, repeated searches could reveal it.
                        if !lines.is_empty() && masks && icr_secrets::mask_file(&mut text) {
                            lines = lines_of(&text, pattern);
                        }
                        if !lines.is_empty() {
                            found.push((file, lines));
                        }
                    }
                    Ok::<_, Error>((found, unread, 0))
                })
            })
            .collect();
        let join =
            |worker: std::thread::ScopedJoinHandle<'_, _>| worker.join().expect("matching a pattern does not panic");
        workers.into_iter().map(join).collect::<Vec<_>>()
    });
    let (mut found, mut unread, mut unsearched) = (Vec::new(), UnreadBlobs::default(), 0);
    for part in parts {
        let (of_part, unread_of_part, unsearched_of_part) = part?;
        found.extend(of_part);
        unread.extend(unread_of_part);
        unsearched += unsearched_of_part as u64;
    }
    let mut gaps = unread.gaps();
    if unsearched > 0 {
        gaps.insert(0, Gap::Unsearched { files: unsearched });
    }
    Ok((found, gaps))
}

fn innermost_symbol(snapshot: &Snapshot, file: &ViewFile, offset: u32) -> Result<Option<String>, Error> {
    let facts = snapshot.facts(file.row.blob_no)?;
    let holds = |at: &u32| facts.symbols[*at as usize].span.contains_offset(offset) && !facts.is_assigned_field(*at);
    let around = (0..facts.symbols.len() as u32).rev().find(holds);
    Ok(around.map(|at| facts.qualified_name(at)))
}

/// A file and its matching lines as (line, offset, text).
type Matching<'f> = (&'f ViewFile, Vec<(u32, u32, String)>);

/// Each line that matches on its own: its number, the offset of its first match, its text. As in grep, no match extends
/// past the end of its line, and an empty text has no line.
fn lines_of(text: &[u8], pattern: &regex::bytes::Regex) -> Vec<(u32, u32, String)> {
    let mut lines = Vec::new();
    let (mut line, mut counted) = (1_u32, 0_usize);
    let mut at = 0;
    // After one match over the whole text has crossed a line end, each further search may read all the rest: `(?s).*`
    // does, although each line matches on its own.
    let mut by_line = false;
    while at < text.len() {
        let (from, match_end) = match by_line {
            true => (at, at),
            false => match pattern.find_at(text, at) {
                Some(found) if found.start() < text.len() || !text.ends_with(b"\n") => (found.start(), found.end()),
                _ => break,
            },
        };
        let start = text[..from].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let end = text[from..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |newline| from + newline);
        by_line |= match_end > end;
        line += text[counted..start].iter().filter(|byte| **byte == b'\n').count() as u32;
        counted = start;
        // A line end may have two bytes, and neither belongs to the line.
        let alone = text[start..end].strip_suffix(b"\r").unwrap_or(&text[start..end]);
        match pattern.find(alone) {
            Some(found) => lines.push((line, (start + found.start()) as u32, line_excerpt(alone, found.start()))),
            None => by_line = true,
        }
        at = end + 1;
    }
    lines
}

/// The text of a line; of a long one, a part that shows what begins at the offset `found`.
fn line_excerpt(line: &[u8], found: usize) -> String {
    let from = if found < LINE_BYTES - BYTES_BEFORE { 0 } else { found - BYTES_BEFORE };
    // Replacing bytes that are no text may lengthen it; the part is chosen in the bytes.
    let from = (from..=found).find(|at| line.get(*at).is_none_or(|byte| !is_continuation(*byte))).unwrap_or(from);
    let text = String::from_utf8_lossy(&line[from..]);
    let text = text.trim_end_matches('\r');
    let short = cut(text, LINE_BYTES);
    let (before, after) = (if from > 0 { "…" } else { "" }, if short.len() < text.len() { "…" } else { "" });
    format!("{before}{short}{after}")
}

/// Whether a byte continues a character of UTF-8.
fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

fn last_line(text: &str) -> String {
    text.lines().last().unwrap_or(text).trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, pattern: &str, expected: &[u32]) {
        let pattern = RegexBuilder::new(pattern).multi_line(true).crlf(true).build().unwrap();
        let lines: Vec<u32> = lines_of(text.as_bytes(), &pattern).into_iter().map(|(line, ..)| line).collect();
        assert_eq!(lines, expected, "{pattern} in {text:?}");
    }

    #[test]
    fn every_matching_line_is_found_once() {
        check("a b a\nb\na\n", "a", &[1, 3]);
        check("a\r\nb\r\n", "b$", &[2]);
        check("", "a", &[]);
        check("", "^", &[]);
        check("x\ny\n", "^", &[1, 2]);
        check("\n\n", "^$", &[1, 2]);
        check("no newline", "line$", &[1]);
        check("a\nno newline", "$", &[1, 2]);
        check("\n", "^$", &[1]);
        check("A\r\n\r\nb\r\n", "^[^a-z]+$", &[1]);
        check("A\r\n\r\nb\r\n", "^$", &[2]);
    }

    #[test]
    fn a_pattern_that_matches_all_of_the_text_is_looked_for_line_by_line() {
        // Reading all that is left for each line would take minutes.
        let text = "a\n".repeat(200_000);
        check(&text, "(?s)a.*", &(1..=200_000).collect::<Vec<_>>());
    }

    #[test]
    fn a_long_line_is_shown_where_it_matches() {
        let line = |before: usize| format!("{}needle{}\r\n", "é".repeat(before), "c".repeat(400));
        let shown = |before: usize| {
            let pattern = RegexBuilder::new("needle").multi_line(true).crlf(true).build().unwrap();
            lines_of(line(before).as_bytes(), &pattern).remove(0).2
        };
        assert!(shown(0).starts_with("needlec") && shown(0).ends_with("c…"));
        assert!(shown(110).starts_with("éé") && shown(110).contains("needle"), "{}", shown(110));
        for before in [120, 150, 2_000] {
            assert!(shown(before).starts_with("…éé") && shown(before).contains("needle"), "{}", shown(before));
        }
        let end = lines_of("needle\r\n".as_bytes(), &regex::bytes::Regex::new("needle").unwrap()).remove(0).2;
        assert_eq!(end, "needle");
    }

    #[test]
    fn no_match_goes_on_behind_the_end_of_its_line() {
        check("a\n\n\n  foo\nbar\n", r"^\s*foo", &[4]);
        check("  foo\nbar\nfoo bar\n", r"foo\s+bar", &[3]);
        check("foo\nbar\nabar\n", "[^x]bar", &[3]);
        check("a\r\nb\r\n", r"a\s*$", &[1]);
    }
}

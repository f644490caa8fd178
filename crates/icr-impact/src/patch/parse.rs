//! From the text of a diff to patches of files.

use std::borrow::Cow;

use icr_model::{RepoPath, is_lower_hexadecimal};

use super::colour::without_colours;
use super::cursor::{Cursor, without_return};
use super::error::format_excerpt;
use super::hunk::{hunks, is_hunk};
use super::names::{
    HeaderPath, Pair, bare_path, parse_header_path, shared_end, shared_path, validate_repo_path, without_prefixes,
};
use super::{Error, FilePatch, Hunk};
use crate::FileStatus;

/// Mode of a submodule.
const SUBMODULE_MODE: u32 = 0o160_000;

/// Bits of a mode that say file, link or submodule.
const MODE_TYPE: u32 = 0o170_000;

/// The patches of all files in `text`, in its order. It accepts the output of `git diff`, `git show`, `git log -p`,
/// `git format-patch`, `diff -u` and `diff -ru`, with or without colours, with line ends of either kind. If several
/// diffs have the same path, it occurs several times. Text between patches (messages, statistics, signatures) is
/// skipped, and an empty text gives no patches.
///
/// Paths are relative to the root of the repository: prefixes like `a/` are taken away, also unusual ones where both
/// sides show which part is the prefix.
///
/// Cost: linear in `text`; lines are borrowed from it.
///
/// # Errors
///
/// [`Error::NoDiff`] for text that has no patch, [`Error::Combined`] for the diff of a merge with several parents,
/// [`Error::Path`] for a path that is absolute, leads out of the repository or into `.git`, [`Error::Header`],
/// [`Error::Hunk`] and [`Error::HunkWithoutFile`] for what git would not print, [`Error::TooManyFiles`], [`Error::Utf16`].
pub fn parse(text: &[u8]) -> Result<Vec<FilePatch<'_>>, Error> {
    if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        return Err(Error::Utf16);
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if text.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    let patches = match without_colours(text) {
        Some(plain) => patches(&plain)?.into_iter().map(FilePatch::into_owned).collect(),
        None => patches(text)?,
    };
    if patches.is_empty() {
        return Err(Error::NoDiff { lines: text.split_inclusive(|byte| *byte == b'\n').count() });
    }
    Ok(patches)
}

/// Most files of a patch: fifty times as many as are compared. Each takes two kilobytes until the answer is told.
const FILES_MOST: usize = 100_000;

fn patches(text: &[u8]) -> Result<Vec<FilePatch<'_>>, Error> {
    let mut cursor = Cursor::new(text);
    let mut patches: Vec<FilePatch<'_>> = Vec::new();
    while let Some(line) = cursor.peek_header() {
        let patch = if line.starts_with(b"diff --git ") {
            git_patch(&mut cursor)?
        } else if line.starts_with(b"diff --cc ") || line.starts_with(b"diff --combined ") {
            return Err(Error::Combined { line: cursor.line() });
        } else if let Some(both) = plain_header(&cursor) {
            Some(plain_patch(&mut cursor, both)?)
        } else if is_hunk(&cursor) {
            return Err(Error::HunkWithoutFile { line: cursor.line() });
        } else {
            let patch = binary_line(line, cursor.line())?.or(submodule_line(line, cursor.line())?);
            cursor.advance();
            patch
        };
        let Some(patch) = patch else { continue };
        match patches.pop_if(|last| is_change_of_type(last, &patch)) {
            Some(deletion) => patches.push(change_of_type(deletion, patch)),
            None => patches.push(patch),
        }
        if patches.len() > FILES_MOST {
            return Err(Error::TooManyFiles { most: FILES_MOST });
        }
    }
    Ok(patches)
}

/// What the lines between `diff --git` and the first hunk say.
#[derive(Default)]
struct Header<'a> {
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    is_new: bool,
    is_deleted: bool,
    /// Paths of a rename or a copy, which have no prefixes.
    from: Option<Cow<'a, [u8]>>,
    to: Option<Cow<'a, [u8]>>,
    is_copy: bool,
    old_blob: Option<String>,
    new_blob: Option<String>,
}

/// The patch that begins with `diff --git`; `None` when nothing follows that would be one, as in a message that quotes
/// such a line.
fn git_patch<'a>(cursor: &mut Cursor<'a>) -> Result<Option<FilePatch<'a>>, Error> {
    let line = cursor.line();
    let first = cursor.advance().unwrap_or_default();
    let ends_are_lost = first.ends_with(b"\r");
    let paths = &without_return(first)["diff --git ".len()..];

    let mut header = Header::default();
    while let Some(text) = cursor.peek_header() {
        if !header.read(text, cursor.line())? {
            break;
        }
        cursor.advance();
    }
    let both = sides(cursor)?;
    let mut binary = false;
    let mut of_file = Vec::new();
    if both.is_some() {
        cursor.advance();
        cursor.advance();
        of_file = some_hunks(cursor, ends_are_lost)?;
    } else {
        binary = skip_binary(cursor);
    }
    if cursor.line() == line + 1 {
        return Ok(None);
    }
    let is_cut_off = both.is_none() && !binary && header.old_blob.is_some() && header.new_blob.is_some();
    if is_cut_off && header.old_blob != header.new_blob {
        let reason = "the diff ends before what changed: `index` names two contents, and no hunk follows".to_owned();
        return Err(Error::Hunk { line: cursor.line(), reason });
    }

    let (old, new) = header.paths(paths, both, line)?;
    if old.is_none() && new.is_none() {
        return Err(no_file(line));
    }
    let side = |path: Option<Cow<'_, [u8]>>| path.map(|path| validate_repo_path(&path, line)).transpose();
    Ok(Some(header.patch(side(old)?, side(new)?, binary, of_file)))
}

impl<'a> Header<'a> {
    /// Takes in a line; `false` when it is none of the header.
    fn read(&mut self, text: &'a [u8], line: usize) -> Result<bool, Error> {
        let after = |prefix: &str| text.strip_prefix(prefix.as_bytes());
        let path = |text| bare_path(text, line).map(Some);
        if let Some(value) = after("index ") {
            self.index(value, line)?;
        } else if let Some(value) = after("old mode ") {
            self.old_mode = Some(mode(value, line)?);
        } else if let Some(value) = after("new mode ") {
            self.new_mode = Some(mode(value, line)?);
        } else if let Some(value) = after("deleted file mode ") {
            (self.is_deleted, self.old_mode) = (true, Some(mode(value, line)?));
        } else if let Some(value) = after("new file mode ") {
            (self.is_new, self.new_mode) = (true, Some(mode(value, line)?));
        } else if let Some(value) = after("rename from ").or(after("rename old ")) {
            self.from = path(value)?;
        } else if let Some(value) = after("rename to ").or(after("rename new ")) {
            self.to = path(value)?;
        } else if let Some(value) = after("copy from ") {
            (self.is_copy, self.from) = (true, path(value)?);
        } else if let Some(value) = after("copy to ") {
            (self.is_copy, self.to) = (true, path(value)?);
        } else {
            return Ok(after("similarity index ").or(after("dissimilarity index ")).is_some());
        }
        Ok(true)
    }

    /// `0123456..89abcde`, and the mode behind where it is the same on both sides.
    fn index(&mut self, value: &[u8], line: usize) -> Result<(), Error> {
        let wrong =
            || Error::Header { line, text: format_excerpt(value), expected: "of the form `0123456..89abcde 100644`" };
        let value_text = std::str::from_utf8(value).map_err(|_| wrong())?;
        let (ids, same_mode) = match value_text.split_once(' ') {
            Some((ids, same_mode)) => (ids, Some(mode(same_mode.as_bytes(), line)?)),
            None => (value_text, None),
        };
        let (old, new) = ids.split_once("..").ok_or_else(wrong)?;
        self.old_blob = blob(old).ok_or_else(wrong)?;
        self.new_blob = blob(new).ok_or_else(wrong)?;
        if same_mode.is_some() {
            (self.old_mode, self.new_mode) = (same_mode, same_mode);
        }
        Ok(())
    }

    /// Paths of both sides, by the first of these that says them: a rename or copy; `diff --git`; `---` and `+++`.
    fn paths(
        &mut self,
        git_line: &'a [u8],
        both: Option<(HeaderPath<'a>, HeaderPath<'a>)>,
        line: usize,
    ) -> Result<Pair<'a>, Error> {
        if let (Some(from), Some(to)) = (self.from.take(), self.to.take()) {
            return Ok((Some(from), Some(to)));
        }
        let (old, new) = match (shared_path(git_line), both) {
            (Some(shared), _) => (Some(shared.clone()), Some(shared)),
            (None, Some((old, new))) => without_prefixes(old, new),
            (None, None) => {
                let reason =
                    "cannot be split into an old and a new path; a diff with `--- OLD` and `+++ NEW` can be read";
                return Err(Error::Path { line, path: format_excerpt(git_line), reason });
            }
        };
        Ok((old.filter(|_| !self.is_new), new.filter(|_| !self.is_deleted)))
    }

    fn patch(
        self,
        old_path: Option<RepoPath>,
        new_path: Option<RepoPath>,
        binary: bool,
        hunks: Vec<Hunk<'a>>,
    ) -> FilePatch<'a> {
        let modes = self.old_mode.zip(self.new_mode);
        let status = match (&old_path, &new_path) {
            _ if self.is_copy => FileStatus::Copied,
            (None, _) => FileStatus::Added,
            (_, None) => FileStatus::Deleted,
            (Some(old), Some(new)) if old != new => FileStatus::Renamed,
            _ if hunks.is_empty() && !binary && modes.is_some_and(|(old, new)| old != new) => FileStatus::ModeChanged,
            _ => FileStatus::Modified,
        };
        FilePatch {
            submodule: [self.old_mode, self.new_mode].contains(&Some(SUBMODULE_MODE)),
            old_path,
            new_path,
            status,
            old_blob: self.old_blob,
            new_blob: self.new_blob,
            old_mode: self.old_mode,
            new_mode: self.new_mode,
            binary,
            hunks,
        }
    }
}

/// What `---` and `+++` say, when they are the next two lines.
fn sides<'a>(cursor: &Cursor<'a>) -> Result<Option<(HeaderPath<'a>, HeaderPath<'a>)>, Error> {
    let ahead = cursor.ahead();
    let (Some(old), Some(new)) = (cursor.peek_after("--- "), ahead.peek_after("+++ ")) else { return Ok(None) };
    Ok(Some((parse_header_path(old, cursor.line())?, parse_header_path(new, ahead.line())?)))
}

/// The place of `+++` when `---`, `+++` and a hunk follow each other; a message may have lines that look like one of
/// them.
fn plain_header<'a>(cursor: &Cursor<'a>) -> Option<Cursor<'a>> {
    cursor.peek_after("--- ")?;
    let second = cursor.ahead();
    second.peek_after("+++ ")?;
    second.ahead().peek_after("@@ -").or(second.ahead().peek_after("@@@ -")).map(|_| second)
}

/// The error for a patch in which neither side has a file.
fn no_file(line: usize) -> Error {
    Error::Path { line, path: "/dev/null".to_owned(), reason: "stands on both sides; one has to be a file" }
}

/// The patch that begins with `---`, as `diff -u` writes it.
fn plain_patch<'a>(cursor: &mut Cursor<'a>, second: Cursor<'a>) -> Result<FilePatch<'a>, Error> {
    let line = cursor.line();
    let (old, new) = sides(cursor)?.unwrap_or_default();
    let (old, new) = without_prefixes(old, new);
    if old.is_none() && new.is_none() {
        return Err(no_file(line));
    }
    let old = old.map(|path| validate_repo_path(&path, line)).transpose()?;
    let new = new.map(|path| validate_repo_path(&path, second.line())).transpose()?;
    let ends_are_lost = second.peek().is_some_and(|line| line.ends_with(b"\r"));
    cursor.advance();
    cursor.advance();
    Ok(Header::default().patch(old, new, false, some_hunks(cursor, ends_are_lost)?))
}

/// The hunks after `+++`, at least one.
fn some_hunks<'a>(cursor: &mut Cursor<'a>, ends_are_lost: bool) -> Result<Vec<Hunk<'a>>, Error> {
    let line = cursor.line();
    if cursor.peek_after("@@@ -").is_some() {
        return Err(Error::Combined { line });
    }
    let hunks = hunks(cursor, ends_are_lost)?;
    if hunks.is_empty() {
        return Err(Error::Hunk { line, reason: "a hunk has to follow `+++`, and begins with `@@ -`".to_owned() });
    }
    Ok(hunks)
}

/// Skips the text that replaces the hunks of a binary file; `false` if there is none.
fn skip_binary(cursor: &mut Cursor<'_>) -> bool {
    let Some(line) = cursor.peek_header() else { return false };
    if line.starts_with(b"Binary files ") && line.ends_with(b" differ") {
        cursor.advance();
        return true;
    }
    if line != b"GIT binary patch" {
        return false;
    }
    cursor.advance();
    // One block for each direction: its size, lines in base 85, which has no blank, and an empty line.
    while cursor.peek_after("literal ").or(cursor.peek_after("delta ")).is_some() {
        cursor.advance();
        while cursor.peek_header().is_some_and(|line| !line.is_empty() && !line.contains(&b' ')) {
            cursor.advance();
        }
        if cursor.peek_header().is_some_and(<[u8]>::is_empty) {
            cursor.advance();
        }
    }
    true
}

/// `Binary files old/x and new/x differ`, as `diff -ru` writes it.
fn binary_line<'a>(text: &[u8], line: usize) -> Result<Option<FilePatch<'a>>, Error> {
    let Some(paths) = text.strip_prefix(b"Binary files ").and_then(|text| text.strip_suffix(b" differ")) else {
        return Ok(None);
    };
    let middle = paths.windows(5).position(|word| word == b" and ");
    let Some((old, new)) = middle.map(|at| (&paths[..at], &paths[at + 5..])) else { return Ok(None) };
    // A sentence of a message can have this form too; names of one file on two sides have the same end.
    let Some(path) = shared_end(old, new) else { return Ok(None) };
    let path = validate_repo_path(path, line)?;
    Ok(Some(Header::default().patch(Some(path.clone()), Some(path), true, Vec::new())))
}

/// `Submodule lib 0123456..89abcde:`, as git writes it with `diff.submodule=log`.
fn submodule_line<'a>(text: &[u8], line: usize) -> Result<Option<FilePatch<'a>>, Error> {
    let Some(text) = text.strip_prefix(b"Submodule ") else { return Ok(None) };
    let end = text.windows(2).position(|pair| pair == b" (").unwrap_or(text.len());
    let (text, said) = text.split_at(end);
    let text = text.strip_suffix(b":").unwrap_or(text);
    let Some(blank) = text.iter().rposition(|byte| *byte == b' ') else { return Ok(None) };
    let ids = std::str::from_utf8(&text[blank + 1..]).ok();
    let ids = ids.and_then(|ids| ids.split_once("...").or(ids.split_once("..")));
    let Some((Some(old), Some(new))) = ids.map(|(old, new)| (blob(old), blob(new))) else { return Ok(None) };
    let path = validate_repo_path(&text[..blank], line)?;
    let is_new = said.starts_with(b" (new submodule)");
    let is_deleted = said.starts_with(b" (submodule deleted)");
    let header = Header {
        old_mode: (!is_new).then_some(SUBMODULE_MODE),
        new_mode: (!is_deleted).then_some(SUBMODULE_MODE),
        old_blob: old,
        new_blob: new,
        ..Header::default()
    };
    Ok(Some(header.patch((!is_new).then(|| path.clone()), (!is_deleted).then(|| path.clone()), false, Vec::new())))
}

fn is_change_of_type(deletion: &FilePatch<'_>, addition: &FilePatch<'_>) -> bool {
    let types = deletion.old_mode.zip(addition.new_mode).map(|(old, new)| (old & MODE_TYPE, new & MODE_TYPE));
    (deletion.status, addition.status) == (FileStatus::Deleted, FileStatus::Added)
        && deletion.old_path == addition.new_path
        && types.is_some_and(|(old, new)| old != new)
        && deletion.hunks.len() <= 1
        && addition.hunks.len() <= 1
        && deletion.lines_added() == 0
        && addition.lines_removed() == 0
}

fn change_of_type<'a>(mut deletion: FilePatch<'a>, mut addition: FilePatch<'a>) -> FilePatch<'a> {
    let hunks = match (deletion.hunks.pop(), addition.hunks.pop()) {
        (Some(out), Some(into)) => vec![out.followed_by(into)],
        (out, into) => out.or(into).into_iter().collect(),
    };
    FilePatch {
        new_path: addition.new_path,
        status: FileStatus::TypeChanged,
        new_blob: addition.new_blob,
        new_mode: addition.new_mode,
        binary: deletion.binary || addition.binary,
        submodule: deletion.submodule || addition.submodule,
        hunks,
        ..deletion
    }
}

fn mode(text: &[u8], line: usize) -> Result<u32, Error> {
    let digits = std::str::from_utf8(text).ok().map(str::trim_ascii_end);
    // Six octal digits in every mode that git has.
    let mode = digits.filter(|digits| digits.len() <= 6 && digits.bytes().all(|digit| digit.is_ascii_digit()));
    mode.and_then(|digits| u32::from_str_radix(digits, 8).ok()).ok_or_else(|| Error::Header {
        line,
        text: format_excerpt(text),
        expected: "a mode such as `100644`",
    })
}

/// The id, and whether there is one; the outer `None` for what is no id.
fn blob(text: &str) -> Option<Option<String>> {
    // The longest are those of SHA-256, the shortest what `core.abbrev` allows.
    let is_id = (4..=64).contains(&text.len()) && is_lower_hexadecimal(text);
    is_id.then(|| text.bytes().any(|byte| byte != b'0').then(|| text.to_owned()))
}

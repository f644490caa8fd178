//! Paths as headers of a diff have them: quoted, with prefixes, with the time of a file behind.

use std::borrow::Cow;

use icr_model::RepoPath;

use super::Error;
use super::error::format_excerpt;

/// A path as bytes, borrowed from the diff where it is not quoted there.
type Path<'a> = Cow<'a, [u8]>;

/// Paths before and after; `None` where there is no file.
pub(super) type Pair<'a> = (Option<Path<'a>>, Option<Path<'a>>);

/// Content of a `--- ` or `+++ ` line.
#[derive(Default)]
pub(super) struct HeaderPath<'a> {
    /// The path with its prefix; `None` for `/dev/null`.
    path: Option<Path<'a>>,
    /// Whether the file is not there, although it has a path: `diff -N` says so by its time.
    is_absent: bool,
}

/// Longest first directory that is taken for a prefix of the second path when the line has blanks that could be either;
/// the longest that git has of its own are two bytes.
const LONGEST_PREFIX: usize = 64;

/// Endings of copies that people compare a file with.
const BACKUP_ENDINGS: [&[u8]; 4] = [b".orig", b".old", b".bak", b"~"];

/// Parses a `--- ` or `+++ ` line.
///
/// # Errors
///
/// [`Error::Path`] for a broken quotation.
pub(super) fn parse_header_path(text: &[u8], line: usize) -> Result<HeaderPath<'_>, Error> {
    let (path, time) = path_and_rest(text, line)?;
    let is_null = *path == *b"/dev/null";
    Ok(HeaderPath { path: (!is_null).then_some(path), is_absent: is_null || is_epoch(time.trim_ascii()) })
}

/// The path that `rename from ` and its like say, which has no prefix.
///
/// # Errors
///
/// As [`parse_header_path`].
pub(super) fn bare_path(text: &[u8], line: usize) -> Result<Path<'_>, Error> {
    path_and_rest(text, line).map(|(path, _)| path)
}

fn path_and_rest(text: &[u8], line: usize) -> Result<(Path<'_>, &[u8]), Error> {
    if text.first() == Some(&b'"') {
        return unquoted(text)
            .ok_or_else(|| path_error(line, text, "is quoted, but not as git quotes; `\"a\\tb\"` is right"));
    }
    // Names that have a tab are quoted, so that the first one ends the name.
    let end = text.iter().position(|byte| *byte == b'\t').unwrap_or(text.len());
    Ok((Cow::Borrowed(&text[..end]), &text[end..]))
}

/// The path of both sides in what follows `diff --git `, where they are the same: all but renames, copies and files
/// with the same name under unusual prefixes.
pub(super) fn shared_path(text: &[u8]) -> Option<Path<'_>> {
    if text.first() == Some(&b'"') || text.last() == Some(&b'"') {
        let (old, new) = quoted_pair(text)?;
        if old == new {
            return Some(old);
        }
        let shared = without_directory(&old)?;
        return (shared == without_directory(&new)?).then(|| Cow::Owned(shared.to_vec()));
    }
    let middle = text.len() / 2;
    if text.len() % 2 == 1 && text[middle] == b' ' && text[..middle] == text[middle + 1..] {
        return Some(Cow::Borrowed(&text[..middle]));
    }
    // In `a/NAME b/NAME`, the possible second prefixes show which blank separates the paths.
    let name_start = text.iter().position(|byte| *byte == b'/')? + 1;
    let with_prefix = |prefix: usize| {
        let names = text.len().checked_sub(name_start + 1 + prefix)?;
        let (name_length, is_odd) = (names / 2, names % 2 == 1);
        let (first, rest) = text[name_start..].split_at_checked(name_length)?;
        let second = rest.strip_prefix(b" ")?;
        let has_prefix = second[..prefix].iter().position(|byte| *byte == b'/') == Some(prefix - 1);
        (!is_odd && name_length > 0 && has_prefix && &second[prefix..] == first).then_some(first)
    };
    let alike = name_start;
    std::iter::once(alike).chain(2..=LONGEST_PREFIX).find_map(with_prefix).map(Cow::Borrowed)
}

/// The repository paths of the `--- ` and `+++ ` lines, if nothing else tells which part is a prefix.
pub(super) fn without_prefixes<'a>(old: HeaderPath<'a>, new: HeaderPath<'a>) -> Pair<'a> {
    let (before, after) = match (old.path.map(without_dot), new.path.map(without_dot)) {
        (Some(before), Some(after)) => {
            let (before, after) = pair_without_prefixes(before, after);
            (Some(before), Some(after))
        }
        (before, after) => (before.map(without_known_prefix), after.map(without_known_prefix)),
    };
    (before.filter(|_| !old.is_absent), after.filter(|_| !new.is_absent))
}

fn pair_without_prefixes<'a>(old: Path<'a>, new: Path<'a>) -> (Path<'a>, Path<'a>) {
    if let Some(shared) = shared_end(&old, &new) {
        let shared: Path<'a> = Cow::Owned(shared.to_vec());
        return (shared.clone(), shared);
    }
    let is_copy = |copy: &[u8], of: &[u8]| copy.strip_prefix(of).is_some_and(|end| BACKUP_ENDINGS.contains(&end));
    if is_copy(&old, &new) {
        return (new.clone(), new);
    }
    if is_copy(&new, &old) {
        return (old.clone(), old);
    }
    match has_known_prefix(&old) && has_known_prefix(&new) {
        true => (without_known_prefix(old), without_known_prefix(new)),
        false => (old, new),
    }
}

/// Longest end of both paths in whole components; `None` when not even the names of the files are the same.
pub(super) fn shared_end<'a>(first: &'a [u8], second: &[u8]) -> Option<&'a [u8]> {
    if first == second {
        return Some(first);
    }
    let same = first.iter().rev().zip(second.iter().rev()).take_while(|(first, second)| first == second).count();
    let (first_rest, shared) = first.split_at(first.len() - same);
    let second_rest = &second[..second.len() - same];
    let is_whole = |rest: &[u8]| rest.last().is_none_or(|byte| *byte == b'/');
    if is_whole(first_rest) && is_whole(second_rest) && !shared.is_empty() {
        return Some(shared);
    }
    let start = shared.iter().position(|byte| *byte == b'/')? + 1;
    (start < shared.len()).then(|| &shared[start..])
}

/// `path` where a file of a repository can be there.
///
/// # Errors
///
/// [`Error::Path`] where none can.
pub(super) fn validate_repo_path(path: &[u8], line: usize) -> Result<RepoPath, Error> {
    let reason = if path.is_empty() {
        "is empty"
    } else if path[0] == b'/' {
        "is absolute; paths of a diff are relative to the root of the repository"
    } else if path.contains(&0) {
        "contains NUL, which no path does"
    } else {
        match path.split(|byte| *byte == b'/').find_map(refused_component) {
            Some(reason) => reason,
            None => return Ok(RepoPath::new(path)),
        }
    };
    Err(path_error(line, path, reason))
}

fn refused_component(component: &[u8]) -> Option<&'static str> {
    match component {
        b"" => Some("has an empty component"),
        b"." => Some("has a component `.`"),
        b".." => Some("leads out of the repository by `..`"),
        _ if component.eq_ignore_ascii_case(b".git") => Some("names `.git`, which is no content of the repository"),
        _ => None,
    }
}

fn path_error(line: usize, path: &[u8], reason: &'static str) -> Error {
    Error::Path { line, path: format_excerpt(path), reason }
}

/// Both paths of `diff --git`, of which one is quoted.
fn quoted_pair(text: &[u8]) -> Option<(Path<'_>, Path<'_>)> {
    let (old, rest) = if text[0] == b'"' {
        unquoted(text)?
    } else {
        let end = text.windows(2).position(|pair| pair == b" \"")?;
        (Cow::Borrowed(&text[..end]), &text[end..])
    };
    let rest = rest.strip_prefix(b" ")?;
    let (new, rest) = if rest.first() == Some(&b'"') { unquoted(rest)? } else { (Cow::Borrowed(rest), &b""[..]) };
    rest.is_empty().then_some((old, new))
}

/// The text in quotation marks at the beginning of `text`, and what follows it.
fn unquoted(text: &[u8]) -> Option<(Path<'_>, &[u8])> {
    let mut bytes = Vec::new();
    let mut rest = text.strip_prefix(b"\"")?;
    loop {
        let (byte, behind) = rest.split_first()?;
        rest = behind;
        match byte {
            b'"' => return Some((Cow::Owned(bytes), rest)),
            b'\\' => {
                let (byte, behind) = escape(rest)?;
                bytes.push(byte);
                rest = behind;
            }
            _ => bytes.push(*byte),
        }
    }
}

/// The byte meant by what follows a backslash: git's quote.c has the letters of C, and three octal digits.
fn escape(text: &[u8]) -> Option<(u8, &[u8])> {
    let (letter, rest) = text.split_first()?;
    let byte = match letter {
        b'a' => 0x07,
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 0x0b,
        b'f' => 0x0c,
        b'r' => b'\r',
        b'"' | b'\\' => *letter,
        b'0'..=b'3' => {
            let digits = text.get(..3).filter(|digits| digits.iter().all(|digit| (b'0'..=b'7').contains(digit)))?;
            return Some((digits.iter().fold(0, |byte, digit| byte << 3 | (digit - b'0')), &text[3..]));
        }
        _ => return None,
    };
    Some((byte, rest))
}

fn without_directory(path: &[u8]) -> Option<&[u8]> {
    let slash = path.iter().position(|byte| *byte == b'/')?;
    Some(&path[slash + 1..])
}

/// Whether `path` has one of git's prefixes: `a/` and `b/`; `i/`, `w/`, `c/`, `o/` by what is compared; `1/` and `2/`
/// outside of repositories.
fn has_known_prefix(path: &[u8]) -> bool {
    matches!(path, [b'a' | b'b' | b'c' | b'i' | b'o' | b'w' | b'1' | b'2', b'/', ..])
}

fn without_known_prefix(path: Path<'_>) -> Path<'_> {
    if has_known_prefix(&path) { without_start(path, 2) } else { path }
}

fn without_dot(path: Path<'_>) -> Path<'_> {
    if path.starts_with(b"./") { without_start(path, 2) } else { path }
}

fn without_start(path: Path<'_>, length: usize) -> Path<'_> {
    match path {
        Cow::Borrowed(path) => Cow::Borrowed(&path[length..]),
        Cow::Owned(mut path) => Cow::Owned(path.split_off(length)),
    }
}

/// Whether `time` is the beginning of 1970 in any zone, which `diff -N` prints for a file that is not there:
/// `1970-01-01 01:00:00.000000000 +0100`.
fn is_epoch(time: &[u8]) -> bool {
    let Ok(time) = std::str::from_utf8(time) else { return false };
    let mut parts = time.split(' ');
    let (Some(date), Some(clock), Some(zone), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    if !fraction.bytes().all(|digit| digit == b'0') {
        return false;
    }
    let minutes = |hours: &str, minutes: &str| Some(hours.parse::<i32>().ok()? * 60 + minutes.parse::<i32>().ok()?);
    let local = clock.strip_suffix(":00").and_then(|clock| clock.split_once(':')).and_then(|(h, m)| minutes(h, m));
    let sign = match zone.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return false,
    };
    let ahead = zone.get(1..3).zip(zone.get(3..)).and_then(|(h, m)| minutes(h, m)).map(|ahead| sign * ahead);
    let days = match date {
        "1970-01-01" => 0,
        "1969-12-31" => -1,
        _ => return false,
    };
    local.zip(ahead).is_some_and(|(local, ahead)| days * 24 * 60 + local == ahead)
}

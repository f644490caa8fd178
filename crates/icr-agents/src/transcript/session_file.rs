//! Bytes of session files: only ordinary files of the user, in bounded pieces.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::ControlFlow;
use std::path::Path;

use super::RECORD_BYTES_MOST;
use crate::session::open_ordinary_file;

/// Bytes that are read at once. The first piece of a session says whether it is of the repository.
const PIECE_BYTES: usize = 64 << 10;

/// Longest file that is read by [`read_small`], in bytes: a path.
const SMALL_BYTES: u64 = 4 << 10;

/// Opens an ordinary file of the user; symbolic links are not followed.
///
/// # Errors
///
/// `InvalidInput` for a link, a pipe, a device or a file of another user; other errors of the system.
pub(super) fn open_own_file(path: &Path) -> io::Result<File> {
    let file = open_ordinary_file(File::options().read(true), path)?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::uid(&file.metadata()?) != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is somebody else's file"));
    }
    Ok(file)
}

/// The first line of a small file, trimmed.
pub(super) fn read_small(path: &Path) -> Option<String> {
    let mut text = String::new();
    open_own_file(path).ok()?.take(SMALL_BYTES).read_to_string(&mut text).ok()?;
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// How [`each_line`] ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinesEnd {
    /// At the end of the file.
    File,
    /// The callback wanted no more lines.
    Enough,
    /// The limit was reached, the time was over, or the system refused.
    Stopped,
}

/// A line of a file.
pub(super) enum FileLine<'a> {
    /// A line without its line end.
    Whole(&'a [u8]),
    /// The last line if it has no line end; it may be incomplete.
    Unfinished(&'a [u8]),
    /// A line longer than [`RECORD_BYTES_MOST`] bytes; its content is dropped.
    TooLong,
}

/// Passes the lines of `file` to `take`, with their numbers from 1. Stops when `take` has enough, when `bytes_most`
/// bytes are read, or when `is_over`, which is asked before each piece. Adds to `bytes_read`. Lines appended meanwhile
/// are read too, within the limit. Keeps one line in memory.
pub(super) fn each_line(
    mut file: impl Read,
    bytes_most: u64,
    is_over: &dyn Fn() -> bool,
    bytes_read: &mut u64,
    mut take: impl FnMut(u32, FileLine<'_>) -> ControlFlow<()>,
) -> LinesEnd {
    let (mut piece, mut line) = (vec![0; PIECE_BYTES], Vec::new());
    let (mut number, mut is_too_long) = (1_u32, false);
    loop {
        let left = bytes_most.saturating_sub(*bytes_read);
        if is_over() {
            return LinesEnd::Stopped;
        }
        // One byte beyond the limit shows whether there is more.
        let most = usize::try_from(left).unwrap_or(usize::MAX).clamp(1, PIECE_BYTES);
        let count = match file.read(&mut piece[..most]) {
            Ok(0) => break,
            Ok(_) if left == 0 => return LinesEnd::Stopped,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return LinesEnd::Stopped,
        };
        *bytes_read += count as u64;
        let mut parts = piece[..count].split(|byte| *byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            is_too_long |= line.len() + part.len() > RECORD_BYTES_MOST;
            match is_too_long {
                true => line.clear(),
                false => line.extend_from_slice(part),
            }
            if parts.peek().is_none() {
                break;
            }
            let whole = if is_too_long { FileLine::TooLong } else { FileLine::Whole(&line) };
            if take(number, whole).is_break() {
                return LinesEnd::Enough;
            }
            line.clear();
            is_too_long = false;
            number = number.saturating_add(1);
        }
    }
    let is_taken = line.is_empty() || take(number, FileLine::Unfinished(&line)).is_continue();
    if is_taken { LinesEnd::File } else { LinesEnd::Enough }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of `text`, read within `most` bytes, and how that ended.
    fn lines(text: &str, most: u64) -> (Vec<String>, LinesEnd) {
        let (mut shown, mut bytes_read) = (Vec::new(), 0);
        let end = each_line(text.as_bytes(), most, &|| false, &mut bytes_read, |number, line| {
            shown.push(match line {
                FileLine::Whole(bytes) => format!("{number} {}", String::from_utf8_lossy(bytes)),
                FileLine::Unfinished(bytes) => format!("{number} {} …", String::from_utf8_lossy(bytes)),
                FileLine::TooLong => format!("{number} too long"),
            });
            ControlFlow::Continue(())
        });
        assert!(bytes_read <= most);
        (shown, end)
    }

    #[test]
    fn lines_have_numbers_and_the_last_may_be_unfinished() {
        assert_eq!(lines("a\n\nb", 99), (vec!["1 a".into(), "2 ".into(), "3 b …".into()], LinesEnd::File));
        assert_eq!(lines("a\n", 2), (vec!["1 a".into()], LinesEnd::File));
        assert_eq!(lines("", 9), (vec![], LinesEnd::File));
    }

    #[test]
    fn a_limit_stops_within_a_line() {
        assert_eq!(lines("a\nbc\n", 3), (vec!["1 a".into()], LinesEnd::Stopped));
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out() {
        let text = format!("a\n{}\nb\n", "x".repeat(RECORD_BYTES_MOST + 1));
        let (shown, end) = lines(&text, u64::MAX);
        assert_eq!((shown, end), (vec!["1 a".into(), "2 too long".into(), "3 b".into()], LinesEnd::File));
        let (shown, _) = lines(&"x".repeat(RECORD_BYTES_MOST), u64::MAX);
        assert_eq!(shown.len(), 1);
    }

    #[test]
    fn links_and_pipes_are_not_opened() {
        let place = tempfile::tempdir().expect("a directory");
        let (file, link) = (place.path().join("file"), place.path().join("link"));
        std::fs::write(&file, "/some/path\n").expect("a file can be written");
        std::os::unix::fs::symlink(&file, &link).expect("a link can be made");
        assert_eq!(read_small(&file).as_deref(), Some("/some/path"));
        assert_eq!(read_small(&link), None);
        assert!(open_own_file(place.path()).is_err());
        assert!(open_own_file(Path::new("/dev/null")).is_err());
    }
}

//! Captures the beginning and the end of a stream.

use std::collections::VecDeque;

use serde::{Serialize, Serializer};

/// The output of a command on one stream. If it is too long, its beginning and its end with a mark between.
///
/// Serialised as `{text, total_bytes, truncated}`; bytes that are not UTF-8 are replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CapturedOutput {
    /// The bytes, with the mark.
    pub bytes: Vec<u8>,
    /// Bytes that the command wrote in all.
    pub total: u64,
    /// Whether bytes were left out.
    pub truncated: bool,
}

impl CapturedOutput {
    /// The bytes as text; what is no UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

impl Serialize for CapturedOutput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        CapturedRecord { text: self.text(), total_bytes: self.total, truncated: self.truncated }.serialize(serializer)
    }
}

/// The serialised form of a captured stream.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct CapturedRecord {
    /// The captured text; bytes that are not UTF-8 are replaced.
    text: String,
    /// Bytes that the command wrote in all.
    total_bytes: u64,
    /// Whether bytes were left out.
    truncated: bool,
}

/// Takes a stream of any length in constant memory.
#[derive(Debug)]
pub(crate) struct Capture {
    head: Vec<u8>,
    head_most: usize,
    tail: VecDeque<u8>,
    tail_most: usize,
    total: u64,
}

impl Capture {
    /// Keeps at most `most` bytes: half of them from the beginning of the stream, half from its end.
    pub(crate) fn new(most: usize) -> Self {
        let head_most = most.div_ceil(2);
        Self { head: Vec::new(), head_most, tail: VecDeque::new(), tail_most: most - head_most, total: 0 }
    }

    /// Takes the next `bytes`.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let (first, rest) = bytes.split_at(bytes.len().min(self.head_most - self.head.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len() - rest.len().min(self.tail_most)..];
        let surplus = (self.tail.len() + rest.len()).saturating_sub(self.tail_most);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
    }

    /// The captured output. A character that would be cut is left out whole.
    pub(crate) fn finish(self) -> CapturedOutput {
        let tail: Vec<u8> = self.tail.into();
        let mut bytes = self.head;
        if self.total == (bytes.len() + tail.len()) as u64 {
            bytes.extend(tail);
            return CapturedOutput { bytes, total: self.total, truncated: false };
        }
        bytes.truncate(whole_characters_end(&bytes));
        let tail = &tail[tail.iter().take(3).take_while(|byte| is_continuation(**byte)).count()..];
        let left_out = self.total - (bytes.len() + tail.len()) as u64;
        let mark = format!("\n… {left_out} bytes left out …\n");
        bytes.extend_from_slice(mark.as_bytes());
        bytes.extend_from_slice(tail);
        CapturedOutput { bytes, total: self.total, truncated: true }
    }
}

/// The end of the last complete character of `bytes`. Bytes that are not UTF-8 count as characters.
fn whole_characters_end(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(4);
    let Some(last) = bytes[from..].iter().rposition(|byte| !is_continuation(*byte)) else {
        return bytes.len();
    };
    let needed = match bytes[from + last] {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => 1,
    };
    if from + last + needed > bytes.len() { from + last } else { bytes.len() }
}

/// Whether `byte` is a continuation byte of UTF-8.
fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

#[cfg(test)]
mod tests {
    use super::Capture;

    #[track_caller]
    fn check(most: usize, pieces: &[&str], expected: &str) {
        let mut capture = Capture::new(most);
        pieces.iter().for_each(|piece| capture.take(piece.as_bytes()));
        let captured = capture.finish();
        assert_eq!(captured.text(), expected);
        assert_eq!(captured.total, pieces.iter().map(|piece| piece.len() as u64).sum::<u64>());
        assert_eq!(captured.truncated, expected.contains('…'));
    }

    #[test]
    fn what_fits_is_kept_whole() {
        check(6, &["abc", "def"], "abcdef");
        check(6, &[], "");
        check(7, &["a", "", "bcdefg"], "abcdefg");
    }

    #[test]
    fn of_more_the_beginning_and_the_end_are_kept() {
        check(4, &["abcdefgh"], "ab\n… 4 bytes left out …\ngh");
        check(4, &["a", "b", "c", "d", "e"], "ab\n… 1 bytes left out …\nde");
        check(5, &["abcdefgh"], "abc\n… 3 bytes left out …\ngh");
        check(0, &["abc"], "\n… 3 bytes left out …\n");
        check(1, &["abc"], "a\n… 2 bytes left out …\n");
    }

    #[test]
    fn characters_are_not_cut() {
        // Three bytes each: the first half would end, and the last begin, inside of one.
        check(8, &["€€€€"], "€\n… 6 bytes left out …\n€");
        check(6, &["a𝄞𝄞𝄞b"], "a\n… 12 bytes left out …\nb");
    }

    #[test]
    fn bytes_that_are_no_text_are_kept() {
        let mut capture = Capture::new(4);
        capture.take(&[0xff, 0xfe, 0x80, 0x80, 0xff, 0x00]);
        let captured = capture.finish();
        assert!(captured.bytes.starts_with(&[0xff, 0xfe]) && captured.bytes.ends_with(&[0xff, 0x00]));
        assert_eq!((captured.total, captured.truncated), (6, true));
    }

    #[test]
    fn memory_does_not_grow_with_the_stream() {
        let mut capture = Capture::new(1_000);
        let piece = [b'x'; 8_192];
        (0..10_000).for_each(|_| capture.take(&piece));
        assert!(capture.head.capacity() + capture.tail.capacity() < 10_000);
        assert_eq!(capture.finish().total, 81_920_000);
    }
}

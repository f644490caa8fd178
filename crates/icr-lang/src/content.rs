//! The kind of content of a blob, decided before any grammar reads it.

use icr_model::Span;

use crate::thread_readings::is_given_up;

/// Number of first bytes in which a NUL makes a blob binary; git's `FIRST_FEW_BYTES` (its xdiff-interface.c).
const FIRST_FEW_BYTES: usize = 8000;

/// First bytes of a git LFS pointer, by version 1 of its specification.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Larger blobs are not parsed, in bytes: a tree takes 10 to 20 times the memory of its text, and a million lines must
/// be indexed in 500 MB. No hand-written file has more than 4 MiB.
const MAX_PARSED_BYTES: usize = 4 << 20;

/// A line of more bytes was not written by a person: such lines are in bundles, and in data that somebody put into
/// code.
const MAX_PARSED_LINE: usize = 20_000;

/// If most lines have more bytes than this, the code is minified. Hand-written code averages 25 to 45 bytes per line,
/// generated code less than 120. Any file may have a single such line, for example a table or a long text.
const MAX_USUAL_LINE: usize = 300;

/// Bytes at each end of an overlong line that a grammar reads, because the ends tell what kind of data the line has.
const ENDS_READ: usize = 1_000;

/// Hand-written lines needed for each overlong line, when most of a blob is in overlong lines. Bundles also begin with
/// a notice of a few lines.
const USUAL_FOR_OVERLONG: usize = 16;

/// Line lengths say nothing about a blob with fewer bytes.
const MIN_JUDGED_BYTES: usize = 5_000;

/// Whether `blob` has no text to index: a NUL near its start (so UTF-16 and UTF-32 count as binary), a byte order mark
/// of UTF-16, or a pointer to content that is stored elsewhere. For a blob without a grammar, a NUL anywhere counts:
/// some PDF files begin with much text, but code may contain a NUL in a string.
pub(crate) fn is_binary(blob: &[u8], has_grammar: bool) -> bool {
    let looked_at = if has_grammar { blob.len().min(FIRST_FEW_BYTES) } else { blob.len() };
    memchr::memchr(0, &blob[..looked_at]).is_some()
        || blob.starts_with(b"\xff\xfe")
        || blob.starts_with(b"\xfe\xff")
        || blob.starts_with(LFS_POINTER)
}

/// Whether a grammar should read `blob`: it is not too large, its lines look hand-written except for some data, and it
/// is not a text that made an earlier process end.
pub fn is_parseable(blob: &[u8]) -> bool {
    overlong_middles(blob).is_some()
}

/// The middles of lines that are too long for a grammar, which should read the rest. `None` if no grammar should read
/// the blob.
pub(crate) fn overlong_middles(blob: &[u8]) -> Option<Vec<Span>> {
    if blob.len() > MAX_PARSED_BYTES || is_given_up(blob) {
        return None;
    }
    let mut overlong = Vec::new();
    let (mut overlong_bytes, mut long, mut usual, mut start) = (0, 0, 0, 0);
    for end in memchr::memchr_iter(b'\n', blob).chain([blob.len()]) {
        match end - start {
            0 => {}
            length if length > MAX_PARSED_LINE => {
                // The cut must not separate the bytes of one letter.
                let is_inside = |at: &usize| blob[*at] & 0xc0 == 0x80;
                let first = (start + ENDS_READ..end).find(|at| !is_inside(at)).unwrap_or(end);
                let last = (first..end - ENDS_READ).rev().find(|at| !is_inside(at)).unwrap_or(first);
                overlong.push(Span::new(first as u32, last as u32));
                overlong_bytes += length;
                long += 1;
            }
            length if length > MAX_USUAL_LINE => long += 1,
            _ => usual += 1,
        }
        start = end + 1;
    }
    let is_written = blob.len() < MIN_JUDGED_BYTES || long <= usual;
    let is_mostly_data = overlong_bytes > blob.len() / 2 && usual < overlong.len() * USUAL_FOR_OVERLONG;
    (is_written && !is_mostly_data).then_some(overlong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nul_in_code_counts_only_near_the_start() {
        let mut blob = vec![b'a'; 9000];
        assert!(!is_binary(&blob, false));
        blob[8000] = 0;
        assert_eq!([true, false].map(|has_grammar| is_binary(&blob, has_grammar)), [false, true]);
        blob[7999] = 0;
        assert!(is_binary(&blob, true));
    }

    #[test]
    fn utf_16_and_pointers_are_binary() {
        assert!(is_binary(b"\xff\xfea\0", true));
        assert!(is_binary(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", true));
        assert!(!is_binary(b"\xef\xbb\xbfa", false));
        assert!(!is_binary(b"", false));
    }

    #[test]
    fn only_lines_as_people_write_them_are_parsed() {
        let check = |blob: &[u8], parsed| {
            assert_eq!(is_parseable(blob), parsed);
        };
        check(b"", true);
        check(&b"let a = 1;\n".repeat(10_000), true);
        check(&[b"a".repeat(20_001), b"\n".repeat(1000)].concat(), false);
        check(&[b"a".repeat(400), b"\n".to_vec()].concat().repeat(20), false);
        check(&b"a\n".repeat(3 << 20), false);
        let table = [&b"let a = 1;\n"[..], &b"a".repeat(15_000), b"\n"].concat();
        check(&table, true);
        check(&[table, b"b".repeat(15_000)].concat(), false);
    }

    #[test]
    fn the_rest_of_a_file_with_a_line_of_data_is_read() {
        let data = b"a".repeat(20_001);
        let with = |lines: usize| [&b"b\n"[..], &data, b"\n", &b"let a = 1;\n".repeat(lines)].concat();
        assert_eq!(overlong_middles(&with(2000)), Some(vec![Span::new(1_002, 19_002)]));
        assert_eq!(overlong_middles(&with(15)), Some(vec![Span::new(1_002, 19_002)]));
        assert_eq!(overlong_middles(&with(14)), None);
        assert_eq!(overlong_middles(b"a\n"), Some(Vec::new()));
        let letters = [&b"b\n".repeat(16), "é".repeat(10_001).as_bytes()].concat();
        let middle = overlong_middles(&letters).unwrap()[0];
        assert!(std::str::from_utf8(middle.of(&letters)).is_ok(), "{middle:?}");
    }
}

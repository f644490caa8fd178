//! Diffs that were coloured although they went into a pipe.

use super::cursor::split_line;

/// How lines begin that only a diff has.
const HEADERS: [&[u8]; 5] = [b"diff -", b"--- ", b"+++ ", b"@@ -", b"Submodule "];

/// `text` without colours, where its headers have some; `None` where they have none, and escape sequences are content.
///
/// In a coloured diff, escape sequences of the content are removed too, because they cannot be told from those of git.
pub(super) fn without_colours(text: &[u8]) -> Option<Vec<u8>> {
    has_coloured_header(text).then(|| plain(text))
}

fn has_coloured_header(text: &[u8]) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        let (line, behind) = split_line(rest);
        if line.starts_with(b"\x1b[") {
            let line = plain(line);
            if HEADERS.iter().any(|header| line.starts_with(header)) {
                return true;
            }
        }
        rest = behind;
    }
    false
}

fn plain(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.iter().position(|byte| *byte == 0x1b) {
        plain.extend_from_slice(&rest[..start]);
        rest = &rest[start..];
        let length = sequence_length(rest).unwrap_or_else(|| {
            plain.push(0x1b);
            1
        });
        rest = &rest[length..];
    }
    plain.extend_from_slice(rest);
    plain
}

/// Bytes of the sequence that `text` begins with, when it sets a colour (`m`) or clears the line in it (`K`).
fn sequence_length(text: &[u8]) -> Option<usize> {
    let parameters = text.strip_prefix(b"\x1b[")?;
    let end = parameters.iter().position(|byte| !(byte.is_ascii_digit() || matches!(byte, b';' | b':')))?;
    matches!(parameters[end], b'm' | b'K').then_some(2 + end + 1)
}

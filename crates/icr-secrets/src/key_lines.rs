//! Lines of the body of a private key whose begin or end is not in the text: what is shown is often a part of a file.

use crate::MASK;

/// Letters in a line of a key: PEM (RFC 7468), which has 64, and OpenSSH, which has 70.
const LINE_LETTERS: [usize; 2] = [64, 70];

/// `text` with [`MASK`] in place of two or more lines of a key that follow each other, of one behind the begin of a key, or of one that is all of
/// the text, and how many such stretches there were; `None` where there are none. Lines may be strings of code, or have numbers in front.
pub(crate) fn mask(text: &str) -> (Option<String>, u64) {
    let Some(stretches) = stretches(text) else { return (None, 0) };
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for line in stretches.lines {
        masked.push_str(&text[from..line.0]);
        masked.push_str(MASK);
        from = line.1;
    }
    masked.push_str(&text[from..]);
    (Some(masked), stretches.found)
}

/// Letters of keys in a text, as (start, end), and how many keys they are of.
struct Stretches {
    lines: Vec<(usize, usize)>,
    found: u64,
}

fn stretches(text: &str) -> Option<Stretches> {
    let mut all = Stretches { lines: Vec::new(), found: 0 };
    // A single line is one hit of a search for lines.
    let (mut open, mut is_begun, mut start) = (Vec::new(), LINE_LETTERS.contains(&text.trim().len()), 0);
    let mut close = |open: &mut Vec<(usize, usize)>, is_begun: bool| {
        if open.len() > 1 || is_begun && !open.is_empty() {
            all.lines.append(open);
            all.found += 1;
        }
        open.clear();
    };
    for line in text.split_inclusive('\n') {
        match letters_of_key(line) {
            Some((first, end)) => open.push((start + first, start + end)),
            // The last line of a key is shorter, and says little alone.
            None => {
                close(&mut open, is_begun);
                is_begun = line.contains("PRIVATE KEY-----") && line.contains("-----BEGIN ");
            }
        }
        start += line.len();
    }
    close(&mut open, is_begun);
    (all.found > 0).then_some(all)
}

/// Where in `line` letters stand that are a line of a key: as many as one has, in base64 and not hexadecimal.
fn letters_of_key(line: &str) -> Option<(usize, usize)> {
    if line.len() < LINE_LETTERS[0] {
        return None;
    }
    let bytes = line.as_bytes();
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let mut start = 0;
    for run in bytes.split(|byte| !is_letter(byte)) {
        let has = |is: fn(&u8) -> bool| run.iter().any(is);
        // Base64 of 48 random bytes lacks one of these once in 16,000 times.
        let is_base64 = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
        if LINE_LETTERS.contains(&run.len()) && is_base64 {
            return Some((start, start + run.len()));
        }
        start += run.len() + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "MIIEpAIBAAKCAQEA0123456789abcdefABCD0123456789abcdefABCD01234567";

    #[test]
    fn lines_of_a_key_are_masked_without_its_ends() {
        assert_eq!(LINE.len(), 64);
        let text = format!("  12 | {LINE}\n  13 | {LINE}\n  14 | abc=\n");
        let masked = (Some("  12 | [masked]\n  13 | [masked]\n  14 | abc=\n".to_owned()), 1);
        assert_eq!(mask(&text), masked);
        let code = format!("key = (\n    \"{LINE}\\n\"\n    \"{LINE}\\n\")\n");
        assert_eq!(mask(&code).0.unwrap(), "key = (\n    \"[masked]\\n\"\n    \"[masked]\\n\")\n");
        let begun = format!("-----BEGIN {}-----\n{LINE}\n", "PRIVATE KEY");
        assert_eq!(mask(&begun).1, 1);
    }

    #[test]
    fn one_line_of_base64_in_other_text_and_digests_stay() {
        let digest = "0123456789abcdef".repeat(4);
        assert_eq!(mask(LINE).1, 1);
        for text in
            [format!("a: {LINE}\n"), format!("{digest}\n{digest}\n"), format!("{LINE}a\n{LINE}b\n"), String::new()]
        {
            assert_eq!(mask(&text), (None, 0), "{text}");
        }
    }
}

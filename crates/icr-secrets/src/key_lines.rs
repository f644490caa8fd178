//! Lines of the body of a private key whose begin or end is not in the text: what is shown is often a part of a file.

use crate::MASK;

/// Letters in a line of a key: PEM (RFC 7468), which has 64, and OpenSSH, which has 70.
const LINE_LETTERS: [usize; 2] = [64, 70];

/// Letters of a line that was cut, or is the last of a key, and stands beside others.
const SHORT_LETTERS: usize = 16;

/// Other letters and digits in a line of a key: its number, and what a string of code has around it.
const OTHER_LETTERS: usize = 6;

/// `text` with [`MASK`] in place of two or more lines of a key that follow each other, of what stands behind the begin of a key, or of one line
/// that is all of the text, and how many such stretches there were; `None` where there are none. Lines may be strings of code, have numbers
/// in front, or be parted by `\n` as it is typed.
pub(crate) fn mask(text: &str) -> (Option<String>, u64) {
    let stretches = stretches(text);
    if stretches.found == 0 {
        return (None, 0);
    }
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for (start, end) in stretches.runs {
        masked.push_str(&text[from..start]);
        masked.push_str(MASK);
        from = end;
    }
    masked.push_str(&text[from..]);
    (Some(masked), stretches.found)
}

/// Letters of keys in a text, and how many keys they are of.
#[derive(Default)]
struct Stretches {
    /// As (start, end).
    runs: Vec<(usize, usize)>,
    found: u64,
}

/// Lines that follow each other and look like those of a key.
#[derive(Default)]
struct Open {
    runs: Vec<(usize, usize)>,
    /// Of which so many have the length of a line.
    whole: usize,
    is_begun: bool,
}

impl Stretches {
    fn close(&mut self, open: &mut Open) {
        let open = std::mem::take(open);
        if open.whole > 1 || open.is_begun && !open.runs.is_empty() {
            self.runs.extend(open.runs);
            self.found += 1;
        }
    }
}

fn stretches(text: &str) -> Stretches {
    let mut all = Stretches::default();
    // A single line is one hit of a search for lines.
    let mut open = Open { is_begun: LINE_LETTERS.contains(&text.trim().len()), ..Open::default() };
    for (start, line) in lines(text) {
        let begin = begin_of_key(line);
        if begin.is_some() {
            all.close(&mut open);
            open.is_begun = true;
        }
        let inside = begin.unwrap_or_default();
        match run_of_key(&line[inside..]) {
            Some((first, end)) => {
                open.whole += usize::from(LINE_LETTERS.contains(&(end - first)));
                open.runs.push((start + inside + first, start + inside + end));
            }
            None if begin.is_some() => {}
            // What is between two strings of code.
            None if !line.bytes().any(|byte| byte.is_ascii_alphanumeric()) => {}
            None => all.close(&mut open),
        }
    }
    all.close(&mut open);
    all
}

/// The lines of `text` with their begins; a line ends at `\n` as it is typed, too.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = text.get(from..).filter(|rest| !rest.is_empty())?;
        // Any escape ends a line: no line of a key has one.
        let end = memchr::memchr2(b'\n', b'\\', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        let letter = usize::from(rest[..end].ends_with('\\') && rest[end..].starts_with(['n', 'r']));
        let line = &rest[..end + letter];
        let start = from;
        from += line.len();
        Some((start, line))
    })
}

/// Where in `line` a key begins.
fn begin_of_key(line: &str) -> Option<usize> {
    const END: &str = "PRIVATE KEY";
    let at = line.find("-----BEGIN ")?;
    let name = line[at..].find(END)? + at + END.len();
    Some(line[name..].find("-----")? + name + 5)
}

/// Where in `line` letters stand that are a line of a key, or the begin or end of one: base64 that is not hexadecimal, and hardly anything else.
fn run_of_key(line: &str) -> Option<(usize, usize)> {
    let bytes = line.as_bytes();
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let (mut start, mut longest) = (0, (0, 0));
    for run in bytes.split(|byte| !is_letter(byte)) {
        // A line that a change adds begins with it.
        let added = usize::from(run.first() == Some(&b'+') && LINE_LETTERS.contains(&(run.len() - 1)));
        if run.len() - added > longest.1 - longest.0 {
            longest = (start + added, start + run.len());
        }
        start += run.len() + 1;
    }
    let run = &bytes[longest.0..longest.1];
    let has = |is: fn(&u8) -> bool| run.iter().any(is);
    // Base64 of 48 random bytes lacks one of these once in 16,000 times.
    let is_base64 = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    let others = bytes.iter().filter(|byte| byte.is_ascii_alphanumeric()).count()
        - run.iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let is_line = LINE_LETTERS.contains(&run.len()) || run.len() >= SHORT_LETTERS && others <= OTHER_LETTERS;
    (is_base64 && is_line).then_some(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "MIIEpAIBAAKCAQEA0123456789abcdefABCD0123456789abcdefABCD01234567";

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(mask(text), (Some(expected.to_owned()), 1));
    }

    #[test]
    fn lines_of_a_key_are_masked_without_its_ends() {
        assert_eq!(LINE.len(), 64);
        check(
            &format!("  12 | {LINE}\n  13 | {LINE}\n  14 | {}=\n  15 | abc\n", &LINE[..30]),
            "  12 | [masked]\n  13 | [masked]\n  14 | [masked]=\n  15 | abc\n",
        );
        check(
            &format!("key = (\n    \"{LINE}\\n\"\n    \"{LINE}\\n\")\n"),
            "key = (\n    \"[masked]\\n\"\n    \"[masked]\\n\")\n",
        );
        check(&format!("-{LINE}\n+{LINE}\n"), "-[masked]\n+[masked]\n");
        check(LINE, "[masked]");
    }

    #[test]
    fn a_key_that_is_cut_off_is_masked_behind_its_begin() {
        let begin = format!("-----BEGIN {}-----", "PRIVATE KEY");
        check(&format!("{begin}\n{LINE}\n"), &format!("{begin}\n[masked]\n"));
        check(
            &format!("\"key\": \"{begin}\\n{LINE}\\n{LINE}\\n{}", &LINE[..20]),
            &format!("\"key\": \"{begin}\\n[masked]\\n[masked]\\n[masked]"),
        );
        check(&format!("{begin}{LINE}{LINE}"), &format!("{begin}[masked]"));
        check(&format!("{LINE}\\n{LINE}\\n{}…", &LINE[..40]), "[masked]\\n[masked]\\n[masked]…");
    }

    #[test]
    fn one_line_of_base64_in_other_text_and_digests_stay() {
        let digest = "0123456789abcdef".repeat(4);
        for text in [
            format!("a: {LINE}\n"),
            format!("{digest}\n{digest}\n"),
            format!("{LINE}a\n{LINE}b\n"),
            format!("let one = parseThatVeryLongName2(other)\n{LINE}\n"),
            "\\é\\\\".to_owned(),
            String::new(),
        ] {
            assert_eq!(mask(&text), (None, 0), "{text}");
        }
    }
}

//! Lines of the body of a private key whose begin or end is not in the text: what is shown is often a part of a file.

/// Letters in a line of a key: PEM (RFC 7468), which has 64, and OpenSSH, which has 70.
const LINE_LETTERS: [usize; 2] = [64, 70];

/// Letters of a line that was cut, or is the last of a key, and stands beside others.
const SHORT_LETTERS: usize = 16;

/// Letters of the name of a header (RFC 9580 and RFC 1421 have at most 12).
const LONGEST_HEADER: usize = 32;

/// Other letters and digits in a line of a key: its number, and what a string of code has around it.
const OTHER_LETTERS: usize = 6;

/// Which texts keys are looked for in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeySearchScope {
    /// One in which a key has its begin: a file, or what is said of several.
    Text,
    /// A part of a file, which may begin inside of a key.
    Part,
}

/// Letters of keys in `text`, as (start, end), by key: of what stands behind the begin of one, and of a part of a file two or more lines of a key
/// that follow each other, or one that is all of the text. Lines may be strings of code, have numbers in front, or be parted by `\n` as it is typed.
pub(crate) fn keys(text: &str, of: KeySearchScope) -> Vec<Vec<(usize, usize)>> {
    if of == KeySearchScope::Text && memchr::memmem::find(text.as_bytes(), b"PRIVATE KEY").is_none() {
        return Vec::new();
    }
    let mut keys = Keys { of, keys: Vec::new() };
    // A single line is one hit of a search for lines.
    let is_line = of == KeySearchScope::Part && LINE_LETTERS.contains(&text.trim().len());
    let mut open = KeyLineRun { is_begun: is_line, ..KeyLineRun::default() };
    for (start, line) in lines(text) {
        let begin = begin_of_key(line);
        if begin.is_some() {
            keys.close(&mut open);
            open.is_begun = true;
        }
        let inside = begin.unwrap_or_default();
        let runs = runs_of_key(&line[inside..], open.is_begun);
        match runs.as_slice() {
            [] if begin.is_some() => {}
            // Keys of PGP, and of PEM under a password, have lines between their begin and their body.
            [] if open.is_begun && open.runs.is_empty() && is_header(line) => {}
            // What is between two strings of code.
            [] if !line.bytes().any(|byte| byte.is_ascii_alphanumeric()) => {}
            [] => keys.close(&mut open),
            runs => {
                open.whole += runs.iter().filter(|(first, end)| LINE_LETTERS.contains(&(end - first))).count();
                open.runs.extend(runs.iter().map(|(first, end)| (start + inside + first, start + inside + end)));
            }
        }
    }
    keys.close(&mut open);
    keys.keys
}

/// Keys that were found.
struct Keys {
    of: KeySearchScope,
    keys: Vec<Vec<(usize, usize)>>,
}

/// Lines that follow each other and look like those of a key.
#[derive(Default)]
struct KeyLineRun {
    runs: Vec<(usize, usize)>,
    /// Of which so many have the length of a line.
    whole: usize,
    is_begun: bool,
}

impl Keys {
    fn close(&mut self, open: &mut KeyLineRun) {
        let open = std::mem::take(open);
        if self.of == KeySearchScope::Part && open.whole > 1 || open.is_begun && !open.runs.is_empty() {
            self.keys.push(open.runs);
        }
    }
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

/// Whether a line is a name with a value: `Comment: of Alice`, in a string or a comment too.
fn is_header(line: &str) -> bool {
    let name = line.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic());
    name.find(':').is_some_and(|end| {
        end < LONGEST_HEADER && name[..end].bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
    })
}

/// Where in `line` a key begins.
fn begin_of_key(line: &str) -> Option<usize> {
    const END: &str = "PRIVATE KEY";
    let at = line.find("-----BEGIN ")?;
    let name = line[at..].find(END)? + at + END.len();
    Some(line[name..].find("-----")? + name + 5)
}

/// Where in `line` letters stand that are lines of a key, or the begin or end of one: base64 that is not hexadecimal, and hardly anything else. Behind
/// the begin of a key several may stand in one line, with whatever parts them; elsewhere it is the longest.
fn runs_of_key(line: &str, is_begun: bool) -> Vec<(usize, usize)> {
    let bytes = line.as_bytes();
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let (mut start, mut runs) = (0, Vec::new());
    for run in bytes.split(|byte| !is_letter(byte)) {
        // A line that a change adds begins with it.
        let added = usize::from(run.first() == Some(&b'+') && LINE_LETTERS.contains(&(run.len() - 1)));
        runs.push((start + added, start + run.len()));
        start += run.len() + 1;
    }
    let alphanumeric = |bytes: &[u8]| bytes.iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let all = alphanumeric(bytes);
    let is_key = |(first, end): &(usize, usize)| {
        let run = &bytes[*first..*end];
        let has = |is: fn(&u8) -> bool| run.iter().any(is);
        // Base64 of 48 random bytes lacks one of these once in 16,000 times.
        let is_base64 = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
        let others = all - alphanumeric(run);
        let is_line =
            LINE_LETTERS.contains(&run.len()) || run.len() >= SHORT_LETTERS && (others <= OTHER_LETTERS || is_begun);
        is_base64 && is_line
    };
    match is_begun {
        true => runs.into_iter().filter(is_key).collect(),
        // The first of the longest.
        false => runs.into_iter().rev().max_by_key(|(first, end)| end - first).filter(is_key).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "MIIEpAIBAAKCAQEA0123456789abcdefABCD0123456789abcdefABCD01234567";

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut marked = text.as_bytes().to_vec();
        assert!(crate::mask_part(&mut marked));
        let marked = String::from_utf8(marked).unwrap();
        let masked = crate::mask_tokens(&marked);
        assert_eq!((masked.text.as_ref(), masked.credentials), (expected, 1));
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
            assert_eq!(keys(&text, KeySearchScope::Part), Vec::<Vec<_>>::new(), "{text}");
        }
    }
}

//! Finds lines of private keys whose begin or end is missing from the text, because answers often show only a part of a
//! file.

/// Letters in a full line of a key: 64 in PEM (RFC 7468), 70 in OpenSSH.
const LINE_LETTERS: [usize; 2] = [64, 70];

/// Fewest letters of a cut line, or of the last line of a key, that counts when it stands next to other lines of the
/// key.
const SHORT_LETTERS: usize = 16;

/// A header's name has fewer letters than this (in RFC 9580 and RFC 1421 at most 12).
const LONGEST_HEADER: usize = 32;

/// A line of a key may contain at most this many other letters and digits: a line number, and what surrounds a string
/// in code.
const OTHER_LETTERS: usize = 6;

/// What kind of text is searched for keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeySearchScope {
    /// A text that contains the begin of its keys: a whole file, or an answer with parts of several files.
    Text,
    /// A part of a file, which may begin inside a key.
    Part,
}

/// Finds the base64 runs of keys in `text` as (start, end), grouped by key. In every text these are the lines behind
/// the begin of a key. In a part of a file they are also two or more successive lines of a key, or one that is the
/// whole text. Lines may be strings in code, have line numbers, or be separated by a typed `\n` escape.
pub(crate) fn keys(text: &str, of: KeySearchScope) -> Vec<Vec<(usize, usize)>> {
    let has = |begin: &str| memchr::memmem::find(text.as_bytes(), begin.as_bytes()).is_some();
    if of == KeySearchScope::Text && !has("PRIVATE KEY") && !has(PUTTY_BEGIN) {
        return Vec::new();
    }
    let mut keys = Keys { of, keys: Vec::new() };
    // A line search returns such single lines.
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
            // PGP keys, and PEM keys with a password, have header lines between their begin and their body.
            [] if open.is_begun && open.runs.is_empty() && is_header(line) => {}
            // Skips what stands between two strings of code.
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

/// Collects the keys that were found.
struct Keys {
    of: KeySearchScope,
    keys: Vec<Vec<(usize, usize)>>,
}

/// Successive lines that look like lines of one key.
#[derive(Default)]
struct KeyLineRun {
    runs: Vec<(usize, usize)>,
    /// How many of the runs are as long as a full line of a key.
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

/// The lines of `text` with their start offsets. A typed `\n` escape also ends a line.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = text.get(from..).filter(|rest| !rest.is_empty())?;
        // Any escape ends a line: no line of a key contains one.
        let end = memchr::memchr2(b'\n', b'\\', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        let letter = usize::from(rest[..end].ends_with('\\') && rest[end..].starts_with(['n', 'r']));
        let line = &rest[..end + letter];
        let start = from;
        from += line.len();
        Some((start, line))
    })
}

/// Whether a line is a header such as `Comment: of Alice`, also in a string or a comment.
fn is_header(line: &str) -> bool {
    let name = line.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic());
    name.find(':').is_some_and(|end| {
        end < LONGEST_HEADER && name[..end].bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
    })
}

/// What stands before the private lines in a key file of PuTTY ("Storage formats", appendix C of its manual).
const PUTTY_BEGIN: &str = "Private-Lines: ";

/// The offset in `line` where the body of a key begins, behind the `BEGIN` mark: `-----BEGIN RSA PRIVATE KEY-----`, and
/// with SSH2 `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----`.
fn begin_of_key(line: &str) -> Option<usize> {
    const END: &str = "PRIVATE KEY";
    if let Some(at) = line.find(PUTTY_BEGIN) {
        let digits = at + PUTTY_BEGIN.len();
        let end = line[digits..].find(|letter: char| !letter.is_ascii_digit()).map_or(line.len(), |end| digits + end);
        return (end > digits).then_some(end);
    }
    let at = line.find("-----BEGIN ").or_else(|| line.find("---- BEGIN "))?;
    let name = line[at..].find(END)? + at + END.len();
    let dashes = name + line[name..].find("----")?;
    Some(line.len() - line[dashes..].trim_start_matches('-').len())
}

/// Finds the runs of base64 in `line` that look like a line of a key, or like the begin or end of one. They are not
/// hexadecimal, and hardly anything else looks like this. Behind the begin of a key a line may have several such runs,
/// with any separators; elsewhere only the longest run counts.
fn runs_of_key(line: &str, is_begun: bool) -> Vec<(usize, usize)> {
    let bytes = line.as_bytes();
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let (mut start, mut runs) = (0, Vec::new());
    for run in bytes.split(|byte| !is_letter(byte)) {
        // An added line of a diff begins with `+`, which is not a part of the key.
        let added = usize::from(run.first() == Some(&b'+') && LINE_LETTERS.contains(&(run.len() - 1)));
        runs.push((start + added, start + run.len()));
        start += run.len() + 1;
    }
    let alphanumeric = |bytes: &[u8]| bytes.iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let all = alphanumeric(bytes);
    let is_key = |(first, end): &(usize, usize)| {
        let run = &bytes[*first..*end];
        let has = |is: fn(&u8) -> bool| run.iter().any(is);
        // Base64 of 48 random bytes lacks one of these three kinds only once in 16,000 times.
        let is_base64 = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
        let others = all - alphanumeric(run);
        let is_line =
            LINE_LETTERS.contains(&run.len()) || run.len() >= SHORT_LETTERS && (others <= OTHER_LETTERS || is_begun);
        is_base64 && is_line
    };
    match is_begun {
        true => runs.into_iter().filter(is_key).collect(),
        // Takes the first of the longest runs.
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

//! Finds lines of private keys whose begin or end is missing from the text: answers often show only a part of a file, and
//! a file may hold only a part of a key.

use crate::{KEY_LETTERS, SHORTEST_RUN};

/// Letters in a full line of a key: 64 in PEM (RFC 7468), 70 in OpenSSH.
const LINE_LETTERS: [usize; 2] = [64, 70];

/// Fewest letters of a cut line, or of the last line of a key, that counts when it stands next to other lines of the
/// key.
const SHORT_LETTERS: usize = 16;

/// Most lines of a key behind those that look like lines of one: its last line, and the checksum of PGP.
const LAST_LINES: usize = 2;

/// Most letters in front of the quote of a string in code, as in `rb"…"`.
const STRING_LETTERS: usize = 2;

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
/// the begin of a key, and those in front of the end of one without a begin. In a part of a file they are also two or
/// more successive lines of a key, or one that is the whole text. Lines may be strings in code, have line numbers, or be
/// separated by a typed `\n` escape. Cost: linear in the length of `text`.
pub(crate) fn keys(text: &str, of: KeySearchScope) -> Vec<Vec<(usize, usize)>> {
    let has = |mark: &str| memchr::memmem::find(text.as_bytes(), mark.as_bytes()).is_some();
    if of == KeySearchScope::Text && !has(KEY_NAME) && !has(PUTTY_BEGIN) && !has(PUTTY_END) {
        return Vec::new();
    }
    // A line search returns such single lines.
    let is_line = of == KeySearchScope::Part && LINE_LETTERS.contains(&text.trim().len());
    let mut keys = Keys { of, keys: Vec::new(), open: KeyLineRun { is_begun: is_line, ..KeyLineRun::default() } };
    for (start, line) in lines(text) {
        let mut from = 0;
        for (end, behind) in ends_of_keys(line) {
            keys.read_end(start + from, &line[from..end]);
            from = behind;
        }
        keys.read_line(start + from, &line[from..]);
    }
    keys.close();
    keys.keys
}

/// Collects the keys that were found.
struct Keys {
    of: KeySearchScope,
    keys: Vec<Vec<(usize, usize)>>,
    open: KeyLineRun,
}

/// Successive lines that look like lines of one key.
#[derive(Default)]
struct KeyLineRun {
    runs: Vec<(usize, usize)>,
    /// How many of the runs are as long as a full line of a key.
    whole: usize,
    is_begun: bool,
    /// The end of a key stands behind the lines.
    is_ended: bool,
    /// Runs of the lines behind `runs` that count only if the end of a key follows.
    last_runs: Vec<(usize, usize)>,
    /// How many such lines there are, also without a run.
    last_lines: usize,
}

impl Keys {
    /// Reads a line, or what stands in it behind the end of a key; `start` is its offset in the text.
    fn read_line(&mut self, start: usize, line: &str) {
        let begin = begin_of_key(line);
        if begin.is_some() {
            self.close();
            self.open.is_begun = true;
        }
        let inside = begin.unwrap_or_default();
        let runs = runs_of_key(&line[inside..], self.open.is_begun);
        let open = &mut self.open;
        match runs.as_slice() {
            [] if begin.is_some() => {}
            // PGP keys, and PEM keys with a password, have header lines between their begin and their body.
            [] if open.is_begun && open.runs.is_empty() && is_header(line) => {}
            // Skips what stands between two strings of code.
            [] if !line.bytes().any(|byte| byte.is_ascii_alphanumeric()) => {}
            [] if !open.is_begun && !open.runs.is_empty() && open.last_lines < LAST_LINES && is_last_line(line) => {
                open.last_lines += 1;
                let (first, end) = longest_run(line);
                if end - first >= SHORTEST_RUN {
                    open.last_runs.push((start + first, start + end));
                }
            }
            // Behind the begin of a key, a line of base64 alone is of the key also without letters of all kinds.
            [] if open.is_begun && !open.runs.is_empty() && is_whole_line_of_key(line) => {
                let (first, end) = longest_run(line);
                open.runs.push((start + first, start + end));
            }
            [] => self.close(),
            runs => {
                if open.last_lines > 0 {
                    self.close();
                }
                self.open.whole += runs.iter().filter(|(first, end)| LINE_LETTERS.contains(&(end - first))).count();
                self.open.runs.extend(runs.iter().map(|(first, end)| (start + inside + first, start + inside + end)));
            }
        }
    }

    /// Reads `line`, which stands in front of the end of a key. The letters in front of it may be the key itself, or a
    /// line number.
    fn read_end(&mut self, start: usize, line: &str) {
        if self.open.is_begun || begin_of_key(line).is_some() {
            self.read_line(start, line);
            return self.close();
        }
        let (runs, is_all) = runs_before_end(line);
        if !is_all {
            self.close();
        }
        let last_runs = std::mem::take(&mut self.open.last_runs);
        self.open.runs.extend(last_runs);
        self.open.runs.extend(runs.iter().map(|(first, end)| (start + first, start + end)));
        self.open.is_ended = true;
        self.close();
    }

    fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        let is_ended = open.is_ended && open.runs.iter().any(|(first, end)| end - first >= KEY_LETTERS);
        if is_ended || self.of == KeySearchScope::Part && open.whole > 1 || open.is_begun && !open.runs.is_empty() {
            self.keys.push(open.runs);
        }
    }
}

/// The lines of `text` with their start offsets. A typed `\n` escape also ends a line; its letter belongs to none.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = text.get(from..).filter(|rest| !rest.is_empty())?;
        // Any escape ends a line: no line of a key contains one.
        let end = memchr::memchr2(b'\n', b'\\', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        let letter = usize::from(rest[..end].ends_with('\\') && rest[end..].starts_with(['n', 'r']));
        let start = from;
        from += end + letter;
        Some((start, &rest[..end]))
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
pub(crate) const PUTTY_BEGIN: &str = "Private-Lines: ";

/// What stands behind them.
pub(crate) const PUTTY_END: &str = "Private-MAC: ";

/// What the begin and end of every other private key contain.
pub(crate) const KEY_NAME: &str = "PRIVATE KEY";

/// The offset in `line` where the body of a key begins, behind the `BEGIN` mark: `-----BEGIN RSA PRIVATE KEY-----`, and
/// with SSH2 `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----`.
fn begin_of_key(line: &str) -> Option<usize> {
    if let Some(at) = line.find(PUTTY_BEGIN) {
        let digits = at + PUTTY_BEGIN.len();
        let end = line[digits..].find(|letter: char| !letter.is_ascii_digit()).map_or(line.len(), |end| digits + end);
        return (end > digits).then_some(end);
    }
    let at = line.find("-----BEGIN ").or_else(|| line.find("---- BEGIN "))?;
    let name = line[at..].find(KEY_NAME)? + at + KEY_NAME.len();
    let dashes = name + line[name..].find("----")?;
    Some(line.len() - line[dashes..].trim_start_matches('-').len())
}

/// The marks of the ends of keys in `line` as (start, end), with the name of the key and without the dashes behind it:
/// `-----END RSA PRIVATE KEY`, and with SSH2 `---- END SSH2 ENCRYPTED PRIVATE KEY`.
fn ends_of_keys(line: &str) -> Vec<(usize, usize)> {
    const END: &str = "END ";
    if let Some(at) = memchr::memmem::find(line.as_bytes(), PUTTY_END.as_bytes()) {
        return vec![(at, at + PUTTY_END.len())];
    }
    let mark = |at: usize| {
        let start = ["-----", "---- "].iter().find_map(|dashes| line[..at].strip_suffix(dashes))?.len();
        let is_name = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == ' ';
        let end = line.len() - line[at..].trim_start_matches(is_name).len();
        line[at..end].contains(KEY_NAME).then_some((start, end))
    };
    memchr::memmem::find_iter(line.as_bytes(), END).filter_map(mark).collect()
}

/// The base64 runs of a key that end `line`, which stands in front of the end of the key, in order; and whether nothing
/// else in it has more letters than the begin of a string, so that the lines above may be of the same key.
///
/// A key may stand in one line, with any separators. Beside other text, at least one run is as long as a full line.
fn runs_before_end(line: &str) -> (Vec<(usize, usize)>, bool) {
    let bytes = |(first, end): (usize, usize)| &line.as_bytes()[first..end];
    let mut before: Vec<_> = base64_runs(line.as_bytes()).into_iter().filter(|(first, end)| first < end).collect();
    let mut touches_end = line.trim_end_matches('=').ends_with(crate::is_base64);
    let (mut runs, mut last, mut others, mut other_letters) = (Vec::new(), None, 0, 0);
    while others <= OTHER_LETTERS
        && let Some(run) = before.pop()
    {
        let length = run.1 - run.0;
        if length >= KEY_LETTERS && is_base64_line(bytes(run)) {
            runs.push(run);
            others = 0;
        } else if touches_end {
            last = Some(run);
        } else {
            other_letters += alphabetic(bytes(run));
            // The last letters of a key are often few.
            match last.is_none() && runs.is_empty() && length >= SHORTEST_RUN {
                true => last = Some(run),
                false => others += length,
            }
        }
        touches_end = false;
    }
    other_letters += before.into_iter().map(|run| alphabetic(bytes(run))).sum::<usize>();
    let is_all = other_letters <= STRING_LETTERS;
    if !is_all && !runs.iter().any(|(first, end)| end - first >= LINE_LETTERS[0]) {
        return (Vec::new(), false);
    }
    runs.reverse();
    runs.extend(last.filter(|(first, end)| end - first >= SHORTEST_RUN));
    (runs, is_all)
}

/// Whether `line` may be one of the last lines of a key, of which one is often short, and that of PGP is a checksum:
/// beside one run of base64 it has at most a line number and the begin of a string.
fn is_last_line(line: &str) -> bool {
    let (first, end) = longest_run(line);
    let letters = alphabetic(line.as_bytes()) - alphabetic(&line.as_bytes()[first..end]);
    letters <= STRING_LETTERS && !line.contains("----")
}

/// Whether `line` has a run of base64 as long as any line of a key but the last, and hardly anything else.
fn is_whole_line_of_key(line: &str) -> bool {
    let (first, end) = longest_run(line);
    end - first >= SHORT_LETTERS && is_last_line(line)
}

/// Finds the runs of base64 in `line` that look like a line of a key, or like the begin or end of one. They are not
/// hexadecimal, and hardly anything else looks like this. Behind the begin of a key a line may have several such runs,
/// with any separators; elsewhere only the longest run counts.
fn runs_of_key(line: &str, is_begun: bool) -> Vec<(usize, usize)> {
    let bytes = line.as_bytes();
    let all = alphanumeric(bytes);
    let is_key = |(first, end): &(usize, usize)| {
        let run = &bytes[*first..*end];
        let others = all - alphanumeric(run);
        let is_line =
            LINE_LETTERS.contains(&run.len()) || run.len() >= SHORT_LETTERS && (others <= OTHER_LETTERS || is_begun);
        is_line && is_base64_line(run)
    };
    match is_begun {
        true => base64_runs(bytes).into_iter().filter(is_key).collect(),
        false => Some(longest_run(line)).filter(is_key).into_iter().collect(),
    }
}

/// The runs of letters of base64 in `line`, also empty ones.
fn base64_runs(line: &[u8]) -> Vec<(usize, usize)> {
    let is_letter = |byte: &u8| crate::is_base64(char::from(*byte));
    let (mut start, mut runs) = (0, Vec::new());
    for run in line.split(|byte| !is_letter(byte)) {
        // An added line of a diff begins with `+`, which is not a part of the key.
        let added = usize::from(run.first() == Some(&b'+') && LINE_LETTERS.contains(&(run.len() - 1)));
        runs.push((start + added, start + run.len()));
        start += run.len() + 1;
    }
    runs
}

/// The first of the longest runs of base64 in `line`.
fn longest_run(line: &str) -> (usize, usize) {
    let runs = base64_runs(line.as_bytes());
    runs.into_iter().rev().max_by_key(|(first, end)| end - first).expect("a split has at least one part")
}

/// Whether `run` has letters of all kinds. Base64 of 48 random bytes lacks one of these three kinds only once in 16,000
/// times.
fn is_base64_line(run: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| run.iter().any(is);
    has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit)
}

fn alphabetic(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count()
}

fn alphanumeric(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| byte.is_ascii_alphanumeric()).count()
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
    fn a_line_without_digits_is_of_the_key_that_was_begun() {
        let letters: String = ('a'..='z').chain('A'..='Z').cycle().take(64).collect();
        let begin = "-----BEGIN PRIVATE KEY-----";
        check(
            &format!("{begin}\n{LINE}\n{letters}\n{LINE}\n{}=\nEnd of it.", &letters[..47]),
            &format!("{begin}\n[masked]\n[masked]\n[masked]\n[masked]=\nEnd of it."),
        );
        check(
            &format!("{begin}\n{LINE}\nThe following paragraph"),
            &format!("{begin}\n[masked]\nThe following paragraph"),
        );
    }

    /// Keys without a begin, as (text, how it is shown).
    fn keys_without_begin() -> Vec<(String, String)> {
        let short = &LINE[..20];
        let marks = ["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "ENCRYPTED PRIVATE KEY"]
            .map(|name| format!("-----END {name}-----"))
            .into_iter()
            .chain([format!("---- END SSH2 ENCRYPTED {KEY_NAME} ----"), format!("{PUTTY_END}fedcba98")]);
        let whole = marks.flat_map(|end| {
            let text = format!("{LINE}\n{LINE}\n{short}==\n{end}\n");
            // Separators of lines, and what stands in front of each.
            [
                ("\n", ""),
                ("\r\n", ""),
                ("\n", "    "),
                ("\n", "-"),
                ("\n", " 12 | "),
                ("\n", "> // "),
                ("\\n", ""),
                ("\\r\\n", ""),
            ]
            .into_iter()
            .chain([("\\n\" +\n    \"", ""), ("\",\n", "  \""), ("\\\\n", ""), ("\\\n", "")])
            .map(move |(parting, before)| {
                format!("{before}{}", text.trim_end().replace('\n', &format!("{parting}{before}")))
            })
        });
        let one_line = [" ", "\t", ", ", "\r", "<br/>", "&#10;", " and ", ""].map(|parting| {
            format!("some_private_key = '{LINE}{parting}{LINE}{parting}{short}=={parting}-----END {KEY_NAME}-----'")
        });
        let masked = |text: &String| text.replace(&[LINE, LINE, short].concat(), "[masked]").replace(LINE, "[masked]");
        let masked = |text: String| (text.clone(), masked(&text).replace(short, "[masked]"));
        whole.chain(one_line).map(masked).collect()
    }

    #[test]
    fn a_key_without_its_begin_is_masked_in_front_of_its_end() {
        for (text, expected) in keys_without_begin() {
            for text in [text.clone(), format!("{text}\nafter\n"), format!("An unrelated line.\n{text}")] {
                let masked = crate::mask_tokens(&text);
                let shown = expected.as_str();
                assert!(masked.text.contains(shown) && masked.credentials == 1, "{text:?} as {}", masked.text);
                let mut marked = text.clone().into_bytes();
                assert!(crate::mask_file(&mut marked));
                assert_eq!(crate::mask_tokens(&String::from_utf8(marked).unwrap()), masked);
            }
        }
    }

    #[test]
    fn the_last_lines_of_a_key_without_its_begin_are_masked() {
        let end = format!("-----END {KEY_NAME}-----");
        check(&format!("{}\n{end}", &LINE[..40]), &format!("[masked]\n{end}"));
        check(&format!("{LINE}\nAbcdefghi==\n=AbCd\n{end}"), &format!("[masked]\n[masked]==\n=AbCd\n{end}"));
        check(&format!("{LINE}\nabc={end}"), &format!("[masked]\nabc={end}"));
        check(&format!("+{LINE}\n+abcd\n+{end}"), &format!("+[masked]\n+abcd\n+{end}"));
        // Two keys in one line.
        let key = format!("{LINE} {end} ");
        let masked = crate::mask_tokens(&key.repeat(2)).credentials;
        assert_eq!(masked, 2);
    }

    #[test]
    fn text_in_front_of_the_end_of_a_key_stays() {
        let end = format!("-----END {KEY_NAME}-----");
        let public = format!("-----BEGIN CERTIFICATE-----\n{LINE}\n{LINE}\n-----END CERTIFICATE-----\n");
        for text in [
            format!("const beginOfKey2048 = x\nconst endOfPkcs8Key2 = \"{end}\""),
            format!("    name: \"TestReadsTheEndOfAPkcs8KeyWithoutBegin\",\n    pem: \"{end}\",\n"),
            format!("{public}const endOfKey = '{end}'\n"),
            format!("{public}\nfrom here on\n{end}\n"),
            format!("{LINE}\nThis line of prose parts them.\n{end}\n"),
            format!("{LINE}\n-----END PUBLIC KEY-----\n"),
            format!("{}\n{end}\n", "0123456789abcdef".repeat(4)),
            format!("{LINE}\none\ntwo\nthree\n{end}\n"),
            format!("`{}\\n${{body}}\\n{end}`", "-----BEGIN ".to_owned() + KEY_NAME + "-----"),
        ] {
            assert_eq!(keys(&text, KeySearchScope::Text), Vec::<Vec<_>>::new(), "{text}");
        }
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

//! Masks credentials in texts, by formats that identify them. Pure functions.
//!
//! Models read the code and history that icr shows, and logs keep it. A credential that somebody committed by mistake
//! should not get there as well. Only formats that hardly any other text matches are masked, because readers must be
//! able to trust the rest of the text.

mod formats;
mod key_lines;
mod literals;

use std::borrow::Cow;
use std::sync::OnceLock;

use memchr::memmem;
use regex::{Captures, Regex};
use serde_json::Value;

use formats::FORMATS;
use literals::Literals;

/// The text that replaces a credential.
pub const MASK: &str = "[masked]";

/// Shortest base64 run that counts as the body of a key. An Ed25519 key has 64 letters; code that only names the begin
/// and end of a key has no such run between them.
const KEY_LETTERS: usize = 32;

/// Shortest base64 run of a key that is masked. The end of its last line may be shorter, and reveals nothing.
const SHORTEST_RUN: usize = 8;

/// Letters at the begin of a token that stay visible. They tell only its kind, so that somebody who looks for leaks can
/// find it.
const KIND_LETTERS: usize = 4;

/// A text without its credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskedText<'a> {
    /// The text, with [`MASK`] in place of each credential.
    pub text: Cow<'a, str>,
    /// How many credentials were masked now; earlier masks in the text do not count.
    pub credentials: u64,
}

/// Masks private keys and tokens of well-known services in `text`, which may be one or several parts of a file. There
/// are thirty formats; the table names the source of each. Line breaks stay. Text in no such format stays: this is not
/// a leak scanner. Cost: one search for some fifty short strings together, and a
/// regular expression for each format that may be there.
pub fn mask_tokens(text: &str) -> MaskedText<'_> {
    // Marks first: the text behind a mask that is made here may begin like one.
    let (shown, marked) = without_marks(text);
    match shown {
        Some(shown) => {
            let masked = without(&shown, credentials(&shown, key_lines::KeySearchScope::Text));
            MaskedText { credentials: masked.credentials + marked, text: Cow::Owned(masked.text.into_owned()) }
        }
        None => without(text, credentials(text, key_lines::KeySearchScope::Text)),
    }
}

/// Masks the credentials of a whole file in place. Each is replaced by a mark of the same length, so all other offsets
/// stay valid. Returns whether there were any.
/// [`mask_tokens`] later turns the marks into [`MASK`] and counts them. So a part of the file neither shows nor matches
/// a key that only the whole file identifies.
pub fn mask_file(text: &mut [u8]) -> bool {
    mark(text, key_lines::KeySearchScope::Text)
}

/// Like [`mask_file`], for a part of a file that may begin or end inside a key. It also masks two or more successive
/// lines that look like lines of a key, and one such line that is the whole text. This also masks certificates and
/// other long base64.
pub fn mask_part(text: &mut [u8]) -> bool {
    mark(text, key_lines::KeySearchScope::Part)
}

/// Overwrites the credentials of `text` with marks. Returns whether there were any.
fn mark(text: &mut [u8], of: key_lines::KeySearchScope) -> bool {
    // Credentials are ASCII, so any other byte may become a placeholder. Most texts are ASCII already.
    let found = match str::from_utf8(text) {
        Ok(ascii) if ascii.is_ascii() => credentials(ascii, of),
        _ => {
            let ascii = text.iter().map(|byte| if byte.is_ascii() { *byte } else { b'?' }).collect();
            credentials(&String::from_utf8(ascii).expect("each byte is ASCII"), of)
        }
    };
    for Credential { runs } in &found {
        for (at, (start, end)) in runs.iter().enumerate() {
            text[*start..*end].fill(if at == 0 { FIRST_MARK } else { FURTHER_MARK });
            let mask = MASK.len().min(end - start);
            text[*start..*start + mask].copy_from_slice(&MASK.as_bytes()[..mask]);
        }
    }
    !found.is_empty()
}

/// The byte that fills up a mark behind [`MASK`]: one for the first run of a credential, one for its further runs.
///
/// Both survive all processing before a text is shown, and nobody writes them behind a mask.
const FIRST_MARK: u8 = b'#';
const FURTHER_MARK: u8 = b'%';

/// A credential in a text, as runs of letters (start, end).
#[derive(Debug, Clone, PartialEq, Eq)]
struct Credential {
    runs: Vec<(usize, usize)>,
}

/// The credentials of `text` in order of their starts, without overlaps.
fn credentials(text: &str, of: key_lines::KeySearchScope) -> Vec<Credential> {
    let literals = Literals::of(text);
    let mut found = Vec::new();
    for (at, (format, pattern)) in FORMATS.iter().zip(patterns()).enumerate() {
        if !literals.may_have(at) {
            continue;
        }
        let pattern = pattern.get_or_init(|| compiled(format.pattern));
        // From the end of each token on: what stands behind it may stand before the next one.
        let mut from = 0;
        while let Some(captures) = pattern.captures_at(text, from) {
            from = captures.name("token").unwrap_or(captures.get_match()).end();
            found.extend(credential(&captures));
        }
    }
    if of == key_lines::KeySearchScope::Part || literals.has_key_mark {
        found.extend(key_lines::keys(text, of).into_iter().map(|runs| Credential { runs }));
    }
    found.sort_by_key(|credential| credential.runs.first().copied());
    // If two formats overlap, the union of both is masked once.
    let mut end = 0;
    for credential in &mut found {
        for run in &mut credential.runs {
            run.0 = run.0.max(end);
            end = end.max(run.1);
        }
        credential.runs.retain(|run| run.0 < run.1);
    }
    found.retain(|credential| !credential.runs.is_empty());
    found
}

/// `text` with [`MASK`] in place of each run of `credentials`.
fn without(text: &str, credentials: Vec<Credential>) -> MaskedText<'_> {
    if credentials.is_empty() {
        return MaskedText { text: Cow::Borrowed(text), credentials: 0 };
    }
    let (mut masked, mut from) = (String::with_capacity(text.len()), 0);
    for (start, end) in credentials.iter().flat_map(|credential| &credential.runs) {
        masked.push_str(&text[from..*start]);
        masked.push_str(MASK);
        from = *end;
    }
    masked.push_str(&text[from..]);
    MaskedText { text: Cow::Owned(masked), credentials: credentials.len() as u64 }
}

/// `text` with [`MASK`] in place of the marks of [`mask_file`], and how many credentials they stand for; `None` if it
/// has no marks.
fn without_marks(text: &str) -> (Option<String>, u64) {
    let is_mark = |behind: &str| behind.starts_with([char::from(FIRST_MARK), char::from(FURTHER_MARK)]);
    if !memmem::find_iter(text.as_bytes(), MASK).any(|at| is_mark(&text[at + MASK.len()..])) {
        return (None, 0);
    }
    let (mut shown, mut firsts, mut from) = (String::with_capacity(text.len()), 0, 0);
    for at in memmem::find_iter(text.as_bytes(), MASK) {
        let behind = at + MASK.len();
        firsts += u64::from(text[behind..].starts_with(char::from(FIRST_MARK)));
        shown.push_str(&text[from..behind]);
        from = text.len() - text[behind..].trim_start_matches([char::from(FIRST_MARK), char::from(FURTHER_MARK)]).len();
    }
    shown.push_str(&text[from..]);
    // A text that begins inside a credential lacks the first mark, so at least one is counted.
    (Some(shown), firsts.max(1))
}

/// Masks all strings of `value` like [`mask_tokens`], except names of fields. Returns how many credentials there were.
pub fn mask_texts(value: &mut Value) -> u64 {
    match value {
        Value::String(text) => {
            let masked = mask_tokens(text);
            let credentials = masked.credentials;
            if let Cow::Owned(shown) = masked.text {
                *text = shown;
            }
            credentials
        }
        Value::Array(values) => values.iter_mut().map(mask_texts).sum(),
        Value::Object(fields) => fields.values_mut().map(mask_texts).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Whether [`mask_texts`] would mask anything in `value`.
pub fn has_credentials(value: &Value) -> bool {
    match value {
        Value::String(text) => mask_tokens(text).credentials > 0,
        Value::Array(values) => values.iter().any(has_credentials),
        Value::Object(fields) => fields.values().any(has_credentials),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What stands before a token, in place of a pattern's `\b`: the start of a word, an underscore, or an escape of a
/// language or an address, which ends in a letter or digit: `\n`, `\x3d`, `\u0022`, `\u{22}`, `%3D`.
///
/// Words are of ASCII, as in [`mark`].
const BEFORE_TOKEN: &str = r"(?:(?-u:\b)|_|\\[abefnrtv]|\\[0-7]{1,3}|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\u\{[0-9A-Fa-f]{1,6}\}|\\U[0-9A-Fa-f]{8}|%[0-9A-Fa-f]{2})";

/// What stands behind a token of a fixed length, in place of a pattern's `\b`.
const BEHIND_TOKEN: &str = r"(?:(?-u:\b)|_)";

/// The expression of a format's `pattern`. If that begins with `\b`, the credential is the group `token`.
fn compiled(pattern: &str) -> Regex {
    let pattern = match pattern.strip_prefix(r"\b") {
        Some(token) => match token.strip_suffix(r"\b") {
            Some(token) => format!("{BEFORE_TOKEN}(?<token>{token}){BEHIND_TOKEN}"),
            None => format!("{BEFORE_TOKEN}(?<token>{token})"),
        },
        None => pattern.to_owned(),
    };
    Regex::new(&pattern).expect("a test compiles every pattern")
}

/// The compiled patterns. Each is compiled when first needed: all of them take a few milliseconds, and most texts need
/// none.
fn patterns() -> &'static [OnceLock<Regex>; FORMATS.len()] {
    static PATTERNS: [OnceLock<Regex>; FORMATS.len()] = [const { OnceLock::new() }; FORMATS.len()];
    &PATTERNS
}

/// The credential in a match; `None` if the match is an example or a key without a body.
fn credential(captures: &Captures<'_>) -> Option<Credential> {
    let whole = captures.name("token").unwrap_or(captures.get_match());
    let secret = captures.name("secret").unwrap_or(whole);
    let is_key = whole.as_str().starts_with("-----BEGIN");
    let has_body = || secret.as_str().split(|letter| !is_base64(letter)).any(|run| run.len() >= KEY_LETTERS);
    // The AWS manuals end their example keys with this word.
    let is_example = whole.as_str().ends_with("EXAMPLE");
    if is_example || is_key && !has_body() {
        return None;
    }
    let runs = match (is_key, captures.name("secret")) {
        (true, _) => runs(secret.as_str(), secret.start()),
        (false, Some(secret)) => vec![(secret.start(), secret.end())],
        (false, None) => vec![(whole.start() + KIND_LETTERS, whole.end())],
    };
    Some(Credential { runs })
}

/// The base64 runs of `body`, which starts at offset `at`. Line breaks and the quotes of code around lines are not part
/// of the runs.
fn runs(body: &str, at: usize) -> Vec<(usize, usize)> {
    let (mut runs, mut start) = (Vec::new(), 0);
    for part in body.split_inclusive(|letter| !is_base64(letter)) {
        let run = part.trim_end_matches(|letter| !is_base64(letter));
        // The `n` or `r` of a typed line break belongs to no run.
        let escape = usize::from(body[..start].ends_with('\\') && run.starts_with(['n', 'r']));
        // Line numbers are too short to be masked.
        if run.len() - escape >= SHORTEST_RUN {
            runs.push((at + start + escape, at + start + run.len()));
        }
        start += part.len();
    }
    runs
}

fn is_base64(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Random letters that replace `…` in examples; long enough for all formats.
    const RANDOM: &str = "0123456789abcdefABCD0123456789abcdefX";

    fn examples() -> Vec<String> {
        FORMATS.iter().map(|format| example(format.example)).collect()
    }

    fn example(text: &str) -> String {
        // Keys of Azure have a fixed length.
        let azure = format!("{RANDOM}{RANDOM}{}", &RANDOM[..12]);
        let random = if text.contains("…………") { text.replace("…………", &azure) } else { text.to_owned() };
        if random.starts_with("AIza") { format!("AIza{}", &RANDOM[..35]) } else { random.replace('…', RANDOM) }
    }

    #[test]
    fn each_of_thirty_formats_is_masked_and_counted() {
        assert!(FORMATS.len() <= 30);
        for (format, credential) in FORMATS.iter().zip(examples()) {
            assert!(format.literals.iter().any(|literal| credential.contains(literal)), "{credential}");
            let text = format!("let key = \"{credential}\"; // used");
            let masked = mask_tokens(&text);
            assert_eq!(masked.credentials, 1, "{text} is shown as {}", masked.text);
            assert!(masked.text.starts_with("let key = \"") && masked.text.ends_with("\"; // used"), "{}", masked.text);
            let middle = &credential[credential.len() / 2..][..6];
            assert!(!masked.text.contains(middle), "{}", masked.text);
        }
    }

    #[track_caller]
    fn stays(text: &str) {
        assert_eq!(mask_tokens(text), MaskedText { text: Cow::Borrowed(text), credentials: 0 });
    }

    #[test]
    fn code_that_is_about_credentials_stays() {
        stays("if text.startsWith(\"-----BEGIN PRIVATE KEY-----\") && text.endsWith(\"-----END PRIVATE KEY-----\")");
        stays("markers = (\"-----BEGIN RSA PRIVATE KEY-----\", \"-----END RSA PRIVATE KEY-----\")");
        stays("AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE");
        stays(".sk-loading-animation-container-large { } sk-ant-colony { }");
        stays("r\"ghp_[A-Za-z0-9]{36}\", \"github_pat_\", \"xoxb-\", npm_config_registry, hf_hub_download");
        stays("sha256 = \"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"");
        stays("password = \"hunter2\"");
    }

    #[test]
    fn what_says_what_a_secret_is_stays_beside_it() {
        let masked = mask_tokens("curl https://hooks.slack.com/services/T0123/B0123/0123456789abcdefABCD -d x").text;
        assert_eq!(masked, "curl https://hooks.slack.com/[masked] -d x".replace("/[masked]", "/services/[masked]"));
        let (name, line) = ("PRIVATE KEY", [RANDOM, RANDOM].concat());
        let key = format!("1 | -----BEGIN {name}-----\n2 | \"{line}\\n\"\n3 | \"{line}=\"\n4 | -----END {name}-----\n");
        let expected =
            format!("1 | -----BEGIN {name}-----\n2 | \"[masked]\\n\"\n3 | \"[masked]=\"\n4 | -----END {name}-----\n");
        assert_eq!(mask_tokens(&key), MaskedText { text: Cow::Owned(expected), credentials: 1 });
    }

    #[test]
    fn a_key_in_one_line_of_code_keeps_its_ends_of_lines() {
        let (name, line) = ("PRIVATE KEY", [RANDOM, RANDOM].concat());
        let key = format!("key = \"-----BEGIN {name}-----\\n{line}\\n{line}==\\n-----END {name}-----\\n\"");
        let expected = format!("key = \"-----BEGIN {name}-----\\n[masked]\\n[masked]==\\n-----END {name}-----\\n\"");
        assert_eq!(mask_tokens(&key), MaskedText { text: Cow::Owned(expected), credentials: 1 });
    }

    #[test]
    fn all_texts_of_a_record_are_masked() {
        let token = example("ghp_…");
        let mut value = serde_json::json!({"a": [token, 1, {"b": format!("x {token} y")}], "c": null});
        assert_eq!(mask_texts(&mut value), 2);
        assert_eq!(value, serde_json::json!({"a": ["ghp_[masked]", 1, {"b": "x ghp_[masked] y"}], "c": null}));
    }

    #[test]
    fn the_text_of_a_file_keeps_its_length_and_no_part_of_it_shows_a_key() {
        let (name, line) = ("PRIVATE KEY", [RANDOM, &RANDOM[..27]].concat());
        let key =
            format!("é\n-----BEGIN {name}-----\n{line}\n{line}\n{}==\n-----END {name}-----\nafter\n", &line[..30]);
        let text = format!("{key}x = \"{}\"\n{key}", example("ghp_…"));
        let mut masked = text.clone().into_bytes();
        masked.push(0xff);
        assert!(mask_file(&mut masked));
        assert_eq!((masked.len(), masked.pop()), (text.len() + 1, Some(0xff)));
        let masked = String::from_utf8(masked).unwrap();
        assert!(!masked.contains(&RANDOM[..16]), "{masked}");
        let shown = mask_tokens(&masked);
        assert_eq!(shown, mask_tokens(&text));
        assert_eq!(shown.credentials, 3);
        for (whole, part) in text.lines().zip(masked.lines()) {
            let shown = mask_tokens(part);
            assert_eq!(shown.credentials > 0, part != whole, "{part}");
            assert!(!shown.text.contains(['#', '%']), "{part}");
        }
        stays("**[masked]** [masked]~ [masked]*2");
    }

    #[test]
    fn a_key_in_one_line_is_masked_whatever_parts_it() {
        let (name, line) = ("PRIVATE KEY", [RANDOM, &RANDOM[..27]].concat());
        for parting in [" ", "\t", ", ", "\r", "<br/>", "&#10;", "\\\\n", " and "] {
            let text = format!(
                "# -----BEGIN {name}-----{parting}{line}{parting}{line}{parting}{line}{parting}-----END {name}-----"
            );
            let masked = mask_tokens(&text);
            assert_eq!((masked.text.matches(MASK).count(), masked.credentials), (3, 1), "{}", masked.text);
        }
    }

    #[test]
    fn a_key_with_headers_is_masked_whole_and_cut_off() {
        let line = [RANDOM, &RANDOM[..27]].concat();
        for (name, headers) in [
            ("PGP PRIVATE KEY BLOCK", "Version: GnuPG v1.4.11 (GNU/Linux)\nComment: Alice <alice@example.org>, né\n\n"),
            ("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0123456789ABCDEF0123456789ABCDEF\n\n"),
        ] {
            let whole = format!("-----BEGIN {name}-----\n{headers}{line}\n{line}\n-----END {name}-----\n");
            for text in [whole.clone(), whole[..whole.len() - 40].to_owned(), whole.replace("\n", "\n// ")] {
                let masked = mask_tokens(&text);
                assert!(!masked.text.contains(&RANDOM[..16]) && masked.credentials == 1, "{}", masked.text);
            }
        }
    }

    #[test]
    fn a_token_is_masked_behind_an_escape() {
        for before in
            [r"\n", r"\t", r"\u0022", r"\u{22}", r"\U00000022", r"\x3d", r"\033", "%3D", "_", "ä", "中", "\\\\n"]
        {
            for example in examples().iter().filter(|example| !example.starts_with("-----")) {
                let masked = mask_tokens(&format!("zebra{before}{example}")).text.into_owned();
                assert!(masked.contains(MASK) && !masked.contains(example), "{masked}");
            }
        }
        let key = example("AKIAABCDEFGH234567XY");
        assert_eq!(mask_tokens(&format!("{key}_id {key}Z")).text, format!("AKIA[masked]_id {key}Z"));
        assert_eq!(mask_tokens(&format!("{key}_{key}")).text, "AKIA[masked]_AKIA[masked]");
        assert_eq!(mask_tokens(&format!("a%20{key}%20b {key}#c")).text, "a%20AKIA[masked]%20b AKIA[masked]#c");
        // Neither a word nor an escape ends there.
        stays(&format!("zebra{}", example("ghp_…")));
    }

    #[test]
    fn keys_of_other_programs_are_masked() {
        let line = [RANDOM, &RANDOM[..27]].concat();
        let ssh = "SSH2 ENCRYPTED PRIVATE KEY";
        let keys = [
            format!(
                "---- BEGIN {ssh} ----\nComment: \"a key\"\n{line}\n{line}\n{}==\n---- END {ssh} ----\n",
                &line[..30]
            ),
            format!(
                "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 3\n{line}\n{line}\n{}==\n\
                 Private-MAC: fedcba98\n",
                &line[..30]
            ),
        ];
        for key in keys {
            let masked = mask_tokens(&key);
            assert!(!masked.text.contains(&RANDOM[..16]) && masked.credentials == 1, "{}", masked.text);
            assert_eq!(masked.text.contains("fedcba98"), key.contains("MAC"), "{}", masked.text);
        }
    }

    #[test]
    fn what_is_public_stays() {
        let line = [RANDOM, &RANDOM[..27]].concat();
        for name in ["CERTIFICATE", "PUBLIC KEY", "PGP SIGNATURE"] {
            stays(&format!("-----BEGIN {name}-----\n{line}\n{line}\n{line}\n-----END {name}-----\n"));
        }
        stays(&line);
    }

    proptest! {
        #[test]
        fn any_text_is_taken_and_masking_twice_is_masking_once(
            before in "[\\PC\n]{0,80}",
            at in 0..FORMATS.len(),
            behind in "[ \n]\\PC{0,20}",
        ) {
            let credential = examples().swap_remove(at);
            let text = format!("{before} {credential}{behind}");
            let masked = mask_tokens(&text);
            prop_assert!(masked.credentials >= 1);
            prop_assert!(!masked.text.contains(&credential));
            prop_assert_eq!(mask_tokens(&masked.text).credentials, 0);
        }
    }
}

//! Credentials in texts, by the formats that say what they are. Pure.
//!
//! What is shown of code and of history is read by models and kept in logs. A credential that somebody committed by mistake need not go
//! there, too. Only formats count that hardly anything else has: whoever reads must be able to trust the rest of the text.

mod formats;
mod key_lines;

use std::borrow::Cow;
use std::sync::OnceLock;

use memchr::memmem;
use regex::{Captures, Regex};
use serde_json::Value;

use formats::FORMATS;

/// What stands in the place of a credential.
pub const MASK: &str = "[masked]";

/// Shortest run of base64 that is the body of a key: that of an Ed25519 key has 64 letters, and code that names both ends of a key
/// has none between them.
const KEY_LETTERS: usize = 32;

/// Shortest run of base64 that is masked in a key: the end of its last line may be shorter, and says nothing.
const SHORTEST_RUN: usize = 8;

/// A text without its credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked<'a> {
    /// The text, with [`MASK`] in place of each credential.
    pub text: Cow<'a, str>,
    /// How many were masked; those of an earlier time count no more.
    pub credentials: u64,
}

/// `text` without private keys and the tokens of well-known services: thirty formats, each with its source in the table. Lines stay lines.
/// What has no such format stays: this is no scanner for leaks. Cost: a search for each of thirty short strings, and a regular
/// expression for each that is there.
pub fn mask_tokens(text: &str) -> Masked<'_> {
    let mut masked = Masked { text: Cow::Borrowed(text), credentials: 0 };
    for (format, pattern) in FORMATS.iter().zip(patterns()) {
        if memmem::find(masked.text.as_bytes(), format.literal.as_bytes()).is_none() {
            continue;
        }
        let pattern = pattern.get_or_init(|| Regex::new(format.pattern).expect("a test compiles every pattern"));
        let mut found = 0;
        let replace = |captures: &Captures<'_>| replacement(captures, &mut found);
        if let Cow::Owned(text) = pattern.replace_all(&masked.text, replace)
            && found > 0
        {
            masked = Masked { text: Cow::Owned(text), credentials: masked.credentials + found };
        }
    }
    let (lines, found) = key_lines::mask(&masked.text);
    match lines {
        Some(text) => Masked { text: Cow::Owned(text), credentials: masked.credentials + found },
        None => masked,
    }
}

/// Masks all texts of `value`, names of fields not, as [`mask_tokens`] does; how many credentials there were.
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

/// Compiled when first needed: all take a few milliseconds, and most texts need none.
fn patterns() -> &'static [OnceLock<Regex>; FORMATS.len()] {
    static PATTERNS: [OnceLock<Regex>; FORMATS.len()] = [const { OnceLock::new() }; FORMATS.len()];
    &PATTERNS
}

/// What stands in the place of a match, which is counted in `found` where it is a credential.
fn replacement(captures: &Captures<'_>, found: &mut u64) -> String {
    let whole = captures.get_match();
    let secret = captures.name("secret").unwrap_or(whole);
    let is_key = whole.as_str().starts_with("-----BEGIN");
    let has_body = || secret.as_str().split(|letter| !is_base64(letter)).any(|run| run.len() >= KEY_LETTERS);
    // Manuals of AWS end the keys of their examples so.
    let is_example = whole.as_str().ends_with("EXAMPLE");
    if is_example || is_key && !has_body() {
        return whole.as_str().to_owned();
    }
    *found += 1;
    let before = &whole.as_str()[..secret.start() - whole.start()];
    let after = &whole.as_str()[secret.end() - whole.start()..];
    let masked = if is_key { without_runs(secret.as_str()) } else { MASK.to_owned() };
    [before, &masked, after].concat()
}

/// `body` with [`MASK`] in place of each of its runs of base64: lines stay lines, and quotes of code around them stay.
fn without_runs(body: &str) -> String {
    let mut masked = String::new();
    for part in body.split_inclusive(|letter| !is_base64(letter)) {
        let run = part.trim_end_matches(|letter| !is_base64(letter));
        // The end of a line as it is typed.
        let escape = usize::from(masked.ends_with('\\') && run.starts_with(['n', 'r']));
        masked.push_str(&run[..escape]);
        // The numbers of lines stay.
        masked.push_str(if run.len() - escape >= SHORTEST_RUN { MASK } else { &run[escape..] });
        masked.push_str(&part[run.len()..]);
    }
    masked
}

fn is_base64(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Random letters, as an example stands for them; lengths fit all formats.
    const RANDOM: &str = "0123456789abcdefABCD0123456789abcdefX";

    fn examples() -> Vec<String> {
        FORMATS.iter().map(|format| example(format.example)).collect()
    }

    fn example(text: &str) -> String {
        // Azure's keys have a fixed length.
        let azure = format!("{RANDOM}{RANDOM}{}", &RANDOM[..12]);
        let random = if text.contains("…………") { text.replace("…………", &azure) } else { text.to_owned() };
        if random.starts_with("AIza") { format!("AIza{}", &RANDOM[..35]) } else { random.replace('…', RANDOM) }
    }

    #[test]
    fn each_of_thirty_formats_is_masked_and_counted() {
        assert!(FORMATS.len() <= 30);
        for (format, credential) in FORMATS.iter().zip(examples()) {
            assert!(credential.contains(format.literal), "{credential}");
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
        assert_eq!(mask_tokens(text), Masked { text: Cow::Borrowed(text), credentials: 0 });
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
        assert_eq!(mask_tokens(&key), Masked { text: Cow::Owned(expected), credentials: 1 });
    }

    #[test]
    fn a_key_in_one_line_of_code_keeps_its_ends_of_lines() {
        let (name, line) = ("PRIVATE KEY", [RANDOM, RANDOM].concat());
        let key = format!("key = \"-----BEGIN {name}-----\\n{line}\\n{line}==\\n-----END {name}-----\\n\"");
        let expected = format!("key = \"-----BEGIN {name}-----\\n[masked]\\n[masked]==\\n-----END {name}-----\\n\"");
        assert_eq!(mask_tokens(&key), Masked { text: Cow::Owned(expected), credentials: 1 });
    }

    #[test]
    fn all_texts_of_a_record_are_masked() {
        let token = example("ghp_…");
        let mut value = serde_json::json!({"a": [token, 1, {"b": format!("x {token} y")}], "c": null});
        assert_eq!(mask_texts(&mut value), 2);
        assert_eq!(value, serde_json::json!({"a": ["[masked]", 1, {"b": "x [masked] y"}], "c": null}));
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

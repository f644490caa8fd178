//! Recognises credentials in texts by their form.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

pub use icr_secrets::MASK;
use icr_secrets::mask_tokens;

/// Endings of names that credentials are assigned to.
const NAMES: &str = "(?i:passwd|passwor[dt]|kennwort|passphrase|(?:django|encryption|flask|hmac|master|signing)[_ ]?key|_pass|pwd|secret|token|api[_ -]?key|access[_ -]?key|secret[_ -]?key|\
                     private[_ -]?key|account[_ -]?key|credentials?)";

/// Patterns of credentials, besides formats that identify themselves. The whole match is masked except its groups
/// `before` and `after`. If there is a group `word`, the match counts only if that is not a word of prose or code.
/// `NAMES` stands for [`NAMES`]. The order matters: a whole block or token comes before patterns that could match a
/// part of it.
const SHAPES: &[&str] = &[
    // A key that does not end goes to the end of the text.
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    // Tokens with a service's prefix: also shorter ones, and those of services that copied OpenAI's format.
    r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}",
    r"\b(?:sk-|gsk_|xai-|hvs\.)[A-Za-z0-9_-]{20,}",
    r"\b(?:gh[pousr]|github_pat|npm|hf|sk_live|sk_test|rk_live|rk_test|whsec|dckr_pat|do[opr]_v1)_[A-Za-z0-9_-]{10,}",
    r"\bx(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,}",
    r"\bpypi-[A-Za-z0-9_-]{30,}",
    r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    r"\bSK[0-9a-f]{32}\b",
    r"\bhooks\.slack\.com/services/[A-Za-z0-9/_-]{20,}",
    // Headers of HTTP, RFC 6750 and RFC 7617.
    r"(?i)(?<before>\b(?:bearer|basic)\s+)(?<word>[A-Za-z0-9._~+/-]{12,}=*)",
    // The password in an address, RFC 3986.
    r"(?<before>\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@'\x22]*:)[^\s/@'\x22]+(?<after>@)",
    // Passwords on command lines: `curl -u`, `mysql -p`, `sshpass -p`.
    r"(?<before>\bcurl\b[^\n]*?\s(?:-u|--user)[ =]?[\x22']?[^\s:\x22']+:)[^\s\x22']+",
    r"(?<before>\b(?:mysql|mariadb|sshpass)\w*\b[^\n]*?\s-p ?[\x22']?)(?<word>[^\s\x22'-][^\s\x22']{3,})",
    // A quoted value that is assigned to a name.
    r#"(?<before>NAMES["']?\s*(?:=>|:=|[:=])\s*")[^"\n]{4,}(?<after>")"#,
    r#"(?<before>NAMES["']?\s*(?:=>|:=|[:=])\s*')[^'\n]{4,}(?<after>')"#,
    // An unquoted value in a shell or settings file. If a parenthesis follows, it is a function call.
    r"(?<before>NAMES=)[A-Za-z0-9!@#$%^&*_+/=.~:-]{4,}(?<after>[\s,;)\x22'`]|\z)",
    // The same with spaces around the sign, as in settings files and prose.
    r"(?<before>NAMES[\x22']?(?:\s*:\s+|\s+=\s*|=\s+|\s*(?:===?|[=-]>|:=|→)\s*))(?<word>[A-Za-z0-9!@#$%^&*_+/=.~:-]{6,})(?<after>[\s,;)\x22'`]|\z)",
    // The same without a sign between name and value, if the value is long and not a word.
    r"(?<before>(?i:passwd|passwor[dt]|passphrase|api[_-]?key) [\x22'`]?)(?<word>[A-Za-z0-9!@#$%^&*_+/=~:-]{7,}[A-Za-z0-9!@#$%^&*_+/=~:-])",
    // A value in prose, as in "the password is …".
    r"(?<before>NAMES\s+(?i:is|was|will be)\s*:?\s+[\x22'`]?)(?<word>[A-Za-z0-9!@#$%^&*_+/=~:-][A-Za-z0-9!@#$%^&*_+/=.~:-]{4,}[A-Za-z0-9!@#$%^&*_+/=~:-])",
    // The same with what the value is for: "the password for root: …".
    r"(?<before>NAMES (?:for|of|on|to) [^\n:=]{1,40}?(?:\s*(?:=>|:=|[:=])| is:?| was:?) ?[\x22'`]?)(?<word>[A-Za-z0-9!@#$%^&*_+/=~:-][A-Za-z0-9!@#$%^&*_+/=.~:-]{4,}[A-Za-z0-9!@#$%^&*_+/=~:-])",
];

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let pattern = |shape: &&str| Regex::new(&shape.replace("NAMES", NAMES)).expect("a test compiles every shape");
    SHAPES.iter().map(pattern).collect()
});

/// `text` with credentials replaced by [`MASK`]: private keys, tokens of well-known services, passwords in URLs, and
/// values assigned to a name such as `password`. A credential without such a form is not recognised. The patterns for
/// conversations are looser than those for code, because masking one word too many does little harm there. Cost: one
/// pass over the text for each of two dozen patterns.
pub fn mask_credentials(text: &str) -> Cow<'_, str> {
    let mut masked = mask_tokens(text).text;
    for pattern in PATTERNS.iter() {
        if let Cow::Owned(text) = pattern.replace_all(&masked, masked_match) {
            masked = Cow::Owned(text);
        }
    }
    masked
}

fn masked_match(found: &Captures<'_>) -> String {
    let group = |name| found.name(name).map_or("", |group| group.as_str());
    if found.name("word").is_some_and(|word| is_of_prose(word.as_str())) {
        return group("before").to_owned() + group("word") + group("after");
    }
    group("before").to_owned() + MASK + group("after")
}

/// Whether `word` may be a word of prose or a name in code: it has no digits, and no signs except those of a path of
/// names.
fn is_of_prose(word: &str) -> bool {
    word.chars().all(|character| character.is_ascii_alphabetic() || "_.:-".contains(character))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A credential of each kind, put together here so that no scanner takes this file for a leak.
    fn credentials() -> Vec<String> {
        let digits = "0123456789abcdefABCDEF0123456789abcdef01";
        let claims = format!("eyJ{digits}.eyJ{digits}.{digits}");
        let prefixed = [
            "ghp_",
            "gho_",
            "github_pat_",
            "glpat-",
            "sk-",
            "sk-ant-api03-",
            "sk_live_",
            "whsec_",
            "xoxb-",
            "AIza",
            "ya29.",
        ];
        let further = [
            "hvs.",
            "gsk_",
            "xai-",
            "GOCSPX-",
            "npm_",
            "pypi-",
            "hf_",
            "dckr_pat_",
            "dop_v1_",
            "hooks.slack.com/services/",
        ];
        let mut all: Vec<String> = prefixed.iter().chain(&further).map(|prefix| format!("{prefix}{digits}")).collect();
        all.extend([
            claims,
            format!("AKIA{}", "A".repeat(16)),
            format!("SG.{digits}.{digits}"),
            format!("12345678:AA{digits}"),
        ]);
        all.push(format!("-----BEGIN RSA {0}-----\n{digits}\n-----END RSA {0}-----", "PRIVATE KEY"));
        all
    }

    #[test]
    fn every_shape_of_a_token_is_masked() {
        for credential in credentials() {
            let text = format!("use {credential} now");
            let masked = mask_credentials(&text);
            assert!(!masked.contains("0123456789") && !masked.contains("AAAA"), "{text} is shown as {masked}");
            assert!(
                masked.starts_with("use ") && masked.contains("[masked]") && masked.ends_with(" now"),
                "{text} is shown as {masked}"
            );
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(mask_credentials(text), expected, "{text}");
    }

    #[test]
    fn what_a_name_is_given_is_masked() {
        check("password=hunter2", "password=[masked]");
        check("DB_PASSWORD=abcd\nOTHER=abcd", "DB_PASSWORD=[masked]\nOTHER=abcd");
        check(r#"{"api_key": "a b c d", "name": "x"}"#, r#"{"api_key": "[masked]", "name": "x"}"#);
        check("secret: 'pass word'", "secret: '[masked]'");
        check("the password: hunter2-a, and more", "the password: [masked], and more");
        check("AUTH_TOKEN = a1b2c3d4", "AUTH_TOKEN = [masked]");
        check("postgres://ada:lovelace@db.example/x", "postgres://ada:[masked]@db.example/x");
        check("Authorization: Bearer 0123456789abcdef", "Authorization: Bearer [masked]");
        check("the password is hunter2!x. Use it", "the password is [masked]. Use it");
        check("the password is: hunter2!x. Use it", "the password is: [masked]. Use it");
        check("my api key: 9f8e7d6c5b", "my api key: [masked]");
        check("Password for root: hunter2-b", "Password for root: [masked]");
        check("the token of the bot is 9f8e7d6c5b", "the token of the bot is [masked]");
        check("password => hunter2-c", "password => [masked]");
        check("the PASSWORD IS: hunter2-d", "the PASSWORD IS: [masked]");
        check("the password is:  hunter2-e", "the password is:  [masked]");
        check("the password is : hunter2-f", "the password is : [masked]");
        check("the password is:\nhunter2-g", "the password is:\n[masked]");
        check("password → hunter2-h", "password → [masked]");
        check("the token for this: see below", "the token for this: see below");
        check("curl -u ada:love lace", "curl -u ada:[masked] lace");
        check("mysql -h db -uroot -phunter2 shop", "mysql -h db -uroot -p[masked] shop");
        check("sshpass -p 'hunter2' ssh db", "sshpass -p '[masked]' ssh db");
    }

    #[test]
    fn code_and_prose_stay() {
        for text in [
            "let token = parse_token(text);",
            "let token = next.token;",
            "the password: required for all users",
            "max_tokens = 4000, tokens: 123456",
            "token=parse(text)",
            "a basic understanding_of types",
            "https://example.com:8080/path@2",
            "the secret list is in secret.rs",
            "the password is required and the token is checked.",
            "mkdir -p a1b2c3 && mysql -p shop",
            "sk-short and AKIA and eyJ",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn a_key_that_does_not_end_goes_to_the_end() {
        check(&format!("a -----BEGIN {}-----\nabc\ndef", "PRIVATE KEY"), "a [masked]");
    }

    proptest! {
        #[test]
        fn any_text_is_taken_and_masking_twice_is_masking_once(text in "\\PC{0,80}", at in 0_usize..23, rest in "[ \n]\\PC{0,20}") {
            let credential = credentials().swap_remove(at);
            let masked = mask_credentials(&format!("{text} {credential}{rest}")).into_owned();
            prop_assert!(!masked.contains("0123456789abcdefABCDEF"), "{masked}");
            prop_assert_eq!(mask_credentials(&masked).into_owned(), masked);
        }
    }
}

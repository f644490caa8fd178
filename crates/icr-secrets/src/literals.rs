//! Finds out with one pass over a text which formats of credentials it may have.

use std::sync::OnceLock;

use regex::Regex;

use crate::formats::{FORMATS, Format, is_token_letter};
use crate::key_lines::{KEY_NAME, PUTTY_BEGIN, PUTTY_END};

/// The formats whose literals a text has.
#[derive(Debug, Default)]
pub(crate) struct Literals {
    /// A bit for each format of [`FORMATS`].
    formats: u64,
    /// Whether the text has what stands before or behind the lines of a private key.
    pub(crate) has_key_mark: bool,
}

/// A bit for each format must fit.
const _: () = assert!(FORMATS.len() <= 64);

/// What stands before or behind the lines of a key.
const KEY_MARKS: [&str; 3] = [KEY_NAME, PUTTY_BEGIN, PUTTY_END];

impl Literals {
    /// The literals of `text`, each followed by as many letters as a credential of its format has there.
    ///
    /// Cost: one search for all literals together. Most texts have none.
    pub(crate) fn of(text: &str) -> Self {
        let mut literals = Self::default();
        let mut from = 0;
        while let Some(found) = any_literal().find_at(text, from) {
            let here = &text[found.start()..];
            literals.has_key_mark |= KEY_MARKS.iter().any(|mark| here.starts_with(mark));
            for (at, format) in FORMATS.iter().enumerate() {
                literals.formats |= u64::from(begins_with(here.as_bytes(), format)) << at;
            }
            // One literal may begin inside of another.
            from = found.start() + 1;
        }
        literals
    }

    /// Whether the text may have a credential of format number `at`.
    pub(crate) fn may_have(&self, at: usize) -> bool {
        self.formats >> at & 1 != 0
    }
}

/// Whether a literal of `format` and the letters behind it stand at the start of `text`.
fn begins_with(text: &[u8], format: &Format) -> bool {
    let behind = |literal: &&str| text.strip_prefix(literal.as_bytes());
    let is_long = |rest: &[u8]| rest.iter().take(format.letters).filter(|byte| is_token_letter(**byte)).count();
    format.literals.iter().filter_map(behind).any(|rest| is_long(rest) == format.letters)
}

/// Matches each literal of the formats, and each mark of a key. All literals begin with ASCII.
fn any_literal() -> &'static Regex {
    static ANY: OnceLock<Regex> = OnceLock::new();
    ANY.get_or_init(|| {
        let literals = FORMATS.iter().flat_map(|format| format.literals).chain(&KEY_MARKS);
        let escaped: Vec<String> = literals.map(|literal| regex::escape(literal)).collect();
        Regex::new(&escaped.join("|")).expect("escaped literals are an expression")
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::string::string_regex;

    use super::*;
    use crate::compiled;

    #[test]
    fn words_of_code_are_no_tokens() {
        for text in
            ["social", "a higher level", "sk_live_stream", "xox", "AKIA_NAME", "hf_", "key:AAAA", "precious_metal"]
        {
            assert_eq!(Literals::of(text).formats, 0, "{text}");
        }
        assert!(
            FORMATS.iter().flat_map(|format| format.literals).all(|literal| literal.len() > 2 && literal.is_ascii())
        );
    }

    #[test]
    fn a_literal_inside_of_another_is_found() {
        let format_of = |literal: &str| FORMATS.iter().position(|format| format.literals.contains(&literal)).unwrap();
        let letters = "0123456789".repeat(7);
        let text = format!("xapp-xox{letters} and AKIASIA{letters}");
        for literal in ["xapp-", "xox", "AKIA", "ASIA"] {
            assert!(Literals::of(&text).may_have(format_of(literal)), "{literal}");
        }
        assert!(Literals::of("Private-MAC: ").has_key_mark && !Literals::of("Private-Mac: ").has_key_mark);
    }

    /// Texts that the pattern of a format matches, the shortest ones among them.
    fn tokens(at: usize) -> impl Strategy<Value = String> {
        let pattern = FORMATS[at].pattern.replace(r"\b", "");
        // Lists without an upper bound get the shortest lengths.
        let shortest =
            regex::Regex::new(r"\{(\d+),\}").expect("an expression").replace_all(&pattern, "{$1}").into_owned();
        prop_oneof![string_regex(&shortest).expect("an expression"), string_regex(&pattern).expect("an expression")]
    }

    proptest! {
        #[test]
        fn what_a_pattern_matches_has_a_literal_of_its_format(
            (at, token) in (0..FORMATS.len()).prop_flat_map(|at| (Just(at), tokens(at))),
            before in "[a-z_ \n\"=]{0,8}",
            behind in "[ \n\";]?",
        ) {
            let text = format!("{before}{token}{behind}");
            let matches = compiled(FORMATS[at].pattern).is_match(&text);
            prop_assert!(!matches || Literals::of(&text).may_have(at), "{}", text);
        }
    }
}

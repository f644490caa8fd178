//! Finds the terms of a query in a text without tokenising all of it.

/// Codes of bytes that can be part of identifiers, [`OTHER`] for all others. `y` has the code of `i`, because stemming
/// turns `y` into `i`.
static CODES: [u8; 256] = codes();

/// Code of bytes that are not ASCII. They may be part of identifiers, which are then always tokenised.
const FOREIGN: u8 = 62;

/// Code of separators between identifiers.
const OTHER: u8 = 63;

/// Bits for the codes of two bytes.
const PAIR: usize = 0xfff;

/// A matcher for the distinct tokens of a query.
///
/// Most identifiers do not contain three letters with which a token begins, and are skipped. The others are tokenised
/// with [`icr_lexical::tokens`], so that the matches are the same as in the index.
#[derive(Debug)]
pub(crate) struct TermMatcher {
    terms: Vec<String>,
    /// For the codes of two neighbouring bytes, a bit for each code of a third byte with which a token begins.
    begins: Box<[u64; PAIR + 1]>,
}

impl Default for TermMatcher {
    fn default() -> Self {
        Self::of(Vec::new())
    }
}

impl TermMatcher {
    /// Cost: a pass over 32 KiB; create it once for each question.
    pub(crate) fn of(terms: Vec<String>) -> Self {
        let mut begins = Box::new([1 << FOREIGN; PAIR + 1]);
        for term in &terms {
            match *term.as_bytes() {
                [one, two, three, ..] => begins[pair(code(one), code(two))] |= 1 << code(three),
                [one, two] => begins[pair(code(one), code(two))] = u64::MAX,
                // ASCII tokens have at least two bytes.
                _ => {}
            }
        }
        Self { terms, begins }
    }

    /// Number of tokens.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Calls `emit` with the index of each token found in `text`, in order, with repetitions.
    ///
    /// Cost: a pass over the bytes of `text`; 2 to 3.4 ns for each byte of Rust code with 2 to 19 terms. Tokenising
    /// everything takes 5 to 6.2 ns.
    pub(super) fn each(&self, text: &[u8], emit: &mut impl FnMut(usize)) {
        self.each_with_start(text, &mut |term, _| emit(term));
    }

    /// As [`Self::each`], also with the offset at which the identifier with the token begins.
    pub(super) fn each_with_start(&self, text: &[u8], emit: &mut impl FnMut(usize, usize)) {
        let mut at = 0;
        while at < text.len() {
            let start = at;
            // Stemming does not change how a word begins, except for `y`; grouped digits are one number.
            let mut says = u64::from(text[at].is_ascii_digit());
            let mut last_two = pair(OTHER, OTHER);
            loop {
                while let Some(next) = text.get(at).map(|byte| code(*byte)).filter(|next| *next != OTHER) {
                    says |= self.begins[last_two] >> next & 1;
                    last_two = (last_two << 6 | usize::from(next)) & PAIR;
                    at += 1;
                }
                // The numbers of a version are read together.
                if !(at > start && is_between_digits(text, at)) {
                    break;
                }
                says = 1;
                at += 1;
            }
            if at == start {
                at += 1;
            } else if (says | self.begins[last_two] >> OTHER & 1) != 0 {
                // The identifier lies between separators, so that its tokens are the same as in the whole text. After a
                // dot no version begins.
                let start = if start > 0 && text[start - 1] == b'.' { start - 1 } else { start };
                icr_lexical::tokens(&text[start..at], &mut |token| {
                    if let Some(term) = self.terms.iter().position(|term| term == token) {
                        emit(term, start);
                    }
                });
            }
        }
    }
}

/// Whether there is a dot with a digit on both sides.
fn is_between_digits(text: &[u8], at: usize) -> bool {
    text[at - 1].is_ascii_digit() && text.get(at) == Some(&b'.') && text.get(at + 1).is_some_and(u8::is_ascii_digit)
}

fn code(byte: u8) -> u8 {
    CODES[usize::from(byte)]
}

fn pair(one: u8, two: u8) -> usize {
    usize::from(one) << 6 | usize::from(two)
}

const fn codes() -> [u8; 256] {
    let mut codes = [FOREIGN; 256];
    let mut byte = 0;
    while byte < 128 {
        codes[byte as usize] = match byte {
            b'y' | b'Y' => b'i' - b'a',
            b'a'..=b'z' => byte - b'a',
            b'A'..=b'Z' => byte - b'A',
            b'0'..=b'9' => 26 + byte - b'0',
            b'_' => 36,
            _ => OTHER,
        };
        byte += 1;
    }
    codes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matched_terms(terms: &[String], text: &[u8]) -> Vec<usize> {
        let mut found = Vec::new();
        TermMatcher::of(terms.to_vec()).each(text, &mut |term| found.push(term));
        found
    }

    /// As [`found`], by reading all words.
    fn read(terms: &[String], text: &[u8]) -> Vec<usize> {
        let mut read = Vec::new();
        icr_lexical::tokens(text, &mut |token| read.extend(terms.iter().position(|term| term == token)));
        read
    }

    #[track_caller]
    fn check(query: &str, text: &str, expected: &[&str]) {
        let terms = icr_lexical::query_terms(query);
        let names: Vec<&str> =
            matched_terms(&terms, text.as_bytes()).into_iter().map(|term| terms[term].as_str()).collect();
        assert_eq!(names, expected, "{query} in {text}");
        assert_eq!(matched_terms(&terms, text.as_bytes()), read(&terms, text.as_bytes()));
    }

    #[test]
    fn words_are_found_as_the_index_has_them() {
        check("open gate", "fn reopen() { OpenGate::open_gates(1) }", &["open", "gate", "open", "gate"]);
        check("sky", "skies sky", &["sky", "sky"]);
        check("up", "upUp up_to cup", &["up", "up", "up"]);
        check("1000", "1_000 + 1000", &["1000", "1000"]);
        check("größe", "die Größe, die GRÖSSE", &["größe"]);
        check("文", "中文字", &["文"]);
        check("gate", "", &[]);
        let text = "1.10.0, v1.10.0-rc, 1.10.01 or x.1.10.0";
        check("since v1.10.0", text, &["1.10.0", "10", "1.10.0", "v1", "10", "10", "10"]);
    }

    proptest! {
        #[test]
        fn nothing_is_passed_over(
            query in "[a-eiysngd_0-2 ü文A-Cv.]{0,24}",
            text in prop::collection::vec(prop_oneof![
                "[a-eiysngd_0-2 ü文A-C(v..]{0,40}".prop_map(String::into_bytes),
                "(v?[0-9]{1,5}[. a_]){0,8}".prop_map(String::into_bytes),
                prop::collection::vec(any::<u8>(), 0..12),
            ], 0..6),
        ) {
            let (terms, text) = (icr_lexical::query_terms(&query), text.concat());
            prop_assert_eq!(matched_terms(&terms, &text), read(&terms, &text));
            // Words of the text itself, so that many are found.
            let terms = icr_lexical::query_terms(&String::from_utf8_lossy(&text));
            prop_assert_eq!(matched_terms(&terms, &text), read(&terms, &text));
        }
    }
}

//! The words that the name of a file shares with a query.

use icr_model::RepoPath;
use icr_rank::{NameMatch, telling_name};

/// The words of a file name without its extension. When the name says nothing (`mod.rs`, `index.ts`), the words of the
/// nearest directory whose name does.
#[derive(Debug)]
pub struct NameWords {
    /// Tokens of each identifier of the name, in order.
    identifiers: Vec<Vec<Box<str>>>,
}

impl NameWords {
    /// The words of the name of `path`.
    pub fn of(path: &RepoPath) -> Self {
        let mut identifiers = Vec::new();
        icr_lexical::identifiers(telling_name(path), &mut |identifier| {
            let mut tokens = Vec::new();
            icr_lexical::tokens(identifier.as_bytes(), &mut |token| tokens.push(token.into()));
            identifiers.push(tokens);
        });
        Self { identifiers }
    }

    /// How many of the words are among `terms`, and which terms they are. `terms` are the distinct tokens of a query,
    /// of which the first 64 count.
    pub fn matched(&self, terms: &[String]) -> NameMatch {
        let mut matched = NameMatch::default();
        // A quick test that excludes most tokens: no term begins with a byte of the same low bits.
        let bit = |token: &str| 1_u64 << (token.as_bytes().first().unwrap_or(&0) & 63);
        let begins = terms.iter().take(64).fold(0, |begins, term| begins | bit(term));
        let mut is_term = |token: &str| {
            if begins & bit(token) == 0 {
                return false;
            }
            let term = terms.iter().take(64).position(|term| term == token);
            matched.terms_matched |= term.map_or(0, |term| 1 << term);
            term.is_some()
        };
        for tokens in &self.identifiers {
            // A plain word yields itself and its stem; a compound yields itself and then its words.
            let (words, words_matched) = match tokens.as_slice() {
                [] => (0, 0),
                [word] => (1, u32::from(is_term(word))),
                [word, stem] => (1, u32::from(is_term(word) | is_term(stem))),
                [whole, parts @ ..] => {
                    is_term(whole);
                    (parts.len() as u32, parts.iter().map(|part| u32::from(is_term(part))).sum())
                }
            };
            matched.words += words;
            matched.words_matched += words_matched;
        }
        matched
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, query: &str, expected: &str) {
        let NameMatch { words, words_matched, terms_matched } =
            NameWords::of(&path.into()).matched(&icr_lexical::query_terms(query));
        assert_eq!(format!("{words_matched}/{words} {terms_matched:b}"), expected, "{path} for {query}");
    }

    #[test]
    fn words_of_the_name_are_found_in_the_query() {
        check("src/router.rs", "router", "1/1 1");
        check("src/routers.rs", "routers", "1/1 11");
        check("src/HttpServer.kt", "server", "1/2 1");
        check("src/HttpServer.kt", "HttpServer", "2/2 111");
        check("src/server.test.ts", "server", "1/2 1");
        check("server/a_b.rs", "server", "0/1 0");
        check("src/.env", "env", "1/1 1");
    }

    #[test]
    fn a_name_that_says_nothing_gives_way_to_its_directory() {
        check("src/routing/mod.rs", "routing", "1/1 11");
        check("routing/src/lib.rs", "routing", "1/1 11");
        check("src/main.rs", "main", "1/1 1");
        check("index.ts", "routing", "0/1 0");
        check("", "routing", "0/0 0");
    }
}

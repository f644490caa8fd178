//! What the name of a file has in common with a query.

use icr_model::RepoPath;
use icr_rank::NameMatch;

/// Names that say nothing of what is in the file: its directory says it.
static PLACES: [&[u8]; 8] = [b"__init__", b"_index", b"default", b"index", b"init", b"lib", b"main", b"mod"];

/// Directories that say nothing either.
static ROOTS: [&[u8]; 4] = [b"lib", b"main", b"source", b"src"];

/// How much of the name the distinct `terms` of a query say. The name is that of the file without its extension, or of
/// the nearest directory that says something, for a file called `mod`, `index` and the like.
pub(super) fn of(path: &RepoPath, terms: &[String]) -> NameMatch {
    let mut found = NameMatch::default();
    let bit = |token: &str| terms.iter().take(64).position(|term| term == token).map_or(0, |term| 1 << term);
    // An identifier with an extension that is a number is no identifier, yet its digits are a word of the name.
    for part in name_of(path.as_bytes()).split(|byte| !byte.is_ascii_alphanumeric() && *byte < 0x80 && *byte != b'_') {
        let mut tokens: Vec<u64> = Vec::new();
        icr_lexical::tokens(part, &mut |token| tokens.push(bit(token)));
        found.terms_matched |= tokens.iter().fold(0, |all, bit| all | bit);
        let words: Vec<u64> = match tokens.as_slice() {
            [] => Vec::new(),
            // A word as it is, and its stem where that is another.
            [word] => vec![*word],
            [word, stem] => vec![word | stem],
            // The name whole, then its parts.
            [_, parts @ ..] => parts.to_vec(),
        };
        found.words += words.len() as u32;
        found.words_matched += words.iter().filter(|bits| **bits != 0).count() as u32;
    }
    found
}

fn name_of(path: &[u8]) -> &[u8] {
    let mut parts = path.rsplit(|byte| *byte == b'/');
    let file = parts.next().unwrap_or_default();
    let stem = match file.iter().rposition(|byte| *byte == b'.') {
        Some(dot) if dot > 0 => &file[..dot],
        _ => file,
    };
    if !PLACES.contains(&stem) {
        return stem;
    }
    parts.find(|directory| !ROOTS.contains(directory)).unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, query: &str, words: u32, words_matched: u32) {
        let found = of(&path.into(), &icr_lexical::query_terms(query));
        assert_eq!((found.words, found.words_matched), (words, words_matched), "{path} for {query}");
    }

    #[test]
    fn words_of_the_name_are_counted() {
        check("src/http_client.rs", "client of the server", 2, 1);
        check("src/HttpClient.kt", "http client", 2, 2);
        check("src/parser.rs", "parsers", 1, 1);
        check("src/parser.rs", "lexer", 1, 0);
        check("docs/v1.2-notes.md", "notes", 3, 1);
    }

    #[test]
    fn a_name_that_says_nothing_stands_for_its_directory() {
        check("src/routing/mod.rs", "routing", 1, 1);
        check("packages/router/src/index.ts", "router", 1, 1);
        check("mod.rs", "mod", 1, 1);
    }
}

//! Queries made from a repository itself: names of its definitions, and words of its messages.

use std::collections::BTreeSet;

use icr_lang::{ChunkLimits, Extractor, LanguageRow, language_row};

use crate::commits::spread;
use crate::corpus::{Corpus, Member};
use crate::error::Error;

/// Queries of a repository; half of them names.
pub(crate) const QUERIES: usize = 40;

/// Source files that names are taken from.
const FILES: usize = 200;

/// Newest commits that messages are taken from.
const COMMITS: usize = 2_000;

/// Most words of a message that make a query: a person types few.
const WORDS: usize = 6;

/// Fewest words of a message that make a query; shorter ones are names of versions and the like.
const FEWEST_WORDS: usize = 3;

/// The queries of HEAD: the same for the same commit.
///
/// # Errors
///
/// [`Error::Repository`] when blobs or commits cannot be read.
pub(crate) fn queries(corpus: &Corpus) -> Result<Vec<String>, Error> {
    Ok(of(&names(corpus)?, &messages(corpus)?))
}

/// Half from names and half from messages, spread evenly over all. If there are too few of one, more of the other are
/// used.
fn of(names: &[String], messages: &[String]) -> Vec<String> {
    let wanted_names = (QUERIES / 2).max(QUERIES.saturating_sub(messages.len()));
    let names = spread(&names.iter().collect::<Vec<_>>(), wanted_names, 0);
    let messages = spread(&messages.iter().collect::<Vec<_>>(), QUERIES - names.len(), 0);
    names.into_iter().chain(messages).cloned().collect()
}

/// The middle definition of each of some files.
fn names(corpus: &Corpus) -> Result<Vec<String>, Error> {
    let is_source = |member: &&Member| language_row(member.language).is_some_and(LanguageRow::is_code);
    let sources: Vec<&Member> = corpus.members.iter().filter(is_source).collect();
    let mut extractor = Extractor::new(ChunkLimits::default());
    let mut names = BTreeSet::new();
    corpus.read(spread(&sources, FILES, 0), |member, blob| {
        let symbols = extractor.extract(member.language, blob).facts.symbols;
        names.extend(symbols.get(symbols.len() / 2).map(|symbol| symbol.name.clone()));
    })?;
    Ok(names.into_iter().filter(|name| is_one_line(name)).collect())
}

fn messages(corpus: &Corpus) -> Result<Vec<String>, Error> {
    let history = corpus.repository.history(&[corpus.commit], COMMITS, |_| Ok::<_, icr_git::Error>(None))?;
    // Merges do not count towards the limit of the walk, so they are counted here.
    Ok(history.into_read().take(COMMITS).filter_map(|commit| query_of_message(&commit.message)).collect())
}

/// The first words of the first line.
fn query_of_message(message: &str) -> Option<String> {
    let words: Vec<&str> = message.lines().next()?.split_whitespace().take(WORDS).collect();
    let query = words.join(" ");
    (words.len() >= FEWEST_WORDS && is_one_line(&query)).then_some(query)
}

/// Whether the text can be an argument of a program and a line of a file.
fn is_one_line(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('-') && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use icr_fixture::Fixture;

    use super::*;

    fn texts(prefix: &str, count: usize) -> Vec<String> {
        (0..count).map(|number| format!("{prefix}{number}")).collect()
    }

    #[test]
    fn half_of_the_queries_are_names() {
        let queries = of(&texts("n", 80), &texts("m", 60));
        assert_eq!((queries.len(), queries[1].as_str(), queries[21].as_str()), (QUERIES, "n4", "m3"));
    }

    #[test]
    fn what_is_short_is_made_up_for() {
        assert_eq!(of(&texts("n", 80), &texts("m", 2)).len(), QUERIES);
        assert_eq!(of(&texts("n", 5), &texts("m", 60)).len(), QUERIES);
        assert_eq!(of(&texts("n", 5), &texts("m", 2)).len(), 7);
        assert!(of(&[], &[]).is_empty());
    }

    #[test]
    fn a_message_gives_its_first_words() {
        for (message, query) in [
            ("Fix the  parser of long lines in TOML files\n\nBody.", Some("Fix the parser of long lines")),
            ("v1.2", None),
            ("--amend this one", None),
            ("", None),
        ] {
            assert_eq!(query_of_message(message).as_deref(), query, "{message}");
        }
    }

    #[test]
    fn queries_come_from_definitions_and_messages() {
        let fixture =
            Fixture::new("//- a.rs\nfn open() {}\n//- b.py\ndef load():\n    pass\n//- c.txt\nfn text() {}\n");
        fixture.write("//- c.txt\n2\n");
        fixture.commit("load what was open");
        let corpus = Corpus::open(fixture.root()).unwrap();
        assert_eq!(queries(&corpus).unwrap(), ["load", "open", "load what was open"]);
    }
}

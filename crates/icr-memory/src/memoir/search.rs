//! Searches concepts by words and labels.

use std::collections::HashSet;

use rusqlite::{Connection, params};
use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use super::lookup::{ask, concept_row, memoir_named, rows_of};
use super::{Concept, Label, Memoir};
use crate::{Error, MemoryDatabase};

/// Only the first words of a query count, so many.
const QUERY_WORDS_MOST: usize = 100;

/// If a query has at most this many words, concepts with all of them come first. Hardly any concept has all of more
/// words.
const ALL_WORDS_MOST: usize = 3;

/// Prefixes are tried only for words with at least this many letters; too many words begin with fewer letters.
const PREFIX_CHARS_LEAST: usize = 3;

/// Share of the best score that a concept with only some of the words can reach.
const SOME_WORDS_SHARE: f64 = 0.5;

/// Most hits of an answer.
pub const HITS_MOST: usize = 200;

/// A search for concepts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConceptSearch {
    /// Any text; its first 100 words count. If it has no word, all concepts with the label are returned, by name.
    pub query: String,
    /// Only concepts with this label; the case of ASCII letters is ignored.
    pub label: Option<Label>,
    /// Most hits; 1 to [`HITS_MOST`].
    pub limit: usize,
}

/// A concept that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ConceptHit {
    /// Name of the memoir that it is in.
    pub memoir: String,
    /// The concept that was found.
    #[serde(flatten)]
    pub concept: Concept,
    /// The score relative to the best hit, above 0 and at most 1. If other concepts have all of the words, one with
    /// only some of them gets at most 0.5.
    pub score: f64,
}

/// The concepts of a memoir that match a query, best first; there may be none. Names weigh most, then labels. If the
/// query has at most three words, concepts with all of them come first. If no concept has any of the words, concepts
/// with longer words that begin with them are returned.
///
/// # Errors
///
/// [`Error::NotFound`] for the memoir; [`Error::Invalid`] for a limit of 0 or above [`HITS_MOST`]; errors of reading.
/// Any query text is valid.
pub fn search(database: &MemoryDatabase, memoir: &str, request: &ConceptSearch) -> Result<Vec<ConceptHit>, Error> {
    check_limit(request)?;
    ask(database, "searching a memoir", |connection| {
        let memoir = memoir_named(connection, memoir)?;
        hits(connection, Some(&memoir), request)
    })
}

/// Like [`search`], in all memoirs at once.
///
/// # Errors
///
/// [`Error::Invalid`] for a limit of 0 or above [`HITS_MOST`]; those of reading.
pub fn search_all(database: &MemoryDatabase, request: &ConceptSearch) -> Result<Vec<ConceptHit>, Error> {
    check_limit(request)?;
    ask(database, "searching memoirs", |connection| hits(connection, None, request))
}

fn check_limit(request: &ConceptSearch) -> Result<(), Error> {
    if (1..=HITS_MOST).contains(&request.limit) {
        return Ok(());
    }
    let wrong = format!("is {}", request.limit);
    Err(Error::Invalid { field: "limit", wrong, right: format!("between 1 and {HITS_MOST}") })
}

fn hits(connection: &Connection, memoir: Option<&Memoir>, request: &ConceptSearch) -> Result<Vec<ConceptHit>, Error> {
    let words = words(&request.query);
    if words.is_empty() {
        return match &request.label {
            Some(label) => labelled(connection, memoir, label, request.limit),
            None => Ok(Vec::new()),
        };
    }
    let has_stages = (2..=ALL_WORDS_MOST).contains(&words.len());
    let mut hits = Vec::new();
    if has_stages {
        hits = matches(connection, &quoted(&words).join(" AND "), memoir, request)?;
    }
    if hits.len() < request.limit {
        let share = if hits.is_empty() { 1.0 } else { SOME_WORDS_SHARE };
        let all: HashSet<String> = hits.iter().map(|hit| hit.concept.id.to_string()).collect();
        let some = matches(connection, &quoted(&words).join(" OR "), memoir, request)?;
        let some = some.into_iter().filter(|hit| !all.contains(hit.concept.id.as_str()));
        hits.extend(some.map(|hit| ConceptHit { score: hit.score * share, ..hit }));
    }
    if hits.is_empty() {
        let begun: Vec<&String> = words.iter().filter(|word| word.chars().count() >= PREFIX_CHARS_LEAST).collect();
        let begun: Vec<String> = begun.into_iter().map(|word| format!("\"{word}\"*")).collect();
        if !begun.is_empty() {
            hits = matches(connection, &begun.join(" OR "), memoir, request)?;
        }
    }
    hits.truncate(request.limit);
    Ok(hits)
}

/// The words of a text, each once, in the composed form that the index uses. A word consists of letters and digits
/// only, so that no query text has a meaning in the query language of FTS5.
fn words(query: &str) -> Vec<String> {
    let composed: String = query.nfc().collect();
    let mut words: Vec<String> = Vec::new();
    for word in composed.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if words.len() == QUERY_WORDS_MOST {
            break;
        }
        if !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
    words
}

fn quoted(words: &[String]) -> Vec<String> {
    words.iter().map(|word| format!("\"{word}\"")).collect()
}

/// Columns of a concept, then the name of its memoir.
const COLUMNS: &str = "concepts.id, concepts.name, concepts.definition, concepts.labels, confidence, revision, sources, \
     concepts.created_at, concepts.updated_at, memoirs.name";

/// The condition: one memoir or all, one label or any.
const CONDITION: &str = "(?1 IS NULL OR memoir_id = ?1) \
     AND (?2 IS NULL OR EXISTS (SELECT 1 FROM json_each(concepts.labels) WHERE lower(value) = lower(?2)))";

/// The concepts that match an FTS5 expression, best first, with scores relative to the best. The statement makes the
/// planner read the index first. A name weighs eight times and a label four times as much as a definition, which is
/// longer.
fn matches(
    connection: &Connection,
    expression: &str,
    memoir: Option<&Memoir>,
    request: &ConceptSearch,
) -> Result<Vec<ConceptHit>, Error> {
    let sql = format!(
        "SELECT {COLUMNS}, -bm25(concepts_fts, 8.0, 1.0, 4.0) AS score FROM concepts_fts \
         CROSS JOIN concepts ON concepts.no = concepts_fts.rowid CROSS JOIN memoirs ON memoirs.id = memoir_id \
         WHERE concepts_fts MATCH ?3 AND {CONDITION} ORDER BY score DESC, concepts.name, memoirs.name LIMIT ?4"
    );
    let label = request.label.as_ref().map(Label::as_str);
    let limit = i64::try_from(request.limit).unwrap_or(i64::MAX);
    let values = params![memoir.map(|memoir| memoir.id.as_str()), label, expression, limit];
    let mut hits = rows_of(connection, &sql, values, |row| {
        Ok(ConceptHit { concept: concept_row(row)?, memoir: row.get(9)?, score: row.get(10)? })
    })?;
    let best = hits.first().map_or(0.0, |hit| hit.score);
    for hit in &mut hits {
        hit.score = if best > 0.0 { (hit.score / best).clamp(f64::MIN_POSITIVE, 1.0) } else { 1.0 };
    }
    Ok(hits)
}

/// Concepts with a label, by name.
fn labelled(
    connection: &Connection,
    memoir: Option<&Memoir>,
    label: &Label,
    limit: usize,
) -> Result<Vec<ConceptHit>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM concepts JOIN memoirs ON memoirs.id = memoir_id WHERE {CONDITION} \
         ORDER BY concepts.name, memoirs.name LIMIT ?3"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let values = params![memoir.map(|memoir| memoir.id.as_str()), label.as_str(), limit];
    rows_of(connection, &sql, values, |row| {
        Ok(ConceptHit { concept: concept_row(row)?, memoir: row.get(9)?, score: 1.0 })
    })
}

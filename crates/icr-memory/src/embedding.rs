//! Embeds memories that have no vector yet.

use rusqlite::params;
use serde::Serialize;

use crate::index::meaning_text;
use crate::vectors::{space_of, write_vector};
use crate::{Error, MemoryDatabase};

/// The result of embedding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct EmbeddingReport {
    /// Name of the vector space.
    pub space: String,
    /// Memories that were read.
    pub memories: u64,
    /// Memories that got a vector. The model knows no word of the others.
    pub embedded: u64,
}

/// Embeds the memories of a topic, or all memories, with the database's embedder: those without a vector in its space,
/// or all with `force`. Each `batch` of them is one transaction, so that others wait no longer than for a batch.
/// Vectors of other spaces are kept. This is no operation of the log, because vectors are derived from the texts.
///
/// # Errors
///
/// [`Error::Invalid`] for a database without an embedder; errors of writing.
pub fn embed(
    database: &mut MemoryDatabase,
    topic: Option<&str>,
    force: bool,
    batch: usize,
) -> Result<EmbeddingReport, Error> {
    let Some(embedder) = database.options.embedder.clone() else {
        return Err(Error::invalid("embedding", "is switched off", "switch on a model that makes vectors"));
    };
    let doing = "looking for memories without vectors";
    let found = database.read(doing, |connection| {
        let space = match space_of(connection, &*embedder) {
            Ok(space) => space.filter(|_| !force),
            Err(error) => return Ok(Err(error)),
        };
        let sql = "SELECT no, EXISTS (SELECT 1 FROM vectors WHERE space = ?1 AND vectors.no = memories.no AND length(row) > 0) FROM memories \
             WHERE ?2 IS NULL OR topic = ?2 ORDER BY no";
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map(params![space, topic], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Ok(rows.collect::<rusqlite::Result<Vec<(i64, bool)>>>()?))
    })?;
    let rows = found.map_err(|error| error.of(doing, database.path()))?;
    let lacking: Vec<i64> = rows.iter().filter(|(_, has)| !has).map(|(no, _)| *no).collect();
    let mut embedded = 0;
    for numbers in lacking.chunks(batch.max(1)) {
        embedded += database.write("writing vectors", |transaction, _| {
            let sql = "SELECT summary, topic, keywords FROM memories WHERE no = ?1";
            let mut statement = transaction.prepare_cached(sql)?;
            let mut written = 0;
            for no in numbers {
                let mut rows = statement.query([no])?;
                // A memory that was forgotten in the meantime needs no vector.
                let Some(row) = rows.next()? else { continue };
                let (summary, topic, keywords): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let has_vector =
                    write_vector(transaction, &*embedder, *no, &meaning_text(&summary, &topic, &keywords))?;
                written += u64::from(has_vector);
            }
            Ok(written)
        })?;
    }
    Ok(EmbeddingReport { space: embedder.space().to_owned(), memories: rows.len() as u64, embedded })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use icr_model::UnixMillis;

    use super::*;
    use crate::{MemoryOptions, NewMemory, RecallRequest, TextEmbedder, recall, store};

    /// An embedder that knows two words.
    struct TwoWordEmbedder(&'static str);

    impl TextEmbedder for TwoWordEmbedder {
        fn space(&self) -> &str {
            self.0
        }

        fn dimensions(&self) -> usize {
            2
        }

        fn embed(&self, text: &str) -> Vec<f32> {
            match (text.contains("cat") || text.contains("feline"), text.contains("dog") || text.contains("canine")) {
                (true, false) => vec![1.0, 0.0],
                (false, true) => vec![0.0, 1.0],
                _ => vec![0.0, 0.0],
            }
        }

        fn weight(&self) -> Option<f64> {
            Some(0.5)
        }
    }

    fn options(space: &'static str) -> MemoryOptions {
        MemoryOptions { embedder: Some(Arc::new(TwoWordEmbedder(space))), ..MemoryOptions::default() }
    }

    fn first(database: &MemoryDatabase, query: &str) -> Option<String> {
        let request = RecallRequest { query: query.into(), limit: 1, ..RecallRequest::default() };
        let answer = recall(database, &request, UnixMillis(1)).unwrap();
        answer.memories.into_iter().next().map(|recalled| recalled.memory.summary)
    }

    #[test]
    fn memories_stored_without_vectors_get_them_and_are_found_by_meaning() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("memory.db");
        let mut database = MemoryDatabase::create(&path, MemoryOptions::default()).unwrap();
        for summary in ["the cat sleeps", "the dog barks", "nothing of either"] {
            let new = NewMemory { topic: "pets".into(), summary: summary.into(), ..NewMemory::default() };
            store(&mut database, &new, UnixMillis(1)).unwrap();
        }
        assert!(matches!(embed(&mut database, None, false, 2), Err(Error::Invalid { .. })));
        let mut database = MemoryDatabase::create(&path, options("one")).unwrap();
        assert_eq!(first(&database, "canine"), None);
        let report = embed(&mut database, None, false, 2).unwrap();
        assert_eq!((report.memories, report.embedded), (3, 2), "the model knows no word of one");
        assert_eq!(first(&database, "canine").as_deref(), Some("the dog barks"));
        assert_eq!(embed(&mut database, Some("pets"), true, 2).unwrap().embedded, 2);
    }

    #[test]
    fn spaces_of_two_models_are_never_mixed_and_both_are_kept() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("memory.db");
        let mut database = MemoryDatabase::create(&path, options("one")).unwrap();
        let new = NewMemory { topic: "pets".into(), summary: "the cat sleeps".into(), ..NewMemory::default() };
        store(&mut database, &new, UnixMillis(1)).unwrap();
        assert_eq!(first(&database, "feline").as_deref(), Some("the cat sleeps"));
        let mut database = MemoryDatabase::create(&path, options("two")).unwrap();
        assert_eq!(first(&database, "feline"), None, "nothing has a vector of that space");
        assert_eq!(embed(&mut database, None, false, 9).unwrap().embedded, 1);
        assert_eq!(first(&database, "feline").as_deref(), Some("the cat sleeps"));
        let mut database = MemoryDatabase::create(&path, options("one")).unwrap();
        assert_eq!(embed(&mut database, None, false, 9).unwrap().embedded, 0, "the old vectors are there");
        assert_eq!(first(&database, "feline").as_deref(), Some("the cat sleeps"));
    }

    #[test]
    fn a_vector_that_is_gone_is_gone_from_an_open_database_too() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("memory.db");
        let mut database = MemoryDatabase::create(&path, options("one")).unwrap();
        let new = NewMemory { topic: "pets".into(), summary: "the cat sleeps".into(), ..NewMemory::default() };
        let id = store(&mut database, &new, UnixMillis(1)).unwrap().id;
        assert!(first(&database, "feline").is_some());
        let mut other = MemoryDatabase::create(&path, MemoryOptions::default()).unwrap();
        let change = crate::MemoryUpdate { summary: Some("rain falls".into()), ..crate::MemoryUpdate::default() };
        crate::update(&mut other, &id, &change, crate::Author::Person, UnixMillis(2)).unwrap();
        assert_eq!(first(&database, "feline"), None);
        assert_eq!(embed(&mut database, None, false, 9).unwrap().embedded, 0);
    }
}

//! Queries on the live paths of a view.

use icr_model::PathNo;

use crate::error::Error;
use crate::matching::{ScoredField, TermDocuments, highest, matches};
use crate::reader::{LexicalReader, LiveDocuments, live_postings};
use icr_words::tokens;

/// Exact totals over the live paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PathStatistics {
    /// Number of live paths.
    pub documents: u64,
    /// Number of their tokens.
    pub tokens: u64,
}

/// A path that matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathScore {
    /// Number of the path.
    pub path_no: PathNo,
    /// BM25; above 0.
    pub score: f64,
    /// Bit `i` is set if the path has term `i`; for the first 64 terms.
    pub matched: u64,
}

/// Result of a search over paths.
#[derive(Debug, Clone, PartialEq)]
pub struct PathHits {
    /// Paths by descending score; the order among equal scores is arbitrary.
    pub paths: Vec<PathScore>,
    /// For each term, the number of live paths that have it.
    pub terms: Vec<TermDocuments<1>>,
    /// Number of live paths that have any of the terms.
    pub matched_total: u64,
}

/// The live paths in one state of the index. Results depend on these paths only, however they are stored.
#[derive(Clone)]
pub struct LivePaths {
    reader: LexicalReader,
    live: Vec<LiveDocuments>,
    statistics: PathStatistics,
}

impl LivePaths {
    pub(crate) fn new(reader: LexicalReader, live: Vec<LiveDocuments>, statistics: PathStatistics) -> Self {
        Self { reader, live, statistics }
    }

    /// Number of live paths that are in the index.
    pub fn documents_total(&self) -> u64 {
        self.live.iter().map(LiveDocuments::count).sum()
    }

    /// Live paths that have every token of `name`, which is a part of a path, by number. This is a superset of the
    /// paths that contain it. For long names only the longest tokens are looked up, since they are the rarest.
    ///
    /// # Errors
    ///
    /// As for [`LivePaths::search`].
    pub fn with_name(&self, name: &str) -> Result<Vec<PathNo>, Error> {
        /// More tokens would seldom exclude another path.
        const LOOKED_UP: usize = 3;
        let mut terms = Vec::new();
        tokens(name.as_bytes(), &mut |token| terms.push(token.to_owned()));
        terms.sort_by(|left, right| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
        terms.dedup();
        terms.truncate(LOOKED_UP);
        let mut found: Option<Vec<PathNo>> = None;
        for term in &terms {
            let mut paths = Vec::new();
            for (segment, live) in self.reader.segments.iter().zip(&self.live) {
                if live.count() == 0 {
                    continue;
                }
                let mut documents = Vec::new();
                segment.reading("reading the postings of paths", |reader| {
                    live_postings(reader, self.reader.fields.path, term, live, |document, _| documents.push(document))
                })?;
                for document in documents {
                    paths.push(PathNo(segment.path_no(document)?));
                }
            }
            paths.sort_unstable();
            found = Some(match found {
                None => paths,
                Some(before) => before.into_iter().filter(|path| paths.binary_search(path).is_ok()).collect(),
            });
            if found.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        let mut found = found.unwrap_or_default();
        found.dedup();
        Ok(found)
    }

    /// The `limit` paths with the highest score, and all others that tie with the last of them.
    ///
    /// `terms` are distinct tokens from [`crate::query_terms`]; a path matches if it has one of them.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] when postings are invalid; [`Error::Internal`] when they cannot be read.
    pub fn search(&self, terms: &[String], limit: usize) -> Result<PathHits, Error> {
        self.search_weighted(terms, &[], limit)
    }

    /// As [`LivePaths::search`], but term `i` has the weight `weights[i]`, which is above 0; terms beyond the end of
    /// `weights` have the weight 1.
    ///
    /// # Errors
    ///
    /// As for [`LivePaths::search`].
    pub fn search_weighted(&self, terms: &[String], weights: &[f64], limit: usize) -> Result<PathHits, Error> {
        let field = ScoredField { field: self.reader.fields.path, tokens: self.statistics.tokens };
        let (matches, terms) = matches(&self.reader, &self.live, self.statistics.documents, [field], terms, weights)?;
        let matched_total = matches.len() as u64;
        let ranked = matches.into_iter().map(|found| (found.scores[0], found)).collect();
        let paths = highest(ranked, limit)
            .into_iter()
            .map(|(score, found)| {
                let path_no = PathNo(self.reader.segments[found.segment as usize].path_no(found.document)?);
                Ok(PathScore { path_no, score, matched: found.matched })
            })
            .collect::<Result<_, Error>>()?;
        Ok(PathHits { paths, terms, matched_total })
    }
}

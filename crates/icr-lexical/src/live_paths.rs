//! Questions to the live paths of a view.

use icr_model::PathNo;

use crate::error::Error;
use crate::matching::{ScoredField, TermDocuments, highest, matches};
use crate::reader::{LiveDocuments, Reader};

/// Exact sums over the live paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PathStatistics {
    /// How many paths are live.
    pub documents: u64,
    /// Their tokens.
    pub tokens: u64,
}

/// A path that matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathScore {
    /// Number of the path.
    pub path_no: PathNo,
    /// BM25; above 0.
    pub score: f64,
    /// Bit `i` is set when the path has term `i`, for the first 64 terms.
    pub matched: u64,
}

/// Answer to a search over paths.
#[derive(Debug, Clone, PartialEq)]
pub struct PathHits {
    /// Paths by descending score; the order among equals means nothing.
    pub paths: Vec<PathScore>,
    /// Live paths that have each term, in the order of the terms.
    pub terms: Vec<TermDocuments<1>>,
    /// Live paths that have any of them.
    pub matched_total: u64,
}

/// The live paths of one state of the index. Answers depend on these paths alone, however they are stored.
#[derive(Clone)]
pub struct LivePaths {
    reader: Reader,
    live: Vec<LiveDocuments>,
    statistics: PathStatistics,
}

impl LivePaths {
    pub(crate) fn new(reader: Reader, live: Vec<LiveDocuments>, statistics: PathStatistics) -> Self {
        Self { reader, live, statistics }
    }

    /// Live paths that the index has.
    pub fn documents_total(&self) -> u64 {
        self.live.iter().map(LiveDocuments::count).sum()
    }

    /// The `limit` paths with the highest score, and all further ones that score as the last of these.
    ///
    /// `terms` are distinct tokens as [`crate::query_terms`] gives them; a path needs one of them.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] when postings make no sense; [`Error::Internal`] when they cannot be read.
    pub fn search(&self, terms: &[String], limit: usize) -> Result<PathHits, Error> {
        let field = ScoredField { field: self.reader.fields.path, tokens: self.statistics.tokens };
        let (matches, terms) = matches(&self.reader, &self.live, self.statistics.documents, [field], terms)?;
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

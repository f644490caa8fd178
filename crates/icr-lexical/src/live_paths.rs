//! Questions to the live paths of a view.

use icr_model::PathNo;

use crate::error::Error;
use crate::matching::{ScoredField, TermDocuments, highest, matches};
use crate::reader::{LexicalReader, LiveDocuments, live_postings};
use icr_words::tokens;

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
    reader: LexicalReader,
    live: Vec<LiveDocuments>,
    statistics: PathStatistics,
}

impl LivePaths {
    pub(crate) fn new(reader: LexicalReader, live: Vec<LiveDocuments>, statistics: PathStatistics) -> Self {
        Self { reader, live, statistics }
    }

    /// Live paths that the index has.
    pub fn documents_total(&self) -> u64 {
        self.live.iter().map(LiveDocuments::count).sum()
    }

    /// Live paths that have every token of `name`, which is a part of a path, by number: a superset of the paths that hold it.
    /// Of long names only the tokens of the most letters are looked up, which are the rarest.
    ///
    /// # Errors
    ///
    /// As for [`LivePaths::search`].
    pub fn with_name(&self, name: &str) -> Result<Vec<PathNo>, Error> {
        /// Further tokens seldom leave out a path that these let pass.
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

    /// The `limit` paths with the highest score, and all further ones that score as the last of these.
    ///
    /// `terms` are distinct tokens as [`crate::query_terms`] gives them; a path needs one of them.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] when postings make no sense; [`Error::Internal`] when they cannot be read.
    pub fn search(&self, terms: &[String], limit: usize) -> Result<PathHits, Error> {
        self.search_weighted(terms, &[], limit)
    }

    /// The same where term `i` counts `weights[i]` times, which is above 0; terms past the end of `weights` count once.
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

//! Queries on the live chunks of a view.

use std::collections::BTreeMap;

use icr_model::{BlobNo, ChunkNo, FieldCounts};
use memchr::memmem;
use tantivy::postings::TermInfo;
use tantivy::schema::Field;

use crate::document::{key_term, name_of_term};
use crate::error::Error;
use crate::matching::{ScoredField, TermDocuments, highest, matches};
use crate::reader::{LexicalReader, LiveDocuments, live_postings, live_postings_at};
use icr_words::{identifiers, lower_case, tokens};

/// Exact totals over the live chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Number of live chunks.
    pub documents: u64,
    /// Number of their tokens, in each scored field.
    pub tokens: FieldCounts,
}

impl Statistics {
    /// These totals with one more chunk.
    #[must_use]
    pub fn with(mut self, tokens: FieldCounts) -> Self {
        self.documents += 1;
        self.tokens += tokens;
        self
    }
}

/// A scored field of chunks, in the order of [`FieldScores::fields`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextField {
    /// The whole chunk.
    Body,
    /// Names defined in it.
    Definitions,
    /// Comments and docstrings.
    Docs,
}

/// How well the text of a chunk matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldScores {
    /// BM25 in body, definitions and docs; 0 for a field without a match, otherwise above 0.
    pub fields: [f64; 3],
    /// Bit `i` is set if the chunk has term `i` in any of these fields; for the first 64 terms.
    pub matched: u64,
}

/// A chunk that matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChunkScore {
    /// Number of the chunk.
    pub chunk_no: ChunkNo,
    /// Number of its blob.
    pub blob_no: BlobNo,
    /// Its scores.
    pub scores: FieldScores,
    /// The rank that the caller computed from the scores.
    pub rank: f64,
}

/// Result of a search over chunks.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkHits {
    /// Chunks by descending rank; the order among equal ranks is arbitrary.
    pub chunks: Vec<ChunkScore>,
    /// For each term, the number of live chunks that have it.
    pub terms: Vec<TermDocuments<3>>,
    /// Number of live chunks that have any of the terms.
    pub matched_total: u64,
}

/// A chunk and its blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkRef {
    /// Number of the chunk.
    pub chunk_no: ChunkNo,
    /// Number of its blob.
    pub blob_no: BlobNo,
}

/// Most spellings of one name that are looked up; they differ only in case.
const SPELLINGS: usize = 20;

/// How defined names are matched; case is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefinitionPattern<'a> {
    /// Names equal to this one.
    Exact(&'a str),
    /// Names that begin with this text.
    Prefix(&'a str),
    /// Names that contain this text.
    Substring(&'a str),
    /// Names that contain these characters in this order, possibly with others between them.
    Subsequence(&'a str),
}

/// A defined name, and the chunks that define it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinedName {
    /// The name as written.
    pub name: String,
    /// Live chunks in which a definition of this name begins, by number.
    pub chunks: Vec<ChunkRef>,
}

/// The live chunks in one state of the index. Results depend on these chunks only, however they are stored.
#[derive(Clone)]
pub struct LiveChunks {
    reader: LexicalReader,
    live: Vec<LiveDocuments>,
    statistics: Statistics,
}

impl LiveChunks {
    pub(crate) fn new(reader: LexicalReader, live: Vec<LiveDocuments>, statistics: Statistics) -> Self {
        Self { reader, live, statistics }
    }

    /// Number of live chunks that are in the index. If it is smaller than the live set, some chunks are not indexed
    /// yet.
    pub fn documents_total(&self) -> u64 {
        self.live.iter().map(LiveDocuments::count).sum()
    }

    /// The `limit` chunks with the highest `rank`, and all others that tie with the last of them.
    ///
    /// `terms` are distinct tokens from [`crate::query_terms`]; a chunk matches if it has one of them. `rank` is called
    /// for every matching chunk. Cost: a few nanoseconds for each posting of the terms.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] when postings are invalid; [`Error::Internal`] when they cannot be read.
    pub fn search(
        &self,
        terms: &[String],
        limit: usize,
        rank: impl Fn(&FieldScores) -> f64,
    ) -> Result<ChunkHits, Error> {
        self.search_weighted(terms, &[], limit, rank)
    }

    /// As [`LiveChunks::search`], but term `i` has the weight `weights[i]`, which is above 0; terms beyond the end of
    /// `weights` have the weight 1.
    ///
    /// # Errors
    ///
    /// As for [`LiveChunks::search`].
    pub fn search_weighted(
        &self,
        terms: &[String],
        weights: &[f64],
        limit: usize,
        rank: impl Fn(&FieldScores) -> f64,
    ) -> Result<ChunkHits, Error> {
        let FieldCounts { body, definitions, comments } = self.statistics.tokens;
        let scored = [(TextField::Body, body), (TextField::Definitions, definitions), (TextField::Docs, comments)]
            .map(|(field, tokens)| ScoredField { field: self.field(field), tokens });
        let (matches, terms) = matches(&self.reader, &self.live, self.statistics.documents, scored, terms, weights)?;
        let matched_total = matches.len() as u64;
        let ranked = matches
            .into_iter()
            .map(|found| {
                let scores = FieldScores { fields: found.scores, matched: found.matched };
                (rank(&scores), (found.segment, found.document, scores))
            })
            .collect();
        let chunks = highest(ranked, limit)
            .into_iter()
            .map(|(rank, (segment, document, scores))| {
                let chunk = self.chunk(segment as usize, document)?;
                Ok(ChunkScore { chunk_no: chunk.chunk_no, blob_no: chunk.blob_no, scores, rank })
            })
            .collect::<Result<_, Error>>()?;
        Ok(ChunkHits { chunks, terms, matched_total })
    }

    /// Number of live chunks that have the token `term` in `field`.
    ///
    /// # Errors
    ///
    /// As for [`LiveChunks::search`].
    pub fn document_frequency(&self, field: TextField, term: &str) -> Result<u64, Error> {
        let field = self.field(field);
        let mut documents = 0;
        for (segment, live) in self.reader.segments.iter().zip(&self.live) {
            segment.reading("counting postings", |reader| {
                live_postings(reader, field, term, live, |_, _| documents += 1)
            })?;
        }
        Ok(documents)
    }

    /// Live chunks that contain `identifier`, in any case, by number. This is a superset of those that contain it as
    /// written; the caller selects those by their facts.
    ///
    /// A field of identifiers as written would make this exact. It took 0.084 of the source on disk and a fifth of the
    /// indexing time, for information that the facts contain anyway. A name of several identifiers, such as `$scope` or
    /// `a.b`, returns the chunks that contain all of them; a name without an identifier, or of a single letter, returns
    /// none.
    ///
    /// # Errors
    ///
    /// As for [`LiveChunks::search`].
    pub fn with_identifier(&self, identifier: &str) -> Result<Vec<ChunkRef>, Error> {
        let mut found: Option<Vec<ChunkRef>> = None;
        let mut terms = Vec::new();
        identifiers(identifier.as_bytes(), &mut |name| {
            let first = terms.len();
            tokens(name.as_bytes(), &mut |token| terms.push(token.to_owned()));
            // The first token is the whole identifier; in scripts without spaces there are only parts of it.
            if name.is_ascii() {
                terms.truncate(first + 1);
            }
        });
        for term in terms {
            let chunks = self.with_term(self.reader.fields.body, &term)?;
            found = Some(match found {
                None => chunks,
                Some(before) => before.into_iter().filter(|chunk| chunks.binary_search(chunk).is_ok()).collect(),
            });
        }
        Ok(found.unwrap_or_default())
    }

    /// Live chunks that require the import key, by number.
    ///
    /// # Errors
    ///
    /// As for [`LiveChunks::search`].
    pub fn with_requires(&self, key: &str) -> Result<Vec<ChunkRef>, Error> {
        self.with_term(self.reader.fields.requires, &key_term(key))
    }

    /// Live chunks that provide the import key, by number.
    ///
    /// # Errors
    ///
    /// As for [`LiveChunks::search`].
    pub fn with_provides(&self, key: &str) -> Result<Vec<ChunkRef>, Error> {
        self.with_term(self.reader.fields.provides, &key_term(key))
    }

    /// Names defined in live chunks that match `pattern`: the first `limit` by (length in bytes, name in lower case,
    /// name).
    ///
    /// An exact name or a prefix is a range of the dictionary. Other patterns read all names: 16 ms for those of 90,000
    /// chunks.
    ///
    /// # Errors
    ///
    /// As for [`LiveChunks::search`].
    pub fn definitions(&self, pattern: &DefinitionPattern<'_>, limit: usize) -> Result<Vec<DefinedName>, Error> {
        let mut definitions = Vec::new();
        for (name, places) in self.names(pattern)? {
            if definitions.len() == limit {
                break;
            }
            let chunks = self.chunks_at(&places)?;
            if !chunks.is_empty() {
                definitions.push(DefinedName { name: name.written, chunks });
            }
        }
        Ok(definitions)
    }

    /// At most `limit` names defined in live chunks that are similar to `typed`, nearest first
    /// ([`icr_model::similar_names`]). Cost: reads all names.
    ///
    /// # Errors
    ///
    /// As for [`LiveChunks::search`].
    pub fn similar_definitions(&self, typed: &str, limit: usize) -> Result<Vec<String>, Error> {
        let names = self.names(&DefinitionPattern::Subsequence(""))?;
        let written = names.keys().map(|name| name.written.as_str());
        let mut similar = Vec::new();
        // Names may be defined only in chunks that are not live. How many there are depends on the history of the store, so
        // none of the similar names is left out before it is looked up.
        for name in icr_model::similar_names(typed, written, usize::MAX) {
            let exact = self.definitions(&DefinitionPattern::Exact(name), SPELLINGS)?;
            if exact.iter().any(|definition| definition.name == name) {
                similar.push(name.to_owned());
            }
            if similar.len() == limit {
                break;
            }
        }
        Ok(similar)
    }

    /// All matching names of the dictionaries, including those of chunks that are not live, in result order.
    fn names(&self, pattern: &DefinitionPattern<'_>) -> Result<BTreeMap<OrderedName, Vec<(usize, TermInfo)>>, Error> {
        let matcher = NameMatcher::new(pattern);
        let mut names = BTreeMap::<OrderedName, Vec<(usize, TermInfo)>>::new();
        for (at, segment) in self.reader.segments.iter().enumerate() {
            if self.live[at].count() == 0 {
                continue;
            }
            segment.reading("reading defined names", |reader| {
                let inverted = reader.inverted_index(self.reader.fields.name)?;
                let mut stream = inverted.terms().range().ge(&matcher.start).into_stream()?;
                while let Some((term, info)) = stream.next() {
                    if !term.starts_with(&matcher.start) {
                        break;
                    }
                    if let Some(name) = matcher.name(term) {
                        names.entry(name).or_default().push((at, info.clone()));
                    }
                }
                Ok(())
            })?;
        }
        Ok(names)
    }

    fn chunks_at(&self, places: &[(usize, TermInfo)]) -> Result<Vec<ChunkRef>, Error> {
        let mut documents = Vec::new();
        for (at, info) in places {
            self.reader.segments[*at].reading("reading definitions", |reader| {
                let inverted = reader.inverted_index(self.reader.fields.name)?;
                live_postings_at(&inverted, info, &self.live[*at], |document, _| documents.push((*at, document)))
            })?;
        }
        self.chunks(&documents)
    }

    fn with_term(&self, field: Field, term: &str) -> Result<Vec<ChunkRef>, Error> {
        let mut documents = Vec::new();
        for (at, (segment, live)) in self.reader.segments.iter().zip(&self.live).enumerate() {
            segment.reading("reading postings", |reader| {
                live_postings(reader, field, term, live, |document, _| documents.push((at, document)))
            })?;
        }
        self.chunks(&documents)
    }

    /// The chunks of (segment, document) pairs, by number, each once.
    fn chunks(&self, documents: &[(usize, u32)]) -> Result<Vec<ChunkRef>, Error> {
        let mut chunks =
            documents.iter().map(|(at, document)| self.chunk(*at, *document)).collect::<Result<Vec<_>, _>>()?;
        chunks.sort_unstable();
        chunks.dedup();
        Ok(chunks)
    }

    fn chunk(&self, segment: usize, document: u32) -> Result<ChunkRef, Error> {
        let (chunk, blob) = self.reader.segments[segment].chunk(document)?;
        Ok(ChunkRef { chunk_no: ChunkNo(chunk), blob_no: BlobNo(blob) })
    }

    fn field(&self, field: TextField) -> Field {
        match field {
            TextField::Body => self.reader.fields.body,
            TextField::Definitions => self.reader.fields.def,
            TextField::Docs => self.reader.fields.doc,
        }
    }
}

/// A defined name with the order of results: if a part of a name was typed, a short name is more likely meant.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct OrderedName {
    length: usize,
    lower: String,
    written: String,
}

/// A pattern prepared for matching the terms of defined names.
struct NameMatcher {
    /// Prefix of all matching terms.
    start: Vec<u8>,
    rest: NameRest,
}

/// Condition on a name besides its prefix.
enum NameRest {
    Any,
    Holds(Box<memmem::Finder<'static>>),
    HoldsInOrder(Vec<char>),
}

impl NameMatcher {
    fn new(pattern: &DefinitionPattern<'_>) -> Self {
        let lower = |text: &str| lower_case(&key_term(text));
        match pattern {
            DefinitionPattern::Exact(name) => Self { start: (lower(name) + "\0").into_bytes(), rest: NameRest::Any },
            DefinitionPattern::Prefix(prefix) => Self { start: lower(prefix).into_bytes(), rest: NameRest::Any },
            DefinitionPattern::Substring(part) => {
                let finder = memmem::Finder::new(lower(part).as_bytes()).into_owned();
                Self { start: Vec::new(), rest: NameRest::Holds(Box::new(finder)) }
            }
            DefinitionPattern::Subsequence(letters) => {
                Self { start: Vec::new(), rest: NameRest::HoldsInOrder(lower(letters).chars().collect()) }
            }
        }
    }

    /// The name of `term`, which has the right prefix, if it matches.
    fn name(&self, term: &[u8]) -> Option<OrderedName> {
        let (lower, written) = name_of_term(term)?;
        let matches = match &self.rest {
            NameRest::Any => true,
            NameRest::Holds(part) => part.find(lower).is_some(),
            NameRest::HoldsInOrder(letters) => is_subsequence(letters, lower),
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        matches.then(|| OrderedName { length: written.len(), lower: text(lower), written: text(written) })
    }
}

/// Whether the characters `letters` occur in `text` in this order.
fn is_subsequence(letters: &[char], text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let mut rest = text.chars();
    letters.iter().all(|letter| rest.any(|character| character == *letter))
}

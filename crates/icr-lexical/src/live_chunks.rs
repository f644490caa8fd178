//! Questions to the live chunks of a view.

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

/// Exact sums over the live chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// How many chunks are live.
    pub documents: u64,
    /// Their tokens.
    pub tokens: FieldCounts,
}

impl Statistics {
    /// These sums with one more chunk.
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

/// How well a chunk matches, by what it says alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldScores {
    /// BM25 over body, definitions and docs; 0 without a match, else above.
    pub fields: [f64; 3],
    /// Bit `i` is set when the chunk has term `i` in any of them, for the first 64 terms.
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
    /// What the caller made of them.
    pub rank: f64,
}

/// Answer to a search over chunks.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkHits {
    /// Chunks by descending rank; the order among equals means nothing.
    pub chunks: Vec<ChunkScore>,
    /// Live chunks that have each term, in the order of the terms.
    pub terms: Vec<TermDocuments<3>>,
    /// Live chunks that have any of them.
    pub matched_total: u64,
}

/// A chunk, and the blob that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkRef {
    /// Number of the chunk.
    pub chunk_no: ChunkNo,
    /// Number of its blob.
    pub blob_no: BlobNo,
}

/// Names that are looked up to find those of live chunks among the ones that a name seems to mean.
const SIMILAR_TRIED: usize = 20;

/// Which defined names are meant; case is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefinitionPattern<'a> {
    /// The name itself.
    Exact(&'a str),
    /// Names that begin so.
    Prefix(&'a str),
    /// Names that hold this.
    Substring(&'a str),
    /// Names that hold these characters in this order, others between them.
    Subsequence(&'a str),
}

/// A defined name, and where it is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinedName {
    /// As written.
    pub name: String,
    /// Live chunks in which a definition of that name begins, by number.
    pub chunks: Vec<ChunkRef>,
}

/// The live chunks of one state of the index. Answers depend on these chunks alone, however they are stored.
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

    /// Live chunks that the index has. Fewer than the live set says means that some are not indexed yet.
    pub fn documents_total(&self) -> u64 {
        self.live.iter().map(LiveDocuments::count).sum()
    }

    /// The `limit` chunks with the highest `rank`, and all further ones that rank with the last of these.
    ///
    /// `terms` are distinct tokens as [`crate::query_terms`] gives them; a chunk needs one of them. `rank` sees every
    /// matching chunk. Cost grows with the postings of the terms: a few nanoseconds each.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] when postings make no sense; [`Error::Internal`] when they cannot be read.
    pub fn search(
        &self,
        terms: &[String],
        limit: usize,
        rank: impl Fn(&FieldScores) -> f64,
    ) -> Result<ChunkHits, Error> {
        self.search_weighted(terms, &[], limit, rank)
    }

    /// The same where term `i` counts `weights[i]` times, which is above 0; terms past the end of `weights` count once.
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

    /// How many live chunks have the token `term` in `field`.
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

    /// Live chunks that hold `identifier`, in any case, by number: a superset of those that hold it as written, which the
    /// caller finds among them by their facts.
    ///
    /// A field of identifiers as written would make this exact. It took 0.084 of the source on disk and a fifth of the
    /// time of indexing, for what the facts say anyway. A name of several identifiers, such as `$scope` or `a.b`, gives
    /// the chunks that hold all of them; one without any, or of a single letter, gives none.
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
            // The first token is the identifier itself; in scripts without spaces there are only parts of it.
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

    /// Names defined in live chunks that match `pattern`: the first `limit` by (length in bytes, name in lower case, name).
    ///
    /// A name exactly or by prefix is a range of the dictionary; other patterns read all names, 16 ms for those of 90,000
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

    /// At most `limit` names defined in live chunks that `typed` seems to mean, nearest first ([`icr_model::similar_names`]). Cost: reads all
    /// names.
    ///
    /// # Errors
    ///
    /// As for [`LiveChunks::search`].
    pub fn similar_definitions(&self, typed: &str, limit: usize) -> Result<Vec<String>, Error> {
        let names = self.names(&DefinitionPattern::Subsequence(""))?;
        let written = names.keys().map(|name| name.written.as_str());
        let mut similar = Vec::new();
        // Some may be of chunks that are not live.
        for name in icr_model::similar_names(typed, written, SIMILAR_TRIED) {
            let exact = self.definitions(&DefinitionPattern::Exact(name), SIMILAR_TRIED)?;
            if exact.iter().any(|definition| definition.name == name) {
                similar.push(name.to_owned());
            }
            if similar.len() == limit {
                break;
            }
        }
        Ok(similar)
    }

    /// All names of the dictionaries that match, also those of chunks that are not live, in the order of the answer.
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

    /// Chunks of (segment, document) pairs, by number, each once.
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

/// A defined name, ordered as answers are: a short name is the likelier one meant by a part of it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct OrderedName {
    length: usize,
    lower: String,
    written: String,
}

/// A pattern made ready for terms of defined names.
struct NameMatcher {
    /// What all matching terms begin with.
    start: Vec<u8>,
    rest: NameRest,
}

/// What a name must satisfy besides its start.
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

    /// The name that `term`, which has the right start, stands for when it matches.
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

/// Whether the characters `letters` stand in `text` in order.
fn is_subsequence(letters: &[char], text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let mut rest = text.chars();
    letters.iter().all(|letter| rest.any(|character| character == *letter))
}

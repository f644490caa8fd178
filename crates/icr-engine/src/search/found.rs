//! From a query to files in order, each with its best chunks: candidates and their evidence, ranked.

use std::collections::{HashMap, HashSet};

use icr_lexical::DefinitionPattern;
use icr_model::{BlobNo, ChunkNo, Gap, RepoPath};
use icr_rank::{ChunkEvidence, FileEvidence, QueryShape, Weights, rank};

use super::{LONGEST_QUERY, SearchRequest, cut, known_language, terms_of};
use crate::{Error, Snapshot};

/// Chunks and paths taken from the postings before fusion. Files further down would need to gain on hundreds of better
/// ones by their other chunks.
const CANDIDATES: usize = 1_000;

/// What a query found.
pub(crate) struct Found {
    /// Best first.
    pub(crate) files: Vec<FoundFile>,
    /// What is lacking besides what the view lacks.
    pub(crate) gaps: Vec<Gap>,
}

/// A file in its place.
pub(crate) struct FoundFile {
    pub(crate) path: RepoPath,
    pub(crate) blob_no: BlobNo,
    /// Comparable within one answer only.
    pub(crate) score: f64,
    /// Best first.
    pub(crate) chunks: Vec<FoundChunk>,
    /// What found it: `definition`, `lexical`, `semantic`, `history` or `path`.
    pub(crate) match_type: &'static str,
    /// Parts of the score by channel, and the penalty applied to their sum.
    pub(crate) explanation: Vec<(String, f64)>,
}

/// A chunk in its place inside a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FoundChunk {
    pub(crate) chunk_no: ChunkNo,
    /// Its share of the file's score.
    pub(crate) score: f64,
}

struct Candidate {
    blob_no: BlobNo,
    chunks: Vec<ChunkNo>,
}

impl Snapshot {
    /// Files that best match the query.
    pub(crate) fn found(&self, request: &SearchRequest) -> Result<Found, Error> {
        let language = known_language(request.language.as_deref())?;
        let query = cut(&request.query, LONGEST_QUERY);
        let shape = QueryShape::of(query);
        let weights = Weights::default();
        let terms = terms_of(query);
        let filtered = language.is_some() || request.path_prefix.is_some();
        let limit = if filtered { usize::MAX } else { CANDIDATES };

        let live_chunks = self.live_chunks()?;
        let hits = live_chunks.search(&terms, limit, |scores| {
            weights.body * scores.fields[0] + weights.definitions * scores.fields[1] + weights.docs * scores.fields[2]
        })?;
        let path_hits = self.live_paths()?.search(&terms, limit)?;
        let mut chunks: HashMap<BlobNo, HashMap<ChunkNo, ChunkEvidence>> = HashMap::new();
        for hit in &hits.chunks {
            let evidence = ChunkEvidence { ordinal: hit.chunk_no.0, fields: hit.scores.fields, defines: false };
            chunks.entry(hit.blob_no).or_default().insert(hit.chunk_no, evidence);
        }
        for identifier in &shape.identifiers {
            for definition in live_chunks.definitions(&DefinitionPattern::Exact(identifier), CANDIDATES)? {
                for chunk in definition.chunks {
                    let empty = || ChunkEvidence { ordinal: chunk.chunk_no.0, fields: [0.0; 3], defines: false };
                    let blob = chunks.entry(chunk.blob_no).or_default();
                    blob.entry(chunk.chunk_no).or_insert_with(empty).defines = true;
                }
            }
        }

        let mut path_scores = HashMap::new();
        let mut blobs: HashSet<BlobNo> = chunks.keys().copied().collect();
        for hit in &path_hits.paths {
            path_scores.insert(hit.path_no, hit.score);
            blobs.extend(self.blob_at(hit.path_no));
        }
        let mut evidence = Vec::new();
        let mut candidates = Vec::new();
        for (blob_no, paths) in self.paths_of(&blobs)? {
            let mut of_blob: Vec<(ChunkNo, ChunkEvidence)> =
                chunks.remove(&blob_no).unwrap_or_default().into_iter().collect();
            of_blob.sort_by_key(|(chunk_no, _)| *chunk_no);
            for (path_no, path) in paths {
                let path_score = path_scores.get(&path_no).copied().unwrap_or_default();
                let below = request.path_prefix.as_ref().is_none_or(|prefix| path.is_below(prefix.as_bytes()));
                let spoken = language.is_none_or(|language| icr_lang::language_of(&path) == language);
                if !(below && spoken) || (of_blob.is_empty() && path_score == 0.0) {
                    continue;
                }
                candidates.push(Candidate { blob_no, chunks: of_blob.iter().map(|(chunk_no, _)| *chunk_no).collect() });
                let chunks = of_blob.iter().map(|(_, evidence)| evidence.clone()).collect();
                evidence.push(FileEvidence { path, chunks, path_score });
            }
        }
        let files = rank(&evidence, &shape, &weights)
            .into_iter()
            .map(|ranked| {
                let (file, candidate) = (&evidence[ranked.file], &candidates[ranked.file]);
                let mut explanation: Vec<(String, f64)> =
                    ranked.parts.iter().map(|(name, part)| ((*name).to_owned(), *part)).collect();
                explanation.extend(ranked.penalty.map(|penalty| (format!("penalty: {}", penalty.reason), penalty.factor)));
                let defines = ranked.chunks.first().is_some_and(|placed| file.chunks[placed.chunk].defines);
                let found = |placed: &icr_rank::Placed| FoundChunk {
                    chunk_no: candidate.chunks[placed.chunk],
                    score: placed.score,
                };
                FoundFile {
                    path: file.path.clone(),
                    blob_no: candidate.blob_no,
                    score: ranked.score,
                    match_type: match (defines, ranked.chunks.is_empty()) {
                        (true, _) => "definition",
                        (false, true) => "path",
                        (false, false) => "lexical",
                    },
                    chunks: ranked.chunks.iter().map(found).collect(),
                    explanation,
                }
            })
            .collect();
        Ok(Found { files, gaps: Vec::new() })
    }
}

//! Nearness in meaning: of chunks and of paths, to a question.

use std::collections::HashMap;

use icr_embed::{StaticEmbedder, StaticScratch};
use icr_ingest::QuickSpaces;
use icr_model::{ChunkNo, Gap, RepoPath};

use crate::models::Tier;
use crate::{Error, Snapshot};

/// What the path counts in the vector of a file, its text at 1: the best of a few on public code-search queries, where each
/// alone ranks 0.03 NDCG@10 lower.
const PATH_WEIGHT: f32 = 0.8;

/// A question as the built-in model reads it.
pub(crate) struct Meaning<'s> {
    snapshot: &'s Snapshot,
    model: &'static StaticEmbedder,
    spaces: QuickSpaces,
    question: Vec<f32>,
    scratch: StaticScratch,
}

/// The chunks nearest to a question.
pub(crate) struct Near {
    /// Chunks with their cosine, best first.
    pub(crate) chunks: Vec<(ChunkNo, f64)>,
    /// Whether trees found them, which may miss some.
    pub(crate) is_approximate: bool,
}

impl Snapshot {
    /// How the built-in model reads `question`; `None` when vectors are switched off or it knows no word of it.
    pub(crate) fn meaning(&self, question: &str) -> Option<Meaning<'_>> {
        let model = self.engine.models.quick()?;
        let mut scratch = StaticScratch::default();
        let mut vector = vec![0.0; model.dims()];
        model.embed_into(question, &mut scratch, &mut vector);
        let says_something = vector.iter().any(|component| *component != 0.0);
        let spaces = self.engine.models.quick_spaces()?;
        says_something.then_some(Meaning { snapshot: self, model, spaces, question: vector, scratch })
    }

    /// How near each of `chunks` is to the question in the eyes of the model behind the built-in one, and what is lacking:
    /// the model cannot run, or has not read all of them. Nothing when no such model was chosen.
    pub(crate) fn tier_similarities(
        &self,
        question: &str,
        chunks: &[ChunkNo],
    ) -> Result<(HashMap<ChunkNo, f64>, Option<Gap>), Error> {
        let Tier { model, space } = match self.engine.models.tier() {
            Ok(Some(tier)) => tier,
            Ok(None) => return Ok((HashMap::new(), None)),
            Err(gap) => return Ok((HashMap::new(), Some(gap))),
        };
        let name = &model.descriptor().name;
        let lacking = |found: usize| {
            let lacking = Gap::NotEmbedded {
                model: name.clone(),
                chunks: (chunks.len() - found) as u64,
                looked_at: chunks.len() as u64,
            };
            (found < chunks.len()).then_some(lacking)
        };
        let vectors = self.vectors()?;
        // A question costs the model some milliseconds, and nothing is gained where it has read none of the chunks.
        let covered =
            vectors.covered(space.recipe, &icr_model::LiveSet::from_numbers(chunks.iter().map(|chunk| chunk.0)))?;
        if covered == 0 {
            return Ok((HashMap::new(), lacking(0)));
        }
        let vector = match model.question(question) {
            Ok(vector) => vector,
            // A remote that does not answer in time, or a runtime that fails: the words and the built-in model still do.
            Err(error) => {
                let gap = Gap::NoModel { model: name.clone(), reason: error.to_string() };
                return Ok((HashMap::new(), Some(gap)));
            }
        };
        let similarities = vectors.similarities(space.recipe, &vector, chunks)?;
        let similarities = chunks.iter().zip(similarities);
        let found: HashMap<ChunkNo, f64> =
            similarities.filter_map(|(chunk, similarity)| Some((*chunk, f64::from(similarity?)))).collect();
        let gap = lacking(found.len());
        Ok((found, gap))
    }
}

impl Meaning<'_> {
    /// The `limit` nearest chunks of the view, and all further ones as near as the last of these.
    pub(crate) fn nearest(&self, limit: usize) -> Result<Near, Error> {
        let live = &self.snapshot.contents.live_chunks;
        let found = self.snapshot.vectors()?.nearest(self.spaces.chunks.recipe, &self.question, live, limit)?;
        let chunks = found.chunks.into_iter().map(|(chunk, similarity)| (chunk, f64::from(similarity))).collect();
        Ok(Near { chunks, is_approximate: found.is_approximate })
    }

    /// How near each of `chunks` is; nothing for those without a vector.
    pub(crate) fn of_chunks(&self, chunks: &[ChunkNo]) -> Result<HashMap<ChunkNo, f64>, Error> {
        let similarities = self.snapshot.vectors()?.similarities(self.spaces.chunks.recipe, &self.question, chunks)?;
        let similarities = chunks.iter().zip(similarities);
        Ok(similarities.filter_map(|(chunk, similarity)| Some((*chunk, f64::from(similarity?)))).collect())
    }

    /// How near the file at `path` is whose first chunk has the number `first`, its text together with its path; nothing for
    /// a file without a vector.
    pub(crate) fn of_file(&mut self, path: &RepoPath, first: Option<ChunkNo>) -> Result<Option<f64>, Error> {
        let vectors = self.snapshot.vectors()?;
        let of_text = first.map(|first| vectors.windows(self.spaces.files.recipe, first)).transpose()?;
        let Some(of_text) = of_text.and_then(|mut windows| windows.pop()) else { return Ok(None) };
        let mut of_path = vec![0.0; self.model.dims()];
        self.model.embed_into(&path.to_string(), &mut self.scratch, &mut of_path);
        let both: Vec<f32> = of_text.iter().zip(&of_path).map(|(text, path)| text + PATH_WEIGHT * path).collect();
        let length = dot(&both, &both).sqrt();
        Ok(Some(if length > 0.0 { dot(&self.question, &both) / length } else { 0.0 }))
    }
}

/// In the order of the components, so that it is the same everywhere.
fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

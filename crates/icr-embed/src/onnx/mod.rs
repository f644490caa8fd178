//! A transformer that ONNX Runtime runs on this machine.

pub(crate) mod card;
mod imported_models;
pub(crate) mod reference;
pub(crate) mod runtime;
mod sessions;
pub(crate) mod vocabulary;
mod windows;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use ort::session::Session;
use ort::value::Tensor;

use crate::{Descriptor, Embedder, Error};
use card::{Card, CardPooling, GRAPH_FILE, GraphNames, REFERENCE_FILE, VOCABULARY_FILE};
use reference::{Agreement, Reference};
use sessions::Sessions;
use vocabulary::Vocabulary;

pub use imported_models::{ImportedModel, imported_models};
pub use runtime::runtime_version;

/// An embedder of an imported model.
///
/// Any number of threads may call it at once. Each call runs one text at a time on the calling thread; as many run in
/// parallel as the machine has processors, 8 at most. A vector depends on its text alone: nothing is padded, and texts
/// never share a run.
pub struct OnnxEmbedder {
    descriptor: Descriptor,
    directory: PathBuf,
    names: GraphNames,
    pooling: CardPooling,
    vocabulary: Vocabulary,
    /// Piece ids of the descriptor's prefixes.
    query_prefix: Vec<u32>,
    passage_prefix: Vec<u32>,
    sessions: Sessions,
    agreement: Option<Agreement>,
}

impl OnnxEmbedder {
    /// Opens the model that [`crate::import_model`] wrote to `model_dir`, and the runtime: the library at `runtime`, else the one
    /// that `ORT_DYLIB_PATH` names, else one in the directory `runtime` beside `model_dir`, else the system's.
    ///
    /// The first opening with a runtime checks the digests of the files and compares the vectors of some texts with
    /// those of the import, which takes about a second. Later ones only load the weights.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if a file of the model is missing or differs from the imported one. [`Error::Runtime`] if no
    /// library is usable, or this process already uses another. [`Error::Answer`] if the vectors differ from the
    /// expected ones.
    pub fn open(model_dir: &Path, runtime: Option<&Path>) -> Result<Self, Error> {
        let card = Card::read(model_dir)?;
        let vocabulary = Vocabulary::read(&model_dir.join(VOCABULARY_FILE))?;
        let models_dir = model_dir.parent().unwrap_or(model_dir);
        let runtime = runtime::runtime(models_dir, runtime)?;
        let version = runtime.version.clone();
        let mut embedder = Self {
            descriptor: card.descriptor(),
            directory: model_dir.to_owned(),
            names: card.graph.clone(),
            pooling: card.pooling,
            query_prefix: vocabulary.pieces_of(&card.query_prefix),
            passage_prefix: vocabulary.pieces_of(&card.passage_prefix),
            vocabulary,
            sessions: Sessions::new(runtime, model_dir.join(GRAPH_FILE)),
            agreement: None,
        };
        embedder.check_prefixes()?;
        embedder.check_graph()?;
        embedder.agreement = match reference::was_checked(model_dir, &card, &version) {
            Some(agreement) => agreement,
            None => {
                card.verify(model_dir)?;
                let agreement = embedder.compare(&card)?;
                reference::keep_checked(model_dir, &card, &version, agreement);
                agreement
            }
        };
        Ok(embedder)
    }

    /// Lowest and mean cosine between the model's vectors and the expected ones, over some texts. `None` for a model
    /// that was imported as a finished graph, which has no expected vectors.
    pub fn agreement(&self) -> Option<(f32, f32)> {
        self.agreement.map(|agreement| (agreement.lowest_cosine, agreement.mean_cosine))
    }

    /// Pieces of text that fit into a window after `prefix`.
    fn room(&self, prefix: &[u32]) -> usize {
        let window = self.descriptor.window.unwrap_or(u32::MAX) as usize;
        window.saturating_sub(Vocabulary::MARKERS + prefix.len())
    }

    fn check_prefixes(&self) -> Result<(), Error> {
        for (key, prefix) in [("query_prefix", &self.query_prefix), ("passage_prefix", &self.passage_prefix)] {
            let window = self.descriptor.window.unwrap_or(u32::MAX) as usize;
            if prefix.len() > window / 2 {
                let found = prefix.len();
                let reason = format!("`{key}` has {found} pieces; at most half of the window of {window} should be");
                return Err(Error::model(&self.directory.join(card::CARD_FILE), reason));
            }
        }
        Ok(())
    }

    /// Whether the graph has the inputs and the output that the card says.
    fn check_graph(&self) -> Result<(), Error> {
        let session = self.sessions.take()?;
        let inputs: Vec<&str> = session.inputs().iter().map(|input| input.name()).collect();
        let wanted: Vec<&str> = [&self.names.ids, &self.names.mask]
            .into_iter()
            .chain(&self.names.token_types)
            .map(String::as_str)
            .collect();
        let has_output = session.outputs().iter().any(|output| output.name() == self.names.output);
        let is_same = inputs.len() == wanted.len() && wanted.iter().all(|name| inputs.contains(name));
        if is_same && has_output {
            return Ok(());
        }
        let outputs: Vec<&str> = session.outputs().iter().map(|output| output.name()).collect();
        let reason = format!(
            "has the inputs {inputs:?} and outputs {outputs:?}; by {} they should be {wanted:?} and {:?}",
            card::CARD_FILE,
            self.names.output,
        );
        Err(Error::model(&self.directory.join(GRAPH_FILE), reason))
    }

    fn compare(&self, card: &Card) -> Result<Option<Agreement>, Error> {
        if card.files.iter().all(|file| file.name != REFERENCE_FILE) {
            // There is nothing to compare with, but the graph must give a vector of the right length.
            self.window(&[], &self.vocabulary.pieces_of(reference::TEXTS[0]))?;
            return Ok(None);
        }
        let reference = Reference::read(&self.directory.join(REFERENCE_FILE), self.descriptor.dims.into())?;
        // The reference was made without prefixes.
        let embed = |text: &str| {
            let pieces = self.vocabulary.pieces_of(text);
            self.window(&[], &pieces[..pieces.len().min(self.room(&[]))])
        };
        reference.compare(&self.descriptor.name, embed).map(Some)
    }

    /// The vector of one window of pieces.
    fn window(&self, prefix: &[u32], pieces: &[u32]) -> Result<Vec<f32>, Error> {
        let ids = self.vocabulary.with_markers(prefix, pieces);
        let mut session = self.sessions.take()?;
        let vector = self.run(&mut session, ids)?;
        unit_length(vector).ok_or_else(|| self.answer("gives a vector with no length; it should have one".to_owned()))
    }

    fn run(&self, session: &mut Session, ids: Vec<i64>) -> Result<Vec<f32>, Error> {
        let failed = |error: ort::Error| self.answer(format!("failed: {error}"));
        let tokens = ids.len();
        let row = |values: Vec<i64>| Tensor::from_array(([1, tokens], values)).map_err(failed);
        let mut inputs = vec![
            (Cow::from(self.names.ids.as_str()), row(ids)?.into()),
            (Cow::from(self.names.mask.as_str()), row(vec![1; tokens])?.into()),
        ];
        if let Some(name) = &self.names.token_types {
            inputs.push((Cow::from(name.as_str()), row(vec![0; tokens])?.into()));
        }
        let outputs = session.run(ort::session::SessionInputs::<0>::ValueMap(inputs)).map_err(failed)?;
        let output = outputs.get(&self.names.output).ok_or_else(|| self.answer("gives no output".to_owned()))?;
        let (shape, values) = output.try_extract_tensor::<f32>().map_err(failed)?;
        let dims = usize::from(self.descriptor.dims);
        let wanted: &[i64] = if self.names.is_pooled { &[1, dims as i64] } else { &[1, tokens as i64, dims as i64] };
        if **shape != *wanted {
            return Err(self.answer(format!("gives the shape {:?} for {tokens} tokens, not {wanted:?}", &**shape)));
        }
        Ok(match (self.names.is_pooled, self.pooling) {
            (true, _) | (false, CardPooling::First) => values[..dims].to_vec(),
            (false, CardPooling::Mean) => sum(values, dims),
        })
    }

    fn answer(&self, reason: String) -> Error {
        Error::Answer { name: self.descriptor.name.clone(), reason }
    }

    /// The zero vector, for a text without a known piece.
    fn nothing(&self) -> Vec<f32> {
        vec![0.0; usize::from(self.descriptor.dims)]
    }
}

impl Embedder for OnnxEmbedder {
    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    fn passages(&self, texts: &[&str]) -> Result<Vec<Vec<Vec<f32>>>, Error> {
        let room = self.room(&self.passage_prefix);
        let vectors_of = |pieces: Vec<u32>| {
            if self.vocabulary.says_nothing(&pieces) {
                return Ok(vec![self.nothing()]);
            }
            let windows = windows::windows(pieces.len(), room).into_iter();
            windows.map(|range| self.window(&self.passage_prefix, &pieces[range])).collect()
        };
        self.vocabulary.pieces_of_all(texts).map(vectors_of).collect()
    }

    fn question(&self, text: &str) -> Result<Vec<f32>, Error> {
        let mut pieces = self.vocabulary.pieces_of(text);
        pieces.truncate(self.room(&self.query_prefix));
        if self.vocabulary.says_nothing(&pieces) {
            return Ok(self.nothing());
        }
        self.window(&self.query_prefix, &pieces)
    }
}

impl std::fmt::Debug for OnnxEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnnxEmbedder").field("descriptor", &self.descriptor).finish_non_exhaustive()
    }
}

/// The sum of rows of `dims` numbers. It has the direction of their mean; the length does not matter.
fn sum(rows: &[f32], dims: usize) -> Vec<f32> {
    let mut sum = vec![0.0; dims];
    for row in rows.chunks_exact(dims) {
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    sum
}

/// Scales `vector` to length 1; `None` if its length is 0 or a number in it is not finite.
fn unit_length(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|value| f64::from(*value) * f64::from(*value)).sum::<f64>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return None;
    }
    vector.iter_mut().for_each(|value| *value = (f64::from(*value) / length) as f32);
    Some(vector)
}

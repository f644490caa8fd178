//! Converts a sentence-transformers directory into a directory that [`crate::OnnxEmbedder`] opens.

mod bert_graph;
mod config;
mod existing;
mod forward;
mod graph;
mod messages;
mod quantise;
mod vocabulary;
mod weights;

use std::path::{Path, PathBuf};

use prost::Message as _;

use crate::onnx::card::{
    CARD_FILE, Card, CardContents, CardFile, CardPooling, GRAPH_FILE, GraphNames, REFERENCE_FILE, VOCABULARY_FILE,
};
use crate::onnx::reference::{Reference, ReferenceText, TEXTS};
use crate::onnx::vocabulary::Vocabulary;
use crate::{Descriptor, Error, OnnxEmbedder, Pooling};
use config::SourceConfig;

/// The weights of a sentence-transformers directory.
const WEIGHTS_FILE: &str = "model.safetensors";

/// How weights are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// As bytes: a quarter of the size and twice the speed of floats. Cosines with the exact vectors are 0.98 or more.
    #[default]
    Int8,
    /// As 32-bit floats.
    Fp32,
}

impl Precision {
    /// Name of the precision in the card.
    fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Fp32 => "fp32",
        }
    }

    /// The least cosine with the vector in plain 32-bit arithmetic that rounding alone explains.
    fn least_cosine(self) -> f32 {
        match self {
            Self::Int8 => 0.98,
            Self::Fp32 => 0.9999,
        }
    }
}

/// How to import a model.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// Name that users know the model by; by default the name of the source directory.
    pub name: Option<String>,
    /// How weights are written. Without effect on a directory that has a finished graph and no weights.
    pub precision: Precision,
    /// Text put before a question; by default the one that the source directory names.
    pub query_prefix: Option<String>,
    /// Text put before a passage; by default the one that the source directory names.
    pub passage_prefix: Option<String>,
    /// The library to check the result with; by default the one that [`OnnxEmbedder::open`] finds.
    pub runtime: Option<PathBuf>,
}

/// An imported model.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportReport {
    /// Directory of the model.
    pub directory: PathBuf,
    /// The properties of the model that shape its vectors.
    pub descriptor: Descriptor,
    /// Precision of the weights: `int8`, `fp32`, or `as given` for a finished graph.
    pub precision: String,
    /// Length of all files in bytes.
    pub bytes_total: u64,
    /// Result of the check of its vectors.
    pub check: ImportCheck,
}

/// Result of checking the vectors of an imported model.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportCheck {
    /// The vectors were compared with vectors from the same weights in plain 32-bit arithmetic.
    Agrees {
        /// Lowest cosine over some texts.
        lowest_cosine: f32,
        /// Mean cosine.
        mean_cosine: f32,
    },
    /// A finished graph was imported. It runs, but there are no reference vectors to compare with.
    Runs,
    /// No runtime can be used, so the comparison is made when the model is first opened.
    Waits {
        /// Why no runtime is usable.
        reason: String,
    },
}

/// Imports the sentence-transformers directory `source_dir` into a new directory below `models_dir`, which has the name
/// of the vector space. Checks the result with a runtime if one is usable.
///
/// Weights in `model.safetensors` are written as an ONNX graph; the same weights always give the same bytes. A
/// directory without them may have a finished graph (`model.onnx` or `onnx/model.onnx`). An earlier import of the same
/// model is replaced. Needs about three times the memory of the weights; takes seconds for a model of 100 MB.
///
/// # Errors
///
/// [`Error::Model`] naming the file that is missing or invalid, what was found and what is expected. [`Error::Runtime`]
/// if [`ImportOptions::runtime`] is not usable. [`Error::Answer`] if the vectors are wrong. Nothing is left in
/// `models_dir` after an error.
pub fn import_model(source_dir: &Path, models_dir: &Path, options: &ImportOptions) -> Result<ImportReport, Error> {
    if !source_dir.is_dir() {
        return Err(Error::model(source_dir, "is no directory; a sentence-transformers directory is imported"));
    }
    let model = read_source(source_dir, options)?;
    let staging = stage(&model, models_dir)?;
    let check = check(staging.path(), models_dir, options)?;
    let descriptor = model.card.descriptor();
    let directory = models_dir.join(descriptor.space().to_string());
    publish(staging, &directory)?;
    Ok(ImportReport {
        directory,
        descriptor,
        precision: model.card.precision.clone(),
        bytes_total: model.card.bytes_total(),
        check,
    })
}

/// A model that is ready to be written.
struct ReadModel {
    card: Card,
    /// Contents of the files, by name.
    files: Vec<(&'static str, Vec<u8>)>,
}

fn read_source(source_dir: &Path, options: &ImportOptions) -> Result<ReadModel, Error> {
    let config = config::read(source_dir)?;
    let lines = vocabulary::read(source_dir, &config)?;
    let mut files = vec![(VOCABULARY_FILE, lines.clone().into_bytes())];
    let weights_path = source_dir.join(WEIGHTS_FILE);
    let has_weights = weights_path.exists();
    let (graph, precision) = if has_weights {
        let bert = weights::read(&weights_path, &config.shape)?;
        let vocabulary = Vocabulary::parse(&lines).map_err(|reason| Error::model(source_dir, reason))?;
        let reference = reference(&bert, &vocabulary, &config, options.precision);
        files.push((REFERENCE_FILE, reference.to_json().into_bytes()));
        let message = bert_graph::write(&bert, config.pooling, options.precision);
        drop(bert);
        files.push((GRAPH_FILE, message.encode_to_vec()));
        (own_names(), options.precision.name())
    } else {
        let existing = existing::read(source_dir, &config.shape)?;
        files.push((GRAPH_FILE, existing.contents));
        (existing.names, "as given")
    };
    let card = Card::new(CardContents {
        name: name_of(source_dir, options)?,
        dims: u16::try_from(config.shape.hidden).expect("the configuration was checked for it"),
        window: config.window,
        pooling: match config.pooling {
            Pooling::First => CardPooling::First,
            _ => CardPooling::Mean,
        },
        query_prefix: options.query_prefix.clone().unwrap_or(config.query_prefix),
        passage_prefix: options.passage_prefix.clone().unwrap_or(config.passage_prefix),
        precision: precision.to_owned(),
        graph,
        files: files.iter().map(|(name, contents)| CardFile::of(name, contents)).collect(),
    });
    Ok(ReadModel { card, files })
}

/// The names of inputs and output in the graph that [`bert_graph::write`] writes.
fn own_names() -> GraphNames {
    let [ids, mask] = bert_graph::INPUTS.map(str::to_owned);
    GraphNames { ids, mask, token_types: None, output: bert_graph::OUTPUT.to_owned(), is_pooled: true }
}

fn name_of(source_dir: &Path, options: &ImportOptions) -> Result<String, Error> {
    let real = || std::fs::canonicalize(source_dir).ok()?.file_name()?.to_str().map(str::to_owned);
    let name = options.name.clone().or_else(real).unwrap_or_default();
    let is_word = !name.trim().is_empty() && !name.contains(char::is_control);
    match is_word {
        true => Ok(name),
        false => Err(Error::model(source_dir, format!("`{name}` is no name for a model; say one that can be read"))),
    }
}

/// The expected vectors of [`TEXTS`], computed from the weights.
fn reference(bert: &weights::Bert, vocabulary: &Vocabulary, config: &SourceConfig, precision: Precision) -> Reference {
    let room = config.window as usize - Vocabulary::MARKERS;
    let vector = |text: &str| {
        let pieces = vocabulary.pieces_of(text);
        let ids = vocabulary.with_markers(&[], &pieces[..pieces.len().min(room)]);
        // The ids were `u32` before.
        let ids: Vec<u32> = ids.into_iter().map(|id| id as u32).collect();
        forward::sentence_vector(bert, &ids, config.pooling)
    };
    let texts = TEXTS.iter().map(|text| ReferenceText { text: (*text).to_owned(), vector: vector(text) }).collect();
    Reference { least_cosine: precision.least_cosine(), texts }
}

/// Writes the model to a new directory below `models_dir` that is removed again unless it is published.
fn stage(model: &ReadModel, models_dir: &Path) -> Result<tempfile::TempDir, Error> {
    let failed = |path: &Path, error: std::io::Error| Error::model(path, format!("cannot be written: {error}"));
    std::fs::create_dir_all(models_dir).map_err(|error| failed(models_dir, error))?;
    let staging = tempfile::Builder::new()
        .prefix(".import-")
        .tempdir_in(models_dir)
        .map_err(|error| failed(models_dir, error))?;
    let card = model.card.to_json().into_bytes();
    let files = model.files.iter().map(|(name, contents)| (*name, contents)).chain([(CARD_FILE, &card)]);
    for (name, contents) in files {
        let path = staging.path().join(name);
        std::fs::write(&path, contents).map_err(|error| failed(&path, error))?;
    }
    Ok(staging)
}

fn check(staged: &Path, models_dir: &Path, options: &ImportOptions) -> Result<ImportCheck, Error> {
    let runtime = options.runtime.as_deref();
    match crate::onnx::runtime::runtime(models_dir, runtime) {
        Ok(_) => {}
        // A runtime that the user named must work. A missing default runtime is no error.
        Err(Error::Runtime { path, reason }) if runtime.is_none() => {
            return Ok(ImportCheck::Waits { reason: Error::Runtime { path, reason }.to_string() });
        }
        Err(error) => return Err(error),
    }
    Ok(match OnnxEmbedder::open(staged, runtime)?.agreement() {
        Some((lowest_cosine, mean_cosine)) => ImportCheck::Agrees { lowest_cosine, mean_cosine },
        None => ImportCheck::Runs,
    })
}

/// Renames the staged directory to its final name. An existing directory of that name is moved away first, so that a
/// half-written one never exists.
fn publish(staging: tempfile::TempDir, directory: &Path) -> Result<(), Error> {
    let failed = |error: std::io::Error| Error::model(directory, format!("cannot be written: {error}"));
    let old = tempfile::Builder::new()
        .prefix(".replaced-")
        .tempdir_in(directory.parent().unwrap_or(directory))
        .map_err(failed)?;
    match std::fs::rename(directory, old.path().join("model")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    std::fs::rename(staging.path(), directory).map_err(failed)?;
    // The directory was renamed, so there is nothing to remove.
    let _ = staging.keep();
    Ok(())
}

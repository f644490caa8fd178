//! The card of an imported model: the file that describes its directory.

use std::path::Path;

use icr_model::hexadecimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Descriptor, Error, Pooling};

/// Name of the card.
pub(crate) const CARD_FILE: &str = "model.json";

/// File name of the graph with its weights.
pub(crate) const GRAPH_FILE: &str = "model.onnx";

/// File name of the vocabulary: one piece a line; the id is the line number, counted from 0.
pub(crate) const VOCABULARY_FILE: &str = "vocab.txt";

/// File name of the reference: texts and their expected vectors.
pub(crate) const REFERENCE_FILE: &str = "reference.json";

/// Version of the directory layout that this program writes and reads. A directory of another layout must be imported
/// again.
const FORMAT: u32 = 1;

/// How a text becomes pieces and windows, as far as the files do not say it: part of the revision, and so of the name of the
/// vector space.
const RULES: &str = "uncased pieces, even windows that share 50, 1";

/// Content of `model.json`: everything about a model besides its weights and vocabulary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Card {
    format: u32,
    pub(crate) name: String,
    pub(crate) dims: u16,
    pub(crate) window: u32,
    pub(crate) pooling: CardPooling,
    pub(crate) query_prefix: String,
    pub(crate) passage_prefix: String,
    /// Precision of the weights, for people: `int8`, `fp32`, `as given`.
    pub(crate) precision: String,
    pub(crate) graph: GraphNames,
    /// All other files of the directory, sorted by name.
    pub(crate) files: Vec<CardFile>,
}

/// The values of [`Pooling`] that a local transformer can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CardPooling {
    Mean,
    First,
}

/// Names of the graph's inputs and output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GraphNames {
    /// Input of word piece ids, `[1, tokens]`.
    pub(crate) ids: String,
    /// Input of ones, `[1, tokens]`: the attention mask.
    pub(crate) mask: String,
    /// Input of zeros, `[1, tokens]`: the token types. `None` if the graph has no such input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) token_types: Option<String>,
    pub(crate) output: String,
    /// Whether the output is already pooled, `[1, dims]`. Otherwise it is `[1, tokens, dims]`.
    pub(crate) is_pooled: bool,
}

/// One file beside the card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CardFile {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// SHA-256 in hexadecimal.
    pub(crate) sha256: String,
}

impl CardFile {
    /// Describes a file with this content.
    pub(crate) fn of(name: &str, contents: &[u8]) -> Self {
        Self { name: name.to_owned(), bytes: contents.len() as u64, sha256: sha256(contents) }
    }
}

/// Content of a card that is known before the model's files are written.
pub(crate) struct CardContents {
    pub(crate) name: String,
    pub(crate) dims: u16,
    pub(crate) window: u32,
    pub(crate) pooling: CardPooling,
    pub(crate) query_prefix: String,
    pub(crate) passage_prefix: String,
    pub(crate) precision: String,
    pub(crate) graph: GraphNames,
    pub(crate) files: Vec<CardFile>,
}

impl Card {
    /// A card in the layout of this program.
    pub(crate) fn new(contents: CardContents) -> Self {
        let CardContents { name, dims, window, pooling, query_prefix, passage_prefix, precision, graph, mut files } =
            contents;
        files.sort_by(|a, b| a.name.cmp(&b.name));
        let format = FORMAT;
        Self { format, name, dims, window, pooling, query_prefix, passage_prefix, precision, graph, files }
    }

    /// Reads the card of `directory` and checks that the listed files exist with the listed lengths. Their content is
    /// not read: [`Card::verify`] does that.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] naming the file that is missing, invalid or of another length.
    pub(crate) fn read(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(CARD_FILE);
        let text = std::fs::read(&path)
            .map_err(|error| Error::model(&path, format!("cannot be read: {error}; `icr model import` writes it")))?;
        let card: Self = serde_json::from_slice(&text)
            .map_err(|error| Error::model(&path, format!("does not describe a model: {error}; import it again")))?;
        card.check(&path)?;
        for file in &card.files {
            card.check_length(directory, file)?;
        }
        Ok(card)
    }

    fn check(&self, path: &Path) -> Result<(), Error> {
        let reason = if self.format != FORMAT {
            format!("its format is {}, this program reads {FORMAT}; import the model again", self.format)
        } else if !(64..=4096).contains(&self.dims) {
            format!("`dims` is {}; it should be 64 to 4096", self.dims)
        } else if !(16..=1 << 20).contains(&self.window) {
            format!("`window` is {}; it should be 16 to {}", self.window, 1 << 20)
        } else if let Some(absent) =
            [GRAPH_FILE, VOCABULARY_FILE].iter().find(|name| self.files.iter().all(|file| file.name != **name))
        {
            format!("does not list `{absent}`; import the model again")
        } else if let Some(outside) =
            self.files.iter().find(|file| file.name.contains(['/', '\\']) || file.name == "..")
        {
            format!("lists `{}`; a model's files stand beside it", outside.name)
        } else {
            return Ok(());
        };
        Err(Error::model(path, reason))
    }

    fn check_length(&self, directory: &Path, file: &CardFile) -> Result<(), Error> {
        let path = directory.join(&file.name);
        let found = match std::fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => metadata.len(),
            Ok(_) => return Err(Error::model(&path, "should be a file; import the model again")),
            Err(error) => return Err(Error::model(&path, format!("cannot be read: {error}; import the model again"))),
        };
        if found != file.bytes {
            let reason = format!("has {found} bytes, should have {}; import the model again", file.bytes);
            return Err(Error::model(&path, reason));
        }
        Ok(())
    }

    /// Reads every file and compares its digest. Takes as long as hashing the weights.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] naming the file that differs from the imported one.
    pub(crate) fn verify(&self, directory: &Path) -> Result<(), Error> {
        for file in &self.files {
            let path = directory.join(&file.name);
            let contents =
                std::fs::read(&path).map_err(|error| Error::model(&path, format!("cannot be read: {error}")))?;
            let found = sha256(&contents);
            if found != file.sha256 {
                let reason = format!("its SHA-256 is {found}, should be {}; import the model again", file.sha256);
                return Err(Error::model(&path, reason));
            }
        }
        Ok(())
    }

    /// The descriptor of this model.
    pub(crate) fn descriptor(&self) -> Descriptor {
        let shaping = self.files.iter().filter(|file| [GRAPH_FILE, VOCABULARY_FILE].contains(&file.name.as_str()));
        let mut digest = Sha256::new();
        for file in shaping {
            digest.update(format!("{} {}\n", file.name, file.sha256));
        }
        digest.update(RULES);
        Descriptor {
            name: self.name.clone(),
            revision: hexadecimal(&digest.finalize()),
            dims: self.dims,
            window: Some(self.window),
            pooling: match self.pooling {
                CardPooling::Mean => Pooling::Mean,
                CardPooling::First => Pooling::First,
            },
            query_prefix: self.query_prefix.clone(),
            passage_prefix: self.passage_prefix.clone(),
        }
    }

    /// Length of all files in bytes, without the card.
    pub(crate) fn bytes_total(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// The card as JSON text.
    pub(crate) fn to_json(&self) -> String {
        json(self)
    }
}

/// `value` as indented JSON.
pub(crate) fn json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("keys are text and floats are finite");
    text.push('\n');
    text
}

/// SHA-256 in hexadecimal.
pub(crate) fn sha256(contents: &[u8]) -> String {
    hexadecimal(&Sha256::digest(contents))
}

//! What stands in the directory of an imported model, and the file that says so.

use std::path::Path;

use icr_model::hexadecimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Descriptor, Error, Pooling};

/// The card's own file.
pub(crate) const CARD_FILE: &str = "model.json";

/// The graph with its weights.
pub(crate) const GRAPH_FILE: &str = "model.onnx";

/// The vocabulary, a piece a line; ids are the numbers of lines from 0.
pub(crate) const VOCABULARY_FILE: &str = "vocab.txt";

/// Texts and the vectors that they should have.
pub(crate) const REFERENCE_FILE: &str = "reference.json";

/// The layout that this program writes and reads. A directory of another layout is imported again.
const FORMAT: u32 = 1;

/// How a text becomes pieces and windows, as far as the files do not say it: part of the revision, and so of the name of the
/// vector space.
const RULES: &str = "uncased pieces, even windows that share 50, 1";

/// What `model.json` says: everything about a model besides its weights and vocabulary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Card {
    format: u32,
    pub(crate) name: String,
    pub(crate) dims: u16,
    pub(crate) window: u32,
    pub(crate) pooling: CardPooling,
    pub(crate) query_prefix: String,
    pub(crate) passage_prefix: String,
    /// How the weights are written, for people: `int8`, `fp32`, `as given`.
    pub(crate) precision: String,
    pub(crate) graph: GraphNames,
    /// Every other file of the directory, sorted by name.
    pub(crate) files: Vec<CardFile>,
}

/// [`Pooling`], as far as a local transformer has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CardPooling {
    Mean,
    First,
}

/// How the graph's inputs and output are called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GraphNames {
    /// Word pieces, `[1, tokens]`.
    pub(crate) ids: String,
    /// 1 for each, `[1, tokens]`.
    pub(crate) mask: String,
    /// 0 for each, `[1, tokens]`; absent where the graph does not ask for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) token_types: Option<String>,
    pub(crate) output: String,
    /// Whether the output is `[1, dims]`; else it is `[1, tokens, dims]` and still to be pooled.
    pub(crate) is_pooled: bool,
}

/// One file beside the card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CardFile {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// In hexadecimal.
    pub(crate) sha256: String,
}

impl CardFile {
    /// Describes a file with these contents.
    pub(crate) fn of(name: &str, contents: &[u8]) -> Self {
        Self { name: name.to_owned(), bytes: contents.len() as u64, sha256: sha256(contents) }
    }
}

/// What a card says of a model before its files are written.
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
    /// A card of this program's layout.
    pub(crate) fn new(contents: CardContents) -> Self {
        let CardContents { name, dims, window, pooling, query_prefix, passage_prefix, precision, graph, mut files } =
            contents;
        files.sort_by(|a, b| a.name.cmp(&b.name));
        let format = FORMAT;
        Self { format, name, dims, window, pooling, query_prefix, passage_prefix, precision, graph, files }
    }

    /// Reads the card of `directory` and checks that the files it lists are there with the bytes it says. Their contents
    /// are not read: [`Card::verify`] does that.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] naming the file that is absent, of another length or not what it should be.
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

    /// Reads every file and compares its digest. Costs what hashing the weights costs.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] naming the file that is not what was imported.
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

    /// What shapes the vectors of this model.
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

    /// All files together, but for the card.
    pub(crate) fn bytes_total(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// The file's text.
    pub(crate) fn to_json(&self) -> String {
        json(self)
    }
}

/// `value` as a file for programs that people can read.
pub(crate) fn json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("keys are text and floats are finite");
    text.push('\n');
    text
}

/// SHA-256 in hexadecimal.
pub(crate) fn sha256(contents: &[u8]) -> String {
    hexadecimal(&Sha256::digest(contents))
}

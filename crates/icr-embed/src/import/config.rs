//! Reads the configuration files beside the weights: shape, window, pooling and prompts of a model.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::{Error, Pooling};

/// The dimensions that determine the shapes of a BERT's tensors.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BertShape {
    /// Length of a token vector, and of a text vector.
    pub(super) hidden: usize,
    pub(super) layers: usize,
    /// Number of attention heads; it divides `hidden`.
    pub(super) heads: usize,
    pub(super) intermediate: usize,
    /// Rows of the word table.
    pub(super) vocabulary: usize,
    /// Rows of the table of positions: the most tokens that can be read at once.
    pub(super) positions: usize,
    pub(super) token_types: usize,
    /// Added to a variance before its root is taken.
    pub(super) epsilon: f32,
}

/// The configuration of a sentence-transformers directory.
#[derive(Debug)]
pub(super) struct SourceConfig {
    pub(super) shape: BertShape,
    /// Model tokens read at once, the two markers included.
    pub(super) window: u32,
    pub(super) pooling: Pooling,
    pub(super) query_prefix: String,
    pub(super) passage_prefix: String,
    /// Whether text is lower-cased before it is looked up.
    pub(super) lower_case: bool,
}

/// Lengths of vectors that spaces can hold; [`crate::Descriptor::dims`].
const DIMS: std::ops::RangeInclusive<usize> = 64..=4096;

/// Most layers; BERT large has 24.
const MAX_LAYERS: usize = 96;

/// Largest table and widest layer: above those of every published BERT (a vocabulary of 501,153 pieces, 16,384 wide),
/// and small enough that no product of two overflows.
const MAX_LENGTH: usize = 1 << 20;

/// Smallest window: a smaller one has no room for a prefix and an overlap beside the text.
const MIN_WINDOW: usize = 16;

/// Reads the configuration files of `directory`.
///
/// # Errors
///
/// [`Error::Model`] naming the file if it is missing or invalid, or if it describes another model than a BERT with
/// absolute positions and mean or first-token pooling.
pub(super) fn read(directory: &Path) -> Result<SourceConfig, Error> {
    let shape = read_shape(&directory.join("config.json"))?;
    let pooling = read_pooling(directory, &shape)?;
    let tokenizer: TokenizerConfig = read_optional(&directory.join("tokenizer_config.json"))?.unwrap_or_default();
    let window = read_window(directory, &shape, &tokenizer)?;
    let path = directory.join("config_sentence_transformers.json");
    let prompts = read_optional::<PromptConfig>(&path)?.and_then(|config| config.prompts).unwrap_or_default();
    let prompt = |names: &[&str]| names.iter().find_map(|name| prompts.get(*name)).cloned().unwrap_or_default();
    Ok(SourceConfig {
        shape,
        window,
        pooling,
        query_prefix: prompt(&["query"]),
        passage_prefix: prompt(&["document", "passage"]),
        lower_case: tokenizer.do_lower_case.unwrap_or(true),
    })
}

#[derive(Deserialize)]
struct BertConfig {
    model_type: Option<String>,
    position_embedding_type: Option<String>,
    hidden_act: Option<String>,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    /// BERT's default, 2, if missing.
    type_vocab_size: Option<usize>,
    /// BERT's default, 1e-12, if missing.
    layer_norm_eps: Option<f32>,
}

fn read_shape(path: &Path) -> Result<BertShape, Error> {
    let config: BertConfig = read_json(path)?;
    let words = [
        ("model_type", config.model_type, "bert"),
        ("position_embedding_type", config.position_embedding_type, "absolute"),
        ("hidden_act", config.hidden_act, "gelu"),
    ];
    for (key, found, right) in words {
        // Old files omit values that are BERT's defaults.
        if let Some(found) = found.filter(|found| found != right) {
            let reason = format!(
                "`{key}` is `{found}`; models of the BERT family are supported, with absolute positions: `{right}`"
            );
            return Err(Error::model(path, reason));
        }
    }
    let shape = BertShape {
        hidden: config.hidden_size,
        layers: config.num_hidden_layers,
        heads: config.num_attention_heads,
        intermediate: config.intermediate_size,
        vocabulary: config.vocab_size,
        positions: config.max_position_embeddings,
        token_types: config.type_vocab_size.unwrap_or(2),
        epsilon: config.layer_norm_eps.unwrap_or(1e-12),
    };
    let lengths = [
        ("hidden_size", shape.hidden, DIMS),
        ("num_hidden_layers", shape.layers, 1..=MAX_LAYERS),
        ("num_attention_heads", shape.heads, 1..=shape.hidden.max(1)),
        ("intermediate_size", shape.intermediate, 1..=MAX_LENGTH),
        ("vocab_size", shape.vocabulary, 1..=MAX_LENGTH),
        ("max_position_embeddings", shape.positions, MIN_WINDOW..=MAX_LENGTH),
        ("type_vocab_size", shape.token_types, 1..=MAX_LENGTH),
    ];
    for (key, found, right) in lengths {
        if !right.contains(&found) {
            let reason = format!("`{key}` is {found}; it should be {} to {}", right.start(), right.end());
            return Err(Error::model(path, reason));
        }
    }
    if !shape.hidden.is_multiple_of(shape.heads) {
        let (heads, hidden) = (shape.heads, shape.hidden);
        let reason = format!("`num_attention_heads` is {heads}; it should divide `hidden_size`, which is {hidden}");
        return Err(Error::model(path, reason));
    }
    if !(0.0..1.0).contains(&shape.epsilon) {
        return Err(Error::model(path, format!("`layer_norm_eps` is {}; it should be 0 to 1", shape.epsilon)));
    }
    Ok(shape)
}

#[derive(Deserialize)]
struct Module {
    path: String,
    r#type: String,
}

#[derive(Deserialize)]
struct PoolingConfig {
    word_embedding_dimension: Option<usize>,
    /// The `pooling_mode_…` keys; those that are true name the pooling.
    #[serde(flatten)]
    modes: BTreeMap<String, serde_json::Value>,
}

/// Reads the pooling from the modules after the transformer. Normalising is always done, whether or not it is listed.
fn read_pooling(directory: &Path, shape: &BertShape) -> Result<Pooling, Error> {
    let path = directory.join("modules.json");
    let modules: Vec<Module> = read_json(&path)?;
    let mut pooling = None;
    for (at, module) in modules.iter().enumerate() {
        match (at, module.r#type.rsplit('.').next().unwrap_or_default()) {
            (0, "Transformer") | (2.., "Normalize") => {}
            (1, "Pooling") => pooling = Some(pooling_of(&inside(directory, &module.path, &path)?, shape)?),
            _ => {
                let right = "Transformer, Pooling and, if wanted, Normalize are supported, in this order";
                return Err(Error::model(&path, format!("module {at} is `{}`; {right}", module.r#type)));
            }
        }
    }
    pooling.ok_or_else(|| Error::model(&path, "lists no module `Pooling`; it should be the second"))
}

/// The configuration file of a module. The module's directory must be inside the model's directory.
fn inside(directory: &Path, module: &str, path: &Path) -> Result<PathBuf, Error> {
    let is_inside = Path::new(module).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    match is_inside {
        true => Ok(directory.join(module).join("config.json")),
        false => Err(Error::model(path, format!("the module path `{module}` should name a directory below this one"))),
    }
}

fn pooling_of(path: &Path, shape: &BertShape) -> Result<Pooling, Error> {
    let config: PoolingConfig = read_json(path)?;
    if let Some(found) = config.word_embedding_dimension.filter(|found| *found != shape.hidden) {
        let right = shape.hidden;
        let reason = format!("`word_embedding_dimension` is {found}; by ../config.json it should be {right}");
        return Err(Error::model(path, reason));
    }
    let is_on = |(key, value): (&String, &serde_json::Value)| {
        (key.starts_with("pooling_mode_") && value.as_bool() == Some(true)).then(|| key.clone())
    };
    let modes: Vec<String> = config.modes.iter().filter_map(is_on).collect();
    match modes.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["pooling_mode_mean_tokens"] => Ok(Pooling::Mean),
        ["pooling_mode_cls_token"] => Ok(Pooling::First),
        _ => {
            let found = if modes.is_empty() { "no mode".to_owned() } else { modes.join(" and ") };
            let right = "either `pooling_mode_mean_tokens` or `pooling_mode_cls_token` should be true, and no other";
            Err(Error::model(path, format!("{found} is true; {right}")))
        }
    }
}

#[derive(Deserialize, Default)]
struct TokenizerConfig {
    do_lower_case: Option<bool>,
    /// Some files use a huge float for "no limit".
    model_max_length: Option<f64>,
}

#[derive(Deserialize)]
struct WindowConfig {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize)]
struct PromptConfig {
    prompts: Option<BTreeMap<String, String>>,
}

fn read_window(directory: &Path, shape: &BertShape, tokenizer: &TokenizerConfig) -> Result<u32, Error> {
    let path = directory.join("sentence_bert_config.json");
    let said = read_optional::<WindowConfig>(&path)?.and_then(|config| config.max_seq_length);
    let tokenizer_says = tokenizer.model_max_length.map(|length| length as usize);
    let window = said.unwrap_or_else(|| tokenizer_says.unwrap_or(shape.positions).min(shape.positions));
    if !(MIN_WINDOW..=shape.positions).contains(&window) {
        let most = shape.positions;
        let reason =
            format!("`max_seq_length` is {window}; it should be {MIN_WINDOW} to {most}, the model's positions");
        return Err(Error::model(&path, reason));
    }
    // At most MAX_LENGTH, so it fits.
    Ok(window as u32)
}

/// Reads a required JSON file.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    read_optional(path)?.ok_or_else(|| Error::model(path, "is missing; a sentence-transformers directory has it"))
}

/// Reads an optional JSON file.
pub(super) fn read_optional<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::model(path, format!("cannot be read: {error}"))),
    };
    let parsed = serde_json::from_slice(&text);
    parsed.map(Some).map_err(|error| Error::model(path, format!("is not the JSON it should be: {error}")))
}

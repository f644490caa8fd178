//! A sentence-transformers directory with a BERT of two layers and random weights.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};

/// Length of a vector.
pub(crate) const HIDDEN: usize = 64;

const LAYERS: usize = 2;
const INTERMEDIATE: usize = 96;
const POSITIONS: usize = 80;

/// Model tokens read at once.
pub(crate) const WINDOW: usize = 72;

/// The pieces: markers, words, letters at the beginning and inside of words, digits, punctuation.
pub(crate) fn vocabulary() -> Vec<String> {
    let words =
        "[PAD] [UNK] [CLS] [SEP] that is a happy very person today sunny day cache read write header config error";
    let mut pieces: Vec<String> = words.split(' ').map(str::to_owned).collect();
    let characters = ('a'..='z').chain('0'..='9');
    pieces.extend(characters.clone().filter(|character| *character != 'a').map(String::from));
    pieces.extend(characters.map(|character| format!("##{character}")));
    pieces.extend("!\"#$%&'()*+,-./:;<=>?@[]_{}|".chars().map(String::from));
    pieces
}

/// Names and shapes of all tensors.
pub(crate) fn shapes() -> Vec<(String, Vec<usize>)> {
    let mut shapes = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![vocabulary().len(), HIDDEN]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![POSITIONS, HIDDEN]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, HIDDEN]),
        ("embeddings.LayerNorm.weight".to_owned(), vec![HIDDEN]),
        ("embeddings.LayerNorm.bias".to_owned(), vec![HIDDEN]),
    ];
    let parts: [(&str, &[usize]); 8] = [
        ("attention.self.query", &[HIDDEN, HIDDEN]),
        ("attention.self.key", &[HIDDEN, HIDDEN]),
        ("attention.self.value", &[HIDDEN, HIDDEN]),
        ("attention.output.dense", &[HIDDEN, HIDDEN]),
        ("attention.output.LayerNorm", &[HIDDEN]),
        ("intermediate.dense", &[INTERMEDIATE, HIDDEN]),
        ("output.dense", &[HIDDEN, INTERMEDIATE]),
        ("output.LayerNorm", &[HIDDEN]),
    ];
    for layer in 0..LAYERS {
        for (part, shape) in parts {
            shapes.push((format!("encoder.layer.{layer}.{part}.weight"), shape.to_vec()));
            shapes.push((format!("encoder.layer.{layer}.{part}.bias"), shape[..1].to_vec()));
        }
    }
    shapes
}

/// Random numbers, the same on every machine: the upper 24 bits of Knuth's MMIX generator.
struct Random(u64);

impl Random {
    /// A number from -0.5 to 0.5.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 24) as f32 - 0.5
    }
}

/// A directory to be written, changed first where a test needs another.
pub(crate) struct TinyBert {
    /// JSON files by name.
    pub(crate) files: BTreeMap<&'static str, Value>,
    pub(crate) vocabulary: Vec<String>,
    /// Name, shape, values.
    pub(crate) tensors: Vec<(String, Vec<usize>, Vec<f32>)>,
}

impl TinyBert {
    /// One that pools by the mean.
    pub(crate) fn new() -> Self {
        let mut random = Random(1);
        let tensors = shapes().into_iter().map(|(name, shape)| {
            let is_norm = name.ends_with("LayerNorm.weight");
            // Wide enough that attention is not even and each layer shows in the result.
            let (middle, width) = if is_norm { (1.0, 0.5) } else { (0.0, 0.6) };
            let values = (0..shape.iter().product()).map(|_| middle + width * random.next()).collect();
            (name, shape, values)
        });
        let config = json!({
            "model_type": "bert",
            "hidden_act": "gelu",
            "hidden_size": HIDDEN,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": 4,
            "intermediate_size": INTERMEDIATE,
            "vocab_size": vocabulary().len(),
            "max_position_embeddings": POSITIONS,
            "type_vocab_size": 2,
            "layer_norm_eps": 1e-12,
            "position_embedding_type": "absolute",
        });
        let modules = json!([
            { "idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer" },
            { "idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling" },
            { "idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize" },
        ]);
        let files = BTreeMap::from([
            ("config.json", config),
            ("modules.json", modules),
            ("1_Pooling/config.json", json!({ "pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false })),
            ("sentence_bert_config.json", json!({ "max_seq_length": WINDOW })),
            ("tokenizer_config.json", json!({ "do_lower_case": true })),
        ]);
        Self { files, vocabulary: vocabulary(), tensors: tensors.collect() }
    }

    /// The same weights, pooled by the first token.
    pub(crate) fn pooled_by_first() -> Self {
        let mut bert = Self::new();
        bert.files.insert("1_Pooling/config.json", json!({ "pooling_mode_cls_token": true }));
        bert
    }

    /// Sets a key of one of the JSON files.
    pub(crate) fn with(mut self, file: &'static str, key: &str, value: Value) -> Self {
        self.files.get_mut(file).expect("it has this file")[key] = value;
        self
    }

    pub(crate) fn write(&self, directory: &Path) {
        fs::create_dir_all(directory.join("1_Pooling")).unwrap();
        for (name, value) in &self.files {
            fs::write(directory.join(name), value.to_string()).unwrap();
        }
        fs::write(directory.join("vocab.txt"), self.vocabulary.join("\n")).unwrap();
        fs::write(directory.join("model.safetensors"), self.safetensors()).unwrap();
    }

    pub(crate) fn safetensors(&self) -> Vec<u8> {
        let bytes = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
        let bytes: Vec<Vec<u8>> = self.tensors.iter().map(|(_, _, values)| bytes(values)).collect();
        let views = self.tensors.iter().zip(&bytes).map(|((name, shape, _), bytes)| {
            (name, TensorView::new(Dtype::F32, shape.clone(), bytes).expect("as many values as the shape says"))
        });
        safetensors::serialize(views, None).unwrap()
    }
}

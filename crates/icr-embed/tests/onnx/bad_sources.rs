//! What cannot be imported says why, and leaves nothing behind.

use std::fs;
use std::path::Path;

use icr_embed::{Error, ImportOptions, import_model};
use serde_json::json;

use super::tiny_bert::TinyBert;

/// Imports the directory that `bert` is written to and `spoil` then changes; the message is `expected` after the path of the
/// directory.
#[track_caller]
fn check_directory(bert: &TinyBert, spoil: impl FnOnce(&Path), expected: &str) {
    let source = tempfile::tempdir().unwrap();
    let models = tempfile::tempdir().unwrap();
    bert.write(source.path());
    spoil(source.path());
    let error = import_model(source.path(), models.path(), &ImportOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Model { .. }), "{error:?}");
    let message = error.to_string().replace(&source.path().display().to_string(), "$SOURCE");
    assert!(message.starts_with(expected), "found    {message}\nexpected {expected}");
    assert_eq!(fs::read_dir(models.path()).unwrap().count(), 0, "{message}");
}

#[track_caller]
fn check(bert: TinyBert, expected: &str) {
    check_directory(&bert, |_| {}, expected);
}

#[test]
fn absent_files_are_named() {
    for (file, expected) in [
        ("config.json", "$SOURCE/config.json: is missing; a sentence-transformers directory has it"),
        ("modules.json", "$SOURCE/modules.json: is missing; a sentence-transformers directory has it"),
        (
            "1_Pooling/config.json",
            "$SOURCE/1_Pooling/config.json: is missing; a sentence-transformers directory has it",
        ),
        (
            "vocab.txt",
            "$SOURCE/tokenizer.json: is missing, and so is vocab.txt; a sentence-transformers directory has one",
        ),
        (
            "model.safetensors",
            "$SOURCE: has no model.safetensors, and no onnx/model.onnx or model.onnx; one of them holds",
        ),
    ] {
        check_directory(&TinyBert::new(), |directory| fs::remove_file(directory.join(file)).unwrap(), expected);
    }
    check_directory(
        &TinyBert::new(),
        |directory| fs::remove_dir_all(directory).unwrap(),
        "$SOURCE: is no directory; a sentence-transformers directory is imported",
    );
}

#[test]
fn other_architectures_are_told_what_is_supported() {
    let supported = "models of the BERT family are supported, with absolute positions: ";
    for (key, value, right) in [
        ("model_type", "roberta", "bert"),
        ("position_embedding_type", "relative_key", "absolute"),
        ("hidden_act", "silu", "gelu"),
    ] {
        let bert = TinyBert::new().with("config.json", key, json!(value));
        check(bert, &format!("$SOURCE/config.json: `{key}` is `{value}`; {supported}`{right}`"));
    }
}

#[test]
fn lengths_out_of_bounds_are_named() {
    for (file, key, value, expected) in [
        ("config.json", "hidden_size", 32, "`hidden_size` is 32; it should be 64 to 4096"),
        ("config.json", "hidden_size", 8192, "`hidden_size` is 8192; it should be 64 to 4096"),
        ("config.json", "num_hidden_layers", 0, "`num_hidden_layers` is 0; it should be 1 to 96"),
        (
            "config.json",
            "num_attention_heads",
            5,
            "`num_attention_heads` is 5; it should divide `hidden_size`, which is 64",
        ),
        ("config.json", "num_attention_heads", 0, "`num_attention_heads` is 0; it should be 1 to 64"),
        ("config.json", "vocab_size", 0, "`vocab_size` is 0; it should be 1 to 1048576"),
        ("config.json", "layer_norm_eps", 2, "`layer_norm_eps` is 2; it should be 0 to 1"),
        (
            "sentence_bert_config.json",
            "max_seq_length",
            8,
            "`max_seq_length` is 8; it should be 16 to 80, the model's positions",
        ),
        (
            "sentence_bert_config.json",
            "max_seq_length",
            512,
            "`max_seq_length` is 512; it should be 16 to 80, the model's",
        ),
        (
            "1_Pooling/config.json",
            "word_embedding_dimension",
            384,
            "`word_embedding_dimension` is 384; by ../config.json it should be 64",
        ),
    ] {
        check(TinyBert::new().with(file, key, json!(value)), &format!("$SOURCE/{file}: {expected}"));
    }
    let bert = TinyBert::new().with("config.json", "hidden_size", json!("wide"));
    check(bert, "$SOURCE/config.json: is not the JSON it should be: invalid type: string \"wide\", expected usize");
}

#[test]
fn pooling_that_is_not_known_is_named() {
    let path = "$SOURCE/1_Pooling/config.json:";
    let right = "either `pooling_mode_mean_tokens` or `pooling_mode_cls_token` should be true, and no other";
    let with = |key: &str, value: bool| TinyBert::new().with("1_Pooling/config.json", key, json!(value));
    check(with("pooling_mode_mean_tokens", false), &format!("{path} no mode is true; {right}"));
    check(
        with("pooling_mode_max_tokens", true),
        &format!("{path} pooling_mode_max_tokens and pooling_mode_mean_tokens is true; {right}"),
    );
    let mut dense = TinyBert::new();
    dense.files.get_mut("modules.json").unwrap()[2]["type"] = json!("sentence_transformers.models.Dense");
    check(
        dense,
        "$SOURCE/modules.json: module 2 is `sentence_transformers.models.Dense`; Transformer, Pooling and, if",
    );
    let mut outside = TinyBert::new();
    outside.files.get_mut("modules.json").unwrap()[1]["path"] = json!("../1_Pooling");
    check(outside, "$SOURCE/modules.json: the module path `../1_Pooling` should name a directory below this one");
}

#[test]
fn weights_that_are_cut_short_or_of_another_shape_are_named() {
    let whole = TinyBert::new().safetensors();
    for length in [0, 7, 8, 100, whole.len() / 2, whole.len() - 1] {
        let expected = format!("$SOURCE/model.safetensors: is no whole safetensors file of {length} bytes: ");
        check_directory(
            &TinyBert::new(),
            |directory| fs::write(directory.join("model.safetensors"), &whole[..length]).unwrap(),
            &expected,
        );
    }
    check(
        TinyBert::new().with("config.json", "intermediate_size", json!(128)),
        "$SOURCE/model.safetensors: `encoder.layer.0.intermediate.dense.weight` has the shape [96, 64]; by config.json it \
         should have [128, 64]",
    );
    check(
        TinyBert::new().with("config.json", "num_hidden_layers", json!(3)),
        "$SOURCE/model.safetensors: has no tensor `encoder.layer.2.attention.self.query.weight`, which should have the shape \
         [64, 64]",
    );
    let mut infinite = TinyBert::new();
    infinite.tensors[0].2[3] = f32::INFINITY;
    check(
        infinite,
        "$SOURCE/model.safetensors: `embeddings.word_embeddings.weight` holds inf at 3; every weight should be",
    );
    let mut other = TinyBert::new();
    other.tensors.retain(|(name, _, _)| name != "embeddings.word_embeddings.weight");
    check(
        other,
        "$SOURCE/model.safetensors: has no tensor `embeddings.word_embeddings.weight`, as a BERT has; its first is",
    );
}

#[test]
fn vocabularies_that_do_not_fit_are_named() {
    let mut twice = TinyBert::new();
    twice.vocabulary[9] = "is".to_owned();
    check(twice, "$SOURCE/vocab.txt: the vocabulary has the piece `is` twice; each has one id");
    let mut unmarked = TinyBert::new();
    unmarked.vocabulary[2] = "begin".to_owned();
    check(unmarked, "$SOURCE/vocab.txt: has no piece `[CLS]`, as BERT's have");
    let total = TinyBert::new().vocabulary.len();
    let mut large = TinyBert::new();
    large.vocabulary.push("more".to_owned());
    check(large, &format!("$SOURCE/vocab.txt: has {} pieces; by config.json the model has at most {total}", total + 1));
    check(
        TinyBert::new().with("tokenizer_config.json", "do_lower_case", json!(false)),
        "$SOURCE/tokenizer_config.json: `do_lower_case` is false; uncased models are supported",
    );
    let tokenizer = |model: serde_json::Value, lowercase: bool| {
        let mut bert = TinyBert::new();
        let normalizer = json!({ "type": "BertNormalizer", "lowercase": lowercase });
        bert.files.insert("tokenizer.json", json!({ "normalizer": normalizer, "model": model }));
        bert
    };
    for (model, lowercase, expected) in [
        (json!({ "type": "BPE", "vocab": {} }), true, "its model is `BPE`; `WordPiece` is supported, which models of"),
        (
            json!({ "type": "WordPiece", "vocab": {} }),
            false,
            "its normalizer keeps capitals or accents; uncased models",
        ),
        (
            json!({ "type": "WordPiece", "vocab": { "a": 0, "b": 2 } }),
            true,
            "`b` has the id 2; with 2 pieces ids end at 1",
        ),
        (
            json!({ "type": "WordPiece", "vocab": { "a\nb": 0 } }),
            true,
            "the piece `a\\nb` is empty or has a line break",
        ),
        (json!({ "type": "WordPiece", "vocab": {} }), true, "the vocabulary is empty"),
        (
            json!({ "type": "WordPiece", "vocab": [] }),
            true,
            "its vocabulary should be an object of pieces and their ids",
        ),
    ] {
        check(tokenizer(model, lowercase), &format!("$SOURCE/tokenizer.json: {expected}"));
    }
}

#[test]
fn graphs_that_are_none_or_others_are_named() {
    let spoil = |contents: &'static [u8]| {
        move |directory: &Path| {
            fs::remove_file(directory.join("model.safetensors")).unwrap();
            fs::write(directory.join("model.onnx"), contents).unwrap();
        }
    };
    for (contents, expected) in [
        (&b""[..], "has no graph"),
        (b"\x3a\x7fcut", "is no whole ONNX file of 5 bytes: "),
        (b"not protobuf at all", "is no whole ONNX file of 19 bytes: "),
        // A graph of nothing.
        (b"\x3a\x00", "has no input `input_ids`"),
        // A graph with an input `pixels`.
        (b"\x3a\x0a\x5a\x08\x0a\x06pixels", "has an input `pixels`; input_ids, attention_mask and token_type_ids are"),
    ] {
        check_directory(&TinyBert::new(), spoil(contents), &format!("$SOURCE/model.onnx: {expected}"));
    }
}

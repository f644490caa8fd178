//! What an import writes.

use std::fs;
use std::path::Path;

use icr_embed::{
    Error, ImportCheck, ImportOptions, ImportReport, Pooling, Precision, import_model, imported_models, runtime_version,
};
use serde_json::{Value, json};

use super::tiny_bert::{HIDDEN, TinyBert, WINDOW, vocabulary};
use super::{cosine, runtime_for};

/// Imports into `models`, with the runtime if there is one.
pub(crate) fn import(bert: &TinyBert, models: &Path, options: ImportOptions) -> Result<ImportReport, Error> {
    let source = tempfile::tempdir().unwrap();
    bert.write(source.path());
    let runtime = options.runtime.clone().or_else(|| std::env::var_os("ICR_TEST_RUNTIME").map(Into::into));
    import_model(source.path(), models, &ImportOptions { name: Some("tiny".to_owned()), runtime, ..options })
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The reference vectors that an import wrote, by text.
fn reference_of(report: &ImportReport) -> Vec<(String, Vec<f32>)> {
    let reference = read_json(&report.directory.join("reference.json"));
    let text = |text: &Value| {
        let vector = text["vector"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap() as f32).collect();
        (text["text"].as_str().unwrap().to_owned(), vector)
    };
    reference["texts"].as_array().unwrap().iter().map(text).collect()
}

#[test]
fn an_import_writes_the_graph_the_vocabulary_the_card_and_the_reference_and_nothing_else() {
    let models = tempfile::tempdir().unwrap();
    let report = import(&TinyBert::new(), models.path(), ImportOptions::default()).unwrap();
    assert_eq!(report.directory, models.path().join(report.descriptor.space().to_string()));
    let mut names: Vec<_> = fs::read_dir(&report.directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.retain(|name| name != "checked.json");
    names.sort();
    assert_eq!(names, ["model.json", "model.onnx", "reference.json", "vocab.txt"]);
    assert_eq!(fs::read_dir(models.path()).unwrap().count(), 1);
    let descriptor = &report.descriptor;
    assert_eq!((descriptor.name.as_str(), usize::from(descriptor.dims)), ("tiny", HIDDEN));
    assert_eq!((descriptor.window, descriptor.pooling), (Some(WINDOW as u32), Pooling::Mean));
    let written = fs::read_to_string(report.directory.join("vocab.txt")).unwrap();
    assert_eq!(written.lines().collect::<Vec<_>>(), vocabulary());
}

#[test]
fn the_same_directory_gives_the_same_bytes_and_another_precision_another_space() {
    let models = tempfile::tempdir().unwrap();
    let bytes = |report: &ImportReport| fs::read(report.directory.join("model.onnx")).unwrap();
    let first = import(&TinyBert::new(), models.path(), ImportOptions::default()).unwrap();
    let first_bytes = bytes(&first);
    let again = import(&TinyBert::new(), models.path(), ImportOptions::default()).unwrap();
    assert_eq!(again, first);
    assert_eq!(bytes(&again), first_bytes);
    let exact = ImportOptions { precision: Precision::Fp32, ..ImportOptions::default() };
    let exact = import(&TinyBert::new(), models.path(), exact).unwrap();
    assert_ne!(exact.descriptor.space(), first.descriptor.space());
    assert!(bytes(&exact).len() > 2 * first_bytes.len());
    assert_eq!(fs::read_dir(models.path()).unwrap().count(), 2);
}

/// Numbers of a forward pass written apart from this one, in Python, in 64-bit floats, from the formulas of the BERT paper.
#[test]
fn reference_vectors_are_those_of_another_implementation() {
    for (bert, expected) in [
        (TinyBert::new(), include_str!("tiny_bert_mean.txt")),
        (TinyBert::pooled_by_first(), include_str!("tiny_bert_first.txt")),
    ] {
        let models = tempfile::tempdir().unwrap();
        let report = import(&bert, models.path(), ImportOptions::default()).unwrap();
        let expected: Vec<Vec<f32>> = expected
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split(' ').map(|number| number.parse().unwrap()).collect())
            .collect();
        let found = reference_of(&report);
        assert_eq!(found[0].0, "That is a happy person");
        assert_eq!(expected.len(), 3);
        for ((text, vector), expected) in found.iter().zip(&expected) {
            let furthest = vector.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(furthest < 2e-6, "{text}: {furthest}");
        }
        for (text, vector) in &found {
            assert!((cosine(vector, vector) - 1.0).abs() < 1e-5, "{text}");
        }
    }
}

#[test]
fn without_a_runtime_the_check_waits() {
    let models = tempfile::tempdir().unwrap();
    let source = tempfile::tempdir().unwrap();
    TinyBert::new().write(source.path());
    let report = import_model(source.path(), models.path(), &ImportOptions::default()).unwrap();
    match (report.check, runtime_version(models.path(), None)) {
        (ImportCheck::Waits { reason }, Err(error)) => assert_eq!(reason, error.to_string()),
        (ImportCheck::Agrees { lowest_cosine, .. }, Ok(_)) => assert!(lowest_cosine >= 0.98),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_runtime_that_was_named_and_cannot_be_used_fails_the_import_and_leaves_nothing() {
    let models = tempfile::tempdir().unwrap();
    let runtime = Some(models.path().join("absent.so"));
    let error =
        import(&TinyBert::new(), models.path(), ImportOptions { runtime, ..ImportOptions::default() }).unwrap_err();
    assert!(matches!(&error, Error::Runtime { reason, .. } if reason == "there is no such file"), "{error}");
    assert_eq!(fs::read_dir(models.path()).unwrap().count(), 0);
}

#[test]
fn written_graphs_agree_with_the_plain_forward_pass() {
    if runtime_for("written_graphs_agree_with_the_plain_forward_pass").is_none() {
        return;
    }
    for bert in [TinyBert::new(), TinyBert::pooled_by_first()] {
        for (precision, least) in [(Precision::Fp32, 0.999_999), (Precision::Int8, 0.98)] {
            let models = tempfile::tempdir().unwrap();
            let report = import(&bert, models.path(), ImportOptions { precision, ..ImportOptions::default() }).unwrap();
            let ImportCheck::Agrees { lowest_cosine, mean_cosine } = report.check else { panic!("{:?}", report.check) };
            eprintln!("{precision:?} {lowest_cosine} {mean_cosine}");
            assert!(lowest_cosine >= least && mean_cosine >= lowest_cosine, "{precision:?}: {lowest_cosine}");
        }
    }
}

#[test]
fn a_finished_graph_is_taken_as_it_is() {
    let models = tempfile::tempdir().unwrap();
    let written = import(&TinyBert::new(), models.path(), ImportOptions::default()).unwrap();
    let graph = fs::read(written.directory.join("model.onnx")).unwrap();

    let source = tempfile::tempdir().unwrap();
    TinyBert::new().write(source.path());
    fs::remove_file(source.path().join("model.safetensors")).unwrap();
    fs::create_dir(source.path().join("onnx")).unwrap();
    fs::write(source.path().join("onnx/model.onnx"), &graph).unwrap();
    let runtime = std::env::var_os("ICR_TEST_RUNTIME").map(Into::into);
    let has_runtime = runtime.is_some();
    let options = ImportOptions { name: Some("given".to_owned()), runtime, ..ImportOptions::default() };
    let report = import_model(source.path(), models.path(), &options).unwrap();
    assert_eq!(report.precision, "as given");
    assert_eq!(fs::read(report.directory.join("model.onnx")).unwrap(), graph);
    assert!(!report.directory.join("reference.json").exists());
    if has_runtime {
        assert_eq!(report.check, ImportCheck::Runs);
    }
}

#[test]
fn prompts_of_the_directory_are_prefixes_and_options_come_before_them() {
    let models = tempfile::tempdir().unwrap();
    let mut bert = TinyBert::new();
    let prompts = json!({ "prompts": { "query": "read: ", "document": "write: " } });
    bert.files.insert("config_sentence_transformers.json", prompts);
    let report = import(&bert, models.path(), ImportOptions::default()).unwrap();
    let prefixes =
        |report: &ImportReport| (report.descriptor.query_prefix.clone(), report.descriptor.passage_prefix.clone());
    assert_eq!(prefixes(&report), ("read: ".to_owned(), "write: ".to_owned()));
    let options = ImportOptions { query_prefix: Some(String::new()), ..ImportOptions::default() };
    let report = import(&bert, models.path(), options).unwrap();
    assert_eq!(prefixes(&report), (String::new(), "write: ".to_owned()));
}

#[test]
fn a_vocabulary_is_the_same_from_either_file() {
    let models = tempfile::tempdir().unwrap();
    let from_text = import(&TinyBert::new(), models.path(), ImportOptions::default()).unwrap();
    let mut bert = TinyBert::new();
    let ids: serde_json::Map<String, Value> =
        vocabulary().into_iter().enumerate().map(|(id, piece)| (piece, json!(id))).collect();
    let tokenizer = json!({
        // A padded, truncated tokeniser, as published ones are: neither is taken over.
        "truncation": { "max_length": 8 },
        "padding": { "strategy": { "Fixed": 8 } },
        "normalizer": { "type": "BertNormalizer", "lowercase": true, "strip_accents": null },
        "model": { "type": "WordPiece", "continuing_subword_prefix": "##", "vocab": ids },
    });
    bert.files.insert("tokenizer.json", tokenizer);
    let from_json = import(&bert, models.path(), ImportOptions::default()).unwrap();
    assert_eq!(from_json.descriptor, from_text.descriptor);
}

#[test]
fn imported_models_are_listed_by_name_with_what_is_wrong_with_them() {
    let models = tempfile::tempdir().unwrap();
    assert!(imported_models(&models.path().join("absent")).unwrap().is_empty());
    assert!(imported_models(models.path()).unwrap().is_empty());
    let int8 = import(&TinyBert::new(), models.path(), ImportOptions::default()).unwrap();
    let damaged = import(&TinyBert::pooled_by_first(), models.path(), ImportOptions::default()).unwrap();
    fs::remove_file(damaged.directory.join("vocab.txt")).unwrap();
    // A runtime, and what a killed import has left.
    fs::create_dir(models.path().join("runtime")).unwrap();
    fs::create_dir(models.path().join(".import-x")).unwrap();
    fs::write(models.path().join(".import-x/model.json"), "{}").unwrap();
    let listed = imported_models(models.path()).unwrap();
    let [Err(wrong), Ok(whole)] = &listed[..] else { panic!("{listed:?}") };
    assert!(wrong.to_string().contains("vocab.txt: cannot be read: "), "{wrong}");
    assert_eq!((&whole.directory, &whole.descriptor), (&int8.directory, &int8.descriptor));
    assert_eq!((whole.precision.as_str(), whole.bytes_total), ("int8", int8.bytes_total));
}

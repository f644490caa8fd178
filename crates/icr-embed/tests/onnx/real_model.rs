//! all-MiniLM-L6-v2 itself, where its weights are at hand.

use std::path::PathBuf;

use icr_embed::{Embedder, ImportCheck, ImportOptions, ImportReport, OnnxEmbedder, Precision, import_model};
use tempfile::TempDir;

use super::{cosine, runtime_for};

/// The model's directory and what was made of it; `None`, said aloud, without the weights.
fn imported(test: &str, precision: Precision) -> Option<(TempDir, ImportReport)> {
    let source = icr_fixture::path_from("ICR_TEST_MODEL_SOURCE", test)?;
    let models = tempfile::tempdir().unwrap();
    let runtime = std::env::var_os("ICR_TEST_RUNTIME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let options =
        ImportOptions { name: Some("all-MiniLM-L6-v2".to_owned()), precision, runtime, ..ImportOptions::default() };
    let report = import_model(&source, models.path(), &options).unwrap();
    Some((models, report))
}

/// The cosines that the model's page gives for its example.
#[track_caller]
fn check_example(vectors: &[Vec<f32>], tolerance: f32) {
    for (other, expected) in [(1, 0.943), (2, 0.257)] {
        let found = cosine(&vectors[0], &vectors[other]);
        assert!((found - expected).abs() < tolerance, "{other}: {found}, not {expected}");
    }
}

#[test]
fn weights_give_the_published_similarities() {
    let Some((_models, report)) = imported("weights_give_the_published_similarities", Precision::Fp32) else { return };
    assert_eq!(report.descriptor.dims, 384);
    assert_eq!(report.descriptor.window, Some(256));
    let reference = std::fs::read(report.directory.join("reference.json")).unwrap();
    let reference: serde_json::Value = serde_json::from_slice(&reference).unwrap();
    let vector = |at: usize| -> Vec<f32> {
        let numbers = reference["texts"][at]["vector"].as_array().unwrap().iter();
        numbers.map(|number| number.as_f64().unwrap() as f32).collect()
    };
    check_example(&[vector(0), vector(1), vector(2)], 0.0006);
}

#[test]
fn either_precision_agrees_with_the_weights_through_the_runtime() {
    let test = "either_precision_agrees_with_the_weights_through_the_runtime";
    for (precision, least, tolerance) in [(Precision::Fp32, 0.999_9, 0.0006), (Precision::Int8, 0.98, 0.03)] {
        let Some((_models, report)) = imported(test, precision) else { return };
        let Some(runtime) = runtime_for(test) else { return };
        let ImportCheck::Agrees { lowest_cosine, mean_cosine } = report.check else { panic!("{:?}", report.check) };
        eprintln!("{precision:?}: lowest {lowest_cosine}, mean {mean_cosine}, {} bytes", report.bytes_total);
        assert!(lowest_cosine >= least && mean_cosine >= lowest_cosine, "{lowest_cosine} {mean_cosine}");
        let embedder = OnnxEmbedder::open(&report.directory, Some(&runtime)).unwrap();
        let sentences = ["That is a happy person", "That is a very happy person", "Today is a sunny day"];
        check_example(&sentences.map(|text| embedder.question(text).unwrap()), tolerance);
    }
}

#[test]
fn what_stands_far_behind_the_window_is_found_by_the_windows_of_a_passage() {
    let test = "what_stands_far_behind_the_window_is_found_by_the_windows_of_a_passage";
    let Some((_models, report)) = imported(test, Precision::Int8) else { return };
    let Some(runtime) = runtime_for(test) else { return };
    let embedder = OnnxEmbedder::open(&report.directory, Some(&runtime)).unwrap();
    let filler = "The parser reads tokens and builds a tree of nodes for the formatter. ".repeat(64);
    let passage = format!("{filler} Bees collect nectar from flowers and make honey in the hive.");
    let question = embedder.question("how do bees make honey").unwrap();
    let windows = embedder.passages(&[&passage]).unwrap().remove(0);
    assert!(windows.len() >= 4, "{}", windows.len());
    let scores: Vec<f32> = windows.iter().map(|window| cosine(window, &question)).collect();
    let (last, others) = scores.split_last().unwrap();
    assert!(others.iter().all(|other| last - other > 0.1), "{scores:?}");
}

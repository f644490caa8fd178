//! What an imported model gives, and when it refuses.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;

use icr_embed::{Embedder, Error, ImportOptions, OnnxEmbedder};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::importing::import;
use super::runtime_for;
use super::tiny_bert::{HIDDEN, TinyBert, WINDOW};

/// An imported model, and the runtime that runs it.
struct ImportedTestModel {
    _models: TempDir,
    directory: PathBuf,
    runtime: PathBuf,
}

impl ImportedTestModel {
    /// `None`, said aloud, without a runtime.
    fn new(test: &str, options: ImportOptions) -> Option<Self> {
        let runtime = runtime_for(test)?;
        let models = tempfile::tempdir().unwrap();
        let directory = import(&TinyBert::new(), models.path(), options).unwrap().directory;
        Some(Self { _models: models, directory, runtime })
    }

    fn open(&self) -> Result<OnnxEmbedder, Error> {
        OnnxEmbedder::open(&self.directory, Some(&self.runtime))
    }

    /// The message of what opening fails with, `expected` at its beginning after the model's directory.
    #[track_caller]
    fn refuses(&self, expected: &str) {
        let message = self.open().unwrap_err().to_string();
        let message = message.replace(&self.directory.display().to_string(), "$MODEL");
        assert!(message.starts_with(expected), "found    {message}\nexpected {expected}");
    }

    fn edit(&self, name: &str, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
        let path = self.directory.join(name);
        let contents = fs::read(&path).unwrap();
        fs::write(path, change(contents)).unwrap();
    }

    fn edit_text(&self, name: &str, from: &str, to: &str) {
        self.edit(name, |contents| {
            let text = String::from_utf8(contents).unwrap();
            assert!(text.contains(from), "{text}");
            text.replacen(from, to, 1).into_bytes()
        });
    }
}

#[test]
fn a_vector_has_length_one_and_depends_on_its_text_alone() {
    let Some(model) =
        ImportedTestModel::new("a_vector_has_length_one_and_depends_on_its_text_alone", ImportOptions::default())
    else {
        return;
    };
    let embedder = model.open().unwrap();
    let texts = ["read the config", "that is a happy person", "write { header }", "read the config"];
    let together = embedder.passages(&texts).unwrap();
    for (text, vectors) in texts.iter().zip(&together) {
        assert_eq!(vectors.len(), 1, "{text}");
        assert_eq!(vectors[0].len(), HIDDEN);
        let length: f32 = vectors[0].iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-5, "{text}: {length}");
        assert_eq!(embedder.passages(&[text]).unwrap()[0], *vectors);
        assert_eq!(embedder.question(text).unwrap(), vectors[0]);
    }
    assert_eq!(together[0], together[3]);
    assert_ne!(together[0], together[1]);
    assert_eq!(embedder.passages(&[]).unwrap(), Vec::<Vec<Vec<f32>>>::new());
}

#[test]
fn what_has_no_known_piece_gives_one_zero_vector() {
    let Some(model) = ImportedTestModel::new("what_has_no_known_piece_gives_one_zero_vector", ImportOptions::default())
    else {
        return;
    };
    let embedder = model.open().unwrap();
    for text in ["", " \n\t", "\u{0}\u{200d}", "🎉🎉 🎈", "公平锁"] {
        assert_eq!(embedder.question(text).unwrap(), [0.0; HIDDEN], "{text:?}");
        assert_eq!(embedder.passages(&[text]).unwrap(), [vec![vec![0.0; HIDDEN]]], "{text:?}");
    }
}

#[test]
fn long_passages_are_read_in_windows_and_long_questions_to_the_window_s_end() {
    let test = "long_passages_are_read_in_windows_and_long_questions_to_the_window_s_end";
    let Some(model) = ImportedTestModel::new(test, ImportOptions::default()) else { return };
    let embedder = model.open().unwrap();
    // Each word is one piece; two of the window are markers.
    let room = WINDOW - 2;
    let words = |total: usize| {
        let word = |at: usize| ["cache", "read", "write", "header", "config", "error", "day"][at * at % 11 % 7];
        (0..total).map(word).collect::<Vec<_>>().join(" ")
    };
    for (pieces, windows) in [(1, 1), (room, 1), (room + 1, 2), (200, 5)] {
        assert_eq!(embedder.passages(&[&words(pieces)]).unwrap()[0].len(), windows, "{pieces}");
    }
    assert_eq!(embedder.question(&words(10_000)).unwrap(), embedder.question(&words(room)).unwrap());
    assert_ne!(embedder.question(&words(room)).unwrap(), embedder.question(&words(room - 1)).unwrap());
    // The last window of a passage is the vector of its last words.
    let passage = words(room + 1);
    let last = passage.split(' ').skip((room + 1 - room / 2) / 2).collect::<Vec<_>>().join(" ");
    assert_eq!(embedder.passages(&[&passage]).unwrap()[0][1], embedder.question(&last).unwrap());
}

#[test]
fn prefixes_stand_before_questions_and_every_window() {
    let options = ImportOptions {
        query_prefix: Some("read : ".to_owned()),
        passage_prefix: Some("write : ".to_owned()),
        ..ImportOptions::default()
    };
    let Some(model) = ImportedTestModel::new("prefixes_stand_before_questions_and_every_window", options) else {
        return;
    };
    let embedder = model.open().unwrap();
    let Some(plain) =
        ImportedTestModel::new("prefixes_stand_before_questions_and_every_window", ImportOptions::default())
    else {
        return;
    };
    let plain = plain.open().unwrap();
    assert_eq!(embedder.question("sunny").unwrap(), plain.question("read : sunny").unwrap());
    assert_eq!(embedder.passages(&["sunny"]).unwrap(), plain.passages(&["write : sunny"]).unwrap());
    let long = "sunny ".repeat(WINDOW);
    let windows = embedder.passages(&[&long]).unwrap().remove(0);
    assert_eq!(windows.len(), 2);
    assert_eq!(windows[0], windows[1]);
}

#[test]
fn threads_get_the_vectors_that_one_gets() {
    let Some(model) = ImportedTestModel::new("threads_get_the_vectors_that_one_gets", ImportOptions::default()) else {
        return;
    };
    let embedder = model.open().unwrap();
    let texts: Vec<String> = (0..40).map(|at| format!("read header {at} and write config {}", at * 7)).collect();
    let alone: Vec<Vec<f32>> = texts.iter().map(|text| embedder.question(text).unwrap()).collect();
    let (threads, start) = (20, Barrier::new(20));
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (embedder, texts, alone, start) = (&embedder, &texts, &alone, &start);
            scope.spawn(move || {
                start.wait();
                for at in (thread % 7..texts.len()).step_by(7) {
                    assert_eq!(embedder.question(&texts[at]).unwrap(), alone[at]);
                }
            });
        }
    });
}

#[test]
fn a_model_that_was_checked_is_checked_again_when_a_file_was_touched() {
    let test = "a_model_that_was_checked_is_checked_again_when_a_file_was_touched";
    let Some(model) = ImportedTestModel::new(test, ImportOptions::default()) else { return };
    let checked = model.directory.join("checked.json");
    let first = fs::read_to_string(&checked).unwrap();
    let agreement = model.open().unwrap().agreement();
    assert!(agreement.is_some_and(|(lowest, mean)| lowest >= 0.98 && mean >= lowest));
    assert_eq!(fs::read_to_string(&checked).unwrap(), first);

    // One bit of one weight, the length as before.
    model.edit("model.onnx", |mut contents| {
        let middle = contents.len() / 2;
        contents[middle] ^= 1;
        contents
    });
    model.refuses("$MODEL/model.onnx: its SHA-256 is ");
    model.edit("model.onnx", |mut contents| {
        let middle = contents.len() / 2;
        contents[middle] ^= 1;
        contents
    });
    fs::remove_file(&checked).unwrap();
    assert_eq!(model.open().unwrap().agreement(), agreement);
    assert!(checked.exists());
}

#[test]
fn vectors_that_are_not_those_of_the_weights_are_refused_with_the_numbers() {
    let test = "vectors_that_are_not_those_of_the_weights_are_refused_with_the_numbers";
    let Some(model) = ImportedTestModel::new(test, ImportOptions::default()) else { return };
    let digest = |contents: &[u8]| icr_model::hexadecimal(&Sha256::digest(contents));
    let old = fs::read(model.directory.join("reference.json")).unwrap();
    let mut reference: serde_json::Value = serde_json::from_slice(&old).unwrap();
    for number in reference["texts"][1]["vector"].as_array_mut().unwrap() {
        *number = serde_json::json!(-number.as_f64().unwrap());
    }
    let new = serde_json::to_vec(&reference).unwrap();
    fs::write(model.directory.join("reference.json"), &new).unwrap();
    model.edit_text("model.json", &digest(&old), &digest(&new));
    model.edit_text("model.json", &format!("\"bytes\": {}", old.len()), &format!("\"bytes\": {}", new.len()));
    model.refuses(
        "the model `tiny` gives a vector for `That is a very happy person` whose cosine with that of its weights is -1.0000; \
         it should be at least 0.98",
    );
}

#[test]
fn damaged_models_are_refused_by_file() {
    let open = || ImportedTestModel::new("damaged_models_are_refused_by_file", ImportOptions::default());
    let Some(model) = open() else { return };
    model.edit("model.onnx", |contents| contents[..contents.len() - 1].to_vec());
    model.refuses("$MODEL/model.onnx: has ");
    fs::remove_file(model.directory.join("vocab.txt")).unwrap();
    fs::remove_file(model.directory.join("model.onnx")).unwrap();
    model.refuses("$MODEL/model.onnx: cannot be read: ");
    fs::create_dir(model.directory.join("model.onnx")).unwrap();
    model.refuses("$MODEL/model.onnx: should be a file; import the model again");
    for (from, to, expected) in [
        ("\"format\": 1", "\"format\": 2", "its format is 2, this program reads 1; import the model again"),
        ("\"dims\": 64", "\"dims\": 8", "`dims` is 8; it should be 64 to 4096"),
        ("\"window\": 72", "\"window\": 2", "`window` is 2; it should be 16 to 1048576"),
        ("\"mean\"", "\"max\"", "does not describe a model: unknown variant `max`, expected `mean` or `first`"),
        ("\"vocab.txt\"", "\"../vocab.txt\"", "does not list `vocab.txt`; import the model again"),
        ("\"reference.json\"", "\"../reference.json\"", "lists `../reference.json`; a model's files stand beside it"),
    ] {
        let model = open().unwrap();
        model.edit_text("model.json", from, to);
        model.refuses(&format!("$MODEL/model.json: {expected}"));
    }
    // Dimensions that do not match what the graph gives.
    let model = open().unwrap();
    fs::remove_file(model.directory.join("checked.json")).unwrap();
    model.edit_text("model.json", "\"dims\": 64", "\"dims\": 128");
    model.refuses("$MODEL/reference.json: a vector has 64 numbers, should have 128; import the model again");
    let model = open().unwrap();
    model.edit_text("model.json", "\"dims\": 64", "\"dims\": 128");
    let error = model.open().unwrap().question("sunny").unwrap_err().to_string();
    assert_eq!(error, "the model `tiny` gives the shape [1, 64] for 3 tokens, not [1, 128]");
    let model = open().unwrap();
    model.edit_text("model.json", "\"output\": \"sentence_embedding\"", "\"output\": \"logits\"");
    model.refuses(
        "$MODEL/model.onnx: has the inputs [\"input_ids\", \"attention_mask\"] and outputs [\"sentence_embedding\"];",
    );
    let model = open().unwrap();
    model.edit_text("model.json", "\"query_prefix\": \"\"", &format!("\"query_prefix\": \"{}\"", "cache ".repeat(60)));
    model.refuses("$MODEL/model.json: `query_prefix` has 60 pieces; at most half of the window of 72 should be");
}

#[test]
fn a_graph_that_the_runtime_does_not_take_is_an_error() {
    let test = "a_graph_that_the_runtime_does_not_take_is_an_error";
    let Some(model) = ImportedTestModel::new(test, ImportOptions::default()) else { return };
    model.edit("model.onnx", |contents| vec![0; contents.len()]);
    model.refuses("$MODEL/model.onnx: ONNX Runtime 1.");
}

#[test]
fn a_library_that_is_no_runtime_is_an_error_and_no_second_runtime_is_loaded() {
    let test = "a_library_that_is_no_runtime_is_an_error_and_no_second_runtime_is_loaded";
    let Some(model) = ImportedTestModel::new(test, ImportOptions::default()) else { return };
    let refuse = |path: &Path, expected: &str| match OnnxEmbedder::open(&model.directory, Some(path)).unwrap_err() {
        Error::Runtime { path: named, reason } => {
            assert_eq!(named, path);
            assert!(reason.starts_with(expected), "{reason}");
        }
        other => panic!("{other}"),
    };
    let path = model.directory.join("libonnxruntime.so");
    refuse(&path, "there is no such file");
    fs::write(&path, "text").unwrap();
    refuse(&path, "cannot be loaded: ");
    fs::copy(&model.runtime, &path).unwrap();
    refuse(&path, &format!("{} is in use by this process, which can have one", model.runtime.display()));
    model.open().unwrap();
}

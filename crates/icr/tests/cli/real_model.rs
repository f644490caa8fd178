//! A trained model and the library that runs it: imported, chosen, stopped in the middle, exchanged.
//!
//! `ICR_TEST_MODEL_SOURCE` names the model's directory and `ICR_TEST_RUNTIME` the library; `scripts/model-from-packages` of
//! icr-embed gets both. Without them these tests are skipped, under continuous integration they fail.

use std::fmt::Write;

use icr_fixture::{Fixture, path_from};

use crate::run::Icr;

/// Chunks that are read between two commits.
const COMMITTED: u64 = 256;

/// A repository of `files` files of one chunk each, where the model is imported as `mini` and can run; `None`, said aloud, where
/// there is no model.
fn with_model(test: &str, files: u64) -> Option<(Fixture, Icr)> {
    let (source, runtime) = (path_from("ICR_TEST_MODEL_SOURCE", test)?, path_from("ICR_TEST_RUNTIME", test)?);
    let mut text = String::new();
    for number in 0..files {
        let _ = write!(text, "//- f{number}.rs\n/// Opens door {number}.\npub fn open_{number}() {{}}\n");
    }
    let fixture = Fixture::new(&text);
    let icr = Icr::new(&fixture).with_variable("ICR_EMBEDDING__RUNTIME_PATH", runtime.to_str()?);
    let imported = icr.json(&["model", "import", source.to_str()?, "--name", "mini"]);
    assert_eq!((&imported["model"]["dims"], &imported["check"]["state"]), (&384.into(), &"agrees".into()));
    icr.prints(&["model", "use", "mini"]);
    Some((fixture, icr))
}

/// Embedded and left by one run of `icr index`.
#[track_caller]
fn fills(icr: &Icr, args: &[&str]) -> (u64, u64) {
    let indexed = icr.json(&[&["index"], args].concat());
    assert_eq!(indexed["provenance"]["gaps"], serde_json::json!([]));
    let count = |name: &str| indexed["fill"][name].as_u64().unwrap_or_else(|| panic!("no {name} in {indexed}"));
    (count("embedded"), count("left"))
}

/// Chunks that `model` has read.
#[track_caller]
fn covered(icr: &Icr, model: &str) -> u64 {
    let status = icr.json(&["model", "status"]);
    let spaces = status["vectors"].as_array().expect("a list of spaces");
    let space = spaces.iter().find(|space| space["model"] == model).unwrap_or_else(|| panic!("no {model} in {status}"));
    space["chunks_covered"].as_u64().expect("a count")
}

#[test]
fn a_run_that_is_stopped_goes_on_where_it_was() {
    const FILES: u64 = 400;
    let Some((_fixture, icr)) = with_model("a_run_that_is_stopped_goes_on_where_it_was", FILES) else { return };
    assert_eq!(fills(&icr, &["--fill", "0s"]), (0, FILES));
    assert!(icr.json(&["index", "--no-fill"])["fill"].is_null());
    let killed = icr.with_variable("ICR_TEST_DIE_AT", "filling").command(&["index", "--fill", "all"]).output().unwrap();
    assert_eq!(killed.status.code(), None, "it was killed after the first commit");
    assert_eq!(covered(&icr, "mini"), COMMITTED);
    assert_eq!(fills(&icr, &["--fill", "all"]), (FILES - COMMITTED, 0), "nothing is read twice");
    assert_eq!(fills(&icr, &[]), (0, 0));
    assert_eq!((covered(&icr, "mini"), covered(&icr, "static")), (FILES, FILES));
}

#[test]
fn models_are_exchanged_without_reading_anything_again() {
    let Some((_fixture, icr)) = with_model("models_are_exchanged_without_reading_anything_again", 4) else { return };
    assert_eq!(fills(&icr, &["--fill", "all"]), (4, 0));
    let source = std::env::var("ICR_TEST_MODEL_SOURCE").expect("it was asked for above");
    icr.prints(&["model", "import", &source, "--name", "other"]);
    icr.prints(&["model", "use", "other"]);
    assert_eq!(fills(&icr, &["--fill", "all"]), (4, 0), "vectors of two models are never mixed");
    icr.prints(&["model", "use", "mini"]);
    assert_eq!(fills(&icr, &["--fill", "all"]), (0, 0));
    assert_eq!(icr.json(&["index", "--no-embeddings"])["fill"]["embedded"], 0);
    let listed = icr.json(&["model", "list"]);
    let in_use: Vec<_> = listed["models"].as_array().unwrap().iter().filter(|row| row["in_use"] == true).collect();
    assert_eq!(in_use.iter().map(|row| row["name"].as_str().unwrap()).collect::<Vec<_>>(), ["static", "mini"]);
    assert_eq!(icr.finds(&["open_3"])[0], "f3.rs");
}

//! Models are imported, refused, run.
//!
//! What needs a runtime uses the library that `ICR_TEST_RUNTIME` names, and what needs trained weights the directory that
//! `ICR_TEST_MODEL_SOURCE` names; `scripts/model-from-packages` gets both. Without them those tests say that they were skipped.

mod bad_sources;
mod embedding;
mod importing;
mod real_model;
mod tiny_bert;

use std::path::PathBuf;

/// The library that a test runs models with; `None`, said aloud, when none was named.
fn runtime_for(test: &str) -> Option<PathBuf> {
    variable("ICR_TEST_RUNTIME", test)
}

/// The value of a variable, as a path; `None`, said aloud, when it is not set.
fn variable(name: &str, test: &str) -> Option<PathBuf> {
    let path = std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    if path.is_none() {
        eprintln!("{test} was skipped: {name} is not set; scripts/model-from-packages says what to set it to");
    }
    path
}

/// The cosine of two vectors of length 1.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

//! Models are imported, refused, run.
//!
//! What needs a runtime uses the library that `ICR_TEST_RUNTIME` names, and what needs trained weights the directory that
//! `ICR_TEST_MODEL_SOURCE` names; `scripts/model-from-packages` gets both. Without them those tests are skipped, under continuous integration they fail.

#![expect(clippy::disallowed_methods, reason = "the environment says what a machine has to test with")]

mod bad_sources;
mod embedding;
mod importing;
mod real_model;
mod tiny_bert;

use std::path::PathBuf;

use icr_fixture::path_from;

/// The library that a test runs models with; `None`, said aloud, when none was named.
fn runtime_for(test: &str) -> Option<PathBuf> {
    path_from("ICR_TEST_RUNTIME", test)
}

/// The cosine of two vectors of length 1.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

//! What reading the first candidates again changes.

use icr_model::{RepoPath, SymbolKind};

use super::*;
use crate::FileKind;
use crate::{ChunkEvidence, QueryEvidence, QueryShape, Weights, rank};

struct NoVectors(Vec<f64>);

impl WordVectors for NoVectors {
    fn nearness(&mut self, _: &str) -> &[f64] {
        &self.0
    }

    fn are_there(&self) -> bool {
        false
    }
}

/// Files with what they say and a definition each; the order before and after reading them again.
#[track_caller]
fn check(query: &str, files: &[(&str, f64, &str)], expected: &[&str]) {
    let evidence: Vec<FileEvidence> = files
        .iter()
        .map(|(path, text, _)| {
            let path = RepoPath::from(*path);
            let kind = FileKind::of(&path);
            let chunk = |at| ChunkEvidence { fields: [*text, 0.0, 0.0], matched: 1, ..ChunkEvidence::new(at) };
            // Many where the name says so: how many there are is a feature.
            let chunks = if path.as_bytes().starts_with(b"long") { 8 } else { 1 };
            FileEvidence { chunks: (0..chunks).map(chunk).collect(), lines_total: 10, ..FileEvidence::new(path, kind) }
        })
        .collect();
    let shape = QueryEvidence { shape: QueryShape::of(query), path_rarities: Vec::new() };
    let mut ranked = rank(&evidence, &shape, &Weights::lexical());
    let before: Vec<f64> = ranked.iter().map(|ranked| ranked.score).collect();
    let of_file = |ranked: &RankedFile| RerankFile { definitions: vec![(SymbolKind::Class, files[ranked.file].2)] };
    let read: Vec<RerankFile<'_>> = ranked.iter().map(of_file).collect();
    let question = RerankQuestion::of(query, |_| 1.0);
    let zeros = vec![0.0; question.words().len()];
    rerank(&mut ranked, &evidence, &question, &read, &mut NoVectors(zeros));
    let order: Vec<&str> = ranked.iter().map(|ranked| files[ranked.file].0).collect();
    assert_eq!(order, expected, "{query}");
    let after: Vec<f64> = ranked.iter().map(|ranked| ranked.score).collect();
    assert_eq!(after, before, "the scores stay where they were");
    let is_asked = question.words().len() > 0;
    assert!(ranked.iter().all(|ranked| ranked.read_again.is_some() == is_asked));
}

#[test]
fn the_definition_that_the_words_name_comes_first() {
    let files = [("quay.rs", 1.0, "Quay"), ("gate.rs", 0.95, "LockGate")];
    check("how the lock gate opens", &files, &["gate.rs", "quay.rs"]);
    check("how the quay is built", &files, &["quay.rs", "gate.rs"]);
}

#[test]
fn a_name_that_is_said_in_another_form_comes_first() {
    let files = [("a/quay.rs", 1.0, "A"), ("a/serializer.rs", 0.95, "B")];
    check("serialization of ships", &files, &["a/serializer.rs", "a/quay.rs"]);
}

#[test]
fn what_says_much_more_stays_first() {
    check("the lock gate", &[("quay.rs", 1.0, "Quay"), ("gate.rs", 0.1, "Gate")], &["quay.rs", "gate.rs"]);
}

#[test]
fn a_question_without_words_changes_nothing() {
    check("lock", &[], &[]);
    let files = [("long.rs", 1.0, "A"), ("b.rs", 0.98, "B")];
    check("???", &files, &["long.rs", "b.rs"]);
    check("лодка", &files, &["long.rs", "b.rs"]);
}

//! Scans against brute force, and states reached in different ways against each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use icr_model::{ChunkNo, LiveSet};
use icr_vector::{MemoryVectors, Nearest, Space, VectorEncoding, VectorReader};
use proptest::prelude::*;

use super::{clustered, cosine, live, open, put, reader, space};

/// What is nearest by comparing every live chunk.
fn by_hand(
    reader: &VectorReader,
    space: &Space,
    question: &[f32],
    live: &LiveSet,
    limit: usize,
) -> Vec<(ChunkNo, f32)> {
    let chunks: Vec<ChunkNo> = live.iter().map(ChunkNo).collect();
    let similarities = reader.similarities(space.recipe, question, &chunks).unwrap();
    let is_zero = |chunk: &ChunkNo| {
        let windows = reader.windows(space.recipe, *chunk).unwrap();
        windows.iter().flatten().all(|x| *x == 0.0)
    };
    let mut all: Vec<(ChunkNo, f32)> = chunks
        .iter()
        .zip(similarities)
        .filter_map(|(chunk, similarity)| Some((*chunk, similarity?)))
        .filter(|(chunk, _)| !is_zero(chunk))
        .collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    if limit == 0 || question.iter().all(|x| *x == 0.0) {
        return Vec::new();
    }
    if let Some((_, last)) = all.get(limit - 1).copied() {
        all.retain(|(_, similarity)| *similarity >= last);
    }
    all
}

#[track_caller]
fn check(reader: &VectorReader, space: &Space, question: &[f32], live: &LiveSet, limit: usize) -> Nearest {
    let nearest = reader.nearest(space.recipe, question, live, limit).unwrap();
    assert_eq!(nearest.chunks, by_hand(reader, space, question, live, limit));
    assert!(!nearest.is_approximate);
    nearest
}

#[test]
fn what_a_scan_finds_is_what_comparing_all_finds() {
    for (form, dims) in [(VectorEncoding::Scaled, 64), (VectorEncoding::ScaledAndHalf, 48)] {
        let directory = tempfile::tempdir().unwrap();
        let (vectors, space) = (open(directory.path()), space(dims, form));
        let rows = clustered(3_000, usize::from(dims), 1);
        put(&vectors, &space, 0, &rows);
        let reader = reader(&vectors);
        for question in clustered(40, usize::from(dims), 2).iter().chain(&rows[..40]) {
            let nearest = check(&reader, &space, question, &live(0..3_000), 20);
            assert_eq!(nearest.rows_scanned, 3_000);
            assert!(nearest.chunks_scored < 1_500, "{form:?}: {} of 3000 scored", nearest.chunks_scored);
            check(&reader, &space, question, &live(700..1_900), 3);
        }
    }
}

#[test]
fn recall_at_20_against_the_vectors_as_given_is_whole() {
    for (form, least) in [(VectorEncoding::Scaled, 0.95), (VectorEncoding::ScaledAndHalf, 1.0)] {
        let directory = tempfile::tempdir().unwrap();
        let (vectors, space) = (open(directory.path()), space(64, form));
        let rows = clustered(3_000, 64, 3);
        put(&vectors, &space, 0, &rows);
        let (reader, mut found) = (reader(&vectors), 0);
        let questions = clustered(25, 64, 4);
        for question in &questions {
            let mut exact: Vec<u32> = (0..3_000).collect();
            let score = |chunk: &u32| cosine(question, &rows[*chunk as usize]);
            exact.sort_by(|a, b| score(b).total_cmp(&score(a)));
            let nearest = reader.nearest(space.recipe, question, &live(0..3_000), 20).unwrap();
            found += nearest.chunks.iter().filter(|(chunk, _)| exact[..20].contains(&chunk.0)).count();
        }
        let recall = found as f64 / (20 * questions.len()) as f64;
        assert!(recall >= least, "{form:?}: {recall}");
    }
}

#[test]
fn similarities_are_cosines_of_what_was_given() {
    for (form, most) in [(VectorEncoding::Scaled, 0.01), (VectorEncoding::ScaledAndHalf, 0.0005)] {
        let directory = tempfile::tempdir().unwrap();
        let (vectors, space) = (open(directory.path()), space(96, form));
        let rows = clustered(50, 96, 5);
        put(&vectors, &space, 0, &rows);
        let (reader, chunks) = (reader(&vectors), [49, 0, 7, 50, 7].map(ChunkNo));
        let similarities = reader.similarities(space.recipe, &rows[3], &chunks).unwrap();
        assert_eq!(similarities[3], None);
        for (chunk, similarity) in chunks.iter().zip(similarities).filter(|(chunk, _)| chunk.0 < 50) {
            let exact = cosine(&rows[3], &rows[chunk.0 as usize]);
            assert!((f64::from(similarity.unwrap()) - exact).abs() < most, "{form:?} {similarity:?} {exact}");
        }
    }
}

#[test]
fn all_that_tie_with_the_last_are_returned() {
    let directory = tempfile::tempdir().unwrap();
    let (vectors, space) = (open(directory.path()), space(2, VectorEncoding::Scaled));
    let rows: Vec<Vec<f32>> = [[1.0, 0.0], [0.0, 1.0], [0.0, 3.0], [0.0, 0.5], [-1.0, 0.0]].map(Vec::from).to_vec();
    put(&vectors, &space, 0, &rows);
    let nearest = |limit| {
        let nearest = reader(&vectors).nearest(space.recipe, &[1.0, 0.0], &live(0..5), limit).unwrap();
        nearest.chunks.iter().map(|(chunk, cosine)| format!("{}={cosine}", chunk.0)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(nearest(0), "");
    assert_eq!(nearest(1), "0=1");
    assert_eq!(nearest(2), "0=1 1=0 2=0 3=0");
    assert_eq!(nearest(4), "0=1 1=0 2=0 3=0");
    assert_eq!(nearest(5), "0=1 1=0 2=0 3=0 4=-1");
    assert_eq!(nearest(usize::MAX), "0=1 1=0 2=0 3=0 4=-1");
}

#[test]
fn memory_and_disk_score_alike() {
    for form in [VectorEncoding::Scaled, VectorEncoding::ScaledAndHalf] {
        let directory = tempfile::tempdir().unwrap();
        let (vectors, space) = (open(directory.path()), space(32, form));
        let rows = clustered(40, 32, 6);
        put(&vectors, &space, 0, &rows[..20]);
        let first = ChunkNo::FIRST_IN_MEMORY;
        let windows: Vec<[&[f32]; 1]> = rows.iter().map(|row| [row.as_slice()]).collect();
        let mut memory = MemoryVectors::default();
        memory.add(&space, (0..40).map(|at| (ChunkNo(first + at), windows[at as usize].as_slice()))).unwrap();
        let memory = Arc::new(memory);
        let both = vectors.reader(Some(Arc::clone(&memory))).unwrap();
        let alone = VectorReader::of_memory(memory);
        let all = LiveSet::from_numbers((0..20).chain(first..first + 40));
        check(&both, &space, &rows[2], &all, 7);
        let scores = |reader: &VectorReader, live: LiveSet| {
            let nearest = reader.nearest(space.recipe, &rows[30], &live, 9).unwrap();
            nearest.chunks.iter().map(|(chunk, cosine)| (chunk.0 % first, *cosine)).collect::<Vec<_>>()
        };
        assert_eq!(scores(&both, live(0..20)), scores(&alone, live(first..first + 20)));
        assert_eq!(both.count_covered(space.recipe, &all).unwrap(), 60);
        let windows = |chunk| both.windows(space.recipe, ChunkNo(chunk)).unwrap();
        assert_eq!(windows(first + 3), windows(3));
    }
}

/// Components from few values, so that ties, zero vectors and equal vectors are common.
fn component() -> impl Strategy<Value = f32> {
    prop::sample::select(vec![-1.0, 0.0, 0.0, 0.5, 1.0])
}

#[derive(Debug, Clone)]
enum Step {
    Put(u32, Vec<Vec<f32>>),
    Delete(Vec<u32>),
    Commit,
}

fn step() -> impl Strategy<Value = Step> {
    let chunk = || prop_oneof![0..6_u32, 508..516_u32, 3_000..3_003_u32];
    let windows = prop::collection::vec(prop::collection::vec(component(), 3), 1..4);
    prop_oneof![
        4 => (chunk(), windows).prop_map(|(chunk, windows)| Step::Put(chunk, windows)),
        1 => prop::collection::vec(chunk(), 1..5).prop_map(Step::Delete),
        2 => Just(Step::Commit),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_past_of_a_store_does_not_show(
        steps in prop::collection::vec(step(), 1..25),
        question in prop::collection::vec(component(), 3),
        limit in 0..9_usize,
        halves in any::<bool>(),
    ) {
        let space = space(3, if halves { VectorEncoding::ScaledAndHalf } else { VectorEncoding::Scaled });
        let directory = tempfile::tempdir().unwrap();
        let (old, fresh) = (open(&directory.path().join("old")), open(&directory.path().join("fresh")));
        let mut model: BTreeMap<u32, Vec<Vec<f32>>> = BTreeMap::new();
        let mut writer = old.writer().unwrap();
        for step in steps {
            match step {
                Step::Put(chunk, windows) => {
                    let slices: Vec<&[f32]> = windows.iter().map(Vec::as_slice).collect();
                    writer.write_chunk(&space, ChunkNo(chunk), u128::from(chunk % 4), &slices).unwrap();
                    model.insert(chunk, windows);
                }
                Step::Delete(chunks) => {
                    chunks.iter().for_each(|chunk| drop(model.remove(chunk)));
                    writer.delete_chunks(&LiveSet::from_numbers(chunks));
                }
                Step::Commit => drop(writer.commit(0).unwrap()),
            }
        }
        writer.commit(0).unwrap();
        let mut writer = fresh.writer().unwrap();
        for (chunk, windows) in &model {
            let slices: Vec<&[f32]> = windows.iter().map(Vec::as_slice).collect();
            writer.write_chunk(&space, ChunkNo(*chunk), u128::from(chunk % 4), &slices).unwrap();
        }
        writer.commit(0).unwrap();

        let (old, fresh) = (reader(&old), reader(&fresh));
        let all = LiveSet::from_numbers((0..10).chain(500..520).chain(2_990..3_010));
        for live in [all.clone(), LiveSet::from_numbers([1, 2, 509, 512, 3_001])] {
            let nearest = check(&old, &space, &question, &live, limit);
            prop_assert_eq!(&nearest.chunks, &fresh.nearest(space.recipe, &question, &live, limit).unwrap().chunks);
            let covered = model.keys().filter(|chunk| live.contains(**chunk)).count() as u64;
            prop_assert_eq!(old.count_covered(space.recipe, &live).unwrap(), covered);
            prop_assert_eq!(old.missing(space.recipe, &live).unwrap().len(), live.len() - covered);
        }
        for (chunk, windows) in &model {
            prop_assert_eq!(old.windows(space.recipe, ChunkNo(*chunk)).unwrap().len(), windows.len());
        }
        for content in 0..4 {
            if let Some(chunk) = old.chunk_with(space.recipe, content).unwrap() {
                prop_assert!(halves && model.contains_key(&chunk.0) && u128::from(chunk.0 % 4) == content);
            }
        }
        let total: usize = model.values().map(Vec::len).sum();
        prop_assert_eq!(old.spaces().unwrap().iter().map(|space| space.rows).sum::<u64>(), total as u64);
    }
}

//! Trees: what they may miss, what they must not, and that they do not depend on numbers.

use icr_model::{ChunkNo, LiveSet};
use icr_vector::{IndexUse, Nearest, Options, Space, VectorEncoding, Vectors};

use super::{clustered, live, put, reader, space};

const ROWS: u32 = 4_000;

fn open(directory: &std::path::Path, index: IndexUse) -> Vectors {
    Vectors::open(directory, Options { index, ..Options::default() }).unwrap()
}

fn build(vectors: &Vectors, space: &Space) -> u64 {
    let mut writer = vectors.writer().unwrap();
    writer.build_index(space.recipe);
    writer.commit(0).unwrap().rows_indexed
}

fn nearest(vectors: &Vectors, space: &Space, question: &[f32], live: &LiveSet) -> Nearest {
    reader(vectors).nearest(space.recipe, question, live, 20).unwrap()
}

#[test]
fn recall_at_20_is_above_095_and_scores_are_exact() {
    for form in [VectorEncoding::Scaled, VectorEncoding::ScaledAndHalf] {
        let directory = tempfile::tempdir().unwrap();
        let space = space(32, form);
        let [trees, scan] = [IndexUse::Arroy, IndexUse::Scan].map(|index| open(directory.path(), index));
        put(&trees, &space, 0, &clustered(ROWS as usize, 32, 1));
        assert_eq!(build(&trees, &space), u64::from(ROWS));
        let (mut found, mut scanned) = (0, 0);
        let questions = clustered(50, 32, 2);
        for question in &questions {
            let (near, exact) =
                (nearest(&trees, &space, question, &live(0..ROWS)), nearest(&scan, &space, question, &live(0..ROWS)));
            assert!(near.is_approximate && !exact.is_approximate);
            found += near.chunks.iter().filter(|chunk| exact.chunks.contains(chunk)).count();
            scanned += near.rows_scanned;
        }
        let recall = found as f64 / (20 * questions.len()) as f64;
        assert!(recall >= 0.95, "{form:?}: {recall}");
        assert_eq!(scanned, 0);
    }
}

#[test]
fn numbers_and_the_order_of_writing_change_nothing() {
    let (space, rows) = (space(32, VectorEncoding::Scaled), clustered(ROWS as usize, 32, 3));
    // 7 and 4000 have no common divisor, so this is a permutation.
    let other = |chunk: u32| chunk * 7 % ROWS;
    let directories = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [plain, permuted] = directories.each_ref().map(|directory| open(directory.path(), IndexUse::Arroy));
    put(&plain, &space, 0, &rows);
    let mut permuted_rows = rows.clone();
    rows.iter().zip(0..).for_each(|(row, chunk)| permuted_rows[other(chunk) as usize].clone_from(row));
    put(&permuted, &space, 2_000, &permuted_rows[2_000..]);
    put(&permuted, &space, 0, &permuted_rows[..2_000]);
    for vectors in [&plain, &permuted] {
        build(vectors, &space);
    }
    for question in clustered(50, 32, 4) {
        let numbered = |chunks: &[(ChunkNo, f32)], number: &dyn Fn(u32) -> u32| {
            let mut chunks: Vec<_> = chunks.iter().map(|(chunk, cosine)| (cosine.to_bits(), number(chunk.0))).collect();
            chunks.sort_unstable();
            chunks
        };
        let all = live(0..ROWS);
        assert_eq!(
            numbered(&nearest(&plain, &space, &question, &all).chunks, &other),
            numbered(&nearest(&permuted, &space, &question, &all).chunks, &|chunk| chunk),
        );
    }
}

#[test]
fn what_came_and_went_since_the_trees_were_built_is_seen() {
    let directory = tempfile::tempdir().unwrap();
    let (vectors, space) = (open(directory.path(), IndexUse::Arroy), space(32, VectorEncoding::ScaledAndHalf));
    let rows = clustered(ROWS as usize, 32, 5);
    put(&vectors, &space, 0, &rows);
    build(&vectors, &space);
    let question = &rows[17];
    assert_eq!(nearest(&vectors, &space, question, &live(0..ROWS)).chunks[0].0, ChunkNo(17));
    // Another chunk has the same vector, 17 has another, and 34 is gone.
    put(&vectors, &space, ROWS, std::slice::from_ref(question));
    put(&vectors, &space, 17, &[question.iter().map(|x| -x).collect()]);
    let mut writer = vectors.writer().unwrap();
    writer.delete_chunks(&live(34..35));
    writer.commit(0).unwrap();
    let all = live(0..ROWS + 1);
    let near = nearest(&vectors, &space, question, &all);
    assert!(near.is_approximate);
    assert_eq!(near.rows_scanned, 2);
    assert_eq!(near.chunks[0], (ChunkNo(ROWS), 1.0));
    assert!(!near.chunks.iter().any(|(chunk, _)| [17, 34].contains(&chunk.0)));
    assert_eq!(nearest(&vectors, &space, &rows[34], &all).chunks.iter().find(|(chunk, _)| chunk.0 == 34), None);
    let known = |vectors: &Vectors| reader(vectors).spaces().unwrap()[0].chunks_indexed;
    assert_eq!(known(&vectors), Some(u64::from(ROWS) - 2));
    // Built again, they know all.
    build(&vectors, &space);
    assert_eq!(nearest(&vectors, &space, question, &all).rows_scanned, 0);
    assert_eq!(known(&vectors), Some(u64::from(ROWS)));
    let mut writer = vectors.writer().unwrap();
    writer.drop_space(space.recipe);
    writer.commit(0).unwrap();
    assert!(reader(&vectors).spaces().unwrap().is_empty());
}

#[test]
fn only_live_chunks_are_near_and_few_are_scanned_instead() {
    let directory = tempfile::tempdir().unwrap();
    let (vectors, space) = (open(directory.path(), IndexUse::Arroy), space(32, VectorEncoding::Scaled));
    put(&vectors, &space, 0, &clustered(ROWS as usize, 32, 6));
    build(&vectors, &space);
    let question = &clustered(1, 32, 7)[0];
    let most = nearest(&vectors, &space, question, &live(1_000..ROWS));
    assert!(most.is_approximate && most.chunks.iter().all(|(chunk, _)| chunk.0 >= 1_000));
    let few = nearest(&vectors, &space, question, &live(3_000..ROWS));
    assert!(!few.is_approximate && few.chunks.iter().all(|(chunk, _)| chunk.0 >= 3_000));
    assert_eq!(few.rows_scanned, 1_000);
}

#[test]
fn trees_are_asked_above_the_crossover() {
    let directory = tempfile::tempdir().unwrap();
    let space = space(16, VectorEncoding::Scaled);
    let at = |crossover| {
        let options = Options { index: IndexUse::Auto, crossover, ..Options::default() };
        Vectors::open(directory.path(), options).unwrap()
    };
    put(&at(0), &space, 0, &clustered(600, 16, 8));
    let question = &clustered(1, 16, 9)[0];
    let is_approximate = |crossover| nearest(&at(crossover), &space, question, &live(0..600)).is_approximate;
    assert!(!is_approximate(0), "there are no trees yet");
    build(&at(0), &space);
    assert_eq!([600, 601].map(is_approximate), [true, false]);
}

#[test]
fn equal_vectors_are_one_item_and_all_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let (vectors, space) = (open(directory.path(), IndexUse::Arroy), space(2, VectorEncoding::Scaled));
    let mut rows = vec![vec![1.0, 0.0]; 700];
    rows.extend(vec![vec![0.0, 0.0]; 5]);
    rows.push(vec![0.0, 1.0]);
    put(&vectors, &space, 0, &rows);
    assert_eq!(build(&vectors, &space), 2);
    let near = nearest(&vectors, &space, &[1.0, 0.1], &live(0..800));
    assert!(near.is_approximate);
    assert_eq!(near.chunks.len(), 700);
}

#[test]
fn a_space_of_nothing_can_have_trees() {
    let directory = tempfile::tempdir().unwrap();
    let (vectors, space) = (open(directory.path(), IndexUse::Arroy), space(2, VectorEncoding::Scaled));
    assert_eq!(build(&vectors, &space), 0, "there is no such space");
    put(&vectors, &space, 0, &[vec![0.0, 0.0]]);
    assert_eq!(build(&vectors, &space), 0);
    assert_eq!(nearest(&vectors, &space, &[1.0, 0.0], &live(0..1)).chunks, []);
}

//! Vectors on disk as a caller sees them.

#![expect(clippy::disallowed_methods, reason = "some tests kill a process of their own")]

mod child;
mod damage;
mod exact;
mod store;
mod trees;

use std::path::Path;

use icr_model::{ChunkNo, LiveSet, Recipe};
use icr_vector::{Options, Space, VectorEncoding, VectorReader, Vectors};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A space of the given form that keeps digests where vectors are dear.
pub(crate) fn space(dims: u16, form: VectorEncoding) -> Space {
    Space { recipe: Recipe(u128::from(dims) + 7), dims, form, by_content: form == VectorEncoding::ScaledAndHalf }
}

/// A small map, so that tests grow it now and then.
pub(crate) fn open(directory: &Path) -> Vectors {
    Vectors::open(directory, Options { map_bytes: 256 << 10, ..Options::default() }).expect("a directory of our own")
}

pub(crate) fn reader(vectors: &Vectors) -> VectorReader {
    vectors.reader(None).expect("few readers are open")
}

/// Chunks `first..` with one window each.
pub(crate) fn put(vectors: &Vectors, space: &Space, first: u32, rows: &[Vec<f32>]) {
    let mut writer = vectors.writer().expect("vectors opened to write");
    for (chunk, row) in (first..).zip(rows) {
        writer.write_chunk(space, ChunkNo(chunk), u128::from(chunk), &[row]).expect("finite vectors of the space");
    }
    writer.commit(0).expect("a directory of our own");
}

/// The numbers of `range`, live.
pub(crate) fn live(range: std::ops::Range<u32>) -> LiveSet {
    LiveSet::from_numbers(range)
}

/// Unit vectors in clusters, as embeddings are: as many clusters as the root of their number.
pub(crate) fn clustered(rows: usize, dims: usize, seed: u64) -> Vec<Vec<f32>> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut vector = |center: Option<&Vec<f32>>| -> Vec<f32> {
        // The sum of a few uniform numbers is near enough to a normal one.
        let row = (0..dims).map(|_| (0..4).map(|_| random.random_range(-1.0_f32..1.0)).sum::<f32>());
        match center {
            Some(center) => row.zip(center).map(|(x, y)| x * 0.5 + y).collect(),
            None => row.collect(),
        }
    };
    let centers: Vec<Vec<f32>> = (0..rows.isqrt().max(1)).map(|_| vector(None)).collect();
    (0..rows).map(|row| unit(&vector(Some(&centers[row % centers.len()])))).collect()
}

pub(crate) fn unit(vector: &[f32]) -> Vec<f32> {
    let length = cosine_parts(vector, vector).sqrt();
    vector.iter().map(|x| (f64::from(*x) / length) as f32).collect()
}

/// Cosine in f64, of what was given and not of what is kept.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let lengths = (cosine_parts(a, a) * cosine_parts(b, b)).sqrt();
    if lengths == 0.0 { 0.0 } else { cosine_parts(a, b) / lengths }
}

fn cosine_parts(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
}

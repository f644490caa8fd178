//! The built-in model, whose vectors are made where a text is in hand anyway.

use icr_embed::{Embedder, StaticEmbedder};
use icr_model::{Chunk, RecipeBuilder};
use icr_vector::{Form, Space, Vectors};

/// The model that reads every chunk when it is indexed, and where its vectors go.
#[derive(Clone, Copy)]
pub struct Quick<'a> {
    /// The vectors.
    pub vectors: &'a Vectors,
    /// The model.
    pub model: &'a StaticEmbedder,
}

impl Quick<'_> {
    /// Where the vectors live.
    pub fn spaces(&self) -> QuickSpaces {
        QuickSpaces::of(self.model)
    }
}

/// Where the vectors of the built-in model live: one row of bytes with its scale is a whole vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuickSpaces {
    /// Those of chunks.
    pub chunks: Space,
    /// Those of whole files, under the number of their first chunk: the sum of the vectors of the chunks, each times the
    /// root of its bytes. Long chunks say more of what a file is about, and not in proportion.
    pub files: Space,
}

impl QuickSpaces {
    /// The spaces of `model`.
    pub fn of(model: &StaticEmbedder) -> Self {
        let descriptor = model.descriptor();
        let of_chunks = descriptor.space();
        let of_files =
            RecipeBuilder::default().with("sum of chunks by the root of bytes, 1", &of_chunks.to_bytes()).build();
        let space = |recipe| Space { recipe, dims: descriptor.dims, form: Form::Scaled, by_content: false };
        Self { chunks: space(of_chunks), files: space(of_files) }
    }
}

/// The vector of a file from those of its chunks, one after the other in `vectors`; of no particular length.
pub fn file_vector(chunks: &[Chunk], vectors: &[f32], dims: usize) -> Vec<f32> {
    let mut sum = vec![0.0; dims];
    for (chunk, vector) in chunks.iter().zip(vectors.chunks_exact(dims.max(1))) {
        let weight = (chunk.span.len() as f32).sqrt();
        sum.iter_mut().zip(vector).for_each(|(sum, component)| *sum += weight * component);
    }
    sum
}

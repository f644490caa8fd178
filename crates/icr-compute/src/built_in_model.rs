//! The built-in model: the spaces of its vectors, and how they are computed.

use icr_embed::{Embedder, StaticEmbedder, StaticScratch};
use icr_model::{Chunk, RecipeBuilder};
use icr_store::StorePlace;
use icr_vector::{Space, VectorEncoding, VectorReader, Vectors};

/// Spaces of the built-in model's vectors. A vector is stored as one row of bytes with a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInSpaces {
    /// Vectors of chunks.
    pub chunks: Space,
    /// Vectors of whole files, under the number of their first chunk. Each is the sum of the vectors of the file's
    /// chunks, weighted by the square root of a chunk's bytes: long chunks say more about the topic of a file, but not
    /// in proportion.
    pub files: Space,
}

impl BuiltInSpaces {
    /// The spaces of `model`.
    pub fn of(model: &StaticEmbedder) -> Self {
        let descriptor = model.descriptor();
        let of_chunks = descriptor.space();
        let of_files =
            RecipeBuilder::default().with("sum of chunks by the root of bytes, 1", &of_chunks.to_bytes()).build();
        let space = |recipe| Space { recipe, dims: descriptor.dims, form: VectorEncoding::Scaled, by_content: false };
        Self { chunks: space(of_chunks), files: space(of_files) }
    }

    /// A reader of the vectors of `place`, after the vectors of both spaces were verified. They are verified once for
    /// each state of their file, and not again when they are read.
    ///
    /// # Errors
    ///
    /// [`icr_vector::Error::Damaged`] when bytes have changed since they were written; errors of reading.
    pub fn reader(&self, place: &StorePlace, vectors: &Vectors) -> Result<VectorReader, icr_vector::Error> {
        let spaces = [self.chunks.recipe, self.files.recipe];
        let mut reader = None;
        // The state of the file is taken before the reader opens: after a later commit the file has another state.
        place.check_files("vectors", &["vectors.lmdb/data.mdb"], |_| {
            let opened = vectors.reader(None)?;
            spaces.iter().try_for_each(|space| opened.check(*space))?;
            reader = Some(opened);
            Ok::<_, icr_vector::Error>(())
        })?;
        let reader = match reader {
            Some(reader) => reader,
            None => vectors.reader(None)?,
        };
        spaces.into_iter().for_each(|space| reader.trust(space));
        Ok(reader)
    }
}

/// The vectors of the `chunks` of `text`, one after the other, and the vector of the whole text, which is not
/// normalised.
pub fn vectors_of(
    model: &StaticEmbedder,
    scratch: &mut StaticScratch,
    chunks: &[Chunk],
    text: &[u8],
) -> (Vec<f32>, Vec<f32>) {
    let dims = model.dims();
    let (mut of_chunks, mut of_file) = (vec![0.0; chunks.len() * dims], vec![0.0; dims]);
    for (chunk, vector) in chunks.iter().zip(of_chunks.chunks_exact_mut(dims)) {
        model.embed_into(&String::from_utf8_lossy(chunk.span.of(text)), scratch, vector);
        let weight = (chunk.span.len() as f32).sqrt();
        of_file.iter_mut().zip(&*vector).for_each(|(sum, component)| *sum += weight * component);
    }
    (of_chunks, of_file)
}

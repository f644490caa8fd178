//! The built-in model, whose vectors are made where a text is in hand anyway.

use icr_embed::{Embedder, StaticEmbedder};
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
    /// Where the vectors live: one row of bytes with its scale is the whole vector.
    pub fn space(&self) -> Space {
        let descriptor = self.model.descriptor();
        Space { recipe: descriptor.space(), dims: descriptor.dims, form: Form::Scaled, by_content: false }
    }
}

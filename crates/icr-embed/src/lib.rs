//! From text to vectors of a fixed dimension.
//!
//! A model is an [`Embedder`]; everything that shapes its vectors is its [`Descriptor`], whose digest names the space the
//! vectors live in. Vectors of two spaces are never compared.

mod descriptor;
mod embedder;
mod error;

pub use descriptor::{Descriptor, Pooling};
pub use embedder::Embedder;
pub use error::Error;

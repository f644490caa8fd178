//! From text to vectors of a fixed dimension.
//!
//! A model is an [`Embedder`]. Its [`Descriptor`] has everything that shapes its vectors; the digest of the descriptor
//! is the name of the vector space. Vectors of different spaces are never compared.

mod descriptor;
mod embedder;
mod error;
pub mod fetch;
mod import;
mod model_lookup;
mod onnx;
pub mod remote;
mod static_embedder;
mod static_table;
mod wordpiece;

pub use descriptor::{Descriptor, Pooling};
pub use embedder::Embedder;
pub use error::Error;
pub use import::{ImportCheck, ImportOptions, ImportReport, Precision, import_model};
pub use model_lookup::find_imported_model;
pub use onnx::{ImportedModel, OnnxEmbedder, imported_models, runtime_version};
pub use static_embedder::{StaticEmbedder, StaticScratch};
pub use static_table::{StaticTable, TableError};
pub use wordpiece::{Splitting, VocabularyError, WordCache, WordPiece, words};

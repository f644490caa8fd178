//! Chunk vectors: write, nearest under a live set.
//!
//! A vector space holds the vectors of one model, named by the digest of all that shapes them; spaces stand side by side, so
//! that a change of model keeps the old one until the new one is complete. No space knows a view: a question brings the live
//! chunks of one. Rows lie in blocks in LMDB and are scanned; scores are exact, and for very large spaces trees can choose
//! what is scored. Neither LMDB nor arroy is seen outside of this crate.
//!
//! ```
//! use icr_model::{ChunkNo, LiveSet, Recipe};
//! use icr_vector::{Form, Options, Space, Vectors};
//!
//! let directory = tempfile::tempdir().unwrap();
//! let vectors = Vectors::open(directory.path().join("vectors.lmdb"), Options::default())?;
//! let space = Space { recipe: Recipe(1), dims: 2, form: Form::Scaled, by_content: false };
//! let mut writer = vectors.writer()?;
//! writer.put(&space, ChunkNo(0), 0, &[&[1.0, 0.0]])?;
//! writer.put(&space, ChunkNo(1), 0, &[&[0.0, 1.0], &[-1.0, 0.0]])?;
//! writer.commit(2)?;
//!
//! let live = LiveSet::from_numbers([0, 1]);
//! let nearest = vectors.reader(None)?.nearest(space.recipe, &[0.0, 2.0], &live, 1)?;
//! assert_eq!(nearest.chunks, [(ChunkNo(1), 1.0)]);
//! # Ok::<(), icr_vector::Error>(())
//! ```

mod block;
mod environment;
mod error;
mod index;
mod kernel;
mod memory;
mod pages;
mod reader;
mod row;
mod scan;
mod space;
mod store;
mod stored_values;
mod sum;
mod table;
mod writer;

pub use error::Error;
pub use memory::MemoryVectors;
pub use reader::{Nearest, VectorReader};
pub use space::{Space, SpaceStatus, VectorEncoding};
pub use store::{IndexUse, Options, Vectors, close_kept, format};
pub use writer::{VectorCommitReport, VectorWriter};

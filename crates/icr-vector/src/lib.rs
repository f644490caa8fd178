//! Vectors of chunks: storing them, and finding the nearest ones in a live set.
//!
//! A vector space contains the vectors of one model, and its name is the digest of everything that determines them.
//! Several spaces can exist at the same time, so after a change of model the old space stays until the new one is
//! complete. Spaces do not belong to a view; each query passes the live chunks of a view. Rows are stored in blocks in
//! LMDB and are scanned. Scores are exact; for very large spaces trees can select which rows are scored. Neither LMDB
//! nor arroy is visible outside of this crate.
//!
//! ```
//! use icr_model::{ChunkNo, LiveSet, Recipe};
//! use icr_vector::{Options, Space, VectorEncoding, Vectors};
//!
//! let directory = tempfile::tempdir().unwrap();
//! let vectors = Vectors::open(directory.path().join("vectors.lmdb"), Options::default())?;
//! let space = Space { recipe: Recipe(1), dims: 2, form: VectorEncoding::Scaled, by_content: false };
//! let mut writer = vectors.writer()?;
//! writer.write_chunk(&space, ChunkNo(0), 0, &[&[1.0, 0.0]])?;
//! writer.write_chunk(&space, ChunkNo(1), 0, &[&[0.0, 1.0], &[-1.0, 0.0]])?;
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

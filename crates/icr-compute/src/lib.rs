//! From the bytes of a blob to everything that is indexed of it, and from changed paths to the contents of a view.
//! Works in memory; writes nothing.
//!
//! It reads the store to find out what is already indexed. This is all that is needed without write access to the
//! store, for example for a view of uncommitted files; icr-ingest writes what is computed here.

mod assemble;
mod built_in_model;
mod compute;
mod documents;
mod error;
mod shape;
mod transient;

pub use assemble::{NumberedPathChange, PathChange, ViewContents, WantedBlob, changes_from_nearest, resolve};
pub use built_in_model::{BuiltInSpaces, vectors_of};
pub use compute::{
    BlobReadOutcome, BlobSource, ComputedBlob, ObjectSource, ReadBlob, batches, bytes_of, compute, compute_counted,
};
pub use error::Error;
pub use shape::Shape;
pub use transient::Transient;

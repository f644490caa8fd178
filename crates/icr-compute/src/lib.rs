//! From blob bytes to all that is indexed of them, and from changed paths to what a view holds. In memory; writes nothing.
//!
//! The store is read to know what it has. Whoever may not write it, such as a view of uncommitted files, needs no more than
//! this; what is computed here is listed by icr-ingest.

mod assemble;
mod compute;
mod documents;
mod error;
mod quick;
mod shape;
mod transient;

pub use assemble::{NumberedPathChange, PathChange, ViewContents, WantedBlob, changes_from_nearest, resolve};
pub use compute::{BlobReadOutcome, BlobSource, ComputedBlob, ObjectSource, ReadBlob, batches, compute};
pub use error::Error;
pub use quick::{QuickSpaces, vectors_of};
pub use shape::Shape;
pub use transient::Transient;

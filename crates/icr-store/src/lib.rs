//! What icr knows of one repository, on disk: the ledger of complete blobs, their facts, path numbers, published views
//! and commit facts, in one SQLite database.
//!
//! The ledger row is the commit point: data without a row does not exist. Everything here is derived from git and may
//! be deleted at any time. One process writes, holding the [`WriterLock`]; any number of processes read, each in a
//! snapshot.

mod calibrations;
mod commits;
mod entries;
mod error;
mod file_state;
mod gc;
mod ledger;
mod lock;
mod manifest;
mod page_checksums;
mod paths;
mod place;
mod read_only_ledger;
mod small_file;
mod verified_files;
mod views;

pub use calibrations::CalibrationRow;
pub use commits::{Ancestry, CommitRow};
pub use error::Error;
pub use file_state::FileId;
pub use ledger::{
    Access, BlobRow, CompleteBlob, FORMAT, Ledger, LedgerWrite, Numbers, RecipeNo, Recipes, ReservedNumbers,
};
pub use lock::WriterLock;
pub use manifest::{ManifestEntry, ViewManifest};
pub use page_checksums::CHECKSUM_VFS;
pub use place::{RepositoryPlace, StorePlace, SyncQueue};
pub use small_file::{read_small_file, replace_small_file};
pub use views::{PublishedView, Totals, ViewKey, ViewSummary};

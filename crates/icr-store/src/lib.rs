//! What icr knows of one repository, on disk: the ledger of complete blobs, their facts, path numbers, published views
//! and commit facts, in one SQLite database.
//!
//! The ledger row is the commit point: data without a row does not exist. Everything here is derived from git and may
//! be deleted at any time. One process writes, holding the [`WriterLock`]; any number of processes read, each in a
//! snapshot.

mod blobs;
mod calibrations;
mod commits;
mod entries;
mod error;
mod file_state;
mod gc;
mod ledger;
mod lock;
mod manifest;
mod numbers;
mod page_checksums;
mod paths;
mod place;
mod read_only_ledger;
mod recipes;
mod small_file;
#[cfg(test)]
mod testing;
mod verified_files;
mod views;

pub use blobs::{BlobRow, CompleteBlob};
pub use calibrations::CalibrationRow;
pub use commits::{Ancestry, CommitRow};
pub use error::Error;
pub use file_state::FileId;
pub use ledger::{Access, FORMAT, Ledger, LedgerWrite};
pub use lock::WriterLock;
pub use manifest::{ManifestEntry, ViewManifest};
pub use numbers::{Numbers, ReservedNumbers};
pub use page_checksums::CHECKSUM_VFS;
pub use place::{RepositoryPlace, StorePlace, SyncQueue};
pub use recipes::{RecipeNo, Recipes};
pub use small_file::{read_small_file, replace_small_file};
pub use views::{PublishedView, Totals, ViewKey, ViewSummary};

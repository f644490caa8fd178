//! From candidates and their evidence to one order. Pure: the same candidates give the same order, in any input order.
//!
//! Files are ranked first, then the places inside each: a reader wants the right file once, with its best lines.

mod fuse;
mod penalty;
mod query;

pub use fuse::{ChunkEvidence, FileEvidence, Placed, Ranked, Weights, rank};
pub use penalty::{Penalty, is_test_path, penalty_of};
pub use query::QueryShape;

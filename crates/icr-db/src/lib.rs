//! The query graph: what a view says beyond its single blobs, recomputed only where it changed.
//!
//! Facts of blobs come from a [`Source`] and stay there; the graph holds the answers that depend on the whole view: what
//! imports name, who imports a file, who refers to a definition. Each answer knows what it read, also which paths it found
//! absent, so that a view that moves makes only those stale that the move touches.

mod answers;
mod bindings;
mod common_names;
mod counterparts;
mod exports;
#[doc(hidden)]
pub mod fuzzing;
mod graph;
#[cfg(test)]
mod graph_tests;
mod importers;
#[cfg(test)]
mod leads_tests;
mod manifests;
#[cfg(test)]
mod many_imports_tests;
mod meanings;
mod member_resolution;
mod memory;
mod reach;
#[cfg(test)]
mod reach_tests;
mod references;
#[cfg(test)]
mod references_tests;
mod resolve;
mod schemes;
mod scope;
mod source;
mod statements;
#[cfg(test)]
mod testing;
mod view;

pub use answers::{
    FileImports, ImportEdge, ImportWithoutFile, ManifestProblem, ReferenceEdge, Referring, ReferringFiles,
    ReferringLimits,
};
pub use graph::{Error, QueryGraph};
pub use meanings::{NameMeaning, NameUse};
pub use memory::{MemoryFile, MemorySource};
pub use resolve::EdgeKind;
pub use source::{SourceError, ViewBlob, ViewSource};

//! The query graph: answers about a whole view, beyond its single blobs. Only what a change affects is computed again.
//!
//! Facts of blobs come from a [`ViewSource`] and stay there. The graph holds the answers that depend on the whole
//! view: what imports name, who imports a file, who refers to a definition. Each answer records what it read, and also
//! which paths it found absent. So a move of the view makes only those answers stale that depend on a changed path.

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
mod known_bases;
mod lacking_types;
mod language_rules;
mod manifests;
#[cfg(test)]
mod many_imports_tests;
mod meanings;
mod member_resolution;
#[cfg(test)]
mod member_resolution_tests;
mod memory;
mod reach;
#[cfg(test)]
mod reach_tests;
mod references;
#[cfg(test)]
mod references_tests;
mod referring;
mod resolve;
mod schemes;
mod scope;
mod source;
mod statements;
#[cfg(test)]
mod testing;
mod view;

pub use answers::{
    CargoPackageEdges, Counterpart, FileImports, ImportEdge, ImportWithoutFile, LackingType, ManifestProblem,
    NamedDefinition, Occurrence, ReferenceEdge, Referring, ReferringFiles, ReferringLimits, TypeMembers, largest_share,
};
pub use bindings::module_name;
pub use graph::{Error, QueryGraph};
pub use known_bases::{may_be_given, may_provide};
pub use language_rules::{ExtensionMembers, ResolutionRules, resolution_rules};
pub use meanings::{NameMeaning, NameUse};
pub use member_resolution::has_members;
pub use memory::{MemoryFile, MemorySource};
pub use resolve::EdgeKind;
pub use source::{SourceError, ViewBlob, ViewSource};

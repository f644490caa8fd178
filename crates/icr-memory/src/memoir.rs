//! Memoirs: what is known for good, as concepts and links between them.
//!
//! A memoir has concepts with unique names; a concept has a definition that [`refine`] makes better, and never decays. Links say in one of
//! nine [`Relation`]s how two concepts of a memoir belong together. All names are looked up exactly, without white space around them;
//! a name that nothing has is an error with names that are written alike.
//!
//! Whatever changes something is one operation of the log and can be undone with [`undo`](crate::undo).

mod changes;
mod concept;
mod cycle;
mod distillation;
mod export;
mod inspection;
mod key_phrase;
mod label;
mod lookup;
mod overview;
mod relation;
mod search;
mod undoing;

pub use changes::{
    ConceptRefinement, LinkEnds, LinkOutcome, MemoirRemoval, NewConcept, add_concept, create, delete, link, refine,
    remove_concept, rename, rename_concept, unlink,
};
pub(crate) use concept::checked_name;
pub use concept::{Concept, ConceptLink, Memoir, NAME_BYTES_MOST};
pub use distillation::{
    Distillation, DistillationAction, DistillationRequest, DistilledConcept, distill, distill_preview,
};
pub use export::{ExportFormat, export};
pub use inspection::{DEPTH_MOST, NEIGHBOURHOOD_MOST, Neighbour, Neighbourhood, NeighbourhoodReach, inspect};
pub use label::{LABEL_BYTES_MOST, LABELS_MOST, Label, labels_of};
pub use overview::{
    LabelCount, MemoirGraph, MemoirOverview, MemoirStatistics, NamedLink, RelationCount, graph, list, show,
};
pub use relation::Relation;
pub use search::{ConceptHit, ConceptSearch, HITS_MOST, search, search_all};
pub(crate) use undoing::{check_links_after_undo, check_undo};

#[cfg(test)]
mod tests;

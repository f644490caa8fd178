//! Memoirs: permanent knowledge, as concepts and links between them.
//!
//! A memoir has concepts with unique names. A concept has a definition that [`refine`] improves, and it never decays.
//! Each link connects two concepts of a memoir by one of nine [`Relation`]s. All names are looked up exactly, after
//! white space around them is removed; the error for an unknown name suggests names that are spelled alike.
//!
//! Every change is one operation of the log and can be undone with [`undo`](crate::undo).

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

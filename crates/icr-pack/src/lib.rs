//! Chooses and lays out spans under a token budget. Pure: the same values give the same answer, in any input order.
//!
//! A question passes these steps in order. [`gate`] reads the fused scores and decides whether one search gave a clear
//! answer. If not, [`decompose`] and [`Expansion`] search again in other words and fuse the results. [`LinesEvidence`]
//! computes the worth of lines, and [`pack()`] chooses lines under the budget and lays them out as Markdown with
//! citations; the budget counts this rendered text. [`context_map`], [`map_reduce()`] and [`aggregate()`] give the
//! other answers under a budget. Nothing here asks a model: every line of code in an answer is a verbatim line of a
//! source.

mod aggregate;
mod calibrate;
mod candidate;
mod context;
mod error;
mod gate;
mod map_reduce;
mod note;
mod pack;
mod plan;
mod terms;
mod wording;
mod worth;

pub use aggregate::{
    AGGREGATE_OPS, AGGREGATE_PARAMS, AggregateAnswer, AggregateOp, AggregateRequest, ParamKind, ParamRow, aggregate,
};
pub use calibrate::{Calibration, CalibrationSource, calibrate, easy_questions};
pub use candidate::{PackCandidate, PinRank};
pub use context::{
    CONTEXT_FILES, ContentSummary, ContextMap, ContextRequest, FILES_SHOWN, FileFacts, FilePlace, HistoryRow,
    ImpactRow, Partner, PromptMap, ScoredFile, Script, context_map, prompt_map,
};
pub use error::Error;
pub use gate::{
    Entropy, GateReason, GateRules, Gating, ModeUsed, PackMode, TASK_CLASSES, TaskClass, asks_for_uses, entropy, gate,
    task_class,
};
pub use map_reduce::{
    Extract, FailedSource, MapReduceRequest, MapReduced, MapResult, SourceContent, SourceText, map_reduce,
};
pub use note::{FileNote, NOTES_MOST, NOTES_TITLE};
pub use pack::{Citation, Omission, OmissionReason, Pack, PackMetadata, PackRequest, PackSource, pack};
pub use plan::{
    Expansion, ExpansionLimits, FusedHit, PlanBudget, PlanRequest, PlanScope, PlanStep, SearchPlan, StopReason,
    SubQuery, SubQueryBonus, SubQueryExpansion, SubQueryHit, TEMPLATES, Template, decompose, named_in, plan,
};
pub use worth::LinesEvidence;

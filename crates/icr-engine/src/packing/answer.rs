//! The answer to a request for a pack.

use icr_model::Gap;
use icr_pack::{Citation, FileNote, Gating, Omission, PackSource, StopReason};
use icr_rank::Strength;
use serde::Serialize;

/// A pack with its statistics. The same question about the same view gives the same answer, except for the time in
/// `metadata`, unless the time ran out.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PackAnswer {
    /// How the gate decided and why; `entropy` is in nats.
    #[serde(flatten)]
    pub gating: Gating,
    /// Whether the search answers the question at all. If not, the pack has only the nearest results, and says so.
    pub strength: Strength,
    /// The pack as Markdown, never larger than the budget.
    pub pack_content: String,
    /// The code in it, in the order of its citation numbers.
    pub sources: Vec<PackSource>,
    /// The citations behind its numbers.
    pub citations: Vec<Citation>,
    /// Pins and best candidates that did not fit.
    pub omitted: Vec<Omission>,
    /// The user's notes about its files, shown at its end; at most two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<FileNote>,
    /// The searches with reworded questions; `None` if one search was enough or the time ran out.
    pub expansion: Option<PackExpansion>,
    /// Warnings about deviations from the request, a sentence each.
    pub warnings: Vec<String>,
    /// What it cost.
    pub metadata: PackMetadata,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

/// The searches with reworded questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PackExpansion {
    /// Searches after the first, in order.
    pub searches: Vec<PackSearch>,
    /// Why they ended.
    pub stop_reason: StopReason,
    /// Whether a bound ended them, so that more may be found.
    pub is_partial: bool,
    /// Searches done, the first included.
    pub steps_used: u32,
    /// Searches left in the budget.
    pub steps_remaining: u32,
}

/// One search of an expansion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PackSearch {
    /// What was searched for.
    pub query: String,
    /// The kind of rewording: `definition`, `usage` and so on.
    pub template: &'static str,
    /// The subject of the search.
    pub about: String,
    /// Files found, up to the number that is examined.
    pub candidates: usize,
}

/// What a pack cost.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PackMetadata {
    /// Time from question to answer, in milliseconds.
    pub duration_ms: u64,
    /// Model tokens of the pack.
    pub tokens_used: u32,
    /// The budget.
    pub tokens_budget: u32,
    /// What is left of it.
    pub tokens_remaining: u32,
    /// Name of the token counter.
    pub token_counter: &'static str,
    /// Candidates (line ranges) that the pack was chosen from, pins included.
    pub sources_considered: usize,
    /// Files that the searches found.
    pub candidates_found: usize,
    /// Searches done.
    pub searches: usize,
    /// Where the threshold of the gate comes from.
    pub threshold_source: ThresholdSource,
}

/// Where the threshold of the gate comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThresholdSource {
    /// The caller set it.
    Configured,
    /// The repository's own, see [`crate::calibrate_gate`].
    Calibrated,
    /// The one that icr ships with.
    BuiltIn,
}

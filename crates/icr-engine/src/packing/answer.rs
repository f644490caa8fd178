//! What a pack is answered with.

use icr_model::Gap;
use icr_pack::{Citation, FileNote, Gating, Omission, PackSource, StopReason};
use icr_rank::Strength;
use serde::Serialize;

/// A pack, how it came about, and what it cost. The same question of the same view has the same answer but for the time in
/// `metadata`, unless that ran out.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PackAnswer {
    /// What was done and why; `entropy` is in nats.
    #[serde(flatten)]
    pub gating: Gating,
    /// Whether the search answers at all; of a question that nothing answers the pack has the nearest only, and says so.
    pub strength: Strength,
    /// Markdown, never above the budget.
    pub pack_content: String,
    /// What stands in it, in the order of its numbers.
    pub sources: Vec<PackSource>,
    /// What its numbers stand for.
    pub citations: Vec<Citation>,
    /// What of the pins and the best candidates does not stand in it.
    pub omitted: Vec<Omission>,
    /// What the user noted about its files, which stands at its end; at most two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<FileNote>,
    /// What was asked in other words; `None` where one search was enough or the time did not last.
    pub expansion: Option<PackExpansion>,
    /// What went otherwise than was asked for, a sentence each.
    pub warnings: Vec<String>,
    /// What it cost.
    pub metadata: PackMetadata,
    /// What this answer lacks besides what the view lacks.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
}

/// What was asked in other words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PackExpansion {
    /// Searches after the first, in order.
    pub searches: Vec<PackSearch>,
    /// Why there are no more.
    pub stop_reason: StopReason,
    /// Whether a bound ended it, so that more may be found.
    pub is_partial: bool,
    /// Searches done, the first included.
    pub steps_used: u32,
    /// Those left.
    pub steps_remaining: u32,
}

/// One search of an expansion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PackSearch {
    /// What was searched for.
    pub query: String,
    /// The way of asking: `definition`, `usage` and so on.
    pub template: &'static str,
    /// What it asks about.
    pub about: String,
    /// Files found, as many as are looked at.
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
    /// Name of the counter of tokens.
    pub token_counter: &'static str,
    /// Stretches of lines that the pack was chosen from, pins included.
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
    /// The one that ships.
    BuiltIn,
}

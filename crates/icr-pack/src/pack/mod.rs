//! A pack: verbatim lines with citations, chosen under a token budget.

mod choose;
mod render;

use icr_model::{MODEL_TOKEN_COUNTER, model_tokens};
use serde::Serialize;

use crate::candidate::{Candidate, Cosine};
use choose::{Choice, choose};
use render::{NO_SOURCES, Piece, SOURCES, TITLE};

pub(crate) use render::one_line;

/// What to pack. `default()` is what a caller who says nothing gets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PackRequest {
    /// Most model tokens that the rendered pack may have, headings and fences included.
    pub budget_tokens: u32,
    /// Most candidates to choose from, besides pins.
    pub k: usize,
    /// Relevance against novelty, see [`crate::diversify`].
    pub lambda: f64,
    /// Only pins, which may then take the whole budget.
    pub pinned_only: bool,
    /// Share of the budget that pins may take beside others, in `0.0..=1.0`.
    pub pin_share: f64,
    /// How much more a contract is worth than its score, 1 or more: one interface explains many places.
    pub contract_factor: f64,
}

impl Default for PackRequest {
    fn default() -> Self {
        Self { budget_tokens: 4_000, k: 20, lambda: 0.7, pinned_only: false, pin_share: 0.5, contract_factor: 1.5 }
    }
}

/// A rendered pack and what stands in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pack {
    /// Markdown: a heading and a fenced block for each source.
    pub pack_content: String,
    /// What stands in it, in the order of its numbers.
    pub sources: Vec<PackSource>,
    /// The numbers.
    pub citations: Vec<Citation>,
    /// What of the pins and the `k` best does not stand in it: pins first, then by relevance and novelty.
    pub omitted: Vec<Omission>,
    /// What it cost.
    pub metadata: PackMetadata,
}

/// Lines that stand in a pack.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PackSource {
    /// Id of the candidate.
    pub id: String,
    /// Path relative to the root.
    pub path: String,
    /// Qualified name of the definition around the lines.
    pub symbol: Option<String>,
    /// First line shown, 1-based.
    pub start_line: u32,
    /// Last line shown, inclusive.
    pub end_line: u32,
    /// Fused score.
    pub score: f64,
    /// Model tokens of its block, heading and fence included.
    pub token_count: u32,
    /// A user pinned it.
    pub is_pinned: bool,
    /// It declares a contract.
    pub is_contract: bool,
    /// Last line of the candidate where the block ends before it.
    pub cut_from_end_line: Option<u32>,
}

/// What a number in a pack stands for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Citation {
    /// The number in brackets, from 1.
    #[serde(rename = "ref")]
    pub number: usize,
    /// Path relative to the root.
    pub path: String,
    /// First line shown, 1-based.
    pub start_line: u32,
    /// Last line shown, inclusive.
    pub end_line: u32,
    /// Fused score.
    pub score: f64,
}

/// A candidate that does not stand in the pack.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Omission {
    /// Id of the candidate.
    pub id: String,
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// A user pinned it.
    pub is_pinned: bool,
    /// Why.
    pub reason: OmissionReason,
}

/// Why a candidate does not stand in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OmissionReason {
    /// Others are worth more under this budget.
    Budget,
    /// Newer pins fill the share of the budget that pins may have.
    PinShare,
    /// It says what a better candidate says.
    NearCopy,
    /// Its score is 0.
    NotRelevant,
}

/// What a pack cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PackMetadata {
    /// Model tokens of `pack_content`.
    pub tokens_used: u32,
    /// The budget.
    pub tokens_budget: u32,
    /// What is left of it.
    pub tokens_remaining: u32,
    /// The counter, which is the same on every machine and for every model.
    pub token_counter: &'static str,
    /// Candidates that were given, each place once.
    pub sources_considered: usize,
}

/// Chooses from `candidates` and lays out what was chosen.
///
/// Pins come first, newest first, within their share of the budget. Of the others the `k` most relevant and novel ones are
/// ordered ([`crate::diversify`]) and chosen from exactly ([`crate::fill_budget`]) by score × the factor for contracts ×
/// (1 − redundancy / 2); redundancy is computed once, against what stands before in that order, since a value that
/// depended on the choice would be no knapsack. What is longer than the room that is left may be cut after a whole line.
///
/// `pack_content` never has more than `budget_tokens` model tokens; under a budget that holds no source it says so, and
/// under one that does not hold that either it is shorter still. The order of `candidates` does not matter.
/// Cost: `k` × candidates comparisons of words, then `k` × budget steps.
pub fn pack(request: &PackRequest, candidates: &[Candidate], cosine: &Cosine<'_>) -> Pack {
    let frame = tokens(TITLE) + tokens(SOURCES);
    let room = request.budget_tokens.saturating_sub(frame);
    let Choice { pieces, omitted, considered } = choose(request, room, candidates, cosine);
    let pack_content = content(&pieces, request.budget_tokens);
    let tokens_used = tokens(&pack_content);
    assert!(tokens_used <= request.budget_tokens, "a pack fits because its blocks were counted as they are rendered");
    Pack {
        pack_content,
        sources: pieces.iter().map(source).collect(),
        citations: (1..).zip(&pieces).map(|(number, piece)| citation(number, piece)).collect(),
        omitted: omitted.into_iter().map(|(candidate, reason)| omission(candidate, reason)).collect(),
        metadata: PackMetadata {
            tokens_used,
            tokens_budget: request.budget_tokens,
            tokens_remaining: request.budget_tokens - tokens_used,
            token_counter: MODEL_TOKEN_COUNTER,
            sources_considered: considered,
        },
    }
}

fn content(pieces: &[Piece<'_>], budget_tokens: u32) -> String {
    if !pieces.is_empty() {
        let blocks: String = (1..).zip(pieces).map(|(number, piece)| piece.block(number)).collect();
        return format!("{TITLE}{SOURCES}{blocks}");
    }
    let shorter = [format!("{TITLE}{SOURCES}{NO_SOURCES}"), TITLE.to_owned()];
    shorter.into_iter().find(|text| tokens(text) <= budget_tokens).unwrap_or_default()
}

fn source(piece: &Piece<'_>) -> PackSource {
    let candidate = piece.candidate;
    PackSource {
        id: candidate.id.clone(),
        path: candidate.path.clone(),
        symbol: candidate.symbol.clone(),
        start_line: candidate.start_line,
        end_line: piece.end_line(),
        score: candidate.relevance(),
        token_count: piece.tokens(),
        is_pinned: candidate.is_pinned(),
        is_contract: candidate.is_contract,
        cut_from_end_line: piece.is_cut.then_some(candidate.end_line),
    }
}

fn citation(number: usize, piece: &Piece<'_>) -> Citation {
    let candidate = piece.candidate;
    Citation {
        number,
        path: candidate.path.clone(),
        start_line: candidate.start_line,
        end_line: piece.end_line(),
        score: candidate.relevance(),
    }
}

fn omission(candidate: &Candidate, reason: OmissionReason) -> Omission {
    Omission {
        id: candidate.id.clone(),
        path: candidate.path.clone(),
        start_line: candidate.start_line,
        end_line: candidate.end_line,
        is_pinned: candidate.is_pinned(),
        reason,
    }
}

fn tokens(text: &str) -> u32 {
    model_tokens(text.as_bytes())
}

#[cfg(test)]
mod tests;

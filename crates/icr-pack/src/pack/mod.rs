//! A pack: verbatim lines with citations, chosen under a token budget.

mod choose;
mod render;

use icr_rank::Strength;
use icr_tokens::MODEL_TOKEN_COUNTER;
use serde::Serialize;

use crate::candidate::PackCandidate;
use choose::{Choice, choose};
use render::{Block, NEAREST, NO_ROOM, NO_SOURCES, SOURCES, TITLE, tokens};

pub(crate) use render::one_line;

/// Settings of a pack. `default()` has the values that apply if the caller sets none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PackRequest {
    /// Most model tokens that the rendered pack may have, headings and fences included.
    pub budget_tokens: u32,
    /// Weight of worth against novelty. At 1, only near copies of lines in the pack are left out. Below 1, the worth of
    /// lines also falls with their similarity to lines in the pack.
    pub lambda: f64,
    /// Whether the candidates answer at all; of a question that nothing answers the pack says so.
    pub strength: Strength,
    /// Only pins, which may then take the whole budget.
    pub pinned_only: bool,
    /// Share of the budget that pins may take beside others, in `0.0..=1.0`.
    pub pin_share: f64,
    /// How much more a contract is worth than its score, 1 or more: one interface explains many places.
    pub contract_factor: f64,
}

impl Default for PackRequest {
    fn default() -> Self {
        Self {
            budget_tokens: 4_000,
            lambda: 1.0,
            strength: Strength::Strong,
            pinned_only: false,
            pin_share: 0.5,
            contract_factor: 1.5,
        }
    }
}

/// A rendered pack and its sources.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Pack {
    /// Markdown: a heading and a fenced block for each source.
    pub pack_content: String,
    /// The sources in the pack, in the order of their numbers.
    pub sources: Vec<PackSource>,
    /// The numbers.
    pub citations: Vec<Citation>,
    /// Pins and the best other candidates that are not in the pack: pins first, then by worth.
    pub omitted: Vec<Omission>,
    /// Token counts of the pack.
    pub metadata: PackMetadata,
}

/// Lines that stand in a pack.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PackSource {
    /// First digits of the id of the content, and the lines.
    pub id: String,
    /// Path relative to the root.
    pub path: String,
    /// Qualified name of the definition in the lines that is worth most.
    pub symbol: Option<String>,
    /// First line shown, 1-based.
    pub start_line: u32,
    /// Last line shown, inclusive.
    pub end_line: u32,
    /// Score of its file in the search.
    pub score: f64,
    /// Model tokens of its block, heading and fence included.
    pub token_count: u32,
    /// A user pinned it.
    pub is_pinned: bool,
    /// It declares a contract.
    pub is_contract: bool,
    /// Last line of what was to be shown, where the block ends before it.
    pub cut_from_end_line: Option<u32>,
}

/// The lines that a number in a pack refers to.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
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
    /// Score of its file in the search.
    pub score: f64,
}

/// A candidate that does not stand in the pack.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Omission {
    /// First digits of the id of the content, and the lines.
    pub id: String,
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// A user pinned it.
    pub is_pinned: bool,
    /// Why it was left out.
    pub reason: OmissionReason,
}

/// Why a candidate does not stand in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OmissionReason {
    /// Others are worth more under this budget.
    Budget,
    /// Newer pins fill the share of the budget that pins may have.
    PinShare,
    /// A better candidate says the same.
    NearCopy,
    /// Its score is 0.
    NotRelevant,
}

/// Token counts of a pack.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PackMetadata {
    /// Model tokens of `pack_content`.
    pub tokens_used: u32,
    /// The budget.
    pub tokens_budget: u32,
    /// Model tokens of the budget that are left.
    pub tokens_remaining: u32,
    /// The counter, which is the same on every machine and for every model.
    pub token_counter: &'static str,
    /// Stretches of lines that were chosen from, each place once.
    pub sources_considered: usize,
}

/// Chooses from `candidates` and lays out what was chosen.
///
/// Pins come first, newest first, within their share of the budget; a pin that is too long is reduced to the lines with
/// the highest worth. Then the other candidates follow, highest worth first, as long as they fit: the lines most likely
/// to be needed, whatever their length. Room is kept for the first spans of the search, which are cut to fit.
/// Maximising the sum of the worths would choose many short stretches instead, because worth does not depend on length.
/// Lines that follow each other form one block under one heading. If there is room left, one line per file names its
/// other definitions.
///
/// `pack_content` never has more than `budget_tokens` model tokens. If the budget is too small for any source, the text
/// says so; if it is too small for that sentence too, the text is even shorter. The order of `candidates` does not
/// matter. Cost: a sort of the candidates, and the words of the candidates that are looked at, which are not many more
/// than fit.
pub fn pack(request: &PackRequest, candidates: &[PackCandidate]) -> Pack {
    let begin = match request.strength {
        Strength::None if !candidates.is_empty() => format!("{TITLE}{NEAREST}"),
        _ => format!("{TITLE}{SOURCES}"),
    };
    let instead = if candidates.is_empty() { NO_SOURCES } else { NO_ROOM };
    let room = request.budget_tokens.saturating_sub(tokens(&begin));
    let Choice { mut blocks, omitted, mut also_defined, considered } = choose(request, room, candidates);
    let mut pack_content = content(&begin, instead, &blocks, &also_defined, request.budget_tokens);
    // Blocks were counted one by one, and a token that two of them share may change the sum.
    while tokens(&pack_content) > request.budget_tokens {
        if also_defined.is_empty() {
            blocks = shortened(blocks);
        }
        also_defined.clear();
        pack_content = content(&begin, instead, &blocks, &also_defined, request.budget_tokens);
    }
    let tokens_used = tokens(&pack_content);
    Pack {
        pack_content,
        sources: (1..).zip(&blocks).map(|(number, block)| source(number, block)).collect(),
        citations: (1..).zip(&blocks).map(|(number, block)| citation(number, block)).collect(),
        omitted: omitted.iter().map(OmittedLines::omission).collect(),
        metadata: PackMetadata {
            tokens_used,
            tokens_budget: request.budget_tokens,
            tokens_remaining: request.budget_tokens - tokens_used,
            token_counter: MODEL_TOKEN_COUNTER,
            sources_considered: considered,
        },
    }
}

/// Fewest lines that a block may be shortened to.
const SHORTENED_LEAST: usize = 1;

/// The blocks, without the last line of the one that is worth least.
fn shortened(mut blocks: Vec<Block<'_>>) -> Vec<Block<'_>> {
    let worst = (0..blocks.len()).max_by(|one, other| blocks[*one].leader().by_worth(blocks[*other].leader()));
    if let Some(worst) = worst {
        match blocks[worst].clone().shortened(SHORTENED_LEAST) {
            Some(shorter) => blocks[worst] = shorter,
            None => drop(blocks.remove(worst)),
        }
    }
    blocks
}

fn content(begin: &str, instead: &str, blocks: &[Block<'_>], also_defined: &str, budget_tokens: u32) -> String {
    if !blocks.is_empty() {
        let texts: String = (1..).zip(blocks).map(|(number, block)| block.text(number)).collect();
        return format!("{begin}{texts}{also_defined}");
    }
    let shorter = [format!("{begin}{instead}"), TITLE.to_owned()];
    shorter.into_iter().find(|text| tokens(text) <= budget_tokens).unwrap_or_default()
}

fn source(number: usize, block: &Block<'_>) -> PackSource {
    let (first, leader, end_line) = (block.parts()[0], block.leader(), block.end_line());
    PackSource {
        id: first.id(end_line),
        path: leader.path.clone(),
        symbol: leader.symbol.clone().filter(|symbol| !symbol.is_empty()),
        start_line: block.start_line(),
        end_line,
        score: if leader.score.is_finite() { leader.score } else { 0.0 },
        token_count: tokens(&block.text(number)),
        is_pinned: leader.is_pinned(),
        is_contract: block.parts().iter().any(|part| part.is_contract),
        cut_from_end_line: (block.cut_lines > 0).then(|| block.parts()[block.parts().len() - 1].end_line),
    }
}

fn citation(number: usize, block: &Block<'_>) -> Citation {
    let leader = block.leader();
    Citation {
        number,
        path: leader.path.clone(),
        start_line: block.start_line(),
        end_line: block.end_line(),
        score: if leader.score.is_finite() { leader.score } else { 0.0 },
    }
}

/// Lines that are not in the pack, of one candidate or of several that follow each other.
#[derive(Debug, Clone, Copy)]
struct OmittedLines<'a> {
    /// The first of them.
    candidate: &'a PackCandidate,
    end_line: u32,
    reason: OmissionReason,
}

impl<'a> OmittedLines<'a> {
    fn from_candidate(candidate: &'a PackCandidate, reason: OmissionReason) -> Self {
        Self { candidate, end_line: candidate.end_line, reason }
    }

    /// The omissions of one file. Candidates that follow each other, given in the order of their lines, become one.
    fn merge_adjacent(candidates: &[&'a PackCandidate], reason: OmissionReason) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for candidate in candidates {
            match all.last_mut().filter(|last| last.end_line.checked_add(1) == Some(candidate.start_line)) {
                Some(last) => last.end_line = candidate.end_line,
                None => all.push(Self::from_candidate(candidate, reason)),
            }
        }
        all
    }

    fn omission(&self) -> Omission {
        Omission {
            id: self.candidate.id(self.end_line),
            path: self.candidate.path.clone(),
            start_line: self.candidate.start_line,
            end_line: self.end_line,
            is_pinned: self.candidate.is_pinned(),
            reason: self.reason,
        }
    }
}

#[cfg(test)]
mod tests;

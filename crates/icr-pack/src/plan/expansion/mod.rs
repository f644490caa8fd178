//! The state of an expansion: the results of its sub-queries, when they are enough, and what is left of its limits.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Serialize;

use crate::gate::{GateRules, entropy};

use super::steps::{CANDIDATES_MOST, PEEK_LINES_MOST, STEPS_MOST};
use super::sub_queries::SubQuery;

/// Normalised entropy of all that was found below which an answer stands out and no further search is needed.
const ENOUGH_NORMALIZED: f64 = 0.3;

/// Something that a sub-query found.
#[derive(Debug, Clone, PartialEq)]
pub struct SubQueryHit {
    /// Stable id.
    pub id: String,
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Fused score of that search; one that is not finite counts as 0.
    pub score: f64,
    /// What found it: the name of the channel, such as `lexical` or `semantic`.
    pub source: String,
}

/// Something that sub-queries found, with one score.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct FusedHit {
    /// Stable id.
    pub id: String,
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Best score + [`SubQueryBonus::found_again`] × log₂(sub-queries that found it) + [`SubQueryBonus::other_source`] ×
    /// (kinds of evidence − 1).
    pub score: f64,
    /// Sub-queries that found it.
    pub found_by: u32,
    /// Kinds of evidence, sorted.
    pub sources: Vec<String>,
}

/// What being found in several ways adds to a score. `default()` is what ships.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SubQueryBonus {
    /// For every doubling of the sub-queries that found it.
    pub found_again: f64,
    /// For each further kind of evidence.
    pub other_source: f64,
}

impl Default for SubQueryBonus {
    fn default() -> Self {
        Self { found_again: 0.2, other_source: 0.1 }
    }
}

/// What an expansion may cost. `default()` is what ships.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpansionLimits {
    /// Searches and peeks together.
    pub max_steps: u32,
    /// Lines of all peeks.
    pub max_peek_lines: u32,
    /// Candidates that are kept.
    pub max_candidates: u32,
}

impl Default for ExpansionLimits {
    fn default() -> Self {
        Self { max_steps: STEPS_MOST, max_peek_lines: PEEK_LINES_MOST, max_candidates: CANDIDATES_MOST }
    }
}

/// Why an expansion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Every sub-query was asked.
    Done,
    /// Few candidates stand out of all that was found.
    LowEntropy,
    /// As many candidates as are kept, and the last search changed none of them.
    MaxCandidates,
    /// No step is left.
    MaxSteps,
    /// No line is left for peeks.
    MaxPeekLines,
    /// The caller ran out of time.
    Timeout,
}

/// An expansion while it goes on.
///
/// The caller asks [`Expansion::next_query`] for a sub-query, searches, and gives the results to [`Expansion::record`],
/// until there is no further one. It may stop at any time; what was found so far is an answer.
#[derive(Debug)]
pub struct Expansion {
    limits: ExpansionLimits,
    open: VecDeque<SubQuery>,
    fusion: Fusion,
    steps_used: u32,
    peek_lines_used: u32,
    stopped: Option<StopReason>,
}

/// The result of an expansion.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SubQueryExpansion {
    /// Best first.
    pub candidates: Vec<FusedHit>,
    /// Why the expansion ended.
    pub stop_reason: StopReason,
    /// Whether a bound or the caller ended it, so that more may be found.
    pub is_partial: bool,
    /// Searches and peeks done.
    pub steps_used: u32,
    /// Number of searches and peeks left.
    pub steps_remaining: u32,
    /// Lines peeked at.
    pub peek_lines_used: u32,
    /// Number of lines left for peeks.
    pub peek_lines_remaining: u32,
}

impl Expansion {
    /// Begins with what a first search found, which counts as one step.
    pub fn new(
        sub_queries: Vec<SubQuery>,
        first: &[SubQueryHit],
        limits: ExpansionLimits,
        bonus: SubQueryBonus,
    ) -> Self {
        let mut fusion = Fusion::new(bonus);
        fusion.add(first);
        // What the first search found was not enough, or there would be no expansion: its entropy ends nothing.
        Self { limits, open: sub_queries.into(), fusion, steps_used: 1, peek_lines_used: 0, stopped: None }
    }

    /// The next search, which is then a step; `None` when nothing is to be searched any more.
    pub fn next_query(&mut self) -> Option<SubQuery> {
        if self.stopped.is_some() {
            return None;
        }
        if self.open.is_empty() {
            self.stopped = Some(StopReason::Done);
        } else if self.steps_used >= self.limits.max_steps {
            self.stopped = Some(StopReason::MaxSteps);
        }
        if self.stopped.is_some() {
            return None;
        }
        self.steps_used += 1;
        self.open.pop_front()
    }

    /// Adds what the search of [`Expansion::next_query`] found.
    pub fn record(&mut self, found: &[SubQueryHit]) {
        let kept = self.limits.max_candidates as usize;
        let ids = |fusion: &Fusion| -> BTreeSet<String> { fusion.best(kept).into_iter().map(|one| one.id).collect() };
        let before = ids(&self.fusion);
        self.fusion.add(found);
        if self.stopped.is_some() {
            return;
        }
        let scores: Vec<f64> = self.fusion.best(kept).iter().map(|one| one.score).collect();
        let rules = GateRules::default();
        if scores.len() >= rules.few && entropy(&scores, rules.temperature).normalized < ENOUGH_NORMALIZED {
            self.stopped = Some(StopReason::LowEntropy);
        } else if before.len() >= kept && ids(&self.fusion) == before {
            self.stopped = Some(StopReason::MaxCandidates);
        }
    }

    /// How many of `lines` may be peeked at, which is then a step; 0 when none may, and the expansion ends.
    pub fn peek(&mut self, lines: u32) -> u32 {
        let lines = lines.min(self.limits.max_peek_lines.saturating_sub(self.peek_lines_used));
        if self.steps_used >= self.limits.max_steps {
            self.stopped = self.stopped.or(Some(StopReason::MaxSteps));
            return 0;
        }
        if lines == 0 {
            self.stopped = self.stopped.or(Some(StopReason::MaxPeekLines));
            return 0;
        }
        self.steps_used += 1;
        self.peek_lines_used += lines;
        lines
    }

    /// Ends it, since the time is over.
    pub fn time_out(&mut self) {
        self.stopped = self.stopped.or(Some(StopReason::Timeout));
    }

    /// The result of the expansion.
    pub fn finish(self) -> SubQueryExpansion {
        let stop_reason = match self.stopped {
            Some(reason) => reason,
            None if self.open.is_empty() => StopReason::Done,
            // The caller stopped early without a reason of this crate's.
            None => StopReason::Timeout,
        };
        SubQueryExpansion {
            candidates: self.fusion.best(self.limits.max_candidates as usize),
            stop_reason,
            is_partial: !matches!(stop_reason, StopReason::Done | StopReason::LowEntropy),
            steps_used: self.steps_used,
            steps_remaining: self.limits.max_steps.saturating_sub(self.steps_used),
            peek_lines_used: self.peek_lines_used,
            peek_lines_remaining: self.limits.max_peek_lines - self.peek_lines_used,
        }
    }
}

/// What was found so far, by id.
#[derive(Debug)]
struct Fusion {
    bonus: SubQueryBonus,
    rows: BTreeMap<String, FusionRow>,
}

#[derive(Debug)]
struct FusionRow {
    path: String,
    start_line: u32,
    score: f64,
    found_by: u32,
    sources: BTreeSet<String>,
}

impl Fusion {
    fn new(bonus: SubQueryBonus) -> Self {
        Self { bonus, rows: BTreeMap::new() }
    }

    fn add(&mut self, list: &[SubQueryHit]) {
        // An id that a list has twice was found once.
        let mut in_list: BTreeSet<&str> = BTreeSet::new();
        for found in list {
            let row = self.rows.entry(found.id.clone()).or_insert_with(|| FusionRow {
                path: found.path.clone(),
                start_line: found.start_line,
                score: 0.0,
                found_by: 0,
                sources: BTreeSet::new(),
            });
            let score = if found.score.is_finite() { found.score } else { 0.0 };
            row.score = row.score.max(score);
            row.found_by += u32::from(in_list.insert(&found.id));
            row.sources.insert(found.source.clone());
        }
    }

    /// The best `limit` of all that was added; best first, ties by path and place. The order of the lists does not
    /// matter.
    fn best(&self, limit: usize) -> Vec<FusedHit> {
        let fused = |(id, row): (&String, &FusionRow)| FusedHit {
            id: id.clone(),
            path: row.path.clone(),
            start_line: row.start_line,
            score: row.score
                + self.bonus.found_again * f64::from(row.found_by).log2()
                + self.bonus.other_source * (row.sources.len() as f64 - 1.0),
            found_by: row.found_by,
            sources: row.sources.iter().cloned().collect(),
        };
        let mut all: Vec<FusedHit> = self.rows.iter().map(fused).collect();
        all.sort_by(|a, b| {
            let place = |one: &FusedHit| (one.path.clone(), one.start_line, one.id.clone());
            b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b)))
        });
        all.truncate(limit);
        all
    }
}

#[cfg(test)]
mod tests;

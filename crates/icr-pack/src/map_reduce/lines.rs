//! The lines of one source, and the passages among them that are worth showing.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use icr_tokens::model_tokens;

use super::prompt_terms::{Phase, PromptTerms};
use super::{Extract, shown_line};

/// Lines shown before and after one that was looked for.
const LINES_AROUND: usize = 2;

/// Least share of the best line's weight that a line must have to be looked at.
const LEAST_SHARE: f64 = 0.5;

/// Lines of a source and the words each has.
pub(super) struct SourceLines<'a> {
    pub(super) path: &'a str,
    start_line: u32,
    lines: Vec<(&'a str, u64)>,
}

/// Consecutive lines of a source, by their places in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Passage {
    pub(super) lines: RangeInclusive<usize>,
    /// The words they have.
    pub(super) mask: u64,
}

impl<'a> SourceLines<'a> {
    pub(super) fn of(path: &'a str, start_line: u32, text: &'a str, wanted: &PromptTerms) -> Self {
        Self { path, start_line, lines: text.lines().map(|line| (line, wanted.mask(line))).collect() }
    }

    pub(super) fn masks(&self) -> impl Iterator<Item = u64> {
        self.lines.iter().map(|(_, mask)| *mask)
    }

    /// Passages around the best lines that cost at most `budget_tokens` together, in order.
    pub(super) fn passages(&self, wanted: &PromptTerms, budget_tokens: u32) -> Vec<Passage> {
        let weights: Vec<f64> = self.masks().map(|mask| wanted.weight(mask, Phase::Map)).collect();
        let best = weights.iter().copied().fold(0.0, f64::max);
        let mut seeds: Vec<usize> = (0..weights.len()).filter(|at| weights[*at] > 0.0).collect();
        seeds.retain(|at| weights[*at] >= best * LEAST_SHARE);
        seeds.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
        let mut left = budget_tokens;
        let mut shown: BTreeSet<usize> = BTreeSet::new();
        for seed in seeds {
            for window in [self.lines_around(seed), seed..=seed] {
                let new: Vec<usize> = window.filter(|at| !shown.contains(at)).collect();
                let cost: u32 = new.iter().map(|at| self.tokens(*at)).fold(0, u32::saturating_add);
                if cost <= left {
                    left -= cost;
                    shown.extend(new);
                    break;
                }
            }
        }
        let shown: Vec<usize> = shown.into_iter().collect();
        shown.chunk_by(|a, b| a + 1 == *b).map(|run| self.passage(run[0]..=run[run.len() - 1])).collect()
    }

    /// The line of a passage with the most weight, the first of equals.
    pub(super) fn best_line(&self, passage: &Passage, wanted: &PromptTerms) -> Passage {
        let weight = |at: usize| wanted.weight(self.lines[at].1, Phase::Reduce);
        let best = passage.lines.clone().reduce(|best, at| if weight(at) > weight(best) { at } else { best });
        let best = best.unwrap_or(*passage.lines.start());
        self.passage(best..=best)
    }

    pub(super) fn passage(&self, lines: RangeInclusive<usize>) -> Passage {
        let mask = self.lines[lines.clone()].iter().fold(0, |mask, (_, line)| mask | line);
        Passage { lines, mask }
    }

    /// The lines as a result shows them.
    pub(super) fn text_of(&self, passage: &Passage) -> String {
        passage.lines.clone().map(|at| shown_line(self.path, self.number(at), self.lines[at].0)).collect()
    }

    /// The words of a passage only, to recognise copies.
    pub(super) fn words_only(&self, passage: &Passage) -> String {
        self.lines[passage.lines.clone()].iter().flat_map(|(line, _)| line.split_whitespace()).collect()
    }

    pub(super) fn extract(&self, passage: &Passage, score: f64) -> Extract {
        let lines: Vec<&str> = self.lines[passage.lines.clone()].iter().map(|(line, _)| *line).collect();
        Extract {
            path: self.path.to_owned(),
            start_line: self.number(*passage.lines.start()),
            end_line: self.number(*passage.lines.end()),
            text: lines.join("\n"),
            score,
        }
    }

    pub(super) fn number(&self, at: usize) -> u32 {
        self.start_line.saturating_add(u32::try_from(at).unwrap_or(u32::MAX))
    }

    /// The lines around `seed`, without blank ones at the ends.
    fn lines_around(&self, seed: usize) -> RangeInclusive<usize> {
        let is_blank = |at: &usize| self.lines[*at].0.trim().is_empty();
        let last = (seed + LINES_AROUND).min(self.lines.len() - 1);
        let first = (seed.saturating_sub(LINES_AROUND)..seed).find(|at| !is_blank(at)).unwrap_or(seed);
        let last = (seed + 1..=last).rev().find(|at| !is_blank(at)).unwrap_or(seed);
        first..=last
    }

    fn tokens(&self, at: usize) -> u32 {
        model_tokens(shown_line(self.path, self.number(at), self.lines[at].0).as_bytes())
    }
}

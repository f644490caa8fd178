//! The words of the prompts, and their weights.

use std::collections::HashMap;

use crate::terms::{distinct_terms, terms};

/// Most words that are looked for: as many as a mask has bits. Prompts have fewer words that matter.
const WORDS_MOST: usize = 64;

/// Weight of a word that only the task has, relative to a word of a prompt.
const TASK_SHARE: f64 = 0.5;

/// Stems of words that say what to do with a source, not what to look for in it.
const INSTRUCTIONS: &[&str] = &[
    // tidy: sorted
    "answer", "cod", "codebas", "combin", "content", "describ", "explain", "extract", "fil", "find", "follow",
    "identify", "list", "merg", "pattern", "provid", "quot", "relevant", "report", "result", "sourc", "summar",
    "summariz", "summary",
    // tidy: end
];

/// Which prompt a weight is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Map,
    Reduce,
}

/// Words that are looked for. A set of them is a mask with a bit for each.
#[derive(Debug)]
pub(super) struct PromptTerms {
    places: HashMap<String, usize>,
    map_weights: Vec<f64>,
    reduce_weights: Vec<f64>,
}

impl PromptTerms {
    pub(super) fn of(task: &str, map_prompt: &str, reduce_prompt: &str) -> Self {
        let mut wanted = Self { places: HashMap::new(), map_weights: Vec::new(), reduce_weights: Vec::new() };
        let mut add = |words: Vec<String>, map: f64, reduce: f64| {
            for word in words {
                let next = wanted.places.len();
                let place = *wanted.places.entry(word).or_insert(next);
                if place == wanted.map_weights.len() {
                    wanted.map_weights.push(0.0);
                    wanted.reduce_weights.push(0.0);
                }
                wanted.map_weights[place] = wanted.map_weights[place].max(map);
                wanted.reduce_weights[place] = wanted.reduce_weights[place].max(reduce);
            }
        };
        // Passages are about the words that were looked for in each source, so these words count in both phases.
        add(prompt_terms(map_prompt), 1.0, 1.0);
        add(prompt_terms(reduce_prompt), 0.0, 1.0);
        add(prompt_terms(task), TASK_SHARE, TASK_SHARE);
        wanted
    }

    /// The words that `line` has.
    pub(super) fn mask(&self, line: &str) -> u64 {
        let places = terms(line).into_iter().filter_map(|term| self.places.get(&term).copied());
        places.filter(|place| *place < WORDS_MOST).fold(0, |mask, place| mask | 1 << place)
    }

    /// Weighs each word by its rarity among all lines.
    pub(super) fn weigh(&mut self, masks: impl Iterator<Item = u64>) {
        let mut lines_total = 0_u32;
        let mut lines_with = [0_u32; WORDS_MOST];
        for mask in masks {
            lines_total += 1;
            for (place, lines) in lines_with.iter_mut().enumerate() {
                *lines += u32::from(mask & 1 << place != 0);
            }
        }
        for (place, lines) in lines_with.iter().enumerate().take(self.map_weights.len()) {
            let rarity = if *lines == 0 { 0.0 } else { (1.0 + f64::from(lines_total) / f64::from(*lines)).ln() };
            self.map_weights[place] *= rarity;
            self.reduce_weights[place] *= rarity;
        }
    }

    /// Sum of the weights of the words in `mask`.
    pub(super) fn weight(&self, mask: u64, phase: Phase) -> f64 {
        let weights = if phase == Phase::Map { &self.map_weights } else { &self.reduce_weights };
        let counted = weights.iter().enumerate().take(WORDS_MOST).filter(|(place, _)| mask & 1 << place != 0);
        counted.map(|(_, weight)| weight).sum()
    }
}

/// The words of `prompt`, without its placeholders.
fn prompt_terms(prompt: &str) -> Vec<String> {
    let words = distinct_terms(&prompt.replace("{content}", " ").replace("{results}", " "));
    words.into_iter().filter(|word| INSTRUCTIONS.binary_search(&word.as_str()).is_err()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_and_instructions_are_not_looked_for() {
        assert_eq!(prompt_terms("Extract error handling patterns from this file: {content}"), ["error", "handl"]);
        assert_eq!(prompt_terms("Combine these error handling patterns into a summary: {results}"), ["error", "handl"]);
        assert_eq!(prompt_terms("{content}"), [""; 0]);
    }

    #[test]
    fn rare_words_count_more_and_those_of_the_task_half() {
        let mut wanted = PromptTerms::of("parse", "error timeout", "socket");
        let lines = ["an error", "another error", "a timeout", "parse it", "nothing"];
        let masks: Vec<u64> = lines.iter().map(|line| wanted.mask(line)).collect();
        wanted.weigh(masks.iter().copied());
        let weights: Vec<f64> = masks.iter().map(|mask| wanted.weight(*mask, Phase::Map)).collect();
        assert!(weights[2] > weights[0] && weights[0] == weights[1]);
        assert!((weights[3] * 2.0 - weights[2]).abs() < 1e-12);
        assert_eq!(weights[4], 0.0);
        assert_eq!(wanted.weight(wanted.mask("socket"), Phase::Reduce), 0.0);
    }

    #[test]
    fn hundreds_of_words_are_no_problem() {
        let many: String = (0..300).map(|at| format!("word{at} ")).collect();
        let mut wanted = PromptTerms::of("task", &many, "reduce");
        let masks = [wanted.mask("word3 word299")];
        wanted.weigh(masks.into_iter());
        assert_eq!(masks[0].count_ones(), 1);
        assert!(wanted.weight(masks[0], Phase::Map) > 0.0);
    }
}

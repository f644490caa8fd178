//! Quality of a table: sentences of packages that were not used in training are asked among the definitions of their
//! language.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use icr_embed::{StaticEmbedder, StaticScratch};

use super::kernels::dot;
use super::pairs::Pair;
use super::seed::digest;

/// Share of the pairs of a language that is held out, in whole packages.
const SHARE: f32 = 0.05;

/// A package with a larger share of its language's pairs is not held out, since too little would be left for training.
const MAX_SHARE: f32 = 0.25;

/// Definitions of a language that are searched, and sentences that ask: what takes a second.
const DEFINITIONS: usize = 1_000;
const QUESTIONS: usize = 400;

/// Ranks that count for the mean reciprocal rank.
const RANKS: usize = 10;

/// Pairs of packages that are held out, by language.
pub(crate) struct HeldOut {
    by_language: BTreeMap<&'static str, Vec<Pair>>,
}

/// Mean reciprocal ranks.
pub(crate) struct ReciprocalRanks {
    /// Language, definitions, mean reciprocal rank, share found at all.
    rows: Vec<(&'static str, usize, f32, f32)>,
}

/// Splits pairs into held-out packages and the others. A package belongs to the language of most of its pairs.
pub(crate) fn split(pairs: Vec<Pair>) -> (Vec<Pair>, Vec<Pair>) {
    let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for pair in &pairs {
        *counts.entry(&pair.package).or_default().entry(pair.language).or_default() += 1;
    }
    let mut packages: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
    for (package, counts) in counts {
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        let (language, count) = most.expect("a package has a pair");
        packages.entry(language).or_default().push((package, count));
    }
    let mut held_out: BTreeSet<String> = BTreeSet::new();
    for packages in packages.values_mut() {
        packages.sort_by_key(|(package, _)| digest(package));
        let total = packages.iter().map(|(_, count)| count).sum::<usize>() as f32;
        let mut held = 0;
        for (package, count) in packages.iter().filter(|(_, count)| *count as f32 <= MAX_SHARE * total) {
            if held as f32 >= SHARE * total {
                break;
            }
            held += count;
            held_out.insert((*package).to_owned());
        }
    }
    pairs.into_iter().partition(|pair| held_out.contains(&pair.package))
}

impl HeldOut {
    pub(crate) fn new(pairs: Vec<Pair>) -> Self {
        let mut by_language: BTreeMap<&'static str, Vec<Pair>> = BTreeMap::new();
        for pair in pairs {
            by_language.entry(pair.language).or_default().push(pair);
        }
        for pairs in by_language.values_mut() {
            pairs.sort_by_key(|pair| digest(&pair.code));
            pairs.truncate(DEFINITIONS);
        }
        // Of fewer any table finds most.
        by_language.retain(|_, pairs| pairs.len() >= 50);
        Self { by_language }
    }

    /// Quality of `embedder` on the held-out pairs.
    pub(crate) fn measure(&self, embedder: &StaticEmbedder) -> ReciprocalRanks {
        let mut scratch = StaticScratch::default();
        let mut vector = |text: &str| {
            let mut vector = vec![0.0; embedder.dims()];
            embedder.embed_into(text, &mut scratch, &mut vector);
            vector
        };
        let mut rows = Vec::new();
        for (language, pairs) in &self.by_language {
            let definitions: Vec<Vec<f32>> = pairs.iter().map(|pair| vector(&pair.code)).collect();
            let questions = pairs.len().min(QUESTIONS);
            let (mut sum, mut found) = (0.0, 0);
            for (at, pair) in pairs.iter().take(questions).enumerate() {
                let question = vector(&pair.sentence);
                let right = dot(&question, &definitions[at]);
                let before = definitions.iter().filter(|other| dot(&question, other) > right).count();
                if before < RANKS {
                    sum += 1.0 / (before + 1) as f32;
                    found += 1;
                }
            }
            rows.push((*language, pairs.len(), sum / questions as f32, found as f32 / questions as f32));
        }
        ReciprocalRanks { rows }
    }
}

impl ReciprocalRanks {
    /// The mean of all languages.
    pub(crate) fn mean(&self) -> f32 {
        self.rows.iter().map(|(_, _, mean, _)| mean).sum::<f32>() / self.rows.len().max(1) as f32
    }
}

impl fmt::Display for ReciprocalRanks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{:18} {:>11} {:>7} {:>9}", "language", "definitions", "MRR@10", "recall@10")?;
        for (language, definitions, mean, recall) in &self.rows {
            writeln!(formatter, "{language:18} {definitions:>11} {mean:>7.3} {recall:>9.3}")?;
        }
        writeln!(formatter, "{:18} {:>11} {:>7.3}", "mean", "", self.mean())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_held_out_whole_and_each_language_has_one() {
        let pair = |package: usize, at: usize| Pair {
            package: format!("p{package}"),
            language: if package == 40 { "kotlin" } else { "rust" },
            path: String::new(),
            sentence: format!("sentence {at}"),
            doc: String::new(),
            code: String::new(),
        };
        let pairs: Vec<Pair> = (0..41).flat_map(|package| (0..5).map(move |at| pair(package, at))).collect();
        let (held_out, others) = split(pairs);
        let packages: BTreeSet<&str> = held_out.iter().map(|pair| &*pair.package).collect();
        assert_eq!((held_out.len(), packages.len()), (10, 2), "{packages:?}");
        assert!(others.iter().all(|pair| !packages.contains(&*pair.package)));
        assert!(others.iter().any(|pair| pair.language == "kotlin"), "one package alone is for training");
    }
}

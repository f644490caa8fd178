//! Computes the threshold of the gate from questions about a repository that are known to be easy.

use serde::Serialize;

use crate::gate::SCORES_MAX;

/// Share of easy questions that one search must be enough for.
const EASY_SHARE: f64 = 0.75;

/// Fewest questions that a threshold may rest on: the upper quarter is then five of them.
const QUESTIONS_LEAST: usize = 20;

/// Lowest threshold. An expansion stops at this entropy, so a lower threshold would start expansions that end at once.
const LEAST_NORMALIZED: f64 = 0.3;

/// Highest threshold: 25 equally good candidates among 50 (`ln 25 / ln 50`) are no clear answer in any repository.
const MOST_NORMALIZED: f64 = 0.822;

/// Shortest name that makes an easy question, in characters. Shorter names occur everywhere.
const NAME_CHARACTERS_LEAST: usize = 4;

/// Where a threshold comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CalibrationSource {
    /// From this repository's questions.
    Measured,
    /// From this repository's questions, moved to the nearest allowed value.
    Bounded,
    /// Too few questions: the one that was given.
    TooFewQuestions,
}

/// A threshold for [`crate::GateRules`] and what it rests on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Calibration {
    /// The threshold in nats for 50 candidates, the unit of the configuration.
    pub entropy_threshold: f64,
    /// The same as a share of what 50 candidates can have.
    pub threshold_normalized: f64,
    /// Where it comes from.
    pub source: CalibrationSource,
    /// Questions that had candidates.
    pub questions: usize,
    /// Normalised entropy that half of them stay at or below; `None` without questions.
    pub median: Option<f64>,
    /// Normalised entropy that three quarters of them stay at or below, before bounds; `None` without questions.
    pub p75: Option<f64>,
}

/// A threshold from `normalized`, the normalised entropies of easy questions in any order ([`easy_questions`] names
/// some), or `fallback_nats` when fewer than 20 of them are numbers.
///
/// Questions without candidates have no entropy: leave them out, or give `NaN`.
pub fn calibrate(normalized: &[f64], fallback_nats: f64) -> Calibration {
    let mut sorted: Vec<f64> = normalized.iter().copied().filter(|value| (0.0..=1.0).contains(value)).collect();
    sorted.sort_by(f64::total_cmp);
    let most_nats = (SCORES_MAX as f64).ln();
    let p75 = quantile(&sorted, EASY_SHARE);
    let (threshold_normalized, source) = match p75 {
        Some(measured) if sorted.len() >= QUESTIONS_LEAST => {
            let bounded = measured.clamp(LEAST_NORMALIZED, MOST_NORMALIZED);
            let source = if bounded == measured { CalibrationSource::Measured } else { CalibrationSource::Bounded };
            (bounded, source)
        }
        _ => (fallback_nats / most_nats, CalibrationSource::TooFewQuestions),
    };
    Calibration {
        entropy_threshold: threshold_normalized * most_nats,
        threshold_normalized,
        source,
        questions: sorted.len(),
        median: quantile(&sorted, 0.5),
        p75,
    }
}

/// At most `limit` of `names` that make easy questions: names of at least four characters that one definition has,
/// spread evenly over the alphabet. Give the name of every definition, in any order.
pub fn easy_questions<'a>(names: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    let mut sorted: Vec<&str> =
        names.into_iter().filter(|name| name.chars().count() >= NAME_CHARACTERS_LEAST).collect();
    sorted.sort_unstable();
    let unique: Vec<&str> = sorted.chunk_by(|a, b| a == b).filter(|same| same.len() == 1).map(|same| same[0]).collect();
    let count = unique.len().min(limit);
    (0..count).map(|at| unique[at * unique.len() / count]).collect()
}

/// The least value that `share` of `sorted` stay at or below.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(normalized: &[f64], threshold: f64, source: CalibrationSource) {
        let found = calibrate(normalized, 2.5);
        assert!((found.threshold_normalized - threshold).abs() < 1e-9, "{found:?}");
        assert!((found.entropy_threshold - threshold * 50.0_f64.ln()).abs() < 1e-9, "{found:?}");
        assert_eq!(found.source, source);
    }

    #[test]
    fn three_quarters_of_the_easy_questions_stay_at_or_below() {
        let spread: Vec<f64> = (1..=20).rev().map(|at| f64::from(at) / 25.0).collect();
        check(&spread, 15.0 / 25.0, CalibrationSource::Measured);
    }

    #[test]
    fn thresholds_are_bounded() {
        check(&[0.01; 30], 0.3, CalibrationSource::Bounded);
        check(&[1.0; 30], 0.822, CalibrationSource::Bounded);
    }

    #[test]
    fn few_questions_decide_nothing() {
        let given = 2.5 / 50.0_f64.ln();
        check(&[], given, CalibrationSource::TooFewQuestions);
        check(&[0.5; 19], given, CalibrationSource::TooFewQuestions);
        let mut with_gaps = vec![0.5; 19];
        with_gaps.extend([f64::NAN, -0.1, 1.1, f64::INFINITY]);
        check(&with_gaps, given, CalibrationSource::TooFewQuestions);
        assert_eq!(calibrate(&with_gaps, 2.5).questions, 19);
        check(&[0.5; 20], 0.5, CalibrationSource::Measured);
    }

    #[test]
    fn names_that_are_unique_and_long_enough_are_asked_for() {
        let names = ["open_file", "new", "close", "open_file", "parse", "read_all", "seek", "zip_it"];
        assert_eq!(easy_questions(names, 10), ["close", "parse", "read_all", "seek", "zip_it"]);
        assert_eq!(easy_questions(names, 2), ["close", "read_all"]);
        assert_eq!(easy_questions(names, 0), [""; 0]);
        assert_eq!(easy_questions([], 5), [""; 0]);
    }
}

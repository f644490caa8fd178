//! Decides whether one search gave a clear answer, or further searches with other words are needed.

mod entropy;
mod task_class;

use serde::Serialize;

pub(crate) use entropy::SCORES_MAX;
pub use entropy::{Entropy, entropy};
pub use task_class::{TASK_CLASSES, TaskClass, asks_for_uses, task_class};

use entropy::best_scores;

/// What a caller asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PackMode {
    /// [`gate`] decides.
    #[default]
    Auto,
    /// One search, then a pack.
    Pack,
    /// Further searches in other words, then a pack.
    Rlm,
}

/// The mode that was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModeUsed {
    /// One search, then a pack.
    Pack,
    /// Further searches in other words, then a pack.
    Rlm,
}

/// The reason for the chosen mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateReason {
    /// The caller asked for this mode.
    Requested,
    /// The caller asked for no mode, and asking in other words is switched off.
    ExpansionOff,
    /// The task asks for everything, whatever the scores are.
    TaskClass,
    /// Too few candidates to be undecided about, and the best of them is good.
    FewCandidates,
    /// No candidate is good, or all are as good as each other: the scores say nothing.
    WeakSignal,
    /// Few candidates stand out.
    LowEntropy,
    /// Many candidates are about as good as the best.
    HighEntropy,
}

/// Numbers that the decision rests on. `default()` is what ships; a repository's own threshold comes from
/// [`crate::calibrate`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GateRules {
    /// Threshold in nats for 50 candidates; it is compared as a share of `ln 50`. 2.5 is 0.639 of that: some twelve
    /// equally good candidates are still a clear answer, twice as many are not.
    pub threshold_nats: f64,
    /// Temperature of the softmax over scores mapped to `0.0..=1.0`. At 0.1 a candidate a tenth of the range below the
    /// best counts e times less; at 1.0 every list of fifty looks alike.
    pub temperature: f64,
    /// Least distance between the best and the last score that says anything, in units of the score.
    pub least_spread: f64,
    /// Least best score that says anything: a third of what a full lexical match alone earns by the default weights.
    pub least_top: f64,
    /// Fewer candidates than this are all shown anyway.
    pub few: usize,
}

impl Default for GateRules {
    fn default() -> Self {
        Self { threshold_nats: 2.5, temperature: 0.1, least_spread: 0.05, least_top: 0.1, few: 5 }
    }
}

impl GateRules {
    /// The threshold as a share of what 50 candidates can have, `0.0..` upwards.
    pub fn threshold_normalized(&self) -> f64 {
        self.threshold_nats / (SCORES_MAX as f64).ln()
    }
}

/// The decision and the data behind it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Gating {
    /// The chosen mode.
    pub mode_used: ModeUsed,
    /// The reason for it.
    pub gating_reason: GateReason,
    /// Name of the class of the task, see [`TASK_CLASSES`].
    pub task_class: Option<&'static str>,
    /// How undecided the scores are; the field `entropy` is in nats.
    #[serde(flatten)]
    pub entropy: Entropy,
    /// The threshold with which `entropy_normalized` was compared.
    pub threshold_normalized: f64,
}

/// Decides for `task` whose first search has these fused `scores`, in any order.
pub fn gate(task: &str, scores: &[f64], mode: PackMode, rules: &GateRules) -> Gating {
    let entropy = entropy(scores, rules.temperature);
    let class = task_class(task);
    let (mode_used, gating_reason) = match mode {
        PackMode::Pack => (ModeUsed::Pack, GateReason::Requested),
        PackMode::Rlm => (ModeUsed::Rlm, GateReason::Requested),
        PackMode::Auto if class.is_some() => (ModeUsed::Rlm, GateReason::TaskClass),
        PackMode::Auto => by_scores(scores, &entropy, rules),
    };
    Gating {
        mode_used,
        gating_reason,
        task_class: class.map(|class| class.name),
        entropy,
        threshold_normalized: rules.threshold_normalized(),
    }
}

fn by_scores(scores: &[f64], entropy: &Entropy, rules: &GateRules) -> (ModeUsed, GateReason) {
    let best = best_scores(scores);
    let top = best.first().copied().unwrap_or(0.0);
    let spread = top - best.last().copied().unwrap_or(0.0);
    if top < rules.least_top || best.is_empty() {
        (ModeUsed::Rlm, GateReason::WeakSignal)
    } else if best.len() < rules.few {
        (ModeUsed::Pack, GateReason::FewCandidates)
    } else if spread < rules.least_spread {
        (ModeUsed::Rlm, GateReason::WeakSignal)
    } else if entropy.normalized < rules.threshold_normalized() {
        (ModeUsed::Pack, GateReason::LowEntropy)
    } else {
        (ModeUsed::Rlm, GateReason::HighEntropy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(task: &str, scores: &[f64], mode: PackMode, expected: (ModeUsed, GateReason)) {
        let found = gate(task, scores, mode, &GateRules::default());
        assert_eq!((found.mode_used, found.gating_reason), expected, "{found:?}");
    }

    fn leaders(count: usize, high: f64, low: f64) -> Vec<f64> {
        (0..50).map(|at| if at < count { high } else { low }).collect()
    }

    #[test]
    fn the_shape_of_the_scores_decides() {
        let linear: Vec<f64> = (0..50).map(|at| 0.92 - 0.72 * f64::from(at) / 49.0).collect();
        let geometric: Vec<f64> = (0..50).map(|at| 0.9_f64.powi(at)).collect();
        let low = (ModeUsed::Pack, GateReason::LowEntropy);
        let high = (ModeUsed::Rlm, GateReason::HighEntropy);
        check("open files", &leaders(1, 0.95, 0.15), PackMode::Auto, low);
        check("open files", &leaders(2, 0.95, 0.15), PackMode::Auto, low);
        check("open files", &leaders(12, 0.95, 0.15), PackMode::Auto, low);
        check("open files", &geometric, PackMode::Auto, low);
        check("open files", &linear, PackMode::Auto, high);
        check("open files", &leaders(25, 0.9, 0.1), PackMode::Auto, high);
        check("open files", &leaders(50, 0.9, 0.1), PackMode::Auto, (ModeUsed::Rlm, GateReason::WeakSignal));
    }

    #[test]
    fn scores_that_say_nothing_are_told_from_few_good_ones() {
        let weak = (ModeUsed::Rlm, GateReason::WeakSignal);
        check("open files", &[], PackMode::Auto, weak);
        check("open files", &[f64::NAN], PackMode::Auto, weak);
        check("open files", &[0.09, 0.01, 0.0], PackMode::Auto, weak);
        check("open files", &[0.52, 0.51, 0.50, 0.50, 0.49], PackMode::Auto, weak);
        check("open files", &[0.52, 0.51, 0.50, 0.50], PackMode::Auto, (ModeUsed::Pack, GateReason::FewCandidates));
    }

    #[test]
    fn the_task_and_the_caller_come_before_the_scores() {
        let peak = leaders(1, 0.95, 0.15);
        check("Audit all usages of endpoint X", &peak, PackMode::Auto, (ModeUsed::Rlm, GateReason::TaskClass));
        check("Audit all usages of endpoint X", &peak, PackMode::Pack, (ModeUsed::Pack, GateReason::Requested));
        check("open files", &peak, PackMode::Rlm, (ModeUsed::Rlm, GateReason::Requested));
    }

    #[test]
    fn callers_see_one_flat_object() {
        let found = gate("open files", &[0.9, 0.9], PackMode::Auto, &GateRules::default());
        let shown = serde_json::to_value(found).expect("plain values");
        assert_eq!(shown["mode_used"], "pack");
        assert_eq!(shown["gating_reason"], "few_candidates");
        assert!((shown["entropy"].as_f64().expect("a number") - std::f64::consts::LN_2).abs() < 1e-12);
        assert!((shown["entropy_bits"].as_f64().expect("a number") - 1.0).abs() < 1e-12);
        assert!((shown["threshold_normalized"].as_f64().expect("a number") - 0.639).abs() < 0.001);
    }
}

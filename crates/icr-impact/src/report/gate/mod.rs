//! When a run shall fail: conditions such as `breaking, risk>=high and missing`.

mod condition;
mod parse;

pub use condition::{ConditionWord, MEASURES, Measure, Numbers, WORDS};
pub use parse::{GateError, parse};

use crate::{ContractChange, Effect, Impact, Verdict};

/// The subject of a finding, as conditions see it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Topic<'a> {
    /// A contract changed, and nobody accepted it.
    Contract(&'a ContractChange),
    /// A file refers to what changed.
    Dependent,
    /// A file seems forgotten.
    Missing,
    /// Code was not looked into.
    Unknown,
}

impl Topic<'_> {
    /// The verdict for a change whose only subject is this one.
    fn verdict(self) -> Verdict {
        match self {
            Self::Contract(change) => match change.effect {
                Effect::Holds => Verdict::Clean,
                Effect::MayBreak => Verdict::MayBreak,
                Effect::Breaks => Verdict::Breaking,
            },
            Self::Dependent | Self::Missing => Verdict::Review,
            Self::Unknown => Verdict::Unknown,
        }
    }
}

/// Conditions that make a run fail.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// Met when all conditions of one row are; never when there is no row.
    any: Vec<Vec<condition::Condition>>,
}

impl Gate {
    /// Why the run shall fail, in words, names in backticks: the first alternative that holds. `None` when none does.
    ///
    /// A risk whose level is not known meets `unknown`, and every threshold (`risk>=low`, `risk>0.9`): it cannot be
    /// ruled out that the risk is as high. It meets no `risk=…` but `risk=unknown`. Lists that were cut count in full.
    pub fn met_by(&self, impact: &Impact) -> Option<String> {
        let all = |conditions: &Vec<condition::Condition>| {
            let reasons: Option<Vec<String>> = conditions.iter().map(|condition| condition.met_by(impact)).collect();
            reasons.map(|reasons| reasons.join(" and "))
        };
        self.any.iter().find_map(all)
    }

    /// The default gate: `breaking`.
    pub(super) fn breaking() -> Self {
        parse("breaking").expect("it is one of the words")
    }

    /// The alternatives that hold.
    pub(super) fn alternatives_met_by(&self, impact: &Impact) -> Self {
        let holds = |conditions: &&Vec<condition::Condition>| {
            conditions.iter().all(|condition| condition.met_by(impact).is_some())
        };
        Self { any: self.any.iter().filter(holds).cloned().collect() }
    }

    /// Whether one of the conditions is about `topic`.
    pub(super) fn is_about(&self, topic: Topic<'_>) -> bool {
        self.any.iter().flatten().any(|condition| condition.is_about(topic))
    }

    /// Whether the gate is `none`, which is never met.
    pub fn is_none(&self) -> bool {
        self.any.is_empty()
    }
}

#[cfg(test)]
mod tests;

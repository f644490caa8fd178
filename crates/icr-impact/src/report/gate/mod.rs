//! When a run shall fail: conditions such as `breaking, risk>=high and missing`.

mod condition;
mod parse;

pub use condition::{MEASURES, Measure, Numbers, WORDS, Word};
pub use parse::{GateError, parse};

use crate::Impact;

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

    /// Whether it is met by nothing: `none`.
    pub fn is_none(&self) -> bool {
        self.any.is_empty()
    }
}

#[cfg(test)]
mod tests;

//! Budgets of packs.

use crate::Error;

/// Budgets of packs, in model tokens, for all interfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackBudgets {
    /// Budget when none is asked for, where a configuration says one.
    pub default: Option<u32>,
    /// Largest budget that may be asked for; at most [`PackBudgets::MOST`].
    pub most: u32,
}

impl Default for PackBudgets {
    fn default() -> Self {
        Self { default: None, most: 32_000 }
    }
}

impl PackBudgets {
    /// Budget when neither the caller nor a configuration says one: a few screens of code.
    pub const USUAL: u32 = 4_000;

    /// Least budget: a heading and a short function.
    pub const LEAST: u32 = 512;

    /// Largest budget that a configuration may allow: the whole context of a large model.
    pub const MOST: u32 = 200_000;

    /// The budget for somebody who asks for `asked`.
    ///
    /// # Errors
    ///
    /// [`Error::Bounds`] when `asked` or the configured default is less than a pack needs or more than is allowed.
    pub fn choose(&self, asked: Option<u32>) -> Result<u32, Error> {
        let budget = asked.or(self.default).unwrap_or(Self::USUAL.min(self.most));
        match (Self::LEAST..=self.most).contains(&budget) {
            true => Ok(budget),
            false => Err(Error::Bounds {
                field: "the budget",
                allowed: format!("{} to {} model tokens", Self::LEAST, self.most),
                value: budget.to_string(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(budgets: PackBudgets, asked: Option<u32>, expected: Result<u32, &str>) {
        assert_eq!(budgets.choose(asked).map_err(|error| error.to_string()), expected.map_err(str::to_owned));
    }

    #[test]
    fn what_is_asked_comes_before_what_is_configured_and_that_before_what_is_usual() {
        let configured = PackBudgets { default: Some(2_000), most: 32_000 };
        check(configured, Some(600), Ok(600));
        check(configured, None, Ok(2_000));
        check(PackBudgets::default(), None, Ok(4_000));
        check(PackBudgets { default: None, most: 1_000 }, None, Ok(1_000));
    }

    #[test]
    fn budgets_out_of_bounds_are_refused() {
        check(PackBudgets::default(), Some(511), Err("the budget must be 512 to 32000 model tokens, not `511`"));
        check(PackBudgets::default(), Some(32_001), Err("the budget must be 512 to 32000 model tokens, not `32001`"));
        check(PackBudgets::default(), Some(512), Ok(512));
    }
}

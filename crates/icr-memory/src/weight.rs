//! The decay of memory weights.

use icr_model::UnixMillis;

use crate::{Importance, Memory, MemoryRules};

/// Milliseconds of a day.
pub const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Smallest weight that decay leaves, so that a weight is always above 0.
const LEAST: f64 = 1e-9;

/// How much each counted access slows the decay: it is added to the divisor of the decay rate.
const ACCESS_SLOWS: f64 = 0.1;

/// The weight at `now` of a memory that had `weight` at `weight_at`.
///
/// Each day takes the share `rules.decay_per_day` × the importance's factor / (1 + 0.1 × accesses), where at most
/// `rules.access_cap` accesses count. If the clock went backwards, the weight does not change. The result is above 0 and
/// at most 1.
pub fn effective_weight(
    (weight, weight_at): (f64, UnixMillis),
    importance: Importance,
    access_count: u32,
    rules: &MemoryRules,
    now: UnixMillis,
) -> f64 {
    let days = now.duration_since(weight_at).as_millis() as f64 / DAY_MS as f64;
    let accesses = f64::from(access_count.min(rules.access_cap));
    let rate = rules.decay_per_day * importance.decay_factor() / (1.0 + ACCESS_SLOWS * accesses);
    let survival = (1.0 - rate).clamp(0.0, 1.0);
    let weight = if weight.is_finite() { weight } else { 1.0 };
    (weight * survival.powf(days)).clamp(LEAST, 1.0)
}

/// The weight of a memory and its time as far as they can be believed at `now`: a weight that is more than a day in the
/// future, of a memory that is no younger than `now`, was computed under a clock that was ahead, and counts as 1 from
/// `now` on. If the memory itself is younger, the clock is behind now, and the weight stays.
pub(crate) fn believed_weight(
    (weight, weight_at): (f64, UnixMillis),
    created_at: UnixMillis,
    now: UnixMillis,
) -> (f64, UnixMillis) {
    let believed_at = believed_time(weight_at, created_at, now);
    if believed_at == weight_at { (weight, weight_at) } else { (1.0, believed_at) }
}

/// `at`, or `now` if a clock that was ahead wrote it; see [`believed_weight`].
pub(crate) fn believed_time(at: UnixMillis, created_at: UnixMillis, now: UnixMillis) -> UnixMillis {
    if at.0.saturating_sub(now.0) > DAY_MS && created_at <= now { now } else { at }
}

impl Memory {
    /// The [`effective_weight`] of the memory at `now`.
    pub fn weight_now(&self, rules: &MemoryRules, now: UnixMillis) -> f64 {
        let believed = believed_weight((self.weight, self.weight_at), self.created_at, now);
        effective_weight(believed, self.importance, self.access_count, rules, now)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY: i64 = DAY_MS;

    fn after(days: i64, importance: Importance, accesses: u32) -> f64 {
        effective_weight((1.0, UnixMillis(0)), importance, accesses, &MemoryRules::default(), UnixMillis(days * DAY))
    }

    #[test]
    fn weights_decay_as_their_importance_says() {
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-3, "{found} is not {expected}");
        near(after(7, Importance::Medium, 0), 0.698);
        near(after(14, Importance::Medium, 0), 0.488);
        near(after(30, Importance::Medium, 0), 0.215);
        near(after(30, Importance::High, 0), 0.468);
        near(after(10_000, Importance::Critical, 0), 1.0);
        let first_below = |importance, accesses| (0..).find(|days| after(*days, importance, accesses) < 0.1);
        assert_eq!(first_below(Importance::Medium, 0), Some(45));
        assert_eq!(first_below(Importance::Medium, 5), Some(68));
        assert_eq!(first_below(Importance::Medium, 500), Some(68), "more accesses do not count");
        assert_eq!(first_below(Importance::Low, 0), Some(22));
    }

    #[test]
    fn a_weight_that_a_clock_ahead_left_behind_is_not_believed() {
        let now = UnixMillis(1_000 * DAY);
        let at = |days: i64| UnixMillis(now.0 + days * DAY);
        let believed = |weight_at, created_at| believed_weight((0.01, weight_at), created_at, now);
        assert_eq!(believed(at(60), at(-5)), (1.0, now));
        for weight_at in [at(1), at(0), at(-5)] {
            assert_eq!(believed(weight_at, at(-5)), (0.01, weight_at));
        }
        assert_eq!(believed(at(400), at(400)), (0.01, at(400)), "the clock is behind now");
    }

    proptest! {
        #[test]
        fn many_steps_are_one_long_one(days in 0_i64..400, accesses in 0_u32..20) {
            let rules = MemoryRules::default();
            let mut weight = 1.0;
            for day in 0..days {
                let (from, to) = (UnixMillis(day * DAY), UnixMillis((day + 1) * DAY));
                weight = effective_weight((weight, from), Importance::Medium, accesses, &rules, to);
            }
            prop_assert!((weight - after(days, Importance::Medium, accesses)).abs() < 1e-6);
        }

        #[test]
        fn a_weight_is_above_nothing_and_at_most_one(
            weight in any::<f64>(), at in any::<i64>(), now in any::<i64>(), accesses in any::<u32>(), rate in 0.0..=0.5_f64,
        ) {
            let rules = MemoryRules { decay_per_day: rate, ..MemoryRules::default() };
            for importance in Importance::ALL {
                let (at, now) = (UnixMillis(at), UnixMillis(now));
                let weight = effective_weight((weight, at), importance, accesses, &rules, now);
                prop_assert!(weight > 0.0 && weight <= 1.0);
            }
        }
    }
}

//! Measures how useful the answers of icr were: pure functions over events.
//!
//! Each metric comes with the counts that it is computed from, and is `None` if its denominator is 0.

mod ewr_calls;
mod ewr_tokens;
mod imr;
mod report;
mod session;

pub use ewr_calls::{EWR_CALLS_TARGET, EwrCalls, ewr_calls};
pub use ewr_tokens::{CallExploration, EwrTokens, KindExploration, ewr_tokens, ewr_tokens_of_calls};
pub use imr::{IMR_TARGET, Imr, imr};
pub use report::{Metrics, MetricsRequest, SessionMetrics, TrendPoint};

/// `numerator` divided by `denominator`, which is at least as large; `None` if `denominator` is 0.
fn rate(numerator: u64, denominator: u64) -> Option<f64> {
    (denominator > 0).then(|| numerator as f64 / denominator as f64)
}

#[cfg(test)]
mod tests;

//! The Exploration Waste Ratio in calls.

use serde::Serialize;

use super::rate;
use super::session::{Session, sessions};
use crate::{CallKind, CallRecord, Door, TraceEvent};

/// Upper target for [`EwrCalls`]: one manual access for nine calls.
pub const EWR_CALLS_TARGET: f64 = 0.1;

/// Exploration Waste Ratio in calls: `manual / (icr + manual)`.
///
/// - *manual*: accesses that the agent made without icr, the [`crate::FileAccess`] events that count as a call.
/// - *icr*: exploring calls of icr, each once. Steps (calls with a parent) and calls of [`CallKind::Other`] do not
///   count, and calls of hooks count only if they showed something.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct EwrCalls {
    /// The ratio, in `0.0..=1.0`.
    pub value: Option<f64>,
    /// Accesses that the agent made without icr.
    pub manual: u64,
    /// Exploring calls of icr.
    pub icr: u64,
    /// Upper target for the ratio.
    pub target: f64,
}

/// [`EwrCalls`] over all sessions of `events`, which may be in any order.
pub fn ewr_calls(events: &[TraceEvent]) -> EwrCalls {
    sessions(events).values().map(of_session).fold(EwrCalls::default(), EwrCalls::sum)
}

pub(super) fn of_session(session: &Session<'_>) -> EwrCalls {
    let manual = session.opened.iter().filter(|opened| opened.manual).count();
    let icr = session.calls.iter().filter(|call| is_exploring(call)).count();
    EwrCalls::of(manual as u64, icr as u64)
}

fn is_exploring(call: &CallRecord) -> bool {
    let is_shown = call.door != Door::Hook || call.output_tokens > 0 || !call.returned.is_empty();
    call.parent.is_none() && call.kind != CallKind::Other && is_shown
}

impl EwrCalls {
    fn of(manual: u64, icr: u64) -> Self {
        Self { value: rate(manual, icr.saturating_add(manual)), manual, icr, target: EWR_CALLS_TARGET }
    }

    pub(super) fn sum(self, other: Self) -> Self {
        Self::of(self.manual.saturating_add(other.manual), self.icr.saturating_add(other.icr))
    }
}

impl Default for EwrCalls {
    fn default() -> Self {
        Self::of(0, 0)
    }
}

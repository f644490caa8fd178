//! All metrics together.

use std::time::SystemTime;

use serde::Serialize;

use super::ewr_tokens::{EwrTokens, KindExploration, by_kind, explored_spans};
use super::session::{Session, sessions};
use super::{EwrCalls, Imr, ewr_calls, imr};
use crate::{TraceEvent, moments};

/// Number of sessions in a trend.
const TREND_SESSIONS: usize = 10;

/// Advice if more than seven of ten tokens were not used.
const ADVICE: &str = "narrow the search: use symbol or path filters, or a smaller budget";

/// Advice if more than nine of ten tokens were not used.
const STRONG_ADVICE: &str =
    "nearly nothing of what is shown is used: always search with a symbol or path filter, and halve the budget";

/// Selects the events that metrics are computed from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MetricsRequest {
    /// Only events about this repository; `None` for all.
    pub repo_id: Option<String>,
    /// Only events at this time or later.
    pub since: Option<SystemTime>,
    /// Only the newest sessions, so many, among those with selected events; `None` for all.
    pub last_sessions: Option<usize>,
}

/// The metrics of some sessions.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Metrics {
    /// Exploration Waste Ratio in tokens, of the sums over all sessions.
    pub ewr_tokens: EwrTokens,
    /// Exploration Waste Ratio in calls, of the sums over all sessions.
    pub ewr_calls: EwrCalls,
    /// Impact Miss Rate, of the sums over all sessions.
    pub imr: Imr,
    /// Each session, newest first.
    pub sessions: Vec<SessionMetrics>,
    /// The ratios of the newest ten sessions that have one, oldest first.
    pub trend: Vec<TrendPoint>,
    /// `ewr_tokens` by kind of symbol, the most explored first.
    pub by_kind: Vec<KindExploration>,
    /// Advice, as sentences without a full stop.
    pub advice: Vec<String>,
    /// Calls without a session. What the agent did after them is not known.
    pub calls_without_session: u64,
    /// Number of events that were not recorded.
    pub dropped: u64,
}

/// The metrics of one session.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SessionMetrics {
    /// Id of the session.
    pub session: String,
    /// The program that called icr, if a call names it.
    pub client: Option<String>,
    /// When its first event happened, in milliseconds since 1970.
    pub started_ms: i64,
    /// Calls of icr, steps included.
    pub calls: u64,
    /// Exploration Waste Ratio in tokens.
    pub ewr_tokens: EwrTokens,
    /// Exploration Waste Ratio in calls.
    pub ewr_calls: EwrCalls,
    /// Impact Miss Rate.
    pub imr: Imr,
}

/// One session in a trend.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TrendPoint {
    /// Id of the session.
    pub session: String,
    /// When its first event happened, in milliseconds since 1970.
    pub started_ms: i64,
    /// Exploration Waste Ratio in tokens.
    pub ewr_tokens: Option<f64>,
    /// Exploration Waste Ratio in calls.
    pub ewr_calls: Option<f64>,
    /// Impact Miss Rate.
    pub imr: Option<f64>,
}

impl Metrics {
    /// Computes the metrics that `request` selects from `events`, which may be in any order. `dropped` is the number of
    /// events that were not recorded.
    pub fn of(events: &[TraceEvent], request: &MetricsRequest, dropped: u64) -> Self {
        let is_asked_for = |event: &&TraceEvent| {
            request.repo_id.as_deref().is_none_or(|repo_id| event.repo_id() == Some(repo_id))
                && request.since.is_none_or(|since| event.at() >= since)
        };
        let events: Vec<&TraceEvent> = events.iter().filter(is_asked_for).collect();
        let mut newest: Vec<(&str, Session<'_>)> = sessions(events.iter().copied()).into_iter().collect();
        newest.sort_by_key(|(name, session)| std::cmp::Reverse((session.started_at(), *name)));
        newest.truncate(request.last_sessions.unwrap_or(usize::MAX));
        let each: Vec<SessionMetrics> = newest.iter().map(|(name, session)| of_session(name, session)).collect();
        let ewr_tokens = each.iter().map(|session| session.ewr_tokens).fold(EwrTokens::default(), EwrTokens::sum);
        let without_session = |event: &&&TraceEvent| matches!(event, TraceEvent::Call(call) if call.session.is_none());
        Self {
            ewr_tokens,
            ewr_calls: each.iter().map(|session| session.ewr_calls).fold(EwrCalls::default(), EwrCalls::sum),
            imr: each.iter().map(|session| session.imr).fold(Imr::default(), Imr::sum),
            trend: trend(&each),
            sessions: each,
            by_kind: by_kind(newest.iter().flat_map(|(_, session)| explored_spans(session))),
            advice: advice(ewr_tokens.value),
            calls_without_session: events.iter().filter(without_session).count() as u64,
            dropped,
        }
    }
}

fn of_session(name: &str, session: &Session<'_>) -> SessionMetrics {
    SessionMetrics {
        session: name.to_owned(),
        client: session.calls.iter().find_map(|call| call.client.clone()),
        started_ms: session.started_at().map_or(0, |started_at| moments::microseconds(started_at) / 1_000),
        calls: session.calls.len() as u64,
        ewr_tokens: explored_spans(session).into_iter().fold(EwrTokens::default(), EwrTokens::and),
        ewr_calls: ewr_calls::of_session(session),
        imr: imr::of_session(session),
    }
}

fn trend(newest: &[SessionMetrics]) -> Vec<TrendPoint> {
    let point = |session: &SessionMetrics| TrendPoint {
        session: session.session.clone(),
        started_ms: session.started_ms,
        ewr_tokens: session.ewr_tokens.value,
        ewr_calls: session.ewr_calls.value,
        imr: session.imr.value,
    };
    let has_value = |point: &TrendPoint| point.ewr_tokens.or(point.ewr_calls).or(point.imr).is_some();
    let mut points: Vec<TrendPoint> = newest.iter().map(point).filter(has_value).take(TREND_SESSIONS).collect();
    points.reverse();
    points
}

fn advice(ewr_tokens: Option<f64>) -> Vec<String> {
    let advice = match ewr_tokens {
        Some(value) if value > 0.9 => Some(STRONG_ADVICE),
        Some(value) if value > 0.7 => Some(ADVICE),
        _ => None,
    };
    advice.map(str::to_owned).into_iter().collect()
}

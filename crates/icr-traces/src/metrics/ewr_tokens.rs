//! The Exploration Waste Ratio in tokens.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::SystemTime;

use serde::Serialize;

use super::rate;
use super::session::{Session, sessions};
use crate::{AccessedLines, CallId, CallKind, CallRecord, TraceEvent};

/// Exploration Waste Ratio in tokens: `(explored - used) / explored`.
///
/// - *explored*: the tokens of the spans that answers of icr showed, except those of [`CallKind::Read`], where the
///   caller named the place. The same lines of the same file count once a session, with the tokens of the first time.
/// - *used*: the tokens of those spans, each counted whole, that overlap lines opened in the same session after the
///   answer, or whose file was changed after it. Opened means read through icr or by a tool of the agent; an access
///   without lines opens the whole file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct EwrTokens {
    /// The ratio, in `0.0..=1.0`.
    pub value: Option<f64>,
    /// Tokens of used spans.
    pub used: u64,
    /// Tokens of explored spans.
    pub explored: u64,
}

/// The explored tokens of one call.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct CallExploration {
    /// Id of the call.
    #[schemars(with = "String")]
    pub call: CallId,
    /// The ratio over the spans that no earlier call of the session returned, so that the sums over all calls equal
    /// those of the session.
    #[serde(flatten)]
    pub ewr_tokens: EwrTokens,
}

/// The explored tokens of one kind of symbol.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct KindExploration {
    /// The kind, such as `function`; `None` for lines that belong to no symbol.
    pub kind: Option<String>,
    /// The ratio over the spans of that kind.
    #[serde(flatten)]
    pub ewr_tokens: EwrTokens,
}

/// [`EwrTokens`] over all sessions of `events`, which may be in any order.
pub fn ewr_tokens(events: &[TraceEvent]) -> EwrTokens {
    sessions(events).values().flat_map(explored_spans).fold(EwrTokens::default(), EwrTokens::and)
}

/// [`EwrTokens`] of each call that returned spans new to its session, ordered by session and then by call.
pub fn ewr_tokens_of_calls(events: &[TraceEvent]) -> Vec<CallExploration> {
    let mut calls: Vec<CallExploration> = Vec::new();
    for span in sessions(events).values().flat_map(explored_spans) {
        match calls.last_mut().filter(|last| last.call == span.call) {
            Some(last) => last.ewr_tokens = last.ewr_tokens.and(span),
            None => calls.push(CallExploration { call: span.call, ewr_tokens: EwrTokens::default().and(span) }),
        }
    }
    calls
}

/// A span that was explored, and whether it was used.
pub(super) struct ExploredSpan<'a> {
    call: CallId,
    kind: Option<&'a str>,
    tokens: u64,
    is_used: bool,
}

impl EwrTokens {
    pub(super) fn and(self, span: ExploredSpan<'_>) -> Self {
        let used = if span.is_used { span.tokens } else { 0 };
        self.sum(Self { value: None, used, explored: span.tokens })
    }

    pub(super) fn sum(self, other: Self) -> Self {
        let explored = self.explored.saturating_add(other.explored);
        let used = self.used.saturating_add(other.used);
        Self { value: rate(explored.saturating_sub(used), explored), used, explored }
    }
}

/// The ratios of `spans` by kind of symbol, the most explored kind first.
pub(super) fn by_kind<'a>(spans: impl Iterator<Item = ExploredSpan<'a>>) -> Vec<KindExploration> {
    let mut kinds: BTreeMap<Option<&str>, EwrTokens> = BTreeMap::new();
    for span in spans {
        let sum = kinds.entry(span.kind).or_default();
        *sum = sum.and(span);
    }
    let named = |(kind, ewr_tokens): (Option<&str>, _)| KindExploration { kind: kind.map(str::to_owned), ewr_tokens };
    let mut kinds: Vec<KindExploration> = kinds.into_iter().map(named).collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.ewr_tokens.explored));
    kinds
}

/// A file, as its repository and its path.
type RepositoryFile<'a> = (&'a str, &'a str);

/// For each call of `session`, the spans that it was the first to return.
pub(super) fn explored_spans<'a>(session: &Session<'a>) -> Vec<ExploredSpan<'a>> {
    let uses = Uses::of(session);
    let mut seen: HashSet<(RepositoryFile<'_>, u32, u32)> = HashSet::new();
    let mut spans = Vec::new();
    for call in session.calls.iter().filter(|call| call.kind != CallKind::Read) {
        for span in &call.returned {
            let file = (repository_of(call), span.path.as_str());
            let lines = AccessedLines { start: span.start_line, end: span.end_line };
            if seen.insert((file, lines.start, lines.end)) {
                let is_used = uses.is_used(file, lines, call.ended_at());
                let (kind, tokens) = (span.symbol_kind.as_deref(), u64::from(span.tokens));
                spans.push(ExploredSpan { call: call.id, kind, tokens, is_used });
            }
        }
    }
    spans
}

/// What was opened and changed in a session.
#[derive(Default)]
struct Uses<'a> {
    opened: HashMap<RepositoryFile<'a>, Vec<(SystemTime, Option<AccessedLines>)>>,
    /// When each file was last changed.
    changed: HashMap<RepositoryFile<'a>, SystemTime>,
}

impl<'a> Uses<'a> {
    fn of(session: &Session<'a>) -> Self {
        let mut uses = Self::default();
        for opened in &session.opened {
            if let Some(path) = &opened.path {
                uses.opened.entry((&opened.repo_id, path)).or_default().push((opened.at, opened.lines));
            }
        }
        for call in session.calls.iter().filter(|call| call.kind == CallKind::Read) {
            for span in &call.returned {
                let lines = AccessedLines { start: span.start_line, end: span.end_line };
                let file = (repository_of(call), span.path.as_str());
                uses.opened.entry(file).or_default().push((call.ended_at(), Some(lines)));
            }
        }
        for changed in &session.changed {
            let last = uses.changed.entry((&changed.repo_id, &changed.path)).or_insert(changed.at);
            *last = changed.at.max(*last);
        }
        uses
    }

    /// Whether `lines` of `file`, which were returned at `returned_at`, were opened or changed at that time or later.
    fn is_used(&self, file: RepositoryFile<'_>, lines: AccessedLines, returned_at: SystemTime) -> bool {
        let is_changed = self.changed.get(&file).is_some_and(|last| *last >= returned_at);
        let overlaps = |opened: AccessedLines| opened.start <= lines.end && lines.start <= opened.end;
        let opened = self.opened.get(&file).map(Vec::as_slice).unwrap_or_default();
        is_changed || opened.iter().any(|(at, opened)| *at >= returned_at && opened.is_none_or(overlaps))
    }
}

/// The repository of a call; empty if the call names none.
fn repository_of(call: &CallRecord) -> &str {
    call.repo_id.as_deref().unwrap_or_default()
}

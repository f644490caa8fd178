//! The Impact Miss Rate.

use std::collections::HashSet;

use serde::Serialize;

use super::rate;
use super::session::{Session, sessions};
use crate::{ImpactAnswer, TraceEvent};

/// Upper target for [`Imr`].
pub const IMR_TARGET: f64 = 0.2;

/// Impact Miss Rate: `missed / impactful`, summed over impact answers.
///
/// For one answer, *impactful* are the files that were changed later in its session, and *predicted* are the files that
/// the answer named. Both exclude the files that it was asked about. *Named* files are in both sets; *missed* are the
/// other impactful ones. So `recall = named / impactful = 1 - imr`, `precision = named / predicted`, and F1 is their
/// harmonic mean, `2 named / (predicted + impactful)`.
///
/// An answer that no change of a further file followed cannot be judged. It is left out and counted, and so is a
/// session that has only such answers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Imr {
    /// The rate, in `0.0..=1.0`.
    pub value: Option<f64>,
    /// Impactful files that the answers did not name.
    pub missed: u64,
    /// Impactful files.
    pub impactful: u64,
    /// Files that the answers named, except those asked about.
    pub predicted: u64,
    /// Impactful files that the answers named.
    pub named: u64,
    /// `named / impactful`.
    pub recall: Option<f64>,
    /// `named / predicted`.
    pub precision: Option<f64>,
    /// The harmonic mean of recall and precision.
    pub f1: Option<f64>,
    /// Impact answers that were judged.
    pub answers: u64,
    /// Impact answers that are left out because no further file was changed.
    pub answers_without_truth: u64,
    /// Sessions whose impact answers are all left out.
    pub sessions_without_truth: u64,
    /// Upper target for the rate.
    pub target: f64,
}

/// [`Imr`] over all sessions of `events`, which may be in any order.
pub fn imr(events: &[TraceEvent]) -> Imr {
    sessions(events).values().map(of_session).fold(Imr::default(), Imr::sum)
}

pub(super) fn of_session(session: &Session<'_>) -> Imr {
    let mut counts = Counts::default();
    for call in &session.calls {
        let Some(ImpactAnswer { asked, predicted }) = &call.impact else { continue };
        let asked: HashSet<&str> = asked.iter().map(String::as_str).collect();
        let answered_at = call.ended_at();
        let later = session.changed.iter().filter(|changed| {
            changed.at >= answered_at && call.repo_id.as_ref().is_none_or(|repo_id| *repo_id == changed.repo_id)
        });
        let mut impactful: HashSet<&str> = later.map(|changed| changed.path.as_str()).collect();
        impactful.retain(|path| !asked.contains(path));
        if impactful.is_empty() {
            counts.answers_without_truth += 1;
            continue;
        }
        let mut predicted: HashSet<&str> = predicted.iter().map(String::as_str).collect();
        predicted.retain(|path| !asked.contains(path));
        counts.answers += 1;
        counts.impactful += impactful.len() as u64;
        counts.predicted += predicted.len() as u64;
        counts.named += impactful.intersection(&predicted).count() as u64;
    }
    counts.sessions_without_truth = u64::from(counts.answers == 0 && counts.answers_without_truth > 0);
    counts.imr()
}

/// The sums over the answers.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    impactful: u64,
    predicted: u64,
    named: u64,
    answers: u64,
    answers_without_truth: u64,
    sessions_without_truth: u64,
}

impl Counts {
    fn imr(self) -> Imr {
        let Self { impactful, predicted, named, answers, answers_without_truth, sessions_without_truth } = self;
        let missed = impactful - named;
        Imr {
            value: rate(missed, impactful),
            missed,
            impactful,
            predicted,
            named,
            recall: rate(named, impactful),
            precision: rate(named, predicted),
            f1: rate(2 * named, predicted + impactful),
            answers,
            answers_without_truth,
            sessions_without_truth,
            target: IMR_TARGET,
        }
    }
}

impl Imr {
    pub(super) fn sum(self, other: Self) -> Self {
        // These are counts of files in events; no memory holds enough events to overflow them.
        let counts = Counts {
            impactful: self.impactful + other.impactful,
            predicted: self.predicted + other.predicted,
            named: self.named + other.named,
            answers: self.answers + other.answers,
            answers_without_truth: self.answers_without_truth + other.answers_without_truth,
            sessions_without_truth: self.sessions_without_truth + other.sessions_without_truth,
        };
        counts.imr()
    }
}

impl Default for Imr {
    fn default() -> Self {
        Counts::default().imr()
    }
}

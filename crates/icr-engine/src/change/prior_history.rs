//! The history before a change.

use crate::history::cochange_history_of;
use icr_history::Association;
use icr_impact::WarningRule;
use icr_impact::expect::{SHIPPED, SHIPPED_THRESHOLD, SHIPPED_WARNED, Weights};
use icr_model::{CommitId, Gap};

use crate::change::calibrate::{CalibrationState, calibration_of, weights_of};
use crate::history::History;
use crate::{Error, HistoryOptions, Snapshot};

/// Fewest commits for warnings: in a younger repository, all files have changed together once.
const HISTORY_COMMITS_LEAST: u32 = 40;

/// The history of the commit that a change was made on, read once for all uses.
pub(crate) struct PriorHistory {
    pub(crate) history: History,
    pub(crate) association: Association,
    rules: HistoryOptions,
    /// Committer time of its newest commit, in seconds since 1970.
    pub(crate) now: i64,
}

impl PriorHistory {
    /// The history of `made_on`, with the numbers of the store that `view` reads.
    pub(crate) fn read(view: &Snapshot, made_on: Option<CommitId>) -> Result<Self, Error> {
        let history = cochange_history_of(view, made_on)?;
        let rules = view.context.options.history;
        let association = rules.association(&history.commits);
        let now = match made_on {
            Some(commit) => view.context.foundation.repository.resolve(&commit.to_string())?.committer_time,
            None => None,
        };
        Ok(Self { history, association, rules, now: now.unwrap_or_default() })
    }

    /// The same with only the newest `commits` commits.
    pub(crate) fn cut_to(&self, commits: usize) -> Self {
        let history = self.history.cut_to(commits);
        Self { association: self.rules.association(&history.commits), history, rules: self.rules, now: self.now }
    }

    /// Why the history allows no conclusions.
    pub(crate) fn unknown(&self) -> Option<String> {
        match self.association.commits_total() {
            _ if self.history.meets_cut => Some(
                "the clone is shallow: which files usually change together is not known (fetch the whole history to know)"
                    .to_owned(),
            ),
            0 => Some("there is no history yet that says which files change together".to_owned()),
            _ => None,
        }
    }

    /// Whether the history is long enough for warnings.
    pub(crate) fn warns(&self) -> bool {
        self.unknown().is_none() && self.association.commits_total() >= HISTORY_COMMITS_LEAST
    }

    /// The gap that the history causes, if any.
    pub(crate) fn gaps(&self) -> &[Gap] {
        &self.history.gaps
    }
}

/// How probabilities are computed, and which of them warn.
pub(crate) struct Judgement {
    pub(crate) weights: Weights,
    pub(crate) warning: Option<WarningRule>,
    /// Whether the repository could have its own threshold and it is not computed yet.
    pub(crate) is_uncalibrated: bool,
}

impl Judgement {
    /// For changes made on `made_on`: the repository's own calibration, else the one that icr ships with.
    pub(crate) fn read(view: &Snapshot, made_on: Option<CommitId>) -> Result<Self, Error> {
        let state =
            calibration_of(&view.context, made_on, |commit, rule| view.view.look_ups().calibration(commit, rule))?;
        let allowed = view.context.options.history.false_alarm_rate;
        // The shipped threshold has a measured rate of false alarms; a user who allows fewer gets no warnings from it.
        let shipped = Some(SHIPPED_RULE).filter(|rule| rule.false_alarms <= allowed);
        let (anchor, row) = match state {
            CalibrationState::Row(anchor, row) => (anchor, row),
            CalibrationState::NotYet | CalibrationState::Never => {
                let is_uncalibrated = matches!(state, CalibrationState::NotYet);
                return Ok(Self { weights: SHIPPED, warning: shipped, is_uncalibrated });
            }
        };
        let warning = row.threshold.map(|threshold| WarningRule {
            threshold,
            false_alarms: row.false_alarms,
            precision: row.precision,
            recall: row.recall,
            commits: row.commits,
            anchor: Some(anchor.to_string()),
        });
        Ok(Self { weights: weights_of(&row), warning: warning.or(shipped), is_uncalibrated: false })
    }
}

/// The rule where a repository has none of its own.
const SHIPPED_RULE: WarningRule = WarningRule {
    threshold: SHIPPED_THRESHOLD,
    false_alarms: SHIPPED_WARNED.false_alarms,
    precision: SHIPPED_WARNED.precision,
    recall: Some(SHIPPED_WARNED.recall),
    commits: 0,
    anchor: None,
};

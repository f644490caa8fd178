//! The calibration that was computed from the history of a commit: how scores become probabilities, and from which
//! probability on files are warned about.

use icr_model::{CommitId, Recipe};
use rusqlite::OptionalExtension;

use crate::ledger::LedgerWrite;
use crate::{Error, Ledger};

/// How scores become probabilities, and from which probability on files are warned about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibrationRow {
    /// Probability above which a file is warned about; `None` if the history is too short to choose one.
    pub threshold: Option<f64>,
    /// Share of the complete commits that would have been warned about, in `0.0..=1.0`.
    pub false_alarms: f64,
    /// Share of the warnings that would have been right; `None` if there were none.
    pub precision: Option<f64>,
    /// Share of the omitted files that would have been warned about.
    pub recall: Option<f64>,
    /// Number of complete commits that this was measured on.
    pub commits: u32,
    /// Factor of the log odds; 1 leaves them unchanged.
    pub scale: f64,
    /// Offset that is then added to the log odds.
    pub shift: f64,
}

impl Ledger {
    /// The calibration that `rule` computed from the history of `anchor`; `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] and [`Error::Internal`], as for every read.
    pub fn calibration(&self, anchor: &CommitId, rule: &Recipe) -> Result<Option<CalibrationRow>, Error> {
        let sql = "SELECT threshold, false_alarms, precision, recall, commits, scale, shift
                   FROM calibrations WHERE anchor = ?1 AND rule = ?2";
        let row = |row: &rusqlite::Row<'_>| {
            Ok(CalibrationRow {
                threshold: row.get(0)?,
                false_alarms: row.get(1)?,
                precision: row.get(2)?,
                recall: row.get(3)?,
                commits: row.get(4)?,
                scale: row.get(5)?,
                shift: row.get(6)?,
            })
        };
        let mut statement = self.prepare(sql)?;
        let found = statement.query_row((anchor.as_bytes(), rule.to_bytes()), row).optional();
        found.map_err(self.failed("reading a calibration"))
    }
}

impl LedgerWrite<'_> {
    /// Records the calibration that `rule` computed from the history of `anchor`.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] and [`Error::Internal`], as for every write.
    pub fn calibrate(&self, anchor: &CommitId, rule: &Recipe, row: &CalibrationRow) -> Result<(), Error> {
        let sql = "INSERT OR REPLACE INTO calibrations
                   (anchor, rule, threshold, false_alarms, precision, recall, commits, scale, shift)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let values = (row.threshold, row.false_alarms, row.precision, row.recall, row.commits, row.scale, row.shift);
        let (threshold, false_alarms, precision, recall, commits, scale, shift) = values;
        self.execute(
            sql,
            (anchor.as_bytes(), rule.to_bytes(), threshold, false_alarms, precision, recall, commits, scale, shift),
        )
    }
}

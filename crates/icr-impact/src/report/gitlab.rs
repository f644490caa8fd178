//! Code quality report of GitLab.

use serde_json::{Value, json};

use super::finding::{Check, ReportFinding, Urgency, findings};
use super::{About, indented};
use crate::Impact;

/// Most findings. GitLab documents no limit; more findings in one merge request help nobody. GitHub code scanning keeps
/// as many.
const MAX_ROWS: usize = 5_000;

/// An array of findings, worst first, at most 5,000.
pub fn gitlab(impact: &Impact, about: &About<'_>) -> String {
    indented(&findings(impact, about.gate).iter().take(MAX_ROWS).map(row).collect::<Vec<_>>())
}

fn row(finding: &ReportFinding<'_>) -> Value {
    let first = finding.lines.map_or(1, |(first, _)| first);
    json!({
        "description": finding.message,
        "check_name": format!("icr/{}", finding.check.rule()),
        "fingerprint": finding.fingerprint,
        "severity": severity(finding),
        "location": { "path": finding.path, "lines": { "begin": first } },
    })
}

/// Never `blocker`, because people decide whether a change may be merged. A file that is probably missing or was not
/// analysed is less severe than a contract that certainly changed, unless the run fails on it.
fn severity(finding: &ReportFinding<'_>) -> &'static str {
    match (finding.urgency, finding.check) {
        (Urgency::Error, _) => "critical",
        (Urgency::Warning, Check::Missing | Check::Incomplete) => "minor",
        (Urgency::Warning, _) => "major",
        (Urgency::Note, _) => "info",
    }
}

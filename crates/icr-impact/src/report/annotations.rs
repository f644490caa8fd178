//! Annotations of GitHub Actions: workflow commands on stdout that it shows beside lines.

use std::fmt::Write;

use super::About;
use super::finding::{ReportFinding, Urgency, findings};
use super::visible_text::visible;
use super::words::{is_quiet, verdict, with_full_stop};
use crate::Impact;

/// GitHub shows 10 of each kind for a step, and takes the first ones.
const MAX_OF_A_KIND: usize = 10;

/// The worst findings, at most 10 errors, 10 warnings and 9 notices, then a notice that sums up. Empty when there is
/// nothing to look at.
pub fn annotations(impact: &Impact, about: &About<'_>) -> String {
    let all = findings(impact, about.gate);
    if all.is_empty() && is_quiet(impact) {
        return String::new();
    }
    let mut lines = String::new();
    let mut counts = Vec::new();
    for (urgency, command, limit) in [
        (Urgency::Error, "error", MAX_OF_A_KIND),
        (Urgency::Warning, "warning", MAX_OF_A_KIND),
        (Urgency::Note, "notice", MAX_OF_A_KIND - 1),
    ] {
        let of_kind: Vec<&ReportFinding<'_>> = all.iter().filter(|finding| finding.urgency == urgency).collect();
        for finding in of_kind.iter().take(limit) {
            lines.push_str(&annotation(command, finding));
        }
        match of_kind.len() {
            0 => {}
            count if count > limit => counts.push(format!("{limit} of {count} {command}s")),
            1 => counts.push(format!("1 {command}")),
            count => counts.push(format!("{count} {command}s")),
        }
    }
    let shown = if counts.is_empty() { String::new() } else { format!(" Shown: {}.", counts.join(", ")) };
    let sum = format!("{}: {}{shown}", verdict(impact.verdict), with_full_stop(&impact.summary));
    writeln!(lines, "::notice title=icr impact::{}", message(&visible(&sum))).expect("a string takes any text");
    lines
}

fn annotation(command: &str, finding: &ReportFinding<'_>) -> String {
    // A runner prints them into a log that people read on a terminal.
    let mut properties = format!("file={}", property(&visible(finding.path)));
    if let Some((first, last)) = finding.lines {
        write!(properties, ",line={first},endLine={last}").expect("a string takes any text");
    }
    format!("::{command} {properties},title={}::{}\n", property(&finding.title), message(&finding.message))
}

/// As the runner reads it back (`escapeData` of its toolkit).
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// As the runner reads it back (`escapeProperty` of its toolkit).
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

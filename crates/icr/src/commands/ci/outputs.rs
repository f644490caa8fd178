//! Outputs for later jobs and steps, in the format that each host reads.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use icr_impact::Verdict;
use serde::Serialize;

use super::quoting::path_word;
use crate::commands::impact::{ImpactReport, cannot_write, open_file};

/// One output for later steps.
struct StepOutput {
    name: &'static str,
    about: &'static str,
    value: fn(&ImpactReport, &Path) -> String,
}

const ROWS: &[StepOutput] = &[
    // tidy: sorted
    StepOutput {
        name: "breaking",
        about: "true when a use is shown that no longer holds, else false",
        value: |report, _| (report.impact.verdict == Verdict::Breaking).to_string(),
    },
    StepOutput { name: "comment_file", about: "file with a comment on the change, in Markdown", value: comment_file },
    StepOutput {
        name: "impact_score",
        about: "how much the change touches, from 0 to 1",
        value: |report, _| format!("{:.4}", report.impact.impact_score),
    },
    StepOutput {
        name: "may_break",
        about: "true when a use is broken, or not every use of a contract that changed could be checked, else false",
        value: |report, _| (report.impact.verdict >= Verdict::MayBreak).to_string(),
    },
    StepOutput {
        name: "missing",
        about: "how many files seem forgotten",
        value: |report, _| report.impact.missing.len().to_string(),
    },
    StepOutput {
        name: "quiet",
        about: "true when there is nothing that anybody has to look at, else false",
        value: |report, _| report.is_quiet().to_string(),
    },
    StepOutput {
        name: "risk",
        about: "none, low, medium, high or unknown",
        value: |report, _| name(report.impact.risk.level),
    },
    StepOutput { name: "tests", about: "test files to run, separated by spaces, quoted for a shell", value: tests },
    StepOutput { name: "tests_file", about: "file with the test files to run, one per line", value: tests_file },
    StepOutput { name: "tests_json", about: "test files to run, as a JSON list", value: tests_json },
    StepOutput {
        name: "verdict",
        about: "empty, cosmetic, clean, unknown, review, may_break or breaking",
        value: |report, _| report.impact.verdict.word().to_owned(),
    },
    // tidy: end
];

/// Name of the file with variables among the reports.
pub(super) const DOTENV: &str = "icr.env";

/// Longest output for a step, in bytes. Steps read it as an environment variable, which Linux limits to 128 KiB
/// including its name.
const MAX_VALUE: usize = 100_000;

/// Largest dotenv file, in bytes: above 5 KiB, GitLab rejects the report and fails the job.
const MAX_DOTENV: usize = 5_120;

/// All outputs with their descriptions, for the help.
pub(super) fn help() -> String {
    let mut help = String::from(
        "Outputs, as `name` of a step on GitHub and as variable `ICR_NAME` on GitLab. A list that is too long for the host is \
         left empty; the file has it.\n",
    );
    for row in ROWS {
        help.push_str(&format!("\n  {:<14} {}", row.name, row.about));
    }
    help
}

/// The outputs as GitHub reads them from the file in `GITHUB_OUTPUT`.
pub(super) fn for_github(report: &ImpactReport, directory: &Path) -> String {
    let value = |row: &StepOutput| empty_if_longer(MAX_VALUE, (row.value)(report, directory));
    ROWS.iter().map(|row| assignment(row.name, &value(row))).collect()
}

/// The outputs in GitLab's dotenv format: short ones first, then the lists that still fit.
pub(super) fn as_dotenv(report: &ImpactReport, directory: &Path) -> String {
    let mut rows: Vec<(String, String)> = ROWS
        .iter()
        // GitLab's dotenv format cannot express a line break.
        .map(|row| (row.name.to_uppercase(), (row.value)(report, directory)))
        .map(|(name, value)| if value.contains(['\n', '\r']) { (name, String::new()) } else { (name, value) })
        .collect();
    rows.sort_by_key(|(_, value)| value.len());
    let names: usize = rows.iter().map(|(name, _)| "ICR_=\n".len() + name.len()).sum();
    let mut room = MAX_DOTENV - names;
    let mut text = String::new();
    for (name, value) in rows {
        let value = empty_if_longer(room, value);
        room -= value.len();
        text.push_str(&format!("ICR_{name}={value}\n"));
    }
    text
}

/// Adds `text` to the end of a file that the host named.
///
/// # Errors
///
/// If the file cannot be written, or if the path goes through a symbolic link in a worktree.
pub(super) fn append(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut file = open_file(path, File::options().create(true).append(true))?;
    file.write_all(text.as_bytes()).map_err(|error| cannot_write(path, error))
}

/// The value, or an empty text if it is longer than `room` bytes: a cut list would be taken for the whole list.
fn empty_if_longer(room: usize, value: String) -> String {
    if value.len() <= room { value } else { String::new() }
}

/// A multi-line assignment. Its delimiter does not occur in the value, because file names could otherwise inject other
/// outputs.
fn assignment(name: &str, value: &str) -> String {
    if !value.contains(['\n', '\r']) {
        return format!("{name}={value}\n");
    }
    let end = (0..).map(|number| format!("icr_end_{number}")).find(|end| !value.contains(end.as_str()));
    let end = end.expect("a text does not contain every number");
    format!("{name}<<{end}\n{value}\n{end}\n")
}

fn comment_file(_: &ImpactReport, directory: &Path) -> String {
    directory.join("report.md").display().to_string()
}

fn tests_file(_: &ImpactReport, directory: &Path) -> String {
    directory.join("tests.txt").display().to_string()
}

fn tests(report: &ImpactReport, _: &Path) -> String {
    report.selected_tests().map(|test| path_word(&test.path)).collect::<Vec<_>>().join(" ")
}

fn tests_json(report: &ImpactReport, _: &Path) -> String {
    serde_json::json!(report.selected_tests().map(|test| &test.path).collect::<Vec<_>>()).to_string()
}

/// The word that stands for the value in JSON.
fn name(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).expect("a variant has a name");
    value.as_str().expect("a variant without fields is a word").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_assign_another_one() {
        assert_eq!(assignment("tests", "a b"), "tests=a b\n");
        assert_eq!(assignment("tests", ""), "tests=\n");
        assert_eq!(assignment("tests", "a\nverdict=clean"), "tests<<icr_end_0\na\nverdict=clean\nicr_end_0\n");
        let hostile = "a\nicr_end_0\nverdict=clean\nicr_end_1x";
        assert_eq!(assignment("tests", hostile), format!("tests<<icr_end_2\n{hostile}\nicr_end_2\n"));
        assert_eq!(assignment("tests", "a\rb"), "tests<<icr_end_0\na\rb\nicr_end_0\n");
    }

    #[test]
    fn a_list_is_whole_or_left_out() {
        assert_eq!(empty_if_longer(3, "abc".to_owned()), "abc");
        assert_eq!(empty_if_longer(2, "abc".to_owned()), "");
    }

    #[test]
    fn the_help_names_every_output() {
        assert!(ROWS.iter().all(|row| help().contains(&format!("\n  {:<14} {}", row.name, row.about))));
    }
}

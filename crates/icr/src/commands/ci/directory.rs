//! The directory with all reports of a run.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use icr_impact::report::Format;

use super::outputs::{self, DOTENV};
use crate::commands::impact::{ImpactReport, cannot_write, refuse_link, write_file};
use crate::output::Output;

/// A row of [`FILES`]: a file, and the format of the report in it.
type ReportFileRow = (&'static str, Format);

const FILES: &[ReportFileRow] = &[
    // tidy: sorted
    ("codequality.json", Format::Gitlab),
    ("junit.xml", Format::Junit),
    ("report.html", Format::Html),
    ("report.json", Format::Json),
    ("report.md", Format::Markdown),
    ("report.sarif", Format::Sarif),
    // tidy: end
];

/// Name of the file with the tests to run.
const TESTS: &str = "tests.txt";

/// A directory for reports.
pub(super) struct ReportDirectory {
    pub(super) path: PathBuf,
}

impl ReportDirectory {
    /// Creates the directory (hidden from git if it is new) and removes the reports of an earlier run from it, so that
    /// nobody takes old reports for those of a run that failed.
    ///
    /// # Errors
    ///
    /// If the directory cannot be created or cleared, or if the path goes through a symbolic link in a worktree.
    pub(super) fn create_or_clear(path: &Path) -> anyhow::Result<Self> {
        refuse_link(path)?;
        if !path.is_dir() {
            std::fs::create_dir_all(path).map_err(|error| cannot_write(path, error))?;
            write_file(&path.join(".gitignore"), b"*\n")?;
        }
        for name in FILES.iter().map(|row| row.0).chain([DOTENV, TESTS]) {
            let file = path.join(name);
            match std::fs::remove_file(&file) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(cannot_write(&file, error)),
                _ => {}
            }
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Writes every report.
    ///
    /// # Errors
    ///
    /// If a report cannot be written.
    pub(super) fn write(&self, report: &ImpactReport, output: &mut Output) -> anyhow::Result<()> {
        for (name, format) in FILES {
            write_file(&self.path.join(name), output.masked(&report.written(*format)).as_bytes())?;
        }
        let tests: String = report.selected_tests().flat_map(|test| [test.path.as_str(), "\n"]).collect();
        write_file(&self.path.join(TESTS), tests.as_bytes())
    }

    /// Writes the outputs as a file of variables.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub(super) fn write_variables(&self, report: &ImpactReport) -> anyhow::Result<()> {
        write_file(&self.path.join(DOTENV), outputs::as_dotenv(report, &self.path).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_the_extension_of_its_format() {
        for (name, format) in FILES {
            assert!(name.ends_with(&format!(".{}", format.extension())), "{name}");
        }
    }
}

//! `icr impact`

mod options;
mod patch;
mod report;

pub(crate) use options::{Bounds, FailOn, rules};
pub(crate) use report::{ImpactReport, cannot_write, open_file, refuse_link, write_file};

use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use icr_engine::ChangeSource;
use icr_impact::report::Format;
use icr_model::RepoPath;
use serde_json::{Value, json};

use crate::arguments::Global;
use crate::completions;
use crate::context::Context;
use crate::output::Output;
use crate::problem::{NotAnalysed, Usage};

/// Show what a change affects, what it may have forgotten, and what to test
///
/// The exit code is 0 whatever is found; with `--fail-on`, 1 when its condition is met. If the change cannot be
/// compared (an unknown revision, a patch that does not apply, history that is cut off before the base), the exit code
/// is 3.
#[derive(Debug, Args)]
pub(crate) struct Impact {
    /// `A..B`, `A...B`, a commit, or `-` for a diff on standard input [default: what is uncommitted]
    ///
    /// Ranges are compared from the merge base of both sides, as in a pull request. An empty side stands for HEAD. A
    /// commit is compared with its first parent.
    #[arg(value_name = "RANGE|REV|-", add = ArgValueCompleter::new(completions::revisions))]
    pub(crate) change: Option<String>,
    /// Only staged changes
    #[arg(long, conflicts_with = "change")]
    staged: bool,
    /// All uncommitted changes, staged or not
    #[arg(long, conflicts_with_all = ["change", "staged"])]
    worktree: bool,
    /// These files, as if every definition in them changed
    #[arg(long, num_args = 1.., value_name = "PATH", conflicts_with_all = ["change", "staged", "worktree"], add = ArgValueCompleter::new(completions::paths))]
    paths: Vec<String>,
    #[command(flatten)]
    bounds: Bounds,
    /// Output format [default: text, with --json json]
    #[arg(long, value_parser = options::formats())]
    format: Option<Format>,
    /// Exit with 1 when this holds, such as `breaking` or `risk>=high,missing` [default: `impact.fail_on` where that is
    /// set]
    #[arg(long, value_name = "SPEC", value_parser = FailOn::parse, long_help = FailOn::help())]
    fail_on: Option<FailOn>,
    /// Print the test files to run, one per line, and nothing else
    ///
    /// These are the tests that the plan selects. With `--json`, prints their rows and the commands that run them.
    #[arg(long)]
    tests: bool,
    /// End each test file with NUL in place of a line break, for `xargs -0`
    #[arg(long, requires = "tests")]
    print0: bool,
    /// Write to this file in place of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Impact {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let format = self.format(global)?;
        let source = self.source(global)?;
        let context = Context::open(global)?;
        let source = match source {
            ChangeSource::Paths(paths) => ChangeSource::Paths(paths.iter().map(|path| context.path_of(path)).collect()),
            other => other,
        };
        let mut report = ImpactReport::of(&context, source, &self.bounds).map_err(|error| self.path_instead(error))?;
        report.judge_by(self.fail_on.as_ref());
        let file = self.output.as_deref().filter(|path| *path != Path::new("-"));
        if file.is_none() && format == Format::Json {
            return report.answer(self.value(&report)?, global, output);
        }
        if self.print0 {
            let names = test_names(&report);
            match file {
                Some(path) => write_file(path, &names)?,
                None => output.bytes(&names)?,
            }
            return report.print("", global, output);
        }
        let printed = match format {
            Format::Json => report.json(self.value(&report)?),
            _ if self.tests => report.selected_tests().map(|test| format!("{}\n", test.path)).collect(),
            Format::Text if file.is_none() => report.styled(output),
            format => report.written(format),
        };
        match file {
            Some(path) => {
                write_file(path, output.masked(&printed).as_bytes())?;
                report.print("", global, output)
            }
            None => report.print(&printed, global, output),
        }
    }

    /// The output format, from whichever option gave it.
    fn format(&self, global: &Global) -> Result<Format, Usage> {
        let wanted = if global.json { Format::Json } else { Format::Text };
        let format = self.format.unwrap_or(wanted);
        let is_list = matches!(format, Format::Json | Format::Text);
        let other = match () {
            () if global.json && format != Format::Json => "--json",
            () if self.tests && !is_list => "--tests",
            () if self.print0 && format != Format::Text => "--print0",
            () => return self.refuse_view(global).map(|()| format),
        };
        Err(Usage {
            message: format!("`{other}` does not go with the format `{}`", format.name()),
            hint: Some("leave one of them out".to_owned()),
        })
    }

    fn refuse_view(&self, global: &Global) -> Result<(), Usage> {
        let Some(at) = &global.at else { return Ok(()) };
        Err(Usage {
            message: "`--at` names one view, and a change has two".to_owned(),
            hint: Some(format!("`icr impact {at}` is about that commit, `icr impact {at}..` about what came after it")),
        })
    }

    fn source(&self, global: &Global) -> anyhow::Result<ChangeSource> {
        Ok(match &self.change {
            Some(text) if text == "-" => {
                let patch = patch::from_stdin()?;
                if patch.is_empty() && !global.quiet {
                    tracing::warn!(
                        "the diff on standard input is empty: nothing changed, or the program that makes it failed"
                    );
                }
                ChangeSource::Patch(patch)
            }
            Some(text) => ChangeSource::Revisions(text.clone()),
            None if self.staged => ChangeSource::Staged,
            None if !self.paths.is_empty() => ChangeSource::Paths(self.paths.clone()),
            None => ChangeSource::Worktree,
        })
    }

    /// If `error` is about a path given where a change is expected, an error that says so; else `error`.
    fn path_instead(&self, error: anyhow::Error) -> anyhow::Error {
        let Some(NotAnalysed(found)) = error.downcast_ref() else { return error };
        match &self.change {
            Some(path) if found.code() == "UNKNOWN_REVISION" && Path::new(path).exists() => Usage {
                message: format!("`{path}` is a path, and a change is a commit or a range"),
                hint: Some(format!("`icr impact --paths '{path}'` takes all of it as changed")),
            }
            .into(),
            _ => error,
        }
    }

    /// The JSON output, without its provenance.
    fn value(&self, report: &ImpactReport) -> anyhow::Result<Value> {
        Ok(match self.tests {
            true => {
                let rows: Vec<_> = report.selected_tests().collect();
                json!({ "tests": rows, "test_plan": report.impact.test_plan })
            }
            false => serde_json::to_value(&report.impact)?,
        })
    }
}

/// The paths of the selected tests as git stores them, each with a NUL byte behind it.
fn test_names(report: &ImpactReport) -> Vec<u8> {
    let path = |path: &str| [RepoPath::from_display(path).as_bytes(), b"\0"].concat();
    report.selected_tests().flat_map(|test| path(&test.path)).collect()
}

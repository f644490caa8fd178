//! `icr ci`

mod comparison;
mod directory;
mod event;
mod hosts;
mod outputs;
mod quoting;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;
use icr_engine::SyncOptions;
use icr_impact::report::Format;

use crate::arguments::Global;
use crate::commands::impact::{Bounds, FailOn, ImpactReport};
use crate::context::Context;
use crate::environment;
use crate::output::{Output, note};
use crate::problem::Usage;
use directory::ReportDirectory;
use hosts::{Environment, PipelineHost, Reads};

/// Report the impact of a pipeline's change: `icr impact` with the base from the environment
///
/// Compares HEAD with the target of the pull or merge request, with the commit before the push, or with the default
/// branch, as Azure, Bitbucket, Buildkite, GitHub, GitLab and Jenkins name them in their variables; elsewhere with
/// `origin/HEAD`, else with the parent of HEAD. If this clone does not have the base, the run ends with an error (3)
/// that says how to fetch it; it never reports a change without findings instead.
///
/// Writes report.md, report.json, report.sarif, report.html, codequality.json, junit.xml and tests.txt. On GitHub it
/// also writes annotations, a step summary and outputs; on GitLab a dotenv file, icr.env. Prints nothing when there is
/// nothing to look at.
///
/// Caching `ICR_HOME` between runs saves most of the work. A shallow clone then needs `ICR_REPO_ID`, 16 hexadecimal
/// digits that are the same in every run, because its history does not identify the repository.
#[derive(Debug, Args)]
#[command(after_long_help = outputs::help())]
pub(crate) struct Ci {
    /// Compare HEAD with this revision, and ignore the environment
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Directory for the reports
    #[arg(long, value_name = "DIR", default_value = "icr-impact")]
    out: PathBuf,
    /// Exit with 1 when this holds
    ///
    /// The default is to fail when a use is broken for certain: it has to be fixed before the rest can work.
    /// `may_break` also fails when uses could not be checked. `none` only reports.
    #[arg(long, value_name = "SPEC", default_value = "breaking", value_parser = FailOn::parse)]
    fail_on: FailOn,
    #[command(flatten)]
    bounds: Bounds,
}

impl Ci {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let variables = environment::variables().into_iter().filter(|(_, value)| !value.is_empty());
        let environment: Environment = variables.collect();
        let host = PipelineHost::of(&environment);
        tracing::debug!(host = host.name, "known by its variables");
        let reported = self.report(host, &environment, global, output);
        if let Err(error) = &reported
            && host.reads == Reads::Github
            && !output.is_json()
        {
            output.line(annotation(error))?;
            output.flush()?;
        }
        reported
    }

    fn report(
        &self,
        host: &PipelineHost,
        environment: &Environment,
        global: &Global,
        output: &mut Output,
    ) -> anyhow::Result<u8> {
        refuse_view(global)?;
        // First, so that no old report is left if a later step fails.
        let directory = ReportDirectory::create_or_clear(&self.out)?;
        let context = Context::open(global)?;
        let ask = || comparison::compare_head(self.base.as_deref(), host, environment, &context, &self.bounds);
        let mut report = ask()?;
        // Nobody waits at a prompt here, and later runs profit from a complete index. It comes after the first answer,
        // so that a missing base fails before the work.
        if report.lacks_index() && !global.read_only {
            report.engine.sync(&SyncOptions::default(), &context.bar())?;
            report = ask()?;
        }
        if let Some(repository) = host.repository(environment) {
            report.repository = repository;
        }
        let head = report.impact.sides.head_commit.as_deref();
        report.link = head.and_then(|commit| host.link(environment, commit));
        report.judge(Some(&self.fail_on));
        directory.write(&report, output)?;
        match host.reads {
            Reads::Dotenv => directory.write_variables(&report)?,
            Reads::Github => tell_github(&report, environment, &directory.path, output)?,
            Reads::Nothing => {}
        }
        if output.is_json() {
            return report.answer(serde_json::to_value(&report.impact)?, global, output);
        }
        let code = report.print(&printed(&report, host), global, output)?;
        // In a log, a run without findings says nothing; a person who waits for it wants to know that it ended.
        if !global.quiet && std::io::stderr().is_terminal() {
            output.flush()?;
            let ended =
                format!("the verdict is {}; the reports are in `{}`", report.impact.verdict.word(), self.out.display());
            note(&mut std::io::stderr().lock(), &ended);
        }
        Ok(code)
    }
}

/// Text for the log: for a person who reads it, and for the host that parses it.
fn printed(report: &ImpactReport, host: &PipelineHost) -> String {
    match host.reads {
        _ if report.is_quiet() => String::new(),
        Reads::Github => report.written(Format::Text) + &report.written(Format::Github),
        Reads::Dotenv | Reads::Nothing => report.written(Format::Text),
    }
}

/// Adds the step's summary and outputs to the files that the environment names.
fn tell_github(
    report: &ImpactReport,
    environment: &Environment,
    directory: &Path,
    output: &mut Output,
) -> anyhow::Result<()> {
    if let Some(path) = environment.get("GITHUB_STEP_SUMMARY").filter(|_| !report.is_quiet()) {
        outputs::append(Path::new(path), &output.masked(&report.written(Format::Summary)))?;
    }
    if let Some(path) = environment.get("GITHUB_OUTPUT") {
        outputs::append(Path::new(path), &outputs::for_github(report, directory))?;
    }
    Ok(())
}

/// An error as an annotation, which GitHub shows beside the run; otherwise people would have to search the log.
fn annotation(error: &anyhow::Error) -> String {
    let message = error.to_string().replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    format!("::error title=icr impact::{message}")
}

fn refuse_view(global: &Global) -> Result<(), Usage> {
    match &global.at {
        Some(at) => Err(Usage {
            message: "`--at` names one view, and `icr ci` is about HEAD".to_owned(),
            hint: Some(format!("`icr impact BASE..{at}` is about another commit")),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_command_of_its_host() {
        let error = anyhow::anyhow!("100 %\r\n::set-output name=x::y");
        assert_eq!(annotation(&error), "::error title=icr impact::100 %25%0D%0A::set-output name=x::y");
    }
}

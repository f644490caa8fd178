//! `icr doctor`

use clap::Args;
use icr_agents::configuration::{self, ConfigurationFinding, FindingSeverity};
use icr_engine::Severity;
use serde_json::{Value, json};

use super::hooks::on_path;
use super::init::agents_directory;
use crate::arguments::Global;
use crate::context::{self, Context};
use crate::host_directories::host_directories;
use crate::output::{Output, Style};
use crate::problem;

/// Check that the store is consistent and that the programs in agents' configurations exist; writes nothing
#[derive(Debug, Args)]
pub(crate) struct Doctor {}

impl Doctor {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(&Global { read_only: true, ..global.clone() })?;
        let mut findings = icr_engine::examine(&context.engine);
        if context.engine.store().last_write().is_none() {
            // A repository that was never indexed is not a fault.
            findings.retain(|finding| finding.severity != Severity::Bad);
        }
        let directories = host_directories(context::locate(global).ok().as_ref())?;
        let agents = configuration::examine(&directories, &agents_directory()?, on_path("icr").is_some())?;
        let is_bad = findings.iter().any(|finding| finding.severity == Severity::Bad)
            || agents.iter().any(|finding| finding.severity == FindingSeverity::Bad);
        if output.is_json() {
            let agents: Vec<_> = agents.iter().map(finding_json).collect();
            output.json(&json!({ "healthy": !is_bad, "findings": findings, "agents": agents }))?;
        } else {
            let of_store = findings
                .iter()
                .map(|finding| (finding.severity, finding.subject, &finding.found, finding.hint.as_ref()));
            let of_agents = agents
                .iter()
                .map(|finding| (severity_of(finding), finding.subject, &finding.found, finding.hint.as_ref()));
            for (severity, subject, found, hint) in of_store.chain(of_agents) {
                let sign = match severity {
                    Severity::Good => "good",
                    Severity::Note => "note",
                    Severity::Bad => "BAD ",
                };
                output.line(format_args!("{sign}  {}: {found}", output.styled(Style::Name, subject)))?;
                if let Some(hint) = hint {
                    output.line(format_args!("      hint: {hint}"))?;
                }
            }
            if context.engine.store().last_write().is_none() {
                output.line("note  index: this repository has none yet; the first question or `icr index` makes it")?;
            }
        }
        Ok(if is_bad { problem::FINDING } else { problem::OK })
    }
}

fn severity_of(finding: &ConfigurationFinding) -> Severity {
    match finding.severity {
        FindingSeverity::Good => Severity::Good,
        FindingSeverity::Note => Severity::Note,
        FindingSeverity::Bad => Severity::Bad,
    }
}

fn finding_json(finding: &ConfigurationFinding) -> Value {
    json!({
        "severity": severity_of(finding),
        "subject": finding.subject,
        "found": finding.found,
        "hint": finding.hint,
    })
}

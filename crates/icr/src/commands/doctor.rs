//! `icr doctor`

use clap::Args;
use icr_engine::Severity;
use serde_json::json;

use crate::arguments::Global;
use crate::context::Context;
use crate::output::{Output, Style};
use crate::problem;

/// Check that the store agrees with itself; writes nothing
#[derive(Debug, Args)]
pub(crate) struct Doctor {}

impl Doctor {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let findings = context.engine.examine();
        let is_bad = findings.iter().any(|finding| finding.severity == Severity::Bad);
        if output.is_json() {
            output.json(&json!({ "healthy": !is_bad, "findings": findings }))?;
        } else {
            for finding in &findings {
                let sign = match finding.severity {
                    Severity::Good => "good",
                    Severity::Note => "note",
                    Severity::Bad => "BAD ",
                };
                let subject = output.styled(Style::Name, finding.subject);
                output.line(format_args!("{sign}  {subject}: {}", finding.found))?;
                if let Some(hint) = &finding.hint {
                    output.line(format_args!("      hint: {hint}"))?;
                }
            }
        }
        Ok(if is_bad { problem::FINDING } else { problem::OK })
    }
}

//! `icr metrics`

use clap::Args;
use icr_traces::Traces as Database;
use icr_traces::metrics::{Metrics as Measured, MetricsRequest};

use super::traces::repo_id_here;
use crate::arguments::Global;
use crate::context::home;
use crate::output::{Output, Style, count_text};
use crate::problem;

/// Show how useful icr's answers were to agents here, and what its impacts missed
///
/// From traces of calls and from what hooks of agents report: how much of what was shown was then opened or changed,
/// and how much of what changed after an impact the impact had named.
#[derive(Debug, Args)]
pub(crate) struct Metrics {
    /// Number of newest sessions to use
    #[arg(long, value_name = "COUNT", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    last: u32,
    /// Include the sessions of all repositories
    #[arg(long)]
    all: bool,
}

impl Metrics {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let request = MetricsRequest {
            repo_id: if self.all { None } else { repo_id_here(global) },
            since: None,
            last_sessions: Some(self.last as usize),
        };
        let measured = match Database::open(&home()?)? {
            Some(database) => database.metrics(&request)?,
            None => Measured::of(&[], &request, 0),
        };
        if output.is_json() {
            output.json(&serde_json::to_value(&measured)?)?;
            return Ok(problem::OK);
        }
        let rate = |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), |value| format!("{value:.2}"));
        let (tokens, calls, imr) = (&measured.ewr_tokens, &measured.ewr_calls, &measured.imr);
        let rows = [
            ("unused tokens", rate(tokens.value), format!("of {} shown, {} used", tokens.explored, tokens.used)),
            (
                "other tools",
                rate(calls.value),
                format!(
                    "{} calls that search or read without icr, {} of icr; aim: at most 0.10",
                    calls.manual, calls.icr
                ),
            ),
            (
                "missed by impact",
                rate(imr.value),
                format!("{} of {} files; aim: at most 0.20", imr.missed, imr.impactful),
            ),
        ];
        for (name, value, counts) in rows {
            let (name, counts) =
                (output.styled(Style::Faint, format_args!("{name:<18}")), output.styled(Style::Faint, counts));
            output.line(format_args!("{name} {value:<8} {counts}"))?;
        }
        let sessions = count_text(measured.sessions.len() as u64, "session", "sessions");
        output.line(output.styled(Style::Faint, format_args!("in {sessions}")))?;
        for advice in &measured.advice {
            output.line(advice)?;
        }
        Ok(problem::OK)
    }
}

//! `icr aggregate`

use std::io::{BufRead, IsTerminal};

use clap::Args;
use icr_engine::{AGGREGATE_OPS, AggregateRequest, aggregate};
use serde_json::{Map, Value};

use crate::arguments::Global;
use crate::output::{Output, Style};
use crate::problem::{self, Usage};

/// Inputs that are read from standard input: one more than the limit of 200, so that too many inputs are noticed.
const INPUTS_KEPT: usize = 201;

/// Count, sort, group, join or compare lines
///
/// An input is a line of text or a JSON object. Nothing is read from a repository.
#[derive(Debug, Args)]
#[command(after_help = operations())]
pub(crate) struct Aggregate {
    /// Operation; see below
    op: String,
    /// Inputs, 1 to 200 [default: the lines of standard input]
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,
    /// Parameters, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    params: String,
    /// Most results
    #[arg(short = 'n', long, default_value_t = 100)]
    limit: usize,
}

impl Aggregate {
    pub(crate) fn run(&self, _: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let params = self.params()?;
        let inputs = if self.inputs.is_empty() { lines()? } else { self.inputs.clone() };
        let request = AggregateRequest { op: &self.op, inputs: &inputs, params: &params, limit: self.limit };
        let found = aggregate(&request, &|| false).map_err(icr_engine::Error::from)?;
        if output.is_json() {
            output.json(&serde_json::to_value(&found)?)?;
        } else {
            for result in &found.results {
                match result {
                    Value::String(text) => output.line(text)?,
                    other => output.line(other)?,
                }
            }
            if found.truncated {
                let more = format!("{} of {} results; `-n` shows more", found.count, found.total_count);
                output.line(output.styled(Style::Faint, more))?;
            }
        }
        Ok(if found.results.is_empty() { problem::FINDING } else { problem::OK })
    }

    fn params(&self) -> Result<Map<String, Value>, Usage> {
        let hint = || Some("such as `--params '{\"pattern\": \"def (\\\\w+)\"}'`".to_owned());
        match serde_json::from_str(&self.params) {
            Ok(Value::Object(params)) => Ok(params),
            Ok(other) => Err(Usage { message: format!("`params` is {other}; allowed: a JSON object"), hint: hint() }),
            Err(error) => {
                Err(Usage { message: format!("`params` is not JSON ({error}); allowed: a JSON object"), hint: hint() })
            }
        }
    }
}

/// The first [`INPUTS_KEPT`] lines of standard input; bytes that are not UTF-8 are replaced.
fn lines() -> anyhow::Result<Vec<String>> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let message = "there are no inputs".to_owned();
        let hint = Some("name them behind the operation, or send lines to standard input".to_owned());
        return Err(Usage { message, hint }.into());
    }
    let mut lines = Vec::new();
    for line in stdin.lock().split(b'\n').take(INPUTS_KEPT) {
        let line = line?;
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        lines.push(String::from_utf8_lossy(line).into_owned());
    }
    Ok(lines)
}

/// List of the operations and their parameters, for the help.
fn operations() -> String {
    let row = |op: &icr_engine::AggregateOp| {
        let required = op.required.iter().map(|name| (*name).to_owned());
        let optional = op.optional.iter().map(|name| format!("[{name}]"));
        let params: Vec<String> = required.chain(optional).collect();
        format!("  {:<14} {:<20} {}", op.name, params.join(" "), op.about)
    };
    let rows: Vec<String> = AGGREGATE_OPS.iter().map(row).collect();
    format!("Operations and their parameters:\n{}", rows.join("\n"))
}

//! `icr read`

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use icr_engine::ReadRequest;

use crate::arguments::Global;
use crate::completions;
use crate::context::Context;
use crate::output::{Output, Style};
use crate::problem;

/// Print lines of a file of the view
#[derive(Debug, Args)]
pub(crate) struct Read {
    /// Path, from here or from the root of the repository
    #[arg(add = ArgValueCompleter::new(completions::paths))]
    pub(crate) path: String,
    /// First line
    #[arg(long, value_name = "LINE")]
    start: Option<u32>,
    /// Last line
    #[arg(long, value_name = "LINE")]
    end: Option<u32>,
    /// Most lines
    #[arg(long, default_value_t = u32::MAX, hide_default_value = true, value_parser = clap::value_parser!(u32).range(1..))]
    max_lines: u32,
}

impl Read {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let request = ReadRequest {
            path: context.path_of(&self.path),
            start_line: self.start,
            end_line: self.end,
            max_lines: self.max_lines,
        };
        let (excerpt, provenance) = context.ask(|snapshot| icr_engine::read(snapshot, &request))?;
        output.answer(&excerpt, &provenance, problem::OK, |output| {
            let width = excerpt.end_line.to_string().len();
            for (at, line) in excerpt.content.lines().enumerate() {
                let number = output.styled(Style::Number, format_args!("{:>width$}", excerpt.start_line as usize + at));
                output.line(format_args!("{number}  {line}"))?;
            }
            Ok(())
        })
    }
}

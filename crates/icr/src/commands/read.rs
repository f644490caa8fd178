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
#[command(
    after_help = "Examples:\n  icr read src/server.rs:40-80\n  icr read src/server.rs:40\n  icr read src/server.rs --start 40 --at v1.2"
)]
pub(crate) struct ReadCommand {
    /// Path, from here or from the root of the repository, with lines or without: `a.rs`, `a.rs:7`, `a.rs:7-9`
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

/// Splits a path from the lines after it, as answers show them: `src/a.rs:7`, `src/a.rs:7-9`.
fn with_lines(typed: &str) -> (&str, Option<(u32, u32)>) {
    let lines = |text: &str| {
        let (start, end) = text.split_once('-').unwrap_or((text, text));
        Some((start.parse().ok()?, end.parse().ok()?))
    };
    let split = typed.rsplit_once(':').and_then(|(path, text)| Some((path, Some(lines(text)?))));
    split.unwrap_or((typed, None))
}

impl ReadCommand {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let (path, lines) = match (self.start, self.end) {
            (None, None) => with_lines(&self.path),
            _ => (self.path.as_str(), None),
        };
        let request = ReadRequest {
            path: context.path_of(path),
            start_line: self.start.or(lines.map(|(start, _)| start)),
            end_line: self.end.or(lines.map(|(_, end)| end)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_answers_show_it() {
        for (typed, expected) in [
            ("src/a.rs", ("src/a.rs", None)),
            ("src/a.rs:7", ("src/a.rs", Some((7, 7)))),
            ("src/a.rs:7-9", ("src/a.rs", Some((7, 9)))),
            ("a:b.rs", ("a:b.rs", None)),
            ("a.rs:", ("a.rs:", None)),
        ] {
            assert_eq!(with_lines(typed), expected, "{typed}");
        }
    }
}

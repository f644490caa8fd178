//! `icr slice`

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use icr_engine::SliceRequest;

use crate::arguments::Global;
use crate::completions;
use crate::context::Context;
use crate::output::{Output, Style, note};
use crate::problem;

/// Print one definition of a file with its doc comment
#[derive(Debug, Args)]
pub(crate) struct Slice {
    /// Path, from here or from the root of the repository
    #[arg(add = ArgValueCompleter::new(completions::paths))]
    path: String,
    /// Name, or qualified name (`Server.handle`)
    #[arg(add = ArgValueCompleter::new(completions::symbols))]
    pub(crate) symbol: String,
    /// Lines before and after
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=20))]
    context: u32,
}

impl Slice {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let request = SliceRequest {
            path: context.path_of(&self.path),
            symbol: self.symbol.clone(),
            context_lines: self.context,
        };
        let (slice, provenance) = context.ask(|snapshot| icr_engine::slice(snapshot, &request))?;
        let code = output.answer(&slice, &provenance, problem::OK, |output| {
            let place =
                output.styled(Style::Name, format_args!("{}:{}-{}", slice.path, slice.start_line, slice.end_line));
            let kind = output.styled(Style::Faint, slice.symbol_type.name());
            output.line(format_args!("{place}  {kind} {}", slice.symbol))?;
            for (text, faint) in [(&slice.context_before, true), (&slice.content, false), (&slice.context_after, true)]
            {
                for line in text.lines() {
                    let line = if faint { output.styled(Style::Faint, line) } else { line.to_owned() };
                    output.line(line)?;
                }
            }
            for lines in &slice.also_at {
                let also = format!("also defined at {}:{}-{}", slice.path, lines.start, lines.end);
                output.line(output.styled(Style::Faint, also))?;
            }
            Ok(())
        })?;
        if let Some(text) = slice.inherited_note().filter(|_| !global.quiet && !output.is_json()) {
            note(&mut std::io::stderr().lock(), &text);
        }
        Ok(code)
    }
}

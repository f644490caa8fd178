//! `icr refs`

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use icr_engine::ReferencesRequest;

use crate::arguments::Global;
use crate::completions;
use crate::context::Context;
use crate::output::{Output, Style, count_text, note};
use crate::problem;

/// Find references to a definition
///
/// Counts mentions in files that can see the definition: through imports and re-exports, or because they belong to the
/// same package. For each of the first ten files it shows up to three lines, as `uses` in JSON. Lines after `perhaps`
/// may mean something else of the same name.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  icr refs Server.handle\n  icr refs load --path src/config.py\n  icr refs Server.handle --at v1.2 --json"
)]
pub(crate) struct Refs {
    /// Name of the definition, or a qualified one (`Server.handle`)
    #[arg(add = ArgValueCompleter::new(completions::symbols))]
    pub(crate) symbol: String,
    /// File that defines it [default: every file that defines the name]
    #[arg(long, value_name = "PATH", add = ArgValueCompleter::new(completions::paths))]
    path: Option<String>,
    /// A line of the definition, when the file defines the name more than once
    #[arg(long, value_name = "LINE", requires = "path", value_parser = clap::value_parser!(u32).range(1..))]
    line: Option<u32>,
}

/// Most lines that are listed for a file; the JSON has all of them.
const LINES_NAMED: usize = 12;

impl Refs {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let path = context.path(self.path.as_deref());
        let request = ReferencesRequest { symbol: self.symbol.clone(), path, line: self.line };
        let ((found, gaps), provenance) =
            context.ask(|snapshot| icr_engine::references_with_uses(snapshot, &request))?;
        let code = if found.references.is_empty() { problem::FINDING } else { problem::OK };
        let code = output.answer(&found, &provenance.with_gaps(&gaps), code, |output| {
            for definition in &found.definitions {
                let place = output.styled(Style::Name, &definition.path);
                let line = output.styled(Style::Number, definition.start_line);
                let kind = output.styled(Style::Faint, definition.kind.name());
                output.line(format_args!("{place}:{line}  {kind} {}", definition.qualified_name))?;
            }
            for place in &found.references {
                let path = output.styled(Style::Name, &place.path);
                let numbers = |lines: Vec<u32>| {
                    let shown: Vec<String> = lines.iter().take(LINES_NAMED).map(u32::to_string).collect();
                    let more = if lines.len() > LINES_NAMED { " …" } else { "" };
                    output.styled(Style::Number, format_args!("{}{more}", shown.join(" "))).to_string()
                };
                let lines = numbers(place.surest().collect());
                let perhaps = match place.less_sure.is_empty() {
                    true => String::new(),
                    false => format!("  perhaps {}", numbers(place.less_sure.clone())),
                };
                let sure = match place.share < 1.0 {
                    true => {
                        output.styled(Style::Faint, format_args!("  {:.0} % sure", place.share * 100.0)).to_string()
                    }
                    false => String::new(),
                };
                output.line(format_args!("    {path}  {}×{sure}  {lines}{perhaps}", place.count))?;
                for used in &place.uses {
                    let line = output.styled(Style::Number, format_args!("{:>6}", used.line));
                    output.line(format_args!("    {line}  {}", used.text))?;
                }
            }
            if found.mentioned > 0 {
                let more = if found.mentioned > found.mentioned_in.len() as u64 { ", …" } else { "" };
                let files = count_text(found.mentioned, "file names", "files name");
                let named = found.mentioned_in.join(", ");
                let line = format_args!("{files} it too and may mean something else: {named}{more}");
                output.line(output.styled(Style::Faint, line))?;
            }
            if !found.unread_in.is_empty() {
                let line =
                    format_args!("these files contain the name but do not parse: {}", found.unread_in.join(", "));
                output.line(output.styled(Style::Faint, line))?;
            }
            Ok(())
        })?;
        if !global.quiet && !output.is_json() {
            let mut stderr = std::io::stderr().lock();
            if let Some(text) = found.inexact_note() {
                note(&mut stderr, &text);
            }
            match (found.references.is_empty(), found.calls_only) {
                (_, true) => note(&mut stderr, "the name is so short that only calls and members were searched"),
                (true, false) => note(&mut stderr, "nothing that can see it refers to it"),
                (false, false) => {}
            }
        }
        Ok(code)
    }
}

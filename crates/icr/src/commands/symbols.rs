//! `icr symbols`

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use icr_engine::{SymbolKind, SymbolRequest};

use crate::arguments::Global;
use crate::completions;
use crate::context::Context;
use crate::output::{Output, Style, note};
use crate::problem;

/// Find definitions by name
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  icr symbols Server.handle --type method\n  icr symbols parse --path src -n 100")]
pub(crate) struct Symbols {
    /// A name, a part of one, or a qualified one (`Server.handle`)
    #[arg(add = ArgValueCompleter::new(completions::symbols))]
    pub(crate) query: String,
    /// Only this kind; may be given several times
    #[arg(long = "type", value_name = "KIND", value_parser = kind)]
    kinds: Vec<SymbolKind>,
    /// Only files in this language; may be given several times
    #[arg(long, value_name = "LANGUAGE")]
    lang: Vec<String>,
    /// Only files below this path
    #[arg(long, value_name = "PREFIX", add = ArgValueCompleter::new(completions::paths))]
    path: Option<String>,
    /// Most results
    #[arg(short = 'n', long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
}

impl Symbols {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let request = SymbolRequest {
            query: self.query.clone(),
            kinds: self.kinds.clone(),
            languages: self.lang.clone(),
            path_prefix: context.path(self.path.as_deref()),
            limit: self.limit as usize,
        };
        let (found, provenance) = context.ask(|snapshot| icr_engine::symbols(snapshot, &request))?;
        let code = if found.symbols.is_empty() { problem::FINDING } else { problem::OK };
        let code = output.answer(&found, &provenance.with_gaps(&found.gaps), code, |output| {
            for symbol in &found.symbols {
                let place = output.styled(Style::Name, &symbol.path);
                let line = output.styled(Style::Number, symbol.start_line);
                let kind = output.styled(Style::Faint, symbol.kind.name());
                output.line(format_args!("{place}:{line}  {kind} {}", symbol.qualified_name))?;
                let signature = output.styled(Style::Faint, &symbol.signature);
                output.line(format_args!("    {signature}"))?;
            }
            let shown = found.symbols.len() as u64;
            if shown < found.total_count {
                let more = format_args!("{shown} of {} definitions; `-n` shows more", found.total_count);
                output.line(output.styled(Style::Faint, more))?;
            }
            Ok(())
        })?;
        match found.other_kinds_note.clone().or_else(|| found.note()) {
            Some(text) if !global.quiet && !output.is_json() => note(&mut std::io::stderr().lock(), &text),
            None if found.symbols.is_empty() => output.nothing_found(),
            _ => {}
        }
        Ok(code)
    }
}

fn kind(name: &str) -> Result<SymbolKind, String> {
    SymbolKind::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("expected one of {}", names.join(", "))
    })
}

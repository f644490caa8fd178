//! `icr pins`

use clap::{Args, ValueEnum};
use icr_engine::{PinFilter, PinItem, PinList, PinListRequest, PinPriority, Staleness};

use super::pin::now;
use crate::arguments::Global;
use crate::context::Context;
use crate::output::{Output, Style, count_text};
use crate::problem;

/// List the pins of this clone
///
/// Higher priority comes first, then newer. A pin is stale if its file is gone or has changed since it was pinned;
/// packs show the present content.
#[derive(Debug, Args)]
pub(crate) struct Pins {
    /// Which pins to show
    #[arg(long, value_enum, default_value_t = Filter::All)]
    filter: Filter,
    /// Most pins shown
    #[arg(short = 'n', long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(1..=200))]
    limit: u8,
    /// Number of pins to skip at the beginning
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    offset: usize,
}

/// Filters for pins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Filter {
    /// All.
    All,
    /// Pins set by hand; at present these are all pins.
    Pinned,
    /// Those of the last seven days.
    Recent,
    /// Those whose file has changed since, or is gone.
    Stale,
}

impl From<Filter> for PinFilter {
    fn from(filter: Filter) -> Self {
        match filter {
            Filter::All => Self::All,
            Filter::Pinned => Self::Pinned,
            Filter::Recent => Self::Recent,
            Filter::Stale => Self::Stale,
        }
    }
}

impl Pins {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let request =
            PinListRequest { filter: self.filter.into(), limit: usize::from(self.limit), offset: self.offset };
        let now = now();
        let (list, provenance) =
            Context::open(global)?.ask(|snapshot| icr_engine::list_pins(snapshot, &request, now))?;
        output.answer(&list, &provenance, problem::OK, |output| draw(output, &list, global.quiet))
    }
}

fn draw(output: &mut Output, list: &PinList, is_quiet: bool) -> std::io::Result<()> {
    write_pins(output, &list.items)?;
    if !is_quiet && (list.has_more || list.items.is_empty()) {
        let total = count_text(list.total_count as u64, "pin", "pins");
        let more = if list.has_more { "; `-n` and `--offset` show more" } else { "" };
        output.line(output.styled(Style::Faint, format_args!("{} of {total}{more}", list.items.len())))?;
    }
    Ok(())
}

/// Writes a line about each pin, in columns.
pub(crate) fn write_pins(output: &mut Output, pins: &[PinItem]) -> std::io::Result<()> {
    let letters = |text: &str| text.chars().count();
    let ids = pins.iter().map(|item| letters(&item.id)).max().unwrap_or_default();
    let paths = pins.iter().map(|item| letters(&item.path)).max().unwrap_or_default();
    for item in pins {
        let id = output.styled(Style::Name, &item.id);
        let [after_id, after_path] =
            [ids - letters(&item.id), paths - letters(&item.path)].map(|width| " ".repeat(width));
        let details = output.styled(Style::Faint, details(item));
        let label = item.label.as_deref().map(|label| format!("  {label}")).unwrap_or_default();
        output.line(format_args!("{id}{after_id}  {}{after_path}  {details}{label}", item.path))?;
    }
    Ok(())
}

/// Start and end of the lifetime, the priority if it is not the default, and whether the file has changed since.
fn details(item: &PinItem) -> String {
    let until = item.expires_at.map(|moment| format!(" until {moment}")).unwrap_or_default();
    let stale = match item.stale {
        None => "",
        Some(Staleness::Changed) => ", changed since",
        Some(Staleness::Gone) => ", gone since",
    };
    let priority = match item.priority {
        usual if usual == PinPriority::default() => String::new(),
        priority => format!(", priority {}", priority.number()),
    };
    format!("{}{until}{priority}{stale}", item.created_at)
}

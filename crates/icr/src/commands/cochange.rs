//! `icr cochange`

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use icr_engine::{Cochange as Counts, Moment, Partners, PartnersRequest};

use crate::arguments::Global;
use crate::completions;
use crate::context::Context;
use crate::output::{Output, Style, count_text};
use crate::problem;

/// Number of pairs or partners shown by default.
const SHOWN: u32 = 20;

/// Show which files change together in the history of HEAD
///
/// Commits of more than `git.cochange_max_files` files, 20 by default, are not counted, so `git log` may list more
/// commits of a file.
#[derive(Debug, Args)]
pub(crate) struct Cochange {
    /// File whose partners to show, counted under all its earlier names too [default: pairs of all files, under the
    /// names in each commit]
    #[arg(add = ArgValueCompleter::new(completions::paths))]
    path: Option<String>,
    /// Most partners or pairs [default: 20; in JSON without a path, all pairs]
    #[arg(short = 'n', long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: Option<u32>,
}

impl Cochange {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        match &self.path {
            Some(path) => self.partners(path, global, output),
            None => self.pairs(global, output),
        }
    }

    fn pairs(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let (mut found, provenance) = Context::open(global)?.ask(icr_engine::cochange)?;
        let total = found.pairs.len() as u64;
        // A program that reads JSON aggregates further and needs all pairs.
        let limit = self.limit.or((!output.is_json()).then_some(SHOWN));
        found.pairs.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
        let code = if found.pairs.is_empty() { problem::FINDING } else { problem::OK };
        output.answer(&found, &provenance.with_gaps(&found.gaps), code, |output| {
            draw_pairs(output, &found)?;
            let shown = found.pairs.len() as u64;
            let commits = count_text(found.commits_analyzed, "commit", "commits");
            let more = if shown < total { "; `-n` shows more" } else { "" };
            let pairs = count_text(total, "pair", "pairs");
            let bound = uncounted_commits(found.max_files_per_commit);
            output.line(output.styled(Style::Faint, format_args!("{shown} of {pairs} in {commits}{more}; {bound}")))
        })
    }

    fn partners(&self, path: &str, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let request = PartnersRequest { path: context.path_of(path), limit: self.limit.unwrap_or(SHOWN) as usize };
        let (found, provenance) = context.ask(|snapshot| icr_engine::partners(snapshot, &request))?;
        let code = if found.partners.is_empty() { problem::FINDING } else { problem::OK };
        let code =
            output.answer(&found, &provenance.with_gaps(&found.gaps), code, |output| draw_partners(output, &found))?;
        Ok(code)
    }
}

fn draw_pairs(output: &mut Output, found: &Counts) -> std::io::Result<()> {
    let width = found.pairs.iter().map(|pair| pair.a.chars().count()).max().unwrap_or_default();
    for pair in &found.pairs {
        let (a, b) = (output.styled(Style::Name, &pair.a), output.styled(Style::Name, &pair.b));
        let space = " ".repeat(width - pair.a.chars().count());
        let count = output.styled(Style::Number, format_args!("({}x)", pair.count));
        output.line(format_args!("{a}{space}  {b}  {count}"))?;
    }
    Ok(())
}

fn draw_partners(output: &mut Output, found: &Partners) -> std::io::Result<()> {
    // Display order: most frequent first, then most recent.
    let mut partners: Vec<_> = found.partners.iter().collect();
    partners.sort_by_key(|partner| std::cmp::Reverse((partner.count, partner.last_commit)));
    let width = found.partners.iter().map(|partner| partner.path.chars().count()).max().unwrap_or_default();
    let counts: Vec<String> = partners.iter().map(|partner| format!("({}x)", partner.count)).collect();
    let count_width = counts.iter().map(String::len).max().unwrap_or_default();
    for (partner, count) in partners.into_iter().zip(counts) {
        let name = output.styled(Style::Name, &partner.path);
        let space = " ".repeat(width - partner.path.chars().count());
        let count = output.styled(Style::Number, format_args!("{count:>count_width$}"));
        let confidence = format!("{:>3.0} %", partner.confidence * 100.0);
        let last = output.styled(Style::Faint, Moment(partner.last_commit).day());
        output.line(format_args!("{name}{space}  {count}  {confidence}  {last}"))?;
    }
    let file = &found.file;
    let followed = count_text(u64::from(found.commits_followed), "commit", "commits");
    let last = file.last_modified.map(|last| format!(", last on {}", Moment(last).day())).unwrap_or_default();
    let bound = uncounted_commits(found.max_files_per_commit);
    let summary =
        format!("{}: {followed} of {}, {} recent{last}; {bound}", file.path, found.commits_analyzed, file.recent_count);
    output.line(output.styled(Style::Faint, summary))
}

/// Says which commits do not count; `git log` lists them as well.
fn uncounted_commits(max_files_per_commit: u64) -> String {
    format!("commits of more than {max_files_per_commit} files are not counted")
}

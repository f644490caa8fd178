//! `icr neighbors`

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use icr_engine::{EdgeKind, Gap, Neighbor, NeighborsRequest};

use crate::arguments::Global;
use crate::commands::pictures::{PictureArguments, PictureFormat, heading};
use crate::completions;
use crate::context::Context;
use crate::output::{Output, Style, count_text};
use crate::picture::{DependencyKind, Heading, Neighbour, Neighbourhood};
use crate::problem;

/// Show what a file imports, what imports it, and what changes together with it
#[derive(Debug, Args)]
pub(crate) struct Neighbors {
    /// Path of the file, from here or from the root
    #[arg(add = ArgValueCompleter::new(completions::paths))]
    pub(crate) path: String,
    /// Steps to follow in both directions
    #[arg(long, default_value_t = 1, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..=16))]
    depth: u32,
    /// Most files that change with it
    #[arg(short = 'n', long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=100))]
    limit: u32,
    #[command(flatten)]
    picture: PictureArguments,
}

impl Neighbors {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let request = NeighborsRequest {
            path: context.path_of(&self.path),
            depth: self.depth,
            changed_together: self.limit as usize,
        };
        let (found, provenance) = context.ask(|snapshot| icr_engine::neighbors(snapshot, &request))?;
        if let Some(form) = self.picture.form() {
            let provenance = provenance.with_gaps(&found.gaps);
            let picture = neighbourhood(&found, heading(&context, &provenance, format!("Around {}", found.path)));
            let text = match form {
                PictureFormat::Dot => picture.dot(),
                PictureFormat::Html => picture.html(),
            };
            return output.picture(&text, &provenance);
        }
        output.answer(&found, &provenance.with_gaps(&found.gaps), problem::OK, |output| {
            for (title, list) in [("imported by", &found.importers), ("imports", &found.imports)] {
                output.line(format_args!("{title} ({})", list.len()))?;
                for neighbor in list {
                    line(output, neighbor, &found.path)?;
                }
            }
            for (title, list) in [("outside", &found.external), ("unresolved", &found.unresolved)] {
                if !list.is_empty() {
                    let names: Vec<&str> = list.iter().map(|import| import.specifier.as_str()).collect();
                    output.line(format_args!("{title} ({}): {}", list.len(), names.join(", ")))?;
                }
            }
            if !found.cochanges.is_empty() {
                let commits = count_text(u64::from(found.commits), "commit", "commits");
                output.line(format_args!("changed together ({commits})"))?;
                // Display order: most frequent first.
                let mut partners: Vec<_> = found.cochanges.iter().collect();
                partners.sort_by_key(|partner| std::cmp::Reverse((partner.count, partner.last_commit)));
                for partner in partners {
                    let path = output.styled(Style::Name, &partner.path);
                    let share = output.styled(Style::Number, format_args!("{:.0} %", partner.confidence * 100.0));
                    output.line(format_args!("    {path}  {}x  {share}", partner.count))?;
                }
            }
            Ok(())
        })
    }
}

/// The picture of what was found.
fn neighbourhood(found: &icr_engine::Neighbors, heading: Heading) -> Neighbourhood {
    let near = |neighbor: &Neighbor| {
        let mut labels = Vec::new();
        labels.extend((neighbor.kind != EdgeKind::Import).then(|| match neighbor.kind {
            EdgeKind::Reexport => DependencyKind::Reexport.name().to_owned(),
            other => other.name().to_owned(),
        }));
        labels.extend(neighbor.type_only.then(|| DependencyKind::TypeOnly.name().to_owned()));
        labels.extend(neighbor.test.then(|| DependencyKind::Test.name().to_owned()));
        Neighbour {
            path: neighbor.path.clone(),
            depth: neighbor.depth,
            via: (neighbor.via != found.path).then(|| neighbor.via.clone()),
            labels,
            weight: 1.0 / f64::from(neighbor.depth),
        }
    };
    let together = |partner: &icr_engine::PartnerFile| Neighbour {
        path: partner.path.clone(),
        depth: 1,
        via: None,
        labels: vec![format!("{} of {}", partner.count, count_text(u64::from(found.commits), "commit", "commits"))],
        weight: partner.confidence,
    };
    let stopped = found.gaps.iter().find(|gap| matches!(gap, Gap::StoppedWalk { .. }));
    Neighbourhood {
        heading,
        centre: found.path.clone(),
        importers: found.importers.iter().map(near).collect(),
        imports: found.imports.iter().map(near).collect(),
        changed_together: found.cochanges.iter().map(together).collect(),
        links: Vec::new(),
        truncated: stopped.map(ToString::to_string),
    }
}

fn line(output: &mut Output, neighbor: &Neighbor, centre: &str) -> std::io::Result<()> {
    let mut notes = vec![neighbor.kind.name().to_owned()];
    notes.extend(neighbor.type_only.then(|| "type only".to_owned()));
    notes.extend(neighbor.test.then(|| "test".to_owned()));
    notes.extend((neighbor.via != centre).then(|| format!("via {}", neighbor.via)));
    let indent = "    ".repeat(neighbor.depth as usize);
    let path = output.styled(Style::Name, &neighbor.path);
    let notes = output.styled(Style::Faint, notes.join(", "));
    output.line(format_args!("{indent}{path}  {notes}"))
}

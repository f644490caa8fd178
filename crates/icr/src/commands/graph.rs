//! `icr graph`

use clap::Args;
use icr_engine::{EdgeKind, GraphEdge, Provenance, language_of};

use crate::arguments::Global;
use crate::commands::pictures::{PictureArguments, PictureFormat, heading};
use crate::context::Context;
use crate::output::{Output, Style};
use crate::picture::{self, DependencyKind, Edge, FileNode, Heading};
use crate::problem;

/// Show all edges between files: imports, or references
#[derive(Debug, Args)]
pub(crate) struct GraphCommand {
    /// References between files in place of imports
    #[arg(long)]
    refs: bool,
    #[command(flatten)]
    picture: PictureArguments,
}

impl GraphCommand {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        if self.refs {
            let (found, provenance) =
                context.ask(|snapshot| icr_engine::reference_graph(snapshot, &context.file_bar("referring")))?;
            if let Some(form) = self.picture.form() {
                let edges = found.edges.iter().map(|edge| Edge {
                    from: edge.from.clone(),
                    to: edge.to.clone(),
                    kind: DependencyKind::Reference,
                    count: edge.count,
                });
                let heading = heading(&context, &provenance, "Who refers to whom".to_owned());
                return draw(output, form, &provenance, heading, edges.collect());
            }
            return output.answer(&found, &provenance, problem::OK, |output| {
                for edge in &found.edges {
                    let (from, to) = (output.styled(Style::Name, &edge.from), output.styled(Style::Name, &edge.to));
                    output.line(format_args!("{from} -> {to}  {}×", edge.count))?;
                }
                Ok(())
            });
        }
        let (found, provenance) =
            context.ask(|snapshot| icr_engine::import_graph(snapshot, &context.file_bar("resolving")))?;
        let provenance = provenance.with_gaps(&found.gaps);
        if let Some(form) = self.picture.form() {
            let heading = heading(&context, &provenance, "Who imports whom".to_owned());
            let edges = found.edges.iter().map(|edge| Edge {
                from: edge.from.clone(),
                to: edge.to.clone(),
                kind: kind_of(edge),
                count: 1,
            });
            return draw(output, form, &provenance, heading, edges.collect());
        }
        output.answer(&found, &provenance, problem::OK, |output| {
            for edge in &found.edges {
                let (from, to) = (output.styled(Style::Name, &edge.from), output.styled(Style::Name, &edge.to));
                let kind = output.styled(Style::Faint, edge.kind.name());
                output.line(format_args!("{from}:{} -> {to}  {kind}", edge.line))?;
            }
            for import in &found.unresolved {
                let from = output.styled(Style::Name, &import.from);
                let what = output.styled(Style::Faint, "unresolved");
                output.line(format_args!("{from}:{} -> {}  {what}", import.line, import.specifier))?;
            }
            Ok(())
        })
    }
}

fn draw(
    output: &mut Output,
    form: PictureFormat,
    provenance: &Provenance,
    heading: Heading,
    edges: Vec<Edge>,
) -> anyhow::Result<u8> {
    let mut paths: Vec<&str> = edges.iter().flat_map(|edge| [edge.from.as_str(), edge.to.as_str()]).collect();
    paths.sort_unstable();
    paths.dedup();
    let node = |path: &str| FileNode { path: path.to_owned(), language: language_of(path).to_owned() };
    let nodes = paths.into_iter().map(node).collect();
    let picture = picture::FileGraph { heading, nodes, edges };
    let text = match form {
        PictureFormat::Dot => picture.dot(),
        PictureFormat::Html => picture.html(),
    };
    output.picture(&text, provenance)
}

/// The kind that an edge is drawn as: its most distinctive property.
fn kind_of(edge: &GraphEdge) -> DependencyKind {
    match edge.kind {
        _ if edge.type_only => DependencyKind::TypeOnly,
        _ if edge.test => DependencyKind::Test,
        EdgeKind::Import => DependencyKind::Import,
        EdgeKind::Include => DependencyKind::Include,
        EdgeKind::Reexport => DependencyKind::Reexport,
        EdgeKind::Module => DependencyKind::Module,
    }
}

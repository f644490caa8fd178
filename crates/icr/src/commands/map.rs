//! `icr map`

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use icr_engine::{MapNode, MapRequest, MapSummary};
use serde::Serialize;

use crate::arguments::Global;
use crate::completions;
use crate::context::Context;
use crate::output::{Output, Style, bytes_text, count_text};
use crate::problem;

/// Draw the tree of the view with sizes and languages
#[derive(Debug, Args)]
pub(crate) struct Map {
    /// Show only what is below this path
    #[arg(add = ArgValueCompleter::new(completions::paths))]
    path: Option<String>,
    /// Levels to draw
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10))]
    depth: u32,
}

#[derive(Serialize)]
struct MapOutput {
    tree: MapNode,
    summary: MapSummary,
}

impl Map {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = Context::open(global)?;
        let request = MapRequest {
            depth: self.depth as usize,
            path_prefix: context.path(self.path.as_deref()),
            ..MapRequest::default()
        };
        let ((tree, summary), provenance) = context.ask(|snapshot| icr_engine::map(snapshot, &request))?;
        let answer = MapOutput { tree, summary };
        output.answer(&answer, &provenance, problem::OK, |output| {
            draw(output, &answer.tree, "", "")?;
            let languages: Vec<String> =
                answer.summary.languages.iter().map(|(name, files)| format!("{name} {files}")).collect();
            let files = count_text(answer.summary.total_files, "file", "files");
            let directories = count_text(answer.summary.total_directories, "directory", "directories");
            output.line(output.styled(Style::Faint, format_args!("{files} in {directories}: {}", languages.join(", "))))
        })
    }
}

fn draw(output: &mut Output, node: &MapNode, before: &str, below: &str) -> std::io::Result<()> {
    let is_directory = node.kind == "directory";
    let name =
        if is_directory { output.styled(Style::Name, format_args!("{}/", node.name)) } else { node.name.clone() };
    let files = if is_directory { format!("{}, ", count_text(node.files, "file", "files")) } else { String::new() };
    let language = node.language.as_deref().map(|language| format!(", {language}")).unwrap_or_default();
    let lines = count_text(node.lines, "line", "lines");
    let facts = output.styled(Style::Faint, format_args!("{files}{}, {lines}{language}", bytes_text(node.size_bytes)));
    output.line(format_args!("{before}{name}  {facts}"))?;
    for (at, child) in node.children.iter().enumerate() {
        let last = at + 1 == node.children.len();
        let (branch, further) = if last { ("└── ", "    ") } else { ("├── ", "│   ") };
        draw(output, child, &format!("{below}{branch}"), &format!("{below}{further}"))?;
    }
    Ok(())
}

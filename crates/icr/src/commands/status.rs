//! `icr status`

use clap::Args;

use crate::arguments::Global;
use crate::context::Context;
use crate::output::{Output, Style, bytes_text, count_text};
use crate::problem;

/// Show what is indexed, by language
#[derive(Debug, Args)]
pub(crate) struct StatusCommand {}

impl StatusCommand {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let (status, provenance) = Context::open(global)?.ask(icr_engine::status)?;
        output.answer(&status, &provenance, problem::OK, |output| {
            let tree = provenance.tree.as_deref().unwrap_or("none");
            let rows = [
                ("repository", status.root.clone()),
                ("view", format!("{} (tree {})", status.view, &tree[..12.min(tree.len())])),
                ("uncommitted", count_text(provenance.dirty, "file", "files")),
                ("files", format!("{}, {}", status.files_indexed, bytes_text(status.text_bytes))),
                (
                    "without text",
                    format!("{} binary, {} above the size limit", status.binary_files, status.oversize_files),
                ),
                ("chunks", status.chunks_stored.to_string()),
                (
                    "definitions",
                    format!(
                        "{}, {} of them contracts{}",
                        status.symbols,
                        status.contracts_detected,
                        not_parsed(status.unparsed_files)
                    ),
                ),
                ("store", format!("{} ({}), id {}", status.store, bytes_text(status.store_bytes), provenance.repo_id)),
            ];
            for (name, value) in rows {
                let name = output.styled(Style::Faint, format_args!("{name:<13}"));
                output.line(format_args!("{name} {value}"))?;
            }
            for space in &status.vectors {
                output.line(super::model::space_line(space, output))?;
            }
            for language in &status.languages {
                let name = output.styled(Style::Name, format_args!("{:<13}", language.language));
                let size = bytes_text(language.bytes);
                output
                    .line(format_args!("{name} {:>7} files {:>9} lines {size:>11}", language.files, language.lines))?;
            }
            Ok(())
        })
    }
}

/// Note that there may be more definitions than are known, because files were not parsed.
fn not_parsed(files: u64) -> String {
    match files {
        0 => String::new(),
        1 => "; 1 file does not parse".to_owned(),
        _ => format!("; {files} files do not parse"),
    }
}

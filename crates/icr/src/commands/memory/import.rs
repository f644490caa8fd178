//! `icr import`

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::Args;
use icr_memory::{
    Access, Author, IcmReport, IcmRequest, ImportRequest, ImportSource, MemoryDatabase, MemoryOptions, TransferError,
    TransferReport,
};

use super::export::transfer_error;
use crate::arguments::Global;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, count_text, note};
use crate::problem::{self, Usage};

/// Import an export, another memory database of icr, or a database of ICM
///
/// Existing memories stay. If a text differs, the later change wins and the other text is kept in the history. Invalid
/// lines are left out and named, and the exit code is 1; with `--strict`, one of them keeps everything from being imported.
/// `icr undo` reverts an import, except how often and when memories were recalled.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The file; `-` reads an export from standard input
    file: PathBuf,
    /// Only show what would be imported
    #[arg(long)]
    dry_run: bool,
    /// Also import memories that were forgotten here
    #[arg(long)]
    revive: bool,
}

impl Import {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = MemoryContext::open(global)?;
        let now = now_ms();
        let request =
            ImportRequest { author: Author::Person, revive: self.revive, dry_run: self.dry_run, strict: global.strict };
        let mut database = if self.dry_run { context.readable()? } else { context.for_changes()? };
        if self.file == Path::new("-") {
            let report = icr_memory::import(&mut database, &mut std::io::stdin().lock(), &request, now)
                .map_err(transfer_error)?;
            return show(output, global, &report, self.dry_run, serde_json::to_value(&report)?);
        }
        match icr_memory::import_source(&self.file).map_err(|error| match error {
            TransferError::Io { source, .. } => unreadable(&self.file, &source).into(),
            error => transfer_error(error),
        })? {
            ImportSource::Export => {
                let file = File::open(&self.file).map_err(|error| unreadable(&self.file, &error))?;
                let report = icr_memory::import(&mut database, &mut BufReader::new(file), &request, now)
                    .map_err(transfer_error)?;
                show(output, global, &report, self.dry_run, serde_json::to_value(&report)?)
            }
            ImportSource::Database => {
                let other = MemoryDatabase::existing(&self.file, Access::Read, MemoryOptions::default());
                let other = other.or_else(|error| match global.strict {
                    true => Err(error),
                    // Of a database that cannot be opened, what is left is imported.
                    false => MemoryDatabase::open_damaged(&self.file, &std::env::temp_dir(), MemoryOptions::default())
                        .map(Some)
                        .map_err(|_| error),
                });
                let other = other
                    .map_err(super::memory_error)?
                    .ok_or_else(|| Usage { message: format!("`{}` holds nothing", self.file.display()), hint: None })?;
                let report = icr_memory::merge(&mut database, &other, &request, now).map_err(transfer_error)?;
                show(output, global, &report, self.dry_run, serde_json::to_value(&report)?)
            }
            ImportSource::OtherDatabase => {
                let icm = IcmRequest {
                    import: request,
                    projects: projects(&context, global),
                    scratch: Some(std::env::temp_dir()),
                };
                let report = icr_memory::import_icm(&mut database, &self.file, &icm, now).map_err(transfer_error)?;
                let code = show(output, global, &report.transfer, self.dry_run, serde_json::to_value(&report)?)?;
                if !global.quiet && !output.is_json() {
                    let mut stderr = std::io::stderr().lock();
                    icm_notes(&report).iter().for_each(|line| note(&mut stderr, line));
                }
                Ok(code)
            }
            ImportSource::Other => Err(Usage {
                message: format!("`{}` is neither an export of icr nor a memory database", self.file.display()),
                hint: Some("`icr extract` takes facts out of any text".to_owned()),
            }
            .into()),
        }
    }
}

/// What could not be taken from a database of ICM as it was, one line each.
fn icm_notes(report: &IcmReport) -> Vec<String> {
    let mut lines = Vec::new();
    if report.is_damaged {
        lines.push("the database is damaged; there may have been more in it than could be read".to_owned());
    }
    for (table, count) in &report.unreadable {
        let rows = count_text(*count, "row", "rows");
        lines.push(format!("{rows} of `{table}` could not be read"));
    }
    for (what, count) in &report.adjusted {
        lines.push(format!("{what} ({})", count_text(*count, "time", "times")));
    }
    for (table, count) in &report.left {
        let rows = count_text(*count, "row", "rows");
        lines.push(format!("{rows} of `{table}` hold no memories and were left"));
    }
    lines
}

/// The name that topics of ICM have for the repository that the command is given in.
fn projects(context: &MemoryContext, global: &Global) -> Vec<(String, icr_memory::ProjectKey)> {
    let root = crate::context::locate(global).ok().map(|located| located.root().to_owned());
    let name = root.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    name.into_iter().map(|name| (name, context.project.clone())).collect()
}

fn unreadable(path: &Path, error: &std::io::Error) -> Usage {
    Usage { message: format!("`{}` cannot be read: {error}", path.display()), hint: None }
}

fn show(
    output: &mut Output,
    global: &Global,
    report: &TransferReport,
    dry_run: bool,
    value: serde_json::Value,
) -> anyhow::Result<u8> {
    let is_complete = report.refused.count == 0 && report.unreadable == 0;
    let code = if is_complete { problem::OK } else { problem::FINDING };
    if output.is_json() {
        output.json(&value)?;
        return Ok(code);
    }
    let records = [
        ("memories", report.memories),
        ("memoirs", report.memoirs),
        ("concepts", report.concepts),
        ("links", report.links),
    ];
    let mut is_empty = true;
    let verb = if dry_run { "Would import" } else { "Imported" };
    for (name, records) in records {
        let parts = [
            (records.added, "added"),
            (records.merged, "merged"),
            (records.same_as_another, "the same as another"),
            (records.unchanged, "unchanged"),
            (records.forgotten, "forgotten here"),
            (records.incomplete, "incomplete"),
            (records.removed, "removed"),
        ];
        let parts: Vec<String> =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        if !parts.is_empty() {
            is_empty = false;
            output.line(format_args!("{verb} {name}: {}", parts.join(", ")))?;
        }
    }
    if is_empty {
        output.line("nothing to import")?;
    }
    output.flush()?;
    if !global.quiet {
        let mut stderr = std::io::stderr().lock();
        for entry in &report.notes {
            note(&mut stderr, &format!("{} `{}`: {}", entry.record, entry.id, entry.reason));
        }
        refusal_notes(report).iter().for_each(|line| note(&mut stderr, line));
    }
    Ok(code)
}

/// What was left out of an import and why, one line each; empty if nothing was.
fn refusal_notes(report: &TransferReport) -> Vec<String> {
    let refused = &report.refused;
    let mut lines: Vec<String> = refused.first.iter().map(ToString::to_string).collect();
    let more = refused.count.saturating_sub(refused.first.len() as u64);
    if more > 0 {
        lines.push(format!("{} more", count_text(more, "invalid record", "invalid records")));
    }
    if refused.count > 0 {
        let records = count_text(refused.count, "invalid record was", "invalid records were");
        lines.push(format!("{records} left out; correct them and import the file again, which changes nothing else"));
    }
    if report.unreadable > 0 {
        let records = count_text(report.unreadable, "record", "records");
        lines.push(format!("the other database is damaged: up to {records} could not be read and were not imported"));
    }
    lines
}

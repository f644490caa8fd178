//! `icr export`

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use icr_memory::{ExportRequest, MemoryDatabase, MemoryOptions, RecordCounts};

use crate::arguments::Global;
use crate::memory_context::{MemoryContext, now_ms};
use crate::output::{Output, count_text, note};
use crate::problem::{self, Usage};

/// Write all memories and memoirs as lines of JSON
///
/// One record per line in a stable order. For an export that is kept in git, add `FILE merge=union` to .gitattributes:
/// then git keeps the lines of both sides of a merge, which would otherwise conflict where both add memories. `icr import`
/// reads what git merged.
#[derive(Debug, Args)]
pub(crate) struct ExportCommand {
    /// The file to write; `-` is standard output [default: -]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Only what is recalled now: no archived or expired memories, no earlier texts
    #[arg(long)]
    live: bool,
    /// Leave out how often and when memories were recalled
    #[arg(long)]
    without_usage: bool,
    /// Memories of all projects
    #[arg(long)]
    all_projects: bool,
}

impl ExportCommand {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let context = MemoryContext::open_for_questions(global)?;
        let database = context.readable().or_else(|error| {
            // Of a database that cannot be opened, what is left is saved.
            MemoryDatabase::open_damaged(context.path(), &std::env::temp_dir(), MemoryOptions::default())
                .map_err(|_| error)
        })?;
        let request = ExportRequest {
            scope: context.scope(self.all_projects),
            archived: !self.live,
            earlier_texts: !self.live,
            without_usage: self.without_usage,
        };
        let Some(path) = self.file.as_deref().filter(|path| *path != Path::new("-")) else {
            let counts = output
                .json_lines(|to| icr_memory::export(&database, &request, to, now_ms()).map_err(transfer_error))?;
            return Ok(completeness(&counts, context.path()));
        };
        let unwritable = |error: std::io::Error| Usage {
            message: format!("`{}` cannot be written: {error}", path.display()),
            hint: None,
        };
        check_target(path, context.path())?;
        // Written atomically: a truncated export would look like a complete one with fewer memories.
        let mut part = path.as_os_str().to_owned();
        part.push(format!(".{}.part", std::process::id()));
        let part = PathBuf::from(part);
        let mut writer = BufWriter::new(File::create_new(&part).map_err(unwritable)?);
        let written = icr_memory::export(&database, &request, &mut writer, now_ms());
        let written =
            written.map_err(transfer_error).and_then(|counts| Ok((counts, writer.flush().map_err(unwritable)?)));
        let counts = match written {
            Ok((counts, ())) => counts,
            Err(error) => {
                let _ = std::fs::remove_file(&part);
                return Err(error);
            }
        };
        std::fs::rename(&part, path).map_err(unwritable)?;
        if output.is_json() {
            output.json(&serde_json::to_value(counts)?)?;
        } else if !global.quiet {
            let memories = count_text(counts.memories, "memory", "memories");
            let concepts = count_text(counts.concepts, "concept", "concepts");
            output.line(format_args!("Exported {memories} and {concepts} to {}.", path.display()))?;
        }
        Ok(completeness(&counts, context.path()))
    }
}

/// The exit code of an export; says on standard error what it lacks.
fn completeness(counts: &RecordCounts, database: &Path) -> u8 {
    let mut stderr = std::io::stderr().lock();
    if counts.senseless > 0 {
        let memories = count_text(counts.senseless, "memory has a value", "memories have a value");
        let said =
            format!("{memories} that makes no sense, and a default in its place in the export; `icr list` names it");
        note(&mut stderr, &said);
    }
    if counts.unreadable > 0 {
        let records = count_text(counts.unreadable, "record", "records");
        let said = format!(
            "`{}` is damaged: up to {records} could not be read and are missing from the export; the rest can be imported into \
             a new database",
            database.display()
        );
        note(&mut stderr, &said);
    }
    if counts.unreadable + counts.senseless == 0 { problem::OK } else { problem::FINDING }
}

/// Refuses a file that an export would destroy: a database, and what is no ordinary file, which renaming would replace.
fn check_target(path: &Path, database: &Path) -> anyhow::Result<()> {
    let refused = |what: &str, hint: &str| {
        Err(Usage { message: format!("`{}` is {what}", path.display()), hint: Some(hint.to_owned()) }.into())
    };
    let Ok(metadata) = path.symlink_metadata() else { return Ok(()) };
    if !metadata.is_file() {
        return refused("no ordinary file", "name a new file, or leave it out to write to standard output");
    }
    let is_own = path.canonicalize().ok().zip(database.canonicalize().ok()).is_some_and(|(one, other)| one == other);
    let mut head = Vec::new();
    File::open(path).and_then(|file| file.take(SQLITE_MAGIC.len() as u64).read_to_end(&mut head)).ok();
    if is_own || head == SQLITE_MAGIC {
        return refused("a database, which the export would replace", "name another file, such as `memories.jsonl`");
    }
    Ok(())
}

/// First bytes of an SQLite database (SQLite, "Database File Format", 1.3).
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// Converts a transfer error into an error that the program reports.
pub(super) fn transfer_error(error: icr_memory::TransferError) -> anyhow::Error {
    match error {
        icr_memory::TransferError::Memory(error) => super::memory_error(error),
        icr_memory::TransferError::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe => {
            source.into()
        }
        error => {
            let hint = match &error {
                icr_memory::TransferError::Line { .. } => {
                    "nothing was imported; correct the line, or leave out `--strict` to import all others"
                }
                icr_memory::TransferError::TooLarge { .. } => {
                    "nothing was imported; import an export in parts, each under the line that it begins with"
                }
                _ => return Usage { message: describe(&error), hint: None }.into(),
            };
            let hint = Some(hint.to_owned());
            Usage { message: describe(&error), hint }.into()
        }
    }
}

fn describe(error: &icr_memory::TransferError) -> String {
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

//! `icr bench`

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Args;
use icr_engine::MemoryPlace;
use icr_memory::memoir::{self, ConceptSearch, NewConcept};
use icr_memory::{Author, DAY_MS, MemoryDatabase, MemoryRules, NewMemory, RecallRequest, RecordId, StoreAction};
use icr_model::UnixMillis;
use serde::Serialize;
use tempfile::TempDir;

use crate::arguments::Global;
use crate::output::{Output, Style, bytes_text};
use crate::problem;

/// Most questions, concepts and searches that are timed; more of them do not make the result more precise.
const ASKED_MOST: usize = 100;

/// How often the weights of all memories are recomputed, each time as of one day later.
const DECAYS: i64 = 5;

/// Time of the first memory, in milliseconds since 1970. The value is arbitrary.
const BEGIN_MS: i64 = 1_700_000_000_000;

/// Memories per topic, so that topics grow as in real use.
const TOPIC_SIZE: usize = 20;

/// Words that the made-up texts consist of; they are the same in every run.
const SUBJECTS: [&str; 20] = [
    "gateway",
    "scheduler",
    "ledger",
    "renderer",
    "importer",
    "archive",
    "sampler",
    "router",
    "cache",
    "exporter",
    "planner",
    "watcher",
    "parser",
    "queue",
    "session",
    "uploader",
    "indexer",
    "balancer",
    "recorder",
    "mailer",
];
const DEEDS: [&str; 20] = [
    "retries",
    "drops",
    "compresses",
    "verifies",
    "buffers",
    "rejects",
    "rewrites",
    "signs",
    "splits",
    "merges",
    "delays",
    "mirrors",
    "rotates",
    "truncates",
    "encrypts",
    "validates",
    "reorders",
    "throttles",
    "replays",
    "caches",
];
const OBJECTS: [&str; 20] = [
    "packets",
    "invoices",
    "thumbnails",
    "cookies",
    "snapshots",
    "migrations",
    "webhooks",
    "tokens",
    "batches",
    "headers",
    "segments",
    "receipts",
    "fragments",
    "journals",
    "certificates",
    "uploads",
    "metrics",
    "threads",
    "partitions",
    "letters",
];
const REASONS: [&str; 20] = [
    "after a restart",
    "before noon",
    "on the second node",
    "when the disk is full",
    "under load",
    "for old clients",
    "in the test region",
    "while backups run",
    "without a lock",
    "at the first error",
    "for large tenants",
    "in read-only mode",
    "behind the proxy",
    "during a rollout",
    "on slow links",
    "for guests",
    "since the last audit",
    "at midnight",
    "with two workers",
    "until it is confirmed",
];

/// Time the operations of long-term memory on a temporary database
///
/// Stores made-up memories, recalls, reads and decays them, and searches a memoir. Times are wall time in microseconds
/// for one operation, including its commit if it writes. One decay recomputes the weights of all memories. The database
/// is removed afterwards.
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Memories to store
    #[arg(short, long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(10..=100_000))]
    count: u32,
}

/// The whole result.
#[derive(Debug, Serialize)]
struct MemoryBench {
    /// Number of stored memories.
    count: usize,
    /// Unit of the times.
    unit: &'static str,
    rows: Vec<OperationTimes>,
    /// Final size in bytes of the database with vectors, or of the one without if no vectors are made.
    database_bytes: u64,
}

/// The times of one operation.
#[derive(Debug, Serialize)]
struct OperationTimes {
    operation: &'static str,
    /// Whether the database has vectors.
    vectors: bool,
    /// How often the operation was run.
    count: usize,
    median_us: f64,
    mean_us: f64,
}

impl Bench {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let bench = bench(self.count as usize, !global.no_embeddings)?;
        if output.is_json() {
            output.json(&serde_json::to_value(&bench)?)?;
        } else {
            draw(output, &bench)?;
        }
        Ok(problem::OK)
    }
}

/// A memory database in its own temporary directory; both are removed together.
pub(crate) struct TemporaryMemory {
    // Fields are dropped in this order: the database is closed before its directory is removed.
    pub(crate) database: MemoryDatabase,
    _directory: TempDir,
}

impl TemporaryMemory {
    /// An empty database with the default rules; if `embeds`, with vectors from the built-in table.
    pub(crate) fn new(embeds: bool) -> anyhow::Result<Self> {
        let directory = tempfile::tempdir().context("making a temporary directory")?;
        let path = directory.path().join("memory.db");
        let database = MemoryPlace::new(path, MemoryRules::default(), embeds, false).for_changes()?;
        Ok(Self { database, _directory: directory })
    }
}

fn bench(count: usize, embeds: bool) -> anyhow::Result<MemoryBench> {
    let mut bench = MemoryBench { count, unit: "microseconds of wall time", rows: Vec::new(), database_bytes: 0 };
    for vectors in [false, true].into_iter().take(if embeds { 2 } else { 1 }) {
        let mut memory = TemporaryMemory::new(vectors)?;
        let database = &mut memory.database;
        let ids = bench.stores(database, vectors)?;
        bench.recalls(database, vectors)?;
        if !vectors {
            bench.accesses(database, &ids)?;
            bench.decays(database)?;
            bench.memoir_searches(database)?;
        }
        bench.database_bytes = bytes_of(database.path());
    }
    // One row per operation, with and without vectors next to each other.
    let order = bench.rows.iter().map(|row| row.operation).fold(Vec::new(), |mut seen, operation| {
        if !seen.contains(&operation) {
            seen.push(operation);
        }
        seen
    });
    bench.rows.sort_by_key(|row| (order.iter().position(|operation| *operation == row.operation), row.vectors));
    Ok(bench)
}

impl MemoryBench {
    /// Stores each text twice; returns the ids of the memories.
    fn stores(&mut self, database: &mut MemoryDatabase, vectors: bool) -> anyhow::Result<Vec<RecordId>> {
        let mut ids = Vec::with_capacity(self.count);
        for (operation, expected, later) in
            [("store", StoreAction::Added, 0), ("store the same text", StoreAction::SameText, DAY_MS)]
        {
            self.times(operation, vectors, 0..self.count, |no| {
                let outcome = icr_memory::store(database, &made_up(no), UnixMillis(BEGIN_MS + no as i64 + later))?;
                anyhow::ensure!(outcome.action == expected, "storing made-up text {no} was {:?}", outcome.action);
                ids.push(outcome.id);
                Ok(())
            })?;
        }
        ids.truncate(self.count);
        Ok(ids)
    }

    fn recalls(&mut self, database: &MemoryDatabase, vectors: bool) -> anyhow::Result<()> {
        self.times("recall", vectors, 0..self.count.min(ASKED_MOST), |no| {
            let request = RecallRequest { query: question(no), limit: 10, ..RecallRequest::default() };
            let answer = icr_memory::recall(database, &request, UnixMillis(BEGIN_MS + DAY_MS))?;
            anyhow::ensure!(!answer.memories.is_empty(), "nothing was recalled for `{}`", request.query);
            Ok(())
        })
    }

    fn accesses(&mut self, database: &mut MemoryDatabase, ids: &[RecordId]) -> anyhow::Result<()> {
        self.times("get", false, ids, |id| Ok(icr_memory::memory_of(database, id).map(drop)?))?;
        self.times("touch", false, ids, |id| {
            Ok(icr_memory::touch(database, std::slice::from_ref(id), UnixMillis(BEGIN_MS + DAY_MS))?)
        })
    }

    fn decays(&mut self, database: &mut MemoryDatabase) -> anyhow::Result<()> {
        self.times("decay of all", false, 1..=DECAYS, |days| {
            let changed = icr_memory::decay(
                database,
                &icr_memory::ListScope::All,
                None,
                UnixMillis(BEGIN_MS + (days + 1) * DAY_MS),
            )?;
            anyhow::ensure!(changed > 0, "no weight changed");
            Ok(())
        })
    }

    fn memoir_searches(&mut self, database: &mut MemoryDatabase) -> anyhow::Result<()> {
        const NAME: &str = "bench";
        memoir::create(database, NAME, "", Author::Person, UnixMillis(BEGIN_MS))?;
        let asked = self.count.min(ASKED_MOST);
        self.times("add a concept", false, 0..asked, |no| {
            let concept = NewConcept {
                name: format!("{} {no}", word(&SUBJECTS, no)),
                definition: made_up(no).summary,
                ..NewConcept::default()
            };
            Ok(memoir::add_concept(database, NAME, &concept, Author::Person, UnixMillis(BEGIN_MS)).map(drop)?)
        })?;
        self.times("search a memoir", false, 0..asked, |no| {
            let search = ConceptSearch { query: question(no), label: None, limit: 10 };
            let hits = memoir::search(database, NAME, &search)?;
            anyhow::ensure!(!hits.is_empty(), "no concept was found for `{}`", search.query);
            Ok(())
        })
    }

    /// Does an operation for each of `on`, and keeps its times as a row.
    fn times<T>(
        &mut self,
        operation: &'static str,
        vectors: bool,
        on: impl IntoIterator<Item = T>,
        mut work: impl FnMut(T) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut times: Vec<Duration> = Vec::new();
        for item in on {
            let begin = Instant::now();
            work(item)?;
            times.push(begin.elapsed());
        }
        times.sort_unstable();
        let us = |time: Duration| time.as_secs_f64() * 1e6;
        let count = times.len();
        let median_us = times.get(count / 2).copied().map(us).unwrap_or_default();
        let mean_us = times.into_iter().map(us).sum::<f64>() / count.max(1) as f64;
        self.rows.push(OperationTimes { operation, vectors, count, median_us, mean_us });
        Ok(())
    }
}

/// Made-up memory number `no`. Two memories of one topic share no subject, deed, object or reason, so that none is a
/// near duplicate of another.
fn made_up(no: usize) -> NewMemory {
    let (deed, object, reason) = (no * 7 + no / 20, no * 11 + no / 400, no * 13 + no / 8_000);
    let summary = format!(
        "The {} {} {} {}; it took {no} microseconds.",
        word(&SUBJECTS, no),
        word(&DEEDS, deed),
        word(&OBJECTS, object),
        word(&REASONS, reason)
    );
    NewMemory { topic: format!("bench-{}", no / TOPIC_SIZE), summary, ..NewMemory::default() }
}

/// A question about memory number `no`.
fn question(no: usize) -> String {
    format!("Why does the {} touch {}?", word(&SUBJECTS, no), word(&OBJECTS, no * 11 + no / 400))
}

fn word<'a>(words: &[&'a str; 20], no: usize) -> &'a str {
    words[no % words.len()]
}

/// Size of the database and its log, in bytes.
fn bytes_of(path: &Path) -> u64 {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let bytes = |path: &Path| std::fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default();
    bytes(path) + bytes(Path::new(&log))
}

fn draw(output: &mut Output, bench: &MemoryBench) -> std::io::Result<()> {
    let head = format!("{:<20}  {:<7}  {:>7}  {:>10}  {:>10}", "operation", "vectors", "times", "median us", "mean us");
    output.line(output.styled(Style::Faint, head))?;
    for row in &bench.rows {
        let vectors = if row.vectors { "yes" } else { "no" };
        output.line(format_args!(
            "{:<20}  {vectors:<7}  {:>7}  {:>10.1}  {:>10.1}",
            row.operation, row.count, row.median_us, row.mean_us
        ))?;
    }
    let bytes = bytes_text(bench.database_bytes);
    output.line(format_args!("\n{} memories; {} each; the database has {bytes}", bench.count, bench.unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_texts_differ_and_share_little_within_a_topic() {
        let texts: Vec<NewMemory> = (0..100).map(made_up).collect();
        for (no, one) in texts.iter().enumerate() {
            for other in &texts[..no] {
                let (a, b) = (
                    icr_memory::near_duplicates::token_set(&one.summary),
                    icr_memory::near_duplicates::token_set(&other.summary),
                );
                let share = icr_memory::near_duplicates::jaccard(&a, &b);
                assert!(one.topic != other.topic || share < 0.5, "{} / {}", one.summary, other.summary);
                assert_ne!(one.summary, other.summary);
            }
        }
    }
}

//! What people do with a repository, from the first index to a search.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use icr_engine::{IndexStatus, ViewSelector};
use tempfile::TempDir;

use crate::arguments::Workloads;
use crate::budget;
use crate::clock::{self, Cost, median, quantile};
use crate::commits::{average, sync_after_commits};
use crate::corpus::Corpus;
use crate::error::{Error, io};
use crate::queries::queries;
use crate::report::{BenchReport, Measurement, grouped};
use crate::stage::{BareLimit, Counts, QUERIES, REPO_ID, Searches, Stage, StageDirectories, SyncStageResult};
use crate::temporary_clone::TemporaryClone;

/// How often short processes are run: syncs with nothing to do, cold searches, `git status`.
const SHORT_RUNS: usize = 9;

/// Files of the change whose impact is asked for, at least.
const IMPACT_FILES: usize = 30;

/// Commits that such a change is looked for in.
const IMPACT_COMMITS: usize = 200;

/// Commits back to the other branch of a switch, where history has so many.
const SWITCHED_COMMITS: usize = 500;

/// Returns to a branch seen before, for the mean of their CPU.
const RETURNS: usize = 6;

/// Measures each repository, one table after the other.
///
/// # Errors
///
/// The first that keeps a workload from being run; tables shown before it stay.
pub(crate) fn run(request: &Workloads) -> Result<(), Error> {
    for path in &request.repositories {
        measure(path, request)?.publish(request.out.as_deref())?;
    }
    Ok(())
}

fn measure(path: &Path, request: &Workloads) -> Result<BenchReport, Error> {
    let corpus = Corpus::open(path)?;
    let root = corpus.repository.worktree_root().unwrap_or(corpus.repository.git_dir()).to_owned();
    // The path as given: a symbolic link can give a bare repository called `repo` another name.
    let name = path.file_name().or(root.file_name()).unwrap_or_default().to_string_lossy();
    let mut report = BenchReport::new(name.trim_end_matches(".git"));

    let (home, full_sync) = full_sync(&root, request.runs)?;
    let place = StageDirectories { repository: root, home: home.path().to_owned() };
    let bare_limit = bare_limit(&place, request.runs)?;
    let status = icr_engine::status(&place.engine()?.snapshot(&ViewSelector::Revision("HEAD".to_owned()))?)?;
    let lines = status.languages.iter().map(|count| count.lines).sum();
    report.facts = vec![
        ("is HEAD", corpus.commit.to_string()[..12].to_owned()),
        ("files", grouped(status.files_indexed)),
        ("lines", grouped(lines)),
        ("MB of text", format!("{:.1}", megabytes(status.text_bytes))),
        ("chunks", grouped(status.chunks_stored)),
    ];
    report.rows.push(bare_limit_row(&bare_limit));
    report.rows.extend(full_sync_rows(&full_sync, &bare_limit, lines));
    report.rows.extend(store_rows(place.engine()?.store().directory(), &status));
    report.rows.push(sync_of_nothing(&place)?);

    let clone = TemporaryClone::of(&corpus.repository, corpus.commit)?;
    let place = StageDirectories { repository: clone.root().to_owned(), home: home.path().to_owned() };
    report.rows.push(sync_of_second_clone(&place)?);
    report.rows.push(ten_files(&clone, &place)?);
    report.rows.extend(switch(&clone, &place, &corpus)?);

    let queries = queries(&corpus)?;
    report.rows.extend(cold_search(&clone, &place, &queries, request.icr.as_deref())?);
    report.rows.extend(warm_search(&place, &queries)?);
    report.rows.push(cold_impact(&clone, &place, request.icr.as_deref())?);
    Ok(report)
}

/// A full sync into a fresh home, several times.
struct FullSync {
    cost: Cost,
    counts: Counts,
    /// The highest of all runs.
    peak_resident_bytes: Option<u64>,
}

fn full_sync(root: &Path, runs: usize) -> Result<(TempDir, FullSync), Error> {
    let mut costs = Vec::new();
    let mut peaks = Vec::new();
    loop {
        let home = TempDir::with_prefix("icr-bench-").map_err(io("making a directory in", &std::env::temp_dir()))?;
        let place = StageDirectories { repository: root.to_owned(), home: home.path().to_owned() };
        let (synced, cost) = place.run::<SyncStageResult>(Stage::Sync)?;
        costs.push(cost);
        peaks.extend(synced.peak_resident_bytes);
        if costs.len() == runs {
            let sync =
                FullSync { cost: medians(&costs), counts: synced.counts, peak_resident_bytes: peaks.into_iter().max() };
            return Ok((home, sync));
        }
    }
}

fn bare_limit(place: &StageDirectories, runs: usize) -> Result<BareLimit, Error> {
    let measured = (0..runs).map(|_| place.run::<BareLimit>(Stage::BareLimit).map(|(bare_limit, _)| bare_limit));
    let mut measured = measured.collect::<Result<Vec<_>, _>>()?;
    measured.sort_by(|one, other| one.cpu_ms.total_cmp(&other.cpu_ms));
    Ok(measured.swap_remove((runs - 1) / 2))
}

fn bare_limit_row(bare_limit: &BareLimit) -> Measurement {
    let rate = megabytes(bare_limit.bytes) / (bare_limit.cpu_ms / 1e3).max(f64::MIN_POSITIVE);
    Measurement::new("bare limit: read and parse")
        .cost(Cost { cpu_ms: bare_limit.cpu_ms, wall_ms: bare_limit.wall_ms })
        .figure(rate, "MB a second")
        .note(format!("read {}, parsed {}", bare_limit.blobs, bare_limit.parsed))
}

fn full_sync_rows(sync: &FullSync, bare_limit: &BareLimit, lines: u64) -> Vec<Measurement> {
    let times = sync.cost.cpu_ms / bare_limit.cpu_ms.max(f64::MIN_POSITIVE);
    let mut rows = vec![
        Measurement::new("full sync")
            .cost(sync.cost)
            .figure(times, "x bare limit")
            .budget(budget::FULL_SYNC_TIMES_BARE_LIMIT)
            .note(counts(&sync.counts)),
    ];
    if let Some(peak) = sync.peak_resident_bytes {
        let row = Measurement::new("full sync, peak memory").figure(megabytes(peak), "MB");
        rows.push(if lines <= budget::PEAK_LINES { row.budget(budget::PEAK_MB) } else { row });
    }
    rows
}

/// Bytes of the store by purpose, relative to the bytes of the text.
fn store_rows(store: &Path, status: &IndexStatus) -> Vec<Measurement> {
    let share = |bytes: u64| bytes as f64 / status.text_bytes.max(1) as f64;
    let (mut postings, mut ledger, mut rest) = (0, 0, 0);
    for entry in std::fs::read_dir(store).into_iter().flatten().flatten() {
        let bytes = bytes_below(&entry.path());
        match entry.file_name().to_string_lossy().as_ref() {
            "lexical" => postings += bytes,
            name if name.starts_with("ledger.db") => ledger += bytes,
            _ => rest += bytes,
        }
    }
    let row = |name: &str, bytes: u64, budget| {
        let note = format!("{:.1} MB", megabytes(bytes));
        Measurement::new(name).figure(share(bytes), "x text").budget(budget).note(note)
    };
    vec![
        row("store", postings + ledger + rest, budget::STORE_SHARE),
        row("store, postings", postings, budget::POSTINGS_SHARE),
        row("store, ledger and facts", ledger, budget::LEDGER_SHARE),
    ]
}

fn bytes_below(path: &Path) -> u64 {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => {
            std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| bytes_below(&entry.path())).sum()
        }
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    }
}

/// A sync that finds the store up to date.
pub(crate) fn sync_of_nothing(place: &StageDirectories) -> Result<Measurement, Error> {
    let mut costs = Vec::new();
    let mut done = Counts::default();
    for _ in 0..SHORT_RUNS {
        let (synced, cost) = place.run::<SyncStageResult>(Stage::Sync)?;
        costs.push(cost);
        done = synced.counts;
    }
    let cost = average(&costs);
    let row = Measurement::new("sync of nothing").cost(cost).figure(cost.cpu_ms, "ms of CPU");
    Ok(row.budget(budget::SYNC_OF_NOTHING_MS).note(counts(&done)))
}

/// The first sync of a clone whose content is in the store.
fn sync_of_second_clone(place: &StageDirectories) -> Result<Measurement, Error> {
    let (synced, cost) = place.run::<SyncStageResult>(Stage::Sync)?;
    // A single run is too short for the 10 ms ticks of CPU time.
    let row = Measurement { wall_ms: Some(cost.wall_ms), ..Measurement::new("sync of a second clone") };
    Ok(row
        .figure(synced.counts.parsed as f64, "parsed")
        .budget(budget::SECOND_CLONE_PARSED)
        .note(counts(&synced.counts)))
}

/// Syncs after commits of ten files.
pub(crate) fn ten_files(clone: &TemporaryClone, place: &StageDirectories) -> Result<Measurement, Error> {
    let row = Measurement::new("sync of a commit of ten files");
    let Some(syncs) = sync_after_commits(clone, place)? else {
        return Ok(row.note("not measured: there are no source files"));
    };
    let row = row.cost(syncs.cost).figure(syncs.cost.cpu_ms, "ms of CPU");
    Ok(row.budget(budget::SYNC_OF_TEN_FILES_MS).note(counts(&syncs.counts)))
}

/// A switch to an older commit, then returns between the two commits; by then neither is new.
fn switch(clone: &TemporaryClone, place: &StageDirectories, corpus: &Corpus) -> Result<Vec<Measurement>, Error> {
    let head = corpus.commit.to_string();
    let limit = format!("--max-count={}", SWITCHED_COMMITS + 1);
    let line = clone.git(&["rev-list", "--first-parent", &limit, &head])?;
    let back = line.lines().count() - 1;
    let Some(old) = line.lines().last().filter(|_| back > 0) else {
        return Ok(vec![Measurement::new("switch to an older commit").note("not measured: there is one commit only")]);
    };
    let sync_at = |commit: &str| -> Result<(SyncStageResult, Cost), Error> {
        clone.git(&["checkout", "-q", "--detach", commit])?;
        place.run(Stage::Sync)
    };
    let (first, cost) = sync_at(old)?;
    let mut rows = vec![Measurement::new(format!("switch back {back} commits")).cost(cost).note(counts(&first.counts))];
    let mut costs = Vec::new();
    let mut parsed = 0;
    let mut last = Counts::default();
    for commit in [head.as_str(), old].into_iter().cycle().take(RETURNS) {
        let (synced, cost) = sync_at(commit)?;
        costs.push(cost);
        parsed += synced.counts.parsed;
        last = synced.counts;
    }
    let cost = average(&costs);
    let row = Measurement::new("return to a commit seen before").cost(cost).figure(cost.cpu_ms, "ms of CPU");
    rows.push(row.budget(budget::RETURN_MS).note(counts(&last)));
    rows.push(Measurement::new("return, blobs parsed").figure(parsed as f64, "parsed").budget(budget::RETURN_PARSED));
    // The following rows are measured at HEAD.
    sync_at(&head)?;
    Ok(rows)
}

/// `icr search` as a process, beside `git status` in the same worktree.
fn cold_search(
    clone: &TemporaryClone,
    place: &StageDirectories,
    queries: &[String],
    icr: Option<&Path>,
) -> Result<Vec<Measurement>, Error> {
    let Some(program) = program(icr) else {
        return Ok(vec![Measurement::new("cold `icr search`").note(NO_PROGRAM)]);
    };
    if queries.is_empty() {
        return Ok(vec![Measurement::new("cold `icr search`").note("not measured: nothing to ask for")]);
    }
    let mut status_costs = Vec::new();
    let mut search_costs = Vec::new();
    for run in 0..=SHORT_RUNS {
        let (_, status_cost) = clock::of_children(|| clone.git(&["status", "--porcelain"]))?;
        let query = queries[run % queries.len()].as_str();
        let (_, search_cost) = clock::of_children(|| ask(&program, place, &["search", "--", query]))?;
        // The first of each writes what later ones find: git its index, icr what its own configuration asks for.
        if run > 0 {
            status_costs.push(status_cost);
            search_costs.push(search_cost);
        }
    }
    let (status, search) = (average(&status_costs), average(&search_costs));
    let beyond = search.wall_ms - status.wall_ms;
    Ok(vec![
        Measurement::new("`git status`").cost(status),
        Measurement::new("cold `icr search`")
            .cost(search)
            .figure(beyond, "ms beyond status")
            .budget(budget::COLD_SEARCH_BEYOND_STATUS_MS),
    ])
}

/// `icr impact` of the newest commits that changed so many files, as a process.
fn cold_impact(clone: &TemporaryClone, place: &StageDirectories, icr: Option<&Path>) -> Result<Measurement, Error> {
    let row = Measurement::new("cold `icr impact`");
    let Some(program) = program(icr) else { return Ok(row.note(NO_PROGRAM)) };
    let line = clone.git(&["rev-list", "--first-parent", &format!("--max-count={IMPACT_COMMITS}"), "HEAD"])?;
    for commit in line.lines().skip(1) {
        let files = clone.git(&["diff", "--name-only", commit, "HEAD"])?.lines().count();
        if files < IMPACT_FILES {
            continue;
        }
        let range = format!("{commit}..HEAD");
        let mut costs = Vec::new();
        for run in 0..=SHORT_RUNS {
            let (_, cost) = clock::of_children(|| ask(&program, place, &["impact", "--json", "--", &range]))?;
            // The first brings the store up to date for the base.
            costs.extend((run > 0).then_some(cost));
        }
        let cost = average(&costs);
        let row = row.cost(cost).figure(cost.wall_ms, "ms on the clock");
        return Ok(row.budget(budget::COLD_IMPACT_MS).note(format!("{files} files")));
    }
    Ok(row.note(format!("not measured: the newest {IMPACT_COMMITS} commits changed fewer than {IMPACT_FILES} files")))
}

/// Message if the program does not exist.
pub(crate) const NO_PROGRAM: &str =
    "not measured: build the program with `cargo build --release -p icr`, or name it with `--icr`";

/// The program that is measured as a process.
pub(crate) fn program(icr: Option<&Path>) -> Option<PathBuf> {
    let program = icr.map_or_else(|| beside(&format!("icr{}", std::env::consts::EXE_SUFFIX)), Path::to_owned);
    program.is_file().then_some(program)
}

fn ask(program: &Path, place: &StageDirectories, args: &[&str]) -> Result<(), Error> {
    let mut command = Command::new(program);
    command.args(&args[..1]).arg("--quiet").arg("--repo").arg(&place.repository).args(&args[1..]);
    command.env("ICR_HOME", &place.home).env("ICR_REPO_ID", REPO_ID).current_dir(&place.home);
    succeed(command.stdin(Stdio::null()), program)
}

/// Runs `command`, which is `program` with arguments, to its end.
///
/// # Errors
///
/// [`Error::Program`] with its message, unless it exits with 0, or with 1 because it found nothing.
pub(crate) fn succeed(command: &mut Command, program: &Path) -> Result<(), Error> {
    let output = command.output().map_err(io("running", program))?;
    match output.status.code() {
        // 1 says that nothing was found.
        Some(0 | 1) => Ok(()),
        code => Err(Error::Program {
            program: program.display().to_string(),
            code: code.map_or("a signal".to_owned(), |code| code.to_string()),
            message: String::from_utf8_lossy(&output.stderr).trim_end().to_owned(),
        }),
    }
}

/// Searches of one long-lived process.
fn warm_search(place: &StageDirectories, queries: &[String]) -> Result<Vec<Measurement>, Error> {
    let path = place.home.join(QUERIES);
    std::fs::write(&path, queries.join("\n")).map_err(io("writing", &path))?;
    let (searches, _) = place.run::<Searches>(Stage::Search)?;
    let cpu = |name: &str, costs: &[Cost], part: f64| {
        let times: Vec<f64> = costs.iter().map(|cost| cost.cpu_ms).collect();
        Measurement::new(name).figure(quantile(&times, part), "ms of CPU")
    };
    let on_clock: Vec<f64> = searches.again.iter().map(|cost| cost.wall_ms).collect();
    Ok(vec![
        cpu("search, asked first, p50", &searches.first, 0.5),
        cpu("search, asked first, p99", &searches.first, 0.99),
        cpu("search, asked again, p50", &searches.again, 0.5),
        Measurement::new("search, asked again, p50 on the clock")
            .figure(quantile(&on_clock, 0.5), "ms")
            .budget(budget::WARM_SEARCH_MS),
        cpu("search, asked again, p99", &searches.again, 0.99).note(format!(
            "{} queries, {} hits",
            queries.len(),
            searches.hits
        )),
    ])
}

/// The program of that name in the directory of this one.
fn beside(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.parent().unwrap_or(Path::new("")).join(name)
}

fn medians(costs: &[Cost]) -> Cost {
    let of = |part: fn(&Cost) -> f64| median(&costs.iter().map(part).collect::<Vec<_>>());
    Cost { cpu_ms: of(|cost| cost.cpu_ms), wall_ms: of(|cost| cost.wall_ms) }
}

fn counts(counts: &Counts) -> String {
    let Counts { blobs_read, parsed, chunks_new, postings_written, commits_read, live_added, live_removed } = counts;
    format!(
        "read {blobs_read}, parsed {parsed}, chunks {chunks_new}, postings {postings_written}, commits {commits_read}, \
         live +{live_added} -{live_removed}"
    )
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

//! Parts of workloads that run in separate processes, so that each has its own CPU time and memory. Process start is
//! included, as for a hook or a command.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use icr_engine::{Engine, OpenOptions, SearchRequest, SilentObserver, SyncOptions, ViewSelector};
use icr_lang::TEXT;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::clock::{self, Cost};
use crate::corpus::Corpus;
use crate::error::{Error, io};

/// Id of the store, given to everything that is measured: nothing is then recorded in the repository, and a temporary
/// clone shares its store.
pub(crate) const REPO_ID: &str = "00000000be9c4000";

/// Name of the file below the home of icr that holds the queries of [`Stage::Search`], a line each.
pub(crate) const QUERIES: &str = "bench-queries.txt";

/// Repetitions of each query. Its first run, which reads the facts of its results, is reported separately.
const ASKED_AGAIN: usize = 5;

/// Hits asked for: what the command line shows.
const HITS: usize = 20;

/// A part of a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Reads all blobs and parses them, nothing else.
    BareLimit,
    /// Asks all queries of one snapshot.
    Search,
    /// Brings the store up to date.
    Sync,
}

/// Where a stage works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StageDirectories {
    pub(crate) repository: PathBuf,
    /// Home of icr.
    pub(crate) home: PathBuf,
}

/// Result of [`Stage::BareLimit`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct BareLimit {
    pub(crate) cpu_ms: f64,
    pub(crate) wall_ms: f64,
    pub(crate) blobs: u64,
    pub(crate) bytes: u64,
    pub(crate) parsed: u64,
}

/// Result of [`Stage::Search`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Searches {
    /// Cost of the first run of each query, in the order of the queries.
    pub(crate) first: Vec<Cost>,
    /// Cost of the repeated runs.
    pub(crate) again: Vec<Cost>,
    pub(crate) hits: u64,
}

/// Result of [`Stage::Sync`].
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SyncStageResult {
    pub(crate) counts: Counts,
    pub(crate) peak_resident_bytes: Option<u64>,
}

/// Work of a sync, as it reports it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) blobs_read: u64,
    pub(crate) parsed: u64,
    pub(crate) chunks_new: u64,
    pub(crate) postings_written: u64,
    pub(crate) commits_read: u64,
    pub(crate) live_added: u64,
    pub(crate) live_removed: u64,
}

impl Stage {
    const ALL: [Self; 3] = [Self::BareLimit, Self::Search, Self::Sync];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::BareLimit => "bare-limit",
            Self::Search => "search",
            Self::Sync => "sync",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.name() == name)
    }
}

impl StageDirectories {
    /// The engine of this repository, with this store.
    ///
    /// # Errors
    ///
    /// [`Error::Engine`] when there is none.
    pub(crate) fn engine(&self) -> Result<Engine, Error> {
        let options = OpenOptions::new(self.repository.clone(), self.home.clone());
        Ok(Engine::open(OpenOptions { repo_id: Some(REPO_ID.to_owned()), ..options })?)
    }

    /// Runs `stage` in a separate process and returns its result and its cost.
    ///
    /// # Errors
    ///
    /// [`Error::Stage`] with its message when it fails.
    pub(crate) fn run<T: DeserializeOwned>(&self, stage: Stage) -> Result<(T, Cost), Error> {
        let failed = |message: String| Error::Stage { name: stage.name(), message };
        let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
        let mut command = Command::new(program);
        command.args(["stage", stage.name(), "--repo"]).arg(&self.repository).arg("--home").arg(&self.home);
        // The current directory must not be the repository, since there git's environment variables would apply.
        command.current_dir(&self.home).stdin(Stdio::null());
        let (output, cost) = clock::of_children(|| command.output()).map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).trim_end().to_owned()));
        }
        let value = serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))?;
        Ok((value, cost))
    }
}

/// Does the work of `stage` in this process and prints what it did.
///
/// # Errors
///
/// Those of the work.
pub(crate) fn run(stage: Stage, place: &StageDirectories) -> Result<(), Error> {
    let done = match stage {
        Stage::BareLimit => serde_json::to_string(&bare_limit(place)?),
        Stage::Search => serde_json::to_string(&search(place)?),
        Stage::Sync => serde_json::to_string(&sync(place)?),
    };
    crate::write_stdout(&done.expect("counts and times always encode"));
    Ok(())
}

fn bare_limit(place: &StageDirectories) -> Result<BareLimit, Error> {
    let corpus = Corpus::open(&place.repository)?;
    // Creating a parser compiles the queries of its language, which the bare limit must not include.
    for language in icr_lang::languages() {
        icr_lang::parse_work(language, b"\n");
    }
    let started = Instant::now();
    let (mut blobs, mut bytes, mut parsed) = (0, 0, 0);
    let (read, cpu) = clock::of_thread(|| {
        corpus.read(&corpus.members, |member, blob| {
            blobs += 1;
            bytes += blob.len() as u64;
            parsed += u64::from(member.language != TEXT && icr_lang::parse_work(member.language, blob).is_some());
        })
    });
    read?;
    let wall_ms = clock::milliseconds(started.elapsed());
    Ok(BareLimit { cpu_ms: clock::milliseconds(cpu), wall_ms, blobs, bytes, parsed })
}

fn sync(place: &StageDirectories) -> Result<SyncStageResult, Error> {
    let report = place.engine()?.sync(&SyncOptions::default(), &SilentObserver)?;
    let counts = Counts {
        blobs_read: report.blobs_read,
        parsed: report.parsed,
        chunks_new: report.chunks_new,
        postings_written: report.postings_written,
        commits_read: report.commits_read,
        live_added: report.live_added,
        live_removed: report.live_removed,
    };
    Ok(SyncStageResult { counts, peak_resident_bytes: clock::peak_resident_bytes() })
}

fn search(place: &StageDirectories) -> Result<Searches, Error> {
    let path = place.home.join(QUERIES);
    let queries = std::fs::read_to_string(&path).map_err(io("reading", &path))?;
    let snapshot = place.engine()?.snapshot(&ViewSelector::Worktree)?;
    let mut hits = 0;
    let mut ask = |query: &str| -> Result<Cost, Error> {
        let request = SearchRequest { query: query.to_owned(), limit: HITS, ..SearchRequest::default() };
        let (found, cost) = clock::of_process(|| icr_engine::search(&snapshot, &request));
        hits += found?.results.len() as u64;
        Ok(cost)
    };
    let first = queries.lines().map(&mut ask).collect::<Result<_, _>>()?;
    let again = (0..ASKED_AGAIN).flat_map(|_| queries.lines());
    let again = again.map(&mut ask).collect::<Result<_, _>>()?;
    Ok(Searches { first, again, hits })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_found_by_their_name() {
        for stage in Stage::ALL {
            assert_eq!(Stage::from_name(stage.name()), Some(stage));
        }
        assert_eq!(Stage::from_name("dance"), None);
    }

    #[test]
    fn the_store_is_that_of_a_given_id() {
        let fixture = icr_fixture::Fixture::new("//- a.rs\nfn a() {}\n");
        let home = tempfile::tempdir().unwrap();
        let place = StageDirectories { repository: fixture.root().to_owned(), home: home.path().to_owned() };
        assert_eq!(place.engine().unwrap().repo_id(), REPO_ID);
        assert!(!fixture.root().join(".git/icr").exists());
    }
}

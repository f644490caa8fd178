//! Commits of ten files in generated repositories: what a sync costs must not grow with the files it does not touch.

use icr_fixture::Fixture;
use tempfile::TempDir;

use crate::arguments::GeneratedWorkloads;
use crate::budget;
use crate::error::{Error, io};
use crate::report::{BenchReport, Measurement, grouped};
use crate::stage::{Stage, StageDirectories, SyncStageResult};
use crate::temporary_clone::TemporaryClone;
use crate::workloads::{sync_of_nothing, ten_files};

/// Measures repositories of each size, and how the largest compares with the smallest.
///
/// # Errors
///
/// The first that keeps a workload from being run.
pub(crate) fn run(request: &GeneratedWorkloads) -> Result<(), Error> {
    let mut report = BenchReport::new("generated");
    report.facts = request.files.iter().map(|files| ("files", grouped(*files as u64))).collect();
    let mut cpu_ms = Vec::new();
    for files in &request.files {
        let rows = measure(*files)?;
        cpu_ms.extend(rows.last().and_then(|row| row.cpu_ms));
        report.rows.extend(
            rows.into_iter()
                .map(|row| Measurement { name: format!("{}: {}", grouped(*files as u64), row.name), ..row }),
        );
    }
    if let [smallest, .., largest] = cpu_ms.as_slice() {
        let times = largest / smallest.max(f64::MIN_POSITIVE);
        let row = Measurement::new("commit of ten files, largest to smallest").figure(times, "x smallest");
        report.rows.push(row.budget(budget::SYNC_OF_TEN_FILES_GROWTH));
    }
    report.publish(request.out.as_deref())
}

/// Rows of a repository of `files` files; that of commits of ten files is the last.
fn measure(files: usize) -> Result<Vec<Measurement>, Error> {
    let clone = TemporaryClone::from_fixture(Fixture::generated(files));
    let home = TempDir::with_prefix("icr-bench-").map_err(io("making a directory in", &std::env::temp_dir()))?;
    let place = StageDirectories { repository: clone.root().to_owned(), home: home.path().to_owned() };
    let (_, cost) = place.run::<SyncStageResult>(Stage::Sync)?;
    Ok(vec![Measurement::new("full sync").cost(cost), sync_of_nothing(&place)?, ten_files(&clone, &place)?])
}

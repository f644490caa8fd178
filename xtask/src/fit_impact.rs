//! Fits the weights of `icr impact` on public histories and writes them into the crate that ships them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;

use icr_impact::expect::{FEATURES, FEATURES_TOTAL, Features, TrainingRow, Weights, fit};
use serde_json::Value;

use crate::git::{Git, GitError};
use crate::shipped_weights::{self, FittingRepository, ShipError};

/// Repositories whose history the weights are fitted on, with the commit to begin at. They cover many languages and
/// habits. None of them is used to measure icr.
const REPOSITORIES: [FittingRepository; 18] = [
    // tidy: sorted
    ("aiohttp", "aio-libs/aiohttp", "495e778360d1924da63e16dba0f0d76baf56a56a"),
    ("axum", "tokio-rs/axum", "3d78036dcac289d6c1d54934708acb6a5bd73686"),
    ("bloc", "felangel/bloc", "61ef3b1d767a808f9f698d67fa9fa7129b32a6e2"),
    ("cats", "typelevel/cats", "7f2dce5162074c0a0ebc597b89b6cd25e5fe0536"),
    ("cobra", "spf13/cobra", "adbc8813901bba65827259daa8e22ff94ec1f30e"),
    ("core", "vuejs/core", "e2bede96134f757aad5c5b33ac9be055022dbfc8"),
    ("flask", "pallets/flask", "2ac89889f4cc330eabd50f295dcef02828522c69"),
    ("gin", "gin-gonic/gin", "dcaa4296d111981ffb31ac3eba90bb63e1eb5ab9"),
    ("jekyll", "jekyll/jekyll", "202df571314ba1d18e9fccd81d12aaad4a703c38"),
    ("octocode", "Muvon/octocode", "8a7b94714f1b91d7ae3ba6ee4fba992cbd7a7920"),
    ("okio", "square/okio", "4164f2976ac7174f3d35d52150e8ffbdbe0acbec"),
    ("plug", "elixir-plug/plug", "a898c454a04ca5ffad306bd751a15c7ac9ff6927"),
    ("query", "TanStack/query", "40321a0b1b3bdd0afa11f0e439642ab84cdf6afe"),
    ("redis", "redis/redis", "4f8cdc2a1ea53e42955af758aabffee67cb455dd"),
    ("redux", "reduxjs/redux", "3084fc33bb23ab4cab4796172eafe342da4e73d9"),
    ("ripgrep", "BurntSushi/ripgrep", "3fce3b5bb0236da2df6d99672afb8a719642eca7"),
    ("starlette", "Kludex/starlette", "5174d4c8358a6f06aa8056bafd14c2272dab8dd1"),
    ("tokio", "tokio-rs/tokio", "ea91b33ca57ff0581b38e735cc108f831bccbdaa"),
    // tidy: end
];

/// Commits of each that are replayed.
const COMMITS: u32 = 60;

/// One in so many of the candidates that did not change is kept, with the weight of all: there are a hundred of them
/// for each that changed.
const THINNED: usize = 4;

/// Weight of a row with a short history: young repositories are asked about less often.
const SHORT: f64 = 0.5;

/// Ridge penalty, in rows: keeps weights near 0 if few rows support them; see [`fit`].
const RIDGE: f64 = 30.0;

/// File of the weights, which are written between its markers.
const SHIPPED_IN: &str = "crates/icr-impact/src/expect/weights.rs";

/// Why weights cannot be fitted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("`{}` is no clone of `{upstream}`; clone it there and check out {commit}", .path.display())]
    NoClone { path: PathBuf, upstream: &'static str, commit: &'static str },
    #[error("`icr bench-impact` failed in `{}`", .path.display())]
    Replay { path: PathBuf },
    #[error("`{}` is no dump of this version: {reason}", .path.display())]
    Dump { path: PathBuf, reason: String },
    #[error("the pasts hold no commit to learn from")]
    NothingToLearn,
    #[error(transparent)]
    Ship(#[from] ShipError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("{doing} `{}`: {source}", .path.display())]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
}

/// Replays the past of every repository, cloned side by side in `clones`, fits the weights and writes them. Dumps are
/// kept in `clones` too, so that a second run replays nothing.
pub(crate) fn write(clones: &Path) -> Result<String, Error> {
    let mut rows: Vec<TaskRow> = Vec::new();
    let mut told = String::new();
    for (name, upstream, commit) in REPOSITORIES {
        let repository = clones.join(name);
        if !repository.join(".git").exists() || head(&repository)?.as_deref() != Some(commit) {
            return Err(Error::NoClone { path: repository, upstream, commit });
        }
        let dump = clones.join(format!("{name}.jsonl"));
        if !dump.exists() {
            replay(clones, &repository, &dump)?;
        }
        let before = rows.len();
        read(&dump, &mut rows)?;
        told.push_str(&format!("{name}: {} rows\n", rows.len() - before));
    }
    let [one_known, one_missing, complete] = TASKS;
    let of = |tasks: [&'static str; 2]| rows.iter().filter(move |row| tasks.contains(&row.task)).map(|row| row.row);
    let expected: Vec<TrainingRow> = of([one_known, one_missing]).collect();
    let forgotten: Vec<TrainingRow> = of([one_missing, complete]).map(without_view_features).collect();
    let fitted = |rows: &[TrainingRow]| fit(rows, RIDGE).ok_or(Error::NothingToLearn);
    let (expected, forgotten) = (fitted(&expected)?, fitted(&forgotten)?);
    for ((feature, one), other) in FEATURES.iter().zip(expected.by_feature).zip(forgotten.by_feature) {
        told.push_str(&format!("{:32} {one:+.4} {other:+.4}\n", feature.name));
    }
    ship(&expected, &forgotten)?;
    Ok(told)
}

/// The row without features that a past commit does not have. They get no weight.
fn without_view_features(mut row: TrainingRow) -> TrainingRow {
    for (feature, value) in FEATURES.iter().zip(&mut row.features) {
        if !feature.reason.is_known_without_view() {
            *value = 0.0;
        }
    }
    row
}

/// The commit that is checked out in `repository`, 40 hexadecimal digits; `None` where git finds none.
fn head(repository: &Path) -> Result<Option<String>, Error> {
    match Git::at(repository).line(&["rev-parse", "HEAD"], &[]) {
        Ok(commit) => Ok(Some(commit)),
        Err(GitError::Failed { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn replay(clones: &Path, repository: &Path, dump: &Path) -> Result<(), Error> {
    let part = dump.with_extension("part");
    let status = Command::new(env!("CARGO"))
        .args(["run", "--release", "--quiet", "--", "bench-impact", "--quiet", "--commits", &COMMITS.to_string()])
        .arg("--repo")
        .arg(repository)
        .arg("--dump")
        .arg(&part)
        .env("ICR_HOME", std::path::absolute(clones.join("icr-home")).map_err(io("finding", clones))?)
        .status()
        .map_err(io("running `icr bench-impact` in", repository))?;
    if !status.success() {
        return Err(Error::Replay { path: repository.to_owned() });
    }
    fs::rename(&part, dump).map_err(io("writing", dump))
}

/// Makes an error of the system with the operation and the file.
fn io(doing: &'static str, path: &Path) -> impl Fn(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io { doing, path: path.clone(), source }
}

/// The tasks: one file is known, one file is missing, nothing is missing.
const TASKS: [&str; 3] = ["one_known", "one_missing", "complete"];

/// A row with its task.
struct TaskRow {
    task: &'static str,
    row: TrainingRow,
}

/// Adds the rows of a dump.
fn read(path: &Path, rows: &mut Vec<TaskRow>) -> Result<(), Error> {
    let io = io("reading", path);
    let wrong = |reason: &str| Error::Dump { path: path.to_owned(), reason: reason.to_owned() };
    let mut lines = BufReader::new(fs::File::open(path).map_err(&io)?).lines();
    let head = lines.next().ok_or_else(|| wrong("it is empty"))?.map_err(&io)?;
    let head: Value = serde_json::from_str(&head).map_err(|_| wrong("it has no list of features"))?;
    let names = head["features"].as_array().ok_or_else(|| wrong("it has no list of features"))?;
    if !names.iter().map(|name| name.as_str().unwrap_or_default()).eq(FEATURES.iter().map(|feature| feature.name)) {
        return Err(wrong("its features are others; delete it to replay again"));
    }
    for (at, line) in lines.enumerate() {
        let line: Value = serde_json::from_str(&line.map_err(&io)?).map_err(|_| wrong("a line is no JSON"))?;
        let label = line["label"].as_bool().ok_or_else(|| wrong("a line has no label"))?;
        if !label && at % THINNED != 0 {
            continue;
        }
        let task = TASKS
            .into_iter()
            .find(|task| line["task"] == *task)
            .ok_or_else(|| wrong("a line asks for something else"))?;
        let values = line["values"].as_array().filter(|values| values.len() == FEATURES_TOTAL);
        let values = values.ok_or_else(|| wrong("a line has another number of values"))?;
        let features = features_of(values).ok_or_else(|| wrong("a value is no number"))?;
        let sampled = if label { 1.0 } else { THINNED as f64 };
        let weight = if line["short"] == true { SHORT * sampled } else { sampled };
        rows.push(TaskRow { task, row: TrainingRow { features, label, weight } });
    }
    Ok(())
}

/// The numbers of a row; `None` where a value is none.
fn features_of(values: &[Value]) -> Option<Features> {
    let mut features: Features = [0.0; FEATURES_TOTAL];
    for (feature, value) in features.iter_mut().zip(values) {
        *feature = value.as_f64()?;
    }
    Some(features)
}

/// Writes both tables of weights between the markers.
fn ship(expected: &Weights, forgotten: &Weights) -> Result<(), Error> {
    let tables = table("SHIPPED", "", expected) + "\n" + &table("SHIPPED_WARNING", "WARNING_", forgotten);
    Ok(shipped_weights::ship(SHIPPED_IN, &tables)?)
}

/// The weights of the constant `shipped`, as two constants that it is made of.
fn table(shipped: &str, prefix: &str, weights: &Weights) -> String {
    let mut table = format!(
        "/// The log of the odds of [`{shipped}`] where every feature is 0.\nconst {prefix}INTERCEPT: f64 = {:.5};\n\n/// The weights of [`{shipped}`], by the names of the features.\nconst {prefix}BY_NAME: [(&str, f64); FEATURES_TOTAL] = [\n    // tidy: sorted\n",
        weights.intercept
    );
    for (feature, weight) in FEATURES.iter().zip(weights.by_feature) {
        table.push_str(&format!("    (\"{}\", {weight:.5}),\n", feature.name));
    }
    table + "    // tidy: end\n];\n"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_directory_without_clones_is_refused() {
        let error = write(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap_err().to_string();
        let (path, wanted) = error.split_once(" is no clone of ").unwrap();
        assert!(path.ends_with("aiohttp`"), "{error}");
        let commit = "495e778360d1924da63e16dba0f0d76baf56a56a";
        assert_eq!(wanted, format!("`aio-libs/aiohttp`; clone it there and check out {commit}"));
    }

    #[test]
    fn a_directory_that_is_not_there_has_no_head() {
        let error = head(Path::new("no/such/directory")).unwrap_err().to_string();
        assert!(error.starts_with("running git in `no/such/directory`: "), "{error}");
    }

    #[test]
    fn a_row_has_numbers_alone() {
        let mut values = vec![json!(0.5); FEATURES_TOTAL];
        assert_eq!(features_of(&values), Some([0.5; FEATURES_TOTAL]));
        values[1] = json!("0.5");
        assert_eq!(features_of(&values), None);
    }

    #[test]
    fn what_needs_a_view_counts_nothing_in_warnings() {
        let row = without_view_features(TrainingRow { features: [1.0; FEATURES_TOTAL], label: true, weight: 1.0 });
        for (feature, value) in FEATURES.iter().zip(row.features) {
            let is_known = !feature.name.starts_with("import_") && !feature.name.starts_with("refer");
            assert_eq!(value, f64::from(u8::from(is_known)), "{}", feature.name);
        }
    }
}

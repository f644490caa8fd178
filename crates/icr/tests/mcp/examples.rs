//! The repository of `fixtures/mcp` and the requests that are made of it.

use std::fs;
use std::path::{Path, PathBuf};

use icr_fixture::Fixture;
use serde::Deserialize;
use serde_json::Value;

use crate::place::Place;

/// Stands for the root of the repository in requests and in transcripts.
pub(crate) const REPO: &str = "$REPO";

/// One request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Example {
    /// What it shows.
    pub(crate) name: String,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    /// Fields of the answer's data that every client may rely on.
    #[serde(default)]
    pub(crate) data: Vec<String>,
    /// The same of its metadata.
    #[serde(default)]
    pub(crate) metadata: Vec<String>,
    /// Parts of the answer, where that is text alone.
    #[serde(default)]
    pub(crate) text: Vec<String>,
    /// The code of the error that it must be answered with, instead of data.
    #[serde(default)]
    pub(crate) error: Option<String>,
}

impl Example {
    /// Arguments for a repository that lies at `root`.
    pub(crate) fn arguments_for(&self, root: &Path) -> Value {
        let mut arguments = self.arguments.clone();
        if let Some(repository) = arguments.get_mut("repo_root") {
            *repository = root.to_str().expect("the directory has a name of letters").into();
        }
        arguments
    }
}

/// All requests, in the order in which they are made: some are about what those before them did.
pub(crate) fn examples() -> Vec<Example> {
    let text = fs::read_to_string(directory().join("examples.jsonl")).expect("the fixture has requests");
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"));
    text.lines().map(parse).collect()
}

/// The repository with its history, indexed.
pub(crate) fn repository() -> Place {
    let place = Place::of(history());
    place.index();
    place
}

/// Where the texts are.
pub(crate) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/mcp")
}

/// A commit for each file of `history`, in the order of their names.
fn history() -> Fixture {
    let fixture = Fixture::empty();
    let entries = fs::read_dir(directory().join("history")).expect("the fixture has a history");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    paths.sort();
    for path in paths {
        let text = fs::read_to_string(&path).expect("commits are text");
        let (message, files) = text.split_once('\n').expect("a message is a line");
        fixture.write(files);
        fixture.commit(message);
    }
    fixture
}

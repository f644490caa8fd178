//! What a view that moves costs: which queries run again, and which answers stay.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use icr_model::{Facts, RepoPath};

use crate::source::{SourceError, ViewBlob, ViewSource};
use crate::testing::view_of;
use crate::{Error, QueryGraph};

const FILES: &str = "\
//- app/__init__.py
//- app/main.py
from .store import load
from .text import clean
load(); clean()
//- app/store.py
from .text import clean
def load(): return clean()
//- app/text.py
def clean(): return 1
//- app/other.py
import os
";

fn graph(files: &str) -> QueryGraph {
    QueryGraph::new(Arc::new(view_of(files)))
}

fn moved(graph: &mut QueryGraph, files: &str, changed: &[&str]) {
    let changed: Vec<RepoPath> = changed.iter().map(|path| (*path).into()).collect();
    graph.move_to(Arc::new(view_of(files)), &changed).unwrap();
}

fn importers(graph: &QueryGraph, path: &str) -> String {
    let importers = graph.importers(&path.into()).unwrap();
    importers.iter().map(RepoPath::to_string).collect::<Vec<_>>().join(" ")
}

/// How often the queries named ran since the last time.
fn ran(graph: &QueryGraph, names: [&str; 3]) -> [u64; 3] {
    let executed = graph.take_executed();
    names.map(|name| executed.get(name).copied().unwrap_or_default())
}

const FILE_QUERIES: [&str; 3] = ["statements", "resolved_imports", "importers"];

#[test]
fn an_answer_given_twice_runs_once() {
    let graph = graph(FILES);
    assert_eq!(importers(&graph, "app/text.py"), "app/main.py app/store.py");
    assert_eq!(ran(&graph, FILE_QUERIES), [2, 2, 1]);
    assert_eq!(importers(&graph, "app/text.py"), "app/main.py app/store.py");
    assert!(graph.take_executed().is_empty());
}

#[test]
fn the_edges_to_one_file_are_those_of_all_edges_that_lead_there() {
    let typed = "\
//- a.ts
export * from \"./b\";
import type { T } from \"./b\";
import { one } from \"./b\";
import { two } from \"./c\";
//- b.ts
import type { two } from \"./c\";
export type T = number;
export const one = 1;
//- c.ts
export const two = 2;
";
    for (files, paths, expected) in
        [(FILES, ["app/main.py", "app/store.py", "app/text.py"], 3), (typed, ["a.ts", "b.ts", "c.ts"], 4)]
    {
        let graph = graph(files);
        let mut found = 0;
        for (path, to) in paths.iter().flat_map(|path| paths.map(|to| (RepoPath::from(*path), RepoPath::from(to)))) {
            let all = graph.imports(&path).unwrap().edges;
            let expected: Vec<_> = all.into_iter().filter(|edge| edge.to == to).collect();
            assert_eq!(graph.import_edges(&path, &to).unwrap(), expected, "from {path} to {to}");
            found += expected.len();
        }
        assert_eq!(found, expected);
    }
}

#[test]
fn an_edit_below_the_imports_stops_at_the_statements() {
    let mut graph = graph(FILES);
    importers(&graph, "app/text.py");
    graph.take_executed();
    moved(&mut graph, &FILES.replace("return clean()", "return clean() + 1"), &["app/store.py"]);
    assert_eq!(importers(&graph, "app/text.py"), "app/main.py app/store.py");
    // One file is read again and says the same of its imports, so nothing above it runs.
    assert_eq!(ran(&graph, FILE_QUERIES), [1, 0, 0]);
}

#[test]
fn a_changed_import_reaches_only_who_depends_on_it() {
    let mut graph = graph(FILES);
    importers(&graph, "app/text.py");
    importers(&graph, "app/other.py");
    graph.take_executed();
    moved(&mut graph, &FILES.replace("from .text import clean\ndef load", "def load"), &["app/store.py"]);
    assert_eq!(importers(&graph, "app/text.py"), "app/main.py");
    // The postings no longer give the file, so it is not even read.
    assert_eq!(ran(&graph, FILE_QUERIES), [0, 0, 1]);
    assert_eq!(importers(&graph, "app/other.py"), "");
    assert_eq!(ran(&graph, FILE_QUERIES), [0, 0, 0]);
}

#[test]
fn files_nobody_asked_about_cost_nothing_when_they_change() {
    let mut graph = graph(FILES);
    importers(&graph, "app/text.py");
    graph.take_executed();
    moved(&mut graph, &FILES.replace("import os", "import sys"), &["app/other.py"]);
    importers(&graph, "app/text.py");
    assert_eq!(ran(&graph, FILE_QUERIES), [0, 0, 0]);
}

#[test]
fn there_and_back_again_gives_the_first_answer() {
    let mut graph = graph(FILES);
    let first = importers(&graph, "app/text.py");
    let other = FILES.replace("from .text import clean\ndef load", "def load");
    moved(&mut graph, &other, &["app/store.py"]);
    assert_ne!(importers(&graph, "app/text.py"), first);
    graph.take_executed();
    moved(&mut graph, FILES, &["app/store.py"]);
    assert_eq!(importers(&graph, "app/text.py"), first);
    // What the file said then is still known: no blob is read.
    assert!(!graph.take_executed().contains_key("statements_in"));
}

#[test]
fn a_file_that_appears_is_seen_by_who_missed_it() {
    let without = FILES.replace("//- app/text.py\ndef clean(): return 1\n", "");
    let mut graph = graph(&without);
    let missing = |graph: &QueryGraph| graph.imports(&"app/main.py".into()).unwrap().unresolved.len();
    assert_eq!(missing(&graph), 1);
    moved(&mut graph, FILES, &["app/text.py"]);
    assert_eq!(missing(&graph), 0);
    moved(&mut graph, &without, &["app/text.py"]);
    assert_eq!(missing(&graph), 1);
}

#[test]
fn moving_nowhere_runs_nothing() {
    let mut graph = graph(FILES);
    importers(&graph, "app/text.py");
    graph.take_executed();
    moved(&mut graph, FILES, &[]);
    moved(&mut graph, FILES, &["app/store.py", "app/nowhere.py"]);
    importers(&graph, "app/text.py");
    assert_eq!(ran(&graph, FILE_QUERIES), [0, 0, 0]);
}

/// A source that fails, or lets others in between, when facts are asked of it.
struct FaultySource {
    inner: crate::MemorySource,
    fails: bool,
    /// Set when somebody asks for facts, who then waits to be interrupted.
    asked: Option<Arc<AtomicBool>>,
}

impl ViewSource for FaultySource {
    fn content(&self, path: &RepoPath) -> Result<Option<ViewBlob>, SourceError> {
        self.inner.content(path)
    }

    fn facts(&self, content: ViewBlob) -> Result<Arc<Facts>, SourceError> {
        if let Some(asked) = &self.asked {
            asked.store(true, Ordering::SeqCst);
        }
        if self.fails { Err("the disk is gone".into()) } else { self.inner.facts(content) }
    }

    fn text(&self, content: ViewBlob) -> Result<Option<Arc<[u8]>>, SourceError> {
        self.inner.text(content)
    }

    fn files_in(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        self.inner.files_in(directory)
    }

    fn files_ending(&self, suffix: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.inner.files_ending(suffix)
    }

    fn providing(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.inner.providing(name)
    }

    fn requiring(&self, key: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.inner.requiring(key)
    }

    fn requiring_below(&self, key: &str, directory: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        self.inner.requiring_below(key, directory)
    }

    fn defining(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.inner.defining(name)
    }

    fn mentioning(&self, name: &str) -> Result<Vec<RepoPath>, SourceError> {
        self.inner.mentioning(name)
    }
}

#[test]
fn a_source_that_fails_fails_the_question() {
    let source = FaultySource { inner: view_of(FILES), fails: true, asked: None };
    let graph = QueryGraph::new(Arc::new(source));
    let error = graph.importers(&"app/text.py".into()).unwrap_err();
    assert!(matches!(&error, Error::Source(source) if source.to_string() == "the disk is gone"), "{error:?}");
}

#[test]
fn a_move_interrupts_who_is_asking() {
    let asked = Arc::new(AtomicBool::new(false));
    let source = FaultySource { inner: view_of(FILES), fails: false, asked: Some(Arc::clone(&asked)) };
    let mut graph = QueryGraph::new(Arc::new(source));
    let other = graph.clone();
    let question = std::thread::spawn(move || {
        // Asks things never asked before until the move is noticed.
        for number in 0_u32.. {
            match other.imports(&RepoPath::new(format!("app/absent{number}.py").as_bytes())) {
                Ok(_) => drop(other.imports(&"app/main.py".into())),
                Err(error) => return error,
            }
        }
        unreachable!("there are enough names to ask for")
    });
    while !asked.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
    moved(&mut graph, FILES, &["app/main.py"]);
    assert!(matches!(question.join().unwrap(), Error::Moved));
    assert_eq!(importers(&graph, "app/text.py"), "app/main.py app/store.py");
}

#[test]
fn names_of_queries_are_those_of_the_functions() {
    let graph = graph(FILES);
    importers(&graph, "app/text.py");
    let executed: BTreeMap<String, u64> = graph.take_executed();
    for name in FILE_QUERIES {
        assert!(executed.contains_key(name), "{name} is not in {executed:?}");
    }
}

//! The fast ways to collect the files that imports reach give the same sets as a visit of one file after another.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use proptest::prelude::*;

use crate::QueryGraph;
use crate::exports::exports;
use crate::graph::PathInput;
use crate::reach::{FileSet, ImportNeighbourhood, closure};
use crate::resolve::imported_files;
use crate::testing::view_of;
use crate::view::GraphView;

/// Headers by number; the order of their names is not that of the numbers.
fn path(number: usize) -> String {
    format!("{}.h", ["m", "b", "z", "a", "q", "c", "y", "d"][number])
}

/// A view of headers, each including others.
fn headers(included: &[Vec<usize>]) -> QueryGraph {
    let mut text = String::new();
    for (number, included) in included.iter().enumerate() {
        text.push_str(&format!("//- {}\n", path(number)));
        included.iter().for_each(|other| text.push_str(&format!("#include \"{}\"\n", path(*other))));
    }
    QueryGraph::new(Arc::new(view_of(&text)))
}

/// All that is reached from `paths`, taken from the end of a list that begins in order.
fn closure_in_order(view: GraphView<'_>, paths: BTreeSet<String>, limit: usize) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<String> = paths.into_iter().collect();
    while let Some(path) = open.pop() {
        if reached.len() == limit || reached.contains(&path) {
            continue;
        }
        let whole: BTreeSet<&str> =
            exports(view.db(), view.input(&path)).whole.iter().map(|file| view.path(*file)).collect();
        open.extend(whole.into_iter().map(str::to_owned));
        reached.insert(path);
    }
    reached
}

/// Files within `steps` imports of `from`, those of a step in order of the files that name them, then of their own paths.
fn around_in_order(
    view: GraphView<'_>,
    from: &str,
    open: &BTreeSet<String>,
    steps: u32,
    limit: usize,
) -> BTreeSet<String> {
    let targets = |path: &str| -> BTreeSet<String> {
        imported_files(view.db(), view.input(path)).iter().map(|file| view.path(*file).to_owned()).collect()
    };
    let mut seen = HashMap::from([(from.to_owned(), 0)]);
    let mut level: Vec<String> = open.iter().cloned().chain(targets(from)).collect();
    for step in 1..=steps {
        for path in std::mem::take(&mut level) {
            if seen.len() >= limit {
                break;
            }
            if let std::collections::hash_map::Entry::Vacant(entry) = seen.entry(path) {
                level.extend(targets(entry.key()));
                entry.insert(step);
            }
        }
    }
    seen.into_keys().collect()
}

fn paths_of(view: GraphView<'_>, set: &FileSet, files: &[PathInput]) -> BTreeSet<String> {
    let inside: BTreeSet<String> =
        files.iter().filter(|file| set.contains(**file)).map(|file| view.path(*file).to_owned()).collect();
    assert_eq!(inside.len(), set.len());
    inside
}

proptest! {
    #[test]
    fn a_limit_leaves_out_the_same_files(
        included in prop::collection::vec(prop::collection::vec(0_usize..8, 0..4), 8),
        from in prop::collection::vec(0_usize..8, 0..4),
        limit in 1_usize..10,
        steps in 1_u32..4,
    ) {
        headers(&included).ask(|db| {
            let view = GraphView::new(db);
            let files: Vec<PathInput> = (0..8).map(|number| view.input(&path(number))).collect();
            let open: Vec<PathInput> = from.iter().map(|number| files[*number]).collect();
            let named: BTreeSet<String> = from.iter().map(|number| path(*number)).collect();
            let reached = closure(view, open.clone(), limit);
            assert_eq!(reached.files.len(), reached.set.len());
            assert_eq!(paths_of(view, &reached.set, &files), closure_in_order(view, named.clone(), limit));
            let mut around = ImportNeighbourhood::new(files[0], steps, limit);
            let mut before = 1;
            while around.go_on(view, &open) {
                assert!(around.files().len() >= before, "steps only add");
                before = around.files().len();
            }
            let expected = around_in_order(view, &path(0), &named, steps, limit);
            assert_eq!(paths_of(view, around.files(), &files), expected);
        }).unwrap();
    }
}

#[test]
fn files_far_apart_are_in_one_set() {
    headers(&[Vec::new()])
        .ask(|db| {
            let view = GraphView::new(db);
            let files: Vec<PathInput> = (0..5_000).map(|number| view.input(&format!("{number}"))).collect();
            let mut set = FileSet::default();
            for file in files.iter().step_by(1_111) {
                assert!(set.insert(*file) && !set.insert(*file));
            }
            assert_eq!(set.len(), 5);
            let inside: Vec<usize> = (0..5_000).filter(|number| set.contains(files[*number])).collect();
            assert_eq!(inside, [0, 1_111, 2_222, 3_333, 4_444]);
        })
        .unwrap();
}

//! Incremental equals from scratch: after every step of any history, a store that lived through all of it answers like one
//! that saw only the present state.

mod operations;
mod texts;
mod world;

use proptest::test_runner::{Config, TestCaseError, TestRunner};

use operations::{Operation, operations};
use world::World;

/// Number of histories, unless `PROPTEST_CASES` is set: about a minute on two busy cores.
const CASES: u32 = 8;

fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    // A failing history is printed whole and belongs into a test of its own, not into a file of seeds. Shrinking is
    // bounded because each attempt makes repositories.
    Config { cases, failure_persistence: None, max_shrink_iters: 80, ..Config::default() }
}

#[test]
fn every_history_answers_like_a_fresh_store() {
    let mut runner = TestRunner::new(config());
    runner
        .run(&operations(), |history| {
            let lived = std::panic::catch_unwind(|| live_through(&history));
            lived.map_err(|panic| {
                let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
                TestCaseError::fail(text.unwrap_or("a panic without a text").to_owned())
            })
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

fn live_through(history: &[Operation]) {
    let mut world = World::new();
    for (at, operation) in history.iter().enumerate() {
        world.apply(operation);
        world.check(at, operation);
    }
    world.check_at_the_end();
}

#[test]
fn a_tree_that_only_another_clone_has_is_no_base() {
    live_through(&[
        Operation::Write { path: 0, text: 0 },
        Operation::Commit,
        Operation::InClone { path: 5, text: 1, commit: true },
        Operation::Write { path: 1, text: 4 },
        Operation::Amend,
        Operation::InClone { path: 6, text: 3, commit: true },
    ]);
}

//! Never an answer from another tree: whatever happens to a repository and its store, and whoever asks (a process of its own, or a
//! server that lives through all of it), every question about any revision, range, patch or worktree is answered as by a program
//! that was just started on a store that was just made.
//!
//! The seeds are others in every run, unlike those of all other tests, so that the next run tries what this one did not. A seed
//! that fails is printed and kept in a file below the target directory; `ICR_TEST_SEED` repeats it, and [`REPEATED`] repeats
//! those of the past in every run. `ICR_TEST_SECONDS` says for how long histories are begun.

#![expect(clippy::disallowed_methods, reason = "the environment says for how long histories are begun")]

mod asking;
mod question;
mod scenario;

#[path = "../mcp/place.rs"]
#[allow(dead_code, reason = "the tests of the server use all of it")]
mod place;
#[path = "../mcp/server.rs"]
#[allow(dead_code, reason = "the tests of the server use all of it")]
mod server;

use std::fs::OpenOptions;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use asking::{Comparison, compare};
use question::{Draws, Question};
use scenario::World;

/// Seeds of histories that once showed a difference, tried first.
const REPEATED: &[u64] = &[1, 2];

/// For how long histories are begun, in seconds, where nobody says otherwise: a few for each thread.
const SECONDS: u64 = 20;

/// Events of one history.
const EVENTS: usize = 14;

/// Questions after each event.
const QUESTIONS: usize = 4;

/// Most uncompared questions to the server before each compared one; each costs a tenth of a comparison.
const BETWEEN: usize = 8;

/// Histories lived through at once.
const THREADS: usize = 2;

/// What histories came to.
#[derive(Debug, Default)]
struct Tally {
    histories: u64,
    /// Seeds of the histories with a difference.
    failed_seeds: Vec<u64>,
    equal: u64,
    /// Questions that both sides refused with the same error.
    equal_errors: u64,
    /// Questions that were given up in the time that they may take, on one side at least.
    unfinished: u64,
    differences: Vec<String>,
}

#[test]
fn any_question_after_any_history_is_answered_as_by_a_fresh_process_on_a_fresh_store() {
    let given: Option<u64> = std::env::var("ICR_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let seconds = std::env::var("ICR_TEST_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(SECONDS);
    let until = Instant::now() + Duration::from_secs(if given.is_some() { 0 } else { seconds });
    let mut seeds: Vec<u64> = given.map_or_else(|| REPEATED.to_vec(), |seed| vec![seed]);
    seeds.reverse();
    let (seeds, tally) = (Mutex::new(seeds), Mutex::new(Tally::default()));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let fresh = || (Instant::now() < until).then(|| RandomState::new().hash_one(0));
                    let Some(seed) = seeds.lock().unwrap().pop().or_else(fresh) else { return };
                    live_through(seed, &tally);
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap();
    let Tally { histories, failed_seeds, equal, equal_errors, unfinished, differences } = &tally;
    say(&format!(
        "{histories} histories, {equal} questions answered alike, {equal_errors} refused alike, {unfinished} not finished in time"
    ));
    if !differences.is_empty() {
        keep(failed_seeds);
    }
    assert!(differences.is_empty(), "{} answers differ:\n{}", differences.len(), differences.join("\n\n"));
    assert!(*equal > 0 && unfinished * 20 <= *equal, "too few questions were answered in time: {tally:#?}");
    // Two equal errors say little: most questions have to have an answer.
    assert!(equal_errors * 2 <= *equal, "too many questions were refused: {tally:#?}");
}

fn live_through(seed: u64, tally: &Mutex<Tally>) {
    let mut draws = Draws::new(seed);
    let mut world = World::new();
    let mut differences = Vec::new();
    for at in 0..EVENTS {
        let event = world.happen(&mut draws);
        for _ in 0..QUESTIONS {
            // What a server was asked before must not matter; nobody has to know whether these answers are right.
            for _ in 0..draws.below(BETWEEN) {
                world.ask_server(&Question::draw(&mut draws, &world));
            }
            let question = Question::draw(&mut draws, &world);
            let comparison = compare(&mut world, &question);
            let mut tally = tally.lock().unwrap();
            match comparison {
                Comparison::Equal => tally.equal += 1,
                Comparison::EqualErrors => tally.equal_errors += 1,
                Comparison::Unfinished => tally.unfinished += 1,
                Comparison::Different(text) => {
                    differences.push(format!("seed {seed}, after event {at} ({event}), {question:?}\n{text}"));
                }
            }
        }
        world.settle();
        // What follows from a wrong answer says nothing new.
        if !differences.is_empty() {
            break;
        }
    }
    let mut tally = tally.lock().unwrap();
    tally.histories += 1;
    if !differences.is_empty() {
        tally.failed_seeds.push(seed);
        tally.differences.extend(differences);
    }
}

/// Keeps seeds that failed, for whoever looks into them.
fn keep(seeds: &[u64]) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("failed-seeds");
    let file = OpenOptions::new().create(true).append(true).open(&path);
    let lines: String = seeds.iter().map(|seed| format!("{seed}\n")).collect();
    match file.and_then(|mut file| file.write_all(lines.as_bytes())) {
        Ok(()) => say(&format!("failed seeds {seeds:?} are kept in {}", path.display())),
        Err(error) => say(&format!("failed seeds {seeds:?}; {} cannot be written: {error}", path.display())),
    }
}

/// Says it past the harness, which shows what passing tests print to nobody.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

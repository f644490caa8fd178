//! The local socket of servers and watchers: who has it, and what is left of it.

use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use icr_fixture::Fixture;
use icr_serve::socket::{Request, ask};
use serde_json::{Value, json};

use crate::place::Place;
use crate::server::{Era, Server};

const PATIENCE: Duration = Duration::from_secs(120);

fn indexed() -> Place {
    let place = Place::of(Fixture::new("//- a.rs\nfn anchor() {}\n"));
    place.index();
    place
}

fn repo_id(place: &Place) -> String {
    let id = std::fs::read_to_string(place.root().join(".git/icr/repo-id")).expect("it was recorded");
    id.trim().to_owned()
}

fn socket_file(place: &Place) -> PathBuf {
    place.home().join("run").join(format!("{}.sock", repo_id(place)))
}

/// What the process that listens says of itself.
fn status(place: &Place) -> Option<Value> {
    let request = Request { kind: "status".to_owned(), root: place.root().to_owned(), body: Value::Null };
    // A process that was killed in the middle says nothing.
    ask(&place.home(), &repo_id(place), &request, PATIENCE).ok().flatten().and_then(Result::ok)
}

/// Waits until the process `pid` is the one that listens.
#[track_caller]
fn listens(place: &Place, pid: u32) {
    let began = Instant::now();
    while status(place).is_none_or(|status| status["pid"] != pid) {
        assert!(began.elapsed() < PATIENCE, "it does not listen");
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// A watcher of the place's repository, killed when it is dropped.
struct Watcher(Child);

impl Watcher {
    fn start(place: &Place) -> Self {
        let mut command = place.icr(&["watch"]);
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program can be run"))
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_server_of_an_indexed_repository_listens_before_any_call_and_leaves_nothing() {
    let place = indexed();
    let server = Server::start(&place);
    listens(&place, server.id());
    let status = status(&place).expect("it listens");
    assert_eq!((&status["version"], &status["indexed"]), (&json!(env!("CARGO_PKG_VERSION")), &json!(true)));
    assert!(status["since"].as_u64().is_some_and(|since| since > 1_700_000_000), "{status}");
    server.ends_well();
    assert!(!socket_file(&place).exists());
}

#[test]
fn a_server_listens_after_the_call_that_made_the_first_index() {
    let place = Place::of(Fixture::new("//- a.rs\nfn anchor() {}\n"));
    let mut server = Server::ready(&place, Era::Modern);
    server.data("admin_ping", json!({}));
    assert!(!place.home().join("run").exists());
    server.data("project_symbol_search", json!({"query": "anchor"}));
    listens(&place, server.id());
    server.ends_well();
}

#[test]
fn of_several_processes_one_listens_and_another_takes_over() {
    let place = indexed();
    let first = Server::start(&place);
    listens(&place, first.id());
    let second = Server::start(&place);
    let watcher = Watcher::start(&place);
    listens(&place, first.id());
    // Killed: it removes nothing.
    drop(first);
    let began = Instant::now();
    let heir = loop {
        assert!(began.elapsed() < PATIENCE, "nobody takes over");
        if let Some(status) = status(&place) {
            break status["pid"].as_u64().expect("it has a process");
        }
        std::thread::park_timeout(Duration::from_millis(20));
    };
    assert!([second.id(), watcher.0.id()].map(u64::from).contains(&heir));
    second.ends_well();
    listens(&place, watcher.0.id());
}

#[test]
fn a_watcher_answers_and_what_it_leaves_when_it_is_killed_is_replaced() {
    let place = indexed();
    let watcher = Watcher::start(&place);
    listens(&place, watcher.0.id());
    assert_eq!(status(&place).expect("it listens")["indexed"], true);
    drop(watcher);
    assert!(socket_file(&place).exists() && status(&place).is_none());
    let server = Server::start(&place);
    listens(&place, server.id());
    server.ends_well();
}

#[test]
fn whoever_may_not_write_has_no_socket() {
    let place = indexed();
    let mut server = Server::run(&place, place.icr(&["mcp", "--read-only"]));
    server.data("project_symbol_search", json!({"query": "anchor"}));
    server.ends_well();
    assert!(!place.home().join("run").exists());
}

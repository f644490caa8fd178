//! Long-term memory through the program: where it is kept, who may write it, and what several servers see of it.

use std::path::Path;
use std::process::Command;

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::place::Place;
use crate::server::{Era, Server, envelope};

fn place() -> Place {
    Place::of(Fixture::new("//- a.rs\nfn anchor() {}\n"))
}

/// A server whose command a test adds to.
fn server(place: &Place, args: &[&str], change: impl FnOnce(&mut Command) -> &mut Command) -> Server {
    let mut command = place.icr(&[&["mcp"], args].concat());
    change(&mut command);
    Server::run(place, command)
}

#[track_caller]
fn store(server: &mut Server, content: &str) {
    let said = server.text("icm_memory_store", json!({"topic": "ships", "content": content}));
    assert!(said.starts_with("Stored memory: "), "{said}");
}

#[track_caller]
fn recalls(server: &mut Server, query: &str) -> String {
    server.text("icm_memory_recall", json!({"query": query}))
}

#[test]
fn a_memory_outlives_the_server_and_needs_no_index() {
    let place = place();
    for (era, word) in [(Era::Modern, "iron"), (Era::Legacy("2024-11-05"), "bronze")] {
        let mut server = Server::ready(&place, era);
        store(&mut server, &format!("The anchor is of {word}."));
        server.ends_well();
    }
    let mut server = Server::ready(&place, Era::Legacy("2025-11-25"));
    let said = recalls(&mut server, "what is the anchor made of?");
    assert!(said.contains("    The anchor is of iron.\n") && said.contains("    The anchor is of bronze.\n"), "{said}");
    server.ends_well();
    assert!(!place.home().join("repos").exists(), "nothing was indexed");
    assert_eq!(place.fixture.git(&["status", "--short"]), "", "nothing is written into the worktree");
}

/// Runs a command of the program that says nothing of interest.
#[track_caller]
fn run(place: &Place, args: &[&str]) {
    let output = place.icr(args).output().expect("the program can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn what_was_derived_is_listed_beside_pins_and_named_by_impacts() {
    let place = place();
    place.index();
    run(
        &place,
        &["store", "-t", "ships", "-c", "`anchor` is never raised in port.", "--kind", "invariant", "--path", "a.rs"],
    );
    run(&place, &["store", "-t", "ships", "-c", "Raised twice so far."]);
    run(&place, &["pin", "a.rs", "--id", "anchors"]);
    let mut server = Server::ready(&place, Era::Modern);
    let kinds = |listed: &Value| -> Vec<Value> {
        listed["items"].as_array().expect("a list").iter().map(|item| item["type"].clone()).collect()
    };
    let listed = server.data("memory_list", json!({}));
    assert_eq!(kinds(&listed), ["pinned", "derived"]);
    let derived = &listed["items"][1];
    assert_eq!((&derived["memory_kind"], &derived["path"]), (&json!("invariant"), &json!("a.rs")));
    assert_eq!(kinds(&server.data("memory_list", json!({"filter_type": "pinned"}))), ["pinned"]);
    let text = server.text("memory_get", json!({"source_id": derived["id"]}));
    assert!(text.contains("`anchor` is never raised in port."), "{text}");

    std::fs::write(place.root().join("a.rs"), "fn anchor(depth: u32) {}\n").expect("it can be written");
    assert_eq!(kinds(&server.data("memory_list", json!({"filter_type": "stale"}))), ["pinned", "derived"]);
    for (tool, arguments) in [("impact_diff", json!({})), ("project_impact", json!({"changed_paths": ["a.rs"]}))] {
        let impact = server.data(tool, arguments);
        let summary = &impact["memories"][0]["summary"];
        assert_eq!(summary, "`anchor` is never raised in port.", "{tool}: {impact}");
    }
    server.ends_well();
}

#[test]
fn a_directory_without_a_repository_has_memories() {
    let place = place();
    let elsewhere = place.fixture.home().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("it can be made");
    let root = place.root().to_str().expect("it has a name of letters").to_owned();
    let mut server = server(&place, &["--root", &root], |command| command.current_dir(&elsewhere));
    assert_eq!(recalls(&mut server, "anchor"), "No memories found.");
    assert!(!place.home().join("memory.db").exists());
    store(&mut server, "The anchor is aboard.");
    assert!(recalls(&mut server, "anchor").contains("The anchor is aboard."));
    let other = server.text("icm_memory_recall", json!({"query": "anchor", "repo_root": place.root()}));
    assert!(other.contains("aboard"), "what belongs to no project is recalled in each: {other}");
    server.ends_well();
    assert_eq!(std::fs::read_dir(&elsewhere).expect("it is there").count(), 0);
}

#[test]
fn the_database_is_where_arguments_configuration_and_environment_say() {
    let place = place();
    let path = |name: &str| place.fixture.home().join(name);
    let relative = |name: &str| format!("../{name}");
    let start = |name: &str| -> Server {
        match name {
            "flag.db" => server(&place, &["--db", &relative(name)], |command| command),
            "key.db" => {
                server(&place, &["--set", &format!("memory.db_path={}", path(name).display())], |command| command)
            }
            other => server(&place, &[], |command| command.env("ICM_DB", path(other))),
        }
    };
    for name in ["flag.db", "key.db", "environment.db"] {
        let mut server = start(name);
        store(&mut server, &format!("The anchor is in {name}."));
        server.ends_well();
    }
    for name in ["flag.db", "key.db", "environment.db"] {
        assert!(path(name).is_file(), "{name}");
        let mut server = start(name);
        let said = recalls(&mut server, "anchor");
        assert!(said.contains(name) && said.matches("The anchor").count() == 1, "{said}");
        server.ends_well();
    }
    assert!(!place.home().join("memory.db").exists());
}

#[test]
fn two_servers_and_their_clients_write_at_once() {
    let place = place();
    let mut servers = [Server::ready(&place, Era::Modern), Server::ready(&place, Era::Legacy("2025-06-18"))];
    let mut ids = Vec::new();
    for at in 0..50 {
        for (number, server) in servers.iter_mut().enumerate() {
            let content = format!("fact {at} of server {number}");
            ids.push((number, server.begin("icm_memory_store", json!({"topic": "ships", "content": content}))));
        }
    }
    for (number, id) in ids {
        let result = servers[number].result(id);
        assert_eq!(result["isError"], false, "{result}");
    }
    for mut server in servers {
        assert_eq!(server.data("icm_memory_stats", json!({}))["memories"], 100);
        server.ends_well();
    }
}

#[test]
fn a_server_that_may_not_write_recalls_and_says_why_it_does_not_store() {
    let place = place();
    let mut writer = Server::ready(&place, Era::Modern);
    store(&mut writer, "The anchor is aboard.");
    writer.ends_well();
    let refused = |mut server: Server, reason: &str| {
        assert!(recalls(&mut server, "anchor").contains("The anchor is aboard."));
        let result = server.call("icm_memory_store", json!({"topic": "ships", "content": "Another."}));
        let error = &envelope(&result)["error"];
        assert_eq!((&result["isError"], &error["code"]), (&json!(true), &json!("SERVICE_UNAVAILABLE")), "{result}");
        assert!(error["message"].as_str().is_some_and(|said| said.contains(reason)), "{error}");
        assert!(error["details"]["hints"][0].is_string(), "{error}");
        server.ends_well();
    };
    refused(server(&place, &["--read-only"], |command| command), "started read-only");
    refused(server(&place, &[], |command| command.env("ICM_READONLY", "1")), "started read-only");
    let home = place.home();
    let _writable = Unwritable::of(&home);
    if std::fs::write(home.join("probe"), "").is_ok() {
        // The superuser may write anywhere.
        return;
    }
    refused(server(&place, &[], |command| command), "cannot be written");
}

/// A directory that nobody may write into, with its files, until this is dropped.
struct Unwritable<'a>(&'a Path);

impl<'a> Unwritable<'a> {
    fn of(directory: &'a Path) -> Self {
        set_read_only(directory, true);
        Self(directory)
    }
}

impl Drop for Unwritable<'_> {
    fn drop(&mut self) {
        set_read_only(self.0, false);
    }
}

#[cfg(unix)]
fn set_read_only(directory: &Path, is_read_only: bool) {
    use std::os::unix::fs::PermissionsExt;
    let set = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("it is one's own");
    };
    if !is_read_only {
        set(directory, 0o700);
    }
    for entry in std::fs::read_dir(directory).expect("it can be listed").flatten() {
        if entry.path().is_file() {
            set(&entry.path(), if is_read_only { 0o400 } else { 0o600 });
        }
    }
    if is_read_only {
        set(directory, 0o500);
    }
}

#[cfg(not(unix))]
fn set_read_only(_: &Path, _: bool) {}

#[test]
fn a_database_that_is_replaced_under_the_server_is_the_one_that_is_asked() {
    let place = place();
    let (kept, other) = (place.home().join("memory.db"), place.fixture.home().join("other.db"));
    let mut second = server(&place, &["--db", "../other.db"], |command| command);
    store(&mut second, "The anchor was replaced.");
    second.ends_well();
    let mut server = Server::ready(&place, Era::Modern);
    store(&mut server, "The anchor is aboard.");
    assert!(!place.fixture.home().join("other.db-wal").exists(), "a server that ends leaves one file");
    std::fs::rename(&other, &kept).expect("on the same file system");
    let said = recalls(&mut server, "anchor");
    assert!(said.contains("replaced") && !said.contains("aboard"), "{said}");
    for name in ["memory.db", "memory.db-wal", "memory.db-shm"] {
        let _ = std::fs::remove_file(place.home().join(name));
    }
    assert_eq!(recalls(&mut server, "anchor"), "No memories found.");
    store(&mut server, "The anchor is new.");
    assert!(recalls(&mut server, "anchor").contains("new"));
    server.ends_well();
}

#[test]
fn cancelled_calls_are_not_answered_and_the_others_are() {
    let place = place();
    let mut server = Server::ready(&place, Era::Modern);
    let mut cancelled = Vec::new();
    for at in 0..20 {
        let id = server.begin("icm_memory_store", json!({"topic": "ships", "content": format!("fact number {at}")}));
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
        cancelled.push(json!(id));
    }
    store(&mut server, "the last fact");
    assert!(recalls(&mut server, "last fact").contains("the last fact"));
    // A call that was done before its cancellation was read has its answer.
    for message in server.ends_well() {
        assert!(cancelled.contains(&message["id"]) && message["result"]["isError"] == false, "{message}");
    }
}

#[test]
fn the_tenth_call_without_a_store_is_told_so() {
    let place = place();
    let nudged = |result: &Value| {
        let blocks = result["content"].as_array().expect("an answer has content");
        blocks.get(1).map(|block| block["text"].as_str().expect("text").to_owned())
    };
    let mut server = server(&place, &[], |command| command.env_remove("ICR_MEMORY__NUDGE_AFTER_CALLS"));
    for _ in 1..10 {
        assert_eq!(nudged(&server.call("admin_ping", json!({}))), None);
    }
    let expected = "[ICM: 10 tool calls since last store. Consider saving important context with icm_memory_store.]";
    let tenth = server.call("icm_memory_list_topics", json!({}));
    assert_eq!(nudged(&tenth).as_deref(), Some(expected));
    assert!(!tenth["structuredContent"].to_string().contains("ICM"), "{tenth}");
    store(&mut server, "The anchor is aboard.");
    assert_eq!(nudged(&server.call("admin_ping", json!({}))), None);
    server.ends_well();
}

#[test]
fn a_compact_server_answers_with_a_line_each() {
    let place = place();
    let mut server = server(&place, &["--compact"], |command| command);
    let said = server.text("icm_memory_store", json!({"topic": "ships", "content": "The anchor is aboard."}));
    assert!(said.starts_with("ok:") && said.lines().count() == 1, "{said}");
    let id = said.trim_start_matches("ok:").trim_end();
    assert_eq!(recalls(&mut server, "anchor"), format!("[ships] The anchor is aboard. id:{id}\n"));
    server.ends_well();
}

#[test]
fn memory_is_spoken_of_where_its_tools_are_listed() {
    let place = place();
    for (sets, is_listed) in [("code", false), ("core", false), ("memory", true), ("code,memory", true)] {
        let mut server = server(&place, &["--toolsets", sets], |command| command);
        let instructions = server.ask("server/discover", json!({}))["result"]["instructions"].take();
        let instructions = instructions.as_str().expect("there are instructions");
        assert_eq!(instructions.contains("icm_memory_recall"), is_listed, "{sets}: {instructions}");
        assert!(instructions.chars().count() <= 2_000, "{sets}");
        let tools = server.ask("tools/list", json!({}))["result"]["tools"].to_string();
        assert_eq!(tools.matches("\"icm_").count(), if is_listed { 18 } else { 0 }, "{sets}");
        // What is not listed works by its name.
        store(&mut server, "The anchor is aboard.");
        server.ends_well();
    }
}

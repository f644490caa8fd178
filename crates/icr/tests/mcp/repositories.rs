//! Repositories: none, several in one process, one that changes, one that goes away.

use std::fs;

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::examples::{examples, repository};
use crate::place::Place;
use crate::server::{Era, Server, envelope};

fn anchor() -> Place {
    Place::of(Fixture::new("//- a.rs\n/// Holds a ship.\nfn anchor() {}\n"))
}

/// Paths of the files that define the name `query`, in order.
#[track_caller]
fn finds(server: &mut Server, arguments: Value) -> Vec<String> {
    let data = server.data("project_symbol_search", arguments);
    let symbols = data["symbols"].as_array().expect("a list of symbols").iter();
    symbols.map(|symbol| symbol["path"].as_str().expect("a symbol has a path").to_owned()).collect()
}

/// The error of a call that must fail.
#[track_caller]
fn error(server: &mut Server, tool: &str, arguments: Value) -> Value {
    let result = server.call(tool, arguments);
    assert_eq!(result["isError"], true, "{result}");
    let envelope = envelope(&result);
    assert_eq!(envelope["success"], false, "{result}");
    envelope["error"].clone()
}

#[test]
fn outside_of_a_repository_the_server_runs_and_says_what_it_lacks() {
    let place = anchor();
    let mut command = place.icr(&["mcp"]);
    command.current_dir(place.fixture.home());
    let mut server = Server::run(&place, command);
    assert!(server.ask("tools/list", json!({}))["result"]["tools"].as_array().is_some_and(|tools| tools.len() >= 20));
    server.data("admin_ping", json!({"echo": "here", "include_diagnostics": true}));
    let refused = error(&mut server, "env_search", json!({"query": "anchor", "scope": "repo"}));
    assert!(["NOT_FOUND", "VALIDATION_ERROR"].contains(&refused["code"].as_str().unwrap_or("")), "{refused}");
    assert!(refused["message"].as_str().is_some_and(|said| said.contains("git repository")), "{refused}");
    server.ends_well();
}

#[test]
fn what_was_said_to_agents_is_found_unless_the_user_switched_it_off() {
    let place = anchor();
    let project = place.root().display().to_string().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let project = place.fixture.home().join(".claude/projects").join(project);
    fs::create_dir_all(&project).expect("a directory can be made");
    let line =
        json!({"type": "user", "sessionId": "s", "cwd": place.root(), "message": {"content": "Let go the anchor."}});
    fs::write(project.join("s.jsonl"), format!("{line}\n")).expect("a file can be written");
    let mut server = Server::ready(&place, Era::Modern);
    let question = || json!({"query": "anchor", "scope": "transcript"});
    let found = server.data("env_search", question());
    assert_eq!(found["results"][0]["content_preview"], "Let go the anchor.");
    fs::create_dir_all(place.home()).expect("a directory can be made");
    fs::write(place.home().join("config.toml"), "[transcripts]\nenabled = false\n").expect("a file can be written");
    let result = server.call("env_search", question());
    assert_eq!(envelope(&result)["provenance"]["gaps"], json!([{"gap": "transcripts_off"}]));
    server.ends_well();
}

#[test]
fn a_root_that_is_not_there_is_refused_by_name() {
    let place = anchor();
    let mut server = Server::ready(&place, Era::Modern);
    for root in [place.root().join("no-such-directory"), place.fixture.home().to_owned()] {
        let refused = error(&mut server, "env_search", json!({"query": "anchor", "scope": "repo", "repo_root": root}));
        let said = refused["message"].as_str().expect("an error says what is wrong");
        assert!(said.contains(root.to_str().expect("it has a name of letters")), "{refused}");
    }
    assert_eq!(finds(&mut server, json!({"query": "anchor"})), ["a.rs"]);
    server.ends_well();
}

#[test]
fn a_repository_that_nobody_allowed_is_refused() {
    let (place, other) = (anchor(), Place::of(Fixture::new("//- b.rs\nfn buoy() {}\n")));
    let mut server = Server::ready(&place, Era::Modern);
    let refused =
        error(&mut server, "env_search", json!({"query": "buoy", "scope": "repo", "repo_root": other.root()}));
    assert_eq!(refused["code"], "VALIDATION_ERROR", "{refused}");
    assert_eq!(refused["details"]["field"], "repo_root", "{refused}");
    server.ends_well();
}

#[test]
fn two_repositories_in_one_process_do_not_mix() {
    let place = anchor();
    let other = Place::of(Fixture::new("//- b.rs\n/// Another one.\nfn anchor() {}\n"));
    let mut command = place.icr(&["mcp", "--root"]);
    command.arg(other.root());
    let mut server = Server::run(&place, command);
    for _ in 0..3 {
        assert_eq!(finds(&mut server, json!({"query": "anchor"})), ["a.rs"]);
        assert_eq!(finds(&mut server, json!({"query": "anchor", "repo_root": other.root()})), ["b.rs"]);
        assert_eq!(finds(&mut server, json!({"query": "anchor", "repo_root": place.root()})), ["a.rs"]);
    }
    server.data("memory_pin", json!({"source_id": "shoals", "path": "b.rs", "repo_root": other.root()}));
    let pinned = |server: &mut Server, root: &Place| {
        server.data("memory_list", json!({"filter_type": "pinned", "repo_root": root.root()}))["total_count"].clone()
    };
    assert_eq!((pinned(&mut server, &place), pinned(&mut server, &other)), (json!(0), json!(1)));
    server.ends_well();
}

#[test]
fn an_answer_follows_the_worktree() {
    let place = anchor();
    place.index();
    let mut server = Server::ready(&place, Era::Modern);
    assert_eq!(finds(&mut server, json!({"query": "anchor"})), ["a.rs"]);
    place.fixture.write("//- b.rs\nfn windlass() {}\n");
    assert_eq!(finds(&mut server, json!({"query": "windlass"})), ["b.rs"], "a file that is not committed");
    place.fixture.commit("second");
    assert_eq!(finds(&mut server, json!({"query": "windlass"})), ["b.rs"], "a commit");
    place.fixture.delete("b.rs");
    assert_eq!(finds(&mut server, json!({"query": "windlass"})), Vec::<String>::new(), "a file that is gone");
    place.fixture.git(&["checkout", "-q", "HEAD~1"]);
    assert_eq!(finds(&mut server, json!({"query": "anchor"})), ["a.rs"], "an older commit");
    assert_eq!(finds(&mut server, json!({"query": "windlass", "rev": "main"})), ["b.rs"], "another revision");
    server.ends_well();
}

#[test]
fn a_linked_worktree_is_allowed_and_has_its_own_files() {
    let place = anchor();
    let worktree = place.fixture.worktree("linked", "HEAD");
    std::fs::write(worktree.join("c.rs"), "fn capstan() {}\n").expect("the worktree can be written");
    let mut server = Server::ready(&place, Era::Modern);
    assert_eq!(finds(&mut server, json!({"query": "capstan", "repo_root": worktree})), ["c.rs"]);
    assert_eq!(finds(&mut server, json!({"query": "capstan"})), Vec::<String>::new());
    server.ends_well();
}

#[test]
fn a_repository_that_is_deleted_under_the_server_is_an_error_of_the_call() {
    for era in [Era::Modern, Era::Legacy("2025-11-25")] {
        let place = anchor();
        let other = Place::of(Fixture::new("//- b.rs\nfn buoy() {}\n"));
        let mut command = place.icr(&["mcp", "--root"]);
        command.arg(other.root());
        let mut server = Server::run(&place, command);
        server.shake_hands(era);
        assert_eq!(finds(&mut server, json!({"query": "anchor"})), ["a.rs"]);
        std::fs::remove_dir_all(place.root()).expect("the repository can be removed");
        for (tool, arguments) in [
            ("env_search", json!({"query": "anchor", "scope": "repo"})),
            ("env_peek", json!({"path": "a.rs", "start_line": 1, "end_line": 1})),
            ("memory_pack", json!({"prompt": "What holds a ship?"})),
        ] {
            let gone = error(&mut server, tool, arguments);
            assert!(gone["message"].as_str().is_some_and(|said| !said.is_empty()), "{tool}: {gone}");
        }
        server.data("admin_ping", json!({"include_diagnostics": true}));
        let buoy = json!({"query": "buoy", "repo_root": other.root()});
        assert_eq!(finds(&mut server, buoy), ["b.rs"], "the other one is still there");
        server.ends_well();
    }
}

#[test]
fn an_object_that_says_it_is_larger_than_any_is_named() {
    let place = anchor();
    let id = place.fixture.git(&["rev-parse", "HEAD:a.rs"]);
    let object = place.root().join(".git/objects").join(&id[..2]).join(&id[2..]);
    std::fs::remove_file(&object).expect("the object is loose");
    // `blob 18446744073709551615` and nothing behind it, as zlib stores it.
    let endless = b"x\x01\x01\x1a\0\xe5\xffblob 18446744073709551615\0Y\xb1\x05\xd7";
    std::fs::write(&object, endless).expect("the repository can be written");
    let mut server = Server::ready(&place, Era::Modern);
    let arguments = json!({"path": "a.rs", "start_line": 1, "end_line": 1, "rev": "HEAD"});
    let refused = error(&mut server, "env_peek", arguments);
    let codes = (&refused["code"], &refused["details"]["engine_code"]);
    assert_eq!(codes, (&json!("SERVICE_UNAVAILABLE"), &json!("CORRUPT_OBJECT")), "{refused}");
    assert!(refused["message"].as_str().is_some_and(|said| said.contains(&id)), "{refused}");
    server.ends_well();
}

#[cfg(unix)]
#[test]
fn a_file_of_gits_that_became_a_pipe_is_named() {
    let place = anchor();
    place.index();
    let mut server = Server::ready(&place, Era::Modern);
    assert_eq!(finds(&mut server, json!({"query": "anchor"})), ["a.rs"]);
    for name in ["HEAD", "index"] {
        let (file, kept) = (place.root().join(".git").join(name), place.fixture.home().join("kept"));
        std::fs::rename(&file, &kept).expect("the repository can be written");
        assert!(place.program("mkfifo", &[]).arg(&file).status().expect("it can be run").success());
        for (tool, arguments) in [
            ("project_symbol_search", json!({"query": "anchor"})),
            ("env_peek", json!({"path": "a.rs", "start_line": 1, "end_line": 1})),
        ] {
            let refused = error(&mut server, tool, arguments);
            let said = format!("`{}` is not an ordinary file", file.display());
            let expected = (&json!("SERVICE_UNAVAILABLE"), &json!(said));
            assert_eq!((&refused["code"], &refused["message"]), expected, "{refused}");
        }
        std::fs::rename(&kept, &file).expect("the repository can be written");
        assert_eq!(finds(&mut server, json!({"query": "anchor"})), ["a.rs"]);
    }
    server.ends_well();
}

#[test]
fn nothing_outside_of_the_repository_is_read() {
    let place = anchor();
    let outside = place.fixture.home().join("outside.txt");
    std::fs::write(&outside, "a secret of somebody\n").expect("the home can be written");
    #[cfg(unix)]
    place.fixture.symlink(&outside, "link.txt");
    place.fixture.write("//- .env\nPASSWORD=hunter2-of-nobody\n");
    let mut server = Server::ready(&place, Era::Modern);
    let absolute = outside.to_str().expect("it has a name of letters");
    for path in ["../outside.txt", "src/../../outside.txt", absolute, "link.txt", ".git/config", ".GIT/config", ".env"]
    {
        let result = server.call("env_peek", json!({"path": path, "start_line": 1, "end_line": 5}));
        assert_eq!(result["isError"], true, "{path}: {result}");
        for secret in ["a secret of somebody", "fixture@example.org", "hunter2-of-nobody"] {
            assert!(!result.to_string().contains(secret), "{path}: {result}");
        }
    }
    server.ends_well();
}

#[test]
fn a_bare_repository_is_answered_from_its_newest_commit() {
    let place = Place::of(Fixture::generated_bare(50));
    let mut server = Server::ready(&place, Era::Modern);
    assert_eq!(
        finds(&mut server, json!({"query": "read_7"})).first().map(String::as_str),
        Some("src/part_0/group_0/file_7.rs")
    );
    server.ends_well();
}

#[cfg(unix)]
#[test]
fn a_home_that_cannot_be_written_is_an_error_of_the_call() {
    let place = anchor();
    let mut command = place.icr(&["mcp"]);
    command.env("ICR_HOME", "/dev/null/home");
    let mut server = Server::run(&place, command);
    assert!(server.ask("tools/list", json!({}))["result"]["tools"].is_array());
    server.data("admin_ping", json!({"echo": "here", "include_diagnostics": true}));
    let refused = error(&mut server, "env_search", json!({"query": "anchor", "scope": "repo"}));
    assert!(refused["message"].as_str().is_some_and(|said| said.contains("/dev/null/home")), "{refused}");
    server.data("env_aggregate", json!({"op": "count", "inputs": ["a"]}));
    server.ends_well();
}

#[test]
fn no_tool_takes_a_part_of_a_commit_for_a_revision() {
    let place = repository();
    let mut server = Server::ready(&place, Era::Modern);
    let tools = server.ask("tools/list", json!({}))["result"]["tools"].clone();
    let examples = examples();
    let mut asked = 0;
    for tool in tools.as_array().expect("a list of tools") {
        let name = tool["name"].as_str().expect("a tool has a name");
        let example = examples.iter().find(|example| example.tool == name && example.error.is_none());
        let Some(mut arguments) = example.map(|example| example.arguments_for(place.root())) else { continue };
        if tool["inputSchema"]["properties"]["rev"].is_null() {
            continue;
        }
        for part in ["HEAD:src", "HEAD:src/types/user.ts", "HEAD^{tree}"] {
            arguments["rev"] = part.into();
            let refused = error(&mut server, name, arguments.clone());
            assert_eq!(refused["code"], "VALIDATION_ERROR", "{name} {part}: {refused}");
            assert!(refused["message"].as_str().is_some_and(|said| said.contains("not a commit")), "{name}: {refused}");
        }
        asked += 1;
    }
    assert!(asked >= 10, "only {asked} tools were asked");
    let refused = error(&mut server, "impact_diff", json!({"range": "HEAD:src..HEAD"}));
    assert_eq!(refused["code"], "VALIDATION_ERROR", "{refused}");
    server.ends_well();
}

#[test]
fn a_git_directory_that_was_committed_is_asked_by_nobody() {
    let place = anchor();
    let victim = place.fixture.home().join("victim");
    std::fs::create_dir(&victim).expect("the home can be written");
    std::fs::write(victim.join("notes.rs"), "fn victim() {}\n").expect("the home can be written");
    let gitdir = format!("{}/.git\n", victim.display());
    for (path, content) in [("HEAD", "ref: refs/heads/main\n"), ("commondir", "../.git\n"), ("gitdir", gitdir.as_str())]
    {
        place.fixture.write_bytes(&format!("evil/{path}"), content.as_bytes());
    }
    place.fixture.commit("innocent");
    let evil = place.root().join("evil");
    for _ in ["before a store exists", "after"] {
        let mut server = Server::ready(&place, Era::Modern);
        let arguments = json!({"query": "victim", "scope": "repo", "repo_root": evil});
        let refused = error(&mut server, "env_search", arguments);
        assert_eq!(refused["details"]["engine_code"], "UNSAFE_REPOSITORY", "{refused}");
        server.ends_well();
        let mut command = place.icr(&["mcp"]);
        command.current_dir(&evil);
        let mut server = Server::run(&place, command);
        let refused = error(&mut server, "project_map", json!({}));
        assert_eq!(refused["details"]["engine_code"], "UNSAFE_REPOSITORY", "{refused}");
        server.ends_well();
        place.index();
    }
}

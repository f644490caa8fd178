//! Where calls may look: inside of the repositories that they may ask, and nowhere else.

use icr_fixture::Fixture;
use icr_mcp::Settings;
use icr_serve::RepositoryAccess;
use serde_json::{Value, json};

use crate::client::{Client, FILES, Place};

/// Tools that read one path, with the argument that names it.
fn readers(path: &str) -> [(&'static str, Value); 5] {
    [
        ("env_peek", json!({"path": path, "start_line": 1, "end_line": 5})),
        ("env_slice", json!({"path": path, "start_line": 1})),
        ("graph_neighbors", json!({"path": path})),
        ("memory_pin", json!({"source_id": "x", "path": path})),
        ("project_impact", json!({"changed_paths": [path]})),
    ]
}

#[tokio::test]
async fn paths_out_of_the_repository_are_refused_by_every_tool() {
    let place = Place::new();
    let root = place.fixture.root().display().to_string();
    std::fs::write(place.fixture.home().join("outside.txt"), "outside\n").expect("it can be written");
    std::fs::create_dir(format!("{root}2")).expect("it can be made");
    let mut client = place.client().await;
    let wrong = [
        ("../outside.txt".to_owned(), "inside_repository"),
        ("src/../../outside.txt".to_owned(), "inside_repository"),
        (format!("{root}2/x"), "inside_repository"),
        (format!("{root}/../outside.txt"), "inside_repository"),
        ("/etc/passwd".to_owned(), "inside_repository"),
        (".git/config".to_owned(), "git_directory"),
        (".GIT/HEAD".to_owned(), "git_directory"),
        ("src/.git/x".to_owned(), "git_directory"),
        ("src/a\0.py".to_owned(), "path"),
    ];
    for (path, rule) in &wrong {
        for (tool, arguments) in readers(path) {
            let error = client.failure(tool, arguments).await;
            assert_eq!(
                (&error["code"], &error["details"]["constraint"]),
                (&json!("VALIDATION_ERROR"), &json!(rule)),
                "{tool} {path}"
            );
            assert!(!error.to_string().contains("root:"), "{tool} {path}: {error}");
        }
    }
    let prefix = json!({"query": "x", "scope": "repo", "path_prefix": "../"});
    assert_eq!(client.failure("env_search", prefix).await["details"]["constraint"], "inside_repository");
    let focus = json!({"prompt": "x", "focus_paths": ["src", "../x"]});
    assert_eq!(client.failure("memory_pack", focus).await["details"]["field"], "focus_paths[1]");
    let sources = json!({"task": "x", "sources": ["../outside.txt:1-3"], "map_prompt": "x", "reduce_prompt": "x"});
    assert_eq!(client.failure("rlm_map_reduce", sources).await["details"]["field"], "sources[0]");
}

#[tokio::test]
async fn absolute_paths_inside_are_understood() {
    let place = Place::new();
    let mut client = place.client().await;
    for path in ["./src/errors.py".to_owned(), place.fixture.root().join("src/errors.py").display().to_string()] {
        let lines = client.text("env_peek", json!({"path": path, "start_line": 1, "end_line": 2})).await;
        assert!(lines.starts_with("src/errors.py:1-2\n"), "{lines}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn links_out_of_the_repository_are_not_followed() {
    let place = Place::new();
    let outside = place.fixture.home().join("outside");
    std::fs::create_dir(&outside).expect("it can be made");
    std::fs::write(outside.join("auth.py"), "secret = 1\n").expect("it can be written");
    place.fixture.symlink(outside.join("auth.py"), "link.py");
    place.fixture.symlink(&outside, "linked");
    place.fixture.commit("links");
    // A directory of the repository becomes a link out of it, which nobody has committed.
    place.fixture.delete("src");
    place.fixture.symlink(&outside, "src");
    let mut client = place.client().await;
    for path in ["link.py", "linked/auth.py", "src/auth.py"] {
        for (tool, arguments) in readers(path) {
            let error = client.failure(tool, arguments).await;
            assert_eq!(error["details"]["constraint"], "inside_repository", "{tool} {path}: {error}");
        }
    }
    let found = client.call("env_search", json!({"query": "secret", "scope": "repo"})).await;
    assert!(!found.to_string().contains("secret = 1"), "{found}");
}

#[tokio::test]
async fn secret_files_are_named_as_such_and_never_shown() {
    let place = Place::new();
    place.fixture.write("//- .env\nPASSWORD=hunter2\n//- src/keys/id_rsa\nhunter2\n");
    place.fixture.commit("secrets");
    let mut client = place.client().await;
    for path in [".env", "src/keys/id_rsa"] {
        for (tool, arguments) in [&readers(path)[0], &readers(path)[1], &readers(path)[3]] {
            for rev in [None, Some("HEAD")] {
                let mut arguments = arguments.clone();
                if let Some(rev) = rev.filter(|_| *tool != "memory_pin") {
                    arguments["rev"] = json!(rev);
                }
                let error = client.failure(tool, arguments).await;
                assert_eq!(error["details"]["engine_code"], "SECRET", "{tool} {path}: {error}");
            }
        }
    }
    for (tool, arguments) in [
        ("env_search", json!({"query": "hunter2 PASSWORD", "scope": "all"})),
        ("memory_pack", json!({"prompt": "what is the PASSWORD"})),
        (
            "rlm_map_reduce",
            json!({"task": "PASSWORD", "sources": [".env"], "map_prompt": "PASSWORD", "reduce_prompt": "PASSWORD"}),
        ),
        ("impact_diff", json!({"range": "HEAD"})),
    ] {
        let result = client.call(tool, arguments).await;
        assert!(!result.to_string().contains("hunter2"), "{tool}: {result}");
    }
}

#[tokio::test]
async fn other_repositories_are_asked_only_where_that_is_allowed() {
    let place = Place::new();
    let other = Fixture::new("//- b.py\ndef elsewhere(): pass\n");
    let other_root = other.root().display().to_string();
    let search = |root: &str| json!({"query": "elsewhere", "scope": "repo", "repo_root": root});
    let mut client = place.client().await;
    let error = client.failure("env_search", search(&other_root)).await;
    assert_eq!(error["details"]["constraint"], "allowed_roots", "{error}");
    assert_eq!(error["details"]["field"], "repo_root");
    assert!(error["details"]["allowed"].to_string().contains("repo"), "{error}");
    for tool in ["env_aggregate", "admin_ping", "rlm_plan", "memory_unpin"] {
        let mut arguments = crate::bounds::valid().remove(tool).expect("a tool");
        arguments["repo_root"] = json!(other_root);
        let error = client.failure(tool, arguments).await;
        assert_eq!(error["details"]["constraint"], "allowed_roots", "{tool}: {error}");
    }
    let gone = client.failure("env_search", search(&format!("{other_root}/gone"))).await;
    assert_eq!(gone["code"], "NOT_FOUND");
    let places = RepositoryAccess { allowed_roots: vec![other.home().to_owned()], ..place.places() };
    let settings = Settings { places, ..place.settings() };
    let data = Client::start(settings).await.data("env_search", search(&other_root)).await;
    assert_eq!(data["results"][0]["path"], "b.py");
    // It was indexed now, by the user's own doing.
    let data = place.client().await.data("env_search", search(&other_root)).await;
    assert_eq!(data["results"][0]["path"], "b.py");
}

#[tokio::test]
async fn worktrees_of_the_repository_are_its_own() {
    let place = Place::new();
    let worktree = place.fixture.worktree("second", "HEAD");
    std::fs::write(worktree.join("only_here.py"), "def only_here(): pass\n").expect("it can be written");
    let mut client = place.client().await;
    let mut check = async |root: Option<&str>, expected: bool| {
        let mut arguments = json!({"query": "only_here"});
        if let Some(root) = root {
            arguments["repo_root"] = json!(root);
        }
        let data = client.data("project_symbol_search", arguments).await;
        assert_eq!(!data["symbols"].as_array().expect("symbols").is_empty(), expected, "{root:?}: {data}");
    };
    check(Some(&worktree.display().to_string()), true).await;
    check(Some("../second"), true).await;
    check(None, false).await;
}

#[tokio::test]
async fn repositories_of_one_server_do_not_see_each_other() {
    let places = [Place::new(), Place::new()];
    places[1].fixture.write("//- src/other.py\ndef only_in_the_other(): pass\n");
    let root = places[1].fixture.root().display().to_string();
    let allowed = RepositoryAccess { allowed_roots: vec![places[1].fixture.root().to_owned()], ..places[0].places() };
    let settings = Settings { places: allowed, ..places[0].settings() };
    let mut client = Client::start(settings).await;
    client.data("memory_pin", json!({"source_id": "mine", "path": "src/auth.py"})).await;
    client.data("memory_pin", json!({"source_id": "theirs", "path": "src/other.py", "repo_root": root})).await;
    for (root, pin, found) in [(None, "mine", 0), (Some(&root), "theirs", 1)] {
        let with_root = |mut arguments: Value| {
            if let Some(root) = root {
                arguments["repo_root"] = json!(root);
            }
            arguments
        };
        let pins = client.data("memory_list", with_root(json!({}))).await;
        assert_eq!((&pins["total_count"], &pins["items"][0]["id"]), (&json!(1), &json!(pin)));
        let symbols = client.data("project_symbol_search", with_root(json!({"query": "only_in_the_other"}))).await;
        assert_eq!(symbols["total_count"], found, "{root:?}");
    }
}

#[tokio::test]
async fn a_repository_that_goes_away_and_comes_back_is_noticed() {
    let place = Place::new();
    let mut client = place.client().await;
    let peek = json!({"path": "src/errors.py", "start_line": 1, "end_line": 1});
    client.text("env_peek", peek.clone()).await;
    std::fs::remove_dir_all(place.fixture.root()).expect("it can be deleted");
    let error = client.failure("env_peek", peek.clone()).await;
    assert_eq!(error["code"], "NOT_FOUND", "{error}");
    client.data("admin_ping", json!({})).await;
    let again = Fixture::new(FILES);
    again.write("//- src/errors.py\nNEW = 1\n");
    again.commit("second");
    std::fs::rename(again.root(), place.fixture.root()).expect("on the same file system");
    let lines = client.text("env_peek", peek).await;
    assert!(lines.contains("NEW = 1"), "{lines}");
}

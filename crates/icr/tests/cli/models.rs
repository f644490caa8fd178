//! Models: what is listed, chosen, imported and fetched, and what is said of those that cannot run.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;

use icr_fixture::Fixture;

use crate::run::Icr;

fn project() -> (Fixture, Icr) {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n//- b.rs\nfn buoy() {}\n");
    let icr = Icr::new(&fixture);
    (fixture, icr)
}

#[test]
fn the_built_in_model_is_listed_and_in_use() {
    let (_fixture, icr) = project();
    let listed = icr.json(&["model", "list"]);
    assert_eq!(listed["backend"], "static");
    let models = listed["models"].as_array().unwrap();
    assert_eq!(models.len(), 1);
    assert_eq!(
        (&models[0]["name"], &models[0]["dims"], &models[0]["in_use"]),
        (&"static".into(), &256.into(), &true.into())
    );
    assert!(icr.prints(&["model", "list"]).starts_with("* static "));
    assert!(icr.prints(&["model", "list", "--no-embeddings"]).starts_with("  static "));
}

#[test]
fn outside_of_a_repository_models_are_known_as_well() {
    let (fixture, icr) = project();
    let outside = icr.standing_in(fixture.home());
    assert_eq!(outside.json(&["model", "list"])["models"][0]["name"], "static");
    assert!(outside.json(&["model", "status"])["vectors"].is_null());
}

#[test]
fn status_says_how_much_was_read() {
    let (_fixture, icr) = project();
    let status = icr.json(&["model", "status"]);
    let space = &status["vectors"][0];
    assert_eq!(
        (&space["model"], &space["chunks_covered"], &space["chunks_total"]),
        (&"static".into(), &2.into(), &2.into())
    );
    assert_eq!(status["provenance"]["gaps"], serde_json::json!([]));
    let text = icr.prints(&["model", "status"]);
    assert!(text.contains("static        2 of 2 chunks have vectors, 256 components"), "{text}");
}

#[test]
fn choosing_writes_the_users_file_and_nothing_else() {
    let (_fixture, icr) = project();
    let file = icr.home().join("config.toml");
    fs::create_dir_all(icr.home()).unwrap();
    fs::write(&file, "# mine\n[logging]\nlevel = \"warn\"\n").unwrap();
    icr.prints(&["model", "none"]);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text, "# mine\n[logging]\nlevel = \"warn\"\n\n[embedding]\nbackend = \"none\"\n");
    assert_eq!(icr.json(&["model", "list"])["models"][0]["in_use"], false);
    let chosen = icr.json(&["model", "static"]);
    assert_eq!(
        (&chosen["set"]["embedding.backend"], &chosen["overridden"]),
        (&"static".into(), &serde_json::json!([]))
    );
    assert!(fs::read_to_string(&file).unwrap().contains("backend = \"static\""));
    // Who has said otherwise in a stronger place is told.
    let elsewhere = icr.with_variable("ICR_EMBEDDING__BACKEND", "none").prints(&["model", "static"]);
    assert!(elsewhere.contains("! `embedding.backend` is \"none\" all the same, by "), "{elsewhere}");
}

#[test]
fn a_model_that_is_not_there_is_not_chosen() {
    let (_fixture, icr) = project();
    let said = icr.fails(3, &["model", "use", "mini"]);
    assert!(said.contains("no model `mini` was imported (none is)"), "{said}");
    assert!(said.contains("`icr model import DIR` or `icr model fetch` brings one"), "{said}");
    assert!(!icr.home().join("config.toml").exists());
}

#[test]
fn what_is_no_model_is_not_imported() {
    let (fixture, icr) = project();
    let place = |name: &str| fixture.home().join(name);
    fs::write(place("file"), "x").unwrap();
    fs::create_dir(place("empty")).unwrap();
    fs::create_dir(place("half")).unwrap();
    fs::write(place("half/config.json"), "{").unwrap();
    for (name, expected) in [
        ("absent", "is no directory; a sentence-transformers directory is imported"),
        ("file", "is no directory; a sentence-transformers directory is imported"),
        ("empty", "config.json"),
        ("half", "config.json"),
    ] {
        let said = icr.fails(3, &["model", "import", place(name).to_str().unwrap()]);
        assert!(said.starts_with("error: ") && said.contains(expected), "{name}: {said}");
    }
    let kept = fs::read_dir(icr.home().join("models")).map(|entries| entries.count()).unwrap_or_default();
    assert_eq!(kept, 0, "nothing of it is left");
}

#[test]
fn a_model_or_a_runtime_that_is_absent_leaves_the_built_in_one() {
    let (fixture, icr) = project();
    fs::write(fixture.home().join("no-library.so"), "not a library").unwrap();
    let library = fixture.home().join("no-library.so");
    let icr = icr.with_variable("ICR_EMBEDDING__BACKEND", "onnx");
    let icr = icr.with_variable("ICR_EMBEDDING__RUNTIME_PATH", library.to_str().unwrap());
    let ran = icr.run(&["index"]);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.stderr.matches("cannot run, the built-in one answers").count(), 1, "one notice: {}", ran.stderr);
    let indexed = icr.json(&["index"]);
    assert_eq!((&indexed["fill"]["model"], &indexed["fill"]["embedded"]), (&"all-MiniLM-L6-v2".into(), &0.into()));
    assert_eq!(indexed["provenance"]["gaps"][0]["gap"], "no_model");
    assert_eq!(icr.finds(&["anchor"]), ["a.rs"]);
    let status = icr.json(&["model", "status"]);
    assert!(status["runtime"]["problem"].as_str().unwrap().contains("cannot be loaded"), "{status}");
    assert!(status["model_problem"].as_str().unwrap().contains("no model `all-MiniLM-L6-v2`"), "{status}");
    assert_eq!(status["vectors"][0]["chunks_covered"], 2);
    let printed = icr.prints(&["model", "list"]);
    assert!(printed.contains("! ") && printed.contains("no model `all-MiniLM-L6-v2`"), "{printed}");
}

#[test]
fn another_machine_is_asked_only_by_who_allows_the_network() {
    let (_fixture, icr) = project();
    let remote = icr.with_variable("ICR_EMBEDDING__BACKEND", "remote");
    let said = remote.fails(2, &["search", "anchor"]);
    assert!(said.contains("`embedding.backend` is `remote`, but `network.enabled` is false\nhint: "), "{said}");
    let said = remote
        .with_variable("ICR_NETWORK__ENABLED", "true")
        .fails(2, &["search", "anchor", "--set", "network.api_base_url=nonsense"]);
    assert!(said.contains("`network.api_base_url`: nonsense: this has no `https://` or `http://` in front"), "{said}");
}

#[test]
fn a_mirror_that_lacks_the_files_is_named() {
    let (_fixture, icr) = project();
    let said = icr.fails(2, &["model", "fetch", "--mirror", "nonsense"]);
    assert!(said.contains("`--mirror`: nonsense: this has no `https://` or `http://` in front"), "{said}");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/mirror", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let mut request = [0; 4_096];
        let length = connection.read(&mut request).unwrap();
        connection.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
        String::from_utf8_lossy(&request[..length]).into_owned()
    });
    let said = icr.fails(3, &["model", "fetch", "--mirror", &address]);
    assert!(said.contains("it answered 404 Not Found; is a mirror set that has no such file?"), "{said}");
    assert!(server.join().unwrap().starts_with("GET /mirror/"), "the mirror is asked below its own path");
    let left: Vec<_> = fs::read_dir(icr.home().join("models")).into_iter().flatten().flatten().collect();
    assert!(left.iter().all(|entry| entry.file_name() == "source"), "{left:?}");
}

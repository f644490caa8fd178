//! `icr search --scope transcript` and `all`: what was said to agents in the repository.

use std::fs;
use std::path::Path;

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::run::Icr;

const FILES: &str = "//- src/berth.rs
pub fn assign_berth(ship: &str) -> u32 {
    7
}
";

/// A line of a session that Claude Code keeps.
fn said(id: &str, kind: &str, directory: &Path, text: &str) -> String {
    let line = json!({
        "type": kind, "uuid": id, "sessionId": "s1", "cwd": directory, "timestamp": "2026-11-01T10:00:00.000Z",
        "message": {"role": kind, "content": text},
    });
    format!("{line}\n")
}

/// Writes a session of Claude Code in `directory` to the home of the user.
fn write_session(fixture: &Fixture, directory: &Path, name: &str, text: &str) {
    let project = directory.display().to_string().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let place = fixture.home().join(".claude/projects").join(project);
    fs::create_dir_all(&place).expect("a directory can be made");
    fs::write(place.join(name), text).expect("a file can be written");
}

/// A repository, and a session in it about berths.
fn world() -> (Fixture, Icr) {
    let fixture = Fixture::new(FILES);
    let root = fixture.root();
    let lines = [
        said("1", "user", root, "Why does assign_berth answer seven?"),
        said("2", "assistant", root, "It is a stub.\n\nThe password=hunter2 of the harbour is not needed for it."),
    ];
    write_session(&fixture, root, "s1.jsonl", &lines.concat());
    let icr = Icr::new(&fixture);
    (fixture, icr)
}

fn search(icr: &Icr, args: &[&str]) -> Value {
    icr.json(&[&["search"], args].concat())
}

#[test]
fn what_was_said_is_found_with_its_place_speaker_and_time() {
    let (_fixture, icr) = world();
    let found = search(&icr, &["--scope", "transcript", "assign_berth seven"]);
    assert_eq!(found["provenance"]["gaps"], json!([]));
    assert_eq!(found["strength"], "strong");
    let hit = json!({
        "id": "s1:1", "path": "claude-code/s1.jsonl", "symbol": null, "start_line": 1, "end_line": 1, "score": 1.0,
        "match_type": "transcript", "preview": "Why does assign_berth answer seven?", "language": "text",
        "spans": [{"symbol": null, "start_line": 1, "end_line": 1, "score": 1.0}], "explanation": [],
        "speaker": "user", "said_at": "2026-11-01T10:00:00Z",
    });
    assert_eq!(found["results"], json!([hit]));
    let shown = icr.run(&["search", "--scope", "transcript", "stub"]);
    assert_eq!(
        shown.stdout,
        "claude-code/s1.jsonl:2-2  1.000\n    assistant, 2026-11-01T10:00:00Z\n    It is a stub.\n    \
         The password=[masked] of the harbour is not needed for it.\n"
    );
}

#[test]
fn a_masked_secret_cannot_be_searched_for() {
    let (_fixture, icr) = world();
    assert_eq!(search(&icr, &["--scope", "transcript", "hunter2"])["results"], json!([]));
}

#[test]
fn all_scopes_label_their_hits() {
    let (fixture, icr) = world();
    fixture.write("//- src/berth.rs\npub fn assign_berth(ship: &str) -> u32 {\n    8\n}\n");
    let found = search(&icr, &["--scope", "all", "assign_berth"]);
    let scopes: Vec<_> = found["results"].as_array().expect("a list").iter().map(|hit| &hit["scope"]).collect();
    assert_eq!(scopes[..3], ["repo", "diffs", "transcript"]);
    assert!(
        icr.run(&["search", "--scope", "all", "assign_berth"]).stdout.contains("s1.jsonl:1-1  1.000  transcript\n")
    );
    let of_repo = search(&icr, &["assign_berth"]);
    assert!(of_repo["results"][0].get("scope").is_none(), "{of_repo}");
}

#[test]
fn linked_worktrees_share_what_was_said_and_other_repositories_do_not() {
    let (fixture, icr) = world();
    let linked = fixture.worktree("linked", "HEAD");
    let clone = fixture.clone_to("clone", &[]);
    write_session(&fixture, &linked, "s2.jsonl", &said("3", "user", &linked, "berth in the linked worktree"));
    write_session(&fixture, &clone, "s3.jsonl", &said("4", "user", &clone, "berth in a clone"));
    let files = |icr: &Icr| {
        let found = search(icr, &["--scope", "transcript", "berth"]);
        let hits = found["results"].as_array().expect("a list").clone();
        let mut paths: Vec<String> = hits.iter().map(|hit| hit["path"].as_str().expect("a path").to_owned()).collect();
        paths.sort();
        paths
    };
    let both = ["claude-code/s1.jsonl", "claude-code/s2.jsonl"];
    assert_eq!([files(&icr), files(&icr.standing_in(&linked))], [both, both]);
    assert_eq!(files(&icr.standing_in(&clone)), ["claude-code/s3.jsonl"]);
}

#[test]
fn a_git_directory_cannot_claim_a_foreign_worktree() {
    let (fixture, icr) = world();
    let other = Fixture::new("//- a\n");
    let claimed = fixture.root().join(".git/worktrees/claimed");
    fs::create_dir_all(&claimed).expect("a directory can be made");
    fs::write(claimed.join("gitdir"), format!("{}\n", other.root().join(".git").display())).expect("a file");
    fs::write(claimed.join("commondir"), "../..\n").expect("a file");
    fs::write(claimed.join("HEAD"), "ref: refs/heads/main\n").expect("a file");
    write_session(&fixture, other.root(), "s2.jsonl", &said("3", "user", other.root(), "foreign harbour"));
    assert_eq!(search(&icr, &["--scope", "transcript", "foreign"])["results"], json!([]));
}

#[test]
fn only_the_user_switches_transcripts_on_and_off() {
    let (fixture, icr) = world();
    let off = ["--set", "transcripts.enabled=false", "--scope", "transcript", "berth"];
    let found = search(&icr, &off);
    assert_eq!((&found["results"], &found["provenance"]["gaps"]), (&json!([]), &json!([{"gap": "transcripts_off"}])));
    let said = icr.run(&[&["search"], &off[..]].concat()).stderr;
    assert!(
        said.contains("transcripts are not searched: `transcripts.enabled` is false in your configuration"),
        "{said}"
    );
    fs::create_dir_all(icr.home()).expect("a directory can be made");
    fs::write(icr.home().join("config.toml"), "[transcripts]\nenabled = false\n").expect("a file can be written");
    fixture.write("//- .icr.toml\n[transcripts]\nenabled = true\n");
    let found = search(&icr, &["--scope", "transcript", "berth"]);
    assert_eq!(found["provenance"]["gaps"], json!([{"gap": "transcripts_off"}]));
    fs::write(icr.home().join("config.toml"), "").expect("a file can be written");
    fixture.write("//- .icr.toml\n[transcripts]\nenabled = false\n");
    assert_ne!(search(&icr, &["--scope", "transcript", "berth"])["results"], json!([]));
}

#[test]
fn what_is_not_read_is_a_gap() {
    let (fixture, icr) = world();
    write_session(&fixture, fixture.root(), "s2.jsonl", "{\"type\":\"user\"}\nnot JSON\n");
    write_session(&fixture, fixture.root(), "s3.jsonl", &(said("9", "user", fixture.root(), "berth") + "half\n{\"ty"));
    let found = search(&icr, &["--scope", "transcript", "berth"]);
    assert_eq!(found["provenance"]["gaps"], json!([{"gap": "unknown_records", "records": 1}]));
    assert_eq!(found["total_count"], 2);
}

#[test]
fn nothing_is_written_and_nothing_is_kept() {
    let (fixture, icr) = world();
    search(&icr, &["--scope", "transcript", "berth"]);
    let session = fixture.home().join(".claude");
    fs::remove_dir_all(session).expect("it is there");
    let found = search(&icr, &["--scope", "transcript", "berth"]);
    assert_eq!((&found["results"], &found["provenance"]["gaps"]), (&json!([]), &json!([{"gap": "no_transcripts"}])));
}

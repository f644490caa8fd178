//! The verbs of agents' `/ic` at a terminal: ledger, compact, sync, clear.

use std::fs;
use std::path::PathBuf;

use icr_fixture::Fixture;
use regex::Regex;
use serde_json::json;

use crate::run::Icr;

const FILES: &str = "\
//- src/tide.rs
pub fn tide(hour: u32) -> u32 {
    hour % 12
}
//- src/harbour.rs
pub fn moor(ship: &str) -> bool {
    !ship.is_empty()
}
";

const ANSWER: &str = "\
Done.

Ledger:
- Decisions: [retry three times, then give up]
- Invariants: ids are never reused
- Todos: [write the migration]
- Open Questions: [does the cache survive a restart?]
- Files touched: [src/tide.rs]
";

/// Calls a hook as a host does.
#[track_caller]
fn hook(icr: &Icr, fixture: &Fixture, event: &str, mut payload: serde_json::Value) {
    payload["session_id"] = json!("s1");
    payload["cwd"] = json!(fixture.root());
    payload["hook_event_name"] = json!(event);
    let ran = icr.reads(payload.to_string().as_bytes(), &["hook", event]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

/// A repository in which a session changed a file and stated a ledger.
fn after_a_turn() -> (Fixture, Icr) {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    icr.prints(&["index", "--quiet"]);
    hook(&icr, &fixture, "PostToolUse", json!({"tool_name": "Edit", "tool_input": {"file_path": "src/tide.rs"}}));
    hook(&icr, &fixture, "Stop", json!({"last_assistant_message": ANSWER}));
    (fixture, icr)
}

/// Records of sessions.
fn records(icr: &Icr) -> Vec<PathBuf> {
    let store = icr.store();
    let sessions = store.parent().expect("a store lies in the directory of its repository").join("sessions");
    let files = fs::read_dir(sessions).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")).collect()
}

/// How often sessions were recorded as compacted.
fn compactions(icr: &Icr) -> usize {
    let text: String = records(icr).iter().map(|path| fs::read_to_string(path).expect("it is there")).collect();
    text.matches(r#""event":"compacted""#).count()
}

/// `text` without ids and the name of the fixture's directory.
fn plain(text: &str, fixture: &Fixture) -> String {
    let name = fixture.root().file_name().expect("it has a name").to_string_lossy().into_owned();
    let id = Regex::new("[0-9A-HJKMNP-TV-Z]{26}").expect("the pattern is a constant");
    id.replace_all(text, "[id]").replace(&name, "[name]")
}

#[test]
fn what_answers_stated_is_listed_by_kind() {
    let (fixture, icr) = after_a_turn();
    let shown = |args: &[&str]| plain(&icr.prints(args), &fixture);
    insta::assert_snapshot!(shown(&["ledger", "--type", "invariant"]), @r"
    ledger-[name]  high, just now  [id]
      ids are never reused
      keywords: invariant
    ");
    let summaries = |args: &[&str]| {
        let list = icr.json(args);
        let items = list["memories"].as_array().expect("a list of memories").clone();
        let mut said: Vec<String> = items.iter().map(|item| item["summary"].to_string()).collect();
        said.sort();
        (said.join(" "), list["total_count"].as_u64())
    };
    let (decisions, _) = summaries(&["ledger", "--type", "decision"]);
    assert_eq!(decisions, r#""retry three times, then give up""#);
    assert_eq!(summaries(&["ledger", "--type", "todo"]), (r#""write the migration""#.to_owned(), Some(1)));
    let (question, _) = summaries(&["ledger", "--type", "question"]);
    assert_eq!(question, r#""does the cache survive a restart?""#);
    assert_eq!(summaries(&["ledger"]).1, Some(4));
    let newest = icr.run(&["ledger", "--last", "1"]);
    assert_eq!((newest.code, newest.stderr.as_str()), (0, "note: 1 of 4 entries; `--last` shows more\n"));
    let none = icr.run(&["ledger", "--type", "fact"]);
    assert_eq!((none.code, none.stdout.as_str()), (1, ""));
    assert_eq!(plain(&none.stderr, &fixture), "note: the ledger of `[name]` has entries, and none is a fact\n");
}

#[test]
fn a_ledger_that_is_empty_says_how_it_comes_about() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    icr.prints(&["store", "-t", "other", "-c", "A decision that no answer stated."]);
    let none = icr.run(&["ledger"]);
    assert_eq!((none.code, none.stdout.as_str()), (1, ""));
    assert_eq!(
        plain(&none.stderr, &fixture),
        "note: the ledger of `[name]` is empty: agents fill it, by a block `Ledger:` or lines like `DECISION: ...` in their answers, where \
         the hooks of icr are set up (`icr init`)\n"
    );
    assert_eq!(icr.run(&["--quiet", "ledger"]).stderr, "");
    assert_eq!(icr.json(&["ledger"])["memories"], json!([]));
    for args in [&["ledger", "--type", "file"][..], &["ledger", "--type", "Todo"], &["ledger", "--last", "0"]] {
        let said = icr.fails(2, args);
        assert!(said.contains("invalid value"), "{said}");
    }
}

#[test]
fn what_survives_a_compaction_is_printed_and_the_compaction_recorded_unless_it_is_tried() {
    let (fixture, icr) = after_a_turn();
    icr.prints(&["pin", "src/tide.rs", "--label", "the tide"]);
    icr.prints(&["pin", "src/harbour.rs", "--priority", "9"]);
    let tried = icr.run(&["compact", "--dry-run"]);
    assert_eq!((tried.code, tried.stderr.as_str(), compactions(&icr)), (0, "", 0));
    insta::assert_snapshot!(tried.stdout, @r"
    Keep through the summary, as recorded by icr:
    Pinned files: src/harbour.rs, src/tide.rs (the tide)
    Invariants: ids are never reused
    To do: write the migration
    Decided: retry three times, then give up
    Open questions: does the cache survive a restart?
    Files changed: src/tide.rs
    ");
    let refused = icr.fails(2, &["compact", "--read-only"]);
    assert!(
        refused.starts_with("error: `icr compact` records a compaction, which `--read-only` forbids\n"),
        "{refused}"
    );
    let done = icr.run(&["compact"]);
    assert_eq!((done.code, &done.stdout, compactions(&icr)), (0, &tried.stdout, 1));
    assert_eq!(plain(&done.stderr, &fixture), "note: [name]: the conversation counts as compacted from here on\n");
    let kept = icr.json(&["compact", "--dry-run"]);
    assert_eq!(kept["note"].as_str(), Some(tried.stdout.as_str()));
    assert_eq!(kept["pins"][0], json!({"path": "src/harbour.rs", "label": null, "priority": 9}));
    assert_eq!(kept["invariants"], json!(["ids are never reused"]));
    assert_eq!((&kept["recorded"], &kept["has_session"]), (&json!(false), &json!(true)));
}

#[test]
fn without_a_session_there_is_nothing_to_compact() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let nothing = icr.run(&["compact"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (1, ""));
    assert_eq!(
        plain(&nothing.stderr, &fixture),
        "note: [name]: no session is recorded and nothing is pinned; hooks record sessions where they are set up (`icr init`)\n"
    );
    icr.prints(&["pin", "src/tide.rs"]);
    let pinned = icr.run(&["compact"]);
    assert_eq!(pinned.stdout, "Keep through the summary, as recorded by icr:\nPinned files: src/tide.rs\n");
    assert_eq!((pinned.code, records(&icr).len()), (0, 0), "{}", pinned.stderr);
}

#[test]
fn clearing_forgets_sessions_and_leaves_memories_and_pins() {
    let (fixture, icr) = after_a_turn();
    icr.prints(&["pin", "src/tide.rs"]);
    let record = records(&icr).pop().expect("a session is recorded");
    fs::write(record.with_file_name("prior.json"), r#"{"helped":1.0,"ignored":2.0}"#).expect("it can be written");
    let shown = |args: &[&str]| plain(&icr.prints(args), &fixture);
    let stays = "memories and pins stay; `icr unpin ID` forgets a pin\n`icr forget --topic 'ledger-[name]'` forgets what ledgers stated\n";
    let tried = shown(&["clear", "--dry-run"]);
    assert_eq!(tried, format!("would forget 1 session, and how often context helped\n{stays}"));
    assert!(icr.fails(2, &["clear", "--read-only"]).contains("hint: `--dry-run` says"));
    assert_eq!(records(&icr).len(), 1);
    assert_eq!(shown(&["clear"]), format!("forgot 1 session, and how often context helped\n{stays}"));
    assert!(records(&icr).is_empty() && !record.with_file_name("prior.json").exists());
    assert_eq!(shown(&["clear"]), format!("nothing is recorded of sessions here\n{stays}"));
    assert_eq!(icr.json(&["clear"]), json!({"sessions": 0, "prior": false, "dry_run": false}));
    assert_eq!(icr.json(&["ledger"])["total_count"], 4);
    assert_eq!(icr.json(&["pins"])["total_count"], 1);
}

#[test]
fn syncing_is_indexing() {
    let (fixture, other) = (Fixture::new(FILES), Fixture::new("//- src/buoy.rs\nfn buoy() {}\n"));
    let icr = Icr::new(&fixture);
    let text = |args: &[&str]| icr.filtered(&icr.prints(args));
    assert_eq!(icr.json(&["sync"])["parsed"], 2);
    assert_eq!(text(&["sync"]), text(&["index"]));
    assert_eq!(icr.json(&["sync"])["parsed"], 0);
    assert_eq!(icr.json(&["sync", "--full"])["parsed"], 2);
    let path = other.root().display().to_string();
    assert_eq!(icr.json(&["sync", "--path", &path])["parsed"], 1);
    let both = icr.fails(2, &["--repo", ".", "sync", "--path", &path]);
    assert_eq!(both, "error: `--path` and `--repo` both name the repository\nhint: leave out one of them\n");
    icr.fails(3, &["sync", "--path", "/nowhere/at/all"]);
    let refused = icr.fails(2, &["sync", "--read-only"]);
    assert!(refused.starts_with("error: `icr sync` writes the store, which `--read-only` forbids\n"), "{refused}");
}

#[test]
fn outside_of_a_repository_there_is_nothing_to_ask() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture).standing_in(fixture.home());
    for verb in ["ledger", "compact", "sync", "clear"] {
        icr.fails(3, &[verb]);
    }
}

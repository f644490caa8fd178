//! Memories as they are stored, recalled and tidied at a terminal.

use icr_fixture::Fixture;
use regex::Regex;

use crate::run::Icr;

const FILES: &str = "\
//- src/queue.rs
/// Takes the next job.
pub fn next_job(queue: &mut Vec<u32>) -> Option<u32> {
    queue.pop()
}
//- src/main.rs
fn main() {}
";

/// `text` with ids replaced.
fn without_ids(text: &str) -> String {
    Regex::new("[0-9A-HJKMNP-TV-Z]{26}").expect("the pattern is a constant").replace_all(text, "[id]").into_owned()
}

/// The first id in `text`.
fn id_in(text: &str) -> String {
    let id = Regex::new("[0-9A-HJKMNP-TV-Z]{26}").expect("the pattern is a constant");
    id.find(text).expect("there is an id").as_str().to_owned()
}

fn prints(icr: &Icr, lines: &[&[&str]]) -> String {
    lines.iter().map(|args| without_ids(&icr.prints(args))).collect()
}

#[test]
fn what_is_stored_is_recalled_changed_forgotten_and_brought_back() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let content = "Jobs are taken from the end of the queue, because the newest upload matters most.";
    let stored = icr.prints(&["store", "-t", "queue", "-c", content, "-i", "high", "-k", "order,lifo"]);
    let id = id_in(&stored);
    assert_eq!(without_ids(&stored), "Stored: [id]\n");
    insta::assert_snapshot!(prints(&icr, &[&["recall", "why are new jobs taken first?"]]), @r"
    Perhaps:
    queue  high, just now  [id]
      Jobs are taken from the end of the queue, because the newest upload matters
      most.
      keywords: order, lifo
    ");
    let again = icr.prints(&["store", "-t", "queue", "-c", content]);
    assert_eq!(without_ids(&again), "Stored: [id] (the same text was there already)\n");
    icr.prints(&["update", &id, "-c", "Jobs are taken in the order of their upload."]);
    assert!(icr.prints(&["memory", "show", &id]).contains("update"), "the history says what was done");
    assert_eq!(icr.prints(&["forget", &id]), format!("Deleted: {id}\n"));
    let nothing = icr.run(&["recall", "jobs"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (1, ""));
    assert_eq!(nothing.stderr, "note: nothing is remembered about this\n");
    icr.prints(&["undo"]);
    assert!(icr.prints(&["recall", "jobs"]).contains("in the order of their upload"));
    icr.prints(&["undo", "2"]);
    assert!(icr.prints(&["recall", "jobs"]).contains("newest upload"), "an earlier operation is undone by its number");
    let log = icr.json(&["memory", "log"]);
    let kinds: Vec<_> = log["operations"].as_array().expect("a list").iter().map(|one| one["kind"].clone()).collect();
    assert_eq!(kinds, ["undo", "undo", "forget", "update", "store"]);
}

#[test]
fn the_list_of_all_has_the_pins_too() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    icr.prints(&["store", "-t", "queue", "-c", "The queue is bounded to 64 jobs."]);
    icr.prints(&["pin", "src/queue.rs", "--id", "jobs"]);
    assert!(!icr.prints(&["list"]).contains("Pins:"));
    let all = icr.prints(&["memory", "list", "--all"]);
    assert!(all.contains("bounded to 64 jobs.\n\nPins:\njobs  src/queue.rs  "), "{all}");
    let all = icr.json(&["memory", "list", "--all"]);
    assert_eq!((&all["total_count"], &all["pins"][0]["id"]), (&1.into(), &"jobs".into()));
}

#[test]
fn an_import_that_only_says_what_it_would_do_makes_nothing() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    icr.prints(&["store", "-t", "queue", "-c", "The queue is bounded to 64 jobs."]);
    let export = fixture.home().join("export.jsonl");
    std::fs::write(&export, icr.prints(&["export"])).expect("it can be written");
    let database = icr.home().join("memory.db");
    std::fs::remove_file(&database).expect("it is there");
    let said = icr.prints(&["import", export.to_str().expect("its name is UTF-8"), "--dry-run"]);
    assert_eq!(said, "Would import memories: 1 added\n");
    assert!(!database.exists());
}

#[test]
fn memories_need_no_index_and_no_repository_and_keep_to_their_project() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let outside = icr.standing_in(fixture.home());
    outside.prints(&["store", "-t", "preferences", "-c", "Answers are short and in English."]);
    icr.prints(&["store", "-t", "queue", "-c", "The queue is bounded to 64 jobs."]);
    assert!(!icr.home().join("repos").exists(), "nothing was indexed");
    assert!(
        icr.prints(&["recall", "short answers"]).contains("in English"),
        "what belongs to no project is known in each"
    );
    assert_eq!(outside.run(&["recall", "bounded queue"]).code, 1);
    assert!(outside.prints(&["recall", "bounded queue", "--all-projects"]).contains("64 jobs"));
    assert_eq!(outside.prints(&["topics"]), "preferences       1\n");
}

#[test]
fn a_memory_about_code_says_when_that_has_changed() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    icr.prints(&["index", "--quiet"]);
    icr.prints(&["store", "-t", "queue", "-c", "`next_job` takes the newest job; do not make it fair."]);
    let recalled = icr.prints(&["recall", "is next_job fair?"]);
    assert!(recalled.contains("about src/queue.rs next_job\n"), "{recalled}");
    std::fs::write(
        fixture.root().join("src/queue.rs"),
        "pub fn next_job(queue: &mut Vec<u32>) -> u32 {\n    queue.remove(0)\n}\n",
    )
    .expect("the file can be written");
    let recalled = icr.prints(&["recall", "is next_job fair?"]);
    assert!(recalled.contains("about src/queue.rs next_job  changed since, now src/queue.rs:1"), "{recalled}");
    let refused = icr.run(&["store", "-t", "queue", "-c", "x", "--symbol", "next_jab"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("next_job"), "{}", refused.stderr);
}

#[test]
fn an_export_is_imported_in_a_new_home_and_gives_the_same_bytes() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    for content in ["The first fact.", "Quite another fact, in two\nlines.", "数据库 is the third 🎉."] {
        icr.prints(&["store", "-t", "facts", "-c", content]);
    }
    icr.prints(&["memoir", "create", "-n", "design", "-d", "What holds"]);
    icr.prints(&["memoir", "add-concept", "-m", "design", "-n", "queue", "-d", "Where jobs wait", "-l", "domain:jobs"]);
    icr.prints(&["memoir", "add-concept", "-m", "design", "-n", "worker", "-d", "Takes jobs"]);
    icr.prints(&["memoir", "link", "-m", "design", "--from", "worker", "--to", "queue", "-r", "depends-on"]);
    let file = fixture.home().join("memories.jsonl");
    let path = file.to_str().expect("the path is text");
    icr.prints(&["export", path]);
    let other = icr.with_home(fixture.home().join("other-home"));
    insta::assert_snapshot!(other.prints(&["import", path]), @r"
    Imported memories: 3 added
    Imported memoirs: 1 added
    Imported concepts: 2 added
    Imported links: 1 added
    ");
    assert_eq!(other.prints(&["export"]), std::fs::read_to_string(&file).expect("it was just written"));
    assert_eq!(
        without_ids(&other.prints(&["memoir", "inspect", "-m", "design", "worker"])),
        "worker [r1 c0.50]\n  Takes jobs\n  worker --depends_on--> queue\nqueue [r1 c0.50] (domain:jobs)\n  Where jobs wait\n"
    );
    std::fs::write(&file, "{\"record\":\"nothing\"}\n").expect("the file can be written");
    assert_eq!(other.run(&["import", path]).code, 2);
}

#[test]
fn topics_are_consolidated_pruned_and_told_about() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    for at in 0..8 {
        let content = format!("Station {at} reports every {} minutes.", at + 2);
        let stored = icr.prints(&["store", "-t", "stations", "-c", &content]);
        assert_eq!(stored.contains("`icr consolidate -t stations`"), at == 7, "{stored}");
    }
    assert!(icr.prints(&["health"]).contains("consolidate"));
    assert_eq!(
        without_ids(&icr.prints(&["consolidate", "-t", "stations", "-s", "Stations report every few minutes."])),
        "Consolidated 8 memories from 'stations' into [id] (originals archived).\n"
    );
    assert_eq!(icr.json(&["list", "--all"])["total_count"], 1);
    assert_eq!(icr.json(&["list", "--all", "--archived"])["total_count"], 9);
    assert_eq!(icr.prints(&["prune", "--dry-run", "-t", "0.1"]), "Would prune 0 memories (threshold=0.1).\n");
    assert_eq!(icr.json(&["stats"])["memories"], 1);
}

#[test]
fn facts_are_taken_out_of_texts_and_put_in_front_of_prompts() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let text = b"We decided to keep uploads in PostgreSQL, because the audit needs transactions. Nice weather today.\n";
    let extracted = icr.reads(text, &["extract", "-p", "shop"]);
    assert_eq!(extracted.stdout, "Extracted and stored 1 fact.\n", "{}", extracted.stderr);
    let context = icr.prints(&["recall-context", "where are uploads kept?"]);
    assert!(context.starts_with("<icr-memory>") && context.trim_end().ends_with("</icr-memory>"), "{context}");
    assert!(context.contains("[context-shop] We decided to keep uploads in PostgreSQL"), "{context}");
    let again = icr.reads(context.as_bytes(), &["extract", "-p", "shop"]);
    assert_eq!(again.stdout, "Extracted and stored 0 facts.\n", "what was recalled is not learned again");
}

#[test]
fn what_cannot_be_kept_or_written_is_refused_with_a_reason() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    for (args, message) in [
        (&["store", "-t", " ", "-c", "a"] as &[&str], "error: `topic` is empty\n"),
        (&["store", "-t", "a", "-c", " "], "error: `content` is empty\n"),
        (&["recall", " "], "error: `query` is empty\n"),
        (&["forget", "01ARYZ6S410000000000000000"], "error: there is no memory `01ARYZ6S410000000000000000`\n"),
        (&["consolidate", "-t", "nothing"], "error: there is no topic `nothing`\n"),
        (&["undo"], "error: there is no operation `that could be undone`\n"),
        (&["memoir", "show", "nothing"], "error: there is no memoir `nothing`\n"),
    ] {
        let ran = icr.run(args);
        assert!(ran.stderr.starts_with(message) && ran.code != 0, "{args:?}: {} {}", ran.code, ran.stderr);
    }
    icr.prints(&["store", "-t", "a", "-c", "kept"]);
    let refused = icr.run(&["store", "-t", "a", "-c", "more", "--read-only"]);
    assert!(refused.code != 0 && refused.stderr.contains("cannot be written"), "{}", refused.stderr);
    assert!(icr.prints(&["recall", "kept", "--read-only"]).contains("kept"));
    let elsewhere = fixture.home().join("elsewhere.db");
    let elsewhere = elsewhere.to_str().expect("the path is text");
    assert_eq!(icr.run(&["recall", "kept", "--db", elsewhere]).code, 1, "another database has its own memories");
    let pipe = icr.with_variable("ICM_DB", elsewhere);
    pipe.prints(&["store", "-t", "b", "-c", "from the environment"]);
    assert!(icr.prints(&["recall", "environment", "--db", elsewhere]).contains("from the environment"));
}

#[test]
fn every_memory_whose_id_was_printed_is_there_whoever_was_killed() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let script = "i=0; while [ $i -lt 400 ]; do \"$0\" store -t kills -c \"Writer $$ says number $i\" || exit 9; i=$((i+1)); done";
    let children: Vec<_> = (0..3)
        .map(|_| {
            let mut command = icr.isolated_shell(script);
            command.stdout(std::process::Stdio::piped()).spawn().expect("a shell starts")
        })
        .collect();
    // Until each has stored some.
    while icr.json(&["list"])["total_count"].as_u64() < Some(12) {}
    let mut ids = Vec::new();
    for mut child in children {
        child.kill().expect("it can be killed");
        let output = child.wait_with_output().expect("it ended");
        let text = String::from_utf8(output.stdout).expect("ids are text");
        ids.extend(text.lines().filter_map(|line| line.strip_prefix("Stored: ")).map(|id| id[..26].to_owned()));
    }
    let listed = icr.json(&["list", "--all"]);
    let kept: Vec<&str> =
        listed["memories"].as_array().expect("a list").iter().filter_map(|memory| memory["id"].as_str()).collect();
    assert!(ids.len() >= 9, "{}", ids.len());
    assert!(ids.iter().all(|id| kept.contains(&id.as_str())), "a memory is lost");
}

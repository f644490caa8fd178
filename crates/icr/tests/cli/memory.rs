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
    let for_a_week = icr.prints(&["store", "-t", "queue", "-c", content, "--ttl", "7d"]);
    assert_eq!(without_ids(&for_a_week), "Stored: [id] (the same text was there already, valid for ever)\n");
    for (arguments, refused) in [
        (&["store", "-t", "queue", "-c", content, "--ttl", "-5d"][..], "`--ttl` is `-5d`"),
        (&["prune", "-t", "-1"], "`threshold` is -1"),
        (&["decay", "-f", "-0.1"], "`factor` is -0.1"),
    ] {
        assert!(icr.fails(2, arguments).starts_with(&format!("error: {refused}")), "{arguments:?}");
    }
    icr.prints(&["update", &id, "-c", "Jobs are taken in the order of their upload."]);
    let shown = icr.prints(&["memory", "show", &id]);
    let before = "  before update (operation 2, just now): Jobs are taken from the end of the\n  queue, because";
    assert!(shown.contains(before) && shown.contains("  store (operation 1, just now)\n"), "{shown}");
    assert!(shown.contains("recalled 3 times"), "{shown}");
    assert_eq!(icr.prints(&["forget", &id]), format!("Deleted: {id}\n"));
    let nothing = icr.run(&["recall", "jobs"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (1, ""));
    assert_eq!(nothing.stderr, "note: nothing is remembered about this\n");
    let undone = icr.prints(&["undo"]);
    assert_eq!(
        undone,
        "Undone: forget of [queue] Jobs are taken in the order of their upload. (operation 3; `icr undo 4` does it again)\n"
    );
    let log = icr.prints(&["memory", "log", "-n", "1"]);
    assert!(log.ends_with("just now\n       [queue] Jobs are taken in the order of their upload.\n"), "{log}");
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
    let about = "  about src/queue.rs next_job  changed since, now src/queue.rs:1 pub fn\n  next_job(";
    assert!(recalled.contains(about), "{recalled}");
    let id = id_in(&recalled);
    for listing in [&["list"] as &[&str], &["memory", "show", &id]] {
        assert!(icr.prints(listing).contains("next_job  changed since"), "{listing:?}");
    }
    let coloured = icr.prints(&["list", "--color", "always"]);
    assert!(coloured.contains("next_job  \x1b[0m\x1b[1;33mchanged since\x1b[0m\x1b[2m, now"), "{coloured:?}");
    let refused = icr.run(&["store", "-t", "queue", "-c", "x", "--symbol", "next_jab"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("next_job"), "{}", refused.stderr);
    std::fs::remove_file(fixture.root().join("src/queue.rs")).expect("it was there");
    assert!(icr.prints(&["list"]).contains("about src/queue.rs next_job  not in this view\n"));
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
        "worker  revision 1, confidence 0.50\n  Takes jobs\n\nLinks:\n  worker --depends_on--> queue\n\nConcepts around it:\n\
         queue  revision 1, confidence 0.50  domain:jobs\n  Where jobs wait\n"
    );
    let link = ["memoir", "link", "-m", "design", "--from", "worker", "--to", "queue", "-r", "dependsOn"];
    assert!(other.prints(&link).starts_with("Linked already: worker --depends_on--> queue ("));
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
    assert!(again.stderr.contains("no sentence states a decision"), "{}", again.stderr);
    let twice = icr.reads(text, &["extract", "-p", "shop"]);
    assert_eq!(twice.stdout, "Extracted 1 fact: 1 there already.\n");
    assert_eq!(icr.reads(b"Hello.", &["extract", "--dry-run"]).stdout, "Would extract 0 facts.\n");
    assert_eq!(
        icr.prints(&["memoir", "distill", "--from-topic", "context-shop", "--into", "m", "--dry-run"])
            .split(':')
            .next(),
        Some("  Would create")
    );
}

#[test]
fn what_cannot_be_kept_or_written_is_refused_with_a_reason() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    for (args, message) in [
        (&["store", "-t", " ", "-c", "a"] as &[&str], "error: `topic` is empty\n"),
        (&["store", "-t", "a", "-c", " "], "error: `content` is empty\n"),
        (&["recall", " "], "error: `query` is empty\n"),
        (
            &["forget", "01ARYZ6S410000000000000000"],
            "error: there is no memory `01ARYZ6S410000000000000000`\nhint: `icr list",
        ),
        (&["forget"], "error: no memory is named\nhint: name one by its id, or all of a topic by `-t TOPIC`"),
        (&["update", "01ARYZ6S410000000000000000"], "error: nothing to change is named\nhint: give `--content`, "),
        (&["embed", "-t", "nothing"], "error: there is no topic `nothing`\n"),
        (&["import", "not-there.jsonl"], "error: `not-there.jsonl` cannot be read: "),
        (&["consolidate", "-t", "nothing"], "error: there is no topic `nothing`\n"),
        (&["undo"], "error: there is no"),
        (&["memoir", "show", "nothing"], "error: there is no memoir `nothing`\n"),
    ] {
        let ran = icr.run(args);
        assert!(ran.stderr.starts_with(message) && ran.code != 0, "{args:?}: {} {}", ran.code, ran.stderr);
    }
    icr.prints(&["store", "-t", "a", "-c", "kept"]);
    let refused = icr.run(&["store", "-t", "a", "-c", "more", "--read-only"]);
    assert!(refused.code != 0 && refused.stderr.contains("`--read-only` forbids"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("ICR_HOME"), "{}", refused.stderr);
    assert!(icr.prints(&["recall", "kept", "--read-only"]).contains("kept"));
    let elsewhere = fixture.home().join("elsewhere.db");
    let elsewhere = elsewhere.to_str().expect("the path is text");
    assert_eq!(icr.run(&["recall", "kept", "--db", elsewhere]).code, 1, "another database has its own memories");
    let pipe = icr.with_variable("ICM_DB", elsewhere);
    pipe.prints(&["store", "-t", "b", "-c", "from the environment"]);
    assert!(icr.prints(&["recall", "environment", "--db", elsewhere]).contains("from the environment"));
}

#[test]
fn what_is_far_below_the_best_answers_nothing() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    icr.prints(&["index", "--quiet"]);
    icr.prints(&["store", "-t", "queue", "-c", "`next_job` takes the newest job of the upload queue."]);
    icr.prints(&[
        "store",
        "-t",
        "site",
        "-c",
        "The colours of the site are blue and a light grey, as the marketing job wants.",
    ]);
    let question = "which job of the upload queue does next_job take?";
    let all = icr.json(&["recall", question]);
    let scores: Vec<f64> =
        all["memories"].as_array().expect("a list").iter().filter_map(|memory| memory["score"].as_f64()).collect();
    assert!(scores.len() == 2 && scores[1] < scores[0] / 10.0, "JSON is whole, with scores: {scores:?}");
    for command in ["recall", "recall-context"] {
        let told = icr.prints(&[command, question]);
        assert!(told.contains("newest job") && !told.contains("colours"), "{told}");
    }
    std::fs::write(fixture.root().join("src/queue.rs"), "").expect("the file can be written");
    assert!(icr.prints(&["recall", question]).contains("about src/queue.rs next_job  not in this view"));
    let hides = "recall.cross_branch=false";
    let ran = icr.run(&["recall", question, "--set", hides]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "the answer is about code that is gone, and no other answers");
    let expected = "note: what is remembered about this is about code that this branch lacks: 1 memory; \
         `--set recall.cross_branch=true` shows it\n";
    assert_eq!(ran.stderr, expected);
    assert_eq!(icr.run(&["recall-context", question, "--set", hides]).stderr, expected);
}

#[test]
fn the_beginning_of_an_id_names_a_memory() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let store = |text: &str| id_in(&icr.prints(&["store", "-t", "queue", "-c", text]));
    let (first, second) = (store("The queue is bounded."), store("Uploads are retried three times."));
    let common = first.bytes().zip(second.bytes()).take_while(|(one, other)| one == other).count();
    let beginning = &first[..common + 1];
    assert!(icr.prints(&["memory", "show", &beginning.to_lowercase()]).contains("The queue is bounded."));
    assert_eq!(icr.prints(&["update", beginning, "-i", "high"]), format!("Updated: {first}\n"));
    let ambiguous = icr.fails(2, &["forget", &first[..6]]);
    assert!(
        ambiguous.starts_with(&format!("error: the ids of 2 memories begin with `{}`\n", &first[..6])),
        "{ambiguous}"
    );
    assert!(ambiguous.contains(&format!("{second} [queue] Uploads are retried")), "{ambiguous}");
    let short = icr.fails(1, &["forget", &first[..5]]);
    assert!(short.contains("there is no memory") && short.contains("6 or more characters"), "{short}");
    assert_eq!(icr.prints(&["forget", beginning]), format!("Deleted: {first}\n"));
}

#[test]
fn the_weight_of_a_changed_memory_is_that_of_now() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let id = id_in(&icr.prints(&["store", "-t", "queue", "-c", "The queue is bounded."]));
    let export = icr.prints(&["export"]);
    let aged = Regex::new(r#""weight_at":\d+"#)
        .expect("the pattern is a constant")
        .replace(&export, r#""weight_at":1577836800000"#);
    assert_ne!(export, aged);
    let other = icr.with_home(fixture.home().join("other-home"));
    assert_eq!(other.reads(aged.as_bytes(), &["import", "-"]).code, 0);
    let listed = other.json(&["list"])["memories"][0]["weight"].clone();
    assert!(listed.as_f64().is_some_and(|weight| weight < 0.5), "{listed}");
    assert_eq!(other.json(&["update", &id, "-k", "bound"])["weight"], listed);
    assert!(other.prints(&["prune", "--dry-run", "-t", "0.9"]).contains("\n    [queue] The queue is bounded.\n"));
}

#[test]
fn long_topics_wide_letters_and_definitions_keep_to_the_width_of_a_terminal() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let topic = "a topic with a name that goes on and on, longer than anybody would read";
    icr.prints(&["store", "-t", topic, "-c", &"队列有上限".repeat(30), "--ttl", "1ms"]);
    icr.prints(&["store", "-t", topic, "-c", "The queue is bounded."]);
    icr.prints(&["store", "-t", "队列", "-c", "Uploads are retried."]);
    assert_eq!(
        icr.prints(&["topics"]),
        "a topic with a name that goes on and on…       1\n队列                                           1\n"
    );
    assert!(icr.prints(&["health"]).starts_with("a topic with a name that goes on and on…      1  weight 1.00"));
    let name = fixture.root().file_name().expect("it has a name").to_string_lossy().into_owned();
    assert!(icr.prints(&["topics", "--all-projects"]).contains(&format!("  {name}\n")));
    let listed = icr.prints(&["list", "--archived"]);
    assert!(listed.contains("just now, expired"), "{listed}");
    assert!(listed.lines().filter(|line| line.contains('有')).all(|line| line.chars().count() <= 41), "{listed}");
    icr.prints(&["memoir", "create", "-n", "design", "-d", &"what holds and why it holds ".repeat(9)]);
    icr.prints(&[
        "memoir",
        "add-concept",
        "-m",
        "design",
        "-n",
        "queue",
        "-d",
        &"Where jobs wait for long. ".repeat(9),
    ]);
    for shown in [
        &["memoir", "show", "design"] as &[&str],
        &["memoir", "inspect", "-m", "design", "queue"],
        &["memoir", "search", "-m", "design", "jobs"],
        &["memoir", "search-all", "jobs"],
    ] {
        let shown = icr.prints(shown);
        assert!(shown.lines().all(|line| line.len() <= 80), "{shown}");
    }
    let help = icr.prints(&["memoir", "link", "--help"]);
    assert!(help.contains("alternative_to") && help.find("--relation") < help.find("Global options:"), "{help}");
    assert!(help.find("Global options:") < help.find("--db"), "{help}");
}

#[test]
fn an_import_takes_valid_lines_and_names_the_others() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let memory = |id: &str, importance: &str| {
        format!(
            "{{\"record\":\"memory\",\"id\":\"{id}\",\"topic\":\"t\",\"summary\":\"fact of {id}\",\"importance\":\"{importance}\",\
             \"source\":\"manual\",\"author\":\"person\",\"kind\":\"episodic\",\"created_at\":1,\"updated_at\":1}}\n"
        )
    };
    let header = "{\"record\":\"icr-memory\",\"version\":1}\n";
    let export = format!("{header}{}{}{{\n", memory("m1", "high"), memory("m2", "urgent"));
    let strict = icr.reads(export.as_bytes(), &["import", "-", "--strict"]);
    assert_eq!(strict.code, 2, "{}", strict.stderr);
    insta::assert_snapshot!(strict.stderr, @r"
    error: line 3: `importance` is `urgent`; it is one of low, medium, high, critical
    hint: nothing was imported; correct the line, or leave out `--strict` to import all others
    ");
    let ran = icr.reads(export.as_bytes(), &["import", "-"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "Imported memories: 1 added\n"), "{}", ran.stderr);
    insta::assert_snapshot!(ran.stderr, @r"
    note: line 3: `importance` is `urgent`; it is one of low, medium, high, critical
    note: line 4: it is not JSON: EOF while parsing an object at byte 1
    note: 2 invalid records were left out; correct them and import the file again, which changes nothing else
    ");
}

#[test]
fn what_is_left_of_a_database_that_was_cut_short_is_exported() {
    const PAGE_BYTES: u64 = 4096;
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    for number in 0..40 {
        let content = format!("fact number {number}: {}", "what is worth a page ".repeat(40));
        icr.prints(&["store", "-t", &format!("t{number}"), "-c", &content]);
    }
    let whole = icr.prints(&["export"]).lines().count();
    let path = fixture.home().join("cut.db");
    let text = path.to_str().expect("the path is text");
    std::fs::copy(icr.home().join("memory.db"), &path).expect("nobody has it open");
    let file = std::fs::OpenOptions::new().write(true).open(&path).expect("it was just made");
    let bytes = file.metadata().expect("it is there").len();
    file.set_len((bytes / PAGE_BYTES - 8) * PAGE_BYTES).expect("it can be cut");
    drop(file);
    let ran = icr.run(&["export", "--db", text]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("could not be read and are missing from the export"), "{}", ran.stderr);
    let lines = ran.stdout.lines().count();
    assert!(lines > 2 && lines < whole, "{lines} of {whole}");
    let other = icr.with_home(fixture.home().join("other-home"));
    let ran = other.run(&["import", text]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("could not be read and were not imported"), "{}", ran.stderr);
    assert_eq!(other.run(&["import", text, "--strict"]).code, icr.run(&["list", "--db", text]).code);
}

#[test]
fn an_import_of_nothing_says_so() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let nothing = icr.prints(&["export"]);
    let ran = icr.reads(nothing.as_bytes(), &["import", "-"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "nothing to import\n"), "{}", ran.stderr);
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

#[test]
fn an_export_replaces_no_database_and_nothing_but_files() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    icr.prints(&["store", "-t", "queue", "-c", "The queue is bounded to 64 jobs."]);
    let database = icr.home().join("memory.db");
    let before = std::fs::read(&database).expect("it is there");
    let refused = icr.run(&["export", database.to_str().expect("its name is UTF-8")]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("is a database, which the export would replace"), "{}", refused.stderr);
    assert_eq!(std::fs::read(&database).expect("it is there"), before);
    let refused = icr.run(&["export", fixture.home().to_str().expect("its name is UTF-8")]);
    assert!(refused.stderr.contains("is no ordinary file"), "{}", refused.stderr);
    let file = fixture.home().join("memories.jsonl");
    for _ in 0..2 {
        icr.prints(&["export", file.to_str().expect("its name is UTF-8")]);
    }
    assert!(std::fs::read_to_string(&file).expect("it is there").contains("bounded to 64 jobs"));
}

#[test]
fn what_is_stored_in_a_repository_that_cannot_be_read_belongs_to_no_other() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let moved = fixture.home().join("worktree");
    std::fs::create_dir(&moved).expect("it can be made");
    std::fs::write(moved.join(".git"), "gitdir: /nowhere/at/all\n").expect("it can be written");
    let there = icr.standing_in(&moved);
    let refused = there.run(&["store", "-t", "queue", "-c", "The key is under the mat."]);
    assert!(refused.code != 0 && refused.stdout.is_empty(), "{}", refused.stdout);
    assert_eq!(icr.run(&["recall", "key under the mat"]).code, 1);
}

#[test]
fn undo_keeps_to_the_project_and_takes_all_facts_of_a_text_back() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let outside = icr.standing_in(fixture.home());
    let text = "We decided to use Redis for sessions. We decided to use Postgres for orders.";
    assert_eq!(icr.prints(&["extract", "-t", text]), "Extracted and stored 2 facts.\n");
    outside.prints(&["store", "-t", "preferences", "-c", "Answers are short."]);
    outside.prints(&["undo"]);
    icr.prints(&["undo"]);
    assert!(icr.prints(&["stats"]).contains("Memories:   0"), "{}", icr.prints(&["stats"]));
    let nothing = icr.run(&["undo"]);
    assert!(nothing.stderr.contains("there is nothing to undo"), "{}", nothing.stderr);
}

#[test]
fn a_store_without_an_index_says_that_code_is_not_followed() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let store = ["store", "-t", "queue", "-c", "`next_job` takes the newest."];
    assert!(icr.run(&store).stderr.contains("the repository is not indexed"));
    icr.prints(&["index"]);
    assert_eq!(icr.run(&store).stderr, "");
    assert!(icr.prints(&["recall", "next job"]).contains("about src/queue.rs next_job"));
}

#[test]
fn a_name_of_many_definitions_is_not_followed_and_that_is_said() {
    let files: String = (0..4).map(|at| format!("//- src/m{at}.rs\npub fn next_job() {{}}\n")).collect();
    let fixture = Fixture::new(&files);
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    let said = icr.run(&["store", "-t", "queue", "-c", "`next_job` takes the newest."]).stderr;
    assert!(said.contains("`next_job` has 4 definitions here, so that changes of it are not noticed"), "{said}");
    let named = icr.run(&["store", "-t", "queue", "-c", "`next_job` of `src/m1.rs` takes the oldest."]).stderr;
    assert_eq!(named, "");
}

#[test]
fn what_is_of_another_repository_is_shown_and_changed_only_if_the_user_says_so() {
    let (fixture, other) = (Fixture::new(FILES), Fixture::new("//- a.py\ndef moor(): pass\n"));
    let icr = Icr::new(&fixture);
    let there = icr.standing_in(other.root());
    let id = id_in(&icr.prints(&["store", "-t", "queue", "-c", "The queue is bounded to 64 jobs."]));
    for command in [&["forget", &id][..], &["update", &id, "-i", "low"], &["memory", "show", &id]] {
        let said = there.fails(2, command);
        assert!(said.contains("is of another repository") && said.contains("--all-projects"), "{said}");
    }
    assert!(icr.prints(&["recall", "bounded queue"]).contains("64 jobs"));
    assert!(there.prints(&["memory", "show", &id, "--all-projects"]).contains("64 jobs"));
    there.prints(&["forget", &id, "--all-projects"]);
    assert_eq!(icr.run(&["recall", "bounded queue"]).code, 1);
    icr.prints(&["undo"]);
    assert!(icr.prints(&["recall", "bounded queue"]).contains("64 jobs"));
}

#[test]
fn questions_before_the_first_commit_leave_the_id_of_the_repository_to_that_commit() {
    let fixture = Fixture::empty();
    let icr = Icr::new(&fixture);
    let questions =
        [&["recall", "queue"][..], &["recall-context", "queue"], &["list", "--all"], &["topics"], &["stats"]];
    for question in questions.into_iter().chain([&["health"][..], &["memory", "log"], &["memoir", "list"], &["export"]])
    {
        icr.run(question);
        assert!(!fixture.root().join(".git/icr").exists(), "{question:?}");
    }
    fixture.write(FILES);
    fixture.commit("first");
    icr.prints(&["store", "-t", "queue", "-c", "The queue is bounded to 64 jobs."]);
    let clone = fixture.home().join("clone");
    fixture.git(&["clone", "-q", ".", clone.to_str().expect("the path is text")]);
    assert!(icr.standing_in(&clone).prints(&["recall", "bounded queue"]).contains("64 jobs"));
}

#[test]
fn what_is_stored_before_the_first_commit_is_found_after_it() {
    let stores: [&[&str]; 2] = [&["index"], &["pin", "a.py"]];
    for before in stores {
        let fixture = Fixture::empty();
        fixture.write("//- a.py\ndef moor(): pass\n");
        let icr = Icr::new(&fixture);
        icr.prints(before);
        icr.prints(&["store", "-t", "queue", "-c", "The queue is bounded to 64 jobs."]);
        let id = icr.json(&["status"])["provenance"]["repo_id"].clone();
        fixture.commit("first");
        assert_eq!(icr.json(&["status"])["provenance"]["repo_id"], id, "{before:?}");
        assert!(icr.prints(&["recall", "bounded queue"]).contains("64 jobs"), "{before:?}");
        assert_eq!(icr.run(&["pins"]).stdout.contains("a.py"), before.contains(&"pin"), "{before:?}");
    }
}

#[test]
fn a_topic_that_only_another_project_has_is_not_suggested() {
    let (fixture, other) = (Fixture::new(FILES), Fixture::new("//- a.py\ndef moor(): pass\n"));
    let icr = Icr::new(&fixture);
    let there = icr.standing_in(other.root());
    icr.prints(&["store", "-t", "alpha", "-c", "The queue is bounded to 64 jobs."]);
    there.prints(&["store", "-t", "alps", "-c", "Ships are moored at night."]);
    insta::assert_snapshot!(there.fails(1, &["forget", "-t", "alpha"]), @r"
    error: there is no topic `alpha`
    hint: another project has this topic, and this one does not; `icr topics --all-projects` lists those of all
    ");
    insta::assert_snapshot!(there.fails(1, &["forget", "-t", "alph"]), @r"
    error: there is no topic `alph`
    hint: did you mean `alps`?
    hint: `icr topics` lists those of this project
    ");
}

#[test]
fn git_merges_two_exports_as_the_help_says() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    assert!(icr.prints(&["export", "--help"]).contains("FILE merge=union"));
    fixture.write("//- .gitattributes\nmemories.jsonl merge=union\n");
    fixture.commit("attributes");
    let file = fixture.root().join("memories.jsonl");
    let path = file.to_str().expect("the path is text");
    let other = icr.with_home(fixture.home().join("other-home"));
    for (icr, branch, text) in
        [(&icr, "left", "Jobs wait in a queue."), (&other, "right", "Ships are moored at night.")]
    {
        fixture.git(&["checkout", "-q", "-b", branch, "main"]);
        icr.prints(&["store", "-t", "facts", "-c", text]);
        icr.prints(&["export", path]);
        fixture.commit(branch);
    }
    fixture.git(&["merge", "-q", "left"]);
    assert!(icr.prints(&["import", path]).contains("Imported memories: 1 added"));
    assert!(icr.prints(&["recall", "moored ships"]).contains("at night"));
}

#[test]
fn an_undo_after_an_import_takes_back_nothing_else() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    icr.prints(&["store", "-t", "queue", "-c", "The queue is bounded to 64 jobs."]);
    let exported = icr.prints(&["export", "-"]);
    assert_eq!(exported, icr.prints(&["export"]));
    assert!(!fixture.root().join("-").exists());
    icr.prints(&["decay", "-f", "0.5"]);
    icr.prints(&["store", "-t", "keep", "-c", "Penguins are no queue."]);
    let import = icr.reads(exported.as_bytes(), &["import", "-"]);
    assert_eq!(import.stdout, "Imported memories: 1 merged\n");
    let undone = icr.prints(&["undo"]);
    assert!(undone.starts_with("Undone: import") && undone.contains("had changed no text"), "{undone}");
    assert!(icr.prints(&["recall", "penguins"]).contains("no queue"));
}

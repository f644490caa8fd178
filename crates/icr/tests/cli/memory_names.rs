//! The program under the name `icm`, and forms of lists that its users know.

use icr_fixture::Fixture;

use crate::run::{Icr, RunOutput};

const FILES: &str = "//- src/main.rs\nfn main() {}\n";

/// Runs a script in which `icm` is the program.
fn icm(icr: &Icr, script: &str) -> RunOutput {
    icr.shell(&format!("[ -e \"$HOME/icm\" ] || ln -s \"$0\" \"$HOME/icm\"; PATH=\"$HOME:$PATH\"; {script}"))
}

#[test]
fn command_lines_of_icm_are_understood_under_its_name() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let stored =
        icm(&icr, "icm store --topic a --content 'the first of two' --importance high --keywords x,y --raw 'r'");
    assert_eq!(stored.code, 0, "{}", stored.stderr);
    let id = stored.stdout.trim().strip_prefix("Stored: ").expect("the id is printed").to_owned();
    for line in [
        "icm --db other.db --no-embeddings store -t a -c b -i critical -k x",
        "icm store -t a -c 'another thing altogether'",
        "icm recall first -t a -l 5 -k x -p '' -f detail",
        "icm recall first -f json",
        "icm recall first -f toon",
        "icm recall first -f toml",
        "icm --read-only recall 'the first' --limit 1",
        "icm list -t a -s created -f human -l 3",
        "icm list -a -s accessed -f toon",
        "icm list --all --sort weight --format json",
        &format!("icm update {id} -c 'the first of three' -i low -k z"),
        "icm topics",
        "icm stats",
        "icm health -t a",
        "icm health",
        "icm decay -f 0.95",
        "icm decay",
        "icm prune -t 0.1 --dry-run",
        "icm prune",
        "icm embed -t a --force -b 8",
        "icm embed",
        "icm extract -p shop -t 'We decided to use SQLite because it is one file.' --store-raw",
        "echo 'We decided to use SQLite because it is one file.' | icm extract --dry-run",
        "icm recall-context first -l 3",
        "icm consolidate -t a --keep-originals",
        "icm memoir create -n m -d 'what holds'",
        "icm memoir list",
        "icm memoir add-concept -m m -n one -d 'the first' -l 'kind:number,plain'",
        "icm memoir add-concept -m m -n two -d 'the second'",
        "icm memoir refine -m m -n one -d 'the very first'",
        "icm memoir search -m m first -L kind:number -l 3",
        "icm memoir search-all first -l 3",
        "icm memoir link -m m --from one --to two -r depends-on",
        "icm memoir inspect -m m one -D 2",
        "icm memoir export -m m -f dot",
        "icm memoir export m -f ascii",
        "icm memoir show m",
        "icm memoir distill --from-topic a --into m",
        "icm memoir delete m",
        "icm config",
        "icm bench -c 10",
        "icm serve --compact </dev/null",
        "icm --version",
        &format!("icm forget {id}"),
        "icm forget -t a",
    ] {
        let ran = icm(&icr, line);
        assert_eq!(ran.code, 0, "{line}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn commands_of_icm_that_are_not_here_say_what_to_do_instead() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let ran = icm(&icr, "icm wake-up -p shop");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    insta::assert_snapshot!(ran.stderr, @r"
    error: icr has no command `wake-up`
    hint: `icm recall-context QUERY` prints memories for a prompt
    ");
    let ran = icm(&icr, "icm --color never tui");
    assert!(ran.code == 2 && ran.stderr.contains("hint: `icm stats`"), "{}", ran.stderr);
    let ran = icm(&icr, "icm serve --http 127.0.0.1:8080");
    assert!(ran.code == 2 && ran.stderr.contains("standard input and output only"), "{}", ran.stderr);
    let ran = icm(&icr, "icm dashboard --json");
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).expect("errors are JSON where it is asked for");
    assert_eq!(error["error"]["message"], "icr has no command `dashboard`");
}

#[test]
fn hooks_that_icm_left_with_an_agent_keep_nobody_from_working() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    for event in ["pre", "prompt", "start", "post", "compact", "end", "post --project x"] {
        let ran = icm(&icr, &format!("echo '{{\"prompt\":\"x\"}}' | icm hook {event}"));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{event}");
        let is_answered = event == "start";
        assert_eq!(ran.stdout.contains("hookSpecificOutput"), is_answered, "{event}: {}", ran.stdout);
    }
}

#[test]
fn memories_are_written_as_rows_and_tables_too() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let stored = icr.prints(&["store", "-t", "queue", "-c", "Jobs wait, \"as told\",\nin order."]);
    let id = stored.trim().strip_prefix("Stored: ").expect("the id is printed").to_owned();
    assert_eq!(
        icr.prints(&["list", "-f", "toon"]),
        format!(
            "memories[1]{{id,topic,importance,weight,summary}}:\n  {id},queue,medium,1.000,\"Jobs wait, \\\"as told\\\",\\nin order.\"\n"
        )
    );
    let table = icr.prints(&["recall", "jobs in order", "-f", "toml"]);
    assert!(table.starts_with(&format!("[[memories]]\nid = \"{id}\"\ntopic = \"queue\"\n")), "{table}");
    let nothing = icr.run(&["recall", "volcano", "-f", "toon"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (1, "memories[0]{id,topic,importance,weight,summary}:\n"));
}

#[test]
fn another_project_is_named_by_where_it_is() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    icr.prints(&["store", "-t", "queue", "-c", "Jobs wait in order."]);
    let name = fixture.root().file_name().expect("it has a name").to_string_lossy().into_owned();
    assert!(icr.prints(&["recall", "jobs", "-p", &name]).contains("in order"));
    assert!(icr.fails(2, &["recall", "jobs", "-p", "elsewhere"]).contains("--all-projects"));
}

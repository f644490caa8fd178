//! What commands print that answer under a budget, and what they make of requests that cannot be answered.

use icr_fixture::Fixture;
use serde_json::Value;

use crate::run::Icr;

const PROJECT: &str = r#"//- Cargo.toml
[package]
name = "harbour"
//- docs/mooring.md
# Mooring

How a ship is tied to a berth.
//- src/lib.rs
pub mod berth;
//- src/berth.rs
//! Places for ships.

/// Ties a ship to the berth.
///
/// Twice over.
pub fn moor(ship: &str) -> bool {
    !ship.is_empty()
}

/// Who keeps the harbour.
pub trait Warden {
    /// Opens the gate.
    fn open_gate(&self) -> u8;
}
"#;

/// Standard output of each command line on the project above.
#[track_caller]
fn print(lines: &[&[&str]]) -> String {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    lines.iter().map(|args| icr.filtered(&icr.prints(args))).collect()
}

#[test]
fn a_pack_is_markdown() {
    insta::assert_snapshot!(print(&[&["pack", "tie a ship to the berth", "-k", "1", "--mode", "pack"]]), @r"
    # Context Pack

    ## Sources

    ### [1] src/berth.rs:moor (lines 1-14)

    ```rust
    //! Places for ships.

    /// Ties a ship to the berth.
    ///
    /// Twice over.
    pub fn moor(ship: &str) -> bool {
        !ship.is_empty()
    }

    /// Who keeps the harbour.
    pub trait Warden {
        /// Opens the gate.
        fn open_gate(&self) -> u8;
    }
    ```
    ");
}

#[test]
fn standard_error_says_how_a_pack_was_made() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    let ran = icr.run(&["pack", "moor", "--mode", "pack"]);
    assert!(ran.stderr.starts_with("note: strong, one search (requested): 1 search, "), "{}", ran.stderr);
    assert!(ran.stderr.ends_with(" of 4000 tokens\n"), "{}", ran.stderr);
    for silent in [&["--quiet"][..], &["--json"], &["--set", "pack.include_metadata=false"]] {
        let ran = icr.run(&[&["pack", "moor"], silent].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{silent:?}");
    }
}

#[test]
fn a_pack_for_programs_has_what_it_rests_on() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    let answer = icr.json(&["pack", "open_gate", "--budget", "600"]);
    for field in ["mode_used", "entropy", "gating_reason", "pack_content", "sources", "citations", "provenance"] {
        assert!(answer.get(field).is_some(), "{field}: {answer}");
    }
    for field in ["duration_ms", "tokens_used", "tokens_budget", "tokens_remaining", "sources_considered"] {
        assert!(answer["metadata"][field].is_u64(), "{field}: {answer}");
    }
    assert_eq!(answer["metadata"]["tokens_budget"], 600);
    let source = &answer["sources"][0];
    assert_eq!((&source["path"], &source["is_contract"]), (&"src/berth.rs".into(), &true.into()), "{answer}");
    let answer = icr.json(&["pack", "open_gate", "--set", "pack.include_citations=false"]);
    assert!(answer.get("citations").is_none() && answer.get("metadata").is_some());
}

#[test]
fn budgets_have_bounds_and_defaults_that_can_be_set() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    let budget = |args: &[&str]| icr.json(&[&["pack", "moor"], args].concat())["metadata"]["tokens_budget"].clone();
    assert_eq!(budget(&[]), 4_000);
    assert_eq!(budget(&["--set", "pack.default_budget_tokens=9000"]), 9_000);
    assert_eq!(budget(&["--set", "pack.default_budget_tokens=9000", "--budget", "512"]), 512);
    assert_eq!(budget(&["--budget", "32000"]), 32_000);
    assert_eq!(budget(&["--budget", "50000", "--set", "pack.max_budget_tokens=60000"]), 50_000);
    for wrong in ["511", "32001"] {
        let said = icr.fails(2, &["pack", "moor", "--budget", wrong]);
        let expected = format!("error: `--budget` is {wrong}; allowed: 512 to 32000 model tokens\nhint: ");
        assert!(said.starts_with(&expected), "{said}");
    }
    for wrong in [&["-k", "0"][..], &["-k", "51"], &["--budget", "many"], &["--mode", "other"]] {
        icr.fails(2, &[&["pack", "moor"], wrong].concat());
    }
    let said = icr.fails(2, &["pack", &"é".repeat(10_001)]);
    assert!(said.starts_with("error: the prompt must be 1 to 10000 characters, not `10001 characters`"), "{said}");
    let said = icr.fails(2, &["pack", "moor", "--lang", "klingon"]);
    assert!(said.starts_with("error: the language must be one of "), "{said}");
}

#[test]
fn printed_packs_are_within_their_budget() {
    let fixture = Fixture::generated(60);
    let icr = Icr::new(&fixture);
    for budget in [512, 513, 700, 1_000, 2_345, 4_000, 12_000] {
        let printed = icr.prints(&["pack", "read the token stream of a file", "--budget", &budget.to_string()]);
        let counted = icr_tokens::model_tokens(printed.as_bytes());
        assert!(counted <= budget && counted * 2 > budget.min(1_000), "{counted} of {budget}");
    }
}

#[test]
fn where_nothing_is_found_the_pack_is_empty() {
    let fixture = Fixture::empty();
    let icr = Icr::new(&fixture);
    let ran = icr.run(&["pack", "where is the anchor", "--quiet"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "# Context Pack\n\n## Sources\n\nNo sources.\n"), "{}", ran.stderr);
    assert_eq!(icr.json(&["pack", "anchor", "--mode", "rlm"])["sources"], Value::Array(Vec::new()));
    let ran = icr.run(&["context", "lower the anchor"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("# lower the anchor\n\n## Where to Look\nNothing found that answers this.\n"));
}

#[test]
fn questions_of_any_shape_have_a_pack_and_a_map() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    let long = "berth ".repeat(1_666);
    let wide = "港".repeat(10_000);
    for question in ["the of a", "🦀🚢⚓", " ", "港口", "-k", "`", "\u{202e}rohcna", &long, &wide] {
        for command in ["pack", "context"] {
            let ran = icr.run(&[command, "--json", "--", question]);
            assert!(ran.code <= 1, "{command} {question:?}: {}", ran.stderr);
            assert!(serde_json::from_str::<Value>(&ran.stdout).is_ok(), "{command} {question:?}: {}", ran.stdout);
        }
    }
}

#[test]
fn a_map_says_where_to_look() {
    let lines: [&[&str]; 2] = [&["context", "tie a ship to the berth"], &["task", "tie a ship to the berth"]];
    let printed = print(&lines[..1]);
    insta::assert_snapshot!(printed, @r#"
    # tie a ship to the berth

    ## Where to Look
    1. src/berth.rs — Places for ships.
    2. src/lib.rs — rust, 1 line
    3. docs/mooring.md — sections: Mooring
    4. Cargo.toml — keys: package

    ## Impact
    berth.rs <- lib.rs

    ## History
    berth.rs: 1 commit/90d
    lib.rs: 1 commit/90d
    mooring.md: 1 commit/90d

    ## Tools
    icr search "<query>" | icr read <path> | icr pack "<question>" | icr impact
    test: cargo test | build: cargo build | lint: cargo clippy --all-targets
    "#);
    assert!(icr_tokens::model_tokens(printed.as_bytes()) <= 300, "{printed}");
    assert_eq!(print(&lines[1..]), printed, "`task` is another name");
    assert!(icr_tokens::model_tokens(print(&[&["context", "berth", "--budget", "60"]]).as_bytes()) <= 60);
}

#[test]
fn a_map_counts_commits_of_many_files_too() {
    let fixture = Fixture::new(PROJECT);
    fixture.commit("harbour");
    let notes: String = (0..30).map(|number| format!("//- notes/{number}.md\nnote\n")).collect();
    fixture.write(&format!("{notes}//- src/berth.rs\n/// Ties a ship to the berth.\npub fn moor() {{}}\n"));
    fixture.commit("many files");
    let printed = Icr::new(&fixture).prints(&["context", "tie a ship to the berth"]);
    assert!(printed.contains("\nberth.rs: 2 commits/90d\n"), "{printed}");
}

#[test]
fn a_plan_is_steps_for_tools() {
    insta::assert_snapshot!(print(&[&["plan", "where is parse_token used", "--max-steps", "4"]]), @r#"
     1. project_references {"symbol":"parse_token","limit":16}
        usage of `parse_token`: where it is used
     2. project_symbol_search {"query":"parse_token","limit":16}
        definition of `parse_token`: where it is defined
     3. env_search {"query":"parse_token test","scope":"repo","limit":16}
        test of `parse_token`: what its tests expect
     4. memory_pack {"prompt":"where is parse_token used","budget_tokens":4000}
        read the code that answers the task
    about 6880 tokens and [ms]; within 4 steps, 1000 lines and 50 results (the configuration allows no more than that)
    "#);
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    let planned = icr.json(&["plan", "where is parse_token used", "--scope", "all"]);
    assert_eq!(planned["plan"]["budget"]["max_candidates"], 50, "the bound of an expansion");
    assert_eq!(planned["budget_asked"]["max_candidates"], 100);
    assert_eq!(planned["plan"]["steps"][0]["params"]["scope"], "all");
    let lowered = icr.json(&["plan", "where is parse_token used", "--set", "rlm.max_steps=2"]);
    assert_eq!(lowered["plan"]["budget"]["max_steps"], 2);
    assert!(lowered["plan"]["steps"].as_array().is_some_and(|steps| steps.len() <= 2), "{lowered}");
    for wrong in [["--max-steps", "13"], ["--max-peek-lines", "0"], ["--max-candidates", "101"], ["--scope", "x"]] {
        icr.fails(2, &[&["plan", "parse"], &wrong[..]].concat());
    }
    let said = icr.fails(2, &["plan", "🦀"]);
    assert!(said.starts_with("error: `task` is `🦀`; allowed: a task with words to search for"), "{said}");
}

#[test]
fn a_plan_needs_no_repository() {
    let fixture = Fixture::new(PROJECT);
    let outside = Icr::new(&fixture).standing_in(fixture.home());
    assert_eq!(outside.run(&["plan", "where is parse_token used"]).code, 0);
    assert_eq!(
        outside.prints(&["aggregate", "count", "b", "a", "b"]),
        "{\"value\":\"b\",\"count\":2}\n{\"value\":\"a\",\"count\":1}\n"
    );
}

#[test]
fn lines_of_sources_are_printed_verbatim() {
    let args = ["map-reduce", "how ships are tied", "--map", "ties of ships", "--reduce", "ships"];
    insta::assert_snapshot!(print(&[&[&args[..], &["src/berth.rs:moor", "docs/mooring.md:2-3"]].concat()]), @r"
    src/berth.rs:3: /// Ties a ship to the berth.
    src/berth.rs:4: ///
    src/berth.rs:5: /// Twice over.
    docs/mooring.md:3: How a ship is tied to a berth.
    ");
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    let ran = icr.run(&[&args[..], &["gone.rs"]].concat());
    let expected = "note: `gone.rs` is left out: `gone.rs` is not in the view of the worktree on `main`\n";
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (1, "", expected));
    let answer = icr.json(&[&args[..], &["gone.rs", "src/berth.rs"]].concat());
    assert_eq!((&answer["sources_processed"], &answer["sources_failed"]), (&1.into(), &1.into()));
    assert_eq!(answer["metadata"]["generative"], false);
    let said = icr.fails(2, &["map-reduce", "", "--map", "m", "--reduce", "r", "src/berth.rs"]);
    assert!(said.starts_with("error: `task` is 0 characters; allowed: 1 to 5000 characters"), "{said}");
    icr.fails(2, &["map-reduce", "task", "--map", "m", "src/berth.rs"]);
}

#[test]
fn lists_are_put_together() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    let pattern = ["--params", r#"{"pattern": "def (\\w+)"}"#];
    let extract = [&["aggregate", "extract_regex"], &pattern[..]].concat();
    let found = [&extract[..], &["def foo():", "  pass", "def bar():"]].concat();
    assert_eq!(icr.prints(&found), "foo\nbar\n");
    let ran = icr.reads(b"def foo():\r\n  pass\ndef bar():\n", &extract);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "foo\nbar\n"), "{}", ran.stderr);
    let ran = icr.run(&["aggregate", "unique", "a", "b", "a", "-n", "1"]);
    assert_eq!(ran.stdout, "a\n1 of 2 results; `-n` shows more\n");
    let answer = icr.json(&["aggregate", "unique", "a", "b", "a"]);
    assert_eq!((&answer["operation"], &answer["count"]), (&"unique".into(), &2.into()));
    assert_eq!(icr.run(&[&extract[..], &["nothing"]].concat()).code, 1);
    let help = icr.prints(&["aggregate", "--help"]);
    assert!(help.contains("extract_regex") && help.contains("diff_sets"), "{help}");
}

#[track_caller]
fn check_refused(args: &[&str], expected: &str) {
    let fixture = Fixture::new("//- a.rs\nfn anchor() {}\n");
    let said = Icr::new(&fixture).fails(2, &[&["aggregate"], args].concat());
    assert!(said.starts_with(&format!("error: {expected}")), "{said}");
}

#[test]
fn wrong_lists_and_parameters_are_named_with_what_would_be_right() {
    check_refused(&["nope", "a"], "`op` is `nope`; allowed: ");
    check_refused(&["top_k", "a"], "`params.k` is missing; allowed: a whole number from 1 to 200");
    check_refused(&["top_k", "a", "--params", r#"{"k": 0}"#], "`params.k` is 0; allowed: a whole number from 1 to 200");
    check_refused(&["unique", "a", "--params", r#"{"x": 1}"#], "`params.x` is not known; allowed: ");
    check_refused(&["unique", "a", "--params", "[]"], "`params` is []; allowed: a JSON object");
    check_refused(&["unique", "a", "--params", "{"], "`params` is not JSON (");
    check_refused(&["unique", "a", "-n", "201"], "`limit` is 201; allowed: 1 to 200");
    check_refused(&["unique"], "`inputs` is 0 strings; allowed: 1 to 200 strings");
    let many: Vec<&str> = ["unique"].into_iter().chain(std::iter::repeat_n("a", 201)).collect();
    check_refused(&many, "`inputs` is 201 strings; allowed: 1 to 200 strings");
    let pattern = ["extract_regex", "a", "--params", r#"{"pattern": "("}"#];
    check_refused(&pattern, "`params.pattern` is `(`; allowed: a regular expression");
}

#[test]
fn a_threshold_is_worked_out_and_used() {
    let fixture = Fixture::generated(120);
    let icr = Icr::new(&fixture);
    let source = |args: &[&str]| icr.json(&[&["pack", "token"], args].concat())["metadata"]["threshold_source"].clone();
    assert_eq!(source(&[]), "built_in");
    let printed = icr.prints(&["calibrate", "--limit", "30"]);
    assert!(printed.starts_with("30 easy questions, "), "{printed}");
    assert!(printed.contains("\nthreshold 2.500 nats (built-in) -> "), "{printed}");
    assert_eq!(source(&[]), "calibrated");
    assert_eq!(source(&["--no-embeddings"]), "built_in");
    assert_eq!(source(&["--set", "rlm.entropy_threshold=2.5"]), "configured");
    let again = icr.json(&["calibrate", "--limit", "30"]);
    assert_eq!((&again["source_before"], &again["kept"]), (&"calibrated".into(), &true.into()));
    assert_eq!(again["entropy_threshold_before"], again["entropy_threshold"]);
    let said = icr.fails(2, &["calibrate", "--read-only"]);
    assert!(said.starts_with("error: `calibrate` writes the store, which `--read-only` forbids"), "{said}");
    let few = Fixture::new(PROJECT);
    let ran = Icr::new(&few).run(&["calibrate"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.ends_with("unchanged: 20 questions are the fewest that say anything\n"), "{}", ran.stdout);
}

#[test]
fn what_programs_and_others_wrote_fills_no_pack() {
    let fixture = Fixture::new(PROJECT);
    let written =
        |at: u32| format!("/// Ties a ship to berth {at}.\npub fn moor_{at}(ship: &str) -> bool {{\n    true\n}}\n\n");
    let generated: String = (0..40).map(written).collect();
    fixture
        .write_bytes("src/bindings.rs", format!("// Code generated by a tool. DO NOT EDIT.\n\n{generated}").as_bytes());
    fixture.write_bytes("vendor/berth/lib.rs", generated.as_bytes());
    let one = format!("const moor=[{}]", "'tie a ship to the berth',".repeat(200));
    fixture.write_bytes("src/one.js", one.as_bytes());
    fixture.write_bytes("src/by_hand.rs", generated.as_bytes());
    fixture.commit("written by programs and others");
    let icr = Icr::new(&fixture);
    let lines_of = |question: &str| {
        let pack = icr.json(&["pack", question]);
        let sources = pack["sources"].as_array().expect("a list").clone();
        let count = |path: &str| -> u64 {
            let own = sources.iter().filter(|source| source["path"] == path);
            own.map(|source| source["end_line"].as_u64().unwrap() - source["start_line"].as_u64().unwrap() + 1).sum()
        };
        ["src/bindings.rs", "vendor/berth/lib.rs", "src/one.js", "src/by_hand.rs"].map(count)
    };
    let [bindings, vendored, one, by_hand] = lines_of("where is a ship tied to a berth");
    // Each may lead a search, whose first spans are there.
    assert!(bindings <= 50 && vendored <= 50 && one <= 1, "{bindings} {vendored} {one}");
    assert!(by_hand > 100, "{by_hand}");
    let [bindings, vendored, ..] = lines_of("where do the generated and vendored files tie a ship to a berth");
    assert!(bindings + vendored > 100, "{bindings} {vendored}");
}

#[test]
fn what_a_request_names_and_is_not_there_is_told() {
    let fixture = Fixture::new(PROJECT);
    let icr = Icr::new(&fixture);
    let failure = icr.fails(1, &["pack", "moor", "--path", "src/absent"]);
    assert!(failure.contains("`src/absent`"), "{failure}");
    let ran = icr.run(&["pack", "moor", "--focus", "absent"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("nothing to focus on: `absent`"), "{}", ran.stderr);
    let ran = icr.run(&["search", "moor", "--focus", "absent"]);
    assert!(ran.stderr.starts_with("warning: nothing to focus on: `absent`"), "{}", ran.stderr);
    let ran = icr.run(&["pack", "moor", "--pinned-only"]);
    assert_eq!((ran.code, ran.stdout.contains("No sources.")), (1, true), "{}", ran.stdout);
    assert!(ran.stderr.contains("nothing is pinned"), "{}", ran.stderr);
    // Words that stand everywhere ask for nothing.
    for command in ["search", "pack", "context"] {
        let answer = icr.json(&[command, "the of and"]);
        assert_eq!(answer["strength"], "none", "{command}");
    }
}

#[test]
fn a_long_run_of_blank_lines_hides_nothing() {
    let fixture = Fixture::new(PROJECT);
    fixture.write_bytes("data.txt", format!("zebra one\n{}zebra crossing two\n", "\n".repeat(20_000)).as_bytes());
    fixture.commit("blank lines");
    let pack = Icr::new(&fixture).prints(&["pack", "zebra crossing", "--budget", "600"]);
    assert!(pack.contains("zebra one\n") && pack.contains("zebra crossing two\n"), "{pack}");
}

#[test]
fn pins_give_the_lines_that_fit_the_question() {
    let fixture = Fixture::new(PROJECT);
    let function = |name: &str| {
        let lines: String = (0..25).map(|line| format!("    {name}_step({line});\n")).collect();
        format!("/// Does what {name} does.\nfn {name}() {{\n{lines}}}\n\n")
    };
    let names = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"];
    fixture.write_bytes("src/long.rs", names.map(function).concat().as_bytes());
    fixture.commit("long");
    let icr = Icr::new(&fixture);
    icr.prints(&["pin", "src/long.rs"]);
    for options in [&["--pinned-only"][..], &[]] {
        let pack = icr.prints(&[&["pack", "what does foxtrot do", "--budget", "800"], options].concat());
        assert!(pack.contains("fn foxtrot()") && !pack.contains("fn alpha()"), "{pack}");
    }
    let ran = icr.run(&["pack", "what does foxtrot do", "--budget", "800", "--pinned-only"]);
    assert!(ran.stderr.contains("no room for the pinned lines src/long.rs:"), "{}", ran.stderr);
}

#[test]
fn a_small_pack_about_one_definition_begins_with_it() {
    let method =
        |name: &str, line: &str| format!("\n    def {name}(self, ship):\n{}", format!("        {line}\n").repeat(12));
    let interface = format!(
        "//- berths/berth_interface.py\nclass BerthInterface:\n    \"\"\"Where a Berth.moor and a Berth.leave are defined.\"\"\"\n{}{}",
        method("moor", "\"\"\"where is it defined, moor, moor, Berth.moor\"\"\""),
        method("leave", "\"\"\"where is it defined, leave\"\"\""),
    );
    let class = format!(
        "//- berths/berth.py\nclass Berth:\n{}{}{}",
        method("moored", "self.defined = moor(where, ship)"),
        method("moor", "self.knot = ship.rope"),
        method("leave", "self.defined = leave(where, ship)"),
    );
    let fixture = Fixture::new(&format!("{interface}{class}"));
    let icr = Icr::new(&fixture);
    for question in ["where is Berth.moor defined", "Berth.moor", "who calls `Berth.moor`?"] {
        let pack = icr.prints(&["pack", "--budget", "600", question]);
        let first = pack.lines().find(|line| line.starts_with("### [1]")).unwrap();
        assert!(first.starts_with("### [1] berths/berth.py:Berth.moor (lines"), "{question}: {pack}");
        assert!(pack.contains("def moor(self, ship):\n        self.knot = ship.rope"), "{question}: {pack}");
    }
    let found = icr.json(&["search", "where is Berth.moor defined"]);
    assert_eq!(found["results"][0]["symbol"], "Berth.moor", "{found:#}");
    // The type and the member are there, but not the one in the other.
    for command in ["search", "pack"] {
        let found = icr.json(&[command, "where is BerthInterface.moored defined"]);
        assert_ne!(found["strength"], "strong", "{found:#}");
    }
}

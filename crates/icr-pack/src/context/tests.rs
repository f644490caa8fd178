use super::*;
use proptest::prelude::*;

fn file(path: &str) -> FileFacts {
    FileFacts { path: path.into(), ..FileFacts::default() }
}

fn request(goal: &str, files: Vec<FileFacts>) -> ContextRequest {
    ContextRequest {
        goal: goal.into(),
        files,
        strength: Strength::Strong,
        scripts: Vec::new(),
        notes: Vec::new(),
        next_steps: "icr search \"<query>\" | icr read <path> | icr pack \"<question>\" | icr impact",
        budget_tokens: 300,
    }
}

fn sessions() -> ContextRequest {
    let partner = |path: &str, count| Partner { path: path.into(), count };
    let files = vec![
        FileFacts {
            docstring: Some("Keeps sessions of users\nuntil they expire.".into()),
            importers: ["src/api/index.ts", "src/ui/index.ts", "src/app.ts", "src/b.ts", "src/c.ts"]
                .map(str::to_owned)
                .into(),
            recent_commits: 7,
            partners: vec![partner("src/api/index.ts", 4), partner("test/session.ts", 3), partner("x.ts", 2)],
            ..file("src/session.ts")
        },
        FileFacts {
            contents: ContentSummary::Exports(["expireSession", "a", "b", "c", "d"].map(str::to_owned).into()),
            recent_commits: 1,
            ..file("src/expiry.ts")
        },
        file("test/session.ts"),
        file("src/unrelated.ts"),
    ];
    let scripts = vec![
        Script { kind: "test".into(), command: "npm test".into() },
        Script { kind: "lint".into(), command: "npm run lint".into() },
    ];
    ContextRequest { scripts, ..request("Fix session expiry", files) }
}

#[test]
fn a_map_says_where_to_look_and_what_depends_on_it() {
    let map = context_map(&sessions(), ["index.ts", "src/api/index.ts", "src/ui/index.ts"]);
    insta::assert_snapshot!(map.text, @r#"
    # Fix session expiry

    ## Where to Look
    1. src/session.ts — Keeps sessions of users until they expire.
    2. src/expiry.ts — exports: expireSession, a, b, c
    3. test/session.ts — text, 0 lines
    4. src/unrelated.ts — text, 0 lines

    ## Impact
    src/session.ts <- api/index.ts, ui/index.ts, app.ts, b.ts

    ## History
    src/session.ts: 7 commits/90d, co-changes: api/index.ts (4x), test/session.ts (3x)
    expiry.ts: 1 commit/90d

    ## Tools
    icr search "<query>" | icr read <path> | icr pack "<question>" | icr impact
    test: npm test | lint: npm run lint
    "#);
    assert!(map.tokens_used <= 300, "{}", map.tokens_used);
    assert_eq!(map.tokens_remaining + map.tokens_used, 300);
}

#[test]
fn two_notes_about_files_that_are_shown_stand_below_the_history() {
    let note = |path: &str, summary: &str| FileNote {
        id: "1".into(),
        path: path.into(),
        symbol: None,
        changed: false,
        summary: summary.into(),
    };
    let notes = vec![
        note("src/elsewhere.ts", "Not of this map."),
        note("src/expiry.ts", "Half an hour."),
        note("src/session.ts", "## Never renew."),
        note("src/session.ts", "One too many."),
    ];
    let request = ContextRequest { notes, ..sessions() };
    let map = context_map(&request, []);
    let below = map.text.split("(3x)").nth(1).expect("the history is there");
    insta::assert_snapshot!(below, @r##"
    expiry.ts: 1 commit/90d

    ## Notes
    - src/expiry.ts: Half an hour.
    - src/session.ts: ## Never renew.

    ## Tools
    icr search "<query>" | icr read <path> | icr pack "<question>" | icr impact
    test: npm test | lint: npm run lint
    "##);
    assert_eq!(map.notes.len(), 2);
    let none = context_map(&ContextRequest { strength: Strength::None, ..request.clone() }, []);
    assert!(none.notes.is_empty() && !none.text.contains("Notes"), "{}", none.text);
    let short = context_map(&ContextRequest { budget_tokens: 100, ..request }, []);
    assert!(short.tokens_used <= 100 && short.notes.len() == 2, "{}", short.text);
}

#[test]
fn five_of_eight_are_shown() {
    let files = (0..12).map(|at| file(&format!("src/session_{at:02}.rs"))).collect();
    let map = context_map(&request("00 session", files), []);
    assert_eq!(map.files.len(), 8);
    assert!(map.text.contains("5. src/session_04.rs") && !map.text.contains("6."), "{}", map.text);
}

#[test]
fn what_answers_nothing_is_said_to_be_nearest() {
    let files: Vec<FileFacts> = (0..5).map(|at| file(&format!("{at}.rs"))).collect();
    let map = context_map(&ContextRequest { strength: Strength::None, ..request("???", files) }, []);
    let expected = "# ???\n\n## Where to Look\nNothing found that answers this. Nearest:\n1. 0.rs";
    assert!(map.text.starts_with(expected) && !map.text.contains("4. "), "{}", map.text);
    let map = context_map(&request("???", Vec::new()), []);
    assert!(map.text.starts_with("# ???\n\n## Where to Look\nNothing found that answers this.\n\n"), "{}", map.text);
    assert_eq!(map.strength, Strength::None);
}

#[test]
fn a_file_is_described_by_what_is_in_it() {
    let told = |contents: ContentSummary| reason(&FileFacts { contents, ..file("a") });
    let names = || ["a", "b\nc"].map(str::to_owned).to_vec();
    assert_eq!(told(ContentSummary::Definitions(names())), "defines: a, b c");
    assert_eq!(told(ContentSummary::Sections(names())), "sections: a, b c");
    assert_eq!(told(ContentSummary::Keys(names())), "keys: a, b c");
    assert_eq!(told(ContentSummary::Lines("yaml".to_owned(), 1)), "yaml, 1 line");
}

#[test]
fn long_and_broken_goals_are_one_short_line() {
    let map = context_map(&request(&format!("fix\n# the\u{0}{}", "é".repeat(10_000)), Vec::new()), []);
    let first = map.text.lines().next().expect("a line");
    assert!(first.starts_with("# fix # the é") && first.ends_with("é…"), "{first}");
    assert_eq!(first.chars().count(), GOAL_CHARACTERS + 3);
}

#[test]
fn a_small_budget_keeps_what_matters_most() {
    let map = context_map(&ContextRequest { budget_tokens: 30, ..sessions() }, []);
    insta::assert_snapshot!(map.text, @r"
    # Fix session expiry

    ## Where to Look
    1. src/session.ts — Keeps sessions of users until they expire.
    ");
    assert_eq!(context_map(&ContextRequest { budget_tokens: 0, ..sessions() }, []).text, "");
    assert_eq!(map.impact.len(), 1);
}

proptest! {
    #[test]
    fn no_map_is_over_its_budget_and_the_order_of_the_search_stays(
        goal in "[a-c é🙂\n]{0,30}",
        rows in proptest::collection::vec(("[a-c/]{1,6}", "[a-c \né]{0,20}", 0_u32..4, 0_u8..10), 0..12),
        budget_tokens in 0_u32..200,
    ) {
        let files: Vec<FileFacts> = rows.iter().map(|(path, text, recent_commits, score)| FileFacts {
            docstring: (!text.is_empty()).then(|| text.clone()),
            contents: ContentSummary::Definitions(vec![text.clone()]),
            importers: rows.iter().map(|(path, ..)| path.clone()).collect(),
            recent_commits: *recent_commits,
            partners: vec![Partner { path: path.clone(), count: 2 }],
            search_score: f64::from(*score) / 10.0,
            ..file(path)
        }).collect();
        let found = context_map(&ContextRequest { budget_tokens, ..request(&goal, files.clone()) }, []);
        prop_assert!(tokens(&found.text) <= budget_tokens);
        let mut paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let mut seen = HashSet::new();
        paths.retain(|path| seen.insert(*path));
        paths.truncate(CONTEXT_FILES);
        prop_assert_eq!(found.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), paths);
    }
}

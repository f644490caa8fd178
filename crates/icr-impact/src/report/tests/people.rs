//! Text and Markdown.

use super::*;
use crate::{
    ChangedFile, CodeNote, Effect, FileStatus, Incomplete, Level, RevertedCommit, RiskLevel, Severity, Verdict,
};

#[test]
fn text_says_the_verdict_first() {
    insta::assert_snapshot!(rendered(&sample::breaking(), Format::Text, &Limit::TERMINAL), @r#"
    Breaking: `Greeter.greet` lost a parameter that 2 files still pass
    Compared main (1111111111) → HEAD (2222222222): 2 files, +10 −13, 2 definitions (1 removed, 1 signature)

    Contracts: 2
      breaking   src/greet.py:12  Greeter.greet: parameter `name` was removed; returns `int` instead of `str`; used by `src/app.py`, `src/cli.py` and `tests/test_greet.py`
        breaks  src/app.py:3  `greeter.greet("Ada")`: no argument is taken any more
      may break  src/gone.py      wave: it is gone; nothing here uses it

    Missing: 1
      82%  docs/greet.md  11 of the 13 commits that touched `src/greet.py` touched this too, last 9 days before

    Dependents: 2, and 1 more file through these
      high    src/app.py:3   2 references to `Greeter.greet`: lines 3, 9
      medium  src/cli.py:41  1 reference to `Greeter.greet`: line 41

    Through others: 1
      low  src/main.py  2 steps, through `src/app.py`

    Tests: 1 of 20 files, expected to find 92% of what all would
      $    pytest tests/test_greet.py
      90%  tests/test_greet.py  calls `Greeter.greet`, which changed
      30%  tests/test_cli.py    calls `Greeter.greet`, which changed

    Risk: high (0.72)
      contract  0.40  1 contract is broken for 2 files
      missing   0.16  `docs/greet.md` seems forgotten

    To know of this answer: 3
      -  3 files are not indexed yet
      -  `main` is no ancestor of `HEAD`; compared from their merge base
      -  expected shows 2 of 140
    "#);
}

#[test]
fn text_of_a_clean_change_is_short() {
    insta::assert_snapshot!(rendered(&sample::clean(), Format::Text, &Limit::TERMINAL), @r#"
    Clean: nothing else is affected
    Compared main (1111111111) → HEAD (2222222222): 2 files, +10 −13

    To know of this answer: 1
      -  3 files are not indexed yet
    "#);
}

#[test]
fn tests_to_run_are_listed_also_where_nobody_has_to_look_at_anything() {
    let all = sample::breaking();
    let mut impact = Impact { tests: all.tests, test_plan: all.test_plan, ..sample::clean() };
    impact.summary = "2 files changed; 1 test to run".into();
    insta::assert_snapshot!(rendered(&impact, Format::Text, &Limit::TERMINAL), @r#"
    Clean: 2 files changed; 1 test to run
    Compared main (1111111111) → HEAD (2222222222): 2 files, +10 −13

    Tests: 1 of 20 files, expected to find 92% of what all would
      $    pytest tests/test_greet.py
      90%  tests/test_greet.py  calls `Greeter.greet`, which changed

    To know of this answer: 1
      -  3 files are not indexed yet
    "#);
    insta::assert_snapshot!(rendered(&impact, Format::Markdown, &Limit::COMMENT), @r#"
    <!-- icr-impact -->
    **Clean**: 2 files changed; 1 test to run. Gaps: 3 files are not indexed yet.

    **Tests to run**: 1 of 20, expected to find 92% of what all of them would

    ```sh
    pytest tests/test_greet.py
    ```
    "#);
    impact.tests = vec![impact.tests.remove(0); 7];
    impact.test_plan.selected = 7;
    let text = rendered(&impact, Format::Text, &Limit::TERMINAL);
    assert_eq!(text.matches("  90%  tests/test_greet.py").count(), 4, "{text}");
    assert!(text.contains("\n  and 3 more; `icr impact --tests` lists all\n"), "{text}");
}

#[test]
fn text_has_styles() {
    let lines = text(&sample::breaking(), &About::default(), &Limit::TERMINAL);
    let styled = |style: Style| {
        let pieces = lines.iter().flatten().filter(|piece| piece.0 == style);
        pieces.map(|piece| piece.1.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(styled(Style::Bad), ["Breaking", "breaking", "breaks", "high (0.72)"]);
    assert_eq!(styled(Style::Command), ["pytest tests/test_greet.py"]);
    assert_eq!(
        styled(Style::Path),
        [
            "src/greet.py:12",
            "src/app.py:3",
            "src/gone.py",
            "docs/greet.md",
            "src/app.py:3",
            "src/cli.py:41",
            "src/main.py",
            "tests/test_greet.py",
            "tests/test_cli.py"
        ]
    );
}

#[test]
fn long_text_counts_what_it_leaves_out() {
    let names: Vec<String> = (0..100).map(|at| format!("src/{at}.py")).collect();
    let text = rendered(&sample::impact_with_names(&names), Format::Text, &Limit::TERMINAL);
    assert_eq!(text.lines().count(), Limit::TERMINAL.lines);
    let more: Vec<u32> =
        text.lines().filter_map(|line| line.strip_prefix("  and ")?.strip_suffix(" more")?.parse().ok()).collect();
    assert!(more.len() >= 4 && more.iter().all(|more| (80..100).contains(more)), "{text}");
}

#[test]
fn tables_have_twenty_rows_and_leave_out_what_is_unlikely() {
    let names: Vec<String> = (0..100).map(|at| format!("src/{at}.py")).collect();
    let mut impact = sample::impact_with_names(&names);
    let text = rendered(&impact, Format::Text, &Limit::NONE);
    assert_eq!(text.matches("\n  high  src/").count(), 20, "{text}");
    assert!(text.contains("\n  and 80 more\n"), "{text}");
    let comment = rendered(&impact, Format::Markdown, &Limit::NONE);
    assert_eq!(comment.matches("\n| high, 90% |").count(), 20, "{comment}");
    for file in &mut impact.transitive_dependents[5..] {
        file.probability = 0.029;
    }
    let text = rendered(&impact, Format::Text, &Limit::NONE);
    assert_eq!(text.matches("2 steps, through").count(), 5, "{text}");
    assert!(text.contains("\n  and 95 more\n"), "{text}");
    for file in &mut impact.transitive_dependents {
        file.probability = 0.01;
    }
    let text = rendered(&impact, Format::Text, &Limit::NONE);
    assert!(text.contains("\nThrough others: 100\n  100 that are unlikely\n"), "{text}");
    let comment = rendered(&impact, Format::Markdown, &Limit::NONE);
    assert!(comment.contains("\n100 files reached through others; each of them is unlikely\n"), "{comment}");
}

#[test]
fn only_a_terminal_cuts_sentences() {
    let impact = Impact { summary: "long ".repeat(100), ..sample::breaking() };
    assert!(!rendered(&impact, Format::Text, &Limit::TEXT).contains('…'));
    let line = rendered(&impact, Format::Text, &Limit::TERMINAL).lines().next().unwrap().to_owned();
    assert!(line.ends_with('…') && line.chars().count() < 180, "{line}");
}

#[test]
fn what_somebody_accepted_is_last_and_has_its_reason() {
    let mut impact = sample::breaking();
    for change in &mut impact.contract_impact.changes[..2] {
        change.accepted = Some("nobody gives it".into());
    }
    let text = rendered(&impact, Format::Text, &Limit::TEXT);
    let contracts: Vec<&str> = text.lines().skip_while(|line| *line != "Contracts: 2").skip(1).take(2).collect();
    assert!(contracts[0].starts_with("  may break  src/gone.py"), "{text}");
    assert!(contracts[1].starts_with("  accepted   src/greet.py:12"), "{text}");
    assert!(contracts[1].contains("parameter `name` was removed (accepted: nobody gives it); "), "{text}");
    let impact = Impact { contract_impact: impact.contract_impact, ..sample::clean() };
    assert!(rendered(&impact, Format::Text, &Limit::TEXT).contains("\n  accepted   src/greet.py:12  "));
    let comment = rendered(&impact, Format::Markdown, &Limit::COMMENT);
    assert!(
        comment.contains(" Accepted: `Greeter.greet`: parameter `name` was removed (accepted: nobody gives it); "),
        "{comment}"
    );
}

#[test]
fn what_is_there_to_use_names_nobody_who_uses_it() {
    let mut impact = sample::breaking();
    impact.contract_impact.changes.truncate(1);
    let change = &mut impact.contract_impact.changes[0];
    (change.severity, change.effect) = (Severity::Additive, Effect::Holds);
    change.detail = "parameter `greeting` may be given".into();
    change.uses.clear();
    let text = rendered(&impact, Format::Text, &Limit::TEXT);
    let line = text.lines().find(|line| line.starts_with("  additive"));
    assert_eq!(line, Some("  additive  src/greet.py:12  Greeter.greet: parameter `greeting` may be given"));
}

#[test]
fn a_directory_that_moved_is_one_line_and_its_definitions_are_none() {
    let mut impact = sample::breaking();
    let changed = impact.changed.remove(0);
    let moved = |name: &str| ChangedFile {
        path: format!("lib/{name}.py"),
        old_path: Some(format!("src/{name}.py")),
        status: FileStatus::Renamed,
        ..changed.clone()
    };
    impact.changed = ["one", "two", "three"].map(moved).into();
    impact.contract_impact.changes.truncate(1);
    let change = &mut impact.contract_impact.changes[0];
    (change.path, change.class, change.effect) = ("lib/one.py".into(), "moved", Effect::Holds);
    change.uses.clear();
    let text = rendered(&impact, Format::Text, &Limit::TEXT);
    assert!(text.contains("\nMoved or copied together: 1\n  -  `src/` → `lib/` (3 files)\n"), "{text}");
    assert!(!text.contains("Contracts"), "{text}");
    let comment = rendered(&impact, Format::Markdown, &Limit::COMMENT);
    assert!(comment.contains("\n**Moved or copied together**\n\n- `src/` → `lib/` (3 files)\n"), "{comment}");
}

#[test]
fn a_revert_says_in_one_line_what_it_reverts() {
    let reverts = |subject: &str| {
        Some(RevertedCommit { id: "0123456789abcdef0123456789abcdef01234567".into(), subject: subject.into() })
    };
    let note = "Reverts 0123456789 \"greet: say hello\"";
    for mut impact in [sample::breaking(), sample::clean()] {
        impact.sides.reverts = reverts("greet: say hello");
        let text = rendered(&impact, Format::Text, &Limit::TEXT);
        assert_eq!((text.lines().nth(2), text.matches("Reverts").count()), (Some(note), 1), "{text}");
        let comment = rendered(&impact, Format::Markdown, &Limit::COMMENT);
        assert!(comment.contains(&format!(".\n\n{note}\n")), "{comment}");
        assert_eq!(comment.matches("Reverts").count(), 1, "{comment}");
        let log = rendered(&impact, Format::Sarif, &Limit::NONE).replace("\\\"", "\"");
        assert_eq!(log.matches(note).count(), 1, "{log}");
    }
    let mut impact = sample::clean();
    impact.sides.reverts = reverts("@all: <b>");
    let comment = rendered(&impact, Format::Markdown, &Limit::COMMENT);
    assert!(!comment.contains('@') && !comment.contains("<b>"), "{comment}");
}

#[test]
fn a_review_names_everybody_who_makes_it_one() {
    let mut impact = Impact { verdict: Verdict::Review, ..sample::breaking() };
    for file in &mut impact.direct_dependents {
        file.impact_level = Level::Low;
    }
    let comment = rendered(&impact, Format::Markdown, &Limit::COMMENT);
    assert_eq!(comment.matches("\n| re-check |").count(), 2, "{comment}");
}

#[test]
fn what_was_not_looked_into_is_said_once() {
    let incomplete = vec![Incomplete { path: "src/a.pl".into(), reason: "too large".into(), code: true }];
    let mut impact = Impact { incomplete, ..sample::clean() };
    impact.risk.unknown = vec!["`src/a.pl` was not looked into: too large".into()];
    let text = rendered(&impact, Format::Text, &Limit::TEXT);
    assert_eq!(text.matches("too large").count(), 1, "{text}");
    let comment = rendered(&impact, Format::Markdown, &Limit::COMMENT);
    assert_eq!(comment.matches("too large").count(), 1, "{comment}");
}

#[test]
fn text_tells_what_is_reached_through_files_of_the_change() {
    let mut impact = sample::breaking();
    impact.direct_dependents.iter_mut().for_each(|file| file.in_change = true);
    let text = rendered(&impact, Format::Text, &Limit::TERMINAL);
    assert!(text.contains("\n\nDependents: 0, and 1 file through the changed files\n\nThrough others: 1\n"), "{text}");
    let mut impact = sample::breaking();
    impact.transitive_dependents[0].via = vec!["src/greet.py".into()];
    let text = rendered(&impact, Format::Text, &Limit::TERMINAL);
    assert!(text.contains("\nDependents: 2, and 1 more file through the changed files\n"), "{text}");
    assert!(text.contains("  src/main.py  2 steps, through `src/greet.py`\n"), "{text}");
}

#[test]
fn a_comment_is_verdict_then_reasons_then_tests_then_the_rest() {
    insta::assert_snapshot!(rendered(&sample::breaking(), Format::Markdown, &Limit::COMMENT), @r#"
    <!-- icr-impact -->
    **Breaking**, risk high (0.72): `Greeter.greet` lost a parameter that 2 files still pass.

    | | Where | Why |
    |---|---|---|
    | **breaking** | `Greeter.greet` in [`src/greet.py:12`](https://github.com/octo/app/blob/2222222222/src/greet.py#L12-L20) | parameter `name` was removed; returns `int` instead of `str`; used by `src/app.py`, `src/cli.py` and `tests/test_greet.py`; breaks [`src/app.py:3`](https://github.com/octo/app/blob/2222222222/src/app.py#L3) `greeter.greet("Ada")`: no argument is taken any more |
    | may break | `wave` in `src/gone.py` | it is gone; nothing here uses it |
    | missing | [`docs/greet.md`](https://github.com/octo/app/blob/2222222222/docs/greet.md) | may have been forgotten (82%): 11 of the 13 commits that touched `src/greet.py` touched this too, last 9 days before |
    | re-check | [`src/app.py:3`](https://github.com/octo/app/blob/2222222222/src/app.py#L3) | 2 references to `Greeter.greet`: lines 3, 9 |
    | re-check | [`src/cli.py:41`](https://github.com/octo/app/blob/2222222222/src/cli.py#L41) | 1 reference to `Greeter.greet`: line 41 |

    **Tests to run**: 1 of 20, expected to find 92% of what all of them would

    ```sh
    pytest tests/test_greet.py
    ```

    <details><summary>3 files refer to what changed</summary>

    | Affected | File | Why |
    |---|---|---|
    | high, 90% | [`src/app.py:3`](https://github.com/octo/app/blob/2222222222/src/app.py#L3) | 2 references to `Greeter.greet`: lines 3, 9 |
    | medium, 70% | [`src/cli.py:41`](https://github.com/octo/app/blob/2222222222/src/cli.py#L41) | 1 reference to `Greeter.greet`: line 41 |
    | high, 90% | [`tests/test_greet.py:5`](https://github.com/octo/app/blob/2222222222/tests/test_greet.py#L5) | 1 reference to `Greeter.greet`: line 5, test |

    </details>

    <details><summary>140 files often changed with changes like this one</summary>

    | Likely | File | Why |
    |---|---|---|
    | 82% | [`docs/greet.md`](https://github.com/octo/app/blob/2222222222/docs/greet.md) | 11 of the 13 commits that touched `src/greet.py` touched this too, last 9 days before |
    | 40% | [`CHANGES.md`](https://github.com/octo/app/blob/2222222222/CHANGES.md) |  |

    and 138 more

    </details>

    <details><summary>2 test files by how likely they run what changed</summary>

    | | Likely | Test | Why |
    |---|---|---|---|
    | run | 90% | `tests/test_greet.py` | calls `Greeter.greet`, which changed |
    |  | 30% | `tests/test_cli.py` | calls `Greeter.greet`, which changed |

    </details>

    <details><summary>1 file reached through others</summary>

    | Affected | File | How |
    |---|---|---|
    | low, 20% | `src/main.py` | 2 steps, through `src/app.py` |

    </details>

    <details><summary>1 file changed together with these before</summary>

    | Share | File | In common |
    |---|---|---|
    | 85% | `docs/greet.md` | 11 commits |

    </details>

    <details><summary>1 file to read besides the change</summary>

    | Likely | File | Why |
    |---|---|---|
    | 90% | [`src/app.py`](https://github.com/octo/app/blob/2222222222/src/app.py) | it refers to `Greeter.greet` 2 times |

    </details>

    <details><summary>Risk 0.72 and its parts</summary>

    | Part | Value | Weight | Why |
    |---|---|---|---|
    | contract | 1.00 | 0.40 | 1 contract is broken for 2 files |
    | missing | 0.82 | 0.20 | `docs/greet.md` seems forgotten |

    </details>

    <details><summary>Graph</summary>

    ```mermaid
    flowchart LR
      n1["greet.py"]:::changed
      n2["greet.md"]:::missing
      n3["app.py"]:::dependent
      n4["test_greet.py"]:::test
      n3 -->|"2"| n1
      n4 ==> n1
      n1 -.-|"11"| n2
      classDef changed stroke:#1f6feb,stroke-width:3px
      classDef missing stroke:#d1242f,stroke-width:3px,stroke-dasharray:6 3
      classDef test stroke:#1a7f37
      classDef dependent stroke:#bf8700
      classDef transitive stroke:#818b98
      classDef expected stroke:#818b98,stroke-dasharray:3 3
      classDef note stroke-width:0px
    ```

    </details>

    <details><summary>What to know of this answer (3)</summary>

    - `main` is no ancestor of `HEAD`; compared from their merge base
    - 3 files are not indexed yet
    - `expected` shows 2 of 140

    </details>

    <sub>`octo/app`, main (1111111111) → HEAD (2222222222): 2 files, +10 −13. icr 0.1.0</sub>
    "#);
}

#[test]
fn a_comment_on_a_clean_change_is_one_line() {
    insta::assert_snapshot!(rendered(&sample::clean(), Format::Markdown, &Limit::COMMENT), @r#"
    <!-- icr-impact -->
    **Clean**: nothing else is affected. Gaps: 3 files are not indexed yet.
    "#);
    let impact = Impact { verdict: Verdict::Empty, summary: "nothing was changed".into(), ..sample::clean() };
    assert_eq!(
        markdown(&impact, &About::default(), &Limit::NONE),
        "<!-- icr-impact -->\n**Empty**: nothing was changed.\n"
    );
}

#[test]
fn a_comment_says_what_found_no_room() {
    let limit = Limit { characters: 2_500, ..Limit::NONE };
    let comment = rendered(&sample::breaking(), Format::Markdown, &limit);
    let left_out = comment.lines().find(|line| line.starts_with("Left out to keep this short: "));
    assert!(left_out.is_some_and(|line| line.contains("expected files") && line.contains("graph")), "{comment}");
}

#[test]
fn a_comment_is_never_shorter_than_its_verdict() {
    let summary = "long ".repeat(100);
    let impact = Impact { summary, ..sample::clean() };
    let limit = Limit { characters: 0, ..Limit::NONE };
    assert_eq!(markdown(&impact, &About::default(), &limit), "<!-- icr-impact -->\n**Clean**\n");
}

#[test]
fn many_commands_are_folded() {
    let mut impact = sample::breaking();
    impact.test_plan.commands = vec![format!("pytest {}", "tests/test_a.py ".repeat(200))];
    let comment = rendered(&impact, Format::Markdown, &Limit::COMMENT);
    assert!(comment.contains("<details><summary>Commands for 1 test file of 20</summary>\n\n```sh\npytest "));
}

#[test]
fn tests_without_a_command_are_listed() {
    let mut impact = sample::breaking();
    impact.test_plan.commands.clear();
    let comment = rendered(&impact, Format::Markdown, &Limit::COMMENT);
    assert!(comment.contains("of what all of them would\n\n- `tests/test_greet.py`\n"), "{comment}");
    let text = rendered(&impact, Format::Text, &Limit::TERMINAL);
    assert!(text.contains("\n  90%  tests/test_greet.py  calls `Greeter.greet`, which changed\n"), "{text}");
}

#[test]
fn a_risk_that_is_not_known_says_why() {
    let mut impact = sample::breaking();
    impact.risk.level = RiskLevel::Unknown;
    impact.risk.unknown = vec!["`a.bin` cannot be read".into()];
    let comment = rendered(&impact, Format::Markdown, &Limit::COMMENT);
    assert!(comment.contains("**Breaking**, risk unknown: "), "{comment}");
    assert!(comment.contains(" Not known: `a.bin` cannot be read.\n"), "{comment}");
    let text = rendered(&impact, Format::Text, &Limit::TERMINAL);
    assert_eq!(text.lines().nth(1), Some("Not known: `a.bin` cannot be read"));
}

#[test]
fn what_was_not_looked_into_is_named_also_where_nobody_has_to_look_at_anything() {
    let row = |path: &str, reason: &str, code| Incomplete { path: path.into(), reason: reason.into(), code };
    let incomplete = vec![row("Cargo.lock", "too large", false), row("src/a.pl", "icr has no grammar for it", true)];
    let impact = Impact { incomplete, ..sample::clean() };
    insta::assert_snapshot!(rendered(&impact, Format::Text, &Limit::TERMINAL), @r#"
    Clean: nothing else is affected
    Compared main (1111111111) → HEAD (2222222222): 2 files, +10 −13

    Not analysed: 2
      code  src/a.pl    icr has no grammar for it
      data  Cargo.lock  too large

    To know of this answer: 1
      -  3 files are not indexed yet
    "#);
    insta::assert_snapshot!(rendered(&impact, Format::Markdown, &Limit::COMMENT), @r#"
    <!-- icr-impact -->
    **Clean**: nothing else is affected. Not analysed: `src/a.pl`: icr has no grammar for it; `Cargo.lock`: too large. Gaps: 3 files are not indexed yet.
    "#);
}

/// A clean change of code about which something is noted.
fn noted() -> Impact {
    let of_file = CodeNote { symbol: None, state: None, ..sample::note("Read `docs/greet.md` first.") };
    let memories = vec![sample::note("Callers pass <name> by position; #12 asked for it."), of_file];
    Impact { memories, ..sample::clean() }
}

#[test]
fn what_is_noted_about_the_code_is_told_also_where_nobody_has_to_look() {
    insta::assert_snapshot!(rendered(&noted(), Format::Text, &Limit::TERMINAL), @r##"
    Clean: nothing else is affected
    Compared main (1111111111) → HEAD (2222222222): 2 files, +10 −13

    Memories about this code: 2
      changed  src/greet.py Greeter.greet  choices: Callers pass <name> by position; #12 asked for it. (2023-11-14)
      -        src/greet.py                choices: Read `docs/greet.md` first. (2023-11-14)

    To know of this answer: 1
      -  3 files are not indexed yet
    "##);
    insta::assert_snapshot!(rendered(&noted(), Format::Markdown, &Limit::NONE), @r##"
    <!-- icr-impact -->
    **Clean**: nothing else is affected. Gaps: 3 files are not indexed yet.

    **Memories about this code**

    - [`src/greet.py`](https://github.com/octo/app/blob/2222222222/src/greet.py) `Greeter.greet`, changed since: Callers pass &#60;name&#62; by position; &#35;&#8203;12 asked for it. (choices, 2023-11-14)
    - [`src/greet.py`](https://github.com/octo/app/blob/2222222222/src/greet.py): Read `docs/greet.md` first. (choices, 2023-11-14)
    "##);
    let of_breaking = Impact { memories: noted().memories, ..sample::breaking() };
    let markdown = rendered(&of_breaking, Format::Markdown, &Limit::NONE);
    let (noted, folded) = (markdown.find("**Memories about this code**"), markdown.find("<details>"));
    assert!(noted.is_some() && noted < folded, "{markdown}");
}

#[test]
fn what_is_noted_stands_in_json_only_where_there_is_something() {
    let json = |impact: &Impact| serde_json::to_value(impact).unwrap();
    assert_eq!(json(&sample::clean()).get("memories"), None);
    insta::assert_snapshot!(serde_json::to_string_pretty(&json(&noted())["memories"]).unwrap(), @r##"
    [
      {
        "id": "01HF7YAT00000000000000000",
        "topic": "choices",
        "summary": "Callers pass <name> by position; #12 asked for it.",
        "path": "src/greet.py",
        "symbol": "Greeter.greet",
        "state": "changed",
        "created_at": "2023-11-14T22:13:20Z"
      },
      {
        "id": "01HF7YAT00000000000000000",
        "topic": "choices",
        "summary": "Read `docs/greet.md` first.",
        "path": "src/greet.py",
        "created_at": "2023-11-14T22:13:20Z"
      }
    ]
    "##);
}

#[test]
fn what_is_noted_changes_nothing_of_what_machines_read() {
    for format in [Format::Sarif, Format::Junit, Format::Gitlab, Format::Github, Format::Mermaid, Format::Dot] {
        let of = |impact: &Impact| rendered(impact, format, &Limit::NONE);
        assert_eq!(of(&noted()), of(&sample::clean()), "{format:?}");
    }
}

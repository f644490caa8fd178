//! Text and Markdown.

use super::*;
use crate::{Incomplete, RiskLevel, Verdict};

#[test]
fn text_says_the_verdict_first() {
    insta::assert_snapshot!(rendered(&sample::breaking(), Format::Text, &Limit::TERMINAL), @r#"
    Breaking: `Greeter.greet` lost a parameter that 2 files still pass
    Compared main (1111111111) → HEAD (2222222222): 2 files, +10 −13, 2 definitions (1 removed, 1 signature)

    Contracts: 2
      breaking  src/greet.py:12  Greeter.greet: parameter `name` was removed; returns `int` instead of `str`; used by `src/app.py`, `src/cli.py` and `tests/test_greet.py`
      breaking  src/gone.py      wave: it is gone; nothing here uses it

    Missing: 1
      82%  docs/greet.md  11 of the 13 commits that touched `src/greet.py` touched this too, last 9 days before

    Dependents: 2, and 1 more file through these
      high    src/app.py:3   2 references to `Greeter.greet`: lines 3, 9
      medium  src/cli.py:41  1 reference to `Greeter.greet`: line 41

    Tests: 1 of 20 files, expected to find 92% of what all would
      $  pytest tests/test_greet.py

    Risk: high (0.72)
      contract  0.40  1 promise is broken for 2 files
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
fn text_has_styles() {
    let lines = text(&sample::breaking(), &About::default(), &Limit::TERMINAL);
    let styled = |style: Style| {
        let pieces = lines.iter().flatten().filter(|piece| piece.0 == style);
        pieces.map(|piece| piece.1.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(styled(Style::Bad), ["Breaking", "breaking", "breaking", "high (0.72)"]);
    assert_eq!(styled(Style::Command), ["pytest tests/test_greet.py"]);
    assert_eq!(
        styled(Style::Path),
        ["src/greet.py:12", "src/gone.py", "docs/greet.md", "src/app.py:3", "src/cli.py:41"]
    );
}

#[test]
fn long_text_counts_what_it_leaves_out() {
    let names: Vec<String> = (0..100).map(|at| format!("src/{at}.py")).collect();
    let text = rendered(&sample::named(&names), Format::Text, &Limit::TERMINAL);
    assert_eq!(text.lines().count(), 40);
    let more: Vec<&str> = text.lines().filter(|line| line.starts_with("  and ")).collect();
    assert_eq!(more, ["  and 96 more", "  and 96 more", "  and 97 more"]);
}

#[test]
fn text_tells_what_is_reached_through_files_of_the_change() {
    let mut impact = sample::breaking();
    impact.direct_dependents.iter_mut().for_each(|file| file.in_change = true);
    let text = rendered(&impact, Format::Text, &Limit::TERMINAL);
    assert!(text.contains("\n\nDependents: 0, and 1 more file through these\n\nTests: "), "{text}");
}

#[test]
fn a_comment_is_verdict_then_reasons_then_tests_then_the_rest() {
    insta::assert_snapshot!(rendered(&sample::breaking(), Format::Markdown, &Limit::COMMENT), @r#"
    <!-- icr-impact -->
    **Breaking**, risk high (0.72): `Greeter.greet` lost a parameter that 2 files still pass.

    | | Where | Why |
    |---|---|---|
    | **breaking** | `Greeter.greet` in [`src/greet.py:12`](https://github.com/octo/app/blob/2222222222/src/greet.py#L12-L20) | parameter `name` was removed; returns `int` instead of `str`; used by `src/app.py`, `src/cli.py` and `tests/test_greet.py` |
    | **breaking** | `wave` in `src/gone.py` | it is gone; nothing here uses it |
    | missing | [`docs/greet.md`](https://github.com/octo/app/blob/2222222222/docs/greet.md) | 82% likely: 11 of the 13 commits that touched `src/greet.py` touched this too, last 9 days before |
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
    | contract | 1.00 | 0.40 | 1 promise is broken for 2 files |
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
    let left_out = comment.lines().find(|line| line.starts_with("Left out"));
    assert_eq!(
        left_out,
        Some(
            "Left out to keep this short: expected files, files reached through others, files to read, risk, graph, notes."
        )
    );
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

    Not looked into: 2
      code  src/a.pl    icr has no grammar for it
      data  Cargo.lock  too large

    To know of this answer: 1
      -  3 files are not indexed yet
    "#);
    insta::assert_snapshot!(rendered(&impact, Format::Markdown, &Limit::COMMENT), @r#"
    <!-- icr-impact -->
    **Clean**: nothing else is affected. Not looked into: `src/a.pl`: icr has no grammar for it; `Cargo.lock`: too large. Gaps: 3 files are not indexed yet.
    "#);
}

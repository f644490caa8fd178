//! Formats that hosts read.

use serde_json::Value;

use super::*;
use crate::{Effect, GraphRole, Incomplete, Level, RiskLevel, Severity};

/// One contract with one user, who is to be checked.
fn small() -> Impact {
    let mut impact = sample::breaking();
    impact.contract_impact.changes.truncate(1);
    impact.contract_impact.changes[0].consumers_untouched = 1;
    impact.direct_dependents.truncate(1);
    impact.missing.clear();
    impact
}

#[test]
fn sarif_has_a_rule_for_each_class() {
    insta::assert_snapshot!(rendered(&small(), Format::Sarif, &Limit::NONE), @r#"
    {
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
      "version": "2.1.0",
      "runs": [
        {
          "tool": {
            "driver": {
              "name": "icr impact",
              "version": "0.1.0",
              "rules": [
                {
                  "id": "contract/parameter_removed",
                  "name": "ContractParameterRemoved",
                  "shortDescription": {
                    "text": "Change of a contract: parameter removed"
                  },
                  "fullDescription": {
                    "text": "Stop giving the argument."
                  },
                  "help": {
                    "text": "Stop giving the argument."
                  },
                  "defaultConfiguration": {
                    "level": "error"
                  },
                  "properties": {
                    "tags": [
                      "impact"
                    ]
                  }
                },
                {
                  "id": "dependent",
                  "name": "Dependent",
                  "shortDescription": {
                    "text": "File that refers to what changed"
                  },
                  "fullDescription": {
                    "text": "It uses definitions that the change changes. Check whether it still does what it should."
                  },
                  "help": {
                    "text": "It uses definitions that the change changes. Check whether it still does what it should."
                  },
                  "defaultConfiguration": {
                    "level": "note"
                  },
                  "properties": {
                    "tags": [
                      "impact"
                    ]
                  }
                }
              ]
            }
          },
          "automationDetails": {
            "id": "icr-impact/"
          },
          "originalUriBaseIds": {
            "%SRCROOT%": {
              "description": {
                "text": "The root of the repository."
              }
            }
          },
          "columnKind": "unicodeCodePoints",
          "invocations": [
            {
              "executionSuccessful": true,
              "toolExecutionNotifications": [
                {
                  "level": "note",
                  "message": {
                    "text": "Breaking: `Greeter.greet` lost a parameter that 2 files still pass"
                  }
                },
                {
                  "level": "note",
                  "message": {
                    "text": "`main` is no ancestor of `HEAD`; compared from their merge base"
                  }
                },
                {
                  "level": "note",
                  "message": {
                    "text": "3 files are not indexed yet"
                  }
                },
                {
                  "level": "note",
                  "message": {
                    "text": "`expected` shows 2 of 140"
                  }
                }
              ]
            }
          ],
          "properties": {
            "verdict": "breaking",
            "risk": "high",
            "sides": "main (1111111111) → HEAD (2222222222)"
          },
          "results": [
            {
              "ruleId": "contract/parameter_removed",
              "ruleIndex": 0,
              "level": "error",
              "message": {
                "text": "`Greeter.greet`: parameter `name` was removed; used by `src/app.py`; breaks `src/app.py:3` (`greeter.greet(\"Ada\")`): no argument is taken any more"
              },
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "src/greet.py",
                      "uriBaseId": "%SRCROOT%"
                    },
                    "region": {
                      "startLine": 12,
                      "endLine": 20
                    }
                  }
                }
              ],
              "partialFingerprints": {
                "icrImpact/v1": "ae85623847b6a232"
              },
              "relatedLocations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "src/app.py",
                      "uriBaseId": "%SRCROOT%"
                    },
                    "region": {
                      "startLine": 3,
                      "endLine": 3
                    }
                  },
                  "id": 1,
                  "message": {
                    "text": "`greeter.greet(\"Ada\")`: no argument is taken any more"
                  }
                },
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "src/app.py",
                      "uriBaseId": "%SRCROOT%"
                    },
                    "region": {
                      "startLine": 9,
                      "endLine": 9
                    }
                  },
                  "id": 2,
                  "message": {
                    "text": "It is used here."
                  }
                }
              ]
            },
            {
              "ruleId": "dependent",
              "ruleIndex": 1,
              "level": "note",
              "message": {
                "text": "`src/app.py` may have to change too: 2 references to `Greeter.greet`: lines 3, 9"
              },
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "src/app.py",
                      "uriBaseId": "%SRCROOT%"
                    },
                    "region": {
                      "startLine": 3,
                      "endLine": 3
                    }
                  }
                }
              ],
              "partialFingerprints": {
                "icrImpact/v1": "d4eb29070b3aeee7"
              },
              "relatedLocations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "src/app.py",
                      "uriBaseId": "%SRCROOT%"
                    },
                    "region": {
                      "startLine": 9,
                      "endLine": 9
                    }
                  },
                  "id": 1,
                  "message": {
                    "text": "It is used here."
                  }
                }
              ]
            }
          ]
        }
      ]
    }
    "#);
}

#[test]
fn junit_has_a_case_for_each_check() {
    insta::assert_snapshot!(rendered(&sample::breaking(), Format::Junit, &Limit::NONE), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="icr impact" tests="6" failures="1" errors="0" skipped="0">
      <testsuite name="icr impact" tests="6" failures="1" errors="0" skipped="0">
        <properties>
          <property name="version" value="0.1.0"/>
          <property name="verdict" value="breaking"/>
          <property name="sides" value="main (1111111111) → HEAD (2222222222)"/>
          <property name="summary" value="`Greeter.greet` lost a parameter that 2 files still pass"/>
          <property name="repo" value="octo/app"/>
          <property name="gap" value="3 files are not indexed yet"/>
        </properties>
        <testcase classname="icr impact" name="breaking contracts">
          <failure message="1 contract broken for files that the change leaves alone" type="breaking contracts">- src/greet.py:12: `Greeter.greet`: parameter `name` was removed; returns `int` instead of `str`; used by `src/app.py`, `src/cli.py` and `tests/test_greet.py`; breaks `src/app.py:3` (`greeter.greet(&quot;Ada&quot;)`): no argument is taken any more
    </failure>
        </testcase>
        <testcase classname="icr impact" name="other contracts">
          <system-out>- src/gone.py: `wave`: it is gone; nothing here uses it
    </system-out>
        </testcase>
        <testcase classname="icr impact" name="missing files">
          <system-out>- docs/greet.md: `docs/greet.md` may have been forgotten (82%): 11 of the 13 commits that touched `src/greet.py` touched this too, last 9 days before
    </system-out>
        </testcase>
        <testcase classname="icr impact" name="dependents">
          <system-out>- src/app.py:3: `src/app.py` may have to change too: 2 references to `Greeter.greet`: lines 3, 9
    - src/cli.py:41: `src/cli.py` may have to change too: 1 reference to `Greeter.greet`: line 41
    </system-out>
        </testcase>
        <testcase classname="icr impact" name="files looked into"/>
        <testcase classname="icr impact" name="risk">
          <system-out>high (0.72)
    contract: 1 contract is broken for 2 files
    missing: `docs/greet.md` seems forgotten
    </system-out>
        </testcase>
      </testsuite>
    </testsuites>
    "#);
}

#[test]
fn junit_skips_a_risk_that_is_not_known() {
    let mut impact = sample::clean();
    impact.risk.level = RiskLevel::Unknown;
    impact.risk.unknown = vec!["`a.bin` is binary".into()];
    let junit = rendered(&impact, Format::Junit, &Limit::NONE);
    assert!(junit.contains("tests=\"6\" failures=\"0\" errors=\"0\" skipped=\"1\""), "{junit}");
    assert!(junit.contains("<skipped message=\"the risk is not known: `a.bin` is binary\"/>"), "{junit}");
}

#[test]
fn gitlab_has_a_row_for_each_finding() {
    insta::assert_snapshot!(rendered(&small(), Format::Gitlab, &Limit::NONE), @r#"
    [
      {
        "description": "`Greeter.greet`: parameter `name` was removed; used by `src/app.py`; breaks `src/app.py:3` (`greeter.greet(\"Ada\")`): no argument is taken any more",
        "check_name": "icr/contract/parameter_removed",
        "fingerprint": "ae85623847b6a232",
        "severity": "critical",
        "location": {
          "path": "src/greet.py",
          "lines": {
            "begin": 12
          }
        }
      },
      {
        "description": "`src/app.py` may have to change too: 2 references to `Greeter.greet`: lines 3, 9",
        "check_name": "icr/dependent",
        "fingerprint": "d4eb29070b3aeee7",
        "severity": "info",
        "location": {
          "path": "src/app.py",
          "lines": {
            "begin": 3
          }
        }
      }
    ]
    "#);
}

#[test]
fn gitlab_has_its_own_severities() {
    let rows: Vec<Value> = serde_json::from_str(&gitlab(&sample::breaking(), &About::default())).unwrap();
    let severities = rows.iter().map(|row| format!("{} {}", row["check_name"], row["severity"]).replace('"', ""));
    let expected = [
        "icr/contract/parameter_removed critical",
        "icr/contract/removed major",
        "icr/missing minor",
        "icr/dependent info",
        "icr/dependent info",
    ];
    assert_eq!(severities.collect::<Vec<_>>(), expected);
}

#[test]
fn what_is_gone_is_found_at_the_first_use_that_it_breaks() {
    let mut impact = sample::breaking();
    let mut uses = std::mem::take(&mut impact.contract_impact.changes[0].uses);
    uses[0].line = 41;
    let gone = &mut impact.contract_impact.changes[2];
    (gone.effect, gone.uses) = (Effect::Breaks, uses);
    assert!(
        annotations(&impact, &About::default())
            .contains("::error file=src/app.py,line=41,endLine=41,title=removed::`wave`: ")
    );
    let sarif: Value = serde_json::from_str(&rendered(&impact, Format::Sarif, &Limit::NONE)).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let result = results.iter().find(|result| result["ruleId"] == "contract/removed").unwrap();
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 41);
}

#[test]
fn only_what_breaks_a_use_is_an_error_where_nobody_says_otherwise() {
    let check = |effect: Effect, severity: Severity, accepted: Option<&str>, expected: Option<&str>| {
        let mut impact = small();
        let change = &mut impact.contract_impact.changes[0];
        (change.effect, change.severity, change.accepted) = (effect, severity, accepted.map(str::to_owned));
        let rows: Vec<Value> = serde_json::from_str(&gitlab(&impact, &About::default())).unwrap();
        let row = rows.iter().find(|row| row["check_name"] == "icr/contract/parameter_removed");
        assert_eq!(row.and_then(|row| row["severity"].as_str()), expected, "{effect:?} {severity:?} {accepted:?}");
    };
    check(Effect::Breaks, Severity::Risky, None, Some("critical"));
    check(Effect::Breaks, Severity::Breaking, Some("nobody gives it"), Some("info"));
    check(Effect::MayBreak, Severity::Breaking, None, Some("major"));
    check(Effect::MayBreak, Severity::Risky, None, Some("info"));
    check(Effect::Holds, Severity::Breaking, None, Some("info"));
    check(Effect::Holds, Severity::Additive, None, None);
}

#[test]
fn what_the_run_fails_on_is_an_error_and_nothing_else_is() {
    let mut impact = sample::breaking();
    impact.incomplete = vec![Incomplete { path: "src/a.pl".into(), reason: "too large".into(), code: true }];
    let check = |conditions: &str, expected: &[&str]| {
        let gate = gate::parse(conditions).unwrap();
        let about = About { gate: Some(&gate), ..About::default() };
        let rows: Vec<Value> = serde_json::from_str(&gitlab(&impact, &about)).unwrap();
        let errors = rows.iter().filter(|row| row["severity"] == "critical");
        let errors: Vec<&str> = errors.filter_map(|row| row["check_name"].as_str()?.strip_prefix("icr/")).collect();
        assert_eq!(errors, expected, "{conditions}");
        let annotations = annotations(&impact, &about);
        let errors = annotations.lines().filter(|line| line.starts_with("::error ")).count();
        assert_eq!(errors, expected.len(), "{conditions}: {annotations}");
    };
    let (broken, gone) = ("contract/parameter_removed", "contract/removed");
    check("breaking", &[broken]);
    check("may_break", &[broken, gone]);
    check("contract:removed", &[gone]);
    check("contract:return_changed", &[broken]);
    check("severity>=breaking", &[broken, gone]);
    check("contracts>0", &[broken, gone]);
    check("missing", &["missing"]);
    check("missing>1, breaking", &[broken]);
    check("missing and verdict=breaking", &[broken, "missing"]);
    check("unknown", &["incomplete"]);
    check("dependents>1", &["dependent", "dependent"]);
    check("review", &[broken, gone, "missing", "dependent", "dependent"]);
    for none in ["none", "clean", "risk>=high", "missing and empty"] {
        check(none, &[]);
    }
}

#[test]
fn what_somebody_accepted_is_no_error_whatever_the_run_fails_on() {
    let mut impact = small();
    impact.contract_impact.changes[0].accepted = Some("nobody gives it".into());
    let gate = gate::parse("breaking, contract:parameter_removed, severity>=none").unwrap();
    let annotations = annotations(&impact, &About { gate: Some(&gate), ..About::default() });
    assert!(!annotations.contains("::error ") && annotations.contains("title=parameter removed::"), "{annotations}");
}

#[test]
fn cases_fail_by_what_the_run_fails_on() {
    let mut impact = sample::breaking();
    impact.incomplete = vec![Incomplete { path: "src/a.pl".into(), reason: "too large".into(), code: true }];
    let check = |conditions: &str, counts: &str, message: &str| {
        let gate = gate::parse(conditions).unwrap();
        let junit = junit(&impact, &About { gate: Some(&gate), ..About::default() });
        assert!(junit.contains(counts) && junit.contains(message), "{conditions}: {junit}");
    };
    check(
        "none",
        "failures=\"0\" errors=\"0\" skipped=\"1\"",
        "<skipped message=\"1 file of code not looked into in full\"",
    );
    check(
        "missing",
        "failures=\"1\" errors=\"0\" skipped=\"1\"",
        "<failure message=\"1 file that may have been forgotten\"",
    );
    check(
        "unknown",
        "failures=\"1\" errors=\"0\" skipped=\"0\"",
        "<failure message=\"1 file of code not looked into in full\"",
    );
    check("review", "failures=\"4\" errors=\"0\" skipped=\"1\"", "<failure message=\"2 files to check\"");
}

#[test]
fn a_dependent_that_is_hardly_affected_is_no_finding() {
    let mut impact = small();
    impact.direct_dependents[0].impact_level = Level::Low;
    for format in [Format::Github, Format::Gitlab, Format::Junit, Format::Sarif] {
        let report = rendered(&impact, format, &Limit::NONE);
        assert!(!report.contains("may have to change too"), "{report}");
    }
}

#[test]
fn what_is_gone_is_found_at_the_first_line_that_uses_it() {
    let mut impact = sample::breaking();
    impact.direct_dependents[1].symbols = vec!["wave".into()];
    let gone = &mut impact.contract_impact.changes[2];
    (gone.consumers, gone.consumers_untouched) = (1, 1);
    let annotations = annotations(&impact, &About::default());
    let expected =
        "::warning file=src/cli.py,line=41,endLine=41,title=removed::`wave`: it is gone; used by `src/cli.py`\n";
    assert!(annotations.contains(expected), "{annotations}");
}

#[test]
fn fingerprints_outlive_a_move_and_differ_for_overloads() {
    let of = |impact: &Impact| -> Vec<String> {
        let rows: Vec<Value> = serde_json::from_str(&gitlab(impact, &About::default())).unwrap();
        rows.iter().map(|row| row["fingerprint"].to_string()).collect()
    };
    let mut moved = small();
    moved.contract_impact.changes[0].line += 7;
    assert_eq!(of(&moved), of(&small()));
    let mut overloaded = moved.clone();
    overloaded.contract_impact.changes.push(small().contract_impact.changes.remove(0));
    let fingerprints = of(&overloaded);
    assert_eq!(fingerprints[0], of(&small())[0]);
    assert_ne!(fingerprints[0], fingerprints[1]);
}

#[test]
fn annotations_name_lines_of_the_head_side_only() {
    insta::assert_snapshot!(annotations(&sample::breaking(), &About::default()), @r#"
    ::error file=src/greet.py,line=12,endLine=20,title=parameter removed::`Greeter.greet`: parameter `name` was removed; returns `int` instead of `str`; used by `src/app.py`, `src/cli.py` and `tests/test_greet.py`; breaks `src/app.py:3` (`greeter.greet("Ada")`): no argument is taken any more
    ::warning file=src/gone.py,title=removed::`wave`: it is gone; nothing here uses it
    ::warning file=docs/greet.md,title=may have been forgotten::`docs/greet.md` may have been forgotten (82%25): 11 of the 13 commits that touched `src/greet.py` touched this too, last 9 days before
    ::notice file=src/app.py,line=3,endLine=3,title=refers to what changed::`src/app.py` may have to change too: 2 references to `Greeter.greet`: lines 3, 9
    ::notice file=src/cli.py,line=41,endLine=41,title=refers to what changed::`src/cli.py` may have to change too: 1 reference to `Greeter.greet`: line 41
    ::notice title=icr impact::Breaking: `Greeter.greet` lost a parameter that 2 files still pass. Shown: 1 error, 2 warnings, 2 notices.
    "#);
}

#[test]
fn a_clean_change_has_no_annotation() {
    assert_eq!(annotations(&sample::clean(), &About::default()), "");
}

#[test]
fn annotations_keep_the_worst_and_count_the_rest() {
    let names: Vec<String> = (0..30).map(|at| format!("{at}.py")).collect();
    let annotations = annotations(&sample::impact_with_names(&names), &About::default());
    let count = |kind: &str| annotations.lines().filter(|line| line.starts_with(kind)).count();
    assert_eq!([count("::error "), count("::warning "), count("::notice ")], [10, 10, 10]);
    let sum = annotations.lines().last().unwrap();
    assert!(sum.ends_with(" Shown: 10 of 26 errors, 10 of 18 warnings, 9 of 49 notices."), "{sum}");
}

#[test]
fn mermaid_draws_roles_and_kinds() {
    insta::assert_snapshot!(mermaid(&sample::breaking()), @r#"
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
    "#);
    assert_eq!(mermaid(&sample::clean()), "");
}

#[test]
fn mermaid_keeps_what_is_missing_and_says_what_it_leaves_out() {
    let names: Vec<String> = (0..50).map(|at| format!("{at}.py")).collect();
    let mut impact = sample::impact_with_names(&names);
    impact.graph.nodes[49].role = GraphRole::Missing;
    impact.graph.nodes[48].role = GraphRole::Dependent;
    let drawing = mermaid(&impact);
    let nodes: Vec<&str> = drawing.lines().filter(|line| line.contains("[\"")).collect();
    assert_eq!(nodes.len(), 40);
    assert_eq!(
        nodes[37..],
        [
            "  n38[\"48.py\"]:::dependent",
            "  n39[\"49.py\"]:::missing",
            "  note[\"11 more files and 12 more connections\"]:::note"
        ]
    );
}

#[test]
fn dot_draws_everything() {
    insta::assert_snapshot!(dot(&sample::breaking()), @r##"
    digraph impact {
      rankdir=LR;
      node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif"];
      edge [fontname="sans-serif", fontsize=10];
      "src/greet.py" [label="greet.py", tooltip="src/greet.py", fillcolor="#cfe2ff", penwidth=2];
      "docs/greet.md" [label="greet.md", tooltip="docs/greet.md", fillcolor="#ffd9d6", style="rounded,filled,dashed", penwidth=2];
      "src/app.py" [label="app.py", tooltip="src/app.py", fillcolor="#fff1c2"];
      "tests/test_greet.py" [label="test_greet.py", tooltip="tests/test_greet.py", fillcolor="#d8f0d8"];
      "src/app.py" -> "src/greet.py" [tooltip="`Greeter.greet`", label="2"];
      "tests/test_greet.py" -> "src/greet.py" [tooltip="`Greeter.greet`", color="#2e7d32"];
      "src/greet.py" -> "docs/greet.md" [tooltip="`Greeter.greet`", style=dotted, dir=none, label="11"];
    }
    "##);
}

#[test]
fn json_is_the_answer_itself() {
    let json: Value = serde_json::from_str(&json(&sample::breaking())).unwrap();
    assert_eq!(json, serde_json::to_value(sample::breaking()).unwrap());
}

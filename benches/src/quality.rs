//! Quality: what icr answers about repositories, held against what is known to be right.
//!
//! Runs the program's own `bench-*` commands and `graph`, so that every figure can be had without this one too.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::arguments::Quality;
use crate::error::{Error, io};
use crate::report::{BenchReport, Measurement};
use crate::workloads::{NO_PROGRAM, program};

/// Measures each repository.
///
/// # Errors
///
/// What keeps a repository from being measured.
pub(crate) fn run(request: &Quality) -> Result<(), Error> {
    let program = program(request.icr.as_deref()).ok_or_else(|| Error::Usage { message: NO_PROGRAM.to_owned() })?;
    let home =
        tempfile::TempDir::with_prefix("icr-bench-").map_err(io("making a directory in", &std::env::temp_dir()))?;
    for repository in &request.repositories {
        let ask = |args: &[&str]| json_of(&program, home.path(), repository, args);
        let status = ask(&["status"])?;
        let mut report = BenchReport::new(repository.file_name().unwrap_or_default().to_string_lossy());
        let commit = status.pointer("/provenance/commit").and_then(Value::as_str).unwrap_or_default();
        report.facts.push(("is HEAD", commit.chars().take(12).collect()));
        let commits = request.commits.to_string();
        report.rows.extend(forgotten_files(&ask(&["bench-impact", "--commits", &commits])?));
        report.rows.extend(packs(&ask(&["bench-pack", "--commits", &commits])?));
        if let Some(questions) = &request.questions {
            report.rows.extend(search(&ask(&["bench-retrieval", &questions.to_string_lossy()])?));
        }
        for (name, file, args) in [
            ("imports", &request.imports, &["graph"][..]),
            ("references", &request.references, &["graph", "--refs"][..]),
        ] {
            if let Some(file) = file {
                let truth = std::fs::read_to_string(file).map_err(io("reading", file))?;
                report.rows.extend(edges(name, &ask(args)?, &truth));
            }
        }
        report.publish(request.out.as_deref())?;
    }
    Ok(())
}

/// What the program answers in JSON.
fn json_of(program: &Path, home: &Path, repository: &Path, args: &[&str]) -> Result<Value, Error> {
    let mut command = Command::new(program);
    command.args(&args[..1]).args(["--quiet", "--json", "--repo"]).arg(repository).args(&args[1..]);
    let output = command.env("ICR_HOME", home).stdin(Stdio::null()).output().map_err(io("running", program))?;
    let failed = |message: String| Error::Program {
        program: format!("{} {}", program.display(), args.join(" ")),
        code: output.status.code().map_or("a signal".to_owned(), |code| code.to_string()),
        message,
    };
    match output.status.code() {
        // 1 says that nothing was found.
        Some(0 | 1) => serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string())),
        _ => Err(failed(String::from_utf8_lossy(&output.stderr).trim_end().to_owned())),
    }
}

/// Rows of `icr bench-impact`: how high the other files of a commit rank when one is known.
fn forgotten_files(answer: &Value) -> Vec<Measurement> {
    let methods = answer["methods"].as_array().into_iter().flatten();
    let rows = methods.filter_map(|method| {
        let name = method["method"].as_str()?;
        let figure = |figure: &str| method["one_known"][figure].as_f64();
        let note = format!("recall at 5 {}, MAP {}", decimals(figure("recall_at_5")?), decimals(figure("map")?));
        let row = Measurement::new(format!("impact, one file known: {name}"));
        Some(row.figure(figure("recall_at_10")?, "recall at 10").note(note))
    });
    rows.collect()
}

/// Rows of `icr bench-pack`: how much of what a commit changed is in the pack for its message.
fn packs(answer: &Value) -> Vec<Measurement> {
    let budgets = answer["budgets"].as_array().into_iter().flatten();
    let rows = budgets.flat_map(|budget| {
        let tokens = budget["budget_tokens"].as_u64().unwrap_or_default();
        let methods = budget["methods"].as_array().into_iter().flatten();
        methods.filter_map(move |method| {
            let name = format!("pack of {tokens} tokens: {}", method["method"].as_str()?);
            let note = format!("files {}", decimals(method["files"].as_f64()?));
            Some(Measurement::new(name).figure(method["hunks"].as_f64()?, "of the hunks").note(note))
        })
    });
    rows.collect()
}

/// The row of `icr bench-retrieval` over all questions.
fn search(answer: &Value) -> Vec<Measurement> {
    let total = &answer["total"];
    let row = || {
        let name = format!("search, {}", answer["mode"].as_str()?);
        let note = format!("{} questions, MRR {}", total["queries"].as_u64()?, decimals(total["mrr"].as_f64()?));
        Some(Measurement::new(name).figure(total["ndcg_at_10"].as_f64()?, "NDCG@10").note(note))
    };
    row().into_iter().collect()
}

/// Compares the rows of a graph with `truth`: one line for each edge, its two paths separated by a tab. A line with one
/// path names a file without edges. Edges from files that begin no line are not compared.
fn edges(name: &str, answer: &Value, truth: &str) -> Vec<Measurement> {
    let lines: Vec<(&str, &str)> = truth
        .lines()
        .map(|line| line.split_once('\t').unwrap_or((line, "")))
        .filter(|(from, _)| !from.is_empty())
        .collect();
    let sources: BTreeSet<&str> = lines.iter().map(|(from, _)| *from).collect();
    let right: BTreeSet<(&str, &str)> = lines.into_iter().filter(|(_, to)| !to.is_empty()).collect();
    let all = answer["edges"].as_array().into_iter().flatten();
    let shown: BTreeSet<(&str, &str)> = all
        .filter_map(|edge| Some((edge["from"].as_str()?, edge["to"].as_str()?)))
        .filter(|(from, _)| sources.contains(from))
        .collect();
    let both = shown.intersection(&right).count();
    let share = |of: usize| if of == 0 { 0.0 } else { both as f64 / of as f64 };
    let note = format!("{both} of {} shown, of {} right", shown.len(), right.len());
    vec![
        Measurement::new(format!("{name}, precision")).figure(share(shown.len()), "of what is shown").note(note),
        Measurement::new(format!("{name}, recall")).figure(share(right.len()), "of what is right"),
    ]
}

fn decimals(value: f64) -> String {
    format!("{value:.3}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn figures(rows: &[Measurement]) -> Vec<(&str, f64)> {
        rows.iter().map(|row| (row.name.as_str(), row.figure.as_ref().map_or(-1.0, |figure| figure.value))).collect()
    }

    #[test]
    fn edges_are_compared_for_the_files_that_the_truth_names() {
        let answer = json!({"edges": [
            {"from": "a", "to": "b"}, {"from": "a", "to": "c"}, {"from": "x", "to": "a"}, {"from": "b", "to": "c"},
        ]});
        let rows = edges("imports", &answer, "a\tb\na\td\nb\n");
        assert_eq!(figures(&rows), [("imports, precision", 1.0 / 3.0), ("imports, recall", 0.5)]);
        assert_eq!(figures(&edges("imports", &answer, "")), [("imports, precision", 0.0), ("imports, recall", 0.0)]);
    }

    #[test]
    fn rows_are_made_of_what_the_commands_print() {
        let impact = json!({"methods": [{"method": "icr", "one_known": {"recall_at_5": 0.5, "recall_at_10": 0.75, "map": 0.25}}]});
        assert_eq!(figures(&forgotten_files(&impact)), [("impact, one file known: icr", 0.75)]);
        let pack =
            json!({"budgets": [{"budget_tokens": 2000, "methods": [{"method": "pack", "hunks": 0.5, "files": 0.9}]}]});
        assert_eq!(figures(&packs(&pack)), [("pack of 2000 tokens: pack", 0.5)]);
        let retrieval = json!({"mode": "hybrid", "total": {"queries": 3, "ndcg_at_10": 0.9, "mrr": 1.0}});
        assert_eq!(figures(&search(&retrieval)), [("search, hybrid", 0.9)]);
    }
}

//! Tools for the workspace itself. `cargo run -p xtask -- tidy` checks what the compiler does not check; `cargo test -p
//! xtask` makes the same checks. `cargo run -p xtask -- languages` writes the table of languages into README.md, and
//! `channels` the table of channels into ARCHITECTURE.md. `cargo run --release -p xtask -- fit-impact CLONES` writes
//! the weights of `icr impact` into the crate that ships them, and `train-static SOURCES` the table of the static
//! embedder.

mod channels;
mod crate_map;
mod fit_impact;
mod fit_ranking;
mod git;
mod languages;
mod shipped_weights;
mod tables;
mod tidy;
mod train_static;

use std::io::Write;
use std::process::ExitCode;

use tables::{GeneratedTable, TABLES};

const USAGE: &str = "usage: cargo run -p xtask -- COMMAND

  channels                       write the table of channels into ARCHITECTURE.md
  crates                         write the table of crates into ARCHITECTURE.md
  fetch-sources DIRECTORY        get the packages that the static table is trained on
  fit-impact CLONES              fit the weights of `icr impact` on the past of public repositories, cloned in CLONES
  fit-ranking CLONES             fit the weights that order the first files of a search anew, on repositories cloned in CLONES, which get a few objects more
  languages                      write the table of languages into the README
  measure-static SOURCES TABLE   say how well a static table finds definitions of packages it was not trained on
  tidy                           check crate edges, dependencies, names, files, documents and licences
  train-static SOURCES           train the static table on the packages in SOURCES and write it into the crate that ships it
";

/// Exit code for arguments that make no sense; `sysexits.h` calls it EX_USAGE.
const EXIT_USAGE: u8 = 64;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["fetch-sources", directory] => to_exit_code(train_static::fetch(directory.as_ref(), &mut write_stdout)),
        ["fit-impact", clones] => fit_impact(clones),
        ["fit-ranking", clones] => to_exit_code(fit_ranking::write(clones.as_ref(), &mut write_stdout)),
        ["measure-static", sources, table] => {
            to_exit_code(train_static::measure(sources.as_ref(), table.as_ref(), &mut write_stdout))
        }
        ["tidy"] => tidy(),
        ["train-static", sources] => to_exit_code(train_static::train(sources.as_ref(), &mut write_stdout)),
        ["help" | "--help" | "-h"] => {
            write_ignoring_errors(std::io::stdout(), USAGE);
            ExitCode::SUCCESS
        }
        arguments => match TABLES.iter().find(|table| arguments == [table.name]) {
            Some(table) => write(table),
            None => {
                write_ignoring_errors(std::io::stderr(), USAGE);
                ExitCode::from(EXIT_USAGE)
            }
        },
    }
}

fn to_exit_code<E: std::fmt::Display>(done: Result<(), E>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            write_ignoring_errors(std::io::stderr(), &format!("error: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

fn write_stdout(text: &str) {
    write_ignoring_errors(std::io::stdout(), text);
}

fn write(table: &GeneratedTable) -> ExitCode {
    match table.write() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            write_ignoring_errors(std::io::stderr(), &format!("error: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

fn fit_impact(clones: &str) -> ExitCode {
    match fit_impact::write(std::path::Path::new(clones)) {
        Ok(told) => {
            write_ignoring_errors(std::io::stdout(), &told);
            ExitCode::SUCCESS
        }
        Err(error) => {
            write_ignoring_errors(std::io::stderr(), &format!("error: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

fn tidy() -> ExitCode {
    let tree = match tidy::Tree::of_workspace() {
        Ok(tree) => tree,
        Err(error) => {
            write_ignoring_errors(std::io::stderr(), &format!("error: {error}\n"));
            return ExitCode::FAILURE;
        }
    };
    let mut findings_total = 0;
    for check in tidy::CHECKS {
        let findings = (check.run)(&tree);
        findings_total += findings.len();
        let verdict = if findings.is_empty() { "ok" } else { "FAILED" };
        write_ignoring_errors(std::io::stdout(), &format!("{:52} {verdict}\n", check.fact));
        findings.iter().for_each(|finding| write_ignoring_errors(std::io::stdout(), &format!("    {finding}\n")));
    }
    if findings_total == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A closed pipe is not an error.
fn write_ignoring_errors(mut out: impl Write, text: &str) {
    let _ = out.write_all(text.as_bytes());
}

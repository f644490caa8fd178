//! Work on the workspace itself: `cargo run -p xtask -- tidy` checks what a compiler does not. `cargo test -p xtask`
//! makes the same checks. `cargo run -p xtask -- languages` writes the table of languages into the README,
//! `cargo run --release -p xtask -- fit-impact CLONES` the weights of `icr impact` into the crate that ships them.

mod fit_impact;
mod languages;
mod tidy;

use std::io::Write;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo run -p xtask -- fit-impact CLONES | languages | tidy

  fit-impact   fit the weights of `icr impact` on the past of public repositories, cloned in CLONES
  languages    write the table of languages into the README
  tidy         check crate edges, dependencies, names, files, documents and licences
";

/// Exit code for arguments that make no sense; `sysexits.h` calls it EX_USAGE.
const EXIT_USAGE: u8 = 64;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["fit-impact", clones] => fit_impact(clones),
        ["languages"] => languages(),
        ["tidy"] => tidy(),
        ["help" | "--help" | "-h"] => {
            say(std::io::stdout(), USAGE);
            ExitCode::SUCCESS
        }
        _ => {
            say(std::io::stderr(), USAGE);
            ExitCode::from(EXIT_USAGE)
        }
    }
}

fn languages() -> ExitCode {
    match languages::write() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(std::io::stderr(), &format!("error: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

fn fit_impact(clones: &str) -> ExitCode {
    match fit_impact::write(std::path::Path::new(clones)) {
        Ok(told) => {
            say(std::io::stdout(), &told);
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(std::io::stderr(), &format!("error: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

fn tidy() -> ExitCode {
    let tree = match tidy::Tree::of_workspace() {
        Ok(tree) => tree,
        Err(error) => {
            say(std::io::stderr(), &format!("error: {error}\n"));
            return ExitCode::FAILURE;
        }
    };
    let mut findings_total = 0;
    for check in tidy::CHECKS {
        let findings = (check.run)(&tree);
        findings_total += findings.len();
        let verdict = if findings.is_empty() { "ok" } else { "FAILED" };
        say(std::io::stdout(), &format!("{:52} {verdict}\n", check.fact));
        findings.iter().for_each(|finding| say(std::io::stdout(), &format!("    {finding}\n")));
    }
    if findings_total == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A reader who went away is no failure.
fn say(mut out: impl Write, text: &str) {
    let _ = out.write_all(text.as_bytes());
}

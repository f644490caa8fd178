//! Shows what a process that answers many questions does for each of them: the queries that ran.
//!
//! `cargo run --release -p icr-engine --example warm -- <repository> <home>` reads paths from standard input and prints, for each,
//! how many files import it and which queries ran for the answer, after whatever happened to the repository meanwhile.

#![expect(clippy::print_stdout, reason = "prints what it counts")]

use std::io::BufRead;

use icr_engine::{Engine, Freshness, NeighborsRequest, OpenOptions, SilentObserver, ViewSelector, Warm};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(repository), Some(home)) = (arguments.next(), arguments.next()) else {
        return Err("name a repository and a home for its store".into());
    };
    let mut warm = Warm::default();
    for path in std::io::stdin().lock().lines() {
        let request = NeighborsRequest { path: path?, depth: 1, changed_together: 0 };
        let engine = Engine::open(OpenOptions::new(&repository, &home))?;
        let found =
            warm.answer(&engine, &ViewSelector::Worktree, &Freshness::default(), &SilentObserver, |snapshot| {
                icr_engine::neighbors(snapshot, &request)
            })?;
        let ran: Vec<String> = warm.take_executed().iter().map(|(name, count)| format!("{name} {count}")).collect();
        println!("{}: {} importers; ran {}", found.path, found.importers.len(), ran.join(", "));
    }
    Ok(())
}

//! What shells are offered while a command is typed: paths, definitions and revisions of an indexed repository, besides the words that
//! the command line has itself. Nothing is indexed or written for it, and what goes wrong offers nothing.

use std::ffi::OsStr;

use clap::CommandFactory;
use clap_complete::CompleteEnv;
use clap_complete::engine::CompletionCandidate;
use icr_engine::{LogRequest, MapRequest, Snapshot, SymbolRequest};

use crate::arguments::{Arguments, Global};
use crate::context::Context;

/// The variable by which a shell asks for completions; its value is the name of the shell.
pub(crate) const VARIABLE: &str = "ICR_COMPLETE";

/// Most names offered: more are no choice.
const OFFERED: usize = 50;

/// Answers a shell that asks, and ends the process then.
pub(crate) fn answer() {
    CompleteEnv::with_factory(Arguments::command).var(VARIABLE).complete();
}

/// Files and directories of the view, a directory at a time.
pub(crate) fn paths(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    let (directory, begun) = typed.rsplit_once('/').map_or(("", typed), |(directory, begun)| (directory, begun));
    asked(|context, snapshot| {
        let below = if directory.is_empty() { context.path_of(".") } else { context.path_of(directory) };
        let below = Some(below).filter(|below| below != "." && !below.is_empty());
        let request = MapRequest { depth: 1, path_prefix: below, ..MapRequest::default() };
        let (tree, _) = icr_engine::map(snapshot, &request)?;
        let names = tree.children.into_iter().filter(|node| node.name.starts_with(begun)).map(|node| {
            let slash = if node.kind == "directory" { "/" } else { "" };
            let before = if directory.is_empty() { String::new() } else { format!("{directory}/") };
            format!("{before}{}{slash}", node.name)
        });
        Ok(names.collect())
    })
}

/// Names of definitions that begin as what is typed.
pub(crate) fn symbols(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str().filter(|typed| !typed.is_empty()) else { return Vec::new() };
    let request = SymbolRequest { query: typed.to_owned(), limit: OFFERED, ..SymbolRequest::default() };
    asked(|_, snapshot| {
        let found = icr_engine::symbols(snapshot, &request)?.symbols;
        let lower = typed.to_lowercase();
        let names = found.into_iter().flat_map(|symbol| [symbol.name, symbol.qualified_name]);
        let mut names: Vec<String> = names.filter(|name| name.to_lowercase().starts_with(&lower)).collect();
        names.sort();
        names.dedup();
        Ok(names)
    })
}

/// Branches and tags.
pub(crate) fn revisions(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    // The end of a range is completed too.
    let (before, begun) = match typed.rfind("..") {
        Some(at) => typed.split_at(typed[at..].rfind('.').map_or(at, |dot| at + dot + 1)),
        None => ("", typed),
    };
    asked(|_, snapshot| {
        let log = icr_engine::log(snapshot, &LogRequest { limit: 0, ..LogRequest::default() })?;
        let names = log.refs.into_iter().map(|named| named.name).chain(["HEAD".to_owned()]);
        Ok(names.filter(|name| name.starts_with(begun)).map(|name| format!("{before}{name}")).collect())
    })
}

/// What `question` gets from the repository around the directory that the shell is in, where it is indexed.
fn asked(question: impl Fn(&Context, &Snapshot) -> Result<Vec<String>, icr_engine::Error>) -> Vec<CompletionCandidate> {
    let global = Global { quiet: true, read_only: true, no_embeddings: true, ..Global::default() };
    let names = || {
        let context = Context::open(&global).ok()?;
        if !context.engine.is_indexed().ok()? {
            return None;
        }
        let (names, _) = context.ask(|snapshot| question(&context, snapshot)).ok()?;
        Some(names)
    };
    names().unwrap_or_default().into_iter().map(CompletionCandidate::new).collect()
}

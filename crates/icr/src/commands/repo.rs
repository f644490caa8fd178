//! `icr repo`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use icr_engine::{Located, SyncOptions};
use serde_json::json;

use crate::arguments::Global;
use crate::context::{self, Context};
use crate::output::{Output, Style, bytes_text, counted};
use crate::problem::{self, Usage};

/// List, add and remove indexed repositories
#[derive(Debug, Args)]
pub(crate) struct Repo {
    #[command(subcommand)]
    action: Action,
}

/// What to do.
#[derive(Debug, Subcommand)]
enum Action {
    /// Repositories that have a store
    List,
    /// Index a repository
    #[command(alias = "register")]
    Add {
        /// The repository, or a directory in it [default: here]
        path: Option<PathBuf>,
    },
    /// Delete what is derived for a repository; what you asked icr to keep stays
    Remove {
        /// The repository, or its id
        repository: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

impl Repo {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        match &self.action {
            Action::List => list(output),
            Action::Add { path } => add(global, path.as_ref(), output),
            Action::Remove { repository, yes } => {
                context::refuse_read_only(global, "icr repo remove")?;
                remove(repository, *yes, output)
            }
        }
    }
}

fn list(output: &mut Output) -> anyhow::Result<u8> {
    let entries = icr_engine::repositories(&context::home()?)?;
    if output.is_json() {
        output.json(&json!({ "repositories": entries }))?;
        return Ok(problem::OK);
    }
    for entry in &entries {
        let id = output.styled(Style::Name, &entry.repo_id);
        let views = counted(entry.views, "view", "views");
        output.line(format_args!("{id}  {}, {views}", bytes_text(entry.store_bytes)))?;
        for place in entry.worktrees.iter().chain(&entry.problem) {
            output.line(format_args!("    {place}"))?;
        }
    }
    Ok(problem::OK)
}

fn add(global: &Global, path: Option<&PathBuf>, output: &mut Output) -> anyhow::Result<u8> {
    context::refuse_read_only(global, "icr repo add")?;
    let global = Global { repo: path.cloned().or_else(|| global.repo.clone()), ..global.clone() };
    let context = Context::open(&global)?;
    let report = context.engine.sync(&SyncOptions::default(), &context.bar())?;
    let root = context.engine.root().display().to_string();
    if output.is_json() {
        output.json(&json!({ "repo_id": context.engine.repo_id(), "root": root, "sync": report }))?;
    } else {
        output.line(format_args!("{root} is indexed as {}", context.engine.repo_id()))?;
    }
    Ok(problem::OK)
}

fn remove(repository: &str, yes: bool, output: &mut Output) -> anyhow::Result<u8> {
    let home = context::home()?;
    let known = icr_engine::repositories(&home)?;
    let repo_id = match known.iter().find(|entry| entry.repo_id == repository) {
        Some(entry) => entry.repo_id.clone(),
        None => Located::find_named(repository.as_ref())?.repo_id(&home, None)?,
    };
    if !yes {
        let message = format!("removing the store of {repo_id} was not confirmed");
        return Err(Usage { message, hint: Some("add `--yes`".to_owned()) }.into());
    }
    let removed = icr_engine::remove_repository(&home, &repo_id)?;
    if output.is_json() {
        output.json(&json!({ "repo_id": repo_id, "removed": removed }))?;
    } else if removed {
        output.line(format_args!("the store of {repo_id} is removed"))?;
    } else {
        output.line(format_args!("{repo_id} has no store"))?;
    }
    Ok(if removed { problem::OK } else { problem::FINDING })
}

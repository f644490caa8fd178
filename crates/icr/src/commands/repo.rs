//! `icr repo`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use icr_engine::{IdRecording, LocatedRepository, SyncOptions};
use serde_json::json;

use crate::arguments::Global;
use crate::context::{self, Context};
use crate::output::{Output, Style, bytes_text, count_text};
use crate::problem::{self, Usage};

/// List, add and remove indexed repositories
#[derive(Debug, Args)]
pub(crate) struct Repo {
    #[command(subcommand)]
    action: RepositoryAction,
}

/// What to do.
#[derive(Debug, Subcommand)]
enum RepositoryAction {
    /// List repositories that have a store
    List,
    /// Index a repository
    #[command(alias = "register")]
    Add {
        /// The repository, or a directory in it [default: here]
        path: Option<PathBuf>,
    },
    /// Keep the index of a repository up to date while `icr serve --http` runs
    Watch {
        /// The repository, or a directory in it [default: here]
        path: Option<PathBuf>,
    },
    /// Stop keeping the index of a repository up to date; queries and hooks still update it
    Unwatch {
        /// The repository, or a directory in it [default: here]
        path: Option<PathBuf>,
    },
    /// List repositories that are kept up to date, with their state
    #[command(visible_alias = "watch-status")]
    Status,
    /// Delete derived data of a repository; what you asked icr to keep stays
    Remove {
        /// Path or id of the repository
        repository: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

impl Repo {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        match &self.action {
            RepositoryAction::List => list(output),
            RepositoryAction::Add { path } => add(global, path.as_ref(), output),
            RepositoryAction::Watch { path } => watch(global, path.as_ref(), true, output),
            RepositoryAction::Unwatch { path } => watch(global, path.as_ref(), false, output),
            RepositoryAction::Status => status(global, output),
            RepositoryAction::Remove { repository, yes } => {
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
        let views = count_text(entry.views, "view", "views");
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

fn watch(global: &Global, path: Option<&PathBuf>, is_watched: bool, output: &mut Output) -> anyhow::Result<u8> {
    context::refuse_read_only(global, if is_watched { "icr repo watch" } else { "icr repo unwatch" })?;
    let global = Global { repo: path.cloned().or_else(|| global.repo.clone()), ..global.clone() };
    let home = context::home()?;
    // A repository that is gone can still be named by its former path.
    let root = match (context::locate(&global), path) {
        (Ok(located), _) => std::fs::canonicalize(located.root())?,
        (Err(_), Some(path)) if !is_watched => std::path::absolute(path)?,
        (Err(error), _) => return Err(error),
    };
    // The home directory may not exist yet.
    icr_engine::repositories(&home)?;
    std::fs::create_dir_all(&home)?;
    let changed = icr_serve::set_watched(&home, &root, is_watched)?;
    if output.is_json() {
        output.json(&json!({ "root": root, "watched": is_watched, "changed": changed }))?;
    } else if is_watched {
        output.line(format_args!("{} is kept up to date while `icr serve --http` runs", root.display()))?;
    } else {
        output.line(format_args!("{} is not watched any more", root.display()))?;
    }
    Ok(problem::OK)
}

fn status(global: &Global, output: &mut Output) -> anyhow::Result<u8> {
    let mut rows = Vec::new();
    for root in icr_serve::watched_roots(&context::home()?)? {
        let global = Global { repo: Some(root.clone()), quiet: true, ..global.clone() };
        let state = Context::open(&global).and_then(|context| {
            let engine = &context.engine;
            Ok(match engine.store().is_indexed()? && engine.store().follows_head()? {
                true => "at HEAD".to_owned(),
                false => "behind HEAD".to_owned(),
            })
        });
        rows.push((root, state.unwrap_or_else(|error| format!("{error:#}"))));
    }
    if output.is_json() {
        let rows: Vec<_> = rows.iter().map(|(root, state)| json!({ "root": root, "state": state })).collect();
        output.json(&json!({ "watched": rows }))?;
        return Ok(problem::OK);
    }
    for (root, state) in &rows {
        let root = output.styled(Style::Name, root.display());
        output.line(format_args!("{root}  {state}"))?;
    }
    if rows.is_empty() && !global.quiet {
        output.line("No repository is watched: `icr repo watch` in one adds it.")?;
    }
    Ok(problem::OK)
}

fn remove(repository: &str, yes: bool, output: &mut Output) -> anyhow::Result<u8> {
    let home = context::home()?;
    let known = icr_engine::repositories(&home)?;
    let repo_id = match known.iter().find(|entry| entry.repo_id == repository) {
        Some(entry) => entry.repo_id.clone(),
        None => LocatedRepository::find_named(repository.as_ref())?.repo_id(&home, None, IdRecording::Forbidden)?,
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

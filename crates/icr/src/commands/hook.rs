//! `icr hook`

pub(crate) mod agent;
mod pre_push;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use icr_engine::{Engine, LocatedRepository, ServedBy, SilentObserver};
use icr_hooks::{DetachedProgram, Journal, begins_rebase, is_due, leave_session, pause, resume, resume_after_rebase};

use self::agent::ProcessDeadline;
use crate::arguments::Global;
use crate::context::{self, Context};
use crate::{environment, panics, problem};

/// Longest time that a hook call may take, whether git waits for it or not. A call normally takes milliseconds; a
/// longer one hangs on a file system that does not answer.
const LONGEST: Duration = Duration::from_secs(5);

/// Entry point for hooks: never fails, prints only what pre-push reports, and does other work in the background
///
/// Failures are lines of `logs/hooks.log` in the home of icr. `icr hooks install` writes the git hooks that call this,
/// `icr init --mode hook` the hooks of agents: `icr hook EVENT --host HOST`, with the host's payload on standard input.
/// EVENT is SessionStart, UserPromptSubmit, PostToolUse, Stop, PreCompact or SessionEnd; HOST is claude-code, codex,
/// copilot, cursor or gemini.
#[derive(Debug, Args)]
pub(crate) struct Hook {
    #[command(subcommand)]
    host: HookCaller,
}

/// The caller of a hook.
#[derive(Debug, Subcommand)]
enum HookCaller {
    /// Handle an event of git, with the arguments that git gave its hook
    Git {
        /// Event and its arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "EVENT")]
        words: Vec<OsString>,
    },
    /// Do the syncs that hooks requested, then end
    #[command(hide = true)]
    Serve,
    /// Wait for the end of a rebase, then restore the post-commit hook under its name
    #[command(hide = true)]
    Resume { hooks: PathBuf, git_dir: PathBuf },
    /// Handle an event of an agent: its name, and the host with `--host`
    #[command(external_subcommand)]
    Agent(Vec<OsString>),
}

impl Hook {
    /// Always returns the exit code for success: a hook must not break its host.
    pub(crate) fn run(&self, global: &Global) -> u8 {
        let home = context::home();
        let (name, result) = match &self.host {
            HookCaller::Git { words } => {
                let (event, arguments) =
                    words.split_first().map_or((OsStr::new(""), &[][..]), |(event, rest)| (event, rest));
                let event = event.to_string_lossy().into_owned();
                end_in_time(home.as_ref().ok(), &event);
                let done = panics::as_errors(|| match &home {
                    Err(_) => Ok(()),
                    Ok(home) if event == "pre-push" => tell_push(global, home, arguments),
                    Ok(home) => follow(global, home, &event, arguments),
                });
                (event, done)
            }
            HookCaller::Serve => ("serve".to_owned(), panics::as_errors(|| serve(global))),
            HookCaller::Resume { hooks, git_dir } => {
                leave_session();
                let resumed = panics::as_errors(|| Ok(resume_after_rebase(hooks, git_dir).map(drop)?));
                ("resume".to_owned(), resumed)
            }
            HookCaller::Agent(words) => {
                let event = words.first().map_or_else(String::new, |word| word.to_string_lossy().into_owned());
                let ends_at = ProcessDeadline::new(LONGEST);
                end_at(home.as_ref().ok(), &event, &ends_at);
                let answered = panics::as_errors(|| match &home {
                    Err(_) => Ok(()),
                    Ok(home) => agent::answer(global, home, words, &ends_at),
                });
                (event, answered)
            }
        };
        if let (Err(error), Ok(home)) = (result, home) {
            Journal::new(&home).note(environment::now(), &name, &format!("{error:#}"));
        }
        problem::OK
    }
}

/// Ends the process with the exit code for success if it still runs after [`LONGEST`].
fn end_in_time(home: Option<&PathBuf>, event: &str) {
    end_at(home, event, &ProcessDeadline::new(LONGEST));
}

/// Ends the process with the exit code for success if it still runs at `ends_at`. The deadline may be moved earlier
/// meanwhile.
fn end_at(home: Option<&PathBuf>, event: &str, ends_at: &ProcessDeadline) {
    let (journal, event, ends_at) = (home.map(|home| Journal::new(home)), event.to_owned(), ends_at.clone());
    std::thread::spawn(move || {
        // `park_timeout` may wake early, and the deadline may move earlier.
        while let Some(left) = ends_at.remaining_time() {
            std::thread::park_timeout(left.min(ENDS_SEEN_WITHIN));
        }
        if let Some(journal) = journal {
            journal.note(environment::now(), &event, &format!("given up after {} s", ends_at.limit().as_secs_f64()));
        }
        std::process::exit(problem::OK.into());
    });
}

/// How often the deadline is checked, so that an earlier one is noticed.
const ENDS_SEEN_WITHIN: Duration = Duration::from_millis(20);

/// Requests a sync of the repository that git runs the hook in, and makes sure that some process does it.
fn follow(global: &Global, home: &Path, event: &str, arguments: &[OsString]) -> anyhow::Result<()> {
    let (here, found) = leave_directory(global)?;
    // Git names the repository that it runs the hook of.
    let located = LocatedRepository::find_named(&found)?;
    let arguments: Vec<&OsStr> = arguments.iter().map(OsString::as_os_str).collect();
    let git_dir = located.git_dir().to_owned();
    let begins_rebase = begins_rebase(event, &git_dir);
    if !begins_rebase && !is_due(event, &arguments, &git_dir) {
        return Ok(());
    }
    let context = Context::open_with(&Global { repo: Some(found), ..global.clone() }, home.to_owned())?;
    if !context.hooks_enabled {
        return Ok(());
    }
    // The hook script says where it lies. A caller without a script has no hooks to pause.
    let script = environment::variable("ICR_HOOK").map(|script| here.join(script));
    let hooks = script.as_deref().and_then(Path::parent);
    if begins_rebase {
        return match hooks.map(pause).transpose()? {
            Some(true) => start(home, &[OsStr::new("resume"), hooks.unwrap_or(&here).as_os_str(), git_dir.as_os_str()]),
            _ => Ok(()),
        };
    }
    // Restores the hooks if the process that waited for the end of a rebase is gone.
    hooks.map(resume).transpose()?;
    sync_in_background(home, &context.engine)
}

/// Requests a sync of the repository, and starts a process for it unless one is at work already.
fn sync_in_background(home: &Path, engine: &Engine) -> anyhow::Result<()> {
    match engine.sync_requests().leave()? {
        ServedBy::Writer => Ok(()),
        ServedBy::Nobody => start(home, &[OsStr::new("serve"), OsStr::new("--repo"), engine.root().as_os_str()]),
    }
}

/// Reports what is about to be pushed.
fn tell_push(global: &Global, home: &Path, arguments: &[OsString]) -> anyhow::Result<()> {
    let (_, found) = leave_directory(global)?;
    pre_push::report_pushed_refs(&Global { repo: Some(found), ..global.clone() }, home, arguments)
}

/// Leaves the directory that git runs the hook in. Returns that directory, and where to look for the repository. After
/// that, only those of git's environment variables count that are read explicitly: their paths are relative, and while
/// a push is received they name another directory as the worktree.
fn leave_directory(global: &Global) -> anyhow::Result<(PathBuf, PathBuf)> {
    let here = environment::current_directory().context("finding the current directory")?;
    std::env::set_current_dir("/").context("leaving the current directory")?;
    let found = global.repo.as_ref().map_or_else(|| start_of(&here), |repo| here.join(repo));
    Ok((here, found))
}

/// Where to look for the repository that git runs a hook in. Git runs hooks in the root of the worktree or in the git
/// directory. It sets `GIT_DIR` if a search from there would not find the right git directory.
fn start_of(here: &Path) -> PathBuf {
    let named = environment::variable("GIT_DIR").and_then(|named| here.join(named).canonicalize().ok());
    match (LocatedRepository::find(here), named) {
        (Ok(found), Some(named)) if found.git_dir() != named => named,
        (Err(_), Some(named)) => named,
        _ => here.to_owned(),
    }
}

/// Starts this program again on its own, as `icr hook` with `arguments`.
fn start(home: &Path, arguments: &[&OsStr]) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("finding the program")?;
    let arguments: Vec<OsString> = [OsStr::new("hook")].iter().chain(arguments).map(|&word| word.to_owned()).collect();
    let environment = [(OsStr::new("ICR_HOME"), home.as_os_str().to_owned())];
    let detached = DetachedProgram { program: &program, arguments: &arguments, environment: &environment };
    detached.start().with_context(|| format!("starting `{}`", program.display()))
}

/// Does the syncs that hooks requested, until there are no more requests.
fn serve(global: &Global) -> anyhow::Result<()> {
    leave_session();
    let context = Context::open(global)?;
    if !context.engine.store().is_indexed()? {
        // The process that started this one may not have known where the queue is, so the request is made here.
        context.engine.sync_requests().leave()?;
    }
    let served = context.engine.sync_requests().serve(&SilentObserver)?;
    for served in &served {
        if let Err(error) = &served.outcome {
            let message = format!("`{}`: {}", served.worktree.display(), causes(error));
            Journal::new(&context.home).note(environment::now(), "serve", &message);
        }
    }
    Ok(())
}

/// An error and its causes on one line.
fn causes(error: &icr_engine::Error) -> String {
    let mut causes = vec![error.to_string()];
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    causes.dedup();
    causes.join(": ")
}

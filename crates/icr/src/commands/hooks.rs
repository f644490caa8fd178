//! `icr hooks`

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use icr_hooks::{
    Error, EventReport, HookEvent, HookState, HooksPlace, HooksReach, HooksReport, InstallRequest, Journal,
};
use serde_json::json;

use crate::arguments::Global;
use crate::context;
use crate::environment;
use crate::output::{Output, Style};
use crate::problem::{self, Usage};

/// Install, remove or list git hooks that keep the index fresh, and one that reports what a push changes
#[derive(Debug, Args)]
pub(crate) struct Hooks {
    #[command(subcommand)]
    action: HooksAction,
}

/// What to do.
#[derive(Debug, Subcommand)]
enum HooksAction {
    /// Install hooks; existing hooks are kept and run first
    Install {
        /// Install also where others are affected: hooks in the project, for all repositories, or outside the
        /// repository
        #[arg(long)]
        force: bool,
        /// Also install pre-push, which reports what each pushed ref changes and blocks none; git waits for it, five
        /// seconds at most. A new branch or tag is compared with the nearest commit that the remote is known to have; one
        /// whose commit the remote has already gets no line
        #[arg(long)]
        pre_push: bool,
        /// Only say what would be done
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove the hooks of icr and restore the former ones, byte for byte
    Uninstall {
        /// Only say what would be done
        #[arg(long)]
        dry_run: bool,
    },
    /// Show which hooks are installed
    Status,
}

impl Hooks {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let located = context::locate(global)?;
        let place = HooksPlace::find(located.root()).map_err(into_usage_error)?;
        let icr = this_program();
        let report = match &self.action {
            HooksAction::Install { force, pre_push, dry_run } => {
                let mut events = configured_events(global)?;
                events.extend(icr_hooks::event("pre-push").filter(|_| *pre_push));
                let request = InstallRequest { events: &events, icr: &icr, force: *force, dry_run: *dry_run };
                icr_hooks::install(&place, &request)
            }
            HooksAction::Uninstall { dry_run } => icr_hooks::uninstall(&place, *dry_run),
            HooksAction::Status => icr_hooks::status(&place),
        };
        let report = report.map_err(into_usage_error)?;
        let is_planned = matches!(
            self.action,
            HooksAction::Install { dry_run: true, .. } | HooksAction::Uninstall { dry_run: true }
        );
        self.print(&report, is_planned, &icr, output)?;
        let is_left_out = |event: &EventReport| match self.action {
            HooksAction::Install { .. } => matches!(event.state, HookState::Managed | HookState::Replaced),
            HooksAction::Uninstall { .. } => event.state == HookState::Changed,
            HooksAction::Status => false,
        };
        Ok(if report.events.iter().any(is_left_out) { problem::FINDING } else { problem::OK })
    }

    fn print(&self, report: &HooksReport, is_planned: bool, icr: &Path, output: &mut Output) -> anyhow::Result<()> {
        let on_path = on_path("icr");
        if output.is_json() {
            let mut value = serde_json::to_value(report)?;
            value["dry_run"] = json!(is_planned);
            value["icr"] = json!(icr.display().to_string());
            value["icr_on_path"] = json!(on_path.map(|path| path.display().to_string()));
            value["log"] = json!(Journal::new(&context::home()?).path().display().to_string());
            output.json(&value)?;
            return Ok(());
        }
        let directory = output.styled(Style::Name, &report.directory);
        let whose = match report.reach {
            HooksReach::Clone => "",
            HooksReach::Project => ", which is part of the project",
            HooksReach::Others => ", which `core.hooksPath` names for other repositories too",
            HooksReach::Outside => ", which lies outside of the repository: its own `core.hooksPath` names it",
        };
        output.line(format_args!("{directory}{whose}"))?;
        for event in &report.events {
            let name = output.styled(Style::Faint, format_args!("{:<15}", event.event));
            output.line(format_args!("  {name}  {}", self.words(event, is_planned)))?;
            for advice in event.advice.iter().filter(|_| !matches!(self.action, HooksAction::Uninstall { .. })) {
                output.line(format_args!("    into `{}`: {}", advice.file, advice.line))?;
            }
        }
        let used = on_path.or_else(|| report.events.iter().find_map(|event| event.icr.as_ref().map(PathBuf::from)));
        match used.filter(|_| report.events.iter().any(|event| event.state.is_active())) {
            Some(used) => Ok(output.line(format_args!("hooks run {}", used.display()))?),
            None => Ok(()),
        }
    }

    /// Word for what was or would be done to a hook.
    fn verb(&self, event: &EventReport, is_planned: bool) -> Option<&'static str> {
        match (&self.action, event.changed, is_planned) {
            (_, false, _) | (HooksAction::Status, ..) => None,
            (HooksAction::Install { .. }, true, false) => Some("written"),
            (HooksAction::Install { .. }, true, true) => Some("would be written"),
            (HooksAction::Uninstall { .. }, true, false) => Some("taken out"),
            (HooksAction::Uninstall { .. }, true, true) => Some("would be taken out"),
        }
    }

    /// State of a hook in words, with what was done to it.
    fn words(&self, event: &EventReport, is_planned: bool) -> String {
        let file = |path: &str| {
            Path::new(path).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        };
        let state = match event.state {
            HookState::Absent => "absent".to_owned(),
            HookState::Foreign => match event.not_executable {
                Some(_) => "another hook, which is not executable, so git does not run it; an install keeps it".to_owned(),
                None => "another hook, which an install keeps and runs first".to_owned(),
            },
            HookState::Installed => "installed".to_owned(),
            HookState::Chained => match (&event.runs_first, &event.not_executable) {
                (Some(first), _) => format!("installed, runs `{}` first", file(first)),
                (None, kept) => {
                    let kept = kept.as_deref().map(file).unwrap_or_default();
                    format!("installed; `{kept}` is not executable, so it is not run")
                }
            },
            HookState::Outdated => "installed by another version; an install writes it anew".to_owned(),
            HookState::Orphaned => {
                let name = file(&event.file);
                format!("absent, but `{name}.before-icr` still lies there and is not run; `icr hooks uninstall` puts it back")
            }
            HookState::Changed if matches!(self.action, HooksAction::Uninstall { .. }) => {
                "left alone: somebody wrote into it, and it still runs icr; delete it, and the same again puts back what \
                 was there before"
                    .to_owned()
            }
            HookState::Changed => "left alone: somebody wrote into it; delete it to have it written anew".to_owned(),
            HookState::Managed => format!("left to {}, which writes this hook itself", event.manager.unwrap_or("others")),
            HookState::Replaced => {
                format!("left alone: another hook was put over it, and `{}.before-icr` still lies there", file(&event.file))
            }
        };
        let beside = event.manager.filter(|_| event.state.is_active()).map(|name| format!(" beside that of {name}"));
        let verb = self.verb(event, is_planned);
        format!("{}{state}{}", verb.map(|verb| format!("{verb}: ")).unwrap_or_default(), beside.unwrap_or_default())
    }
}

/// The events that the configuration names.
fn configured_events(global: &Global) -> anyhow::Result<Vec<&'static HookEvent>> {
    let config = context::configuration_around(global, &context::home()?)?;
    Ok(config.get_list("git.hooks").iter().filter_map(|name| icr_hooks::event(name)).collect())
}

/// Path of the program as it was called. A path found in PATH stays valid when a newer version is installed; the file
/// behind its links may not.
pub(super) fn this_program() -> PathBuf {
    let called = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let found = if called.components().count() > 1 { std::path::absolute(&called).ok() } else { on_path(&called) };
    let itself = std::env::current_exe().ok();
    let is_itself =
        |path: &PathBuf| path.canonicalize().ok() == itself.as_ref().and_then(|path| path.canonicalize().ok());
    found.filter(is_itself).or(itself.clone()).unwrap_or(called)
}

/// Path of `program` in the PATH directories.
pub(super) fn on_path(program: impl AsRef<Path>) -> Option<PathBuf> {
    let path = environment::variable("PATH")?;
    std::env::split_paths(&path)
        .map(|directory| directory.join(program.as_ref()))
        .find(|candidate| is_program(candidate))
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    return std::fs::metadata(path)
        .is_ok_and(|file| file.is_file() && std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o111 != 0);
    #[cfg(not(unix))]
    path.is_file()
}

/// An error that has a hint is the user's to correct, and becomes a usage error.
fn into_usage_error(error: Error) -> anyhow::Error {
    match error.hint() {
        Some(hint) => Usage { message: error.to_string(), hint: Some(hint) }.into(),
        None => error.into(),
    }
}

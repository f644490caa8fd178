//! `icr init`

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use icr_agents::configuration::{self, ConfigurationReport, FileOutcome, FileReport, InitRequest};
use icr_agents::hosts::{AgentHost, ConfigurationScope, HostDirectories};
use serde_json::{Value, json};

use super::hooks::{on_path, this_program};
use crate::arguments::Global;
use crate::context;
use crate::host_directories::host_directories;
use crate::output::{Output, Style, count_text, note};
use crate::problem::{self, Usage};

/// Add icr to the configuration of the coding agents on this machine; `icr uninstall` removes it byte for byte
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// How agents use icr: MCP server, instructions, commands or skills, hooks, or all of these
    #[arg(long, value_enum, value_delimiter = ',', default_value = "mcp")]
    mode: Vec<IntegrationModeArgument>,
    /// Agent to configure, even if it is not found; may be given again [default: all that are found]
    #[arg(long, value_name = "NAME", value_parser = tool_names())]
    tool: Vec<String>,
    /// Write files of this repository, not of the user; they call icr by its name
    #[arg(long)]
    project: bool,
    /// Only show what would change, as a diff of each file
    #[arg(long)]
    dry_run: bool,
    /// Replace entries named icr that icr did not write, that were changed by hand, or that run a missing program
    #[arg(long)]
    force: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

/// How agents get icr.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IntegrationModeArgument {
    /// An MCP server
    Mcp,
    /// Lines in the instructions of the model
    Cli,
    /// Commands and skills such as /recall and /remember, or the agent's kind of rules
    Skill,
    /// Hooks, which call icr when a session begins, a prompt is sent, a turn ends
    Hook,
    /// All of these
    All,
}

/// Values of `--tool`.
pub(super) fn tool_names() -> PossibleValuesParser {
    PossibleValuesParser::new(AgentHost::ALL.iter().map(|host| host.name))
}

impl Init {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        if global.read_only && !self.dry_run {
            let message = "`icr init` writes files, which `--read-only` forbids".to_owned();
            return Err(
                Usage { message, hint: Some("`icr init --dry-run` shows what it would write".to_owned()) }.into()
            );
        }
        let project = if self.project { Some(context::locate(global)?) } else { None };
        let directories = host_directories(project.as_ref())?;
        let hosts = self.hosts(&directories);
        if hosts.is_empty() {
            return self.no_agents(output);
        }
        let modes = self.modes();
        let icr = this_program();
        let Some(icr_text) = icr.to_str() else {
            let message = format!("icr lies at `{}`, which is not UTF-8 text", icr.display());
            return Err(Usage { message, hint: Some("put it where its path is plain text".to_owned()) }.into());
        };
        let agents_directory = agents_directory()?;
        let is_same = |path: PathBuf| path.canonicalize().ok() == icr.canonicalize().ok();
        let request = InitRequest {
            directories: &directories,
            agents_directory: &agents_directory,
            hosts: &hosts,
            modes: &modes,
            scope: if self.project { ConfigurationScope::Project } else { ConfigurationScope::User },
            icr: icr_text,
            is_on_path: on_path("icr").is_some_and(is_same),
            force: self.force,
            dry_run: self.dry_run,
        };
        if self.asks(output) && !self.confirm(&request, &directories, output)? {
            return Ok(problem::FINDING);
        }
        let report = configuration::init(&request)?;
        let has_wish = self.print(&report, &directories, output)?;
        let calls_by_name = |mode: &configuration::IntegrationMode| {
            matches!(mode, configuration::IntegrationMode::Cli | configuration::IntegrationMode::Skill)
        };
        if !report.files.is_empty() && modes.iter().any(calls_by_name) && on_path("icr").is_none() && !global.quiet {
            output.flush()?;
            let directory = icr.parent().unwrap_or(Path::new(".")).display();
            let advice = format!("instructions and skills call `icr`, which is not in PATH; add `{directory}` to it");
            note(&mut std::io::stderr().lock(), &advice);
        }
        Ok(if report.has_refusals() || has_wish { problem::FINDING } else { problem::OK })
    }

    fn no_agents(&self, output: &mut Output) -> anyhow::Result<u8> {
        if output.is_json() {
            output.json(&json!({"dry_run": self.dry_run, "files": [], "without_place": []}))?;
            return Ok(problem::FINDING);
        }
        let names: Vec<&str> = AgentHost::ALL.iter().map(|host| host.name).collect();
        output.line("no agent was found: none has its files in your home yet")?;
        output.line(format_args!("start it once, or name it with `--tool`: {}", names.join(", ")))?;
        Ok(problem::FINDING)
    }

    fn hosts(&self, directories: &HostDirectories) -> Vec<&'static AgentHost> {
        let named = |host: &&AgentHost| self.tool.iter().any(|name| name == host.name);
        match self.tool.is_empty() {
            true => AgentHost::ALL.iter().filter(|host| host.is_present(directories)).collect(),
            false => AgentHost::ALL.iter().filter(named).collect(),
        }
    }

    fn modes(&self) -> Vec<configuration::IntegrationMode> {
        let all = configuration::IntegrationMode::ALL.into_iter();
        let is_named = |mode: &configuration::IntegrationMode| {
            self.mode.iter().any(|named| match named {
                IntegrationModeArgument::Mcp => *mode == configuration::IntegrationMode::Mcp,
                IntegrationModeArgument::Cli => *mode == configuration::IntegrationMode::Cli,
                IntegrationModeArgument::Skill => *mode == configuration::IntegrationMode::Skill,
                IntegrationModeArgument::Hook => *mode == configuration::IntegrationMode::Hook,
                IntegrationModeArgument::All => true,
            })
        };
        all.filter(is_named).collect()
    }

    /// Whether to ask: somebody is at the terminal, and the options have not decided already.
    fn asks(&self, output: &Output) -> bool {
        let is_said = self.yes || self.dry_run || !self.tool.is_empty() || output.is_json();
        !is_said && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
    }

    /// Shows the planned changes and asks for confirmation once.
    fn confirm(
        &self,
        request: &InitRequest<'_>,
        directories: &HostDirectories,
        output: &mut Output,
    ) -> anyhow::Result<bool> {
        let planned = configuration::init(&InitRequest { dry_run: true, ..*request })?;
        if !planned.has_changes() {
            return Ok(true);
        }
        for file in &planned.files {
            output.line(file_line(file, true, directories, output))?;
        }
        output.flush()?;
        let changes = planned.files.iter().filter(|file| file.outcome != FileOutcome::Unchanged).count();
        let files = count_text(changes as u64, "file", "files");
        let mut stderr = std::io::stderr().lock();
        write!(stderr, "Write {files}? [Y/n] ")?;
        stderr.flush()?;
        let mut answer = String::new();
        let is_answered = std::io::stdin().lock().read_line(&mut answer)? > 0;
        let is_confirmed = is_answered && matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes");
        if !is_confirmed {
            writeln!(stderr, "nothing was written")?;
        }
        Ok(is_confirmed)
    }

    /// What users must do before the written hooks run, by agent title.
    fn consents(&self, report: &ConfigurationReport) -> Vec<(&'static str, &'static str)> {
        let scope = if self.project { ConfigurationScope::Project } else { ConfigurationScope::User };
        let has_hooks = |host: &&AgentHost| {
            let is_written = |file: &&FileReport| {
                file.modes.iter().any(|mode| mode == "hook") && file.outcome != FileOutcome::Unchanged
            };
            report.files.iter().filter(is_written).any(|file| file.hosts.iter().any(|name| name == host.name))
        };
        let consent = |host: &'static AgentHost| Some((host.title, host.hooks.as_ref()?.consent.of(scope)?));
        AgentHost::ALL.iter().filter(has_hooks).filter_map(consent).collect()
    }

    /// Reports what was done. Returns whether the user asked by name for a mode that the agent does not have.
    fn print(
        &self,
        report: &ConfigurationReport,
        directories: &HostDirectories,
        output: &mut Output,
    ) -> anyhow::Result<bool> {
        // With several agents or modes, it is enough that some of them exist.
        let is_one_mode = self.mode.len() == 1 && !self.mode.contains(&IntegrationModeArgument::All);
        let is_wish = !self.tool.is_empty() && (is_one_mode || report.files.is_empty());
        let mut wishes: Vec<_> = report.without_place.iter().filter(|_| is_wish).collect();
        wishes.dedup_by_key(|(host, _)| host.name);
        if output.is_json() {
            let without: Vec<_> = report
                .without_place
                .iter()
                .map(|(host, mode)| json!({"host": host.name, "mode": mode.name()}))
                .collect();
            let files: Vec<_> = report.files.iter().map(|file| file_json(file, self.dry_run)).collect();
            output.json(&json!({"dry_run": self.dry_run, "files": files, "without_place": without}))?;
            return Ok(!wishes.is_empty());
        }
        print_files(report, self.dry_run, directories, output)?;
        for (host, mode) in &wishes {
            let other = match (mode, self.project) {
                (configuration::IntegrationMode::Mcp, _)
                    if host.servers.user.is_none() && host.servers.project.is_none() =>
                {
                    "it speaks no MCP; try `--mode cli --project`"
                }
                (_, false) => "try `--project`, or another mode",
                (_, true) => "try without `--project`, or another mode",
            };
            output.line(format_args!("{}: icr knows no {} file of it there: {other}", host.title, mode.name()))?;
        }
        for (title, consent) in self.consents(report) {
            output.line(format_args!("{title}: {consent}"))?;
        }
        if self.dry_run {
            let changes = report.files.iter().filter(|file| file.outcome != FileOutcome::Unchanged).count();
            output
                .line(format_args!("{} would be written; nothing was", count_text(changes as u64, "file", "files")))?;
        } else if report.has_changes() {
            output.line("agents read this when they start; `icr uninstall` takes it out")?;
        }
        Ok(!wishes.is_empty())
    }
}

/// Prints a line for each file with its refusals, and its diff if nothing is written.
pub(super) fn print_files(
    report: &ConfigurationReport,
    is_planned: bool,
    directories: &HostDirectories,
    output: &mut Output,
) -> anyhow::Result<()> {
    for file in &report.files {
        output.line(file_line(file, is_planned, directories, output))?;
        if file.is_unrecorded {
            output.line("  it is there without a record: `icr uninstall` leaves it, `--force` takes it over")?;
        }
        for refusal in &file.refusals {
            for line in refusal.to_string().lines() {
                output.line(format_args!("  {line}"))?;
            }
        }
        if is_planned {
            for line in file.diff.lines() {
                output.line(line)?;
            }
        }
    }
    Ok(())
}

fn file_line(file: &FileReport, is_planned: bool, directories: &HostDirectories, output: &Output) -> String {
    let verb = match (file.outcome, is_planned) {
        (FileOutcome::Unchanged, _) if !file.refusals.is_empty() => "refused",
        (FileOutcome::Unchanged, _) => "unchanged",
        (FileOutcome::Created, false) => "created",
        (FileOutcome::Created, true) => "would create",
        (FileOutcome::TakenOver, false) => "taken over",
        (FileOutcome::TakenOver, true) => "would own",
        (FileOutcome::Changed, false) => "changed",
        (FileOutcome::Changed, true) => "would change",
        (FileOutcome::Removed, false) => "removed",
        (FileOutcome::Removed, true) => "would remove",
    };
    let titles: Vec<&str> =
        file.hosts.iter().map(|name| AgentHost::from_name(name).map_or(name.as_str(), |host| host.title)).collect();
    let path = file.path.as_deref().map(|path| format!("{}  ", format_path(path, directories))).unwrap_or_default();
    format!("{verb:<12}  {}{} ({})", output.styled(Style::Name, path), titles.join(", "), file.modes.join(", "))
}

pub(super) fn file_json(file: &FileReport, is_planned: bool) -> Value {
    let outcome = match file.outcome {
        FileOutcome::Unchanged if !file.refusals.is_empty() => "refused",
        FileOutcome::Unchanged => "unchanged",
        FileOutcome::Created => "created",
        FileOutcome::Changed => "changed",
        FileOutcome::Removed => "removed",
        FileOutcome::TakenOver => "taken_over",
    };
    let refusals: Vec<String> = file.refusals.iter().map(ToString::to_string).collect();
    let mut value = json!({
        "path": file.path.as_deref().map(|path| path.display().to_string()),
        "hosts": file.hosts,
        "modes": file.modes,
        "outcome": outcome,
        "unrecorded": file.is_unrecorded,
        "refusals": refusals,
    });
    if is_planned {
        value["diff"] = json!(file.diff);
    }
    value
}

/// A path for people: relative to the repository's root, or with `~` below the home directory.
fn format_path(path: &Path, directories: &HostDirectories) -> String {
    let below_project = directories.project.as_deref().and_then(|project| path.strip_prefix(project).ok());
    if let Some(below) = below_project {
        return below.display().to_string();
    }
    match path.strip_prefix(&directories.home) {
        Ok(below) => Path::new("~").join(below).display().to_string(),
        Err(_) => path.display().to_string(),
    }
}

/// Directory of the manifest.
pub(super) fn agents_directory() -> anyhow::Result<PathBuf> {
    Ok(context::home()?.join("agents"))
}

//! `icr uninstall`

use clap::Args;
use icr_agents::configuration::{self, UninstallRequest};
use icr_agents::hosts::AgentHost;
use serde_json::json;

use super::init::{agents_directory, file_json, print_files, tool_names};
use crate::arguments::Global;
use crate::context::{self, home};
use crate::host_directories::host_directories;
use crate::output::Output;
use crate::problem::{self, Usage};

/// Remove what `icr init` added to the configuration of coding agents; files become what they were, byte for byte
#[derive(Debug, Args)]
pub(crate) struct Uninstall {
    /// Only show what would change, as a diff of each file
    #[arg(long)]
    dry_run: bool,
    /// Remove only from this agent; may be given again
    #[arg(long, value_name = "NAME", value_parser = tool_names())]
    tool: Vec<String>,
    /// Remove only from files of this repository
    #[arg(long)]
    project: bool,
}

impl Uninstall {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        if global.read_only && !self.dry_run {
            let message = "`icr uninstall` writes files, which `--read-only` forbids".to_owned();
            let hint = "`icr uninstall --dry-run` shows what it would write".to_owned();
            return Err(Usage { message, hint: Some(hint) }.into());
        }
        let project = if self.project { Some(context::locate(global)?) } else { None };
        let directories = host_directories(project.as_ref())?;
        let named = |host: &&AgentHost| self.tool.iter().any(|name| name == host.name);
        let hosts: Vec<&'static str> = AgentHost::ALL.iter().filter(named).map(|host| host.name).collect();
        let report = configuration::uninstall(&UninstallRequest {
            agents_directory: &agents_directory()?,
            hosts: &hosts,
            project: directories.project.as_deref(),
            dry_run: self.dry_run,
        })?;
        if output.is_json() {
            let files: Vec<_> = report.files.iter().map(|file| file_json(file, self.dry_run)).collect();
            output.json(&json!({"dry_run": self.dry_run, "files": files}))?;
        } else if report.files.is_empty() {
            let whose = match (self.tool.as_slice(), self.project) {
                ([], false) => String::new(),
                ([], true) => " into files of this repository".to_owned(),
                (tools, _) => format!(" for {}", tools.join(", ")),
            };
            output.line(format_args!(
                "nothing to take out: `{}` records nothing that `icr init` wrote{whose}",
                agents_directory()?.display()
            ))?;
            output.line(
                "to take out entries of icr of which there is no record, first run `icr init --mode all --force`, which records them",
            )?;
        } else {
            print_files(&report, self.dry_run, &directories, output)?;
        }
        if !output.is_json() && !self.dry_run {
            output.line(format_args!(
                "not removed: git hooks (`icr hooks uninstall`), the plugin of Claude Code (`/plugin uninstall icr`), indexes and memories in `{}`",
                home()?.display()
            ))?;
        }
        Ok(if report.has_refusals() { problem::FINDING } else { problem::OK })
    }
}

//! Putting icr into the configuration files of hosts, and taking it out to the byte.
//!
//! `icr init` edits text: each entry is one insertion at one place, and the file is parsed before and after to check
//! that nothing else changed. A manifest records each insertion and the text before it. If a file is as icr left it,
//! `icr uninstall` restores that text. Otherwise it removes only icr's entries and keeps the rest.

mod block;
mod entry;
mod examine;
mod files;
mod init;
mod json;
mod lines;
mod manifest;
mod refusal;
mod splice;
mod toml_table;
mod uninstall;
mod wanted_entries;
mod yaml;

use std::path::{Path, PathBuf};

use crate::hosts::{AgentHost, ConfigurationScope, HostDirectories};

pub use examine::{ConfigurationFinding, FindingSeverity, examine};
pub use init::init;
pub use manifest::Error;
pub use refusal::{Position, Refusal};
pub use uninstall::uninstall;

/// A way to put icr into a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntegrationMode {
    /// As an MCP server.
    Mcp,
    /// As a program that the model's instructions mention.
    Cli,
    /// As commands or skills.
    Skill,
    /// As hooks.
    Hook,
}

impl IntegrationMode {
    /// All modes.
    pub const ALL: [Self; 4] = [Self::Mcp, Self::Cli, Self::Skill, Self::Hook];

    /// Name of the mode, as `--mode` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Cli => "cli",
            Self::Skill => "skill",
            Self::Hook => "hook",
        }
    }
}

/// A request to put icr into hosts.
#[derive(Debug, Clone, Copy)]
pub struct InitRequest<'a> {
    /// Where hosts keep their files.
    pub directories: &'a HostDirectories,
    /// The directory of the manifest and its backups.
    pub agents_directory: &'a Path,
    /// Hosts to configure.
    pub hosts: &'a [&'static AgentHost],
    /// Modes to configure.
    pub modes: &'a [IntegrationMode],
    /// Whether to write the user's files or those of a project.
    pub scope: ConfigurationScope,
    /// Absolute path of icr.
    pub icr: &'a str,
    /// Whether a shell finds that icr by its name.
    pub is_on_path: bool,
    /// Whether to replace entries that icr did not write, that were changed, or that run a missing program.
    pub force: bool,
    /// Whether to only report what would be done.
    pub dry_run: bool,
}

/// A request to remove icr.
#[derive(Debug, Clone, Copy)]
pub struct UninstallRequest<'a> {
    /// The directory of the manifest and its backups.
    pub agents_directory: &'a Path,
    /// Names of the hosts; empty for all.
    pub hosts: &'a [&'static str],
    /// The repository whose files are meant; none for all files of the manifest.
    pub project: Option<&'a Path>,
    /// Whether to only report what would be done.
    pub dry_run: bool,
}

/// Result for all files.
#[derive(Debug, Default)]
pub struct ConfigurationReport {
    /// One row for each examined file.
    pub files: Vec<FileReport>,
    /// Pairs of host and mode that the host does not support.
    pub without_place: Vec<(&'static AgentHost, IntegrationMode)>,
}

/// Result for one file, done or planned.
#[derive(Debug)]
pub struct FileReport {
    /// Path of the file; `None` if it cannot be determined.
    pub path: Option<PathBuf>,
    /// Whether entries are there already that no record attributes to icr.
    pub is_unrecorded: bool,
    /// Names of the hosts that it is for.
    pub hosts: Vec<String>,
    /// Names of the modes that it belongs to.
    pub modes: Vec<String>,
    /// What was or would be done to it.
    pub outcome: FileOutcome,
    /// Refused entries, with the reasons; all others were done.
    pub refusals: Vec<Refusal>,
    /// What changes, as a unified diff.
    pub diff: String,
}

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOutcome {
    /// The file was created.
    Created,
    /// The file was changed.
    Changed,
    /// The file was removed.
    Removed,
    /// The file is unchanged; its existing entries are now recorded in the manifest.
    TakenOver,
    /// The file is unchanged: all entries were there already, or there was nothing to remove.
    Unchanged,
}

impl FileOutcome {
    fn between(before: Option<&str>, after: Option<&str>) -> Self {
        match (before, after) {
            (None, Some(_)) => Self::Created,
            (Some(_), None) => Self::Removed,
            (before, after) if before == after => Self::Unchanged,
            _ => Self::Changed,
        }
    }
}

impl ConfigurationReport {
    /// Whether something was refused.
    pub fn has_refusals(&self) -> bool {
        self.files.iter().any(|file| !file.refusals.is_empty())
    }

    /// Whether a file was or would be changed.
    pub fn has_changes(&self) -> bool {
        self.files.iter().any(|file| file.outcome != FileOutcome::Unchanged)
    }
}

/// `before` and `after` as a unified diff; empty where they are equal.
fn diff(path: &Path, before: Option<&str>, after: Option<&str>) -> String {
    let side = |text: Option<&str>| if text.is_some() { path.display().to_string() } else { "/dev/null".to_owned() };
    let (old, new) = (side(before), side(after));
    let lines = similar::TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    lines.unified_diff().context_radius(3).header(&old, &new).to_string()
}

#[cfg(test)]
mod tests;

//! Putting icr into the configuration files of hosts, and taking it out to the byte.
//!
//! `icr init` edits text: what it adds is a piece of text at one place, and the file is parsed before and after to see that nothing else
//! changed. A manifest keeps what was added, and the text as it was. `icr uninstall` puts that text back where the file is as icr left it;
//! else it takes out what is icr's, and leaves the rest as it is.

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
    /// As a program that the instructions name.
    Cli,
    /// As commands or skills.
    Skill,
    /// As hooks.
    Hook,
}

impl IntegrationMode {
    /// All modes.
    pub const ALL: [Self; 4] = [Self::Mcp, Self::Cli, Self::Skill, Self::Hook];

    /// What `--mode` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Cli => "cli",
            Self::Skill => "skill",
            Self::Hook => "hook",
        }
    }
}

/// What to put where.
#[derive(Debug, Clone, Copy)]
pub struct InitRequest<'a> {
    /// Where hosts keep their files.
    pub directories: &'a HostDirectories,
    /// The directory of the manifest and its backups.
    pub agents_directory: &'a Path,
    /// The hosts.
    pub hosts: &'a [&'static AgentHost],
    /// The modes.
    pub modes: &'a [IntegrationMode],
    /// Whose files.
    pub scope: ConfigurationScope,
    /// Absolute path of icr.
    pub icr: &'a str,
    /// Whether a shell finds that icr by its name.
    pub is_on_path: bool,
    /// Whether entries are replaced that are not icr's, were changed, or run a program that is gone.
    pub force: bool,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// What to take out.
#[derive(Debug, Clone, Copy)]
pub struct UninstallRequest<'a> {
    /// The directory of the manifest and its backups.
    pub agents_directory: &'a Path,
    /// Names of the hosts; empty for all.
    pub hosts: &'a [&'static str],
    /// The repository whose files are meant; none for all files of the manifest.
    pub project: Option<&'a Path>,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// What became of the files.
#[derive(Debug, Default)]
pub struct ConfigurationReport {
    /// A row for each file that was looked at.
    pub files: Vec<FileReport>,
    /// Hosts and modes of which the hosts have nothing.
    pub without_place: Vec<(&'static AgentHost, IntegrationMode)>,
}

/// What became of a file, or would.
#[derive(Debug)]
pub struct FileReport {
    /// The file; a host whose file cannot be told has none.
    pub path: Option<PathBuf>,
    /// Whether entries that belong there are there already, and no record says that icr put them there.
    pub is_unrecorded: bool,
    /// Names of the hosts that it is for.
    pub hosts: Vec<String>,
    /// Names of the modes.
    pub modes: Vec<String>,
    /// What became of it.
    pub outcome: FileOutcome,
    /// What was refused, with the reasons; what was not refused was done.
    pub refusals: Vec<Refusal>,
    /// What changes, as a unified diff.
    pub diff: String,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOutcome {
    /// It is new.
    Created,
    /// It was changed.
    Changed,
    /// It was removed.
    Removed,
    /// It is as it was, and from now on the record knows what icr has in it.
    TakenOver,
    /// It is as it was: all is there already, or nothing was.
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

    /// Whether a file changed, or would.
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

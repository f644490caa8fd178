//! The hosts that `icr init` knows: one row each, with the place and format of their configuration.

mod directories;
mod rows;

pub(crate) use rows::RULE;

use crate::Dialect;

pub use directories::{BaseDirectory, DirectoryError, HostDirectories, HostPath, Platform};

/// A program that agents run in.
#[derive(Debug)]
pub struct AgentHost {
    /// Name of the host, as `--tool` takes it.
    pub name: &'static str,
    /// Product name.
    pub title: &'static str,
    /// Files and directories that exist where the host was used; one of them is enough.
    pub traces: &'static [HostPath],
    /// Whether it is started from a shell and so finds programs in its PATH. Other hosts get the absolute path of icr.
    pub has_shell_path: bool,
    /// Where MCP servers are configured.
    pub servers: PerScope<ServersFile>,
    /// Where and how hooks are configured.
    pub hooks: Option<HooksFile>,
    /// Text files that its model reads in each session.
    pub instructions: PerScope<HostPath>,
    /// Files that icr writes completely, with commands for users or skills for the model.
    pub skills: PerScope<&'static [SkillFile]>,
    /// YAML list in which a project must name the instructions file for the host to read it.
    pub reads: Option<ReadsList>,
}

/// A value for the user's files and one for a project's files.
#[derive(Debug, Clone, Copy)]
pub struct PerScope<T> {
    /// Value for the user's files.
    pub user: Option<T>,
    /// Value for the files of a repository.
    pub project: Option<T>,
}

impl<T: Copy> PerScope<T> {
    const NONE: Self = Self { user: None, project: None };

    const fn user(user: T) -> Self {
        Self { user: Some(user), project: None }
    }

    const fn project(project: T) -> Self {
        Self { user: None, project: Some(project) }
    }

    const fn user_and_project(user: T, project: T) -> Self {
        Self { user: Some(user), project: Some(project) }
    }

    /// The value for a scope.
    pub fn of(&self, scope: ConfigurationScope) -> Option<T> {
        match scope {
            ConfigurationScope::User => self.user,
            ConfigurationScope::Project => self.project,
        }
    }
}

/// Whose files are configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigurationScope {
    /// Files of the user, for all projects.
    User,
    /// Files of one repository.
    Project,
}

/// A file that lists MCP servers.
#[derive(Debug, Clone, Copy)]
pub struct ServersFile {
    /// Path of the file.
    pub at: HostPath,
    /// Place and format of the server's entry in the file.
    pub place: ServerPlace,
    /// The entry in that format; `"$ICR"` stands for the program, as a quoted string.
    pub entry: &'static str,
}

/// Place of a server's entry in a file.
#[derive(Debug, Clone, Copy)]
pub enum ServerPlace {
    /// JSON with comments: a member `icr` of the object under this key.
    Json(&'static str),
    /// TOML: a table `icr` below the table of this name.
    Toml(&'static str),
    /// YAML: an item of the list under this key, with the name `icr`.
    YamlList(&'static str),
    /// YAML: a member `icr` of the mapping under this key.
    YamlMapping(&'static str),
    /// A file of its own.
    Own,
}

/// A file that lists hooks, and the format of its entries.
#[derive(Debug, Clone, Copy)]
pub struct HooksFile {
    /// The host's hook protocol.
    pub dialect: &'static Dialect,
    /// Path of the file.
    pub at: PerScope<HostPath>,
    /// Format of a hook's entry.
    pub shape: HookShape,
    /// What the user must do before the host runs the hooks.
    pub consent: PerScope<&'static str>,
}

/// Format of a hook's entry in a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookShape {
    /// A group with one handler: a program and its arguments, no shell.
    ProgramInGroup,
    /// A group with one handler: a command line.
    CommandInGroup,
    /// A command line, in a file that says its version.
    Command,
    /// A command line for each kind of shell, in a file of its own.
    CommandPerShell,
}

/// A file that icr writes completely.
#[derive(Debug, Clone, Copy)]
pub struct SkillFile {
    /// Path of the file.
    pub at: HostPath,
    /// Content of the file.
    pub text: &'static str,
}

/// A YAML list in which a file must be named for the host to read it.
#[derive(Debug, Clone, Copy)]
pub struct ReadsList {
    /// Path of the YAML file.
    pub at: HostPath,
    /// The key of the list.
    pub key: &'static str,
    /// Item that the list must contain.
    pub item: &'static str,
}

impl AgentHost {
    /// All hosts, by name.
    pub const ALL: &'static [Self] = rows::HOSTS;

    /// The host that `--tool` names.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|host| host.name == name)
    }

    /// Whether one of the host's traces exists on this machine.
    pub fn is_present(&self, directories: &HostDirectories) -> bool {
        self.traces.iter().any(|at| directories.path(*at).is_ok_and(|path| path.symlink_metadata().is_ok()))
    }
}

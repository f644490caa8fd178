//! The hosts that `icr init` knows: a row each, with where their configuration lies and what it looks like.

mod directories;
mod rows;

pub(crate) use rows::RULE;

use crate::Dialect;

pub use directories::{DirectoryError, HostDirectories, HostPath, Platform, Root};

/// A program that agents run in.
#[derive(Debug)]
pub struct AgentHost {
    /// What `--tool` takes.
    pub name: &'static str,
    /// What its makers call it.
    pub title: &'static str,
    /// Files and directories that are there where it was used; one is enough.
    pub traces: &'static [HostPath],
    /// Whether it is started from a shell, and so finds programs where the shell finds them. Others get the absolute path of icr.
    pub has_shell_path: bool,
    /// Where MCP servers are configured.
    pub servers: PerScope<ServersFile>,
    /// Where and how hooks are configured.
    pub hooks: Option<HooksFile>,
    /// Text files that its model reads in each session.
    pub instructions: PerScope<HostPath>,
    /// Files, wholly those of icr, that give its users commands or its model skills.
    pub skills: PerScope<&'static [SkillFile]>,
    /// Lists of YAML files that must name the instructions, in project files.
    pub reads: Option<ReadsList>,
}

/// Something that differs between the user's files and those of a project.
#[derive(Debug, Clone, Copy)]
pub struct PerScope<T> {
    /// Among the user's files.
    pub user: Option<T>,
    /// Among the files of a repository.
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

    /// That of the scope.
    pub fn of(&self, scope: ConfigurationScope) -> Option<T> {
        match scope {
            ConfigurationScope::User => self.user,
            ConfigurationScope::Project => self.project,
        }
    }
}

/// Whose files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigurationScope {
    /// The user's, for all projects.
    User,
    /// Those of one repository.
    Project,
}

/// A file that lists MCP servers.
#[derive(Debug, Clone, Copy)]
pub struct ServersFile {
    /// Where it lies.
    pub at: HostPath,
    /// Where in it the server stands, and in which format.
    pub place: ServerPlace,
    /// The entry in that format; `"$ICR"` stands for the program, as a quoted string.
    pub entry: &'static str,
}

/// Where in a file a server stands.
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

/// A file that lists hooks, and what they look like there.
#[derive(Debug, Clone, Copy)]
pub struct HooksFile {
    /// How the host speaks with hooks.
    pub dialect: &'static Dialect,
    /// Where it lies.
    pub at: PerScope<HostPath>,
    /// What a hook looks like.
    pub shape: HookShape,
    /// What its user has to do before it runs hooks.
    pub consent: PerScope<&'static str>,
}

/// What a hook looks like in a configuration file.
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

/// A file that is wholly icr's.
#[derive(Debug, Clone, Copy)]
pub struct SkillFile {
    /// Where it lies.
    pub at: HostPath,
    /// What it holds.
    pub text: &'static str,
}

/// A YAML list that must name a file for the host to read it.
#[derive(Debug, Clone, Copy)]
pub struct ReadsList {
    /// Where it lies.
    pub at: HostPath,
    /// The key of the list.
    pub key: &'static str,
    /// What it must name.
    pub item: &'static str,
}

impl AgentHost {
    /// All hosts, by name.
    pub const ALL: &'static [Self] = rows::HOSTS;

    /// The one that `--tool` names.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|host| host.name == name)
    }

    /// Whether a trace of it is on this machine.
    pub fn is_present(&self, directories: &HostDirectories) -> bool {
        self.traces.iter().any(|at| directories.path(*at).is_ok_and(|path| path.symlink_metadata().is_ok()))
    }
}

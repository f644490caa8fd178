//! Where the directories of hosts lie on this machine.

use std::path::{Path, PathBuf};

/// Operating system family; hosts keep their directories in different places on each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Linux, and other systems that follow the XDG directories.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// The platform that this program was built for.
    pub const THIS: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::MacOs
    } else {
        Self::Linux
    };
}

/// A base directory for the paths of hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseDirectory {
    /// The user's home.
    Home,
    /// The root of the repository.
    Project,
    /// Where Claude Code has its settings: `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    Claude,
    /// Where Claude Code has `.claude.json`: `$CLAUDE_CONFIG_DIR`, else the home.
    ClaudeState,
    /// Where Claude Desktop has its configuration.
    ClaudeDesktop,
    /// `$CODEX_HOME`, else `~/.codex`.
    Codex,
    /// `$GEMINI_CONFIG_DIR`, else `$GEMINI_CLI_HOME/.gemini` (Gemini CLI uses that variable as the home), else
    /// `~/.gemini`.
    Gemini,
    /// `$COPILOT_HOME`, else `~/.copilot`.
    Copilot,
    /// `$XDG_CONFIG_HOME`, else `~/.config`.
    XdgConfig,
    /// The user's directory of Visual Studio Code.
    VsCodeUser,
    /// Where Zed has its settings.
    Zed,
    /// Where Goose has its configuration.
    Goose,
}

/// A file or directory of a host: a root and the path below it, with `/` between names; empty for the root itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostPath(pub BaseDirectory, pub &'static str);

/// The parts of the environment that determine where hosts keep their files. Empty variables count as unset.
#[derive(Debug, Clone)]
pub struct HostDirectories {
    /// The user's home.
    pub home: PathBuf,
    /// The kind of system.
    pub platform: Platform,
    /// Environment variables by name; only those in [`HostDirectories::VARIABLES`] are used.
    pub variables: Vec<(String, String)>,
    /// The root of the repository, for project files.
    pub project: Option<PathBuf>,
}

/// Why a directory of a host cannot be determined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DirectoryError {
    /// A variable holds a relative path, which would depend on where the host is started.
    #[error("{variable} is `{value}`; icr needs an absolute path there")]
    Relative {
        /// Name of the variable.
        variable: &'static str,
        /// Value of the variable.
        value: String,
    },
    /// No repository was given.
    #[error("there is no repository here, and project files lie in one")]
    NoProject,
}

impl HostDirectories {
    /// Names of the variables that say where hosts keep their files.
    pub const VARIABLES: [&'static str; 7] = [
        // tidy: sorted
        "APPDATA",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "COPILOT_HOME",
        "GEMINI_CLI_HOME",
        "GEMINI_CONFIG_DIR",
        "XDG_CONFIG_HOME",
        // tidy: end
    ];

    /// Resolves `at` to a path.
    ///
    /// # Errors
    ///
    /// [`DirectoryError`] when a variable is a relative path, or when there is no repository.
    pub fn path(&self, at: HostPath) -> Result<PathBuf, DirectoryError> {
        let root = self.root(at.0)?;
        Ok(at.1.split('/').filter(|name| !name.is_empty()).fold(root, |path, name| path.join(name)))
    }

    fn root(&self, root: BaseDirectory) -> Result<PathBuf, DirectoryError> {
        let home = |path: &str| path.split('/').fold(self.home.clone(), |path, name| path.join(name));
        match root {
            BaseDirectory::Home => Ok(self.home.clone()),
            BaseDirectory::Project => self.project.clone().ok_or(DirectoryError::NoProject),
            BaseDirectory::Claude => self.variable("CLAUDE_CONFIG_DIR", home(".claude")),
            BaseDirectory::ClaudeState => self.variable("CLAUDE_CONFIG_DIR", self.home.clone()),
            BaseDirectory::ClaudeDesktop => self.application("Claude"),
            BaseDirectory::Codex => self.variable("CODEX_HOME", home(".codex")),
            BaseDirectory::Gemini => {
                let home = self.variable("GEMINI_CLI_HOME", self.home.clone())?;
                self.variable("GEMINI_CONFIG_DIR", home.join(".gemini"))
            }
            BaseDirectory::Copilot => self.variable("COPILOT_HOME", home(".copilot")),
            BaseDirectory::XdgConfig => self.variable("XDG_CONFIG_HOME", home(".config")),
            BaseDirectory::VsCodeUser => Ok(self.application("Code")?.join("User")),
            BaseDirectory::Zed if self.platform == Platform::Windows => self.application("Zed"),
            BaseDirectory::Zed => Ok(self.root(BaseDirectory::XdgConfig)?.join("zed")),
            BaseDirectory::Goose if self.platform == Platform::Windows => {
                Ok(self.application("Block")?.join("goose").join("config"))
            }
            BaseDirectory::Goose => Ok(self.root(BaseDirectory::XdgConfig)?.join("goose")),
        }
    }

    /// Configuration directory of the desktop application `name`.
    fn application(&self, name: &str) -> Result<PathBuf, DirectoryError> {
        let directory = match self.platform {
            Platform::Linux => self.root(BaseDirectory::XdgConfig)?,
            Platform::MacOs => self.home.join("Library").join("Application Support"),
            Platform::Windows => self.variable("APPDATA", self.home.join("AppData").join("Roaming"))?,
        };
        Ok(directory.join(name))
    }

    fn variable(&self, name: &'static str, otherwise: PathBuf) -> Result<PathBuf, DirectoryError> {
        let variable = self.variables.iter().find(|(known, value)| known == name && !value.is_empty());
        match variable {
            Some((_, value)) if Path::new(value).is_absolute() => Ok(PathBuf::from(value)),
            Some((_, value)) => Err(DirectoryError::Relative { variable: name, value: value.clone() }),
            None => Ok(otherwise),
        }
    }
}

//! A worktree to run commands in, and short ways to do so.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(target_os = "linux")]
use crate::SandboxMeans;
use crate::{AllowList, CommandOutcome, Environment, Refusal, SandboxedCommand};

/// Programs that the tests run.
pub(super) const PROGRAMS: [&str; 12] = [
    "sh",
    "true",
    "cat",
    "env",
    "git",
    "pwd",
    "sleep",
    "yes",
    "python3",
    "./planted",
    "./link",
    "no-such-program-anywhere",
];

/// All namespaces.
#[cfg(target_os = "linux")]
pub(super) const NAMESPACES: [SandboxMeans; 4] = [
    SandboxMeans::UserNamespace,
    SandboxMeans::PidNamespace,
    SandboxMeans::PrivateView,
    SandboxMeans::NetworkNamespace,
];

/// A home with secrets, and beside it a worktree with a git directory.
pub(super) struct Worktree {
    _directory: tempfile::TempDir,
    pub(super) root: PathBuf,
    pub(super) home: PathBuf,
    pub(super) allowed: AllowList,
}

impl Worktree {
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let base = fs::canonicalize(directory.path()).expect("its path");
        let (root, home) = (base.join("work"), base.join("home"));
        for path in [root.join(".git/hooks"), root.join("src"), home.join(".ssh")] {
            fs::create_dir_all(path).expect("a directory");
        }
        fs::write(root.join(".git/config"), "[core]\n").expect("a file");
        fs::write(root.join("src/file"), "content\n").expect("a file");
        fs::write(home.join(".ssh/id"), "SECRET\n").expect("a file");
        let allowed = AllowList::new("the list of the tests", PROGRAMS);
        Self { _directory: directory, root, home, allowed }
    }

    /// A path beside the worktree and the home.
    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.root.parent().expect("it has one").join(name)
    }

    /// The environment of a user who lives in the home.
    pub(super) fn environment(&self) -> Environment {
        let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
        let variables = [("PATH", path), ("HOME", &self.home.to_string_lossy()), ("MY_TOKEN", "SECRET")];
        let variables = variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        Environment { variables: variables.into(), ..Environment::default() }
    }

    pub(super) fn command(&self, argv: &[&str]) -> SandboxedCommand<'_> {
        let mut command = SandboxedCommand::new(argv.iter().copied(), &self.root, &self.allowed, self.environment());
        command.timeout = Duration::from_secs(30);
        command
    }

    /// What `sh` does with `script`, as the kernel allows.
    pub(super) fn shell(&self, script: &str) -> CommandOutcome {
        run(&self.command(&["sh", "-c", script])).expect("it was run")
    }

    /// What `sh` does with `script` when the kernel does not have the means `without`.
    #[cfg(target_os = "linux")]
    pub(super) fn shell_without(&self, script: &str, without: &[SandboxMeans]) -> CommandOutcome {
        let mut command = self.command(&["sh", "-c", script]);
        command.without = without.to_vec();
        run(&command).expect("it was run")
    }

    pub(super) fn refusal(&self, argv: &[&str]) -> String {
        run(&self.command(argv)).expect_err("it was refused").to_string()
    }

    pub(super) fn write_program(&self, path: &Path, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        fs::write(path, text).expect("a file");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("its mode");
    }
}

/// Runs `command`, which nobody cancels.
pub(super) fn run(command: &SandboxedCommand<'_>) -> Result<CommandOutcome, Refusal> {
    crate::run(command, || false)
}

/// Whether this machine has `program`.
pub(super) fn has(program: &str) -> bool {
    ["/usr/local/bin", "/usr/bin", "/bin"].iter().any(|directory| Path::new(directory).join(program).exists())
}

//! Which places of the file system a command may read, write, or not see.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::program::Program;
use crate::{SandboxedCommand, environment};

/// What every program may read and execute. None of it belongs to a user.
const SYSTEM: &[&str] = &[
    "/bin",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/opt",
    "/sbin",
    "/snap",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage",
    "/usr",
];

/// Places inside of the directories above that are hidden even from root: keys of the machine and its services.
const SECRETS: &[&str] = &[
    "/etc/NetworkManager",
    "/etc/credstore",
    "/etc/credstore.encrypted",
    "/etc/docker",
    "/etc/krb5.keytab",
    "/etc/kubernetes",
    "/etc/letsencrypt",
    "/etc/openvpn",
    "/etc/pki/tls/private",
    "/etc/rancher",
    "/etc/security/opasswd",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/sudoers.d",
    "/etc/wireguard",
];

/// Variables that name the home of a tool chain, and the parts of it that may be read; all of it if none are listed.
/// Credentials are left out.
const TOOL_CHAINS: &[(&str, &str, &[&str])] = &[
    ("ANDROID_HOME", "Android/Sdk", &[]),
    ("ASDF_DATA_DIR", ".asdf", &[]),
    ("ASDF_DIR", ".asdf", &[]),
    ("BUN_INSTALL", ".bun", &["bin", "install"]),
    ("CARGO_HOME", ".cargo", &["bin", "config", "config.toml", "env", "git", "registry"]),
    ("CONDA_PREFIX", "miniconda3", &[]),
    ("DENO_INSTALL", ".deno", &[]),
    ("DENO_DIR", ".cache/deno", &[]),
    ("DOTNET_ROOT", ".dotnet", &[]),
    ("GEM_HOME", ".gem", &["bin", "ruby", "gems", "specifications", "extensions"]),
    ("GOMODCACHE", "go/pkg/mod", &[]),
    ("GOPATH", "go", &["bin", "pkg"]),
    ("GOROOT", "sdk", &[]),
    ("JAVA_HOME", ".jdks", &[]),
    ("NVM_DIR", ".nvm", &[]),
    ("PNPM_HOME", ".local/share/pnpm", &[]),
    ("PYENV_ROOT", ".pyenv", &[]),
    ("RBENV_ROOT", ".rbenv", &[]),
    ("RUSTUP_HOME", ".rustup", &[]),
    ("SDKMAN_DIR", ".sdkman", &["candidates", "bin"]),
    ("VIRTUAL_ENV", ".venv", &[]),
    ("VOLTA_HOME", ".volta", &[]),
    ("", ".gradle", &["caches", "jdks", "wrapper"]),
    ("", ".local", &["bin", "lib", "pipx", "share/fnm", "share/mise", "share/uv"]),
    ("", ".m2", &["repository", "wrapper"]),
];

/// Places, by what a command may do there. They are absolute and exist.
#[derive(Debug, Default)]
pub(super) struct SandboxPlaces {
    pub(super) root: PathBuf,
    /// May be read and executed.
    pub(super) readable: BTreeSet<PathBuf>,
    /// May be read, executed and written, besides the root.
    pub(super) writable: BTreeSet<PathBuf>,
    /// Git directories: read-only, even inside of a writable place.
    pub(super) git: BTreeSet<PathBuf>,
    /// Hidden, even inside of a readable place.
    pub(super) hidden: BTreeSet<PathBuf>,
    pub(super) home: Option<PathBuf>,
    /// Notes about what a user might not expect.
    pub(super) notes: Vec<String>,
}

impl SandboxPlaces {
    /// The places of `command`.
    pub(super) fn of(command: &SandboxedCommand<'_>, program: &Program) -> Self {
        let home = environment::home(&command.environment).filter(|home| home.parent().is_some());
        let mut places = Self { root: program.root.clone(), home, ..Self::default() };
        places.readable.extend(SYSTEM.iter().map(PathBuf::from).filter(|place| place.exists()));
        places.hidden.extend(SECRETS.iter().map(PathBuf::from).filter(|place| place.exists()));
        places.hidden.extend(closed_entries_of(Path::new("/etc")));
        places.tool_chains(command);
        for directory in environment::path_directories(&command.environment) {
            places.read(&directory);
        }
        if command.network {
            // `/etc/resolv.conf` often links to a stub file that is written while the machine runs.
            places.readable.extend(fs::canonicalize("/etc/resolv.conf"));
        }
        let exists = |place: &&PathBuf| place.is_absolute() && place.exists();
        places.readable.extend(command.readable.iter().filter(exists).cloned());
        places.writable.extend(command.writable.iter().filter(exists).cloned());
        places.git_directories(command);
        places
    }

    /// Homes of tool chains: where their variables say, and their default places.
    fn tool_chains(&mut self, command: &SandboxedCommand<'_>) {
        for (variable, below_home, parts) in TOOL_CHAINS {
            let named = environment::absolute(&command.environment, variable);
            let usual = self.home.as_ref().map(|home| home.join(below_home));
            for place in named.into_iter().chain(usual) {
                if parts.is_empty() {
                    self.read(&place);
                }
                parts.iter().for_each(|part| self.read(&place.join(part)));
            }
        }
    }

    /// Makes `place` readable, unless it is missing, in the worktree, or contains somebody's home.
    fn read(&mut self, place: &Path) {
        let Ok(real) = fs::canonicalize(place) else {
            return;
        };
        let has_home = self.home.as_ref().is_some_and(|home| {
            home.starts_with(&real) || fs::canonicalize(home).is_ok_and(|home| home.starts_with(&real))
        });
        let has_everything = ["/home", "/root", "/Users", "/var", "/run", "/tmp", "/proc", "/dev", "/sys"]
            .iter()
            .any(|above| Path::new(above).starts_with(&real));
        if !has_home && !has_everything && !real.starts_with(&self.root) {
            // Landlock rules need the resolved path; programs use the path itself.
            self.readable.insert(place.to_path_buf());
            self.readable.insert(real);
        }
    }

    fn git_directories(&mut self, command: &SandboxedCommand<'_>) {
        let own = self.root.join(".git");
        if own.is_symlink() {
            self.notes.push("`.git` of the worktree is a link, which the command can replace".to_owned());
        }
        for directory in command.git_directories.iter().chain([&own]) {
            self.git
                .extend(fs::canonicalize(self.root.join(directory)).ok().filter(|real| !self.root.starts_with(real)));
        }
    }
}

/// Entries of `directory` that only some users may read.
fn closed_entries_of(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let closed =
        entries.filter(|entry| entry.metadata().is_ok_and(|of| !of.file_type().is_symlink() && of.mode() & 0o004 == 0));
    closed.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::{SECRETS, SYSTEM};

    #[test]
    fn tables_are_sorted() {
        assert!(SYSTEM.is_sorted() && SECRETS.is_sorted());
    }
}

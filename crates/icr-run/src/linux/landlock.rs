//! Landlock rules: access to files is granted, access to sockets and signals is restricted.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr, Scope};

use super::places::SandboxPlaces;
use super::sys;
use super::view::text;

/// The access rights that a kernel's Landlock supports.
#[derive(Debug, Clone, Copy)]
pub(super) struct Abilities {
    version: i32,
    abi: ABI,
}

impl Abilities {
    /// The abilities of this kernel.
    ///
    /// # Errors
    ///
    /// The reason why the kernel has no Landlock.
    pub(super) fn of_kernel() -> Result<Self, String> {
        match sys::landlock_version() {
            Ok(version) => Ok(Self { version, abi: ABI::from(version) }),
            Err(libc::EOPNOTSUPP) => Err("the kernel was started without it".to_owned()),
            Err(libc::ENOSYS) => Err("the kernel is older than 5.13 or was built without it".to_owned()),
            Err(errno) => Err(std::io::Error::from_raw_os_error(errno).to_string()),
        }
    }

    /// Whether it can forbid truncating files that are read-only for the command.
    pub(super) fn holds_truncation(self) -> bool {
        self.version >= 3
    }

    /// Whether it can forbid TCP.
    pub(super) fn holds_tcp(self) -> bool {
        self.version >= 4
    }

    /// Whether it can forbid abstract sockets, and signals to processes outside.
    pub(super) fn holds_scopes(self) -> bool {
        self.version >= 6
    }

    /// Whether it can forbid sockets in the file system.
    pub(super) fn holds_socket_paths(self) -> bool {
        self.version >= 9
    }

    fn all(self) -> BitFlags<AccessFs> {
        AccessFs::from_all(self.abi)
    }

    fn reading(self) -> u64 {
        ((AccessFs::Execute | AccessFs::ReadFile | AccessFs::ReadDir) & self.all()).bits()
    }

    fn writing(self) -> u64 {
        (self.all() & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev)).bits()
    }

    /// The rights of `access` that apply to files: a rule for a file must not grant rights for directories.
    fn of_file(self, access: u64) -> u64 {
        access & AccessFs::from_file(self.abi).bits()
    }

    fn using_device(self) -> u64 {
        ((AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev) & self.all()).bits()
    }

    /// A rule set without rules: it denies everything that it handles.
    ///
    /// # Errors
    ///
    /// The error of the kernel.
    pub(super) fn ruleset(self, forbids_tcp: bool) -> Result<OwnedFd, String> {
        let made = (|| {
            let mut ruleset =
                Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(self.all())?;
            if forbids_tcp && self.holds_tcp() {
                ruleset = ruleset.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)?;
            }
            if self.holds_scopes() {
                ruleset = ruleset.scope(Scope::AbstractUnixSocket | Scope::Signal)?;
            }
            ruleset.create()
        })();
        let made = made.map_err(|error: landlock::RulesetError| error.to_string())?;
        Option::<OwnedFd>::from(made).ok_or_else(|| "the kernel gave no rules".to_owned())
    }

    /// Rules for a view of the file system. The view has nothing that the command may not read.
    pub(super) fn rules_of_view(self, places: &SandboxPlaces, private: &[PathBuf]) -> Vec<(CString, u64)> {
        let mut rules = vec![(text(Path::new("/")), self.reading())];
        for place in private.iter().chain([&places.root, &PathBuf::from("/dev/shm")]).chain(&places.writable) {
            rules.push(self.rule(place, self.reading() | self.writing()));
        }
        self.devices(&mut rules);
        rules
    }

    /// Rules for the full file system, without a view.
    pub(super) fn rules_without_view(self, places: &SandboxPlaces, private: &[PathBuf]) -> Vec<(CString, u64)> {
        let mut rules = Vec::new();
        let readable = places.readable.iter().chain(&places.git).cloned();
        for place in readable.chain([places.root.clone(), PathBuf::from("/proc")]) {
            for part in parts_around(&place, &places.hidden) {
                rules.push(self.rule(&part, self.reading()));
            }
        }
        let writable = places.writable.iter().chain([&places.root]);
        for part in writable.flat_map(|place| parts_around(place, &places.git)).chain(private.iter().cloned()) {
            rules.push(self.rule(&part, self.reading() | self.writing()));
        }
        self.devices(&mut rules);
        rules
    }

    fn devices(self, rules: &mut Vec<(CString, u64)>) {
        for device in ["null", "zero", "full", "random", "urandom", "tty", "ptmx"] {
            rules.push((text(&Path::new("/dev").join(device)), self.of_file(self.using_device())));
        }
        rules.push((text(Path::new("/dev/pts")), self.using_device() | self.reading()));
    }

    fn rule(self, place: &Path, access: u64) -> (CString, u64) {
        (text(place), if place.is_dir() || !place.exists() { access } else { self.of_file(access) })
    }
}

/// `place`; or, if it contains some of `excluded`, its other entries one by one. Landlock rules can only add rights.
fn parts_around(place: &Path, excluded: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let real = fs::canonicalize(place).unwrap_or_else(|_| place.to_path_buf());
    if excluded.iter().any(|excluded| real.starts_with(excluded)) {
        return Vec::new();
    }
    if !excluded.iter().any(|excluded| excluded.starts_with(&real)) {
        return vec![real];
    }
    let entries = fs::read_dir(&real).into_iter().flatten().flatten();
    // Links are skipped: a link's target is granted under its own name or not at all.
    let entries = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    entries.flat_map(|entry| parts_around(&entry.path(), excluded)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::parts_around;

    #[test]
    fn what_is_excluded_splits_what_it_is_in() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = fs::canonicalize(directory.path()).expect("its path");
        for path in [".git/hooks", "src/deep", "modules/one/.git", "modules/two"] {
            fs::create_dir_all(root.join(path)).expect("a directory");
        }
        std::os::unix::fs::symlink(root.join(".git"), root.join("link")).expect("a link");
        let parts = |excluded: &[&str]| {
            let excluded: BTreeSet<_> = excluded.iter().map(|path| root.join(path)).collect();
            let mut parts = parts_around(&root, &excluded);
            parts.sort();
            let relative =
                parts.iter().map(|part| part.strip_prefix(&root).expect("it is inside").display().to_string());
            relative.collect::<Vec<_>>()
        };
        assert_eq!(parts(&[]), [""]);
        assert_eq!(parts(&[".git"]), ["modules", "src"]);
        assert_eq!(parts(&[".git", "modules/one/.git"]), ["modules/two", "src"]);
        assert!(parts(&[""]).is_empty());
    }
}

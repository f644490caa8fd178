//! A home full of configuration, what `init` makes of it, and that nothing is left of that after `uninstall`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{
    ConfigurationReport, FileOutcome, FileReport, InitRequest, IntegrationMode, UninstallRequest, init, uninstall,
};
use crate::hosts::{AgentHost, ConfigurationScope, HostDirectories, Platform};

mod homes;
mod kills;
mod properties;
mod refusals;
mod rows;

/// A home and a repository in a directory of their own.
pub(super) struct Home {
    directory: tempfile::TempDir,
    pub(super) directories: HostDirectories,
}

impl Home {
    /// With `files`, by their paths below the home.
    pub(super) fn with(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a directory can be made");
        let home = directory.path().join("home");
        for (path, text) in files {
            write(&home.join(path), text);
        }
        fs::create_dir_all(home.join("code/repo")).expect("the repository can be made");
        let directories = HostDirectories {
            project: Some(home.join("code/repo")),
            home,
            platform: Platform::Linux,
            variables: Vec::new(),
        };
        Self { directory, directories }
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.directories.home.join(path)
    }

    pub(super) fn agents_directory(&self) -> PathBuf {
        self.directory.path().join("icr/agents")
    }

    /// Each file and directory below the home, with what a file holds.
    pub(super) fn contents(&self) -> Contents {
        let mut contents = BTreeMap::new();
        collect(&self.directories.home, &mut contents);
        Contents(contents)
    }

    pub(super) fn init(
        &self,
        hosts: &[&'static AgentHost],
        modes: &[IntegrationMode],
        scope: ConfigurationScope,
    ) -> ConfigurationReport {
        self.init_with(|request| {
            init(&InitRequest { hosts, modes, scope, ..request }).expect("the manifest can be written")
        })
    }

    pub(super) fn init_with<T>(&self, run: impl FnOnce(InitRequest<'_>) -> T) -> T {
        run(InitRequest {
            directories: &self.directories,
            agents_directory: &self.agents_directory(),
            hosts: &[],
            modes: &[IntegrationMode::Mcp],
            scope: ConfigurationScope::User,
            icr: "/opt/icr/bin/icr",
            is_on_path: false,
            force: false,
            dry_run: false,
        })
    }

    pub(super) fn uninstall(&self, hosts: &[&'static str]) -> ConfigurationReport {
        let agents_directory = self.agents_directory();
        let request = UninstallRequest { agents_directory: &agents_directory, hosts, project: None, dry_run: false };
        uninstall(&request).expect("the manifest can be written")
    }
}

pub(super) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("it lies in a directory")).expect("the directory can be made");
    fs::write(path, text).expect("the file can be written");
}

fn collect(directory: &Path, contents: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
    for entry in fs::read_dir(directory).expect("it is a directory") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() && !path.is_symlink() {
            contents.insert(path.clone(), None);
            collect(&path, contents);
        } else {
            contents.insert(path.clone(), fs::read(&path).ok());
        }
    }
}

/// What a directory holds.
#[derive(Clone, PartialEq)]
pub(super) struct Contents(pub(super) BTreeMap<PathBuf, Option<Vec<u8>>>);

impl Contents {
    /// That this is what `earlier` was, or a list of what differs.
    #[track_caller]
    pub(super) fn check_same(&self, earlier: &Self, about: &str) {
        let paths: std::collections::BTreeSet<_> = self.0.keys().chain(earlier.0.keys()).collect();
        let text = |contents: &Self, path: &PathBuf| match contents.0.get(path) {
            None => "absent".to_owned(),
            Some(None) => "a directory".to_owned(),
            Some(Some(bytes)) => format!("{:?}", String::from_utf8_lossy(bytes)),
        };
        let differing = paths.into_iter().filter(|path| self.0.get(*path) != earlier.0.get(*path));
        let lines: Vec<String> = differing
            .map(|path| format!("{}\n  was {}\n  is  {}\n", path.display(), text(earlier, path), text(self, path)))
            .collect();
        assert!(lines.is_empty(), "{about}\n{}", lines.concat());
    }
}

pub(super) fn host(name: &str) -> &'static AgentHost {
    AgentHost::from_name(name).expect("there is a row")
}

/// All refusals of a report as text.
pub(super) fn refusals(report: &ConfigurationReport) -> String {
    let lines = report.files.iter().flat_map(|file| file.refusals.iter().map(|refusal| format!("{refusal}\n")));
    lines.collect()
}

pub(super) fn changed(report: &ConfigurationReport) -> usize {
    report.files.iter().filter(|file| file.outcome != FileOutcome::Unchanged).count()
}

//! What `icr doctor` says about the configuration of hosts.

use std::path::{Path, PathBuf};

use super::entry::{ConfigurationEntry, EntryLocation, EntryState};
use super::files;
use super::init::command_of;
use super::json;
use super::manifest::{Error, InstallationManifest};
use super::wanted_entries::{NAME, wanted_entries};
use super::{InitRequest, IntegrationMode};
use crate::hosts::{AgentHost, BaseDirectory, ConfigurationScope, HostDirectories, HostPath};

/// Something about the configuration of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigurationFinding {
    /// How bad it is.
    pub severity: FindingSeverity,
    /// Title of the host, or `agents`.
    pub subject: &'static str,
    /// Description of the finding.
    pub found: String,
    /// What to do about it, if anything.
    pub hint: Option<String>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingSeverity {
    /// Everything is in order.
    Good,
    /// It works, but the user should know something.
    Note,
    /// icr cannot work there.
    Bad,
}

/// Checks the places where icr is set up: entries whose program is gone, duplicate entries, entries without a record,
/// and missing files of the manifest. Writes nothing. `is_on_path` says whether a shell finds icr by its name. Files
/// that cannot be read are skipped.
///
/// # Errors
///
/// [`Error`] where the manifest cannot be read.
pub fn examine(
    directories: &HostDirectories,
    agents_directory: &Path,
    is_on_path: bool,
) -> Result<Vec<ConfigurationFinding>, Error> {
    let manifest = InstallationManifest::read(agents_directory)?;
    let hosts = AgentHost::ALL.iter();
    let mut findings: Vec<ConfigurationFinding> =
        hosts.flat_map(|host| host_findings(directories, agents_directory, is_on_path, &manifest, host)).collect();
    for record in manifest.files {
        if record.path.symlink_metadata().is_err() {
            findings.push(ConfigurationFinding {
                severity: FindingSeverity::Note,
                subject: "agents",
                found: format!("`{}` was written by `icr init` and is gone", record.path.display()),
                hint: Some("`icr init` writes it anew, `icr uninstall` forgets it".to_owned()),
            });
        }
    }
    Ok(findings)
}

/// Findings about one host; one that says where icr is set up if nothing is wrong there.
fn host_findings(
    directories: &HostDirectories,
    agents_directory: &Path,
    is_on_path: bool,
    manifest: &InstallationManifest,
    host: &'static AgentHost,
) -> Vec<ConfigurationFinding> {
    let mut findings = Vec::new();
    let mut set_up: Vec<(IntegrationMode, PathBuf)> = Vec::new();
    let mut servers: Vec<PathBuf> = Vec::new();
    for scope in [ConfigurationScope::User, ConfigurationScope::Project] {
        let request = InitRequest {
            directories,
            agents_directory,
            hosts: &[],
            modes: &[],
            scope,
            icr: NAME,
            is_on_path: true,
            force: false,
            dry_run: true,
        };
        for mode in [IntegrationMode::Mcp, IntegrationMode::Hook] {
            let Ok(entries) = wanted_entries(&request, host, mode) else { continue };
            let calls: Vec<(PathBuf, String)> = entries
                .iter()
                .filter_map(|wanted| Some((wanted.path.clone(), call(&wanted.path, &wanted.entry)?)))
                .collect();
            let is_gone = |command: &str| if command == NAME { !is_on_path } else { !Path::new(command).exists() };
            if let Some((path, command)) = calls.iter().find(|(_, command)| is_gone(command)) {
                findings.push(missing_command_finding(host, scope, mode, path, command));
            }
            set_up.extend(calls.first().map(|(path, _)| (mode, path.clone())));
            servers.extend(calls.into_iter().map(|(path, _)| path).filter(|_| mode == IntegrationMode::Mcp));
        }
    }
    if let [user, project, ..] = servers.as_slice() {
        findings.push(note(host, format!("`{}` and `{}` both have the server", user.display(), project.display())));
    }
    if let (Some(server), true) = (servers.first(), host.name == "claude-code" && has_plugin(directories)) {
        findings.push(note(host, format!("its plugin and `{}` both have the server", server.display())));
    }
    if let Some((_, path)) = set_up.iter().find(|(_, path)| manifest.record(path).is_none()) {
        findings.push(ConfigurationFinding {
            hint: Some("`icr uninstall` leaves it; `icr init --force` takes it over first".to_owned()),
            ..note(host, format!("`{}` has icr, and no record says that `icr init` put it there", path.display()))
        });
    }
    if findings.is_empty() && !set_up.is_empty() {
        let parts: Vec<String> =
            set_up.iter().map(|(mode, path)| format!("{} in `{}`", mode.name(), path.display())).collect();
        let (severity, found) = (FindingSeverity::Good, parts.join(", "));
        findings.push(ConfigurationFinding { severity, subject: host.title, found, hint: None });
    }
    findings
}

/// Path of the icr that an entry in a file runs; `None` if the entry is not there.
fn call(path: &Path, entry: &ConfigurationEntry) -> Option<String> {
    let text = files::read(path, None).ok()??;
    match entry.state_in(&text).ok()? {
        EntryState::Absent => None,
        EntryState::Equal if matches!(entry.place, EntryLocation::JsonDefault { .. }) => None,
        EntryState::Equal => Some(NAME.to_owned()),
        EntryState::Other { texts, .. } => command_of(&texts),
    }
}

fn missing_command_finding(
    host: &AgentHost,
    scope: ConfigurationScope,
    mode: IntegrationMode,
    path: &Path,
    command: &str,
) -> ConfigurationFinding {
    let project = if scope == ConfigurationScope::Project { " --project" } else { "" };
    let where_to = if command == NAME { "which is not on the path" } else { "which is not there" };
    ConfigurationFinding {
        severity: FindingSeverity::Bad,
        subject: host.title,
        found: format!("`{}` runs `{command}`, {where_to}", path.display()),
        hint: Some(match command {
            NAME => "put icr where the shell finds programs".to_owned(),
            _ => format!("`icr init --mode {} --tool {}{project} --force` mends it", mode.name(), host.name),
        }),
    }
}

fn note(host: &AgentHost, found: String) -> ConfigurationFinding {
    let hint = Some("one of them is enough".to_owned());
    ConfigurationFinding { severity: FindingSeverity::Note, subject: host.title, found, hint }
}

/// Whether Claude Code has icr's plugin enabled.
fn has_plugin(directories: &HostDirectories) -> bool {
    let path = directories.path(HostPath(BaseDirectory::Claude, "settings.json"));
    let text = path.ok().and_then(|path| files::read(&path, None).ok().flatten());
    let keys = text.and_then(|text| json::members(&text, "enabledPlugins").ok());
    keys.is_some_and(|keys| keys.iter().any(|key| key.starts_with("icr@")))
}

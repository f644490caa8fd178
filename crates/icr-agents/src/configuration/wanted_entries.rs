//! The entries that hosts and modes need in their files.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::entry::{ConfigurationEntry, EntryLocation};
use super::files;
use super::refusal::Refusal;
use super::{InitRequest, IntegrationMode, yaml};
use crate::hosts::{AgentHost, ConfigurationScope, HookShape, HooksFile, Platform, RULE, ServerPlace, ServersFile};
use crate::{AgentHookEvent, HostEvent, TimeoutUnit};

/// Name of icr's entry in all formats that name entries.
pub(crate) const NAME: &str = "icr";

/// An entry that a file should have.
#[derive(Debug)]
pub(crate) struct WantedEntry {
    pub(crate) host: &'static AgentHost,
    pub(crate) mode: IntegrationMode,
    pub(crate) path: PathBuf,
    pub(crate) entry: ConfigurationEntry,
}

/// A host does not support a mode, or the place of the entry cannot be determined.
#[derive(Debug)]
pub(crate) struct NoPlace {
    /// Path of the file, if it is known.
    pub(crate) path: Option<PathBuf>,
    /// Why the place cannot be determined; `None` if the host does not support the mode.
    pub(crate) refusal: Option<Refusal>,
}

/// The entries of one host and mode.
pub(crate) fn wanted_entries(
    request: &InitRequest<'_>,
    host: &'static AgentHost,
    mode: IntegrationMode,
) -> Result<Vec<WantedEntry>, NoPlace> {
    let no_place = |path, refusal| NoPlace { path, refusal };
    let made = match mode {
        IntegrationMode::Mcp => server(request, host),
        IntegrationMode::Cli => instructions(request, host),
        IntegrationMode::Skill => skills(request, host),
        IntegrationMode::Hook => hooks(request, host),
    };
    let made = made.map_err(|(path, refusal)| no_place(path, Some(refusal)))?;
    if made.is_empty() {
        return Err(no_place(None, None));
    }
    Ok(made.into_iter().map(|(path, entry)| WantedEntry { host, mode, path, entry }).collect())
}

type Entries = Result<Vec<(PathBuf, ConfigurationEntry)>, (Option<PathBuf>, Refusal)>;

fn directory_refusal(error: crate::hosts::DirectoryError) -> (Option<PathBuf>, Refusal) {
    (None, Refusal::Directory(error))
}

fn server(request: &InitRequest<'_>, host: &'static AgentHost) -> Entries {
    let Some(file) = host.servers.of(request.scope) else { return Ok(Vec::new()) };
    let path = request.directories.path(file.at).map_err(directory_refusal)?;
    if matches!(file.place, ServerPlace::YamlList(_)) && matches!(files::read(&path, None), Ok(None)) {
        return Err((Some(path), Refusal::NotThere { host: host.title }));
    }
    Ok(vec![(path, server_entry(&file, &program(request, host)))])
}

/// The MCP server entry that runs the program `icr`.
fn server_entry(file: &ServersFile, icr: &str) -> ConfigurationEntry {
    let name = || NAME.to_owned();
    let (place, quoted) = match file.place {
        ServerPlace::Json(key) => {
            (EntryLocation::JsonMember { path: vec![key.to_owned(), name()] }, super::json::quoted(icr))
        }
        ServerPlace::Toml(key) => {
            (EntryLocation::TomlTable { path: vec![key.to_owned(), name()] }, super::json::quoted(icr))
        }
        ServerPlace::YamlList(key) => {
            (EntryLocation::YamlItem { key: key.to_owned(), name: Some(name()) }, yaml::scalar(icr))
        }
        ServerPlace::YamlMapping(key) => {
            (EntryLocation::YamlMember { key: key.to_owned(), name: name() }, yaml::scalar(icr))
        }
        ServerPlace::Own => (EntryLocation::File, yaml::scalar(icr)),
    };
    ConfigurationEntry { place, content: file.entry.replace("\"$ICR\"", &quoted) }
}

fn instructions(request: &InitRequest<'_>, host: &'static AgentHost) -> Entries {
    let Some(at) = host.instructions.of(request.scope) else { return Ok(Vec::new()) };
    let path = request.directories.path(at).map_err(directory_refusal)?;
    let mut entries = vec![(path, ConfigurationEntry { place: EntryLocation::Block, content: RULE.to_owned() })];
    if let Some(list) = host.reads.filter(|_| request.scope == ConfigurationScope::Project) {
        let path = request.directories.path(list.at).map_err(directory_refusal)?;
        let place = EntryLocation::YamlItem { key: list.key.to_owned(), name: None };
        entries.push((path, ConfigurationEntry { place, content: format!("- {}\n", list.item) }));
    }
    Ok(entries)
}

fn skills(request: &InitRequest<'_>, host: &'static AgentHost) -> Entries {
    let skills = host.skills.of(request.scope).unwrap_or_default().iter();
    let entry = |text: &str| ConfigurationEntry { place: EntryLocation::File, content: text.to_owned() };
    skills
        .map(|skill| Ok((request.directories.path(skill.at).map_err(directory_refusal)?, entry(skill.text))))
        .collect()
}

fn hooks(request: &InitRequest<'_>, host: &'static AgentHost) -> Entries {
    let Some(file) = &host.hooks else { return Ok(Vec::new()) };
    let Some(at) = file.at.of(request.scope) else { return Ok(Vec::new()) };
    let path = request.directories.path(at).map_err(directory_refusal)?;
    let icr = program(request, host);
    let platform = request.directories.platform;
    if file.shape == HookShape::CommandPerShell {
        let hooks: serde_json::Map<String, Value> =
            file.dialect.events.iter().map(|event| hook_member(file, event, &icr, platform)).collect();
        let whole = json!({"version": 1, "hooks": hooks});
        let content = format!("{}\n", serde_json::to_string_pretty(&whole).unwrap_or_default());
        return Ok(vec![(path, ConfigurationEntry { place: EntryLocation::File, content })]);
    }
    let version = (file.shape == HookShape::Command).then(|| ConfigurationEntry {
        place: EntryLocation::JsonDefault { path: vec!["version".to_owned()] },
        content: "1".to_owned(),
    });
    let entries = file.dialect.events.iter().map(|event| ConfigurationEntry {
        place: EntryLocation::JsonItem {
            path: vec!["hooks".to_owned(), event.host_name.to_owned()],
            marker: hook_words(event.event, file.dialect.name).join(" "),
        },
        content: hook(file, event, &icr, platform).to_string(),
    });
    Ok(version.into_iter().chain(entries).map(|entry| (path.clone(), entry)).collect())
}

fn hook_member(file: &HooksFile, event: &HostEvent, icr: &str, platform: Platform) -> (String, Value) {
    (event.host_name.to_owned(), json!([hook(file, event, icr, platform)]))
}

/// Command-line words that call icr at an event.
fn hook_words(event: AgentHookEvent, dialect: &'static str) -> [&'static str; 4] {
    ["hook", event.name(), "--host", dialect]
}

fn hook(file: &HooksFile, event: &HostEvent, icr: &str, platform: Platform) -> Value {
    let words = hook_words(event.event, file.dialect.name);
    let timeout = match file.dialect.timeout_unit {
        TimeoutUnit::Seconds => event.timeout_seconds,
        TimeoutUnit::Milliseconds => event.timeout_seconds.saturating_mul(1000),
    };
    let arguments = words.join(" ");
    let line = format!("{} {arguments}", shell_word(icr, platform));
    match file.shape {
        HookShape::ProgramInGroup => {
            group(event, json!({"type": "command", "command": icr, "args": words, "timeout": timeout}))
        }
        HookShape::CommandInGroup => group(event, json!({"type": "command", "command": line, "timeout": timeout})),
        HookShape::Command => json!({"command": line}),
        HookShape::CommandPerShell => json!({
            "type": "command",
            "bash": format!("{} {arguments}", shell_word(icr, Platform::Linux)),
            "powershell": powershell_line(icr, &arguments),
            "timeoutSec": timeout,
        }),
    }
}

/// A hook group with one handler.
fn group(event: &HostEvent, mut handler: Value) -> Value {
    if event.is_in_background {
        handler["async"] = json!(true);
    }
    match event.tools {
        Some(tools) => json!({"matcher": tools, "hooks": [handler]}),
        None => json!({"hooks": [handler]}),
    }
}

/// The program in the form that the host needs: `icr` or its absolute path.
fn program(request: &InitRequest<'_>, host: &AgentHost) -> String {
    // Project files are used on machines where the program may have another path.
    let by_name = request.scope == ConfigurationScope::Project || (host.has_shell_path && request.is_on_path);
    if by_name { NAME.to_owned() } else { request.icr.to_owned() }
}

fn is_plain(word: &str) -> bool {
    word.chars()
        .all(|character| character.is_ascii_alphanumeric() || matches!(character, '/' | '.' | '_' | '-' | '+' | '@'))
}

/// A word as the shell of the platform reads it.
fn shell_word(word: &str, platform: Platform) -> String {
    match platform {
        _ if is_plain(word) => word.to_owned(),
        Platform::Windows => format!("\"{word}\""),
        _ => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn powershell_line(icr: &str, arguments: &str) -> String {
    if is_plain(icr) { format!("{icr} {arguments}") } else { format!("& '{}' {arguments}", icr.replace('\'', "''")) }
}

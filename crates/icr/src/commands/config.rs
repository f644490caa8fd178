//! `icr config`

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use icr_engine::{IdRecording, LocatedRepository};
use serde_json::json;

use crate::arguments::Global;
use crate::config::{self, ResolvedConfig};
use crate::context::{configuration, given_repo_id, home, locate};
use crate::environment;
use crate::output::{Output, note};
use crate::problem::{self, Usage};

/// Show and change the configuration
#[derive(Debug, Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    action: ConfigAction,
}

/// What to do.
#[derive(Debug, Subcommand)]
enum ConfigAction {
    /// Show all keys with their values
    Show {
        /// Also show where each value comes from
        #[arg(long)]
        origin: bool,
    },
    /// Show the value of one key
    Get {
        /// Key, as `section.key`
        key: String,
    },
    /// Write a value into the user's configuration file
    Set {
        /// Key, as `section.key`
        key: String,
        /// Value
        value: String,
    },
    /// Remove a value from the user's configuration file
    Unset {
        /// Key, as `section.key`
        key: String,
    },
    /// List the configuration files that are read, lowest layer first
    Path,
    /// Convert an old `config.yaml` once and print it as TOML
    Migrate {
        /// The old file
        file: PathBuf,
    },
    /// Print the reference of all keys, as Markdown
    Reference,
}

impl Config {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        let home = home()?;
        let located = locate(global).ok();
        let environment = environment::variables();
        // A broken configuration must not keep the user from repairing it with this command.
        let given = given_repo_id(global, &home).ok().flatten();
        let repo_id = match &located {
            Some(located) => Some(located.repo_id(&home, given.as_deref(), IdRecording::Forbidden)?),
            None => None,
        };
        let repository = repo_id.as_deref().zip(located.as_ref().map(LocatedRepository::root));
        let resolved = || configuration(global, &home, repository.map(|(id, root)| (Some(id), root)));
        let user_file = || global.config.clone().unwrap_or_else(|| config::user_file(&environment, &home));
        match &self.action {
            ConfigAction::Show { origin } => show(output, &resolved()?, *origin)?,
            ConfigAction::Get { key } => get(output, &resolved()?, key)?,
            ConfigAction::Set { key, value } => {
                let path = set_in_user_file(global, &[(key, value)])?;
                if !global.quiet {
                    output.line(format_args!("{key} is set in {}", path.display()))?;
                    for warning in config::warnings_of(key, value) {
                        output.line(format_args!("warning: {warning}"))?;
                    }
                }
            }
            ConfigAction::Unset { key } => unset(global, output, &user_file(), key)?,
            ConfigAction::Path => {
                let mut files = vec![("user", user_file())];
                if let Some((id, root)) = repository {
                    files.push(("store", home.join("repos").join(id).join("config.toml")));
                    files.push(("project", root.join(".icr.toml")));
                }
                list_files(output, &files)?;
            }
            ConfigAction::Migrate { file } => {
                let old = config::read(file).map_err(|error| unusable(file, "read", &error))?;
                output.line(config::migrate(file, &old)?.trim_end())?;
            }
            ConfigAction::Reference => output.line(config::reference().trim_end())?,
        }
        Ok(problem::OK)
    }
}

fn show(output: &mut Output, configuration: &ResolvedConfig, origin: bool) -> anyhow::Result<()> {
    if output.is_json() {
        return Ok(output.json(&config::json(configuration, origin))?);
    }
    output.line(config::text(configuration, origin).trim_end())?;
    for warning in configuration.warnings() {
        output.line(format_args!("warning: {warning}"))?;
    }
    Ok(())
}

fn get(output: &mut Output, configuration: &ResolvedConfig, key: &str) -> anyhow::Result<()> {
    let setting = configuration.setting(key)?;
    let hidden = setting.key.secret;
    if output.is_json() {
        let value = if hidden { json!("hidden") } else { setting.value.to_json() };
        output.json(&json!({ "key": setting.key.name, "value": value, "origin": setting.place.to_string() }))?;
    } else if hidden {
        output.line("hidden")?;
    } else {
        output.line(setting.value)?;
    }
    Ok(())
}

fn unset(global: &Global, output: &mut Output, path: &Path, key: &str) -> anyhow::Result<()> {
    let Some(after) = config::unset(path, &text_of(path)?, key)? else {
        if !global.quiet {
            note(&mut std::io::stderr().lock(), &format!("{key} is not set in {}", path.display()));
        }
        return Ok(());
    };
    write_whole(path, &after).map_err(|error| unusable(path, "written", &error))?;
    if !global.quiet {
        output.line(format_args!("{key} is no longer set in {}", path.display()))?;
    }
    Ok(())
}

/// Writes the names of layers with the paths of their files.
fn list_files(output: &mut Output, files: &[(&str, PathBuf)]) -> anyhow::Result<()> {
    if output.is_json() {
        let row = |(layer, path): &(&str, PathBuf)| json!({ "layer": layer, "path": path, "exists": path.exists() });
        return Ok(output.json(&json!({ "files": files.iter().map(row).collect::<Vec<_>>() }))?);
    }
    for (layer, path) in files {
        let state = if path.exists() { "" } else { "  (absent)" };
        output.line(format_args!("{layer:<8} {}{state}", path.display()))?;
    }
    Ok(())
}

/// Writes `settings`, pairs of key and value, into the user's file: all of them, or none if the file could not be read
/// afterwards. Returns the path of the file.
pub(super) fn set_in_user_file(global: &Global, settings: &[(&str, &str)]) -> anyhow::Result<PathBuf> {
    let environment = environment::variables();
    let path = match &global.config {
        Some(path) => path.clone(),
        None => config::user_file(&environment, &home()?),
    };
    let before = text_of(&path)?;
    let mut text = before.clone();
    for (key, value) in settings {
        text = config::set(&path, &text, key, value)?;
    }
    let names: Vec<&str> = settings.iter().map(|(key, _)| *key).collect();
    config::check_set(&path, &before, &text, &names, &environment)?;
    write_whole(&path, &text).map_err(|error| unusable(&path, "written", &error))?;
    Ok(path)
}

/// The text of a configuration file; empty if there is no file.
fn text_of(path: &Path) -> anyhow::Result<String> {
    match config::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        text => text.map_err(|error| unusable(path, "read", &error)),
    }
}

/// Writes a file atomically: a temporary file beside it is written first and then renamed.
fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    // Follows a symbolic link, because many users keep their configuration elsewhere.
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mode = std::fs::metadata(path).map(|metadata| metadata.permissions());
    if mode.as_ref().is_ok_and(std::fs::Permissions::readonly) {
        return Err(std::io::Error::new(std::io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let beside = path.with_extension("toml.new");
    std::fs::write(&beside, text)?;
    if let Ok(mode) = mode {
        std::fs::set_permissions(&beside, mode)?;
    }
    std::fs::rename(&beside, path)
}

fn unusable(path: &Path, how: &str, error: &std::io::Error) -> anyhow::Error {
    Usage { message: format!("`{}` cannot be {how}: {error}", path.display()), hint: None }.into()
}

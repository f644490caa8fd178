//! `icr completions` and `icr man`

use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Zsh};

use crate::arguments::Arguments;
use crate::commands::impact::{cannot_write, refuse_link, write_file};
use crate::completions::VARIABLE;
use crate::output::{Output, note};
use crate::problem::{self, Usage};

/// Print the script that completes commands, paths, definitions and revisions in a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  echo 'source <(icr completions bash)' >> ~/.bashrc\n  \
                        echo 'source <(icr completions zsh)' >> ~/.zshrc\n  \
                        icr completions fish > ~/.config/fish/completions/icr.fish")]
pub(crate) struct Completions {
    /// Shell to print the script for
    shell: Shell,
}

/// Supported shells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shell {
    /// bash
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
    /// Elvish
    Elvish,
    /// PowerShell
    Powershell,
}

impl Completions {
    pub(crate) fn run(&self, output: &mut Output) -> anyhow::Result<u8> {
        let completer: &dyn EnvCompleter = match self.shell {
            Shell::Bash => &Bash,
            Shell::Zsh => &Zsh,
            Shell::Fish => &Fish,
            Shell::Elvish => &Elvish,
            Shell::Powershell => &Powershell,
        };
        let mut script = Vec::new();
        completer.write_registration(VARIABLE, "icr", "icr", "icr", &mut script)?;
        output.line(String::from_utf8_lossy(&script).trim_end())?;
        Ok(problem::OK)
    }
}

/// Print the manual page, or write that of every command into a directory
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  icr man | man -l -\n  icr man --dir ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Directory for the pages of all commands
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(&self, output: &mut Output) -> anyhow::Result<u8> {
        let command = Arguments::command();
        if let Some(directory) = &self.dir {
            refuse_link(directory)?;
            std::fs::create_dir_all(directory).map_err(|error| cannot_write(directory, error))?;
            let pages = pages(command)?;
            for (name, page) in &pages {
                let path = directory.join(name);
                refuse_foreign(&path)?;
                write_file(&path, page)?;
            }
            output.line(format_args!("{} manual pages are in {}", pages.len(), directory.display()))?;
            return Ok(problem::OK);
        }
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        output.line(String::from_utf8_lossy(&page).trim_end())?;
        if output.is_read() {
            note(&mut std::io::stderr().lock(), "this is the source of the page; `icr man | man -l -` shows it");
        }
        Ok(problem::OK)
    }
}

/// File name and content of the manual page of each command.
fn pages(mut command: clap::Command) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    command = command.disable_help_subcommand(true);
    command.build();
    let mut left = vec![command];
    let mut pages = Vec::new();
    while let Some(command) = left.pop() {
        left.extend(command.get_subcommands().filter(|command| !command.is_hide_set()).cloned());
        let page = clap_mangen::Man::new(command);
        let mut text = Vec::new();
        page.render(&mut text)?;
        pages.push((page.get_filename(), text));
    }
    Ok(pages)
}

/// Refuses a path that holds a file other than a manual page.
fn refuse_foreign(path: &Path) -> Result<(), Usage> {
    let Ok(metadata) = std::fs::symlink_metadata(path) else { return Ok(()) };
    let is_page = metadata.is_file() && std::fs::read(path).is_ok_and(|text| text.starts_with(PAGE_START));
    match is_page {
        true => Ok(()),
        false => Err(Usage {
            message: format!("`{}` is there, and is no manual page that icr wrote", path.display()),
            hint: Some("name another directory, or delete it".to_owned()),
        }),
    }
}

/// Bytes that every manual page begins with.
const PAGE_START: &[u8] = b".ie \\n(.g";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_that_is_known_again() {
        let pages = pages(Arguments::command()).expect("pages are made");
        assert!(pages.iter().any(|(name, _)| name == "icr-search.1") && pages.len() > 50);
        assert!(pages.iter().all(|(name, text)| text.starts_with(PAGE_START) && !name.contains('/')));
    }

    #[cfg(unix)]
    #[test]
    fn nothing_but_a_page_is_written_over() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let place = |name: &str| directory.path().join(name);
        std::fs::write(place("own"), "mine").expect("files can be written");
        std::os::unix::fs::symlink(place("own"), place("link")).expect("links can be made");
        std::fs::write(place("page"), PAGE_START).expect("files can be written");
        assert!(refuse_foreign(&place("own")).is_err() && refuse_foreign(&place("link")).is_err());
        assert!(refuse_foreign(&place("page")).is_ok() && refuse_foreign(&place("none")).is_ok());
    }
}

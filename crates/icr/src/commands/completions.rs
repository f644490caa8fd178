//! `icr completions` and `icr man`

use std::path::PathBuf;

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Zsh};

use crate::arguments::Arguments;
use crate::completions::VARIABLE;
use crate::output::Output;
use crate::problem::{self, Usage};

/// Print the script that completes commands, paths, definitions and revisions in a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  echo 'source <(icr completions bash)' >> ~/.bashrc\n  \
                        echo 'source <(icr completions zsh)' >> ~/.zshrc\n  \
                        icr completions fish > ~/.config/fish/completions/icr.fish")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

/// Shells that are known.
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
            let unwritten = |error: std::io::Error| Usage {
                message: format!("manual pages cannot be written to `{}`: {error}", directory.display()),
                hint: None,
            };
            std::fs::create_dir_all(directory).map_err(unwritten)?;
            clap_mangen::generate_to(command, directory).map_err(unwritten)?;
            output.line(format_args!("manual pages are in {}", directory.display()))?;
            return Ok(problem::OK);
        }
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        output.line(String::from_utf8_lossy(&page).trim_end())?;
        Ok(problem::OK)
    }
}

//! The commands a project says it is built, tested, linted, formatted and run with.
//!
//! Pure: the caller reads the files that [`manifests`] names, [`detect`] says what they declare. Each command is one
//! program with arguments, to be started without a shell in [`ProjectCommand::directory`]; nothing from a manifest
//! becomes part of a command but names of plain letters, digits, `-`, `_`, `.` and `:`.

mod cargo;
mod directory;
mod javascript;
mod make;
mod python;
mod ruby;
mod table;
mod targets;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use icr_model::RepoPath;
use icr_pack::Script;
use icr_rank::FileKind;

use directory::{depth, directories, directories_around};
use table::TOOLS;

/// What a command does with the project. The order is that of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandKind {
    /// Compiles or packages.
    Build,
    /// Runs the tests.
    Test,
    /// Checks without changing files.
    Lint,
    /// Rewrites files in the project's layout.
    Format,
    /// Starts the program.
    Run,
}

impl CommandKind {
    /// All kinds, in their order.
    pub const ALL: [Self; 5] = [Self::Build, Self::Test, Self::Lint, Self::Format, Self::Run];

    /// The lower-case name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Test => "test",
            Self::Lint => "lint",
            Self::Format => "format",
            Self::Run => "run",
        }
    }
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectCommand {
    /// What it does.
    pub kind: CommandKind,
    /// Program and arguments, separated by single spaces, none of which needs quotes.
    pub command: String,
    /// Where to start it, relative to the root; empty for the root.
    pub directory: String,
    /// The manifest it follows from, relative to the root.
    pub source: String,
    /// The tool, by its name in [`ProjectCommands::detected_tools`].
    pub tool: &'static str,
    /// Whether the project itself names it, rather than the custom of the tool.
    pub declared: bool,
}

/// What the manifests say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectCommands {
    /// Names of the tools found, in the order of the table.
    pub detected_tools: Vec<&'static str>,
    /// The commands: outer directories first, then by kind, then what the project declares before what is custom, then
    /// by tool. So the first of a kind is the one to use.
    pub commands: Vec<ProjectCommand>,
    /// One sentence for each manifest that could not be read in full.
    pub warnings: Vec<String>,
}

/// Kinds of commands that whoever pursues a goal needs, the most needed first.
const SCRIPTS: [CommandKind; 3] = [CommandKind::Test, CommandKind::Build, CommandKind::Lint];

impl ProjectCommands {
    /// The command to use of each kind that whoever pursues a goal needs, as a map for that goal shows it.
    pub fn scripts(&self) -> Vec<Script> {
        let first = |kind: &CommandKind| {
            let command = self.commands.iter().find(|command| command.kind == *kind)?;
            let place =
                if command.directory.is_empty() { String::new() } else { format!(" (in {})", command.directory) };
            Some(Script { kind: kind.name().to_owned(), command: format!("{}{place}", command.command) })
        };
        SCRIPTS.iter().filter_map(first).collect()
    }
}

/// Names of the files to read, sorted: relative to a directory, or `*.` and an extension. The content of those that
/// only mark a tool may be left empty.
pub(crate) fn manifests() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let mut names: Vec<&str> = TOOLS.iter().flat_map(table::Tool::files).collect();
        names.sort_unstable();
        names.dedup();
        names
    });
    &NAMES
}

/// Whether a directory of vendored or generated code holds `path`: a manifest in there says how that code is built, not
/// how the project is.
pub(crate) fn is_foreign(path: &str) -> bool {
    let is_foreign = |name: &str| FileKind::of(&RepoPath::from(format!("{name}/").as_str())) == Some(FileKind::Foreign);
    path.split('/').rev().skip(1).any(is_foreign)
}

/// The commands of a project from its manifests: `(path relative to the root, content)`, in any order. Files with other
/// names and those in directories of foreign code are passed over.
///
/// Manifests of subdirectories count too; where an outer directory has the same tool, it speaks for those below it. A
/// manifest that cannot be read gives a warning and the customary commands of its tool. Linear in the bytes given.
pub(crate) fn detect(files: &[(String, Vec<u8>)]) -> ProjectCommands {
    let mut found = ProjectCommands::default();
    let directories = directories(files);
    let mut present: BTreeSet<(usize, &str)> = BTreeSet::new();
    for directory in &directories {
        for (no, tool) in TOOLS.iter().enumerate() {
            let covered = || directories_around(directory.path()).any(|outer| present.contains(&(no, outer)));
            if !tool.is_present(directory) || covered() {
                continue;
            }
            present.insert((no, directory.path()));
            let mut findings = Findings::default();
            tool.apply(directory, &mut findings);
            found.warnings.extend(findings.warnings);
            found.commands.extend(findings.commands.into_iter().map(|finding| ProjectCommand {
                kind: finding.kind,
                command: finding.command,
                directory: directory.path().to_owned(),
                source: directory.path_of(&finding.source),
                tool: tool.name,
                declared: finding.declared,
            }));
        }
    }
    // The sort is stable, so equal keys keep the order of the table.
    found.commands.sort_by_cached_key(|command| {
        (depth(&command.directory), command.directory.clone(), command.kind, !command.declared)
    });
    found.detected_tools = present.into_iter().map(|(no, _)| TOOLS[no].name).collect();
    found.detected_tools.dedup();
    found.warnings.sort();
    found.warnings.dedup();
    found
}

/// A command of one directory.
struct DirectoryCommand {
    kind: CommandKind,
    command: String,
    /// Name of the manifest in its directory.
    source: String,
    declared: bool,
}

/// What one tool finds in one directory.
#[derive(Default)]
struct Findings {
    commands: Vec<DirectoryCommand>,
    warnings: Vec<String>,
}

impl Findings {
    /// A command the project names.
    fn declared(&mut self, kind: CommandKind, command: impl Into<String>, source: &str) {
        self.push(kind, command.into(), source, true);
    }

    /// A command that is the custom of the tool.
    fn customary(&mut self, kind: CommandKind, command: impl Into<String>, source: &str) {
        self.push(kind, command.into(), source, false);
    }

    /// Whether there is a command of this kind.
    fn has(&self, kind: CommandKind) -> bool {
        self.commands.iter().any(|known| known.kind == kind)
    }

    fn push(&mut self, kind: CommandKind, command: String, source: &str, declared: bool) {
        if !self.commands.iter().any(|known| known.kind == kind && known.command == command) {
            self.commands.push(DirectoryCommand { kind, command, source: source.to_owned(), declared });
        }
    }
}

/// Whether `name` can stand in a command without quotes and is no option.
fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    !name.is_empty() && !name.starts_with('-') && name.bytes().all(plain)
}

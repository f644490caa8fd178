//! `compile_commands.json`: the include roots in the compilers' command lines.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::Deserialize;

use super::{ManifestResult, text};
use crate::graph::{Db, PathInput};
use crate::view::{GraphView, normalised, parent};

/// Include roots inside the repository, in search order.
#[derive(Debug, Clone, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct Roots {
    /// For quoted inclusions only.
    quoted: Vec<String>,
    all: Vec<String>,
}

impl Roots {
    /// The roots for an inclusion in quotes, or for one in angle brackets.
    pub(crate) fn in_order(&self, quoted: bool) -> impl Iterator<Item = &str> {
        let first = if quoted { self.quoted.as_slice() } else { &[] };
        first.iter().chain(&self.all).map(String::as_str)
    }
}

/// The content of a `compile_commands.json`.
#[derive(Debug, PartialEq, Eq, Default, salsa::SalsaValue)]
pub(crate) struct CompileCommands {
    /// Distinct sets of roots.
    sets: Vec<Roots>,
    /// Index in `sets` by the path of the source file.
    by_file: HashMap<String, u32>,
    /// All roots, for headers, because no command compiles a header.
    any: Roots,
}

/// Include roots for the file at `from`, from the manifest at `path`; `None` when the manifest does not exist or
/// cannot be read.
pub(crate) fn roots_of(view: GraphView<'_>, path: &str, from: &str) -> Option<Roots> {
    let said = compile_commands(view.db(), view.input(path))?.ok()?;
    let roots = said.by_file.get(from).map_or(&said.any, |set| &said.sets[*set as usize]);
    Some(roots.clone())
}

/// What is wrong with the manifest at `path`.
pub(super) fn problem(view: GraphView<'_>, path: &str) -> Option<String> {
    compile_commands(view.db(), view.input(path))?.err()
}

#[derive(Deserialize)]
struct CompileCommand {
    #[serde(default)]
    directory: String,
    #[serde(default)]
    file: String,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

#[salsa::tracked(returns(clone))]
fn compile_commands(db: &dyn Db, input: PathInput) -> Option<ManifestResult<CompileCommands>> {
    let text = text(db, input)?;
    let entries: Vec<CompileCommand> = match serde_json::from_slice(&text) {
        Ok(entries) => entries,
        Err(error) => return Some(Err(error.to_string())),
    };
    let here = parent(input.path(db).as_str()?);
    Some(Ok(Arc::new(read(&entries, here, &checkout(GraphView::new(db), &entries)))))
}

/// The directory of the repository on the machine that wrote the manifest: the part of a path before a source file
/// that the view has. Empty when the view has none of the sources.
fn checkout(view: GraphView<'_>, entries: &[CompileCommand]) -> String {
    /// Most sources that are tried. A compiled source is rarely deleted or generated, so few are enough.
    const ASKED: usize = 16;
    let of_entry = |entry: &CompileCommand| {
        let file = absolute(&entry.directory, &entry.file)?;
        let mut cuts = file.match_indices('/').map(|(at, _)| at);
        let cut = cuts.find(|cut| view.is_file(&file[cut + 1..]))?;
        Some(file[..cut].to_owned())
    };
    entries.iter().take(ASKED).find_map(of_entry).unwrap_or_default()
}

/// `path` made absolute by means of `directory`; `None` when both are relative. The result begins with `/`, also
/// before a drive letter.
fn absolute(directory: &str, path: &str) -> Option<String> {
    let (directory, path) = (directory.replace('\\', "/"), path.replace('\\', "/"));
    let is_absolute = |path: &str| path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    let full = match (is_absolute(&path), is_absolute(&directory)) {
        (true, _) => normalised("", &path)?,
        (false, true) => normalised(&directory, &path)?,
        (false, false) => return None,
    };
    Some(format!("/{full}"))
}

fn read(entries: &[CompileCommand], here: &str, checkout: &str) -> CompileCommands {
    let in_view = |directory: &str, path: &str| match absolute(directory, path) {
        Some(full) => Some(full.strip_prefix(checkout)?.strip_prefix('/').unwrap_or_default().to_owned()),
        None => normalised(&normalised(here, &directory.replace('\\', "/"))?, &path.replace('\\', "/")),
    };
    let mut said = CompileCommands::default();
    let mut numbers: HashMap<(Vec<String>, Vec<String>), u32> = HashMap::new();
    let mut seen = [HashSet::new(), HashSet::new()];
    for entry in entries {
        let words = entry.arguments.clone().or_else(|| entry.command.as_deref().map(words)).unwrap_or_default();
        let mut roots = Roots::default();
        for (is_quoted, path) in include_flags(&words) {
            // The view has no files in roots outside of the repository.
            let outside = checkout.is_empty() && absolute(&entry.directory, path).is_some();
            let Some(root) = in_view(&entry.directory, path).filter(|_| !outside) else { continue };
            let list = if is_quoted { &mut roots.quoted } else { &mut roots.all };
            list.push(root.clone());
            if seen[usize::from(is_quoted)].insert(root.clone()) {
                if is_quoted { said.any.quoted.push(root) } else { said.any.all.push(root) }
            }
        }
        let Some(file) = in_view(&entry.directory, &entry.file) else { continue };
        let sets = &mut said.sets;
        let number = *numbers.entry((roots.quoted.clone(), roots.all.clone())).or_insert_with(|| {
            sets.push(roots);
            sets.len() as u32 - 1
        });
        // For a file that is compiled twice, the first command counts.
        said.by_file.entry(file).or_insert(number);
    }
    said
}

/// The include roots among the words of a command, each with whether it is for quoted inclusions only.
fn include_flags(words: &[String]) -> Vec<(bool, &str)> {
    const FLAGS: [(&str, bool); 6] = [
        ("-iquote", true),
        ("-isystem", false),
        ("-idirafter", false),
        ("-external:I", false),
        ("-I", false),
        ("/I", false),
    ];
    let mut found = Vec::new();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let flag = FLAGS.iter().find_map(|(flag, quoted)| Some((word.strip_prefix(flag)?, *quoted)));
        match flag {
            Some(("", quoted)) => found.extend(words.next().map(|path| (quoted, path))),
            Some((path, quoted)) => found.push((quoted, path)),
            None => {}
        }
    }
    found
}

/// The words of a shell command: split at blanks that are neither quoted nor escaped.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(characters.next()),
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        assert_eq!(words(r#"cc -I"a b" -Ic\ d  '-I"e"' "" x"#), ["cc", "-Ia b", "-Ic d", "-I\"e\"", "", "x"]);
        assert_eq!(words("cc 'open"), ["cc", "open"]);
    }

    #[test]
    fn flags_stand_before_or_on_their_path() {
        let words = words("cc -I a -Ib -isystem c -iquoted /Ie -o f.o f.c -I");
        assert_eq!(include_flags(&words), [(false, "a"), (false, "b"), (false, "c"), (true, "d"), (false, "e")]);
    }
}

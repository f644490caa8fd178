//! Files named by their paths. In shell scripts and makefiles, the beginning of the path is computed when they run; in
//! R, the path is relative to the working directory; in Zig, it is relative to the file. The file may be in any
//! language: a script reads a settings file, a program embeds a page.

use icr_model::{ImportKind, RepoPath};

use crate::graph::PathInput;
use crate::resolve::{ImportOutcome, ImportTarget, Statement};
use crate::schemes::key::{Key, KeyScope, path_keys};
use crate::view::{GraphView, file_name, join, normalised, parent, stem};

/// What a statement names.
pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    match statement.language {
        "r" if statement.import.kind == ImportKind::Import => boxed(view, statement),
        "zig" => built(view, statement),
        "make" if file_name(&statement.import.specifier).starts_with("*.") => all_with_ending(view, statement),
        _ => read_by_script(view, statement),
    }
}

/// Keys of the statements that may read the file at `path`: its full file name, and for R modules the name without
/// extension.
pub(super) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    let Some(language) = view.language(path) else { return Vec::new() };
    let mut keys = path_keys(path, &KeyScope::Repository);
    if language == "r" {
        let is_initial = BOX_ENDINGS.iter().any(|ending| path.ends_with(&format!("/{ending}")));
        let module = if is_initial { parent(path) } else { stem(path) };
        keys.extend(path_keys(module, &KeyScope::Repository));
    }
    keys.extend(file_name(path).rsplit_once('.').map(|(_, extension)| format!("*/{extension}").into()));
    // Any file can be read. Most files are not named by any script, so keys without such a statement are dropped.
    let is_reader = |path: &RepoPath| path.as_str().is_some_and(|path| reads_files(view, path));
    keys.retain(|key| view.requiring(&key.text).iter().any(is_reader));
    keys.sort();
    keys.dedup();
    keys
}

/// Empty: a script sees only what it reads.
pub(super) fn siblings(_: GraphView<'_>, _: &str) -> Vec<PathInput> {
    Vec::new()
}

/// Empty: there are no manifests.
pub(super) fn manifests(_: GraphView<'_>, _: &str) -> Vec<String> {
    Vec::new()
}

/// Languages whose statements are resolved here, and `text`, the language that the path gives for a script whose first
/// line names its language.
const READERS: [&str; 5] = ["bash", "make", "r", "text", "zig"];

fn reads_files(view: GraphView<'_>, path: &str) -> bool {
    view.language(path).is_some_and(|language| READERS.contains(&language))
}

/// Whether `text` is a path inside some directory that ends in a file name.
pub(super) fn is_path(text: &str) -> bool {
    /// Longest path of any system, in bytes (`PATH_MAX` of Linux).
    const LONGEST: usize = 4096;
    let is_inside = !text.starts_with(['/', '~']) && text.len() <= LONGEST;
    is_inside && !matches!(file_name(text), "" | "." | "..")
}

/// The path that shares the longest beginning with `from`; `None` when several do.
pub(super) fn nearest<'a>(from: &str, paths: impl Iterator<Item = &'a str>) -> Option<String> {
    let shared = |path: &str| from.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count();
    let mut best: Option<(usize, &str)> = None;
    let mut is_tied = false;
    for path in paths {
        let shared = shared(path);
        match best {
            Some((most, _)) if most > shared => {}
            Some((most, _)) if most == shared => is_tied = true,
            _ => (best, is_tied) = (Some((shared, path)), false),
        }
    }
    best.filter(|_| !is_tied).map(|(_, path)| path.to_owned())
}

/// Most directories above a script that are tried as its working directory.
const MAX_DEPTH: usize = 32;

/// File name that stands for a directory as an R module, and the extension of an R module, as in the package `box`.
const BOX_ENDINGS: [&str; 4] = ["__init__.r", "__init__.R", ".r", ".R"];

/// An R module by a path without extension; a single name is a package.
fn boxed(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let specifier = statement.import.specifier.as_str();
    let is_relative = specifier.starts_with("./") || specifier.starts_with("../");
    if !specifier.contains('/') || !is_path(specifier) {
        return ImportOutcome::External;
    }
    let directory = if is_relative { parent(statement.path) } else { "" };
    let Some(module) = normalised(directory, specifier) else { return ImportOutcome::Unresolved };
    let ended = |ending: &&str| match ending.strip_prefix('.') {
        Some(_) => format!("{module}{ending}"),
        None => join(&module, ending),
    };
    let found = BOX_ENDINGS.iter().rev().map(ended).find(|path| view.language(path) == Some("r"));
    match found {
        Some(path) => ImportOutcome::file(view, &path),
        None if is_relative => ImportOutcome::Unresolved,
        None => ImportOutcome::External,
    }
}

/// A file of Zig, or an embedded file: relative to the importing file only. A header is searched in directories that
/// the build knows, and a name that is no file is a module of the build, such as `std`.
fn built(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let specifier = statement.import.specifier.as_str();
    let is_header = statement.import.kind == ImportKind::SystemInclude;
    let is_module = statement.import.kind == ImportKind::Import && !specifier.contains('.');
    if is_module || !is_path(specifier) {
        return ImportOutcome::External;
    }
    let beside = normalised(parent(statement.path), specifier).filter(|path| view.is_file(path));
    match beside.or_else(|| only_file_ending(view, specifier).filter(|_| is_header)) {
        Some(path) => ImportOutcome::file(view, &path),
        None if is_header => ImportOutcome::External,
        None => ImportOutcome::Unresolved,
    }
}

fn read_by_script(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let specifier = statement.import.specifier.as_str();
    let bare = specifier.replace(['"', '\''], "");
    let (start, path) = split_start(&bare);
    // A file name that is put together from pieces cannot be looked up.
    let is_whole = file_name(path) == file_name(specifier);
    if start == Start::Outside || !is_whole || !is_path(path) || path.contains(COMPUTED) {
        return ImportOutcome::External;
    }
    let at = |directory: &str| {
        let found = normalised(directory, path).filter(|path| view.is_file(path))?;
        // A script does not read itself, unless the path says so.
        (start != Start::Unknown || found != statement.path).then_some(found)
    };
    let at_root = || at("");
    let above = || GraphView::directories_above(statement.path).take(MAX_DEPTH).find_map(at);
    let found = match start {
        Start::Root => at_root().or_else(above),
        _ => above().or_else(at_root),
    };
    let anywhere = || only_file_ending(view, path.trim_start_matches("./").trim_start_matches("../"));
    match found.or_else(|| if start == Start::Script { None } else { anywhere() }) {
        Some(path) => ImportOutcome::file(view, &path),
        None if start == Start::Unknown || specifier.contains("://") => ImportOutcome::External,
        None => ImportOutcome::Unresolved,
    }
}

/// The files that `*.mk` matches in the first directory that has any.
fn all_with_ending(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let (start, path) = split_start(&statement.import.specifier);
    let Some(ending) = file_name(path).strip_prefix('*') else { return ImportOutcome::External };
    if start == Start::Outside || parent(path).contains(COMPUTED) || ending.contains(COMPUTED) {
        return ImportOutcome::External;
    }
    let files = GraphView::directories_above(statement.path).take(MAX_DEPTH).find_map(|directory| {
        let files = view.files_in(&normalised(directory, parent(path))?);
        let named = files.iter().filter_map(|file| file.as_str()).filter(|file| file_name(file).ends_with(ending));
        let named: Vec<ImportTarget> = named.map(|file| ImportTarget::new(view, file, None)).collect();
        (!named.is_empty()).then_some(named)
    });
    match files {
        Some(files) => ImportOutcome::files(view, files),
        None if start == Start::Unknown => ImportOutcome::External,
        None => ImportOutcome::Unresolved,
    }
}

/// The only file of the repository that ends in `suffix`.
fn only_file_ending(view: GraphView<'_>, suffix: &str) -> Option<String> {
    let files = view.files_ending(suffix);
    let exact = |path: &&str| path.ends_with(suffix);
    let mut named = files.iter().filter_map(|path| path.as_str()).filter(exact);
    let first = named.next()?;
    named.next().is_none().then(|| first.to_owned())
}

/// Characters of expansions that only the running script can evaluate.
const COMPUTED: [char; 7] = ['$', '`', '*', '?', '(', '<', '{'];

/// The base that a script's path is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Nothing stands before it: the working directory.
    Written,
    /// The directory of the script itself.
    Script,
    /// The root of the repository.
    Root,
    /// A variable or command with an unknown value.
    Unknown,
    /// An absolute path of the system or the user's home directory.
    Outside,
}

/// The base of a path, and the part of the path that is written out.
fn split_start(path: &str) -> (Start, &str) {
    if path.starts_with(['/', '~']) {
        return (Start::Outside, path);
    }
    let Some((expansion, rest)) = split_expansion(path) else { return (Start::Written, path) };
    let is_own = ["BASH_SOURCE", "$0", "{0", "%x", "%N", "MAKEFILE_LIST"].iter().any(|own| expansion.contains(own));
    let start = match expansion {
        "$HOME" | "${HOME}" => Start::Outside,
        _ if expansion.contains("--show-toplevel") => Start::Root,
        _ if is_own => Start::Script,
        _ => Start::Unknown,
    };
    (start, rest.trim_start_matches('/'))
}

/// The expansion at the beginning of `path`, as `$NAME`, `${…}`, `$(…)` or in backquotes, and the rest.
fn split_expansion(path: &str) -> Option<(&str, &str)> {
    let end = match path.as_bytes() {
        [b'$', b'(', ..] => closing(path, b'(', b')')?,
        [b'$', b'{', ..] => closing(path, b'{', b'}')?,
        [b'`', ..] => path[1..].find('`')? + 2,
        [b'$', ..] => {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            1 + path[1..].bytes().take_while(|byte| is_name(*byte)).count()
        }
        _ => return None,
    };
    Some(path.split_at(end))
}

/// The rest after the bracket that closes the first one that `text` opens.
fn closing(text: &str, open: u8, close: u8) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        if byte == open {
            depth += 1;
        } else if byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_computed_is_told_from_what_is_written() {
        for (path, start, rest) in [
            ("lib/a.sh", Start::Written, "lib/a.sh"),
            ("./a.sh", Start::Written, "./a.sh"),
            ("/etc/profile", Start::Outside, "/etc/profile"),
            ("~/.bashrc", Start::Outside, "~/.bashrc"),
            ("$HOME/.bashrc", Start::Outside, ".bashrc"),
            ("$DIR/a.sh", Start::Unknown, "a.sh"),
            ("${DIR:-${HOME}}/a.sh", Start::Unknown, "a.sh"),
            ("${BASH_SOURCE%/*}/a.sh", Start::Script, "a.sh"),
            ("$(cd $(dirname $0)/.. && pwd)/a.sh", Start::Script, "a.sh"),
            ("`dirname $0`/a.sh", Start::Script, "a.sh"),
            ("$(git rev-parse --show-toplevel)/a.sh", Start::Root, "a.sh"),
            ("$(dirname $0", Start::Written, "$(dirname $0"),
            ("$", Start::Unknown, ""),
            ("", Start::Written, ""),
        ] {
            assert_eq!(split_start(path), (start, rest), "{path}");
        }
    }

    #[test]
    fn the_nearest_path_is_the_one_that_begins_alike() {
        assert_eq!(nearest("a/b/c.rb", ["x/c.rb", "a/c.rb"].into_iter()).as_deref(), Some("a/c.rb"));
        assert_eq!(nearest("q.rb", ["x/c.rb", "a/c.rb"].into_iter()), None);
        assert_eq!(nearest("q.rb", std::iter::empty()), None);
    }
}

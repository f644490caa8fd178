//! Files named by their paths: shell scripts that read others, with what stands before the path computed when they run;
//! R, where the working directory counts; Zig, where only the file's own does.

use icr_model::{ImportKind, RepoPath, import_keys};

use crate::resolve::{Outcome, Statement};
use crate::schemes::scheme_of;
use crate::view::{View, file_name, join, normalised, parent, stem};

/// What a statement names.
pub(super) fn resolve(view: View<'_>, statement: &Statement<'_>) -> Outcome {
    match statement.language {
        "r" if statement.import.kind == ImportKind::Import => boxed(view, statement),
        "zig" => built(view, statement),
        _ => read_by_script(view, statement),
    }
}

/// Keys of the statements that may read the file at `path`: its name, whole, and for modules of R without what they end in.
pub(super) fn keys(view: View<'_>, path: &str) -> Vec<String> {
    let Some(language) = view.language(path) else { return Vec::new() };
    let mut keys: Vec<String> = file_key(file_name(path)).into_iter().collect();
    if language == "r" {
        let is_initial = BOX_ENDINGS.iter().any(|ending| path.ends_with(&format!("/{ending}")));
        let module = if is_initial { parent(path) } else { stem(path) };
        keys.extend(file_key(file_name(module)));
    }
    if !["bash", "r", "zig"].iter().any(|reader| reads(reader, language)) {
        // Zig embeds whatever there is. Among those who name such a file by its name are hardly ever files of Zig.
        let is_zig = |path: &RepoPath| path.extension().is_some_and(|extension| extension == b"zig");
        keys.retain(|key| view.requiring(key).iter().any(is_zig));
    }
    keys.sort();
    keys.dedup();
    keys
}

/// None: a script sees what it reads.
pub(super) fn siblings(_: View<'_>, _: &str) -> Vec<String> {
    Vec::new()
}

/// None.
pub(super) fn manifests(_: View<'_>, _: &str) -> Vec<String> {
    Vec::new()
}

/// The one key that every import whose last component is the file name `name` has; `None` when nothing can name it.
pub(super) fn file_key(name: &str) -> Option<String> {
    if name.bytes().all(|byte| byte == b'.') {
        return None;
    }
    let keys = import_keys(name);
    let pair = keys.iter().find(|key| key.contains('/'));
    pair.or_else(|| keys.iter().find(|key| !key.contains(['.', '\\', ':']))).cloned()
}

/// Whether `text` spells a path inside of some directory that ends in the name of a file.
pub(super) fn is_path(text: &str) -> bool {
    /// Longest path of any system, in bytes (`PATH_MAX` of Linux).
    const LONGEST: usize = 4096;
    let is_inside = !text.starts_with(['/', '~']) && text.len() <= LONGEST;
    is_inside && !matches!(file_name(text), "" | "." | "..")
}

/// The path that begins most like `from`; `None` when several do.
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

/// Directories above a script that are tried as its working directory.
const MAX_DEPTH: usize = 32;

/// What stands for a directory that is a module of R, and what a module's name ends in: those of the package `box`.
const BOX_ENDINGS: [&str; 4] = ["__init__.r", "__init__.R", ".r", ".R"];

/// A module of R, by a path without an ending; a name alone is a package.
fn boxed(view: View<'_>, statement: &Statement<'_>) -> Outcome {
    let specifier = statement.import.specifier.as_str();
    let is_relative = specifier.starts_with("./") || specifier.starts_with("../");
    if !specifier.contains('/') || !is_path(specifier) {
        return Outcome::External;
    }
    let directory = if is_relative { parent(statement.path) } else { "" };
    let Some(module) = normalised(directory, specifier) else { return Outcome::Unresolved };
    let ended = |ending: &&str| match ending.strip_prefix('.') {
        Some(_) => format!("{module}{ending}"),
        None => join(&module, ending),
    };
    let found = BOX_ENDINGS.iter().rev().map(ended).find(|path| view.language(path) == Some("r"));
    match found {
        Some(path) => Outcome::file(path),
        None if is_relative => Outcome::Unresolved,
        None => Outcome::External,
    }
}

/// A file of Zig, or one that is embedded: as seen from the file that asks, and from nowhere else. A header is searched in
/// directories that the build knows, and a name that is no file is a module of the build, as `std`.
fn built(view: View<'_>, statement: &Statement<'_>) -> Outcome {
    let specifier = statement.import.specifier.as_str();
    let is_header = statement.import.kind == ImportKind::SystemInclude;
    let is_module = statement.import.kind == ImportKind::Import && !specifier.contains('.');
    if is_module || !is_path(specifier) {
        return Outcome::External;
    }
    let beside = normalised(parent(statement.path), specifier).filter(|path| is_readable(view, statement, path));
    match beside.or_else(|| only(view, statement, specifier).filter(|_| is_header)) {
        Some(path) => Outcome::file(path),
        None if is_header => Outcome::External,
        None => Outcome::Unresolved,
    }
}

fn read_by_script(view: View<'_>, statement: &Statement<'_>) -> Outcome {
    let specifier = statement.import.specifier.as_str();
    let bare = specifier.replace(['"', '\''], "");
    let (start, path) = split_start(&bare);
    // A name put together from pieces is not to be found by it.
    let is_whole = file_name(path) == file_name(specifier);
    if start == Start::Outside || !is_whole || !is_path(path) || path.contains(COMPUTED) {
        return Outcome::External;
    }
    let at = |directory: &str| normalised(directory, path).filter(|path| is_readable(view, statement, path));
    let at_root = || at("");
    let above = || View::directories_above(statement.path).take(MAX_DEPTH).find_map(at);
    let found = match start {
        Start::Root => at_root().or_else(above),
        _ => above().or_else(at_root),
    };
    let anywhere = || only(view, statement, path.trim_start_matches("./").trim_start_matches("../"));
    match found.or_else(|| if start == Start::Script { None } else { anywhere() }) {
        Some(path) => Outcome::file(path),
        None if start == Start::Unknown || specifier.contains("://") => Outcome::External,
        None => Outcome::Unresolved,
    }
}

/// The only file of the repository that ends in `suffix`.
fn only(view: View<'_>, statement: &Statement<'_>, suffix: &str) -> Option<String> {
    let files = view.files_ending(suffix);
    let exact = |path: &&str| path.ends_with(suffix) && is_readable(view, statement, path);
    let mut named = files.iter().filter_map(|path| path.as_str()).filter(exact);
    let first = named.next()?;
    named.next().is_none().then(|| first.to_owned())
}

/// Whether a statement may read the file at `path`.
fn is_readable(view: View<'_>, statement: &Statement<'_>, path: &str) -> bool {
    let is_embedded = statement.language == "zig" && statement.import.kind == ImportKind::Include;
    view.language(path).is_some_and(|language| is_embedded || reads(statement.language, language))
}

/// Whether statements of the language `reader` often name files of `language`: its own, and those that no scheme here
/// claims. R compiles C++ on its way, Zig reads headers of C.
fn reads(reader: &str, language: &str) -> bool {
    match reader {
        "r" => matches!(language, "r" | "cpp" | "text"),
        "zig" => matches!(language, "zig" | "c" | "cpp") || scheme_of(language).is_none(),
        _ => language == reader || language == "text",
    }
}

/// Characters of what only the running script knows.
const COMPUTED: [char; 7] = ['$', '`', '*', '?', '(', '<', '{'];

/// From where a script's path is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Nothing stands before it: the working directory.
    Written,
    /// The directory of the script itself.
    Script,
    /// The root of the repository.
    Root,
    /// A variable or a command that says no more.
    Unknown,
    /// The system or the user's home.
    Outside,
}

/// From where a path is meant, and what of it is written out.
fn split_start(path: &str) -> (Start, &str) {
    if path.starts_with(['/', '~']) {
        return (Start::Outside, path);
    }
    let Some((expansion, rest)) = split_expansion(path) else { return (Start::Written, path) };
    let is_own = ["BASH_SOURCE", "$0", "{0", "%x", "%N"].iter().any(|own| expansion.contains(own));
    let start = match expansion {
        "$HOME" | "${HOME}" => Start::Outside,
        _ if expansion.contains("--show-toplevel") => Start::Root,
        _ if is_own => Start::Script,
        _ => Start::Unknown,
    };
    (start, rest.trim_start_matches('/'))
}

/// The expansion that `path` begins with, as `$NAME`, `${…}`, `$(…)` or in backquotes, and what follows.
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

/// Where the bracket closes that `text` opens first, after it.
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
    fn a_file_name_has_one_key() {
        for (name, key) in [
            ("a.sh", Some("a/sh")),
            ("a.test.sh", Some("test/sh")),
            ("functions", Some("functions")),
            (".bashrc", Some("bashrc")),
            ("...", None),
            ("", None),
        ] {
            assert_eq!(file_key(name).as_deref(), key, "{name}");
        }
    }

    #[test]
    fn the_nearest_path_is_the_one_that_begins_alike() {
        assert_eq!(nearest("a/b/c.rb", ["x/c.rb", "a/c.rb"].into_iter()).as_deref(), Some("a/c.rb"));
        assert_eq!(nearest("q.rb", ["x/c.rb", "a/c.rb"].into_iter()), None);
        assert_eq!(nearest("q.rb", std::iter::empty()), None);
    }
}

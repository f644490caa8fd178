//! Keys of import statements. They lead from a file or name to the statements that might mean it.

use crate::{Import, ImportKind};

/// The key of statements whose names have no keys of their own, because they are too many or too long.
pub const MANY_NAMES_KEY: &str = "many-names";

/// The key of statements that declare a child module.
pub const CHILD_MODULE_KEY: &str = "child-module";

/// The key of child module statements that also give the path of the file.
pub const CHILD_MODULE_PATH_KEY: &str = "child-module-path";

/// The key of imports that name a parent directory and nothing in it (`..`, `../..`).
const RELATIVE_PARENT: &str = "relative-parent";

/// Most names of one statement that get keys. Each key repeats the last segment of the specifier. Without a limit, a
/// long segment with many names would make the keys of a file grow with the square of its size.
const MOST_NAMES: usize = 256;

/// Longest segment and name put into a key of a name, in bytes. No file system takes longer file names (`NAME_MAX` of
/// Linux).
const LONGEST: usize = 255;

/// Keys of an import: those of its specifier, and one for each name that it takes, `module#name`.
///
/// The part before `#` is the last segment of the specifier, or the specifier itself when it has no segment (`.#c` for
/// `from . import c`). The names are those of the module, not aliases. `*` is a name too; `*+` stands for a re-export
/// of everything. A specifier with a `/` names a file and not something in it, so its names have no keys. A statement
/// with too many names has [`MANY_NAMES_KEY`] in place of keys for its names. A statement that declares a child module
/// also has [`CHILD_MODULE_KEY`], and [`CHILD_MODULE_PATH_KEY`] when it names the file. At most 265 keys, distinct,
/// sorted.
pub fn import_keys(import: &Import) -> Vec<String> {
    let specifier = import.specifier.as_str();
    let mut keys = specifier_keys(specifier);
    if import.kind == ImportKind::Module {
        keys.push(CHILD_MODULE_KEY.to_owned());
        keys.extend(specifier.contains(['.', '/']).then(|| CHILD_MODULE_PATH_KEY.to_owned()));
    }
    if !specifier.is_empty() && !specifier.contains('/') {
        let module = segments(specifier).next_back().unwrap_or(specifier);
        let is_short = |text: &str| text.len() <= LONGEST;
        let names = import.names.iter().map(|name| match name.name.as_str() {
            "*" if import.reexport && name.alias.is_none() => "*+",
            name => without_mark(name),
        });
        if import.names.len() <= MOST_NAMES && is_short(module) && names.clone().all(is_short) {
            keys.extend(names.map(|name| format!("{module}#{name}")));
        } else {
            keys.push(MANY_NAMES_KEY.to_owned());
        }
    }
    distinct(keys)
}

/// Keys of a specifier: the specifier as written, its last two segments joined by `/`, its last segment, and
/// `relative-parent` for specifiers like `..`. The separators of segments are `/`, `\`, `.` and `::`; the mark `r#` of
/// a name that is a keyword is left out.
///
/// A plain relative path (`./a`, `../../lib/a`) leads to a file whose path has the same end. So it has only one key:
/// its last two segments, or `./` and the segment when it has only one, no matter how many directories up it goes.
/// Text after a `?` is a query for a loader or part of the name, so there are keys with it and without it. Distinct,
/// sorted.
pub fn specifier_keys(specifier: &str) -> Vec<String> {
    let mut keys = keys_of(specifier);
    if let Some((path, _)) = specifier.split_once('?') {
        keys.extend(keys_of(path));
    }
    distinct(keys)
}

fn keys_of(specifier: &str) -> Vec<String> {
    let is_plain = is_plain_relative(specifier);
    let mut segments = segments(specifier);
    match (segments.next_back(), segments.next_back()) {
        (None, _) if specifier.contains("..") => vec![specifier.to_owned(), RELATIVE_PARENT.to_owned()],
        (None, _) => vec![specifier.to_owned()],
        (Some(last), Some(second)) if is_plain => vec![format!("{second}/{last}")],
        (Some(last), None) if is_plain => vec![format!("./{last}")],
        (Some(last), Some(second)) => vec![specifier.to_owned(), last.to_owned(), format!("{second}/{last}")],
        (Some(last), None) => vec![specifier.to_owned(), last.to_owned()],
    }
}

fn segments(specifier: &str) -> impl DoubleEndedIterator<Item = &str> {
    specifier.split(['/', '\\', '.', ':']).map(without_mark).filter(|segment| !segment.is_empty())
}

fn without_mark(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// Whether `specifier` consists of dots and then names only, with nothing that its language may read as something
/// other than a name.
fn is_plain_relative(specifier: &str) -> bool {
    /// Quotes and expansions of shells, loaders of bundlers, separators of Windows.
    const MARKS: [char; 6] = ['"', '\'', '$', '`', '!', '\\'];
    if specifier.contains(MARKS) {
        return false;
    }
    let mut components = specifier.split('/');
    let is_relative = matches!(components.next(), Some("." | ".."));
    let mut names = components.skip_while(|component| matches!(*component, "." | "..")).peekable();
    is_relative && names.peek().is_some() && names.all(|name| !matches!(name, "" | "." | ".."))
}

fn distinct(mut keys: Vec<String>) -> Vec<String> {
    keys.retain(|key| !key.is_empty());
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ImportName;

    fn import(specifier: &str, names: impl IntoIterator<Item = String>) -> Import {
        let names = names.into_iter().map(|name| ImportName { name, alias: Some("alias".to_owned()) }).collect();
        let specifier = specifier.to_owned();
        Import { specifier, names, kind: ImportKind::Import, type_only: false, reexport: false, line: 1 }
    }

    #[test]
    fn the_last_segments_are_keys_in_every_notation() {
        for (specifier, keys) in [
            ("std::fs::File", &["File", "fs/File", "std::fs::File"][..]),
            ("lib/open.js", &["js", "lib/open.js", "open/js"]),
            ("..pkg.mod", &["..pkg.mod", "mod", "pkg/mod"]),
            ("../..", &["../..", "relative-parent"]),
            ("./", &["./"]),
            ("os", &["os"]),
            ("", &[]),
        ] {
            assert_eq!(specifier_keys(specifier), keys, "{specifier}");
        }
    }

    #[test]
    fn a_plain_relative_path_has_one_key() {
        for (specifier, keys) in [
            ("./open", &["./open"][..]),
            ("../../open", &["./open"]),
            ("././lib/open", &["lib/open"]),
            ("./lib/open.js", &["open/js"]),
            ("./...", &["./...", "relative-parent"]),
            ("./lib/", &["./lib/", "lib"]),
            ("../lib/../open", &["../lib/../open", "lib/open", "open"]),
            (".open", &[".open", "open"]),
            ("./'lib'/open", &["'lib'/open", "./'lib'/open", "open"]),
        ] {
            assert_eq!(specifier_keys(specifier), keys, "{specifier}");
        }
    }

    #[test]
    fn a_question_may_be_part_of_a_name_or_not() {
        assert_eq!(specifier_keys("./a.svg?raw"), ["a/svg", "a/svg?raw"]);
        assert_eq!(specifier_keys("${X?}/lib.sh"), ["${X", "${X?}/lib.sh", "lib/sh", "sh"]);
    }

    #[test]
    fn names_have_keys_behind_the_module() {
        for (specifier, names, keys) in [
            ("crate::net", &["Tcp", "self"][..], &["crate/net", "crate::net", "net", "net#Tcp", "net#self"][..]),
            (".", &["c"], &[".", ".#c"]),
            ("..", &["*"], &["..", "..#*", "relative-parent"]),
            ("java.util", &["*"], &["java.util", "java/util", "util", "util#*"]),
            ("super::r#type", &["r#fn"], &["super/type", "super::r#type", "type", "type#fn"]),
            ("lodash/fp", &["map"], &["fp", "lodash/fp"]),
            ("", &["x"], &[]),
        ] {
            let names = names.iter().map(|name| (*name).to_owned());
            assert_eq!(import_keys(&import(specifier, names)), keys, "{specifier}");
        }
    }

    #[test]
    fn what_is_offered_on_and_what_is_declared_shows() {
        let all = || ["*".to_owned(), "x".to_owned()];
        let mut reexport = Import { reexport: true, ..import("m", all()) };
        assert_eq!(import_keys(&reexport), ["m", "m#*", "m#x"]);
        reexport.names[0].alias = None;
        assert_eq!(import_keys(&reexport), ["m", "m#*+", "m#x"]);
        let child = Import { kind: ImportKind::Module, ..import("m", []) };
        assert_eq!(import_keys(&child), [CHILD_MODULE_KEY, "m"]);
        let part = Import { kind: ImportKind::Module, ..import("../m.rs", []) };
        assert_eq!(import_keys(&part), [CHILD_MODULE_KEY, CHILD_MODULE_PATH_KEY, "m/rs"]);
    }

    #[test]
    fn the_keys_of_a_statement_do_not_grow_with_the_square_of_its_size() {
        let bytes = |import: &Import| import_keys(import).iter().map(String::len).sum::<usize>();
        let many = import("m", (0..100_000).map(|number| format!("name{number}")));
        assert_eq!(import_keys(&many), ["m", MANY_NAMES_KEY]);
        let wide = import(&"m".repeat(100_000), (0..MOST_NAMES).map(|number| format!("name{number}")));
        assert_eq!(bytes(&wide), 100_000 + MANY_NAMES_KEY.len());
        let long = import("m", [String::from("x").repeat(100_000)]);
        assert_eq!(import_keys(&long), ["m", MANY_NAMES_KEY]);
    }
}

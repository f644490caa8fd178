//! The part of a path that says what the file is about.

use icr_model::RepoPath;

/// File names that say nothing about the content; the name of their directory does.
static STANDING_FOR_DIRECTORY: [&str; 8] = [
    // tidy: sorted
    "__init__", "_index", "default", "index", "init", "lib", "main", "mod",
    // tidy: end
];

/// Names of directories that say nothing about the content either.
static PLAIN_DIRECTORIES: [&str; 4] = [
    // tidy: sorted
    "lib", "main", "source", "src",
    // tidy: end
];

/// The name of a file without its extension. If that name says nothing (`mod.rs`, `index.ts`), the name of the nearest
/// directory that says something.
pub fn telling_name(path: &RepoPath) -> &[u8] {
    let name = path.file_name();
    let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0);
    let stem = &name[..dot.unwrap_or(name.len())];
    // `index.d.ts` and `mod.test.ts` say no more than `index` and `mod`.
    let first = stem.split(|byte| *byte == b'.').next().unwrap_or_default();
    if !is_one_of(&STANDING_FOR_DIRECTORY, first) {
        return stem;
    }
    let bytes = path.as_bytes();
    let mut directories = bytes[..bytes.len() - name.len()].rsplit(|byte| *byte == b'/');
    let telling = directories.find(|part| !part.is_empty() && !is_one_of(&PLAIN_DIRECTORIES, part));
    telling.unwrap_or(stem)
}

fn is_one_of(names: &[&str], name: &[u8]) -> bool {
    names.iter().any(|other| other.as_bytes().eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_says_nothing_gives_way_to_its_directory() {
        for (path, name) in [
            ("a/mod.rs", "a"),
            ("routing/src/lib.rs", "routing"),
            ("mod.rs", "mod"),
            ("src/main.rs", "main"),
            ("a/b.test.ts", "b.test"),
            ("widgets/index.d.ts", "widgets"),
            ("socket.io/index.js", "socket.io"),
            (".github/x", "x"),
            ("a/.env", ".env"),
            ("", ""),
        ] {
            assert_eq!(telling_name(&path.into()), name.as_bytes(), "{path}");
        }
    }
}

//! Files: their size, and paths that exist only on one machine.

use super::tree::MAX_FILE_BYTES;
use super::{TidyFinding, Tree};

/// Top-level directories in which people and builds keep their work.
const PLACES: [&str; 4] = ["Users", "home", "root", "workspaces"];

/// Invented user names for examples: `/home/you/src`.
const EXAMPLE_USERS: [&str; 4] = ["me", "u", "user", "you"];

/// Files that may be larger: the limit in bytes, and why.
const LARGE: &[(&str, u64, &str)] = &[
    // tidy: sorted
    ("crates/icr-embed/assets/static.table", 9 << 20, "the program has it inside, and no build may download it"),
    ("crates/icr-tokens/assets/o200k_base.table", 3 << 20, "the program has it inside, and looks it up where it lies"),
    // tidy: end
];

/// No file is larger than [`MAX_FILE_BYTES`], fixtures included, but for [`LARGE`].
pub(crate) fn sizes(tree: &Tree) -> Vec<TidyFinding> {
    let most =
        |path: &str| LARGE.iter().find(|(large, ..)| *large == path).map_or(MAX_FILE_BYTES, |(_, most, _)| *most);
    let large = tree.files.iter().filter(|file| file.bytes_total > most(&file.path));
    let finding = |path: &str, bytes: u64| {
        let right = format!("{bytes} bytes are more than {MAX_FILE_BYTES}; generate or download what is that large");
        TidyFinding::new(path, right)
    };
    large.map(|file| finding(&file.path, file.bytes_total)).collect()
}

/// No file names a directory that only one machine has.
pub(crate) fn places(tree: &Tree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        for (at, line) in text.lines().enumerate() {
            if let Some(place) = place_in(line) {
                let right = format!("`{place}` exists on one machine only; name it relative to the repository");
                findings.push(TidyFinding::at(path, at + 1, right));
            }
        }
    }
    findings
}

/// The first absolute path in `line` that goes through one of [`PLACES`].
fn place_in(line: &str) -> Option<&str> {
    line.match_indices('/').find_map(|(start, _)| {
        let before = line[..start].chars().next_back();
        // In the middle of a path or an address, such as `a/home/b` and `https://x/home/y`.
        if before.is_some_and(|character| character.is_alphanumeric() || "/._-~$}*>)]".contains(character)) {
            return None;
        }
        let path = &line[start..];
        let end = path.find(|character: char| !(character.is_alphanumeric() || "/._-".contains(character)));
        let path = &path[..end.unwrap_or(path.len())];
        let mut parts = path[1..].split('/');
        let place = parts.next().filter(|place| PLACES.contains(place))?;
        let next = parts.next().filter(|next| !next.is_empty())?;
        let is_example = ["Users", "home"].contains(&place) && EXAMPLE_USERS.contains(&next);
        (!is_example).then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_one_machine_are_found() {
        for (first, line) in [
            ("workspaces", "cd /@/main"),
            ("home", "see `/@/ada/src`"),
            ("root", "\"/@/.cargo\""),
            ("Users", "(/@/ada)"),
        ] {
            let line = line.replace('@', first);
            assert!(place_in(&line).is_some_and(|place| place.starts_with(&format!("/{first}/"))), "{line}");
        }
    }

    #[test]
    fn relative_paths_addresses_and_examples_are_not() {
        for line in [
            "../home/x",
            "a/home/b",
            "https://a.org/home/b",
            "/home/you/src",
            "/home/",
            "/workspace/x",
            "$X/home/y",
            "'/root'",
        ] {
            assert_eq!(place_in(line), None, "{line}");
        }
    }

    #[test]
    fn large_files_are_found() {
        let mut tree = Tree::of_texts(&[("a", ""), ("b", "")]);
        tree.files[0].bytes_total = MAX_FILE_BYTES;
        assert_eq!(sizes(&tree), []);
        tree.files[1].bytes_total = MAX_FILE_BYTES + 1;
        let right = "b: 524289 bytes are more than 524288; generate or download what is that large";
        assert_eq!(sizes(&tree).iter().map(TidyFinding::to_string).collect::<Vec<_>>(), [right]);
    }
}

//! Which packages a `Cargo.lock` names.

/// Packages of `lock` whose name is `prefix` or begins with `prefix` and `-`. Each is given by its crate name in code
/// (`_` for `-`) and an identity: version, source and checksum, as far as they exist. If a package has several
/// versions, their identities are joined. Sorted by name.
pub(crate) fn packages(lock: &str, prefix: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for package in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let of_key = |line: &str| {
                Some(line.strip_prefix(key)?.trim_start().strip_prefix('=')?.trim().trim_matches('"').to_owned())
            };
            package.lines().find_map(of_key)
        };
        let Some(name) = value("name") else { continue };
        if name != prefix && !name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('-')) {
            continue;
        }
        let identity: Vec<_> = ["version", "source", "checksum"].into_iter().filter_map(value).collect();
        let (name, identity) = (name.replace('-', "_"), identity.join(" "));
        match found.iter_mut().find(|known| known.0 == name) {
            Some((_, known)) => *known = format!("{known} {identity}"),
            None => found.push((name, identity)),
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"version = 4

[[package]]
name = "tree"
version = "9"

[[package]]
name = "tree-sitter-b"
version = "1.0.0"
source = "registry"
checksum = "b0"
dependencies = [
 "cc",
]

[[package]]
name = "tree-sitter"
version = "0.27.1"

[[package]]
name = "tree-sitter-b"
version = "2.0.0"
"#;

    #[test]
    fn packages_of_a_family_have_version_source_and_checksum() {
        let shape: Vec<_> =
            packages(LOCK, "tree-sitter").into_iter().map(|(name, identity)| format!("{name}: {identity}")).collect();
        assert_eq!(shape, ["tree_sitter: 0.27.1", "tree_sitter_b: 1.0.0 registry b0 2.0.0"]);
    }

    #[test]
    fn a_text_that_is_no_lock_names_nothing() {
        for text in ["", "[[package]]", "[[package]]\nname", "name = \"tree-sitter\""] {
            assert_eq!(packages(text, "tree-sitter"), [], "{text:?}");
        }
    }
}

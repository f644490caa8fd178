//! Number and origin of packages outside of the workspace.

use super::{TidyFinding, Tree};

/// The file that lists all packages.
const LOCK: &str = "Cargo.lock";

/// Most packages in the lock file, including those of the workspace and of other platforms: slightly more than there
/// are.
///
/// Each is code that others may change, that every build compiles, and whose licence and advisories somebody must
/// check. If you need more, raise this number and name the new packages in the commit.
const MOST_PACKAGES: usize = 577;

/// The lock lists at most [`MOST_PACKAGES`].
pub(crate) fn packages(tree: &Tree) -> Vec<TidyFinding> {
    // Without a lock cargo refuses to test anything.
    let Some(lock) = tree.text(LOCK) else { return Vec::new() };
    let total = packages_total(lock);
    let right =
        || format!("{total} packages are more than {MOST_PACKAGES}; do without the new ones, or raise the number");
    (total > MOST_PACKAGES).then(|| TidyFinding::new(LOCK, right())).into_iter().collect()
}

/// Each package belongs to the workspace, or comes from the one registry and has a checksum. None comes from a git
/// repository or from a place that a build may not contact.
pub(crate) fn origins(tree: &Tree) -> Vec<TidyFinding> {
    let Some(lock) = tree.text(LOCK) else { return Vec::new() };
    let (mut findings, mut registry) = (Vec::new(), None);
    for (at, line) in lock.lines().enumerate() {
        let Some(source) = line.strip_prefix("source = ") else { continue };
        let has_sum = lock.lines().nth(at + 1).is_some_and(|line| line.starts_with("checksum = "));
        if !source.starts_with("\"registry+") || *registry.get_or_insert(source) != source || !has_sum {
            findings.push(TidyFinding::at(LOCK, at + 1, "a package of the one registry, with its checksum"));
        }
    }
    findings
}

fn packages_total(lock: &str) -> usize {
    lock.lines().filter(|line| *line == "[[package]]").count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_package_too_many_is_found() {
        let findings = |total: usize| {
            let lock = "[[package]]\nname = \"a\"\n".repeat(total);
            packages(&Tree::of_texts(&[("Cargo.lock", &lock)]))
        };
        assert_eq!(findings(MOST_PACKAGES), []);
        let right = "578 packages are more than 577; do without the new ones, or raise the number";
        assert_eq!(findings(MOST_PACKAGES + 1), [TidyFinding::new("Cargo.lock", right)]);
    }

    #[test]
    fn packages_of_other_places_are_found() {
        let lock = "source = \"registry+a\"\nchecksum = \"1\"\nsource = \"git+b\"\nsource = \"registry+c\"\nchecksum = \"2\"\nsource = \"registry+a\"\n";
        let findings = origins(&Tree::of_texts(&[("Cargo.lock", lock)]));
        assert_eq!(findings.iter().map(|finding| finding.line).collect::<Vec<_>>(), [3, 4, 6]);
    }

    #[test]
    fn the_number_is_a_little_above_what_there_is() {
        let tree = Tree::of_workspace().expect("the workspace can be read");
        let total = packages_total(tree.text(LOCK).expect("there is a lock"));
        assert!(MOST_PACKAGES < total + 20, "lower the number: there are {total}");
    }
}

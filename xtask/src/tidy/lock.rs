//! What is built besides the workspace: how much of it there may be.

use super::{Finding, Tree};

/// The file that lists all packages.
const LOCK: &str = "Cargo.lock";

/// Most packages of the lock, those of the workspace and those of other platforms included; a little more than there are.
///
/// Each is code that somebody else may change, that every build compiles and that a reader of licences and advisories has to
/// know. Who needs more raises this number and says in the commit what the new ones are for.
const MOST_PACKAGES: usize = 540;

/// The lock lists at most [`MOST_PACKAGES`].
pub(crate) fn packages(tree: &Tree) -> Vec<Finding> {
    // Without a lock cargo refuses to test anything.
    let Some(lock) = tree.text(LOCK) else { return Vec::new() };
    let total = packages_total(lock);
    let right =
        || format!("{total} packages are more than {MOST_PACKAGES}; do without the new ones, or raise the number");
    (total > MOST_PACKAGES).then(|| Finding::new(LOCK, right())).into_iter().collect()
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
        let right = "541 packages are more than 540; do without the new ones, or raise the number";
        assert_eq!(findings(MOST_PACKAGES + 1), [Finding::new("Cargo.lock", right)]);
    }

    #[test]
    fn the_number_is_a_little_above_what_there_is() {
        let tree = Tree::of_workspace().expect("the workspace can be read");
        let total = packages_total(tree.text(LOCK).expect("there is a lock"));
        assert!(MOST_PACKAGES < total + 20, "lower the number: there are {total}");
    }
}

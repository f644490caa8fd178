//! What a reviewer should read besides the change.

use crate::answer::{Dependent, ExpectedFile, Level, Review, TestChoice, TransitiveDependent};

/// The most affected dependents, then the selected tests, then files that seem forgotten, then the other dependents, then
/// `indirect` users, which use what changed through another definition of a changed file, or one that it overrides.
/// Each file occurs once, with all its reasons; files of the change are left out; at most `most` files.
pub(crate) fn review(
    direct: &[Dependent],
    indirect: &[&TransitiveDependent],
    tests: &[TestChoice],
    missing: &[ExpectedFile],
    most: usize,
) -> Vec<Review> {
    let mut list: Vec<Review> = Vec::new();
    let mut add =
        |path: &str, probability: f64, reasons: Vec<String>| match list.iter_mut().find(|known| known.path == path) {
            Some(known) => {
                known.probability = known.probability.max(probability);
                known.reasons.extend(reasons);
            }
            None => list.push(Review { path: path.to_owned(), probability, reasons }),
        };
    let open = || direct.iter().filter(|file| !file.in_change && !file.test);
    let why = |file: &Dependent| file.evidence.iter().map(|evidence| evidence.text.clone()).collect::<Vec<_>>();
    for file in open().filter(|file| file.impact_level == Level::High) {
        add(&file.path, file.probability, why(file));
    }
    let changed = |path: &str| direct.iter().any(|file| file.path == path && file.in_change);
    for test in tests.iter().filter(|test| test.selected && !changed(&test.path)) {
        add(&test.path, test.probability, vec![test.reason.clone()]);
    }
    for file in missing {
        add(&file.path, file.probability, file.evidence.iter().map(|evidence| evidence.text.clone()).collect());
    }
    for file in open().filter(|file| file.impact_level != Level::High) {
        add(&file.path, file.probability, why(file));
    }
    for file in indirect {
        let reason = "uses another definition of a changed file, or one that a changed definition overrides".to_owned();
        add(&file.path, file.probability, vec![reason]);
    }
    list.truncate(most);
    list
}

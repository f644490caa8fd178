//! Why a test is in the list, in words.

use super::runners::TestParts;
use super::test_ranking::TestEvidence;

/// Lowest pair strength that is explained as a pair: as in [`TestName::pair_strength`](super::TestName::pair_strength),
/// the names agree from here on.
const NAMED_AFTER: f64 = 0.5;

/// From here history is worth telling.
const OFTEN: f64 = 0.1;

/// One line: the weightiest reasons, joined by `; `.
pub(super) fn reason(test: &TestEvidence) -> String {
    let mut reasons: Vec<String> = Vec::new();
    if test.in_change {
        reasons.push("is changed itself".to_owned());
    } else if let Some(module) = &test.changed_module {
        reasons.push(format!("has the module `{module}`, which changed"));
    }
    if test.is_beside {
        let tests = match test.parts {
            TestParts::Code => "has tests beside what changed",
            TestParts::Documentation => "has doc tests of what changed",
            TestParts::Both => "has tests and doc tests beside what changed",
        };
        reasons.push(tests.to_owned());
    }
    reasons.extend(by_reference(test));
    reasons.extend(by_name(test));
    if test.cochange_confidence >= OFTEN {
        let percent = (test.cochange_confidence.min(1.0) * 100.0).round();
        reasons.push(format!("changed in {percent}% of the commits that changed the source"));
    }
    if reasons.is_empty() || test.reference_distance.is_none() && test.reach <= 0.0 && reasons.len() == 1 {
        reasons.extend(by_import(test));
    }
    if reasons.is_empty() {
        reasons.push(weakest(test).to_owned());
    }
    reasons.join("; ")
}

fn by_reference(test: &TestEvidence) -> Option<String> {
    if let [first, others @ ..] = test.referred.as_slice() {
        let times = match test.references {
            0 | 1 => String::new(),
            2 => ", twice".to_owned(),
            count => format!(", {count} times"),
        };
        return Some(match others.len() {
            0 => format!("refers to `{first}`, which changed{times}"),
            1 => format!("refers to `{first}` and `{}`, which changed{times}", others[0]),
            more => format!("refers to `{first}` and {more} others that changed{times}"),
        });
    }
    if let [used, .., changed] = test.through.as_slice() {
        let steps = match test.through.len() - 1 {
            1 => String::new(),
            steps => format!(" in {steps} steps"),
        };
        return Some(format!("uses `{used}`, which leads to `{changed}`{steps}"));
    }
    (test.reach > 0.0).then(|| "refers to what changed".to_owned())
}

fn by_name(test: &TestEvidence) -> Option<String> {
    let file = test.paired_file.as_ref().filter(|_| test.pair >= NAMED_AFTER);
    let symbol = test.paired_symbol.as_ref().filter(|_| test.symbol_pair >= NAMED_AFTER);
    let name = match (file, symbol) {
        (Some(file), _) if test.pair >= test.symbol_pair => file,
        (_, Some(symbol)) => symbol,
        (Some(file), None) => file,
        (None, None) => return None,
    };
    Some(format!("named after `{name}`"))
}

fn by_import(test: &TestEvidence) -> Option<String> {
    Some(match test.import_distance? {
        0 | 1 => "imports a changed file".to_owned(),
        2 => "imports a changed file through one other".to_owned(),
        steps => format!("imports a changed file through {} others", steps - 1),
    })
}

fn weakest(test: &TestEvidence) -> &'static str {
    match () {
        () if test.pair > 0.0 => "has a name like that of a changed file",
        () if test.symbol_pair > 0.0 => "has a name like that of a changed definition",
        () if test.cochange_confidence > 0.0 => "changed together with the source before",
        () => "uses much of the package",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(change: impl FnOnce(&mut TestEvidence), expected: &str) {
        let mut test = TestEvidence::of("t".into());
        change(&mut test);
        assert_eq!(reason(&test), expected);
    }

    #[test]
    fn reasons_say_what_ties_a_test_to_the_change() {
        check(
            |test| {
                test.referred = vec!["echo".into()];
                test.references = 12;
                test.pair = 0.9;
                test.paired_file = Some("utils.py".into());
                test.import_distance = Some(1);
            },
            "refers to `echo`, which changed, 12 times; named after `utils.py`",
        );
        check(
            |test| {
                test.referred = vec!["a".into(), "b".into()];
                test.references = 2;
            },
            "refers to `a` and `b`, which changed, twice",
        );
        check(
            |test| {
                test.referred = vec!["a".into(), "b".into(), "c".into()];
                test.references = 1;
                test.in_change = true;
            },
            "is changed itself; refers to `a` and 2 others that changed",
        );
        check(
            |test| test.changed_module = Some("tests/all/a.rs".into()),
            "has the module `tests/all/a.rs`, which changed",
        );
        check(|test| test.is_beside = true, "has tests beside what changed");
        check(|test| (test.is_beside, test.parts) = (true, TestParts::Documentation), "has doc tests of what changed");
        check(|test| test.through = vec!["main".into(), "echo".into()], "uses `main`, which leads to `echo`");
        check(
            |test| {
                test.cochange_confidence = 0.274;
                test.import_distance = Some(4);
            },
            "changed in 27% of the commits that changed the source; imports a changed file through 3 others",
        );
    }

    #[test]
    fn a_weak_tie_is_said_to_be_one() {
        check(|test| test.broad = 0.4, "uses much of the package");
        check(|test| test.pair = 0.2, "has a name like that of a changed file");
        check(|test| test.import_distance = Some(1), "imports a changed file");
    }
}

//! Sources: nothing is left to be done, tests run, and nothing waits by the clock.

use super::rust_code::code_of;
use super::{Finding, Tree};

/// What must not stand in code, and why. Matched where no identifier goes on to the left.
const FORBIDDEN: &[(&str, &str)] = &[
    // tidy: sorted
    ("#[ignore", "a test that does not run proves nothing; delete it or make it run"),
    ("dbg!", "use `tracing`, or nothing"),
    ("thread::sleep", "wait for the event itself; a clock is too short on a slow machine and too long on a fast one"),
    ("todo!", "write it, or leave the feature out"),
    ("unimplemented!", "write it, or leave the feature out"),
    // tidy: end
];

/// No code has any of those.
pub(crate) fn sources(tree: &Tree) -> Vec<Finding> {
    tree.texts().filter(|(path, _)| path.ends_with(".rs")).flat_map(|(path, text)| forbidden(path, text)).collect()
}

fn forbidden(path: &str, text: &str) -> Vec<Finding> {
    let code = code_of(text);
    let mut findings = Vec::new();
    for (at, line) in code.lines().enumerate() {
        for (words, reason) in FORBIDDEN {
            let mut places = line.match_indices(words).map(|(start, _)| line[..start].chars().next_back());
            if places.any(|before| before.is_none_or(|character| !character.is_alphanumeric() && character != '_')) {
                findings.push(Finding::at(path, at + 1, format!("`{words}`: {reason}")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_found_in_code_and_nowhere_else() {
        for (words, reason) in FORBIDDEN {
            let code = format!("fn a() {{\n    {words}\n}}\n");
            assert_eq!(forbidden("a.rs", &code), [Finding::at("a.rs", 2, format!("`{words}`: {reason}"))]);
            for harmless in
                [format!("// {words}\n"), format!("const A: &str = \"{words}\";\n"), format!("/* {words} */")]
            {
                assert_eq!(forbidden("a.rs", &harmless), [], "{harmless}");
            }
        }
    }

    #[test]
    fn longer_names_are_other_names() {
        assert_eq!(forbidden("a.rs", "my_dbg!(1); no_todo!(); mythread::sleep();"), []);
    }
}

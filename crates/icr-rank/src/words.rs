//! Words of names in paths and queries.

use std::cmp::Ordering;

/// The words of `text` as written: runs of ASCII letters. A new word begins where a capital follows a small letter, and
/// at the last of several capitals if small letters follow (`HTTPServer` is `HTTP`, `Server`).
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !byte.is_ascii_alphabetic()).flat_map(humps)
}

fn humps(run: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start == run.len() {
            return None;
        }
        let ends = |at: usize| {
            let follows_lower = run.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            run[at].is_ascii_uppercase() && (run[at - 1].is_ascii_lowercase() || follows_lower)
        };
        let end = (start + 1..run.len()).find(|at| ends(*at)).unwrap_or(run.len());
        let word = &run[start..end];
        start = end;
        Some(word)
    })
}

/// Whether `names`, sorted and in lower case, contain `name` in any case.
pub(crate) fn holds(names: &[&str], name: &[u8]) -> bool {
    names.binary_search_by(|other| in_lower_case(other, name)).is_ok()
}

fn in_lower_case(lower: &str, name: &[u8]) -> Ordering {
    lower.bytes().cmp(name.iter().map(u8::to_ascii_lowercase))
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let words: Vec<&str> =
            super::words(text.as_bytes()).map(|word| std::str::from_utf8(word).expect("ASCII only")).collect();
        assert_eq!(words.join(" "), expected, "{text}");
    }

    #[test]
    fn names_fall_into_words() {
        check("Newtonsoft.Json.Tests", "Newtonsoft Json Tests");
        check("HTTPServer2Test", "HTTP Server Test");
        check("test_data-v2", "test data v");
        check("commonTest", "common Test");
        check("", "");
        check("ÜberTest", "ber Test");
        check("ABC", "ABC");
    }

    #[test]
    fn names_are_found_in_any_case() {
        for name in ["test", "Test", "TESTS"] {
            assert!(super::holds(&["spec", "test", "tests"], name.as_bytes()), "{name}");
        }
        assert!(!super::holds(&["spec", "test"], b"tes") && !super::holds(&[], b"test"));
    }
}

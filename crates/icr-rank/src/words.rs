//! Words of names in paths and queries.

/// Gives `emit` the words of `text` in lower case: runs of letters that begin anew where a capital follows a small
/// letter or where small letters follow several capitals (`HTTPServer` is `http`, `server`). Digits and everything
/// else separate. Only ASCII letters make words.
pub(crate) fn words<'a>(text: &'a [u8]) -> impl Iterator<Item = Vec<u8>> + 'a {
    text.split(|byte| !byte.is_ascii_alphabetic()).flat_map(humps)
}

fn humps(run: &[u8]) -> impl Iterator<Item = Vec<u8>> {
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
        let word = run[start..end].to_ascii_lowercase();
        start = end;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let words: Vec<String> =
            super::words(text.as_bytes()).map(|word| String::from_utf8(word).expect("ASCII only")).collect();
        assert_eq!(words.join(" "), expected, "{text}");
    }

    #[test]
    fn names_fall_into_words() {
        check("Newtonsoft.Json.Tests", "newtonsoft json tests");
        check("HTTPServer2Test", "http server test");
        check("test_data-v2", "test data v");
        check("commonTest", "common test");
        check("", "");
        check("ÜberTest", "ber test");
        check("ABC", "abc");
    }
}

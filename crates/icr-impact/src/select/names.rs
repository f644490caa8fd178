//! Words of file names and of identifiers.

/// The words of a name, in lower case: split where letters and digits end and where a capital follows a small letter or
/// begins a word after capitals (`HTTPServer` is `http`, `server`).
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut letters = name.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(letter) = letters.next() {
        let next_is_small = letters.peek().is_some_and(|next| next.is_lowercase());
        let begins = letter.is_uppercase()
            && before.is_some_and(|before| before.is_lowercase() || before.is_numeric() || next_is_small);
        if begins || !letter.is_alphanumeric() {
            words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before = Some(letter).filter(|letter| letter.is_alphanumeric());
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

/// A file name up to its first dot that is not its first byte: `a` of `a.test.ts`, `.env` of `.env.local`.
pub(super) fn stem(file_name: &str) -> &str {
    let end = file_name.char_indices().skip(1).find(|(_, letter)| *letter == '.').map_or(file_name.len(), |(at, _)| at);
    &file_name[..end]
}

/// Words that say "this is a test" at either end of a name.
const AFFIXES: [&str; 8] = [
    // tidy: sorted
    "cy", "it", "spec", "specs", "suite", "test", "tests", "unittest",
    // tidy: end
];

/// Words of the name of a test file, or of a directory of tests, without those that only say that it is one.
pub(super) fn subject(name: &str) -> Vec<String> {
    let mut words = words(name);
    while words.last().is_some_and(|word| AFFIXES.contains(&word.as_str())) {
        words.pop();
    }
    let affixes = words.iter().take_while(|word| AFFIXES.contains(&word.as_str())).count();
    words.drain(..affixes);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_signs_and_before_capitals() {
        for (name, expected) in [
            ("_termui_impl", "termui impl"),
            ("KeepOpenFile", "keep open file"),
            ("HTTPServer2Test", "http server2 test"),
            ("größeTest", "größe test"),
            ("", ""),
            ("__init__", "init"),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn the_subject_is_what_remains_without_the_words_for_tests() {
        for (name, expected) in [
            ("test_echo_via_pager", "echo via pager"),
            ("FooTest", "foo"),
            ("foo_spec", "foo"),
            ("TestFooIT", "foo"),
            ("test_tests", ""),
            ("latest", "latest"),
        ] {
            assert_eq!(subject(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn stems_end_at_the_first_dot() {
        for (name, expected) in [("a.test.ts", "a"), (".env.local", ".env"), ("a", "a"), ("", "")] {
            assert_eq!(stem(name), expected);
        }
    }
}

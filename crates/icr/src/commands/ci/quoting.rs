//! Quoting for shells.

/// `text` as one word of a POSIX shell, unquoted if that is safe. A leading dash is kept.
pub(super) fn word(text: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_@%+=:,./-".contains(character);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// A path as one word that no program takes for an option.
pub(super) fn path_word(path: &str) -> String {
    if path.starts_with('-') { word(&format!("./{path}")) } else { word(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_they_have_to_be() {
        for (path, expected) in [
            ("tests/test_a.py", "tests/test_a.py"),
            ("+refs/heads/a:refs/b", "+refs/heads/a:refs/b"),
            ("a b", "'a b'"),
            ("$(touch x)", "'$(touch x)'"),
            ("it's", r"'it'\''s'"),
            ("a\nb", "'a\nb'"),
            ("ü", "'ü'"),
            ("~", "'~'"),
            ("", "''"),
            ("-rf", "./-rf"),
            ("-r f", "'./-r f'"),
        ] {
            assert_eq!(path_word(path), expected);
        }
    }
}

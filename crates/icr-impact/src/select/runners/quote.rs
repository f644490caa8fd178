//! Commands as one line for a POSIX shell.

/// `argv` as a line that a shell at the root of the repository runs in `cwd`.
pub(super) fn format_shell_line(cwd: &str, argv: &[String]) -> String {
    let line: Vec<String> = argv.iter().map(|word| quoted(word)).collect();
    let line = line.join(" ");
    if cwd.is_empty() { line } else { format!("cd {} && {line}", quoted(&argument(cwd))) }
}

/// A path as an argument that no program takes for an option.
pub(super) fn argument(path: &str) -> String {
    if path.starts_with('-') { format!("./{path}") } else { path.to_owned() }
}

/// `word` quoted so that a shell reads it literally.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=,@+%".contains(&byte);
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_them_otherwise() {
        for (word, expected) in [
            ("tests/test_a.py", "tests/test_a.py"),
            ("a b", "'a b'"),
            ("$(rm)", "'$(rm)'"),
            ("it's", r"'it'\''s'"),
            ("~a", "'~a'"),
            ("", "''"),
            ("größe", "'größe'"),
            ("a\nb", "'a\nb'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }

    #[test]
    fn directories_and_paths_are_no_options() {
        assert_eq!(format_shell_line("-x", &["a".to_owned()]), "cd ./-x && a");
        assert_eq!(argument("-x/a.py"), "./-x/a.py");
        assert_eq!(format_shell_line("", &["a".to_owned(), "b c".to_owned()]), "a 'b c'");
    }

    /// What a POSIX shell makes of words that are plain or in single quotes.
    fn read(line: &str) -> Vec<String> {
        let (mut words, mut word, mut is_inside, mut escaped) = (Vec::new(), String::new(), false, false);
        for letter in line.chars() {
            match letter {
                _ if escaped => {
                    word.push(letter);
                    escaped = false;
                }
                '\\' if !is_inside => escaped = true,
                '\'' => is_inside = !is_inside,
                ' ' if !is_inside => words.push(std::mem::take(&mut word)),
                _ => word.push(letter),
            }
        }
        words.push(word);
        words
    }

    proptest! {
        #[test]
        fn a_shell_reads_back_the_words(argv in prop::collection::vec(".{0,8}", 1..5)) {
            prop_assert_eq!(read(&format_shell_line("", &argv)), argv);
        }
    }
}

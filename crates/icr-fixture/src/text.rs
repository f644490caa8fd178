//! The text form of a set of files.

/// The paths and contents of `text`: a line `//- path` begins a file, which ends before the next such line.
///
/// # Panics
///
/// When there is text before the first such line.
pub(crate) fn files(text: &str) -> Vec<(&str, &str)> {
    let mut files = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let header = rest.strip_prefix("//- ").unwrap_or_else(|| panic!("a file begins with `//- path`: {rest:?}"));
        let (path, body) = header.split_once('\n').unwrap_or((header, ""));
        let end = if body.starts_with("//- ") { 0 } else { body.find("\n//- ").map_or(body.len(), |at| at + 1) };
        files.push((path.trim_end(), &body[..end]));
        rest = &body[end..];
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_end_where_the_next_begins() {
        assert_eq!(
            files("//- a\n1\n\n//- empty\n//- b/c\nno line end"),
            [("a", "1\n\n"), ("empty", ""), ("b/c", "no line end")]
        );
        assert_eq!(files(""), []);
    }

    #[test]
    #[should_panic(expected = "a file begins with `//- path`")]
    fn text_without_a_path_is_refused() {
        files("fn a() {}\n");
    }
}

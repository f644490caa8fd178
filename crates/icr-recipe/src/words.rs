//! Splits queries and SQL into words.

/// Lexical rules of a language.
pub(crate) struct Lexis {
    /// Begin of a line comment.
    line_comment: &'static str,
    /// Begin and end of a block comment, if the language has them.
    block_comment: Option<(&'static str, &'static str)>,
    /// Quote characters of strings.
    quotes: &'static [char],
    /// Escape character in strings.
    escape: Option<char>,
    /// Signs of words besides letters and digits.
    in_words: &'static str,
}

/// Queries of syntax trees.
pub(crate) const QUERY: Lexis =
    Lexis { line_comment: ";", block_comment: None, quotes: &['"'], escape: Some('\\'), in_words: "_.-" };

/// SQL as SQLite reads it.
pub(crate) const SQL: Lexis = Lexis {
    line_comment: "--",
    block_comment: Some(("/*", "*/")),
    quotes: &['\'', '"', '`'],
    escape: None,
    in_words: "_",
};

/// The words of `text`, one a line: words, strings, and every other sign alone. What is never closed ends with the text.
pub(crate) fn words(text: &str, lexis: &Lexis) -> String {
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if let Some(length) = comment_length(rest, lexis) {
            length
        } else {
            let length = word_length(rest, first, lexis);
            words += &rest[..length];
            words.push('\n');
            length
        };
        rest = &rest[length..];
    }
    words
}

/// Bytes of the comment that `text` begins with.
fn comment_length(text: &str, lexis: &Lexis) -> Option<usize> {
    if text.starts_with(lexis.line_comment) {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let (open, close) = lexis.block_comment.filter(|(open, _)| text.starts_with(open))?;
    Some(text[open.len()..].find(close).map_or(text.len(), |end| open.len() + end + close.len()))
}

/// Bytes of the string, word or sign that `text` begins with; `first` is its first sign.
fn word_length(text: &str, first: char, lexis: &Lexis) -> usize {
    let is_word = |letter: char| letter.is_alphanumeric() || lexis.in_words.contains(letter);
    if !lexis.quotes.contains(&first) {
        let length = text.find(|letter| !is_word(letter)).unwrap_or(text.len());
        return length.max(first.len_utf8());
    }
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        if Some(letter) == lexis.escape {
            letters.next();
        } else if letter == first {
            return at + letter.len_utf8();
        }
    }
    text.len()
}

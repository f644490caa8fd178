//! A reader of pattern texts, shared by query texts and path patterns.

/// The error for a place where the text has something unexpected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at byte {at}")]
pub(crate) struct PatternSyntaxError {
    pub(crate) expected: &'static str,
    pub(crate) at: usize,
}

/// A text and the position of the reader. White space and comments after each token are skipped.
pub(crate) struct Text<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Text<'a> {
    /// At the first sign of `text`.
    pub(crate) fn new(text: &'a str) -> Self {
        let mut new = Self { text, at: 0 };
        new.skip_blank();
        new
    }

    /// Bytes read.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The rest of the text.
    pub(crate) fn remaining_text(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next sign.
    pub(crate) fn peek(&self) -> Option<char> {
        self.remaining_text().chars().next()
    }

    /// Takes `sign` when it is next.
    pub(crate) fn take(&mut self, sign: char) -> bool {
        let taken = self.peek() == Some(sign);
        if taken {
            self.go_on(sign.len_utf8());
        }
        taken
    }

    /// Takes `sign`, which must be next.
    pub(crate) fn expect(&mut self, sign: char, expected: &'static str) -> Result<(), PatternSyntaxError> {
        if self.take(sign) { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// Takes a name: letters, digits and `_`, `.`, `-`.
    pub(crate) fn word(&mut self) -> Result<String, PatternSyntaxError> {
        let rest = self.remaining_text();
        let len = rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || "_.-".contains(letter)));
        let word = &rest[..len.unwrap_or(rest.len())];
        if word.is_empty() {
            return Err(self.expected("a name"));
        }
        self.go_on(word.len());
        Ok(word.to_owned())
    }

    /// Reads the text between quotes, or reports that `end` was expected. `\` makes the next character literal, except
    /// for the letters of white space.
    pub(crate) fn string(&mut self, end: &'static str) -> Result<String, PatternSyntaxError> {
        let body = usize::from(self.peek() == Some('"'));
        let mut text = String::new();
        let mut letters = self.remaining_text()[body..].char_indices();
        while let Some((index, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.go_on(body + index + 1);
                    return Ok(text);
                }
                '\\' => match letters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, '0')) => text.push('\0'),
                    Some((_, other)) => text.push(other),
                    None => {}
                },
                other => text.push(other),
            }
        }
        Err(PatternSyntaxError { expected: end, at: self.text.len() })
    }

    /// The error that something else was expected here.
    pub(crate) fn expected(&self, expected: &'static str) -> PatternSyntaxError {
        PatternSyntaxError { expected, at: self.at }
    }

    fn go_on(&mut self, bytes: usize) {
        self.at += bytes;
        self.skip_blank();
    }

    /// Skips white space and comments, which run from `;` to the end of the line.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.remaining_text().trim_start();
            self.at = self.text.len() - rest.len();
            if !rest.starts_with(';') {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }
}

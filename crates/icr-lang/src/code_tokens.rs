//! Tokens of C and C++, read without a grammar: enough to tell where a declaration begins and ends in a text whose macros a
//! grammar misreads.

use icr_model::Span;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An identifier or a keyword.
    Word,
    Number,
    /// A string or a character, in its quotes.
    Quoted,
    /// `::`
    Scope,
    /// Any other sign, byte by byte.
    Sign(u8),
    /// A line of the preprocessor, with the lines that continue it.
    Directive(ConditionPart),
    /// Behind the last token.
    End,
}

/// What a directive does to the lines after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConditionPart {
    /// `#if`, `#ifdef`, `#ifndef`
    Begins,
    /// `#else`, `#elif` and its kin
    Otherwise,
    /// `#endif`
    Ends,
    /// Nothing: `#include`, `#define` and all others.
    Other,
}

/// One token with its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodeToken {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    /// Whether only white space and comments stand before it on its line.
    pub(crate) begins_line: bool,
}

/// The tokens of a text, without comments, and which brackets belong together.
#[derive(Debug)]
pub(crate) struct CodeTokens<'a> {
    text: &'a [u8],
    tokens: Vec<CodeToken>,
    /// For each token that is `(`, the number of its `)`; 0 if it has none, and for all others.
    closing: Vec<u32>,
}

impl<'a> CodeTokens<'a> {
    /// Reads `text` once.
    pub(crate) fn read(text: &'a [u8]) -> Self {
        let mut tokens = Vec::new();
        let (mut at, mut begins_line) = (0, true);
        while let Some(&byte) = text.get(at) {
            let rest = &text[at..];
            if byte.is_ascii_whitespace() {
                begins_line |= byte == b'\n';
                at += 1;
                continue;
            }
            if let Some(length) = length_of_continuation(rest).or_else(|| length_of_comment(rest)) {
                at += length;
                continue;
            }
            let (kind, length) = read_token(rest, begins_line);
            let span = Span::new(at as u32, (at + length) as u32);
            tokens.push(CodeToken { kind, span, begins_line });
            (at, begins_line) = (at + length, false);
        }
        let closing = closing_brackets(&tokens);
        Self { text, tokens, closing }
    }

    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The token of that number; one of kind [`TokenKind::End`] on a line of its own behind the last.
    pub(crate) fn token(&self, index: usize) -> CodeToken {
        let end = self.text.len() as u32;
        let behind = CodeToken { kind: TokenKind::End, span: Span::new(end, end), begins_line: true };
        self.tokens.get(index).copied().unwrap_or(behind)
    }

    /// The text of a word; empty for every other token.
    pub(crate) fn word(&self, index: usize) -> &'a [u8] {
        let token = self.token(index);
        if token.kind == TokenKind::Word { token.span.of(self.text) } else { b"" }
    }

    pub(crate) fn is_sign(&self, index: usize, sign: u8) -> bool {
        self.token(index).kind == TokenKind::Sign(sign)
    }

    /// The number of the `)` of the `(` at `index`.
    pub(crate) fn closing(&self, index: usize) -> Option<usize> {
        self.closing.get(index).filter(|closing| **closing > 0).map(|closing| *closing as usize)
    }

    /// Whether no byte stands between the token and the next one.
    pub(crate) fn touches_next(&self, index: usize) -> bool {
        self.token(index).span.end == self.token(index + 1).span.start
    }
}

/// Kind and length in bytes of the token at the start of `rest`, which begins neither with white space nor a comment.
fn read_token(rest: &[u8], begins_line: bool) -> (TokenKind, usize) {
    let word = rest.iter().take_while(|byte| is_of_word(**byte)).count();
    match rest[0] {
        b'#' if begins_line => {
            let word = rest[1..].trim_ascii_start();
            let part = match &word[..word.iter().take_while(|byte| is_of_word(**byte)).count()] {
                b"if" | b"ifdef" | b"ifndef" => ConditionPart::Begins,
                b"else" | b"elif" | b"elifdef" | b"elifndef" => ConditionPart::Otherwise,
                b"endif" => ConditionPart::Ends,
                _ => ConditionPart::Other,
            };
            (TokenKind::Directive(part), length_of_directive(rest))
        }
        byte if byte.is_ascii_digit() => (TokenKind::Number, length_of_number(rest)),
        b'"' | b'\'' => (TokenKind::Quoted, length_of_quoted(rest)),
        b':' if rest.get(1) == Some(&b':') => (TokenKind::Scope, 2),
        _ if word > 0 => match length_of_raw_string(rest, word) {
            Some(length) => (TokenKind::Quoted, length),
            None => (TokenKind::Word, word),
        },
        sign => (TokenKind::Sign(sign), 1),
    }
}

/// A backslash that joins two lines.
fn length_of_continuation(rest: &[u8]) -> Option<usize> {
    [b"\\\n".as_slice(), b"\\\r\n"].into_iter().find(|joint| rest.starts_with(joint)).map(<[u8]>::len)
}

fn length_of_comment(rest: &[u8]) -> Option<usize> {
    if rest.starts_with(b"//") {
        return Some(length_of_line(rest));
    }
    let inside = rest.strip_prefix(b"/*")?;
    Some(memchr::memmem::find(inside, b"*/").map_or(rest.len(), |end| end + 4))
}

/// The length of the line with those that a backslash joins to it, without the last line end.
fn length_of_line(rest: &[u8]) -> usize {
    let is_end = |end: &usize| !rest[..*end].strip_suffix(b"\r").unwrap_or(&rest[..*end]).ends_with(b"\\");
    memchr::memchr_iter(b'\n', rest).find(is_end).unwrap_or(rest.len())
}

/// As [`length_of_line`], but only up to a comment that goes on in the next line.
fn length_of_directive(rest: &[u8]) -> usize {
    let line = &rest[..length_of_line(rest)];
    let open = memchr::memmem::rfind(line, b"/*").filter(|begin| {
        memchr::memmem::find(&line[*begin..], b"*/").is_none() && memchr::memmem::find(&line[..*begin], b"//").is_none()
    });
    open.unwrap_or(line.len())
}

fn length_of_number(rest: &[u8]) -> usize {
    let mut length = 1;
    while let Some(&byte) = rest.get(length) {
        let separates = byte == b'\'' && rest.get(length + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !(is_of_word(byte) || byte == b'.' || separates) {
            break;
        }
        length += 1;
    }
    length
}

/// The length of what stands between equal quotes. A line end ends it, because then the quote is no quote.
fn length_of_quoted(rest: &[u8]) -> usize {
    let mut length = 1;
    while let Some(&byte) = rest.get(length) {
        match byte {
            b'\n' => return length,
            b'\\' => length += 2,
            _ if byte == rest[0] => return length + 1,
            _ => length += 1,
        }
    }
    rest.len()
}

/// The length of `R"delimiter(…)delimiter"`, if the word before the quote says that a raw string follows.
fn length_of_raw_string(rest: &[u8], word: usize) -> Option<usize> {
    /// Longest delimiter that the language allows, in bytes.
    const LONGEST: usize = 16;
    let is_raw = matches!(&rest[..word], b"R" | b"LR" | b"UR" | b"uR" | b"u8R");
    let inside = rest[word..].strip_prefix(b"\"").filter(|_| is_raw)?;
    let delimiter = inside.iter().take(LONGEST + 1).position(|byte| *byte == b'(')?;
    let end = [b")".as_slice(), &inside[..delimiter], b"\""].concat();
    let found = memchr::memmem::find(inside, &end);
    Some(found.map_or(rest.len(), |found| word + 1 + found + end.len()))
}

/// For each `(` the number of its `)`. A brace that closes also ends what was open inside.
fn closing_brackets(tokens: &[CodeToken]) -> Vec<u32> {
    let mut closing = vec![0; tokens.len()];
    let (mut open, mut braces) = (Vec::new(), 0_u32);
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Sign(b'(') => open.push((index, false)),
            TokenKind::Sign(b'{') => {
                open.push((index, true));
                braces += 1;
            }
            TokenKind::Sign(b')') => {
                if let Some((opening, _)) = open.pop_if(|(_, is_brace)| !*is_brace) {
                    closing[opening] = index as u32;
                }
            }
            TokenKind::Sign(b'}') if braces > 0 => {
                braces -= 1;
                while open.pop().is_some_and(|(_, is_brace)| !is_brace) {}
            }
            _ => {}
        }
    }
    closing
}

/// Whether the byte may be a part of a word. All bytes of other letters than those of ASCII may.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let code = CodeTokens::read(text.as_bytes());
        let shown: Vec<&str> =
            code.tokens.iter().map(|token| &text[token.span.start as usize..token.span.end as usize]).collect();
        assert_eq!(shown, expected, "{text:?}");
    }

    #[test]
    fn comments_and_joined_lines_are_no_tokens() {
        check("a // b \\\n c\nd /* e\n*/ f \\\n g /* h", &["a", "d", "f", "g"]);
    }

    #[test]
    fn quotes_hold_what_looks_like_code() {
        check(r#"f("a)\"", '"', 1'000) L"x""#, &["f", "(", r#""a)\"""#, ",", "'\"'", ",", "1'000", ")", "L", "\"x\""]);
        check("R\"d(\" ) )d\" x R\"(a", &["R\"d(\" ) )d\"", "x", "R\"(a"]);
        check("it's\nfine", &["it", "'s", "fine"]);
        check("'\\", &["'\\"]);
    }

    #[test]
    fn a_directive_is_one_token() {
        check(
            "#define A \\\n  B\n# if X /* why\n not */ int a::b;",
            &["#define A \\\n  B", "# if X ", "int", "a", "::", "b", ";"],
        );
        let code = CodeTokens::read(b"  # ifdef A\n#else\n#endif\n#include <a>\na # b");
        let kinds: Vec<TokenKind> = code.tokens.iter().map(|token| token.kind).collect();
        assert_eq!(
            kinds[..4],
            [
                TokenKind::Directive(ConditionPart::Begins),
                TokenKind::Directive(ConditionPart::Otherwise),
                TokenKind::Directive(ConditionPart::Ends),
                TokenKind::Directive(ConditionPart::Other),
            ]
        );
        assert_eq!(kinds[5], TokenKind::Sign(b'#'));
    }

    #[test]
    fn brackets_belong_together_within_their_braces() {
        let code = CodeTokens::read(b"a(b(c)) { ( } ) d)");
        let closings: Vec<Option<usize>> = (0..code.len()).map(|index| code.closing(index)).collect();
        assert_eq!(closings[1], Some(6));
        assert_eq!(closings[3], Some(5));
        assert_eq!(closings.iter().flatten().count(), 2);
    }
}

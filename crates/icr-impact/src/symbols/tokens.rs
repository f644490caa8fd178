//! Splits a text into tokens without comments. It knows only as much of a language as is needed to find the ends of
//! comments and strings. Both sides of a change are read in the same way, so an error occurs on both sides.

/// How a language writes comments, strings and structure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signs {
    /// Begin a comment that ends with the line.
    line: &'static [&'static str],
    /// Begin and end a comment; those that begin at a line's start only are written with a newline before.
    block: &'static [(&'static str, &'static str)],
    /// Comments hold comments.
    nested: bool,
    /// A comment begins after white space only.
    spaced: bool,
    /// Strings, longest opening sign first.
    strings: &'static [StringSyntax],
    /// `'` begins a character, or a name such as a lifetime; never a string.
    pub(crate) ticks: bool,
    /// `/` where no value ends begins a regular expression.
    regex: bool,
    /// `'a'` and `"a"` are the same.
    pub(crate) twin_quotes: bool,
    /// Indentation is structure.
    pub(crate) indents: bool,
    /// Annotations before a definition wrap it, so that they are part of what it guarantees.
    pub(crate) decorates: bool,
    /// A statement that is a string alone is documentation.
    pub(crate) bare_strings: bool,
}

/// A kind of string.
#[derive(Debug, Clone, Copy)]
struct StringSyntax {
    open: &'static str,
    close: &'static str,
    /// A backslash keeps the next character from ending it.
    escapes: bool,
    /// Goes on over lines.
    lines: bool,
}

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SourceToken {
    /// First byte.
    pub(crate) start: u32,
    /// One past the last byte.
    pub(crate) end: u32,
    /// For the first token of a logical line, if indentation is structure: 1 plus the number of indentations around it;
    /// else 0.
    pub(crate) level: u16,
}

impl SourceToken {
    /// Its bytes in the text that it was read from.
    pub(crate) fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start as usize..self.end as usize]
    }
}

/// The tokens of `text` in order: words, strings, and every other sign by itself. Linear.
pub(crate) fn tokens(text: &[u8], signs: &Signs) -> Vec<SourceToken> {
    let mut reader = TokenScanner {
        text,
        signs,
        at: 0,
        line_start: 0,
        fresh: true,
        tokens: Vec::new(),
        indents: Vec::new(),
        brackets: 0,
    };
    while reader.at < text.len() {
        reader.step();
    }
    reader.tokens
}

struct TokenScanner<'a> {
    text: &'a [u8],
    signs: &'a Signs,
    at: usize,
    /// First byte of the line.
    line_start: usize,
    /// No token stands before in the line.
    fresh: bool,
    tokens: Vec<SourceToken>,
    /// Columns of the indentations around.
    indents: Vec<usize>,
    /// How many brackets are open.
    brackets: usize,
}

impl TokenScanner<'_> {
    /// Reads white space, a comment or a token.
    fn step(&mut self) {
        let rest = &self.text[self.at..];
        if rest[0].is_ascii_whitespace() && !self.begins_block_at_newline(rest) {
            self.at += 1;
            if rest[0] == b'\n' {
                (self.line_start, self.fresh) = (self.at, true);
            }
            return;
        }
        if let Some(length) = self.comment(rest) {
            self.at += length;
            return;
        }
        let length = self.string(rest).or_else(|| self.regex(rest)).unwrap_or_else(|| word(rest));
        let level = if self.signs.indents && self.fresh { self.level() } else { 0 };
        self.fresh = false;
        match rest[0] {
            b'(' | b'[' | b'{' => self.brackets += 1,
            b')' | b']' | b'}' => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
        self.tokens.push(SourceToken { start: self.at as u32, end: (self.at + length) as u32, level });
        self.at += length;
    }

    fn begins_block_at_newline(&self, rest: &[u8]) -> bool {
        rest[0] == b'\n' && self.signs.block.iter().any(|(open, _)| rest.starts_with(open.as_bytes()))
    }

    /// Length of the comment that begins here.
    fn comment(&self, rest: &[u8]) -> Option<usize> {
        let newline = |from: usize| memchr(b'\n', &rest[from..]).map_or(rest.len(), |end| from + end);
        if let Some((open, close)) = self.signs.block.iter().find(|(open, _)| rest.starts_with(open.as_bytes())) {
            return Some(block_length(rest, open.as_bytes(), close.as_bytes(), self.signs.nested));
        }
        let begins = self.signs.line.iter().any(|open| rest.starts_with(open.as_bytes()));
        // PHP's attributes.
        let is_attribute = rest.starts_with(b"#[") && self.signs.line.len() > 1;
        let is_apart = || !self.signs.spaced || self.at == 0 || self.text[self.at - 1].is_ascii_whitespace();
        (begins && !is_attribute && is_apart()).then(|| newline(1))
    }

    /// Length of the string that begins here.
    fn string(&self, rest: &[u8]) -> Option<usize> {
        if self.signs.ticks && rest[0] == b'\'' {
            return tick_length(rest);
        }
        let quoted = self.signs.strings.iter().find(|quoted| rest.starts_with(quoted.open.as_bytes()))?;
        let close = quoted.close.as_bytes();
        let mut at = quoted.open.len();
        while at < rest.len() {
            match rest[at] {
                b'\\' if quoted.escapes => at += 1,
                _ if rest[at..].starts_with(close) => return Some(at + close.len()),
                b'\n' if !quoted.lines => return Some(at),
                _ => {}
            }
            at += 1;
        }
        Some(rest.len())
    }

    /// Length of the regular expression that begins here.
    fn regex(&self, rest: &[u8]) -> Option<usize> {
        if !self.signs.regex || rest[0] != b'/' || self.ends_value() {
            return None;
        }
        let (mut at, mut class) = (1, false);
        while at < rest.len() {
            match rest[at] {
                b'\\' => at += 1,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => return Some(at + 1),
                b'\n' => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Whether the token before ends a value, so that `/` divides it.
    fn ends_value(&self) -> bool {
        const BEFORE_VALUES: [&[u8]; 7] = [b"return", b"typeof", b"case", b"in", b"of", b"delete", b"void"];
        self.tokens.last().is_some_and(|token| {
            let text = token.of(self.text);
            let last = text[text.len() - 1];
            (is_word(last) || b")]}\"'`".contains(&last)) && !BEFORE_VALUES.contains(&text)
        })
    }

    /// The level of a token that begins here, the first of its line.
    fn level(&mut self) -> u16 {
        let before = &self.text[self.line_start..self.at];
        let line_before = self.text[..self.line_start].strip_suffix(b"\n").unwrap_or_default();
        let continued = line_before.strip_suffix(b"\r").unwrap_or(line_before).ends_with(b"\\");
        if self.brackets > 0 || continued {
            return 0;
        }
        // A tab reaches to the next multiple of 8, as Python's reference says.
        let column =
            before.iter().fold(0, |column, byte| if *byte == b'\t' { (column / 8 + 1) * 8 } else { column + 1 });
        while self.indents.last().is_some_and(|indent| *indent > column) {
            self.indents.pop();
        }
        if column > self.indents.last().copied().unwrap_or(0) {
            self.indents.push(column);
        }
        self.indents.len().min(usize::from(u16::MAX) - 1) as u16 + 1
    }
}

fn memchr(byte: u8, text: &[u8]) -> Option<usize> {
    text.iter().position(|other| *other == byte)
}

fn block_length(rest: &[u8], open: &[u8], close: &[u8], nested: bool) -> usize {
    let (mut at, mut depth) = (open.len(), 1);
    while at < rest.len() {
        if rest[at..].starts_with(close) {
            at += close.len();
            depth -= 1;
            if depth == 0 {
                return at;
            }
        } else if nested && rest[at..].starts_with(open) {
            at += open.len();
            depth += 1;
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// Length of the character that begins at a `'`; `None` where it begins none.
fn tick_length(rest: &[u8]) -> Option<usize> {
    /// Longest escape: `'\u{10FFFF}'`.
    const LONGEST: usize = 12;
    let within = &rest[1..rest.len().min(LONGEST)];
    if within.first() == Some(&b'\\') {
        return within.iter().skip(2).position(|byte| *byte == b'\'').map(|end| end + 4);
    }
    let character = match within.first()? {
        0x00..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
    };
    (within.get(character) == Some(&b'\'')).then_some(character + 2)
}

/// Length of the word that begins here, or of one sign.
fn word(rest: &[u8]) -> usize {
    rest.iter().take_while(|byte| is_word(**byte)).count().max(1)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

const fn short(open: &'static str, close: &'static str) -> StringSyntax {
    StringSyntax { open, close, escapes: true, lines: false }
}

const fn long(open: &'static str, close: &'static str) -> StringSyntax {
    StringSyntax { open, close, escapes: true, lines: true }
}

const fn raw(open: &'static str, close: &'static str) -> StringSyntax {
    StringSyntax { open, close, escapes: false, lines: true }
}

const DOUBLE: StringSyntax = short("\"", "\"");
const SINGLE: StringSyntax = short("'", "'");
const TRIPLE: StringSyntax = long("\"\"\"", "\"\"\"");
const TRIPLE_SINGLE: StringSyntax = long("'''", "'''");
const BACKTICK: StringSyntax = long("`", "`");

/// No comments.
pub(crate) const NO_SIGNS: Signs = Signs {
    line: &[],
    block: &[],
    nested: false,
    spaced: false,
    strings: &[],
    ticks: false,
    regex: false,
    twin_quotes: false,
    indents: false,
    decorates: false,
    bare_strings: false,
};

/// Java and its kin: `//`, `/* */`, `"…"`, `"""…"""`, `'c'`.
pub(crate) const BRACES: Signs = Signs {
    line: &["//"],
    block: &[("/*", "*/")],
    strings: &[TRIPLE, raw("@\"", "\""), DOUBLE],
    ticks: true,
    ..NO_SIGNS
};
pub(crate) const C_SIGNS: Signs = Signs { strings: &[raw("R\"(", ")\""), DOUBLE], ..BRACES };
pub(crate) const GO_SIGNS: Signs = Signs { strings: &[raw("`", "`"), DOUBLE], ..BRACES };
pub(crate) const KOTLIN_SIGNS: Signs = Signs { nested: true, strings: &[raw("\"\"\"", "\"\"\""), DOUBLE], ..BRACES };
pub(crate) const SCALA_SIGNS: Signs = Signs { indents: true, ..KOTLIN_SIGNS };
pub(crate) const SWIFT_SIGNS: Signs =
    Signs { nested: true, strings: &[raw("#\"", "\"#"), TRIPLE, DOUBLE], ticks: false, ..BRACES };
pub(crate) const DART_SIGNS: Signs = Signs {
    nested: true,
    strings: &[
        raw("r\"\"\"", "\"\"\""),
        raw("r'''", "'''"),
        raw("r\"", "\""),
        raw("r'", "'"),
        TRIPLE,
        TRIPLE_SINGLE,
        DOUBLE,
        SINGLE,
    ],
    ticks: false,
    twin_quotes: true,
    ..BRACES
};
pub(crate) const RUST_SIGNS: Signs = Signs {
    nested: true,
    strings: &[
        raw("r##\"", "\"##"),
        raw("r#\"", "\"#"),
        raw("br#\"", "\"#"),
        raw("r\"", "\""),
        raw("br\"", "\""),
        long("\"", "\""),
    ],
    ..BRACES
};
pub(crate) const ZIG_SIGNS: Signs =
    Signs { line: &["//"], strings: &[raw("\\\\", "\n"), DOUBLE], ticks: true, ..NO_SIGNS };
pub(crate) const ECMASCRIPT_SIGNS: Signs = Signs {
    strings: &[BACKTICK, DOUBLE, SINGLE],
    ticks: false,
    regex: true,
    twin_quotes: true,
    decorates: true,
    ..BRACES
};
pub(crate) const PHP_SIGNS: Signs =
    Signs { line: &["//", "#"], strings: &[long("\"", "\""), long("'", "'")], ticks: false, ..BRACES };
pub(crate) const STYLE_SIGNS: Signs =
    Signs { block: &[("/*", "*/")], strings: &[DOUBLE, SINGLE], twin_quotes: true, ..NO_SIGNS };
pub(crate) const HCL_SIGNS: Signs =
    Signs { line: &["#", "//"], block: &[("/*", "*/")], strings: &[DOUBLE], ..NO_SIGNS };
pub(crate) const PYTHON_SIGNS: Signs = Signs {
    line: &["#"],
    strings: &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    twin_quotes: true,
    indents: true,
    decorates: true,
    bare_strings: true,
    ..NO_SIGNS
};
/// Comments from `#` on.
pub(crate) const HASH: Signs = Signs { line: &["#"], strings: &[DOUBLE, SINGLE], ..NO_SIGNS };
pub(crate) const SHELL_SIGNS: Signs = Signs { spaced: true, strings: &[long("\"", "\""), raw("'", "'")], ..HASH };
pub(crate) const YAML_SIGNS: Signs =
    Signs { spaced: true, indents: true, strings: &[long("\"", "\""), raw("'", "'")], ..HASH };
pub(crate) const TOML_SIGNS: Signs = Signs { strings: &[TRIPLE, raw("'''", "'''"), DOUBLE, raw("'", "'")], ..HASH };
pub(crate) const RUBY_SIGNS: Signs =
    Signs { block: &[("\n=begin", "\n=end")], strings: &[long("\"", "\""), long("'", "'")], regex: true, ..HASH };
pub(crate) const ELIXIR_SIGNS: Signs = Signs { strings: &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE], ..HASH };
pub(crate) const GRAPHQL_SIGNS: Signs = Signs { strings: &[TRIPLE, DOUBLE], ..HASH };
/// SQL: `--`, `/* */`.
pub(crate) const DASHES: Signs = Signs {
    line: &["--"],
    block: &[("/*", "*/")],
    strings: &[raw("$$", "$$"), raw("'", "'"), raw("\"", "\"")],
    ..NO_SIGNS
};
pub(crate) const LUA_SIGNS: Signs = Signs {
    line: &["--"],
    block: &[("--[[", "]]"), ("--[=[", "]=]")],
    strings: &[raw("[[", "]]"), raw("[=[", "]=]"), DOUBLE, SINGLE],
    twin_quotes: true,
    ..NO_SIGNS
};
pub(crate) const HASKELL_SIGNS: Signs = Signs {
    line: &["--"],
    block: &[("{-", "-}")],
    nested: true,
    strings: &[DOUBLE],
    ticks: true,
    indents: true,
    ..NO_SIGNS
};
pub(crate) const OCAML_SIGNS: Signs =
    Signs { block: &[("(*", "*)")], nested: true, strings: &[long("\"", "\"")], ticks: true, ..NO_SIGNS };
/// HTML and its kin.
pub(crate) const MARKUP: Signs = Signs { block: &[("<!--", "-->")], ..NO_SIGNS };

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(signs: &Signs, text: &str, expected: &[&str]) {
        let read: Vec<_> = tokens(text.as_bytes(), signs)
            .iter()
            .map(|token| &text[token.start as usize..token.end as usize])
            .collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn comments_are_left_out_and_strings_are_whole() {
        check(&PYTHON_SIGNS, "a = '#' # no\nb", &["a", "=", "'#'", "b"]);
        check(&PYTHON_SIGNS, "'''a\n\"# '''#x", &["'''a\n\"# '''"]);
        check(&BRACES, "a /* b */ \"//\" // c", &["a", "\"//\""]);
        check(&RUST_SIGNS, "/* /* */ a */ 'a 'b' '\\'' r#\"\"/*\"#", &["'", "a", "'b'", "'\\''", "r#\"\"/*\"#"]);
        check(&SHELL_SIGNS, "a $# #b", &["a", "$", "#"]);
        check(&PHP_SIGNS, "#[A]\n#b", &["#", "[", "A", "]"]);
        check(&RUBY_SIGNS, "a\n=begin\nb\n=end\nc", &["a", "c"]);
        check(&LUA_SIGNS, "--[[ a\nb ]] c --d\n[[--e]]", &["c", "[[--e]]"]);
        check(&ZIG_SIGNS, "\\\\ a \" // b\nc", &["\\\\ a \" // b\n", "c"]);
        check(&MARKUP, "<a><!-- b --></a>", &["<", "a", ">", "<", "/", "a", ">"]);
    }

    #[test]
    fn a_slash_after_a_value_divides_and_elsewhere_begins_an_expression() {
        check(&ECMASCRIPT_SIGNS, "a = /[/]\\//g; b / c // d", &["a", "=", "/[/]\\//", "g", ";", "b", "/", "c"]);
        check(&ECMASCRIPT_SIGNS, "return /'/", &["return", "/'/"]);
    }

    #[test]
    fn a_quote_left_open_ends_with_its_line() {
        check(&BRACES, "\"a\nb", &["\"a", "b"]);
        check(&BRACES, "/* a", &[]);
    }

    #[test]
    fn indentation_counts_outside_of_brackets() {
        let levels = |text: &str| {
            let tokens = tokens(text.as_bytes(), &PYTHON_SIGNS);
            tokens.iter().map(|token| token.level).collect::<Vec<_>>()
        };
        assert_eq!(levels("a\n  b\n      c\n  d\ne"), [1, 2, 3, 2, 1]);
        assert_eq!(levels("a(\n  b)\n\tc"), [1, 0, 0, 0, 2]);
        assert_eq!(levels("a \\\n  b"), [1, 0, 0]);
    }

    proptest! {
        #[test]
        fn tokens_are_in_order_and_inside_whatever_the_text(text in prop::collection::vec(prop::sample::select(b"a'\"/*#\\\n-[]{}=`( \xc3".to_vec()), 0..60)) {
            for signs in [&BRACES, &PYTHON_SIGNS, &RUST_SIGNS, &ECMASCRIPT_SIGNS, &RUBY_SIGNS, &LUA_SIGNS, &OCAML_SIGNS] {
                let read = tokens(&text, signs);
                prop_assert!(read.iter().all(|token| token.start < token.end && token.end as usize <= text.len()));
                prop_assert!(read.windows(2).all(|pair| pair[0].end <= pair[1].start));
            }
        }
    }
}

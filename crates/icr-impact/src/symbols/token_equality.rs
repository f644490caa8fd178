//! Whether two runs of tokens say the same.

use icr_model::{Span, SymbolKind};

use super::side::{AnalyzedSide, is_data};
use super::tokens::SourceToken;

/// Tokens of one side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) tokens: &'a [SourceToken],
    /// Names that count as equal to those at the same index on the other side, whatever their spelling: the name of the
    /// definition, and that of its holder.
    pub(crate) names: [&'a str; 2],
    /// `'a'` and `"a"` are the same.
    pub(crate) twin_quotes: bool,
}

impl Run<'_> {
    /// The run without the signs at its ends that part a signature from a body: a comment between them decides to which of
    /// the two these belong.
    pub(crate) fn without_ends(self) -> Self {
        let parts = |token: &SourceToken| matches!(token.of(self.text), b":" | b"=" | b"{" | b";" | b",");
        let first = self.tokens.iter().take_while(|token| parts(token)).count();
        let rest = &self.tokens[first..];
        let last = rest.iter().rev().take_while(|token| parts(token)).count();
        Self { tokens: &rest[..rest.len() - last], ..self }
    }

    /// Whether both have the same tokens, one by one, and the same indentations.
    pub(crate) fn equals(self, other: Self) -> bool {
        let levels = (first_level(self.tokens), first_level(other.tokens));
        self.tokens.len() == other.tokens.len()
            && self.tokens.iter().zip(other.tokens).all(|(one, two)| {
                same_level(one.level, levels.0, two.level, levels.1) && self.token_equals(*one, other, *two)
            })
    }

    /// Whether both have the same tokens, letter by letter.
    pub(crate) fn is_exactly(self, other: Self) -> bool {
        Run { names: [""; 2], ..self }.equals(Run { names: [""; 2], ..other })
    }

    /// Whether both mean the same: as [`Self::equals`], but ignoring the kind of quotes and a trailing comma of a list.
    pub(crate) fn says_same(self, other: Self) -> bool {
        let (one, two) = (self.without_last_commas(), other.without_last_commas());
        Run { tokens: &one, ..self }.equals(Run { tokens: &two, ..other })
    }

    fn token_equals(self, one: SourceToken, other: Self, two: SourceToken) -> bool {
        let (one, two) = (one.of(self.text), two.of(other.text));
        let mut names = self.names.iter().zip(other.names);
        let mut is_name = || names.any(|(old, new)| one == old.as_bytes() && two == new.as_bytes());
        let is_quoted = || self.twin_quotes && unquoted(one).is_some_and(|text| unquoted(two) == Some(text));
        one == two || is_name() || is_quoted()
    }

    /// The tokens without commas right before a closing bracket. That of a tuple of one stays: its bracket opens behind no
    /// value.
    fn without_last_commas(self) -> Vec<SourceToken> {
        let mut kept: Vec<SourceToken> = Vec::with_capacity(self.tokens.len());
        // For each open bracket: whether it opens after a value, and how many commas it contains.
        let mut open: Vec<(bool, usize)> = Vec::new();
        for token in self.tokens {
            match token.of(self.text) {
                b"(" | b"[" | b"{" => {
                    let before = kept.last().and_then(|before| before.of(self.text).last());
                    let behind_value =
                        before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_)]>".contains(byte));
                    open.push((behind_value || token.of(self.text) != b"(", 0));
                }
                b"," => {
                    if let Some((_, commas)) = open.last_mut() {
                        *commas += 1;
                    }
                }
                b")" | b"]" | b"}" => {
                    let (behind_value, commas) = open.pop().unwrap_or_default();
                    let ends_list = kept.last().is_some_and(|last| last.of(self.text) == b",");
                    if ends_list && (behind_value || commas > 1) {
                        kept.pop();
                    }
                }
                _ => {}
            }
            kept.push(*token);
        }
        kept
    }
}

/// The own tokens of the definition at `index`, which has members: the tokens after its signature, without
/// documentation, members and their separators. Fields and variants belong to the own tokens of a type.
pub(crate) fn own_tokens(reading: &AnalyzedSide<'_>, index: u32) -> Vec<SourceToken> {
    use SymbolKind::{Implementation, Key, Module, Section};
    let symbol = reading.symbol(index);
    let is_type = !matches!(symbol.kind, Implementation | Key | Module | Section);
    let members = reading.members[index as usize].iter().map(|member| reading.symbol(*member));
    let members = members.filter(|member| symbol.span.contains(member.span) && symbol.span != member.span);
    let mut holes: Vec<(Span, bool)> = Vec::new();
    for member in members {
        let stays = is_type && is_data(member.kind);
        holes.extend(member.doc.map(|doc| (doc, false)));
        holes.extend((!stays).then_some((member.span, true)));
    }
    holes.extend(symbol.doc.map(|doc| (doc, false)));
    outside(reading, reading.tokens_in(reading.tail(symbol)), holes)
}

/// The tokens that begin in none of `holes`, without the commas and semicolons right after holes that are definitions,
/// and, if the language uses bare strings as documentation, without these.
pub(crate) fn outside(
    reading: &AnalyzedSide<'_>,
    tokens: &[SourceToken],
    mut holes: Vec<(Span, bool)>,
) -> Vec<SourceToken> {
    holes.sort_unstable_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    let text = reading.side.text;
    let bare_strings = reading.row.signs.bare_strings;
    let mut kept = Vec::new();
    let (mut next, mut hole_end, mut behind_definition) = (0, 0, false);
    for (index, token) in tokens.iter().enumerate() {
        while let Some((span, holds)) = holes.get(next).filter(|(span, _)| span.start <= token.start) {
            behind_definition |= *holds && span.end > token.start;
            hole_end = hole_end.max(span.end);
            next += 1;
        }
        if token.start < hole_end {
            continue;
        }
        let separates = std::mem::take(&mut behind_definition) && matches!(token.of(text), b"," | b";");
        let ends_line = || tokens.get(index + 1).is_none_or(|next| next.level > 0);
        let is_bare = bare_strings && token.level > 0 && is_string(token.of(text)) && ends_line();
        if !separates && !is_bare {
            kept.push(*token);
        }
    }
    kept
}

fn is_string(token: &[u8]) -> bool {
    matches!(token.first(), Some(b'"' | b'\''))
}

/// What stands between plain quotes of any kind; `None` for other tokens, and where the kind of quote matters.
fn unquoted(token: &[u8]) -> Option<&[u8]> {
    let quote = *token.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let triple = [quote; 3];
    let inside = match token.strip_prefix(&triple).and_then(|rest| rest.strip_suffix(&triple)) {
        Some(inside) => inside,
        None => token.get(1..)?.strip_suffix(&[quote])?,
    };
    let is_plain = !inside.iter().any(|byte| matches!(byte, b'"' | b'\'' | b'\\'));
    is_plain.then_some(inside)
}

/// The level that others are counted from: that of the first token which has one.
fn first_level(tokens: &[SourceToken]) -> u16 {
    tokens.iter().map(|token| token.level).find(|level| *level > 0).unwrap_or(0)
}

/// Whether two tokens have the same indentation relative to the given levels; a token that begins no line always does.
fn same_level(one: u16, first_of_one: u16, two: u16, first_of_two: u16) -> bool {
    let relative = |level: u16, first: u16| i32::from(level) - i32::from(first);
    one == 0 || two == 0 || relative(one, first_of_one) == relative(two, first_of_two)
}

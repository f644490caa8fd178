//! Writes texts in shapes: tokens joined by a layout that depends only on the tokens and not on the original layout,
//! so that running a formatter changes nothing.

use icr_model::{Digest64, Span};

use super::tokens::{ShapeToken, Tokens};
use super::vocabulary::Style;

/// Longest text, in bytes, because tables of data are constants too. A longer text is shown by its beginning and a
/// digest of the whole.
const MAX_TEXT: usize = 2000;

/// The text of the nodes at `run`, one after the other, without the parts in `cuts`.
pub(super) fn render_nodes(tokens: &Tokens, text: &[u8], run: &[Span], cuts: &[Span]) -> String {
    let chosen = select_tokens(tokens, run, cuts);
    let mut kept: Vec<&ShapeToken> = Vec::with_capacity(chosen.len());
    for token in chosen {
        if closes(token, text) && kept.last().is_some_and(|last| is_dropped(last, text)) {
            kept.pop();
        }
        kept.push(token);
    }
    while kept.last().is_some_and(|last| is_dropped(last, text)) {
        kept.pop();
    }
    let mut told = String::new();
    for (index, token) in kept.iter().enumerate() {
        let mark = Mark::of(token, kept.get(index + 1).copied(), text);
        if let Some(before) = index.checked_sub(1).map(|before| kept[before]) {
            let separated = tokens.ends_member(before) && mark != Mark::Closing;
            if separated {
                told.push(';');
            }
            if separated || has_blank(before, Mark::of(before, Some(token), text), token, mark, text) {
                told.push(' ');
            }
        }
        told.push_str(&word(token, text));
    }
    truncate_with_digest(told)
}

/// The tokens of `run` in order, without those in `cuts` and those that are left out everywhere.
fn select_tokens<'a>(tokens: &'a Tokens, run: &[Span], cuts: &[Span]) -> Vec<&'a ShapeToken> {
    let mut run = run.to_vec();
    run.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut chosen = Vec::new();
    let mut end = 0;
    for span in run {
        let from = span.start.max(end);
        let first = tokens.all.partition_point(|token| token.span.start < from);
        let inside = tokens.all[first..].iter().take_while(|token| token.span.start < span.end);
        let inner = cuts.iter().copied().filter(|cut| span.contains(*cut));
        let mut cuts: Vec<Span> = inner.chain(tokens.left_out_of(span)).collect();
        cuts.sort_unstable_by_key(|cut| cut.start);
        let (mut next, mut cut_end) = (0, 0);
        chosen.extend(inside.filter(|token| {
            while let Some(cut) = cuts.get(next).filter(|cut| cut.start <= token.span.start) {
                cut_end = cut_end.max(cut.end);
                next += 1;
            }
            token.span.start >= cut_end
        }));
        end = end.max(span.end);
    }
    chosen
}

/// How a token relates to its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Opening,
    Closing,
    /// `,` and `;`
    Separator,
    Colon,
    /// What joins the parts of a path: `.`, `::`, `\\`.
    Dot,
    /// An operator before its operand.
    Prefix,
    /// An operator between two.
    Infix,
    /// An operator after its operand.
    Suffix,
    /// A name, a number, a text, or an operator that stands alone.
    Word,
}

impl Mark {
    /// The role of `token`, which is followed by `next`.
    fn of(token: &ShapeToken, next: Option<&ShapeToken>, text: &[u8]) -> Self {
        if matches!(token.style, Some(Style::Verbatim | Style::Quoted)) {
            return Self::Word;
        }
        let sign = token.span.of(text);
        match sign {
            b"(" | b"[" | b"{" => Self::Opening,
            b")" | b"]" | b"}" => Self::Closing,
            b"<" if token.first && !token.last => Self::Opening,
            b">" if token.last && !token.first => Self::Closing,
            b"," | b";" => Self::Separator,
            b":" | b"?:" | b"+?:" | b"-?:" => Self::Colon,
            // It comes before the given value, even if nothing is before it in its node.
            b"=" | b"->" | b"=>" | b"<:" | b">:" => Self::Infix,
            b"." | b"::" | b"?." | b".." | b"..=" | b"..." | b"\\" => Self::Dot,
            // The mark of a nullable type, or of `name?: type`, in every language that has them.
            b"?" if token.last || next.is_some_and(|next| next.span.of(text) == b":") => Self::Suffix,
            _ if !is_operator(sign) => Self::Word,
            _ => match (token.first, token.last) {
                (true, true) => Self::Word,
                (true, false) => Self::Prefix,
                (false, true) => Self::Suffix,
                (false, false) => Self::Infix,
            },
        }
    }
}

/// Whether a blank stands between two tokens.
fn has_blank(before: &ShapeToken, left: Mark, token: &ShapeToken, right: Mark, text: &[u8]) -> bool {
    use Mark::{Closing, Colon, Dot, Infix, Opening, Prefix, Separator, Suffix, Word};
    if before.style == Some(Style::Tight) || token.style == Some(Style::Tight) {
        return false;
    }
    // The default is for cases without a rule: brackets after a word, and words with nothing between them.
    let written = token.span.start > before.span.end;
    match (left, right) {
        (Opening, _) | (_, Closing | Separator | Colon) => false,
        (Separator | Colon, _) => true,
        (Dot, _) | (Word | Closing | Suffix, Dot) => false,
        (Prefix, _) => false,
        (Infix, _) | (_, Infix) => true,
        (_, Suffix) => false,
        // The brackets of a call or a subscript. Brackets that begin a node may also follow a name.
        (Word, Opening) if before.named => match token.span.of(text) {
            b"{" => written,
            b"[" => token.first && written,
            _ => false,
        },
        (Closing, Opening) => written,
        (_, Prefix) => true,
        // `*` alone, as in a pointer without a name.
        (Word, Word) if is_operator(token.span.of(text)) || is_operator(before.span.of(text)) => true,
        (Closing, Word) if is_operator(token.span.of(text)) => true,
        _ => written,
    }
}

fn closes(token: &ShapeToken, text: &[u8]) -> bool {
    Mark::of(token, None, text) == Mark::Closing
}

/// Whether the token is a separator that has no meaning if nothing follows it.
fn is_dropped(token: &ShapeToken, text: &[u8]) -> bool {
    Mark::of(token, None, text) == Mark::Separator && token.style != Some(Style::Kept)
}

fn is_operator(sign: &[u8]) -> bool {
    sign.iter().all(|byte| byte.is_ascii_punctuation() && !b"_\"'`()[]{}".contains(byte)) || sign == b"'"
}

/// The text of the token in a shape.
fn word(token: &ShapeToken, text: &[u8]) -> String {
    let bytes = token.span.of(text);
    let word = String::from_utf8_lossy(bytes).into_owned();
    if token.style != Some(Style::Quoted) {
        return word;
    }
    // The prefix has one or two letters, as in Python's `b'…'`.
    let start = word.find('\'').filter(|start| word[..*start].bytes().all(|byte| byte.is_ascii_alphabetic()));
    let (Some(start), true) = (start, word.ends_with('\'')) else {
        return word;
    };
    let quotes = if word[start..].starts_with("'''") && word.len() >= start + 6 { 3 } else { 1 };
    if word.len() < start + 2 * quotes {
        return word;
    }
    let inside = &word[start + quotes..word.len() - quotes];
    if inside.contains(['"', '\'']) {
        return word;
    }
    let quote = "\"".repeat(quotes);
    format!("{}{quote}{inside}{quote}", &word[..start])
}

/// At most [`MAX_TEXT`] bytes of `text`, with a digest of the whole text if it is cut.
fn truncate_with_digest(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let digest = Digest64::default().with(text.as_bytes()).finish();
        text.truncate(text.floor_char_boundary(MAX_TEXT));
        text.push_str(&format!("… ({digest:016x})"));
    }
    text
}

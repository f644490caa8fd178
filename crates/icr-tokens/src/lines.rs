//! Finds how many whole lines of a text fit into a number of tokens.

use std::collections::HashMap;

use crate::merge::{merged_ends, token_ends, tokens_within};
use crate::pieces::piece_end;
use crate::vocabulary::{MAX_TOKEN_BYTES, Rank, rank_of};

/// The longest prefix of `text` that consists of whole lines and has at most `most` tokens: its bytes and tokens.
///
/// A line ends behind `\n` or at the end of the text. The number of tokens is exactly
/// [`model_tokens`](crate::model_tokens) of the prefix. This is not the sum over its lines: a token may contain the end
/// of one line and the start of the next. The text is read once, and only as far as the tokens suffice.
///
/// If a text has 4 GiB or more, only the whole lines of the first 4 GiB are considered.
pub fn lines_within(text: &str, most: u32) -> (usize, u32) {
    let mut text = text.as_bytes();
    if let Some(first) = text.get(..u32::MAX as usize) {
        text = &text[..first.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1)];
    }
    let (mut lines_end, mut lines_tokens) = (0, 0);
    let (mut start, mut tokens_before) = (0, 0);
    // Each piece has at least one token.
    while start < text.len() && tokens_before < most {
        let end = piece_end(text, start);
        let piece = &text[start..end];
        let tokens = tokens_within(piece, most - tokens_before);
        // A piece does not depend on the text behind a line break, unless it continues behind the break, as `}` and
        // `//` on two lines do. Without that text, the piece ends at the break. So only pieces with a line break inside
        // have to be counted again.
        match tokens {
            Some(tokens) if end == text.len() || piece.ends_with(b"\n") => {
                (lines_end, lines_tokens) = (end, tokens_before + tokens);
            }
            _ => {
                if let Some((bytes, tokens)) = lines_of_piece(piece, most - tokens_before) {
                    (lines_end, lines_tokens) = (start + bytes, tokens_before + tokens);
                }
            }
        }
        let Some(tokens) = tokens else { break };
        tokens_before += tokens;
        start = end;
    }
    (lines_end, lines_tokens)
}

/// The longest prefix of `piece` that ends in a line break and has at most `most` tokens, if there is one.
///
/// A longer prefix can have fewer tokens, so all prefixes that are short enough are tried.
fn lines_of_piece(piece: &[u8], most: u32) -> Option<(usize, u32)> {
    let longest = piece.len().min((most as usize).saturating_mul(MAX_TOKEN_BYTES));
    let breaks = (1..).zip(&piece[..longest]).filter(|(_, byte)| **byte == b'\n');
    let mut beginning = Beginning { piece, ends: Vec::new(), neighbours: HashMap::new() };
    let mut lines = None;
    for (line_end, _) in breaks {
        beginning.extend(line_end);
        let tokens = beginning.ends.len() as u32;
        if tokens <= most {
            lines = Some((line_end, tokens));
        }
    }
    lines
}

/// The tokens of a growing prefix of a piece.
///
/// A row of tokens is the result of merging its bytes if and only if that holds for each two neighbours. The reason: a
/// merge across a border between two tokens joins parts of these two tokens only, so it would also happen without all
/// other tokens; and as long as no merge crosses a border, neither side depends on the other. So when the prefix grows,
/// a few tokens at its end are merged again. Those before them stay if the last of them and the first new one are such
/// neighbours.
struct Beginning<'a> {
    piece: &'a [u8],
    /// End offsets of the tokens.
    ends: Vec<u32>,
    /// Cache of token pairs: whether merging their bytes gives these two tokens. In long runs the same pairs repeat.
    neighbours: HashMap<(Rank, Rank), bool>,
}

impl Beginning<'_> {
    /// Extends the prefix to `length` bytes, which is more than it has.
    fn extend(&mut self, length: usize) {
        let mut again_total = 1;
        let mut again_ends = Vec::new();
        loop {
            let kept_total = self.ends.len().saturating_sub(again_total);
            let kept_end = self.start_of(kept_total);
            again_ends.clear();
            token_ends(&self.piece[kept_end..length], &mut again_ends);
            again_ends.iter_mut().for_each(|end| *end += kept_end as u32);
            if kept_total == 0 || self.is_border(self.start_of(kept_total - 1), kept_end, again_ends[0] as usize) {
                self.ends.truncate(kept_total);
                self.ends.append(&mut again_ends);
                return;
            }
            again_total *= 2;
        }
    }

    fn start_of(&self, token: usize) -> usize {
        token.checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }

    /// Whether merging the bytes of the two tokens around `border` gives these two tokens.
    fn is_border(&mut self, start: usize, border: usize, end: usize) -> bool {
        let rank_of = |token: &[u8]| rank_of(token).expect("what is merged is a token");
        let pair = (rank_of(&self.piece[start..border]), rank_of(&self.piece[border..end]));
        *self.neighbours.entry(pair).or_insert_with(|| {
            let mut ends = Vec::new();
            merged_ends(&self.piece[start..end], &mut ends);
            ends == [(border - start) as u32, (end - start) as u32]
        })
    }
}

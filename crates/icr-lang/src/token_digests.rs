//! Digests of runs of tokens, each in constant time. This matters because definitions are nested, and one statement
//! may define thousands of names.

use std::collections::HashMap;

use icr_model::Span;

use crate::definitions::{RawSymbol, token_digest};
use crate::walk::DigestedToken;

/// The factor of Knuth's 64-bit linear generator (MMIX): odd, so that no token is lost, and well spread.
const FACTOR: u64 = 6_364_136_223_846_793_005;

/// Most mentions of its own name in one definition that are treated as any name; further mentions count as written.
const MAX_MENTIONS: usize = 256;

/// The tokens of a blob as a polynomial in [`FACTOR`], modulo 2^64, so that the digest of a run can be computed from
/// two sums.
pub(crate) struct TokenDigests<'a> {
    blob: &'a [u8],
    tokens: &'a [DigestedToken],
    /// For each token, the sum over the tokens before it; one entry more than there are tokens.
    sums: Vec<u64>,
    /// Powers of the factor, the same number of entries.
    powers: Vec<u64>,
    /// Mentions of the names of definitions: by digest, the indices of tokens.
    mentions: HashMap<u64, Vec<usize>>,
}

impl<'a> TokenDigests<'a> {
    /// Adds up `tokens`, which are in order. `symbols` give the names whose mentions are recorded.
    pub(crate) fn new(blob: &'a [u8], tokens: &'a [DigestedToken], symbols: &[RawSymbol]) -> Self {
        let mut mentions: HashMap<u64, Vec<usize>> =
            symbols.iter().map(|symbol| (token_digest(symbol.name.of(blob)), Vec::new())).collect();
        let mut sums = Vec::with_capacity(tokens.len() + 1);
        let mut powers = Vec::with_capacity(tokens.len() + 1);
        let (mut sum, mut power) = (0_u64, 1_u64);
        for (index, token) in tokens.iter().enumerate() {
            sums.push(sum);
            powers.push(power);
            sum = sum.wrapping_mul(FACTOR).wrapping_add(token.digest);
            power = power.wrapping_mul(FACTOR);
            if let Some(mentions) = mentions.get_mut(&token.digest) {
                mentions.push(index);
            }
        }
        sums.push(sum);
        powers.push(power);
        Self { blob, tokens, sums, powers, mentions }
    }

    /// Digests of the signature's tokens, and of all other tokens except those of the docstring. In the second digest,
    /// the symbol's own name counts as any name, so that renaming a function that calls itself does not change it. 0
    /// for no tokens.
    pub(crate) fn of(&self, symbol: &RawSymbol, signature: Span) -> (u32, u32) {
        // The high bits of a product depend on all bits of its factors.
        let kept = |hash: u64| (hash >> 32) as u32;
        let signature_hash = self.extend(0, signature.start, signature.end, None);
        let doc =
            symbol.doc.filter(|doc| symbol.span.contains(*doc)).unwrap_or(Span::new(signature.end, signature.end));
        let own_name = Some(token_digest(symbol.name.of(self.blob)));
        let (first, second) = if doc.start < signature.start { (doc, signature) } else { (signature, doc) };
        let body_hash = [(symbol.span.start, first.start), (first.end, second.start), (second.end, symbol.span.end)]
            .iter()
            .fold(0, |hash, (start, end)| self.extend(hash, *start, *end, own_name));
        (kept(signature_hash), kept(body_hash))
    }

    /// The digest of the tokens of `hash` followed by those that begin in `start..end`; mentions of `blank` count as
    /// 0.
    fn extend(&self, hash: u64, start: u32, end: u32, blank: Option<u64>) -> u64 {
        let first = self.tokens.partition_point(|token| token.start < start);
        let end = first + self.tokens[first..].partition_point(|token| token.start < end);
        let power = self.powers[end - first];
        let run = self.sums[end].wrapping_sub(self.sums[first].wrapping_mul(power));
        let mentions = blank.and_then(|digest| self.mentions.get(&digest)).map_or(&[][..], Vec::as_slice);
        let from = mentions.partition_point(|index| *index < first);
        let inside = mentions[from..].iter().take_while(|index| **index < end).take(MAX_MENTIONS);
        let blanked = inside.fold(run, |run, index| {
            run.wrapping_sub(self.tokens[*index].digest.wrapping_mul(self.powers[end - 1 - index]))
        });
        hash.wrapping_mul(power).wrapping_add(blanked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_a_run_is_that_of_its_tokens_alone() {
        let blob = b"a b a c";
        let token =
            |start: u32| DigestedToken { start, digest: token_digest(&blob[start as usize..start as usize + 1]) };
        let tokens = [token(0), token(2), token(4), token(6)];
        let digests = TokenDigests::new(blob, &tokens, &[]);
        let alone = |tokens: &[DigestedToken]| TokenDigests::new(blob, tokens, &[]).extend(0, 0, 7, None);
        assert_eq!(digests.extend(0, 2, 5, None), alone(&tokens[1..3]));
        assert_eq!(digests.extend(digests.extend(0, 0, 3, None), 3, 7, None), alone(&tokens));
        assert_ne!(digests.extend(0, 0, 3, None), digests.extend(0, 2, 5, None));
        assert_eq!(digests.extend(0, 3, 3, None), 0);
    }
}

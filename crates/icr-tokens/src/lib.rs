//! Exact counts of model tokens in the vocabulary o200k_base, without a file to load.
//!
//! The vocabulary is a hash table inside the program that is read in place (`vocabulary.rs`). The regular expression
//! that splits a text into pieces, before their bytes are merged, is written as code (`pieces.rs`). The first call
//! takes 0.1 ms and touches at most 2 MB; source code is counted at 50 MB/s on one core. tiktoken-rs takes 310 ms and
//! 46 MB to load and counts 8 MB/s; bpe-openai takes 80 to 230 ms and 67 MB, and counts 19 MB/s. The table adds 2.7 MB
//! to the program.

mod characters;
mod lines;
mod merge;
mod pieces;
mod vocabulary;

#[cfg(test)]
mod asset;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use lines::lines_within;

/// Name of the vocabulary in which tokens are counted, as tiktoken calls it.
pub const MODEL_TOKEN_COUNTER: &str = "o200k_base";

/// Number of tokens in `text`, as tiktoken's `encode_ordinary` gives them: names of special tokens are ordinary text.
///
/// Bytes that are not UTF-8 count as [`String::from_utf8_lossy`] shows them. The time is linear in the text. Long
/// pieces (such as a megabyte of one letter) are the exception: they need a heap and take 0.3 to 0.6 s a megabyte. Only
/// long pieces and lossy texts allocate memory.
///
/// A text of 4 GiB or more counts as [`u32::MAX`].
pub fn model_tokens(text: &[u8]) -> u32 {
    model_tokens_within(text, u32::MAX).unwrap_or(u32::MAX)
}

/// Like [`model_tokens`], but `None` if there are more than `most`; counting stops there.
pub fn model_tokens_within(text: &[u8], most: u32) -> Option<u32> {
    // Replacing bytes that are not UTF-8 makes the text longer, not shorter.
    if text.len().div_ceil(vocabulary::MAX_TOKEN_BYTES) > most as usize {
        return None;
    }
    let text = match String::from_utf8_lossy(text) {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    u32::try_from(text.len()).ok()?;
    let (mut start, mut tokens) = (0, 0);
    while start < text.len() {
        let end = pieces::piece_end(&text, start);
        tokens += merge::tokens_within(&text[start..end], most - tokens)?;
        start = end;
    }
    Some(tokens)
}

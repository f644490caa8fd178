//! Model tokens, the unit of chunk limits, estimated without a vocabulary. Texts that icr returns are counted exactly,
//! by `icr-tokens`.

/// Name of the counter, as shown beside every count.
pub const CHUNK_TOKEN_COUNTER: &str = "icr-approx-1";

/// Longest run of letters or digits that counts as one model token. Byte-pair vocabularies hold common words whole and
/// split the rest into pieces of 3 to 5 letters; identifiers in code average near 6 letters a token.
const RUN_LETTERS: u32 = 6;

/// Estimated number of model tokens in `text`, the same on every machine and for every model.
///
/// A run of letters or digits counts one token for every six characters or part of six. A line break counts one, other
/// white space counts nothing, every other character counts one. Cost: one pass, no allocation.
pub fn chunk_tokens(text: &[u8]) -> u32 {
    let mut tokens = 0_u32;
    let mut run = 0_u32;
    for &byte in text {
        if byte.is_ascii_alphanumeric() {
            if run.is_multiple_of(RUN_LETTERS) {
                tokens += 1;
            }
            run += 1;
            continue;
        }
        run = 0;
        // A byte 0x80..=0xbf continues a character that was counted at its first byte.
        let counts = !byte.is_ascii_whitespace() && !(0x80..=0xbf).contains(&byte);
        tokens += u32::from(counts || byte == b'\n');
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_punctuation_and_lines_count() {
        for (text, tokens) in
            [("", 0), ("   ", 0), ("open", 1), ("configuration", 3), ("a.b()", 5), ("fn main() {\n}\n", 8), ("日本", 2)]
        {
            assert_eq!(chunk_tokens(text.as_bytes()), tokens, "{text:?}");
        }
    }
}

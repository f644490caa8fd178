//! Texts as they are compared.

use sha2::{Digest, Sha256};

/// Bytes of a key of equal texts: enough that no two texts of one database share one by chance.
pub(crate) const KEY_BYTES: usize = 16;

/// The key that memories of one topic share when their texts say the same but for case, white space and a full stop.
pub(crate) fn exact_key(topic: &str, text: &str) -> [u8; KEY_BYTES] {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").to_lowercase();
    let mut digest = Sha256::new();
    digest.update(topic.trim().to_lowercase());
    digest.update([0]);
    digest.update(text.trim_end_matches('.'));
    let mut key = [0; KEY_BYTES];
    key.copy_from_slice(&digest.finalize()[..KEY_BYTES]);
    key
}

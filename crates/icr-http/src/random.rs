//! Random secrets.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Bytes of a secret: too many to guess.
const BYTES: usize = 32;

/// A new secret in letters, digits, `-` and `_`.
///
/// # Errors
///
/// When the system gives no random bytes.
pub(crate) fn secret() -> std::io::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

//! Credentials: programs send the token; browsers get a session by a link that works once.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit, Mac};
use icr_model::even_after_panic;
use sha2::{Digest, Sha256};

use crate::random::secret;

/// Lifetime of a link to the page.
const CODE_LIVES: Duration = Duration::from_secs(5 * 60);

/// Most links that are valid at once; a further one invalidates the oldest.
const CODES_MOST: usize = 16;

/// Idle time after which a browser needs a new link: longer than a weekend.
const SESSION_LIVES: Duration = Duration::from_secs(4 * 24 * 60 * 60);

/// Most browser sessions at once; a further one ends the session that was used longest ago.
const SESSIONS_MOST: usize = 64;

/// The valid credentials. Digests are compared, so that the time of a comparison reveals nothing about the secret.
pub struct Credentials {
    token: Sha256Digest,
    /// The token itself. It is needed for proofs that the server knows it; the digest would not be enough.
    secret: String,
    codes: Mutex<VecDeque<(Sha256Digest, Instant)>>,
    sessions: Mutex<VecDeque<(Sha256Digest, Instant)>>,
}

type Sha256Digest = [u8; 32];

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials")
    }
}

impl Credentials {
    /// Credentials of a server with this token.
    pub(crate) fn new(token: &str) -> Self {
        Self { token: digest(token), secret: token.to_owned(), codes: Mutex::default(), sessions: Mutex::default() }
    }

    /// Whether this is the token.
    pub(crate) fn is_token(&self, shown: &str) -> bool {
        digest(shown) == self.token
    }

    /// The answer to `challenge`, which proves that the server knows the token.
    pub(crate) fn proof(&self, challenge: &str) -> String {
        proof_of(&self.secret, challenge)
    }

    /// A new code, which a browser can exchange for a session once within five minutes.
    ///
    /// # Errors
    ///
    /// When the system gives no random bytes.
    pub(crate) fn new_code(&self) -> std::io::Result<String> {
        let code = secret()?;
        let mut codes = even_after_panic(self.codes.lock());
        keep(&mut codes, digest(&code), CODES_MOST, Instant::now());
        Ok(code)
    }

    /// Exchanges a code for the secret of a new session. The code is invalid afterwards. `None` if it was invalid
    /// before.
    ///
    /// # Errors
    ///
    /// When the system gives no random bytes.
    pub(crate) fn exchange(&self, code: &str) -> std::io::Result<Option<String>> {
        let shown = digest(code);
        let now = Instant::now();
        let mut codes = even_after_panic(self.codes.lock());
        let Some(at) = codes.iter().position(|(known, _)| *known == shown) else { return Ok(None) };
        let (_, made) = codes.remove(at).expect("it was just found");
        drop(codes);
        if now.duration_since(made) > CODE_LIVES {
            return Ok(None);
        }
        let session = secret()?;
        let mut sessions = even_after_panic(self.sessions.lock());
        keep(&mut sessions, digest(&session), SESSIONS_MOST, now);
        Ok(Some(session))
    }

    /// Whether `secret` is that of a session. If so, the session's idle time begins anew.
    pub(crate) fn is_session(&self, shown: &str) -> bool {
        let shown = digest(shown);
        let now = Instant::now();
        let mut sessions = even_after_panic(self.sessions.lock());
        sessions.retain(|(_, asked)| now.duration_since(*asked) <= SESSION_LIVES);
        let Some(at) = sessions.iter().position(|(known, _)| *known == shown) else { return false };
        sessions.remove(at);
        sessions.push_back((shown, now));
        true
    }
}

/// Proof of knowing `token`, as an answer to `challenge`: HMAC-SHA-256 of the challenge, keyed by the SHA-256 of the
/// token, in hexadecimal.
pub(crate) fn proof_of(token: &str, challenge: &str) -> String {
    let mut proof = Hmac::<Sha256>::new_from_slice(&digest(token)).expect("any length is a key");
    proof.update(challenge.as_bytes());
    proof.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn keep(kept: &mut VecDeque<(Sha256Digest, Instant)>, new: Sha256Digest, most: usize, now: Instant) {
    if kept.len() == most {
        kept.pop_front();
    }
    kept.push_back((new, now));
}

fn digest(secret: &str) -> Sha256Digest {
    Sha256::digest(secret.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_is_what_other_programs_make_of_it() {
        // printf '%s' challenge | openssl dgst -sha256 -mac HMAC -macopt hexkey:$(printf '%s' token | sha256sum | cut -c1-64)
        let expected = "b4a158668ff7e25fc2789a8b5172683e3b359e50f5ea254213c65c25600285d0";
        assert_eq!(proof_of("token", "challenge"), expected);
    }

    #[test]
    fn a_code_makes_one_session() {
        let credentials = Credentials::new("token");
        let code = credentials.new_code().expect("a code");
        assert_eq!(credentials.exchange("other").expect("no failure"), None);
        let session = credentials.exchange(&code).expect("no failure").expect("a session");
        assert_eq!(credentials.exchange(&code).expect("no failure"), None, "it works once");
        assert!(credentials.is_session(&session) && !credentials.is_session(&code) && !credentials.is_session(""));
        assert!(credentials.is_token("token") && !credentials.is_token(&session) && !credentials.is_token(""));
    }

    #[test]
    fn of_many_codes_and_sessions_the_oldest_stop() {
        let credentials = Credentials::new("token");
        let codes: Vec<String> = (0..=CODES_MOST).map(|_| credentials.new_code().expect("a code")).collect();
        assert_eq!(credentials.exchange(&codes[0]).expect("no failure"), None);
        assert!(credentials.exchange(&codes[1]).expect("no failure").is_some());
        let session = || {
            let code = credentials.new_code().expect("a code");
            credentials.exchange(&code).expect("no failure").expect("a session")
        };
        let first = session();
        for _ in 0..SESSIONS_MOST - 1 {
            session();
            assert!(credentials.is_session(&first), "who asks again and again stays");
        }
        let second = session();
        for _ in 0..SESSIONS_MOST {
            session();
        }
        assert!(!credentials.is_session(&second));
    }
}

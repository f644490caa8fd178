//! Secrets that must not be displayed.

use std::fmt;

use crate::Error;

/// The key for a remote service. It is sent, but never displayed: not by `Debug`, not in an error.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// `text` without the white space around it, which files and shells add.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if the key is empty or contains something that an HTTP header cannot carry: control
    /// characters, white space, or anything but ASCII.
    pub fn new(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let wrong = |reason: &str| Error::Setting { name: "the API key", reason: reason.to_owned() };
        if text.is_empty() {
            return Err(wrong("it is empty; take it out, or set the key that the service gave"));
        }
        if !text.chars().all(|character| character.is_ascii_graphic()) {
            return Err(wrong("it has characters that no key has; set it to the key alone, in one line"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The key, for the HTTP header.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    /// `text` with every occurrence of the key taken out: services repeat in their errors what they were sent.
    pub(super) fn taken_out_of(&self, text: &str) -> String {
        text.replace(&self.0, "…")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown() {
        let key = Secret::new(" sk-very-secret\n").expect("a key in a line of its own");
        assert_eq!(key.reveal(), "sk-very-secret");
        assert_eq!(format!("{key:?} {:?}", Some(&key)), "Secret(…) Some(Secret(…))");
        assert_eq!(key.taken_out_of("wrong key sk-very-secret: sk-very-secret"), "wrong key …: …");
    }

    #[test]
    fn what_no_header_can_carry_is_refused_and_not_repeated() {
        for text in ["", " \n", "sk-a\nsk-b", "sk-a b", "sk-ä", "sk-\u{0}"] {
            let error = Secret::new(text).expect_err(text).to_string();
            assert!(error.starts_with("the API key: it "), "{error}");
            assert!(!error.contains("sk-"), "{error}");
        }
    }
}

//! Where there are no sockets that only the user can reach, nobody listens.

use std::path::Path;
use std::time::Duration;

use super::{AskError, Handler, ListenError, Request, Response};

/// A socket that nobody can ask.
#[derive(Debug)]
pub struct Socket(());

impl Socket {
    /// Listens to nobody.
    ///
    /// # Errors
    ///
    /// None here.
    pub fn listen(_home: &Path, _repo_id: &str, _handler: Handler) -> Result<Self, ListenError> {
        Ok(Self(()))
    }

    /// Never.
    pub fn is_listening(&self) -> bool {
        false
    }
}

/// Nobody listens.
///
/// # Errors
///
/// None here.
pub fn ask(_home: &Path, _repo_id: &str, _request: &Request, _within: Duration) -> Result<Option<Response>, AskError> {
    Ok(None)
}

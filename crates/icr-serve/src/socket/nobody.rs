//! A substitute for systems without sockets that only the user can reach: nobody listens.

use std::path::Path;
use std::time::Duration;

use super::{AskError, Handler, ListenError, Request, Response};

/// A socket that does nothing.
#[derive(Debug)]
pub struct Socket(());

impl Socket {
    /// Returns a socket that does nothing.
    ///
    /// # Errors
    ///
    /// Never.
    pub fn listen(_home: &Path, _repo_id: &str, _handler: Handler) -> Result<Self, ListenError> {
        Ok(Self(()))
    }

    /// Always false.
    pub fn is_listening(&self) -> bool {
        false
    }
}

/// Always `None`.
///
/// # Errors
///
/// Never.
pub fn ask(_home: &Path, _repo_id: &str, _request: &Request, _within: Duration) -> Result<Option<Response>, AskError> {
    Ok(None)
}

//! Gets a link to the page of a running server.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use crate::token_file::{TokenError, token_of};

/// Time limit for the server's answer.
const WITHIN: Duration = Duration::from_secs(3);

/// Most bytes read of an answer.
const ANSWER_BYTES_MOST: u64 = 64 << 10;

/// Why there is no link.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// No process listens at the address, or none answers.
    #[error("no server answers at {address}: {source}")]
    Silent {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// Who listens there is not icr, or does not know this token.
    #[error("the program that listens at {0} is not an icr server with this home")]
    Foreign(SocketAddr),
    /// There is no token.
    #[error(transparent)]
    Token(#[from] TokenError),
}

#[derive(Deserialize)]
struct LinkResponse {
    link: String,
}

/// A new link to the page of the server with this home that listens on `address`. May block for some seconds.
///
/// The token is not sent before the server has proved that it knows it: another user's program may have taken the port.
///
/// # Errors
///
/// [`LinkError`].
pub fn link_of(address: SocketAddr, home: &Path) -> Result<String, LinkError> {
    let token = token_of(home)?;
    let silent = |source| LinkError::Silent { address, source };
    if !knows_token(address, &token).map_err(silent)? {
        return Err(LinkError::Foreign(address));
    }
    let body = ask(address, "POST", "/api/link", &token).map_err(silent)?;
    let answer: LinkResponse = serde_json::from_str(&body).map_err(|_| LinkError::Foreign(address))?;
    Ok(answer.link)
}

/// Whether the server answers a challenge correctly, which needs the token.
fn knows_token(address: SocketAddr, token: &str) -> io::Result<bool> {
    let challenge = crate::random::secret()?;
    let body = ask(address, "GET", &format!("/api/health?challenge={challenge}"), "")?;
    let answer: serde_json::Value = serde_json::from_str(&body).unwrap_or_default();
    Ok(answer["proof"].as_str() == Some(&crate::credentials::proof_of(token, &challenge)))
}

/// The body of an answer.
fn ask(address: SocketAddr, method: &str, path: &str, token: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, WITHIN)?;
    stream.set_read_timeout(Some(WITHIN))?;
    stream.set_write_timeout(Some(WITHIN))?;
    let authorization = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{authorization}Connection: close\r\nContent-Length: 0\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.take(ANSWER_BYTES_MOST).read_to_string(&mut answer)?;
    Ok(answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
}

//! The client side of the socket.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::io::Errno;

use super::line::{SocketDeadline, SocketLine, read_line, request_line, response_of, write_all};
use super::socket_directory::{OpenPlaceError, SocketDirectory, is_own_peer, is_repo_id, stream_socket};
use super::{AskError, LINE_BYTES_MOST, Request, Response, UntrustedSocket};

/// Sends `request` to the process that listens for the repository and returns its answer. `None` if no process listens,
/// or if so many clients are connected that this one would have to wait.
///
/// Takes at most the time `within`, whatever the other side does; the limit is sent with the request. If no process
/// listens, the cost is a few system calls.
///
/// # Errors
///
/// [`AskError::Untrusted`] where the directory `run`, the socket or the process behind it is not the user's own or is open to others;
/// [`AskError::OutOfTime`]; [`AskError::Unsendable`] for a request longer than [`LINE_BYTES_MOST`] or with a root that is not UTF-8;
/// those of the connection. In all of them whoever asks answers by itself.
pub fn ask(home: &Path, repo_id: &str, request: &Request, within: Duration) -> Result<Option<Response>, AskError> {
    let until = SocketDeadline::after(within);
    if !is_repo_id(repo_id) {
        return Ok(None);
    }
    let Some(stream) = connect(home, repo_id)? else { return Ok(None) };
    let asked = exchange(&stream, request, until);
    match asked {
        Err(AskError::Io(error)) if error.kind() == io::ErrorKind::TimedOut => Err(AskError::OutOfTime { within }),
        Err(AskError::Io(error)) if is_end(&error) => Err(AskError::Closed),
        asked => asked.map(Some),
    }
}

fn exchange(stream: &UnixStream, request: &Request, until: SocketDeadline) -> Result<Response, AskError> {
    let line = request_line(request, until.remaining_time()?).map_err(|problem| AskError::Unsendable { problem })?;
    write_all(stream, &line, until)?;
    let no_answer = |problem| AskError::NoAnswer { problem };
    match read_line(stream, until)? {
        SocketLine::Whole(line) => response_of(&line).map_err(no_answer),
        SocketLine::Half(_) => Err(AskError::Closed),
        SocketLine::TooLong => Err(no_answer(format!("it is longer than {LINE_BYTES_MOST} bytes"))),
    }
}

/// A connection to the listening process, if it accepts one at once.
fn connect(home: &Path, repo_id: &str) -> Result<Option<UnixStream>, AskError> {
    let Some(place) = SocketDirectory::find(home, repo_id)? else { return Ok(None) };
    if place.socket()?.is_none() {
        return Ok(None);
    }
    let stream = UnixStream::from(stream_socket()?);
    // Waiting for the process to accept could take for ever.
    stream.set_nonblocking(true)?;
    match rustix::net::connect(&stream, &place.address()?) {
        Ok(()) => {}
        // No process is left; or its queue of connections is full.
        Err(Errno::NOENT | Errno::CONNREFUSED | Errno::AGAIN | Errno::INPROGRESS) => return Ok(None),
        Err(error) => return Err(io::Error::from(error).into()),
    }
    stream.set_nonblocking(false)?;
    match is_own_peer(&stream) {
        true => Ok(Some(stream)),
        false => Err(UntrustedSocket { path: place.socket_path(), problem: "is served by another user" }.into()),
    }
}

fn is_end(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted
    )
}

impl From<OpenPlaceError> for AskError {
    fn from(error: OpenPlaceError) -> Self {
        match error {
            OpenPlaceError::Untrusted(untrusted) => Self::Untrusted(untrusted),
            OpenPlaceError::Io(error) => Self::Io(error),
        }
    }
}

//! Body of a fuzz target for the bytes on the local socket; tests call it as well.

use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::RequestError;
use super::line::{SocketDeadline, SocketLine, read_line, request_line, request_of, response_line, response_of};

/// Most bytes written to a socket: what the system buffers before anybody reads.
const MOST_BYTES: usize = 32 << 10;

/// Time limit for reading bytes that are already there.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads frames from a socket, as requests and as answers.
///
/// # Panics
///
/// If a request or answer changes when it is written and read again, or is refused for an unknown reason.
pub fn check_frames(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(MOST_BYTES)];
    let (mut near, far) = UnixStream::pair().expect("a process may have two sockets more");
    near.write_all(bytes).expect("the system keeps a few bytes");
    near.shutdown(Shutdown::Write).expect("it is open");
    let read = read_line(&far, SocketDeadline::after(PATIENCE)).expect("everything is there");
    match bytes.iter().position(|byte| *byte == b'\n') {
        Some(end) => assert_eq!(read, SocketLine::Whole(bytes[..end].to_vec())),
        None => assert_eq!(read, SocketLine::Half(bytes.to_vec())),
    }
    bytes.split(|byte| *byte == b'\n').for_each(check_line);
}

fn check_line(line: &[u8]) {
    match request_of(line) {
        Ok((request, within)) => {
            let written = request_line(&request, within).expect("it came in a line");
            assert_eq!(written.iter().filter(|byte| **byte == b'\n').count(), 1);
            assert_eq!(request_of(&written), Ok((request, within)));
        }
        Err(error) => {
            let known = [RequestError::BAD_REQUEST, RequestError::UNKNOWN_VERSION];
            assert!(known.contains(&error.code.as_str()), "{error}");
            assert_eq!(response_of(&response_line(Err(error.clone()))), Ok(Err(error)));
        }
    }
    if let Ok(response) = response_of(line) {
        let written = response_line(response.clone());
        assert_eq!(written.iter().filter(|byte| **byte == b'\n').count(), 1);
        assert_eq!(response_of(&written), Ok(response));
    }
}

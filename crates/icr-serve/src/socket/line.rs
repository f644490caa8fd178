//! One line of JSON in each direction, within a time and a length.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{LINE_BYTES_MOST, Request, RequestError, Response, VERSION};

/// Bytes read at once: most requests are one read.
const CHUNK_BYTES: usize = 16 << 10;

/// The time by which everything must be done, in however many steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct SocketDeadline(Instant);

impl SocketDeadline {
    pub(super) fn after(time: Duration) -> Self {
        let now = Instant::now();
        // One day, if the clock cannot represent the time.
        Self(now.checked_add(time).unwrap_or_else(|| now + Duration::from_secs(86_400)))
    }

    /// The remaining time. Never zero: the system would take that as no limit.
    pub(super) fn remaining_time(self) -> io::Result<Duration> {
        match self.0.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
            left => Ok(left),
        }
    }
}

/// What came of reading a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SocketLine {
    /// The line, without its line end.
    Whole(Vec<u8>),
    /// The stream ended before the line did.
    Half(Vec<u8>),
    /// It is longer than a line may be.
    TooLong,
}

/// Reads up to the end of a line. Bytes after it are ignored.
pub(super) fn read_line(mut stream: &UnixStream, until: SocketDeadline) -> io::Result<SocketLine> {
    let (mut line, mut chunk) = (Vec::new(), vec![0; CHUNK_BYTES]);
    loop {
        stream.set_read_timeout(Some(until.remaining_time()?))?;
        let read = match stream.read(&mut chunk) {
            Ok(0) => return Ok(SocketLine::Half(line)),
            Ok(read) => chunk.get(..read).unwrap_or_default(),
            Err(error) if is_try_again(&error) => continue,
            Err(error) => return Err(error),
        };
        let end = read.iter().position(|byte| *byte == b'\n');
        let part = read.get(..end.unwrap_or(read.len())).unwrap_or_default();
        // The line end counts too.
        if line.len() + part.len() >= LINE_BYTES_MOST {
            return Ok(SocketLine::TooLong);
        }
        line.extend_from_slice(part);
        if end.is_some() {
            return Ok(SocketLine::Whole(line));
        }
    }
}

/// Writes all bytes.
pub(super) fn write_all(mut stream: &UnixStream, mut bytes: &[u8], until: SocketDeadline) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.set_write_timeout(Some(until.remaining_time()?))?;
        match stream.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(error) if is_try_again(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// After a system time-out, the loop checks the clock again.
fn is_try_again(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

#[derive(Serialize)]
struct SentRequest<'a> {
    version: u32,
    kind: &'a str,
    root: &'a str,
    deadline_ms: u64,
    body: &'a Value,
}

#[derive(Deserialize)]
struct ReadRequest {
    kind: String,
    root: String,
    deadline_ms: u64,
    #[serde(default)]
    body: Value,
}

/// The line of a request with the time limit `time`; an error if it cannot be written.
pub(super) fn request_line(request: &Request, time: Duration) -> Result<Vec<u8>, &'static str> {
    let root = request.root.to_str().ok_or("the root is not UTF-8")?;
    let deadline_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let sent = SentRequest { version: VERSION, kind: &request.kind, root, deadline_ms, body: &request.body };
    json_line(serde_json::to_vec(&sent)).ok_or("it is longer than a line may be")
}

/// Reads the request in a line, and its time limit.
pub(super) fn request_of(line: &[u8]) -> Result<(Request, Duration), RequestError> {
    let bad = |problem: String| RequestError::new(RequestError::BAD_REQUEST, problem);
    let value: Value = serde_json::from_slice(line).map_err(|error| bad(format!("the line is not JSON: {error}")))?;
    match value.get("version") {
        Some(version) if version.as_u64() == Some(VERSION.into()) => {}
        version => {
            let said = version.filter(|version| version.is_number()).map_or("none".to_owned(), Value::to_string);
            let message = format!("the request is of version {said}; this process speaks version {VERSION}");
            return Err(RequestError::new(RequestError::UNKNOWN_VERSION, message));
        }
    }
    let read: ReadRequest =
        serde_json::from_value(value).map_err(|error| bad(format!("the line is no request: {error}")))?;
    let request = Request { kind: read.kind, root: read.root.into(), body: read.body };
    if !request.root.is_absolute() {
        return Err(bad("`root` is no absolute path".to_owned()));
    }
    Ok((request, Duration::from_millis(read.deadline_ms)))
}

#[derive(Serialize, Deserialize)]
struct ResponseMessage {
    version: u32,
    #[serde(flatten)]
    outcome: ResponseOutcome,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ResponseOutcome {
    Answer(Value),
    Error(RequestError),
}

/// The line of an answer. If it would be too long, a line that reports this.
pub(super) fn response_line(response: Response) -> Vec<u8> {
    let line = |response| {
        let outcome = match response {
            Ok(answer) => ResponseOutcome::Answer(answer),
            Err(error) => ResponseOutcome::Error(error),
        };
        json_line(serde_json::to_vec(&ResponseMessage { version: VERSION, outcome }))
    };
    let too_long = || {
        let message = format!("the answer would be longer than {LINE_BYTES_MOST} bytes");
        line(Err(RequestError::new(RequestError::TOO_LONG, message)))
    };
    line(response).or_else(too_long).unwrap_or_default()
}

/// Reads the answer in a line; an error if it is invalid.
pub(super) fn response_of(line: &[u8]) -> Result<Response, String> {
    let answer: ResponseMessage = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    Ok(match answer.outcome {
        // An error is understood in any version.
        ResponseOutcome::Error(error) => Err(error),
        ResponseOutcome::Answer(_) if answer.version != VERSION => {
            return Err(format!("it is of version {}, not {VERSION}", answer.version));
        }
        ResponseOutcome::Answer(answer) => Ok(answer),
    })
}

/// `value` as a line, unless it is too long.
fn json_line(json: serde_json::Result<Vec<u8>>) -> Option<Vec<u8>> {
    let mut line = json.ok()?;
    line.push(b'\n');
    (line.len() <= LINE_BYTES_MOST).then_some(line)
}

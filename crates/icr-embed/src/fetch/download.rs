//! Downloads one file. Retries as long as attempts bring further bytes.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use icr_model::hexadecimal;
use sha2::{Digest, Sha256};
use ureq::http::{Response, StatusCode, header};
use ureq::{Agent, Body};

use super::{FetchOptions, PIECE_BYTES, PublishedFile, digest_all, wrong};
use crate::Error;
use crate::remote::Address;
use crate::remote::connection::{reason_of, settings};

/// Attempts in a row that may bring nothing.
const FRUITLESS_MAX: u32 = 3;

/// Attempts in all. Without this bound, a server that cannot resume would restart from the first byte for ever.
const ATTEMPTS_MAX: u32 = 100;

/// Pause after an attempt that brought nothing; it doubles with each further such attempt.
const PAUSE: Duration = Duration::from_secs(1);

/// Longest wait for the beginning of the answer, and for each further piece of it.
const SILENCE_MAX: Duration = Duration::from_secs(30);

/// A download in progress, written to a part file beside its destination.
pub(super) struct Download<'a> {
    source: &'a PublishedFile,
    options: &'a FetchOptions,
    address: Address,
    agent: Agent,
    part: PathBuf,
}

/// How an attempt ended.
enum DownloadOutcome {
    /// All bytes arrived.
    Whole,
    /// Bytes are missing, for this reason; another attempt may bring more.
    Early(String),
}

impl<'a> Download<'a> {
    pub(super) fn new(source: &'a PublishedFile, target: &Path, options: &'a FetchOptions) -> Result<Self, Error> {
        let published = Address::parse(&source.address())?;
        let address = options.mirror.as_ref().map_or(published.clone(), |mirror| mirror.join(published.path()));
        let settings = settings(&address).timeout_recv_response(Some(SILENCE_MAX)).timeout_per_read(Some(SILENCE_MAX));
        // The part file has the digest in its name, so that a part of another version of the file is not continued.
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let part = target.with_file_name(format!(".{name}.{}.part", source.sha256.get(..16).unwrap_or(source.sha256)));
        Ok(Self { source, options, agent: settings.build().new_agent(), address, part })
    }

    /// Returns the path of the complete file, whose digest is that of the source. The caller moves or removes it.
    pub(super) fn run(&self, progress: &dyn Fn(u64)) -> Result<PathBuf, Error> {
        let mut file = self.open()?;
        // What an earlier run left may be damaged, which only shows at the end.
        let had_part = file.metadata().is_ok_and(|metadata| metadata.len() > 0);
        let mut found = self.complete(&mut file, progress)?;
        if found != self.source.sha256 && had_part {
            file.set_len(0).map_err(|error| self.unwritable(&error))?;
            found = self.complete(&mut file, progress)?;
        }
        if found == self.source.sha256 {
            file.sync_all().map_err(|error| self.unwritable(&error))?;
            return Ok(self.part.clone());
        }
        let _ = fs::remove_file(&self.part);
        Err(Error::Digest { address: self.address.to_string(), expected: self.source.sha256.to_owned(), found })
    }

    /// Opens the part file and locks it against other processes until it is dropped.
    fn open(&self) -> Result<File, Error> {
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.part);
        let file = options.map_err(|error| self.unwritable(&error))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => {
                Err(wrong(&self.part, "another process is fetching it; wait for that one".to_owned()))
            }
            // Some network drives have no locks. Two processes then download the same file, but never keep a wrong one.
            Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => Ok(file),
            Err(TryLockError::Error(error)) => Err(self.unwritable(&error)),
        }
    }

    /// Makes attempts until all bytes are there. Gives their digest.
    fn complete(&self, file: &mut File, progress: &dyn Fn(u64)) -> Result<String, Error> {
        let mut digest = Sha256::new();
        let mut have = self.read_part(file, &mut digest)?;
        let mut most = have;
        let mut fruitless = 0;
        for _ in 0..ATTEMPTS_MAX {
            progress(have);
            if have == self.source.bytes {
                return Ok(hexadecimal(&digest.finalize()));
            }
            let reason = match self.attempt(file, &mut digest, &mut have, progress)? {
                DownloadOutcome::Whole => continue,
                DownloadOutcome::Early(reason) => reason,
            };
            fruitless = if have > most { 0 } else { fruitless + 1 };
            most = most.max(have);
            if fruitless == FRUITLESS_MAX {
                let kept = format!("{have} of {} bytes are kept; fetch again to go on", self.source.bytes);
                return Err(self.error(&format!("{reason} (asked {FRUITLESS_MAX} times); {kept}")));
            }
            if fruitless > 0 {
                self.options.clock.pause(PAUSE * (1 << (fruitless - 1)));
            }
        }
        Err(self.error("it stops so often that the file does not arrive; try another network"))
    }

    /// Adds the bytes of the part file to `digest` and returns how many of them are used.
    fn read_part(&self, file: &mut File, digest: &mut Sha256) -> Result<u64, Error> {
        let length = file.metadata().map_err(|error| self.unwritable(&error))?.len();
        if length > self.source.bytes {
            file.set_len(0).map_err(|error| self.unwritable(&error))?;
        }
        file.seek(SeekFrom::Start(0)).map_err(|error| self.unwritable(&error))?;
        digest_all(file, digest).map_err(|error| self.unwritable(&error))
    }

    /// Requests the missing bytes and appends what arrives.
    fn attempt(
        &self,
        file: &mut File,
        digest: &mut Sha256,
        have: &mut u64,
        progress: &dyn Fn(u64),
    ) -> Result<DownloadOutcome, Error> {
        let mut request = self.agent.get(self.address.uri());
        if *have > 0 {
            request = request.header(header::RANGE, format!("bytes={have}-"));
        }
        let response = match request.call() {
            Ok(response) => response,
            Err(error) => return self.classify_error(&error),
        };
        let begin = match self.begin_of(&response, *have)? {
            Ok(begin) => begin,
            Err(reason) => return Ok(DownloadOutcome::Early(reason)),
        };
        if begin != *have {
            file.set_len(0).and_then(|()| file.rewind()).map_err(|error| self.unwritable(&error))?;
            (*digest, *have) = (Sha256::new(), 0);
        }
        let mut body = response.into_body().into_with_config().limit(u64::MAX).reader();
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let length = match body.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) => return self.classify_error(&error.into()),
            };
            if *have + length as u64 > self.source.bytes {
                return Err(self.error(&self.other_length("more bytes")));
            }
            file.write_all(&piece[..length]).map_err(|error| self.unwritable(&error))?;
            digest.update(&piece[..length]);
            *have += length as u64;
            progress(*have);
        }
        Ok(if *have == self.source.bytes {
            DownloadOutcome::Whole
        } else {
            DownloadOutcome::Early(self.other_length("fewer bytes"))
        })
    }

    /// The position of the first byte of the body of `response`: `have`, or 0 if the server cannot resume. Otherwise
    /// the reason why there is no usable body.
    fn begin_of(&self, response: &Response<Body>, have: u64) -> Result<Result<u64, String>, Error> {
        let status = response.status();
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        match status {
            StatusCode::OK => {
                let length = response.body().content_length();
                if let Some(length) = length.filter(|length| *length != self.source.bytes) {
                    return Err(self.error(&self.other_length(&format!("{length} bytes"))));
                }
                Ok(Ok(0))
            }
            StatusCode::PARTIAL_CONTENT => {
                let range = header(header::CONTENT_RANGE).and_then(|range| range.strip_prefix("bytes "));
                let begin = range.and_then(|range| range.split('-').next()?.parse::<u64>().ok());
                match begin {
                    Some(begin) if begin == have => Ok(Ok(have)),
                    _ => Err(self.error("it answered with another part of the file than was asked for")),
                }
            }
            _ if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() => {
                Ok(Err(format!("it answered {status}")))
            }
            StatusCode::RANGE_NOT_SATISFIABLE => Err(self.error(&self.other_length("fewer bytes"))),
            _ => Err(self.error(&format!("it answered {status}; is a mirror set that has no such file?"))),
        }
    }

    fn classify_error(&self, error: &ureq::Error) -> Result<DownloadOutcome, Error> {
        let is_silence = matches!(error, ureq::Error::Timeout(_));
        let (reason, may_pass) = reason_of(error, &self.agent, &self.address);
        if may_pass || is_silence { Ok(DownloadOutcome::Early(reason)) } else { Err(self.error(&reason)) }
    }

    fn other_length(&self, found: &str) -> String {
        format!("it gave {found}; the published file has {}", self.source.bytes)
    }

    fn error(&self, reason: &str) -> Error {
        Error::Remote { address: self.address.to_string(), reason: reason.to_owned() }
    }

    fn unwritable(&self, error: &std::io::Error) -> Error {
        wrong(&self.part, format!("it cannot be written: {error}"))
    }
}

//! The end of one transcript.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::host::HOSTS;
use super::record::Record;
use super::session_file::open_own_file;
use super::session_reader::{said_digest, turn};
use super::{RECORD_BYTES_MOST, Speaker, Turn};

/// Largest single-document file whose end is read, in bytes. A document must be read completely.
const DOCUMENT_BYTES_MOST: u64 = 16 << 20;

/// An answer and the question before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastAnswer {
    /// [`said_digest`] of the user's last message; empty if that is not in the part that was read.
    pub question: String,
    /// What the assistant said.
    pub text: String,
}

/// The answer at the end of the transcript at `path`: the assistant's last message, if nothing was said and no tool was
/// called after it; otherwise `None`. Sidechains are ignored.
///
/// Reads the last `bytes_most` bytes, however large the file is; turns that begin before that and incomplete lines at
/// either end are left out. A file with a name ending in `.json` is a single document and is read completely, up to 16
/// MiB. The host of a record is recognised by its format. Records that are damaged, longer than 1 MiB or of an unknown
/// format are left out. The directory of the session is not checked, because the host gave the path to the caller.
///
/// # Errors
///
/// `InvalidInput` if it is not an ordinary file of the user; other errors of opening and reading it.
pub fn last_answer(path: &Path, bytes_most: u64) -> io::Result<Option<LastAnswer>> {
    let TranscriptEnd { answer, question, .. } = read_end(path, bytes_most)?;
    Ok(answer.map(|text| LastAnswer { question, text }))
}

/// The last turns in the transcript at `path`, in order. Reads like [`last_answer`].
#[cfg(test)]
pub(super) fn last_turns(path: &Path, bytes_most: u64) -> io::Result<Vec<Turn>> {
    Ok(read_end(path, bytes_most)?.turns.into_iter().map(|(_, turn)| turn).collect())
}

/// The end of the transcript at `path`, read as [`last_answer`] says.
fn read_end(path: &Path, bytes_most: u64) -> io::Result<TranscriptEnd> {
    let mut file = open_own_file(path)?;
    let is_document = path.extension().is_some_and(|extension| extension == "json");
    let mut end = TranscriptEnd::default();
    if is_document {
        let mut bytes = Vec::new();
        file.take(DOCUMENT_BYTES_MOST).read_to_end(&mut bytes)?;
        end.document(&bytes);
    } else {
        let (bytes, is_whole) = last_bytes(&mut file, bytes_most)?;
        let mut lines = bytes.split(|byte| *byte == b'\n');
        if !is_whole {
            // The first line is usually incomplete.
            lines.next();
        }
        lines.for_each(|line| end.line(line));
    }
    Ok(end)
}

/// The last bytes of a file, and whether these are all.
fn last_bytes(file: &mut File, most: u64) -> io::Result<(Vec<u8>, bool)> {
    let length = file.metadata()?.len();
    let skipped = length.saturating_sub(most);
    // Reading one more byte could show that the first line is complete, but losing one line does no harm.
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok((bytes, skipped == 0))
}

/// What the end of a transcript says.
#[derive(Default)]
struct TranscriptEnd {
    /// Turns with the ids of their records.
    turns: Vec<(Option<String>, Turn)>,
    /// The assistant's last message, as long as nothing follows it.
    answer: Option<String>,
    /// Digest of the user's last message.
    question: String,
}

impl TranscriptEnd {
    fn document(&mut self, bytes: &[u8]) {
        let Ok(text) = str::from_utf8(bytes) else { return };
        let records = HOSTS.iter().filter_map(|host| host.document?(text).ok()).next().unwrap_or_default();
        // The first one is the document itself.
        records.into_iter().skip(1).for_each(|(_, record)| self.line(record.as_bytes()));
    }

    fn line(&mut self, line: &[u8]) {
        if line.len() > RECORD_BYTES_MOST {
            return;
        }
        let records = HOSTS.iter().filter_map(|host| (host.record)(line).ok());
        let Some(Record { id, time, is_sidechain, said: Some((speaker, text)), calls_tools, .. }) =
            records.into_iter().find(|record| record.said.is_some())
        else {
            return;
        };
        let turn = turn(speaker, &text, time, is_sidechain);
        if !is_sidechain {
            let is_answer = speaker == Speaker::Assistant && !calls_tools;
            self.answer = turn.as_ref().filter(|_| is_answer).map(|turn| turn.text.clone());
            // Tool results are recorded in the user's name but say nothing.
            if speaker == Speaker::User && turn.is_some() {
                self.question = said_digest(&text);
            }
        }
        let Some(turn) = turn else { return };
        match self.turns.iter_mut().rev().find(|(earlier, _)| id.is_some() && *earlier == id) {
            Some((_, earlier)) => *earlier = turn,
            None => self.turns.push((id, turn)),
        }
    }
}

//! The end of one transcript.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::host::HOSTS;
use super::record::Record;
use super::session_file::open_own_file;
use super::session_reader::{said_digest, turn};
use super::{RECORD_BYTES_MOST, Speaker, Turn};

/// Largest file that is one document and read for its end, in bytes: its end means nothing without its beginning.
const DOCUMENT_BYTES_MOST: u64 = 16 << 20;

/// An answer, and what it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastAnswer {
    /// [`said_digest`] of what the user said last; empty where that is not in the part that was read.
    pub question: String,
    /// What the assistant said.
    pub text: String,
}

/// The answer that ends the transcript at `path`: what the assistant said last, with nothing said after it and no tool called; `None` where there is none.
/// What belongs to a sidechain is passed over.
///
/// Reads the last `bytes_most` bytes, however large the file is; turns that begin before are left out, and so is half a line at either end.
/// Of a file whose name ends in `.json`, which is one document, all is read, at most 16 MiB. Which host wrote a record is seen from its
/// shape. Records that are damaged, longer than 1 MiB or of an unknown shape are left out. The directory of the session is not looked
/// at: the caller was told the path by the host.
///
/// # Errors
///
/// `InvalidInput` for what is no ordinary file of the user; whatever else the system says of opening and reading it.
pub fn last_answer(path: &Path, bytes_most: u64) -> io::Result<Option<LastAnswer>> {
    let TranscriptEnd { answer, question, .. } = read_end(path, bytes_most)?;
    Ok(answer.map(|text| LastAnswer { question, text }))
}

/// What was said last in the transcript at `path`, the last turn last. Reads as [`last_answer`] does.
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
            // The first one begins in the middle.
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
    // The byte before tells nothing but whether the first line is whole, and a line too few does no harm.
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
    /// What the assistant said last, as long as nothing follows.
    answer: Option<String>,
    /// Digest of what the user said last.
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
            // Results of tools stand in the user's name and say nothing.
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

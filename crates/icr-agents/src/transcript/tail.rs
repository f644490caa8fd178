//! The end of one transcript.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::host::HOSTS;
use super::record::Record;
use super::session_file::open_own_file;
use super::session_reader::turn;
use super::{RECORD_BYTES_MOST, Speaker, Turn};

/// Largest file that is one document and read for its end, in bytes: its end means nothing without its beginning.
const DOCUMENT_BYTES_MOST: u64 = 16 << 20;

/// The text of the assistant that ends the transcript at `path`; `None` where the user, or nobody, said the last words that are not of a sidechain.
/// Reads as [`last_turns`] does.
///
/// # Errors
///
/// Those of [`last_turns`].
pub fn last_answer(path: &Path, bytes_most: u64) -> io::Result<Option<String>> {
    let last = last_turns(path, bytes_most)?.into_iter().rfind(|turn| !turn.is_sidechain);
    Ok(last.filter(|turn| turn.speaker == Speaker::Assistant).map(|turn| turn.text))
}

/// What was said last in the transcript at `path`, the last turn last.
///
/// Reads the last `bytes_most` bytes, however large the file is; turns that begin before are left out, and so is half a line at either end.
/// Of a file whose name ends in `.json`, which is one document, all is read, at most 16 MiB. Which host wrote a record is seen from its
/// shape. Records that are damaged, longer than 1 MiB or of an unknown shape are left out. The directory of the session is not looked
/// at: the caller was told the path by the host.
///
/// # Errors
///
/// `InvalidInput` for what is no ordinary file of the user; whatever else the system says of opening and reading it.
pub(super) fn last_turns(path: &Path, bytes_most: u64) -> io::Result<Vec<Turn>> {
    let mut file = open_own_file(path)?;
    let is_document = path.extension().is_some_and(|extension| extension == "json");
    let mut said = Said::default();
    if is_document {
        let mut bytes = Vec::new();
        file.take(DOCUMENT_BYTES_MOST).read_to_end(&mut bytes)?;
        said.document(&bytes);
    } else {
        let (bytes, is_whole) = last_bytes(&mut file, bytes_most)?;
        let mut lines = bytes.split(|byte| *byte == b'\n');
        if !is_whole {
            // The first one begins in the middle.
            lines.next();
        }
        lines.for_each(|line| said.line(line));
    }
    Ok(said.turns.into_iter().map(|(_, turn)| turn).collect())
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

/// Turns with the ids of their records.
#[derive(Default)]
struct Said {
    turns: Vec<(Option<String>, Turn)>,
}

impl Said {
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
        let Some(Record { id, time, is_sidechain, said: Some((speaker, text)), .. }) =
            records.into_iter().find(|record| record.said.is_some())
        else {
            return;
        };
        let Some(turn) = turn(speaker, &text, time, is_sidechain) else { return };
        match self.turns.iter_mut().rev().find(|(earlier, _)| id.is_some() && *earlier == id) {
            Some((_, earlier)) => *earlier = turn,
            None => self.turns.push((id, turn)),
        }
    }
}

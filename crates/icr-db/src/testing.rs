//! Views written as text, for tests.

use std::sync::Arc;

use icr_lang::{ChunkLimits, Extractor, language_of};
use icr_model::{BlobId, RepoPath};

use crate::answers::{Occurrence, Referring};
use crate::memory::{MemoryFile, MemorySource};
use crate::source::ViewBlob;

/// A file that refers to something, as `path lines share`. The share is left out where it is 1; if it is not the same
/// on all lines, each line has its own.
pub(crate) fn format_place(referring: &Referring) -> String {
    let share = |share: f64, before: &str| if share < 1.0 { format!("{before}{share:.2}") } else { String::new() };
    let found = &referring.occurrences;
    let is_one = found.iter().all(|occurrence| occurrence.share == found[0].share);
    let line = |occurrence: &Occurrence| match is_one {
        true => occurrence.line.to_string(),
        false => format!("{}{}", occurrence.line, share(occurrence.share, ":")),
    };
    let lines: Vec<String> = found.iter().map(line).collect();
    let of_all = if is_one { share(referring.share(), " ") } else { String::new() };
    format!("{} {}{of_all}", referring.path, lines.join(","))
}

/// The view of the files that follow lines `//- path`.
pub(crate) fn view_of(text: &str) -> MemorySource {
    let mut files: Vec<(RepoPath, String)> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("//- ") {
            Some(path) => files.push((RepoPath::new(path.trim().as_bytes()), String::new())),
            None => {
                let (_, text) = files.last_mut().expect("a fixture begins with the path of a file");
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    view_of_files(files)
}

/// The view of files by their paths, with any content.
pub(crate) fn view_of_files(files: impl IntoIterator<Item = (RepoPath, String)>) -> MemorySource {
    let mut extractor = Extractor::new(ChunkLimits::default());
    MemorySource::new(files.into_iter().map(|(path, text)| {
        let language = language_of(&path);
        let facts = extractor.extract(language, text.as_bytes()).facts;
        let content = ViewBlob { blob_id: id_of(text.as_bytes()), language };
        (path, MemoryFile { content, text: Arc::from(text.into_bytes()), facts: Arc::new(facts) })
    }))
}

/// An id that depends only on the bytes.
fn id_of(bytes: &[u8]) -> BlobId {
    let mut id = [0_u8; 20];
    id[..4].copy_from_slice(&(bytes.len() as u32).to_be_bytes());
    for (at, byte) in bytes.iter().enumerate() {
        let cell = &mut id[at % 20];
        *cell = cell.wrapping_mul(31).wrapping_add(*byte).wrapping_add(at as u8);
    }
    BlobId::from_bytes(&id).expect("twenty bytes are an id")
}

/// A fixture: files, then sections that begin with a line `--- name` and hold what is expected of them.
pub(crate) struct Fixture {
    pub(crate) source: Arc<MemorySource>,
    /// The files as written.
    pub(crate) files: String,
    /// Everything from the first section on.
    pub(crate) expected: String,
}

impl Fixture {
    pub(crate) fn new(text: &str) -> Self {
        let cut = text.find("\n--- ").map_or(text.len(), |at| at + 1);
        let files = text[..cut].to_owned();
        Self { source: Arc::new(view_of(&files)), files, expected: text[cut..].to_owned() }
    }
}

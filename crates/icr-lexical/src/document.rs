//! Documents: a chunk or a path as the caller describes it, and the postings made from it.

use icr_model::{BlobNo, ChunkNo, FieldCounts, PathNo, RepoPath};
use tantivy::TantivyDocument;

use crate::schema::{Fields, SEPARATOR};
use icr_words::{cut, lower_case, tokens};

/// Longest import key or defined name in bytes; longer ones are truncated, both in documents and in queries. tantivy
/// accepts terms up to 64 KiB; names that people write are far shorter.
const KEY_BYTES: usize = 512;

/// A chunk to index. All texts are bytes of the chunk's blob; bytes that are not UTF-8 separate words.
#[derive(Debug, Clone)]
pub struct ChunkDocument<'a> {
    /// Number of the chunk; never given to another chunk.
    pub chunk_no: ChunkNo,
    /// Number of the blob that contains it; chunks are deleted by blob.
    pub blob_no: BlobNo,
    /// The chunk's bytes, comments included.
    pub body: &'a [u8],
    /// Names of the definitions that begin in the chunk, as written.
    pub definitions: Vec<&'a str>,
    /// Its comments and docstrings; they are also part of the body.
    pub docs: Vec<&'a [u8]>,
    /// Import keys that it requires.
    pub requires: Vec<String>,
    /// Import keys that it provides.
    pub provides: Vec<String>,
}

impl ChunkDocument<'_> {
    /// A chunk with empty fields.
    pub fn new(chunk_no: ChunkNo, blob_no: BlobNo) -> Self {
        Self {
            chunk_no,
            blob_no,
            body: b"",
            definitions: Vec::new(),
            docs: Vec::new(),
            requires: Vec::new(),
            provides: Vec::new(),
        }
    }
}

/// A path to index.
#[derive(Debug, Clone, Copy)]
pub struct PathDocument<'a> {
    /// Number of the path; never given to another path.
    pub path_no: PathNo,
    /// The path.
    pub path: &'a RepoPath,
}

/// The postings of one chunk, ready to be added to an index.
///
/// Making them is the costly and pure part of indexing; it may run on any thread.
#[derive(Debug, Clone)]
pub struct PreparedChunk {
    chunk_no: ChunkNo,
    blob_no: BlobNo,
    body: FieldTokens,
    def: FieldTokens,
    doc: FieldTokens,
    name: FieldTokens,
    requires: FieldTokens,
    provides: FieldTokens,
}

impl PreparedChunk {
    /// Tokenizes `document`. Takes memory of about twice the body.
    pub fn new(document: &ChunkDocument<'_>) -> Self {
        let names = document.definitions.iter().map(|name| name_term(name));
        Self {
            chunk_no: document.chunk_no,
            blob_no: document.blob_no,
            body: FieldTokens::tokens_of([document.body]),
            def: FieldTokens::tokens_of(document.definitions.iter().map(|name| name.as_bytes())),
            doc: FieldTokens::tokens_of(document.docs.iter().copied()),
            name: FieldTokens::keys(names),
            requires: FieldTokens::keys(document.requires.iter().map(|key| key_term(key))),
            provides: FieldTokens::keys(document.provides.iter().map(|key| key_term(key))),
        }
    }

    /// Number of tokens of the chunk in each scored field.
    pub fn tokens(&self) -> FieldCounts {
        let [body, definitions, comments] = [&self.body, &self.def, &self.doc].map(|joined| u64::from(joined.count));
        FieldCounts { body, definitions, comments }
    }

    pub(crate) fn into_tantivy(self, fields: &Fields) -> TantivyDocument {
        let mut document = TantivyDocument::default();
        document.add_u64(fields.chunk_no, u64::from(self.chunk_no.0));
        document.add_u64(fields.blob_no, u64::from(self.blob_no.0));
        for (field, joined) in [
            (fields.body, self.body),
            (fields.def, self.def),
            (fields.doc, self.doc),
            (fields.name, self.name),
            (fields.requires, self.requires),
            (fields.provides, self.provides),
        ] {
            if joined.count > 0 {
                document.add_text(field, joined.text);
            }
        }
        document
    }
}

/// The postings of one path, ready to be added to an index.
#[derive(Debug, Clone)]
pub struct PreparedPath {
    path_no: PathNo,
    path: FieldTokens,
}

impl PreparedPath {
    /// Tokenizes `document`.
    pub fn new(document: &PathDocument<'_>) -> Self {
        Self { path_no: document.path_no, path: FieldTokens::tokens_of([document.path.as_bytes()]) }
    }

    /// Number of tokens of the path.
    pub fn tokens(&self) -> u32 {
        self.path.count
    }

    pub(crate) fn into_tantivy(self, fields: &Fields) -> TantivyDocument {
        let mut document = TantivyDocument::default();
        document.add_u64(fields.path_no, u64::from(self.path_no.0));
        if self.path.count > 0 {
            document.add_text(fields.path, self.path.text);
        }
        document
    }
}

/// The term that stands for an import key.
pub(crate) fn key_term(key: &str) -> String {
    cut(key, KEY_BYTES).replace([SEPARATOR, '\0'], " ")
}

/// The term of a defined name: its lower case, then a NUL, then the name as written if that differs.
pub(crate) fn name_term(name: &str) -> String {
    let name = key_term(name);
    let mut term = lower_case(&name);
    let same = term == name;
    term.push('\0');
    if !same {
        term.push_str(&name);
    }
    term
}

/// The name of `term` in lower case and as written.
pub(crate) fn name_of_term(term: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(0, term)?;
    let (lower, written) = (&term[..end], &term[end + 1..]);
    Some((lower, if written.is_empty() { lower } else { written }))
}

/// The tokens of one field, each followed by a separator, and their number.
#[derive(Debug, Clone, Default)]
struct FieldTokens {
    text: String,
    count: u32,
}

impl FieldTokens {
    fn tokens_of<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut joined = Self::default();
        for text in texts {
            // Code gives about 1.3 bytes of tokens for a byte of text.
            joined.text.reserve(text.len() + text.len() / 2);
            tokens(text, &mut |token| joined.push(token));
        }
        joined
    }

    fn keys(keys: impl Iterator<Item = String>) -> Self {
        let mut keys: Vec<String> = keys.filter(|key| !key.is_empty()).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut joined = Self::default();
        keys.iter().for_each(|key| joined.push(key));
        joined
    }

    fn push(&mut self, token: &str) {
        self.text.push_str(token);
        self.text.push(SEPARATOR);
        self.count = self.count.saturating_add(1);
    }
}

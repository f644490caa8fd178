//! Fields of the index, and digests of everything that determines their content.

use icr_model::{Recipe, RecipeBuilder};
use tantivy::schema::{Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer, TokenizerManager};

/// Digest of everything that determines the postings of a text besides its bytes: the code of the tokenizer, of the
/// documents, of import keys and of the fields, the Unicode version for letters and lower case, and tantivy's version.
pub fn recipe() -> Recipe {
    let (major, minor, update) = char::UNICODE_VERSION;
    RecipeBuilder::default()
        .with("code", env!("ICR_POSTINGS_CODE").as_bytes())
        .with("unicode", &[major, minor, update])
        .with("tantivy", tantivy::version_string().as_bytes())
        .build()
}

/// Everything that determines the format of the index files: fields, their options, and tantivy's version. Part of a
/// store's format, so that stores of two formats have separate directories.
pub fn format() -> String {
    let (schema, _) = schema();
    format!("{} {:?}", tantivy::version_string(), schema.fields().collect::<Vec<_>>())
}

/// Separates the tokens of one field value. This crate tokenizes before tantivy does, so that the counted tokens are
/// the indexed ones; no token contains this control character.
pub(crate) const SEPARATOR: char = '\x1f';

/// Name of [`SeparatorTokenizer`] in the index files.
const TOKENIZER: &str = "joined";

/// Handles of the fields of [`schema`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// Tokens of the whole chunk.
    pub(crate) body: Field,
    /// Tokens of the names defined in the chunk.
    pub(crate) def: Field,
    /// Tokens of its comments and docstrings.
    pub(crate) doc: Field,
    /// Names defined in the chunk, lower case first, so that a case-insensitive look-up is a range.
    pub(crate) name: Field,
    /// Import keys that the chunk requires.
    pub(crate) requires: Field,
    /// Import keys that the chunk provides.
    pub(crate) provides: Field,
    /// Tokens of a path; in path documents only.
    pub(crate) path: Field,
    /// Number of the chunk; in chunk documents only.
    pub(crate) chunk_no: Field,
    /// Number of its blob; in chunk documents only.
    pub(crate) blob_no: Field,
    /// Number of the path; in path documents only.
    pub(crate) path_no: Field,
}

/// Names of the columns that hold document numbers.
pub(crate) const CHUNK_NO: &str = "chunk_no";
pub(crate) const BLOB_NO: &str = "blob_no";
pub(crate) const PATH_NO: &str = "path_no";

/// The fields and their handles.
pub(crate) fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let scored = text(IndexRecordOption::WithFreqs, true);
    let exact = text(IndexRecordOption::Basic, false);
    let column = NumericOptions::default().set_fast();
    let fields = Fields {
        body: builder.add_text_field("body", scored.clone()),
        def: builder.add_text_field("def", scored.clone()),
        doc: builder.add_text_field("doc", scored.clone()),
        name: builder.add_text_field("name", exact.clone()),
        requires: builder.add_text_field("requires", exact.clone()),
        provides: builder.add_text_field("provides", exact),
        path: builder.add_text_field("path", scored),
        chunk_no: builder.add_u64_field(CHUNK_NO, column.clone()),
        // Also indexed, since documents are deleted by blob.
        blob_no: builder.add_u64_field(BLOB_NO, column.clone().set_indexed()),
        path_no: builder.add_u64_field(PATH_NO, column),
    };
    (builder.build(), fields)
}

fn text(record: IndexRecordOption, lengths: bool) -> TextOptions {
    let indexing = TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(record);
    TextOptions::default().set_indexing_options(indexing.set_fieldnorms(lengths))
}

/// tantivy's tokenizers, and the one for field values of this crate.
pub(crate) fn tokenizers() -> TokenizerManager {
    let tokenizers = TokenizerManager::default();
    tokenizers.register(TOKENIZER, SeparatorTokenizer::default());
    tokenizers
}

/// Splits a field value at [`SEPARATOR`].
#[derive(Clone, Default)]
struct SeparatorTokenizer {
    token: Token,
}

impl Tokenizer for SeparatorTokenizer {
    type TokenStream<'a> = JoinedTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> JoinedTokens<'a> {
        self.token.reset();
        JoinedTokens { rest: text, token: &mut self.token }
    }
}

struct JoinedTokens<'a> {
    rest: &'a str,
    token: &'a mut Token,
}

impl TokenStream for JoinedTokens<'_> {
    fn advance(&mut self) -> bool {
        if self.rest.is_empty() {
            return false;
        }
        let end = memchr::memchr(SEPARATOR as u8, self.rest.as_bytes()).unwrap_or(self.rest.len());
        self.token.text.clear();
        self.token.text.push_str(&self.rest[..end]);
        // Positions are not stored.
        self.token.position = 0;
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

//! The evidence about each candidate before candidates are compared.

use icr_model::{RepoPath, SymbolKind};

use crate::FileKind;

/// The evidence about one chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChunkEvidence {
    /// Its place among the chunks of its file.
    pub ordinal: u32,
    /// BM25 sums over the fields body, definitions and comments; not negative.
    pub fields: [f64; 3],
    /// Bit `i` is set when the chunk has term `i` of the query.
    pub matched: u64,
    /// Cosine of its vector and the query's; `None` where there is no vector.
    pub cosine: Option<f64>,
    /// The most important definition in it whose name is an identifier of the query.
    pub defined: Option<DefinitionEvidence>,
    /// Whether it defines a contract.
    pub is_contract: bool,
}

impl ChunkEvidence {
    /// A chunk without any evidence.
    pub fn new(ordinal: u32) -> Self {
        Self { ordinal, fields: [0.0; 3], matched: 0, cosine: None, defined: None, is_contract: false }
    }
}

/// A definition whose name is an identifier of the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefinitionEvidence {
    /// Kind of the definition.
    pub kind: SymbolKind,
    /// Whether the query spells the name with the same upper and lower case.
    pub as_written: bool,
}

impl DefinitionEvidence {
    /// How much the definition counts, in `0.0..=1.0`.
    ///
    /// A bare name usually asks for a type or a free function, and seldom for a field or a local variable of that name.
    pub fn value(self) -> f64 {
        use SymbolKind::*;
        let kind = match self.kind {
            Class | Struct | Enum | Interface | Trait => 1.0,
            Type => 0.9,
            Function | Macro => 0.8,
            Module => 0.7,
            Method | Constant => 0.5,
            Implementation => 0.4,
            Variable | Variant => 0.3,
            Field | Section => 0.2,
            Key => 0.1,
        };
        if self.as_written { kind } else { kind / 2.0 }
    }
}

/// The match between a file's name and the query. The name is the stem, or the directory's name for a stem such as
/// `mod` or `index`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NameMatch {
    /// Words of the name.
    pub words: u32,
    /// Number of these words that are terms of the query.
    pub words_matched: u32,
    /// Bit `i` is set when the name has term `i` of the query.
    pub terms_matched: u64,
}

/// The evidence about one file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileEvidence {
    /// Its path.
    pub path: RepoPath,
    /// What the file is, if its path says that it is no code of the project.
    pub kind: Option<FileKind>,
    /// Its chunks for which there is evidence, in any order.
    pub chunks: Vec<ChunkEvidence>,
    /// Lines of the file.
    pub lines_total: u32,
    /// BM25 of its path; not negative.
    pub path_score: f64,
    /// The match between its name and the query.
    pub name: NameMatch,
    /// How surely the query names this file by its path, in `0.0..=1.0`; `None` when it names no file of the view.
    pub mentioned: Option<f64>,
    /// Cosine of the query's vector and that of the whole file with its path; `None` where there is no vector.
    pub similarity: Option<f64>,
    /// Cosine of the query's vector and the vector of the whole file, by the transformer behind the built-in model;
    /// `None` if the transformer has not embedded most of the file.
    pub model_similarity: Option<f64>,
    /// Cosine of the query's vector and the vector of the file's nearest chunk, by the transformer behind the built-in
    /// model; `None` if the transformer has not embedded most of the file.
    pub model_nearest: Option<f64>,
    /// Whether a transformer score is only estimated, by [`crate::expect_of_unread`].
    pub is_model_expected: bool,
    /// BM25 over the messages of past commits that touched it; not negative.
    pub history_score: f64,
    /// `exp(-age / τ)` of its last change, in `0.0..=1.0`; 0 when unknown.
    pub recency: f64,
    /// Whether it is below a path that the user works on.
    pub in_focus: bool,
    /// Whether the user pinned the file.
    pub is_pinned: bool,
}

impl FileEvidence {
    /// A file without any evidence except its path and the kind that the path tells: [`FileKind::of`].
    pub fn new(path: RepoPath, kind: Option<FileKind>) -> Self {
        Self {
            path,
            kind,
            chunks: Vec::new(),
            lines_total: 0,
            path_score: 0.0,
            name: NameMatch::default(),
            mentioned: None,
            similarity: None,
            model_similarity: None,
            model_nearest: None,
            is_model_expected: false,
            history_score: 0.0,
            recency: 0.0,
            in_focus: false,
            is_pinned: false,
        }
    }
}

/// One score for the words of a chunk, from its BM25 sums over body, definitions and comments. Names count a second
/// time here, because in the body they are only a few words among many.
pub fn chunk_text(fields: &[f64; 3]) -> f64 {
    fields[0] + 0.6 * fields[1] + 0.3 * fields[2]
}

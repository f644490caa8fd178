//! Converts texts to the token ids that a model reads.

use std::path::Path;

use crate::{Error, Splitting, WordCache, WordPiece};

/// A model's pieces and its special pieces.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    word_piece: WordPiece,
    /// `[CLS]`, before every text.
    begin: u32,
    /// `[SEP]`, after it.
    end: u32,
    /// `[UNK]`, for words that no pieces make up.
    unknown: u32,
}

impl Vocabulary {
    /// Model tokens that are not text: one before, one after.
    pub(crate) const MARKERS: usize = 2;

    /// Reads a file with a piece a line.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if it cannot be read, is not UTF-8, or is not a BERT vocabulary.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let wrong = |reason: String| Error::model(path, reason);
        let text = std::fs::read_to_string(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        Self::parse(&text).map_err(wrong)
    }

    /// Reads a text with one piece a line.
    ///
    /// # Errors
    ///
    /// What is wrong: two equal pieces, or a missing marker.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let word_piece = WordPiece::from_vocabulary(text.lines()).map_err(|error| error.to_string())?;
        let marker =
            |piece: &str| word_piece.id(piece).ok_or_else(|| format!("has no piece `{piece}`, as BERT's have"));
        let (begin, end, unknown) = (marker("[CLS]")?, marker("[SEP]")?, marker("[UNK]")?);
        Ok(Self { word_piece, begin, end, unknown })
    }

    pub(crate) fn pieces_total(&self) -> usize {
        self.word_piece.pieces_total()
    }

    /// The pieces of a text, without markers.
    pub(crate) fn pieces_of(&self, text: &str) -> Vec<u32> {
        self.word_piece.encode(text)
    }

    /// The piece ids of several texts. Words that occurred before are cached.
    pub(crate) fn pieces_of_all(&self, texts: &[&str]) -> impl Iterator<Item = Vec<u32>> {
        let mut cache = WordCache::default();
        texts.iter().map(move |text| {
            let mut pieces = Vec::new();
            self.word_piece.encode_into(text, Splitting::Prose, &mut cache, &mut pieces);
            pieces
        })
    }

    /// Whether all pieces are unknown.
    pub(crate) fn says_nothing(&self, pieces: &[u32]) -> bool {
        pieces.iter().all(|piece| *piece == self.unknown)
    }

    /// The input of the model: `[CLS]`, `prefix`, `pieces`, `[SEP]`.
    pub(crate) fn with_markers(&self, prefix: &[u32], pieces: &[u32]) -> Vec<i64> {
        let ids = [&[self.begin][..], prefix, pieces, &[self.end]];
        ids.concat().into_iter().map(i64::from).collect()
    }
}

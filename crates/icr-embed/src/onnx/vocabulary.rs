//! From a text to the numbers that a model reads.

use std::path::Path;

use crate::{Error, Splitting, WordCache, WordPiece};

/// A model's pieces, and those with a meaning of their own.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    word_piece: WordPiece,
    /// `[CLS]`, before every text.
    begin: u32,
    /// `[SEP]`, after it.
    end: u32,
    /// `[UNK]`, for what has no pieces.
    unknown: u32,
}

impl Vocabulary {
    /// Model tokens that are not text: one before, one after.
    pub(crate) const MARKERS: usize = 2;

    /// Reads a file with a piece a line.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] when it cannot be read, is not UTF-8, or is no vocabulary of BERT's kind.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let wrong = |reason: String| Error::model(path, reason);
        let text = std::fs::read_to_string(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        Self::parse(&text).map_err(wrong)
    }

    /// Reads a piece a line.
    ///
    /// # Errors
    ///
    /// What is wrong: two equal pieces, or a marker that is absent.
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

    /// The pieces of several texts; words that were seen before cost nothing.
    pub(crate) fn pieces_of_all(&self, texts: &[&str]) -> impl Iterator<Item = Vec<u32>> {
        let mut cache = WordCache::default();
        texts.iter().map(move |text| {
            let mut pieces = Vec::new();
            self.word_piece.encode_into(text, Splitting::Prose, &mut cache, &mut pieces);
            pieces
        })
    }

    /// Whether no piece stands for anything that the model knows.
    pub(crate) fn says_nothing(&self, pieces: &[u32]) -> bool {
        pieces.iter().all(|piece| *piece == self.unknown)
    }

    /// What the model reads: the marker of the beginning, `prefix`, `pieces`, the marker of the end.
    pub(crate) fn with_markers(&self, prefix: &[u32], pieces: &[u32]) -> Vec<i64> {
        let ids = [&[self.begin][..], prefix, pieces, &[self.end]];
        ids.concat().into_iter().map(i64::from).collect()
    }
}

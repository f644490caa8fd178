//! The vocabulary of a sentence-transformers directory: `vocab.txt`, or what `tokenizer.json` has in it.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;

use super::config::{SourceConfig, read_optional};
use crate::Error;
use crate::onnx::vocabulary::Vocabulary;

/// Prefix of a piece that continues a word, in BERT's tokeniser.
const CONTINUES: &str = "##";

/// Reads the pieces of `directory`, one a line. The id of a piece is its line number, counted from 0.
///
/// # Errors
///
/// [`Error::Model`] if neither file is there, or one is invalid. Valid is an uncased WordPiece vocabulary that has one
/// piece for each id and no more pieces than the model's word table has rows.
pub(super) fn read(directory: &Path, config: &SourceConfig) -> Result<String, Error> {
    let json_path = directory.join("tokenizer.json");
    let text_path = directory.join("vocab.txt");
    let (path, lines) = match read_optional::<TokenizerFile>(&json_path)? {
        Some(tokenizer) => {
            let pieces = pieces_of(tokenizer, config).map_err(|reason| Error::model(&json_path, reason))?;
            (json_path, as_lines(pieces.iter().map(String::as_str)))
        }
        None if text_path.exists() => {
            if !config.lower_case {
                let path = directory.join("tokenizer_config.json");
                return Err(Error::model(&path, "`do_lower_case` is false; uncased models are supported"));
            }
            let text = std::fs::read_to_string(&text_path)
                .map_err(|error| Error::model(&text_path, format!("cannot be read: {error}")))?;
            // Line ends are normalised, so that equal vocabularies give equal files.
            (text_path, as_lines(text.lines()))
        }
        None => {
            let reason = "is missing, and so is vocab.txt; a sentence-transformers directory has one of them";
            return Err(Error::model(&json_path, reason));
        }
    };
    let vocabulary = Vocabulary::parse(&lines).map_err(|reason| Error::model(&path, reason))?;
    let (found, most) = (vocabulary.pieces_total(), config.shape.vocabulary);
    match found <= most {
        true => Ok(lines),
        false => Err(Error::model(&path, format!("has {found} pieces; by config.json the model has at most {most}"))),
    }
}

fn as_lines<'pieces>(pieces: impl Iterator<Item = &'pieces str>) -> String {
    pieces.flat_map(|piece| [piece, "\n"]).collect()
}

#[derive(Deserialize)]
struct TokenizerFile {
    normalizer: Option<Normalizer>,
    model: TokenizerModel,
}

#[derive(Deserialize)]
struct Normalizer {
    r#type: String,
    lowercase: Option<bool>,
    strip_accents: Option<bool>,
}

#[derive(Deserialize)]
struct TokenizerModel {
    /// Absent in files of the first years.
    r#type: Option<String>,
    continuing_subword_prefix: Option<String>,
    vocab: serde_json::Value,
}

fn pieces_of(tokenizer: TokenizerFile, config: &SourceConfig) -> Result<Vec<String>, String> {
    let TokenizerModel { r#type, continuing_subword_prefix, vocab } = tokenizer.model;
    if let Some(found) = r#type.filter(|found| found != "WordPiece") {
        return Err(format!("its model is `{found}`; `WordPiece` is supported, which models of the BERT family have"));
    }
    if let Some(found) = continuing_subword_prefix.filter(|found| found != CONTINUES) {
        return Err(format!("`continuing_subword_prefix` is `{found}`; `{CONTINUES}` is supported"));
    }
    let (kind, lower_case, strips_accents) = match tokenizer.normalizer {
        Some(normalizer) => {
            let lower_case = normalizer.lowercase.unwrap_or(true);
            (normalizer.r#type, lower_case, normalizer.strip_accents.unwrap_or(lower_case))
        }
        None => ("none".to_owned(), config.lower_case, config.lower_case),
    };
    if kind != "BertNormalizer" {
        return Err(format!("its normalizer is `{kind}`; `BertNormalizer` is supported"));
    }
    if !lower_case || !strips_accents {
        return Err("its normalizer keeps capitals or accents; uncased models are supported".to_owned());
    }
    let ids: HashMap<String, usize> = serde_json::from_value(vocab)
        .map_err(|error| format!("its vocabulary should be an object of pieces and their ids: {error}"))?;
    in_order(ids)
}

fn in_order(ids: HashMap<String, usize>) -> Result<Vec<String>, String> {
    let total = ids.len();
    let mut pieces = vec![None; total];
    for (piece, id) in ids {
        if piece.is_empty() || piece.contains(['\n', '\r']) {
            return Err(format!("the piece `{}` is empty or has a line break", piece.escape_debug()));
        }
        match pieces.get_mut(id) {
            Some(place @ None) => *place = Some(piece),
            Some(Some(other)) => return Err(format!("`{piece}` and `{other}` have the id {id}; each has its own")),
            None => return Err(format!("`{piece}` has the id {id}; with {total} pieces ids end at {}", total - 1)),
        }
    }
    Ok(pieces.into_iter().flatten().collect())
}

//! Both sides of every changed file, read, and which definitions differ between them.

use std::rc::Rc;

use icr_impact::patch::{LineChanges, changed_lines};
use icr_impact::symbols::{FileSides, Side};
use icr_impact::{ChangedFile, Status};
use icr_model::{Content, Facts, RepoPath, Shape};

use crate::change::sides::{Change, FilePair};
use crate::{Error, Snapshot};

/// Most changed files whose definitions are compared: more than anybody reviews, and each is parsed twice.
const COMPARED: usize = 2_000;

/// Both sides of every file of a change, as far as they can be read.
pub(crate) struct Texts {
    files: Vec<(Option<TextSide>, Option<TextSide>)>,
    /// By file, why it was not looked into.
    opaque: Vec<Option<String>>,
}

/// One side of a file.
struct TextSide {
    path: RepoPath,
    facts: Rc<Facts>,
    text: Vec<u8>,
    shapes: Vec<Shape>,
    token_digest: Option<u64>,
}

impl Texts {
    /// Reads them. Cost: for each file that differs, both texts are parsed once more than they were for the index, since what a
    /// signature promises is not stored.
    pub(crate) fn read(change: &Change<'_>) -> Result<Self, Error> {
        let mut texts = Self { files: Vec::with_capacity(change.files.len()), opaque: Vec::new() };
        for (at, file) in change.files.iter().enumerate() {
            let opaque = match file.opaque {
                _ if at >= COMPARED => Some(format!("only the first {COMPARED} files of a change are compared")),
                Some(why) => Some(why.to_owned()),
                None => None,
            };
            if opaque.is_some() {
                texts.files.push((None, None));
                texts.opaque.push(opaque);
                continue;
            }
            let mut why = None;
            let mut side = |view: &Snapshot, path: &Option<RepoPath>| match path {
                Some(path) => read_side(view, path, &mut why),
                None => Ok(None),
            };
            let (old, new) = (side(&change.old, &file.old)?, side(&change.new, &file.new)?);
            let has_no_grammar = [&old, &new].into_iter().flatten().any(|side| side.facts.language == icr_lang::TEXT);
            texts.opaque.push(why.or_else(|| has_no_grammar.then(|| "icr has no grammar for it".to_owned())));
            texts.files.push((old, new));
        }
        Ok(texts)
    }

    /// The sides, for comparing.
    pub(crate) fn sides(&self) -> Vec<FileSides<'_>> {
        self.files
            .iter()
            .map(|(old, new)| FileSides {
                old: old.as_ref().map(TextSide::borrowed),
                new: new.as_ref().map(TextSide::borrowed),
            })
            .collect()
    }

    /// What a signature of a side promises.
    pub(crate) fn shape(&self, file: usize, is_old: bool, symbol: u32) -> Shape {
        let side = if is_old { &self.files[file].0 } else { &self.files[file].1 };
        side.as_ref().and_then(|side| side.shapes.get(symbol as usize)).cloned().unwrap_or_default()
    }

    /// The rows of the answer, in the order of the change's files. Of `whole_files` everything counts as changed.
    pub(crate) fn rows(&self, files: &[FilePair], whole_files: bool) -> Vec<ChangedFile> {
        let rows = files.iter().zip(&self.files).zip(&self.opaque);
        rows.map(|((file, (old, new)), opaque)| {
            let text = |side: &Option<TextSide>| side.as_ref().map(|side| side.text.clone()).unwrap_or_default();
            let LineChanges { added, removed } = changed_lines(&text(old), &text(new));
            let language = new
                .as_ref()
                .or(old.as_ref())
                .map_or_else(|| icr_lang::language_of(file.path()).to_owned(), |side| side.facts.language.clone());
            ChangedFile {
                path: file.path().to_string(),
                status: file.status,
                old_path: file.old.as_ref().filter(|old| *old != file.path()).map(ToString::to_string),
                language,
                lines_added: added,
                lines_removed: removed,
                cosmetic: !whole_files && is_cosmetic(file, old.as_ref(), new.as_ref()),
                opaque: opaque.clone(),
            }
        })
        .collect()
    }
}

impl TextSide {
    fn borrowed(&self) -> Side<'_> {
        Side {
            path: &self.path,
            facts: &self.facts,
            text: &self.text,
            shapes: &self.shapes,
            token_digest: self.token_digest,
        }
    }
}

/// Whether a file says the same as before to whoever runs it.
fn is_cosmetic(file: &FilePair, old: Option<&TextSide>, new: Option<&TextSide>) -> bool {
    let (Some(old), Some(new)) = (old, new) else { return false };
    let same_tokens = old.token_digest.is_some() && old.token_digest == new.token_digest;
    file.status == Status::Modified && (same_tokens || old.text == new.text)
}

/// A side of a file; nothing, and why, for what has no text to compare.
fn read_side(view: &Snapshot, path: &RepoPath, why: &mut Option<String>) -> Result<Option<TextSide>, Error> {
    let Some(file) = view.file(path)? else {
        why.get_or_insert_with(|| "it is left out of the index".to_owned());
        return Ok(None);
    };
    match file.row.content {
        Content::Text => {}
        Content::Binary => {
            why.get_or_insert_with(|| "binary".to_owned());
            return Ok(None);
        }
        Content::Oversize => {
            why.get_or_insert_with(|| "too large".to_owned());
            return Ok(None);
        }
    }
    let facts = view.facts(file.row.blob_no)?;
    let mut text = Vec::new();
    view.texts().read(&file.row, &mut text)?;
    let shapes = icr_lang::shapes(&facts.language, &text, &facts);
    let token_digest = icr_lang::token_digest(&facts.language, &text);
    Ok(Some(TextSide { path: path.clone(), facts, text, shapes, token_digest }))
}

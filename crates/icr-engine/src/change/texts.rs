//! Reads both sides of every changed file and finds the definitions that differ.

use std::sync::Arc;

use icr_impact::patch::{LineChanges, changed_lines};
use icr_impact::symbols::{FileSide, FileSides};
use icr_impact::{ChangedFile, FileStatus, Incomplete};
use icr_lang::ComparedText;
use icr_model::{ContentKind, Facts, RepoPath, Shape, Span};
use rayon::prelude::*;

use crate::change::incomplete::{Opaque, ParsedSide, absence, unparsed, without_grammar};
use crate::change::rules::{altered_rule_files, left_out};
use crate::change::rust_tests::has_other_doc_tests;
use crate::change::sides::{FilePair, ViewChange};
use crate::{Error, Snapshot};

/// Most changed files whose definitions are compared: more than anybody reviews, and each file is parsed twice.
const COMPARED: usize = 2_000;

/// Most bytes of both sides, and most definitions in them, that are compared. All of them stay in memory until the
/// answer is complete; a changed definition takes about 4 kB for both sides. [`COMPARED`] files of a usual size stay
/// below these bounds.
const COMPARED_BYTES: usize = 64 << 20;
const COMPARED_DEFINITIONS: usize = 120_000;

/// Both sides of every file of a change, as far as they are readable.
pub(crate) struct Texts {
    files: Vec<BothSides>,
    /// For each file, why it was not examined.
    opaque: Vec<Option<String>>,
    /// Files that were not examined, or not in full, by path.
    pub(crate) incomplete: Vec<Incomplete>,
}

/// Texts before and after a change.
type BothSides = (Option<TextSide>, Option<TextSide>);

/// One side of a file, as read.
struct SideText {
    path: RepoPath,
    facts: Arc<Facts>,
    text: Vec<u8>,
}

/// One side of a file, parsed.
struct TextSide {
    path: RepoPath,
    facts: Arc<Facts>,
    text: Vec<u8>,
    shapes: Vec<Shape>,
    token_digest: Option<u64>,
    /// Whether it parses without errors.
    is_sound: bool,
    /// As [`ComparedText::lost_definitions`].
    lost_definitions: Vec<Span>,
}

impl Texts {
    /// Reads and parses the files on all threads. Cost: each file that differs is parsed twice, for its old and new
    /// text, because the index does not store the contracts of signatures.
    pub(crate) fn read(change: &ViewChange<'_>) -> Result<Self, Error> {
        let mut texts = Self { files: Vec::new(), opaque: Vec::new(), incomplete: Vec::new() };
        let mut views = [ViewReader::of(&change.old), ViewReader::of(&change.new)];
        let (mut bytes, mut definitions) = (0, 0);
        let mut read = Vec::with_capacity(change.files.len());
        for (at, file) in change.files.iter().enumerate() {
            let sides = match file.opaque {
                _ if at >= COMPARED => Err(Opaque::BeyondFirst(COMPARED)),
                Some(opaque) => Err(opaque),
                None if bytes > COMPARED_BYTES || definitions > COMPARED_DEFINITIONS => {
                    Err(Opaque::BeyondSize { definitions: COMPARED_DEFINITIONS, bytes: COMPARED_BYTES })
                }
                None => read_file(&mut views, file)?,
            };
            for side in sides.iter().flatten().flatten() {
                bytes += side.text.len();
                definitions += side.facts.symbols.len();
            }
            read.push(sides);
        }
        let masks = change.new.context.options.mask_credentials;
        let parsed = |sides: Result<[Option<SideText>; 2], Opaque>| {
            sides.map(|sides| sides.map(|side| side.map(|side| TextSide::of(side, masks))))
        };
        let parsed: Vec<_> = read.into_par_iter().map(parsed).collect();
        for (file, sides) in change.files.iter().zip(parsed) {
            let (sides, opaque, row) = match sides {
                Err(opaque) => {
                    let opaque = if opaque == Opaque::LeftOut { left_out(change, file)? } else { opaque };
                    let mut row = opaque.row(file.path());
                    if let (Opaque::MovedOut, Some(old)) = (opaque, &file.old) {
                        row.code = opaque.row(old).code;
                    }
                    ((None, None), Some(opaque), Some(row))
                }
                Ok([old, new]) => {
                    let (opaque, row) = lacks(change, file, old.as_ref(), new.as_ref());
                    ((old, new), opaque, row)
                }
            };
            texts.files.push(sides);
            texts.opaque.push(opaque.map(Opaque::words));
            texts.incomplete.extend(row);
        }
        let rules = altered_rule_files(change);
        texts.incomplete.retain(|row| rules.iter().all(|rule| rule.path != row.path));
        texts.incomplete.extend(rules);
        texts.incomplete.extend(change.unread.iter().map(|(path, opaque)| opaque.row(path)));
        texts.incomplete.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(texts)
    }

    /// Both sides, for comparing.
    pub(crate) fn sides(&self) -> Vec<FileSides<'_>> {
        self.files
            .iter()
            .map(|(old, new)| FileSides {
                old: old.as_ref().map(TextSide::as_side),
                new: new.as_ref().map(TextSide::as_side),
            })
            .collect()
    }

    /// The contract of a signature on one side.
    pub(crate) fn shape(&self, file: usize, is_old: bool, symbol: u32) -> Shape {
        let side = if is_old { &self.files[file].0 } else { &self.files[file].1 };
        side.as_ref().and_then(|side| side.shapes.get(symbol as usize)).cloned().unwrap_or_default()
    }

    /// The files as rows of the answer, in the order of the change's files. For a request of whole files, everything
    /// counts as changed.
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
    /// The text as it is, and the contracts in it; with `masks`, without credentials in their values and types, of which
    /// answers show the beginning.
    fn of(read: SideText, masks: bool) -> Self {
        let SideText { path, facts, text } = read;
        let compared = |text: &[u8]| icr_lang::compared_text(&facts.language, text, &facts);
        let ComparedText { mut shapes, token_digest, is_sound, lost_definitions } = compared(&text);
        let mut shown = if masks { text.to_vec() } else { Vec::new() };
        if masks && icr_secrets::mask_file(&mut shown) {
            shapes = compared(&shown).shapes;
        }
        Self { path, facts, text, shapes, token_digest, is_sound, lost_definitions }
    }

    fn parsed_side(&self) -> ParsedSide<'_> {
        let Self { facts, text, is_sound, lost_definitions, .. } = self;
        ParsedSide { facts, text, is_sound: *is_sound, lost_definitions }
    }

    fn as_side(&self) -> FileSide<'_> {
        FileSide {
            path: &self.path,
            facts: &self.facts,
            text: &self.text,
            shapes: &self.shapes,
            token_digest: self.token_digest,
        }
    }
}

/// Whether a file behaves as before when it is run, and the code in its documentation that is run as tests.
fn is_cosmetic(file: &FilePair, old: Option<&TextSide>, new: Option<&TextSide>) -> bool {
    let (Some(old), Some(new)) = (old, new) else { return false };
    let same_tokens = old.token_digest.is_some() && old.token_digest == new.token_digest;
    let same_code = || same_tokens && !has_other_doc_tests(file.path(), &old.text, &new.text);
    file.status == FileStatus::Modified && (old.text == new.text || same_code())
}

/// Both sides of a file, if they exist; an error with the reason if one of them has no text to compare. With the other
/// alone, the file would look new or deleted.
fn read_file(
    [old, new]: &mut [ViewReader<'_>; 2],
    file: &FilePair,
) -> Result<Result<[Option<SideText>; 2], Opaque>, Error> {
    let side = |view: &mut ViewReader<'_>, path: &Option<RepoPath>| match path {
        Some(path) => view.side(path).map(|side| side.map(Some)),
        None => Ok(Ok(None)),
    };
    let old = match side(old, &file.old)? {
        Ok(old) => old,
        Err(opaque) => return Ok(Err(opaque)),
    };
    let new = match side(new, &file.new)? {
        Ok(new) => new,
        Err(opaque) => return Ok(Err(opaque)),
    };
    // If one side cannot be read, the file would seem to be deleted, or new.
    let is_unread = |side: &SideText| side.facts.language != icr_lang::TEXT && !icr_lang::is_parseable(&side.text);
    let is_unread = [&old, &new].into_iter().flatten().any(is_unread);
    Ok(if is_unread { Err(Opaque::NotParsed) } else { Ok([old, new]) })
}

/// Why a file with texts was not compared, and its row.
fn lacks(
    change: &ViewChange<'_>,
    file: &FilePair,
    old: Option<&TextSide>,
    new: Option<&TextSide>,
) -> (Option<Opaque>, Option<Incomplete>) {
    let is_text = |side: &&TextSide| side.facts.language == icr_lang::TEXT;
    if let Some(side) = [new, old].into_iter().flatten().find(is_text) {
        return (Some(Opaque::NoGrammar), Some(without_grammar(file.path(), &side.text)));
    }
    // In a request for whole files there is no old text: the whole file counts as changed.
    let old = old.filter(|_| !change.is_whole_files);
    let digest = |side: Option<&TextSide>| side.and_then(|side| side.token_digest);
    let is_same = digest(old).is_some() && digest(old) == digest(new);
    let [before, after] = [old, new].map(|side| side.map(TextSide::parsed_side));
    let row = if is_same { None } else { unparsed(file.path(), before, after) };
    (None, row)
}

/// Reads the files of one side one by one, so that readers such as git's index are opened only once.
struct ViewReader<'a> {
    view: &'a Snapshot,
    texts: icr_view::Texts<'a>,
}

impl<'a> ViewReader<'a> {
    fn of(view: &'a Snapshot) -> Self {
        Self { view, texts: view.view.texts() }
    }

    /// The side at `path`; an error with the reason if it has no text to compare.
    fn side(&mut self, path: &RepoPath) -> Result<Result<SideText, Opaque>, Error> {
        let view = self.view;
        let Some(file) = view.view.file(path)? else { return Ok(Err(absence(view, path))) };
        match file.row.content {
            ContentKind::Text => {}
            ContentKind::Binary => return Ok(Err(Opaque::Binary)),
            ContentKind::Oversize => return Ok(Err(Opaque::Oversize)),
        }
        let facts = view.facts(file.row.blob_no)?;
        let mut text = Vec::new();
        self.texts.read(&file.row, &mut text)?;
        Ok(Ok(SideText { path: path.clone(), facts, text }))
    }
}

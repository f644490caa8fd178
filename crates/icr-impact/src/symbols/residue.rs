//! What a change does to a file outside of definitions.

use std::collections::HashSet;

use icr_model::{ContentKind, LineIndex, RepoPath, Span};

use super::side::{AnalyzedSide, between};
use super::token_equality::{Run, outside};
use super::tokens::SourceToken;
use super::{FileSides, SymbolChange};
use crate::SymbolChangeKind;

/// What changed in a file outside of any definition: imports, statements, text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileResidue {
    /// Path after the change; before it for a deletion.
    pub path: RepoPath,
    /// Whether anything did that is neither comment nor layout.
    pub changed: bool,
    /// Whether all of it is import statements; `false` when nothing changed.
    pub only_imports: bool,
    /// Whether comments and layout are all that changed in the whole file; `false` where there is no grammar to tell.
    pub cosmetic: bool,
}

/// The residues of `files`, in their order; `changes` are the results of [`super::changes`] for these files.
pub fn residues(files: &[FileSides<'_>], changes: &[SymbolChange]) -> Vec<FileResidue> {
    let sides = changes.iter().flat_map(|change| {
        let says =
            change.facets.iter().any(|facet| !matches!(facet, SymbolChangeKind::Doc | SymbolChangeKind::Cosmetic));
        change.old.iter().chain(&change.new).filter(move |_| says).map(|side| side.file)
    });
    let with_changes: HashSet<usize> = sides.collect();
    files.iter().enumerate().map(|(index, file)| residue(file, with_changes.contains(&index))).collect()
}

/// The residue of a file of which it is known whether one of its definitions changed.
fn residue(file: &FileSides<'_>, definitions_changed: bool) -> FileResidue {
    let path = file.new.or(file.old).map_or_else(|| RepoPath::from(""), |side| side.path.clone());
    let unchanged = FileResidue { path, changed: false, only_imports: false, cosmetic: false };
    if file.old.map(|side| side.text) == file.new.map(|side| side.text) {
        return unchanged;
    }
    let (old, new) = (file.old.map(AnalyzedSide::new), file.new.map(AnalyzedSide::new));
    let digest = |side: &Option<AnalyzedSide<'_>>| side.as_ref().and_then(|reading| reading.side.token_digest);
    let digests = digest(&old).zip(digest(&new));
    let language = |side: &Option<AnalyzedSide<'_>>| side.as_ref().map(|reading| reading.row.name);
    if digests.is_some_and(|(old, new)| old == new) && language(&old) == language(&new) {
        return FileResidue { cosmetic: true, ..unchanged };
    }
    if !old.iter().chain(&new).all(is_read) {
        return FileResidue { changed: true, ..unchanged };
    }
    let (code_before, code) = (CodeTokens::of(old.as_ref()), CodeTokens::of(new.as_ref()));
    let (old, new) = (ResidueTokens::of(old.as_ref()), ResidueTokens::of(new.as_ref()));
    let changed = !old.run(&old.all).says_same(new.run(&new.all));
    // These tokens are read without a grammar. So a difference that only the digests show belongs here. A comma that ends
    // a list, or other quotes, is shown by the tokens, too, and says nothing.
    let unseen = digests.is_some() && !changed && !definitions_changed && code_before.is_exactly(&code);
    let only_imports = changed && old.run(&old.besides_imports).says_same(new.run(&new.besides_imports));
    FileResidue { changed: changed || unseen, only_imports, ..unchanged }
}

/// Whether the text was taken apart.
fn is_read(reading: &AnalyzedSide<'_>) -> bool {
    reading.side.facts.content == ContentKind::Text && reading.row.name != "text"
}

/// All tokens of a side but documentation.
#[derive(Debug, Default)]
struct CodeTokens<'a> {
    text: &'a [u8],
    tokens: Vec<SourceToken>,
}

impl<'a> CodeTokens<'a> {
    fn of(reading: Option<&AnalyzedSide<'a>>) -> Self {
        let Some(reading) = reading else { return Self::default() };
        let docs = reading.side.facts.symbols.iter().filter_map(|symbol| symbol.doc).map(|doc| (doc, false));
        Self { text: reading.side.text, tokens: outside(reading, reading.tokens(), docs.collect()) }
    }

    fn is_exactly(&self, other: &Self) -> bool {
        self.run().is_exactly(other.run())
    }

    fn run(&self) -> Run<'_> {
        Run { text: self.text, tokens: &self.tokens, names: [""; 2], twin_quotes: false }
    }
}

/// The tokens of a side outside of definitions.
#[derive(Debug, Default)]
struct ResidueTokens<'a> {
    text: &'a [u8],
    twin_quotes: bool,
    all: Vec<SourceToken>,
    besides_imports: Vec<SourceToken>,
}

impl<'a> ResidueTokens<'a> {
    fn of(reading: Option<&AnalyzedSide<'a>>) -> Self {
        let Some(reading) = reading else { return Self::default() };
        let symbols = reading.side.facts.symbols.iter();
        let docs = symbols.clone().filter_map(|symbol| symbol.doc).map(|doc| (doc, false));
        let holes = symbols.map(|symbol| (symbol.span, true)).chain(docs).collect();
        let all = outside(reading, reading.tokens(), holes);
        let imports = import_spans(reading);
        let is_import = |token: &SourceToken| {
            let before = imports.partition_point(|span| span.start <= token.start);
            before > 0 && imports[before - 1].contains_offset(token.start)
        };
        Self {
            text: reading.side.text,
            twin_quotes: reading.row.signs.twin_quotes,
            besides_imports: all.iter().filter(|token| !is_import(token)).copied().collect(),
            all,
        }
    }

    fn run<'r>(&'r self, tokens: &'r [SourceToken]) -> Run<'r> {
        Run { text: self.text, tokens, names: [""; 2], twin_quotes: self.twin_quotes }
    }
}

/// Where import statements are, ascending: from their first line to the end of the line where no bracket is open.
fn import_spans(reading: &AnalyzedSide<'_>) -> Vec<Span> {
    let text = reading.side.text;
    let lines = LineIndex::new(text);
    let first_lines: HashSet<u32> = reading.side.facts.imports.iter().map(|import| import.line).collect();
    let mut spans: Vec<Span> = Vec::new();
    let (mut open, mut brackets, mut line_before) = (false, 0_u32, 0);
    for token in reading.tokens() {
        let line = lines.line_of(token.start);
        let continues = brackets > 0 || reading.row.signs.indents && token.level == 0;
        if line != line_before && !(open && continues) {
            (open, brackets) = (first_lines.contains(&line), 0);
            if open {
                spans.push(Span::new(token.start, token.end));
            }
        }
        line_before = line;
        if let Some(span) = spans.last_mut().filter(|_| open) {
            *span = between(span.start, token.end);
            match token.of(text) {
                b"(" | b"[" | b"{" => brackets += 1,
                b")" | b"]" | b"}" => brackets = brackets.saturating_sub(1),
                _ => {}
            }
        }
    }
    spans
}

//! The extractor: from the bytes of one blob to its facts.

use icr_model::{ContentKind, Facts, LineIndex, Span};
use tree_sitter::Tree;

use crate::chunk::{self, ChunkLimits};
use crate::content::is_binary;
use crate::definitions::{exports, full_names};
use crate::grammar::{Grammar, grammar};
use crate::islands::{Island, islands, islands_without_tree};
use crate::parse::{Parses, Work};
use crate::symbols;
use crate::table::{TEXT, row_of_text};
use crate::walk::{Scratch, TreeWalk, WalkOutput};
use crate::window;

/// Facts of one blob, and other data of its text for an index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extraction {
    /// The facts.
    pub facts: Facts,
    /// Comments and docstrings, sorted, without nested ones.
    pub comments: Vec<Span>,
}

/// Extracts facts and reuses its memory for the next blob. Use one per thread.
pub struct Extractor {
    limits: ChunkLimits,
    scratch: Scratch,
    found: WalkOutput,
}

impl Extractor {
    /// An extractor that cuts chunks by `limits`; limits that contradict each other are moved to the nearest that do
    /// not.
    pub fn new(limits: ChunkLimits) -> Self {
        Self { limits: limits.consistent(), scratch: Scratch::default(), found: WalkOutput::default() }
    }

    /// The facts of `blob` in `language`, a name that [`crate::language_of`] gave; an unknown name counts as [`TEXT`].
    /// The text may tell more than a path: a first line `#!…` gives the language of a text without one, and a C header
    /// that holds C++ is read as C++. `facts.language` is the language that was used.
    ///
    /// Never fails. Content that is not text has no chunks. Text that a grammar should not read (huge, minified) has
    /// chunks by size and no symbols. Overlong lines of data are skipped. If a text cannot be parsed in bounded work,
    /// it has the symbols of those parts that can be parsed alone. Costs about 1.5 times the parse.
    pub fn extract(&mut self, language: &str, blob: &[u8]) -> Extraction {
        let Ok(bytes_total) = u32::try_from(blob.len()) else {
            let facts = Facts { content: ContentKind::Oversize, language: language.to_owned(), ..Facts::default() };
            return Extraction { facts, comments: Vec::new() };
        };
        let row = row_of_text(language, blob);
        let mut facts =
            Facts { bytes_total, language: row.map_or(TEXT, |row| row.name).to_owned(), ..Facts::default() };
        if is_binary(blob, row.is_some()) {
            facts.content = ContentKind::Binary;
            return Extraction { facts, comments: Vec::new() };
        }
        let lines = LineIndex::new(blob);
        facts.lines_total = lines.lines_total();
        let mut parses = row.and_then(|row| Parses::of_readable(blob, grammar(row)));
        let read = parses.as_mut().is_some_and(|parses| self.read(parses, &lines));
        let Some(parses) = parses.filter(|_| read) else {
            facts.error_bytes = if row.is_some() { bytes_total } else { 0 };
            facts.chunks = window::windows(blob, &lines, &self.limits);
            return Extraction { facts, comments: Vec::new() };
        };
        self.fill(parses.grammar, blob, &lines, facts)
    }

    /// Reads the whole blob. If no tree of the whole blob can be made in bounded work, reads the parts that parse
    /// alone. Returns whether anything was read.
    fn read(&mut self, parses: &mut Parses<'_>, lines: &LineIndex) -> bool {
        self.found.clear();
        if let Some(tree) = parses.parse_blob() {
            self.walk(parses, lines, &tree, &islands(parses, &tree));
            // An overlong line may be inside an error too, so its bytes must not count twice.
            let read = parses.blob.len() as u32 - parses.blanked;
            self.found.error_bytes = self.found.error_bytes.min(read) + parses.blanked;
            return true;
        }
        let Some(nothing) = parses.parse_snippet(b"") else { return false };
        let islands = islands_without_tree(parses);
        if islands.is_empty() {
            return false;
        }
        self.walk(parses, lines, &nothing, &islands);
        let read: u32 = islands.iter().map(|island| island.span.len()).sum();
        self.found.error_bytes = parses.blob.len() as u32 - read;
        true
    }

    fn walk(&mut self, parses: &Parses<'_>, lines: &LineIndex, tree: &Tree, islands: &[Island]) {
        let (scratch, found) = (&mut self.scratch, &mut self.found);
        let reread = Span::default();
        TreeWalk { blob: parses.blob, grammar: parses.grammar, lines, parses, scratch, found, islands, reread }
            .walk_tree(tree);
    }

    fn fill(&mut self, grammar: &Grammar, blob: &[u8], lines: &LineIndex, mut facts: Facts) -> Extraction {
        let found = &mut self.found;
        let placed = symbols::place(blob, lines, found, &grammar.row.visibility);
        facts.chunks = chunk::chunks(blob, lines, &placed, &mut found.borders, &self.limits);
        facts.symbols = placed.into_iter().map(|placed| placed.symbol).collect();
        let type_only = std::mem::take(&mut found.type_only);
        facts.imports = found.imports.finish(|start| type_only.iter().any(|span| span.contains_offset(start)));
        facts.references = found.occurrences.groups(blob, &found.paths);
        facts.provides = full_names(&found.provides, blob, grammar.row.import_separator);
        facts.exports = exports(&found.renamed, blob);
        facts.error_bytes = found.error_bytes;
        Extraction { facts, comments: outermost(std::mem::take(&mut found.comments)) }
    }
}

/// Parses `blob` and drops the tree, to compare the cost of [`Extractor::extract`] with. Returns the work of the
/// parse; `None` when no grammar should read the blob, or cannot in bounded work.
#[doc(hidden)]
pub fn parse_work(language: &str, blob: &[u8]) -> Option<Work> {
    let (tree, work) = Parses::of_readable(blob, grammar(row_of_text(language, blob)?))?.parse_blob_measured();
    tree.map(|_| work)
}

/// The spans in order, without those that are inside another.
fn outermost(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut end = 0;
    spans.retain(|span| {
        let outside = span.start >= end && !span.is_empty();
        if outside {
            end = span.end;
        }
        outside
    });
    spans
}

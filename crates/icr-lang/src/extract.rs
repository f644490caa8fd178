//! The extractor: from the bytes of one blob to its facts.

use icr_model::{Content, Facts, LineIndex, Span};
use tree_sitter::{Parser, Tree};

use crate::chunk::{self, ChunkLimits};
use crate::content::{is_binary, is_parseable};
use crate::definitions::full_names;
use crate::grammar::{Grammar, grammar};
use crate::islands::islands;
use crate::parse::parse;
use crate::symbols;
use crate::table::{LanguageRow, TABLE, TEXT, language_row, row_index, row_of_shebang};
use crate::walk::{Found, Scratch, Walk};
use crate::window;

/// Facts of one blob, and what else its text says to an index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extraction {
    /// The facts.
    pub facts: Facts,
    /// Comments and docstrings, sorted; none inside another.
    pub comments: Vec<Span>,
}

/// Extracts facts; keeps parsers and memory from blob to blob. One for each thread.
pub struct Extractor {
    limits: ChunkLimits,
    /// By row of the table, made when first needed.
    parsers: Vec<Option<Parser>>,
    scratch: Scratch,
    found: Found,
}

impl Extractor {
    /// An extractor that cuts chunks by `limits`; limits that contradict each other are moved to the nearest that do not.
    pub fn new(limits: ChunkLimits) -> Self {
        Self {
            limits: limits.consistent(),
            parsers: TABLE.iter().map(|_| None).collect(),
            scratch: Scratch::default(),
            found: Found::default(),
        }
    }

    /// The facts of `blob` in `language`, a name that [`crate::language_of`] gave; an unknown name counts as
    /// [`TEXT`]. Of text, a first line `#!…` may say the language, and `facts.language` is the one that was used.
    ///
    /// Never fails. What is no text has no chunks. What a grammar should not or cannot read in bounded work (huge,
    /// minified, hostile) has chunks by size and no symbols. Costs about 1.5 times the parse.
    pub fn extract(&mut self, language: &str, blob: &[u8]) -> Extraction {
        let Ok(bytes_total) = u32::try_from(blob.len()) else {
            let facts = Facts { content: Content::Oversize, language: language.to_owned(), ..Facts::default() };
            return Extraction { facts, comments: Vec::new() };
        };
        let row = language_row(language).or_else(|| row_of_shebang(blob));
        let mut facts =
            Facts { bytes_total, language: row.map_or(TEXT, |row| row.name).to_owned(), ..Facts::default() };
        if is_binary(blob, row.is_some()) {
            facts.content = Content::Binary;
            return Extraction { facts, comments: Vec::new() };
        }
        let lines = LineIndex::new(blob);
        facts.lines_total = lines.lines_total();
        let parsed =
            row.filter(|_| is_parseable(blob)).and_then(|row| self.parse(row, blob).map(|tree| (grammar(row), tree)));
        let Some((grammar, tree)) = parsed else {
            facts.error_bytes = if row.is_some() { bytes_total } else { 0 };
            facts.chunks = window::windows(blob, &lines, &self.limits);
            return Extraction { facts, comments: Vec::new() };
        };
        self.walk(grammar, blob, &lines, &tree);
        self.fill(grammar, blob, &lines, facts)
    }

    /// Parses `blob` and drops the tree; whether there was one. The yardstick for the cost of [`Extractor::extract`].
    #[doc(hidden)]
    pub fn parse_only(&mut self, language: &str, blob: &[u8]) -> bool {
        let row = language_row(language).filter(|_| is_parseable(blob));
        row.and_then(|row| self.parse(row, blob)).is_some()
    }

    fn parse(&mut self, row: &'static LanguageRow, blob: &[u8]) -> Option<Tree> {
        let slot = self.parsers.get_mut(row_index(row.name)?)?;
        if slot.is_none() {
            let mut parser = Parser::new();
            parser.set_language(&grammar(row).language).ok()?;
            *slot = Some(parser);
        }
        parse(slot.as_mut()?, grammar(row), blob, Span::new(0, blob.len() as u32))
    }

    fn walk(&mut self, grammar: &'static Grammar, blob: &[u8], lines: &LineIndex, tree: &Tree) {
        self.found.clear();
        let index = row_index(grammar.row.name).expect("a grammar has a row");
        let parser = self.parsers[index].as_mut().expect("the tree came from this parser");
        let islands = islands(blob, grammar, parser, tree);
        let (scratch, found) = (&mut self.scratch, &mut self.found);
        let (islands, reread) = (islands.as_slice(), Span::default());
        Walk { blob, grammar, lines, parser, scratch, found, islands, reread }.whole(tree);
    }

    fn fill(&mut self, grammar: &Grammar, blob: &[u8], lines: &LineIndex, mut facts: Facts) -> Extraction {
        let found = &mut self.found;
        let placed = symbols::place(blob, lines, found, &grammar.row.visibility);
        facts.chunks = chunk::chunks(blob, lines, &placed, &mut found.borders, &self.limits);
        facts.symbols = placed.into_iter().map(|placed| placed.symbol).collect();
        let type_only = std::mem::take(&mut found.type_only);
        facts.imports = found.imports.finish(|start| type_only.iter().any(|span| span.contains_offset(start)));
        facts.references = found.occurrences.groups(blob);
        facts.provides = full_names(&found.provides, blob, grammar.row.import_separator);
        facts.error_bytes = found.error_bytes;
        Extraction { facts, comments: outermost(std::mem::take(&mut found.comments)) }
    }
}

/// The spans in order, without those inside another.
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

//! Islands: parts of a text that parse alone, although the text before them does not parse.
//!
//! One construct that a grammar cannot read may put the rest of a file under an error. The lines there are cut into
//! blocks by their layout, and each block is parsed alone. A block that parses without any error is an island. The
//! walk reads the island instead of the first parse of these bytes. Nothing here is specific to one language; the
//! evidence is that the block parses without an error.

use icr_model::{Span, SymbolKind};
use tree_sitter::{Node, Point, Range, Tree, TreeCursor};

use crate::definitions::{NONE, span_of};
use crate::frame::{Frame, NO_LEAD};
use crate::grammar::{Grammar, flag};
use crate::parse::Parses;
use crate::walk::{TreeWalk, WalkExtent, without_space};

/// Most bytes that are parsed again for each byte under an error. Blocks are cut in four ways, each way only where the
/// one before failed, and each reads a byte once. Most files need one; an error of a few lines may end in the middle
/// of a block.
const MAX_BYTES_AGAIN: u32 = 4;

/// Extra bytes that any error may have parsed again, because its last block extends to the end of its lines.
const EXTRA_BYTES: u32 = 256;

/// Most blocks that are parsed in one blob. Every parse has a fixed cost, and a file of code has fewer paragraphs.
const MAX_BLOCKS: u32 = 1000;

/// Levels of nodes at the start of a block in which a definition is looked for, because a statement and a wrapper may
/// be around it.
const MAX_EVIDENCE_DEPTH: u32 = 3;

/// Most nodes that are looked at between a definition and its errors; definitions may be nested.
const MAX_SOUND_NODES: u32 = 256;

/// A part of the text that was parsed alone without an error.
#[derive(Debug)]
pub(crate) struct Island {
    pub(crate) span: Span,
    /// Indentation of its first line, in bytes of white space.
    pub(crate) indent: u32,
    /// First byte of the block that it was cut from.
    block: u32,
    /// Whether it was found inside a block that does not parse as a whole.
    pub(crate) inner: bool,
    pub(crate) tree: Tree,
}

/// The islands of a blob, in order, without overlaps: under its errors, and where its tree leaves text out. Costs nothing if
/// `tree` has no error; otherwise a walk over the text under errors, and parses of at most [`MAX_BYTES_AGAIN`] times its
/// bytes.
pub(crate) fn islands(parses: &Parses<'_>, tree: &Tree) -> Vec<Island> {
    let (blob, grammar) = (parses.blob, parses.grammar);
    let mut search = IslandSearch::new(parses);
    // The level of a heading depends on all headings before it, so it cannot be parsed alone.
    if !tree.root_node().has_error() || grammar.has_any(flag::HEADING) {
        return search.islands;
    }
    let mut cursor = tree.walk();
    let mut begins = Vec::new();
    loop {
        let node = cursor.node();
        if node.is_error() && spans_lines(node) {
            let span = span_of(node);
            line_begins(blob, grammar, &mut cursor, &mut begins);
            // The last island may extend past the end of its error.
            let known = search.islands.last().map_or(0, |island| island.span.end);
            begins.retain(|begin| begin.line >= known);
            search.error(&begins, span);
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                search.abandoned_parts(tree);
                return search.islands;
            }
        }
    }
}

/// The islands of a blob for which no tree can be made in bounded work, as if the whole blob were one error.
pub(crate) fn islands_without_tree(parses: &Parses<'_>) -> Vec<Island> {
    let mut search = IslandSearch { without_tree: true, ..IslandSearch::new(parses) };
    if parses.grammar.has_any(flag::HEADING) {
        return search.islands;
    }
    let span = Span::new(0, parses.blob.len() as u32);
    let first = Begin { line: 0, start: 0, kept: false };
    let is_line = parses.blob.first().is_some_and(|byte| !byte.is_ascii_whitespace());
    let begins: Vec<_> = is_line.then_some(first).into_iter().chain(lines_inside(parses.blob, span)).collect();
    search.error(&begins, span);
    search.islands
}

impl TreeWalk<'_> {
    /// Walks the islands that begin at `offset` or before and were not walked yet.
    pub(crate) fn islands_until(&mut self, offset: u32) {
        while let Some((island, rest)) = self.islands.split_first().filter(|(next, _)| next.span.start <= offset) {
            self.islands = rest;
            self.island(island);
        }
    }

    /// Cuts `token` where the next island begins inside it.
    pub(crate) fn before_islands(&self, token: Span) -> Span {
        let next = self.islands.first().map_or(token.end, |island| island.span.start);
        Span::new(token.start, token.end.min(next).max(token.start))
    }

    /// Whether `offset` is inside an island that the walk has not reached yet.
    pub(crate) fn is_on_island(&self, offset: u32) -> bool {
        let next = self.islands.partition_point(|island| island.span.end <= offset);
        self.islands.get(next).is_some_and(|island| island.span.contains_offset(offset))
    }

    /// Walks an island inside its enclosing nodes, and first ends those nodes that the island shows to have ended.
    fn island(&mut self, island: &Island) {
        let around = self.scratch.frames.iter().position(|frame| self.ends_before(frame, island));
        let around = around.unwrap_or(self.scratch.frames.len());
        if self.scratch.frames.last().is_some_and(|frame| frame.in_error) {
            self.found.error_bytes = self.found.error_bytes.saturating_sub(island.span.len());
        }
        let aside = self.scratch.frames.split_off(around);
        if let Some(ended) = aside.iter().find(|frame| frame.own.0 < frame.own.1) {
            self.end_before(ended.own.0, island.span.start);
        }
        // The text between the island and its enclosing nodes.
        let mut shore = Frame::open(self.scratch.frames.last(), u16::MAX, 0, island.span, NO_LEAD);
        // It is indented more than a file's definitions but is inside none, so it may be in a function that did not
        // parse.
        let is_adrift = island.inner || island.indent > 0 && shore.symbol == NONE;
        shore.local |= is_adrift && self.grammar.has_any(flag::SCOPE);
        shore.in_error = false;
        self.scratch.frames.push(shore);
        self.reread = Span::new(0, 0);
        self.nodes(&mut island.tree.walk(), WalkExtent::Everything, 0);
        self.reread = island.span;
        self.scratch.frames.truncate(around);
        self.scratch.frames.extend(aside);
    }

    /// Whether the island is outside of the node of `frame`, although the first parse puts it inside. The content of a
    /// definition is indented more than its first line, except in namespaces. Under an error, that must also hold for
    /// the island's block.
    fn ends_before(&self, frame: &Frame, island: &Island) -> bool {
        if frame.statement != NONE {
            return true;
        }
        let is_left = || self.indent_of(frame.start) < island.indent;
        let own = self.found.symbols.get(frame.own.0 as usize).filter(|_| frame.own.0 < frame.own.1);
        match own {
            Some(symbol) if symbol.kind == SymbolKind::Module && self.is_flat(symbol.name.end, frame) => false,
            Some(_) => !is_left() || frame.in_error && frame.start < island.block,
            None => frame.flags & flag::SCOPE != 0 && !is_left(),
        }
    }

    /// Whether the content of the namespace of `frame` is not indented more than the namespace itself, judged by its
    /// first line after `name_end`.
    fn is_flat(&self, name_end: u32, frame: &Frame) -> bool {
        let behind = &self.blob[name_end as usize..(frame.end as usize).max(name_end as usize)];
        let lines = behind.split(|byte| *byte == b'\n').skip(1);
        let first = lines.map(<[u8]>::trim_ascii_end).find(|line| !line.is_empty() && line.trim_ascii_start() != b"{");
        let indent = |line: &[u8]| line.len() - line.trim_ascii_start().len();
        first.is_some_and(|line| indent(line) <= self.indent_of(frame.start) as usize)
    }

    /// Ends the definitions from number `first` on at `end`.
    fn end_before(&mut self, first: u32, end: u32) {
        for symbol in &mut self.found.symbols[first as usize..] {
            if symbol.span.start < end && symbol.span.end > end {
                symbol.span = without_space(self.blob, Span::new(symbol.span.start, end.max(symbol.name.end)));
                symbol.signature_end = symbol.signature_end.min(symbol.span.end);
            }
        }
    }

    /// Bytes of white space at the start of the line that contains `offset`.
    fn indent_of(&self, offset: u32) -> u32 {
        let before = &self.blob[..offset as usize];
        let line = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        self.blob[line..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count() as u32
    }
}

/// A line under an error.
#[derive(Debug, Clone, Copy)]
struct Begin {
    /// First byte of the line, and its first byte that is not white space.
    line: u32,
    start: u32,
    /// Whether it begins with a definition that parsed with small errors at most.
    kept: bool,
}

impl Begin {
    fn indent(self) -> u32 {
        self.start - self.line
    }
}

/// The lines under the error at `cursor` at which a node begins, in order. A part that parsed without an error but is
/// not a definition is lost together with its surroundings.
fn line_begins(blob: &[u8], grammar: &Grammar, cursor: &mut TreeCursor<'_>, begins: &mut Vec<Begin>) {
    begins.clear();
    let mut depth = 0;
    // For each level on the way down, whether the node there is an error. Asking a node for its parent would walk from
    // the root each time.
    let mut errors_above = Vec::new();
    let error = span_of(cursor.node());
    // One past the last byte inside a node.
    let mut held_end = error.start;
    loop {
        let node = cursor.node();
        let flags = grammar.flags(node.kind_id());
        let is_leaf = depth > 0 && (node.child_count() == 0 || flags & (flag::TOKEN | flag::COMMENT) != 0);
        let kept = depth > 0 && !is_leaf && flags & (flag::ROOT | flag::WRAPPER) != 0 && is_sound(node);
        let span = span_of(node);
        if is_leaf || kept {
            // The parser may have skipped text without making a node for it.
            begins.extend(lines_inside(blob, Span::new(held_end, span.start.max(held_end))));
            held_end = span.end.max(held_end);
        }
        let begin = begin_of(blob, node).filter(|_| is_leaf || kept);
        let hides_lines = kept && begin.is_none() && spans_lines(node);
        if let Some((line, start)) = begin {
            if begins.last().is_none_or(|last| last.line < line) {
                begins.push(Begin { line, start, kept });
            }
        } else if hides_lines && let Some(last) = begins.last_mut() {
            // After the lost rest of its first line.
            last.kept = true;
        }
        // The text of a string that was never closed may have run over the following code.
        if is_leaf && flags & flag::COMMENT == 0 && spans_lines(node) && errors_above.last() == Some(&true) {
            begins.extend(lines_inside(blob, span));
        }
        let is_read = is_leaf || hides_lines || kept && begin.is_some();
        if !is_read && cursor.goto_first_child() {
            errors_above.push(node.is_error());
            depth += 1;
            continue;
        }
        while depth == 0 || !cursor.goto_next_sibling() {
            if depth == 0 {
                begins.extend(lines_inside(blob, Span::new(held_end, error.end.max(held_end))));
                return;
            }
            cursor.goto_parent();
            errors_above.pop();
            depth -= 1;
        }
    }
}

/// Whether no error inside `node` is longer than a line. Then its content is taken from the first parse.
fn is_sound(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    for _ in 0..MAX_SOUND_NODES {
        let inner = cursor.node();
        if inner.is_error() && spans_lines(inner) {
            return false;
        }
        if inner.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return true;
            }
        }
    }
    false
}

fn spans_lines(node: Node<'_>) -> bool {
    node.start_position().row < node.end_position().row
}

/// The lines that begin inside `span`.
fn lines_inside(blob: &[u8], span: Span) -> impl Iterator<Item = Begin> {
    memchr::memchr_iter(b'\n', span.of(blob)).filter_map(move |newline| {
        let line = span.start as usize + newline + 1;
        let rest = &blob[line..span.end as usize];
        let indent = rest.iter().position(|byte| *byte == b'\n' || !byte.is_ascii_whitespace())?;
        // A blank line is not a line of its own.
        (rest[indent] != b'\n').then(|| Begin { line: line as u32, start: (line + indent) as u32, kept: false })
    })
}

/// The start of the line and of `node`, if only white space is between them.
fn begin_of(blob: &[u8], node: Node<'_>) -> Option<(u32, u32)> {
    let span = span_of(node);
    let before = blob.get(..span.start as usize)?;
    let line = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let is_first = !span.is_empty() && before[line..].iter().all(u8::is_ascii_whitespace);
    is_first.then_some((line as u32, span.start))
}

/// A line that begins with one of these continues the line before.
const GO_ON: &[u8] = b"{}()[],;";

/// Where blocks begin, among the lines with the least indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockBoundary {
    /// After a blank line, or after the end of a block.
    Paragraphs,
    /// At each of these lines.
    Lines,
}

struct IslandSearch<'a> {
    blob: &'a [u8],
    grammar: &'a Grammar,
    parses: &'a Parses<'a>,
    bytes_left: u32,
    blocks_left: u32,
    /// Whether no tree of the whole blob could be made.
    without_tree: bool,
    /// End of the error that is searched.
    error_end: u32,
    /// First byte of the block that is being cut, if it was tried as a whole.
    block: u32,
    islands: Vec<Island>,
}

impl<'a> IslandSearch<'a> {
    fn new(parses: &'a Parses<'a>) -> Self {
        Self {
            blob: parses.blob,
            grammar: parses.grammar,
            parses,
            bytes_left: 0,
            blocks_left: MAX_BLOCKS,
            without_tree: false,
            error_end: 0,
            block: 0,
            islands: Vec::new(),
        }
    }

    /// Looks for islands in the parts that `tree` leaves out.
    fn abandoned_parts(&mut self, tree: &Tree) {
        for part in self.parses.abandoned_parts(tree) {
            let end = |island: &Island| island.span.end;
            let known = self.islands.iter().filter(|island| island.span.start < part.end).map(end).max();
            let span = Span::new(part.start.max(known.unwrap_or(0)).min(part.end), part.end);
            let begins: Vec<_> = lines_inside(self.blob, span).collect();
            self.error(&begins, span);
        }
        self.islands.sort_by_key(|island| island.span.start);
        // The last block of a part may extend past its end.
        let mut end = 0;
        self.islands.retain(|island| {
            let is_outside = island.span.start >= end;
            end = end.max(island.span.end);
            is_outside
        });
    }

    /// Looks for islands among the lines `begins` under an error of `span`.
    fn error(&mut self, begins: &[Begin], span: Span) {
        self.error_end = span.end;
        self.bytes_left = span.len().saturating_mul(MAX_BYTES_AGAIN).saturating_add(EXTRA_BYTES);
        self.blocks(begins, span.end, BlockBoundary::Paragraphs, false);
    }

    /// Looks for islands among the lines `begins`; the last line ends at `end`.
    fn blocks(&mut self, begins: &[Begin], end: u32, cut: BlockBoundary, inner: bool) {
        let lost = begins.iter().filter(|begin| !begin.kept && self.may_begin(**begin));
        let Some(indent) = lost.map(|begin| begin.indent()).min() else {
            return;
        };
        let mut open = None;
        for (index, begin) in begins.iter().enumerate() {
            let begins_block = self.begins_block(begins, index, indent, cut);
            if begins_block || begin.kept && begin.indent() <= indent || begin.indent() < indent {
                if let Some(first) = open.take() {
                    self.block(&begins[first..index], begin.line, cut, inner);
                }
                open = begins_block.then_some(index);
            }
        }
        if let Some(first) = open {
            let end = if end == self.error_end { self.layout_end(end, indent) } else { end };
            self.block(&begins[first..], end, cut, inner);
        }
    }

    /// The end of the block in which an error ends; the error itself ignores blocks. It is before the next line with
    /// at most the same indentation.
    fn layout_end(&self, end: u32, indent: u32) -> u32 {
        let behind = &self.blob[end as usize..];
        let lines = memchr::memchr_iter(b'\n', behind).map(|newline| end as usize + newline + 1);
        let is_next = |line: &usize| {
            let text = &self.blob[*line..];
            let space = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let first = text.get(space).copied();
            first.is_some_and(|byte| {
                let goes_on = space as u32 == indent && GO_ON.contains(&byte);
                space as u32 <= indent && !byte.is_ascii_whitespace() && !goes_on
            })
        };
        lines
            .take_while(|line| line - end as usize <= self.bytes_left as usize)
            .find(is_next)
            .map_or(end, |line| line as u32)
    }

    fn begins_block(&self, begins: &[Begin], index: usize, indent: u32, cut: BlockBoundary) -> bool {
        let begin = begins[index];
        // Without a tree, nothing shows which lines continue others, and text that takes too long should be in a block
        // of its own.
        let is_paragraph = self.without_tree && self.is_behind_blank(begin);
        if begin.kept || begin.indent() != indent || !(is_paragraph || self.may_begin(begin)) {
            return false;
        }
        let Some(before) = index.checked_sub(1).map(|before| begins[before]) else {
            return true;
        };
        let closed = before.kept || before.indent() == indent && !self.may_begin(before);
        cut == BlockBoundary::Lines || closed || self.is_behind_blank(begin)
    }

    /// Whether a line may be the first of a definition. A bracket continues the line before.
    fn may_begin(&self, begin: Begin) -> bool {
        !GO_ON.contains(&self.blob[begin.start as usize])
    }

    fn is_behind_blank(&self, begin: Begin) -> bool {
        let before = &self.blob[..begin.line as usize];
        let space = before.iter().rev().take_while(|byte| byte.is_ascii_whitespace());
        space.filter(|byte| **byte == b'\n').take(2).count() == 2
    }

    /// Parses the block of the lines `begins`. If that fails, looks for islands inside it.
    fn block(&mut self, begins: &[Begin], end: u32, cut: BlockBoundary, inner: bool) {
        let first = begins[0];
        let span = Span::new(first.line, end.max(first.line));
        if span.len() > self.bytes_left || self.blocks_left == 0 {
            return;
        }
        self.bytes_left -= span.len();
        self.blocks_left -= 1;
        if let Some(tree) = self.parse_alone(span).filter(|tree| defines(self.grammar, tree)) {
            let block = if inner { self.block } else { span.start };
            self.islands.push(Island { span, indent: first.indent(), block, inner, tree });
        } else if cut == BlockBoundary::Paragraphs {
            let again = |begin: &Begin| begin.indent() == first.indent() && self.may_begin(*begin);
            if begins[1..].iter().any(again) {
                self.blocks(begins, end, BlockBoundary::Lines, inner);
            } else if !inner {
                self.inside(begins, end);
            }
        } else if !inner {
            self.inside(begins, end);
        }
    }

    /// Looks for islands after the first line of a block that does not parse.
    fn inside(&mut self, begins: &[Begin], end: u32) {
        self.block = begins[0].line;
        self.blocks(&begins[1..], end, BlockBoundary::Paragraphs, true);
    }

    /// Parses `span` at its place in the blob.
    fn parse_alone(&self, span: Span) -> Option<Tree> {
        // Rows are counted from the start of the block; nothing uses them.
        let point = |offset: u32| {
            let before = &self.blob[..offset as usize];
            let line = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
            let inside = &before[span.start as usize..];
            Point { row: memchr::memchr_iter(b'\n', inside).count(), column: before.len() - line }
        };
        let range = Range {
            start_byte: span.start as usize,
            end_byte: span.end as usize,
            start_point: point(span.start),
            end_point: point(span.end),
        };
        self.parses.part(range)
    }
}

/// Whether a tree has no error and begins with a definition or something similar.
fn defines(grammar: &Grammar, tree: &Tree) -> bool {
    let mut node = tree.root_node();
    if node.has_error() {
        return false;
    }
    for _ in 0..MAX_EVIDENCE_DEPTH {
        let mut cursor = node.walk();
        let stands_before = flag::COMMENT | flag::ANNOTATION;
        let first = node.named_children(&mut cursor).find(|child| grammar.flags(child.kind_id()) & stands_before == 0);
        match first {
            Some(first) if grammar.flags(first.kind_id()) & flag::ROOT != 0 => return true,
            Some(first) => node = first,
            None => return false,
        }
    }
    false
}

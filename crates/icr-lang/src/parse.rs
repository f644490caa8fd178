//! Parsing in bounded work, of text that the grammar's scanner can read safely.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;

use icr_model::Span;
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Range, Tree};

use crate::allocations::{Allocations, allocations};
use crate::annotation_macros::annotation_macros;
use crate::conditional::{Conditional, conditionals};
use crate::content::overlong_middles;
use crate::definitions::span_of;
use crate::grammar::Grammar;
use crate::scanner::{full_states, with_serializer};
use crate::table::RespelledText;
use crate::thread_readings::ReadingGuard;

/// Parser operations allowed per byte of text. Of 24,000 real files of ten kilobytes or more, none took more than 5.7.
/// A text that needs this many is hostile or not in the language. Operations are counted, not timed, because facts
/// must not depend on a clock.
const MAX_OPERATIONS_PER_BYTE: usize = 8;

/// Operations allowed in addition: a few milliseconds.
const OPERATIONS_BESIDES: usize = 1 << 15;

/// Operations between two calls of the parser's callback (`OP_COUNT_PER_PARSER_CALLBACK_CHECK` in tree-sitter's
/// parser.c).
const OPERATIONS_PER_CALLBACK: usize = 100;

/// Memory requests allowed per byte of text. Error recovery tries hundreds of symbols within one operation and
/// requests memory for each that fits; a request takes up to two microseconds. Of those files, three made more
/// requests; two of these are C files with most of their lines under errors.
const MAX_REQUESTS_PER_BYTE: usize = 2;

/// Memory requests allowed in addition.
const REQUESTS_BESIDES: usize = 1 << 15;

/// Total bytes that the requests may have per byte of text, because the cost of copies grows with their size. Those
/// files requested at most 390.
const MAX_REQUESTED_PER_BYTE: usize = 1 << 9;

/// Bytes allowed in addition.
const REQUESTED_BESIDES: usize = 32 << 20;

/// Stack nodes allowed per byte of text, summed over all callbacks, because the parser walks over its stack at each
/// error. Those files had at most 2.0; texts for which the parser keeps everything on its stack have 100 and more.
const MAX_STACK_NODES_PER_BYTE: usize = 4;

/// Stack nodes allowed in addition.
const STACK_NODES_BESIDES: usize = 1 << 16;

/// Bytes of text for each scanner state that may be nearly full. HTML nested ten thousand times reads and writes all
/// its open tags at each token. Those files had no such state.
const BYTES_PER_FULL_STATE: usize = 256;

/// Nearly full states allowed in addition.
const FULL_STATES_BESIDES: usize = 1 << 11;

/// Bytes that a parse may hold per byte of text. Those files held at most 102, except one of 68 kilobytes that held
/// 233.
const MAX_HELD_PER_BYTE: usize = 128;

/// Bytes that may be held in addition, and at most.
const HELD_BESIDES: usize = 16 << 20;
const MAX_HELD: usize = 192 << 20;

/// Bytes that the parser gets at a time, so that repeated reads can be counted.
const CHUNK: usize = 1024;

/// How often a text may be read on average, in pieces of [`CHUNK`]. Real files took at most 28. A scanner that looks
/// far ahead at each token reads the same text repeatedly: Python's scanner reads all comment lines that follow.
const MAX_READINGS: usize = 32;

/// Bytes that may be read in addition, which takes a tenth of a second. Five hundred comment lines in a row can be
/// code that somebody commented out.
const READINGS_BESIDES: usize = 8 << 20;

/// Bytes of thread stack per byte of text. The parser frees its own stack by recursion, in the worst case one level
/// per token (`stack_node_release` in tree-sitter's stack.c; `(a)-` repeated in Java takes 48). Only the used part
/// takes memory.
const STACK_PER_BYTE: usize = 128;

/// Bytes of thread stack for a parse of a very short text.
const MIN_STACK: usize = 256 << 10;

/// The parses of one blob: first of the whole, then of parts of it. All parts together may use the work that the whole
/// left over, and at least a quarter of its allowance.
pub(crate) struct Parses<'a> {
    pub(crate) blob: &'a [u8],
    pub(crate) grammar: &'static Grammar,
    /// The blob as the grammar sees it.
    seen: Cow<'a, [u8]>,
    /// Number of bytes of the blob that the grammar does not see, conditions of `#if` apart.
    pub(crate) blanked: u32,
    /// Macros that annotate declarations, and annotations that the grammar does not know; it sees blanks for them.
    pub(crate) annotations: Vec<Span>,
    /// The `#if`s of which one branch is read; mostly empty.
    pub(crate) hidden: Vec<Conditional>,
    /// The work that is left for further parts.
    left: Cell<Work>,
    /// Ties the parses to this thread, because all work on the blob during its parse is done on this thread.
    _reading: ReadingGuard,
}

/// Work of a parser, as counts that are the same for the same text on every machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Calls of its callback, one per hundred operations.
    pub callbacks: usize,
    /// Pieces of a kilobyte that it read.
    pub chunks: usize,
    /// Requests of memory.
    pub requests: u64,
    /// Bytes of all requests.
    pub requested: u64,
    /// Most bytes held at one time.
    pub held: i64,
    /// Stack nodes, summed over all callbacks.
    pub stack_nodes: u64,
    /// Scanner states that were nearly full.
    pub full_states: u64,
}

impl Work {
    /// The work allowed for a text of this many bytes.
    fn budget_for(bytes: usize) -> Self {
        Self {
            callbacks: (OPERATIONS_BESIDES + bytes * MAX_OPERATIONS_PER_BYTE) / OPERATIONS_PER_CALLBACK,
            chunks: (READINGS_BESIDES + bytes * MAX_READINGS) / CHUNK,
            requests: (REQUESTS_BESIDES + bytes * MAX_REQUESTS_PER_BYTE) as u64,
            requested: (REQUESTED_BESIDES + bytes * MAX_REQUESTED_PER_BYTE) as u64,
            held: (HELD_BESIDES + bytes * MAX_HELD_PER_BYTE).min(MAX_HELD) as i64,
            stack_nodes: (STACK_NODES_BESIDES + bytes * MAX_STACK_NODES_PER_BYTE) as u64,
            full_states: (FULL_STATES_BESIDES + bytes / BYTES_PER_FULL_STATE) as u64,
        }
    }

    /// One of `parts` equal shares of it. The limit on held memory stays the same.
    fn part(&self, parts: usize) -> Self {
        Self {
            callbacks: self.callbacks / parts,
            chunks: self.chunks / parts,
            requests: self.requests / parts as u64,
            requested: self.requested / parts as u64,
            held: self.held,
            stack_nodes: self.stack_nodes / parts as u64,
            full_states: self.full_states / parts as u64,
        }
    }

    /// Adds the memory requests since `before`.
    fn add_allocations(&mut self, before: Allocations) {
        let now = allocations();
        self.requests = now.requests - before.requests;
        self.requested = now.bytes - before.bytes;
        self.held = self.held.max(now.held - before.held);
        self.stack_nodes += u64::try_from(now.stack_nodes - before.stack_nodes).unwrap_or(0);
    }

    fn is_within(&self, allowed: &Self) -> bool {
        self.callbacks <= allowed.callbacks
            && self.chunks <= allowed.chunks
            && self.requests <= allowed.requests
            && self.requested <= allowed.requested
            && self.held <= allowed.held
            && self.stack_nodes <= allowed.stack_nodes
            && self.full_states <= allowed.full_states
    }

    /// The larger of both, count by count.
    fn or_more(&self, other: &Self) -> Self {
        Self {
            callbacks: self.callbacks.max(other.callbacks),
            chunks: self.chunks.max(other.chunks),
            requests: self.requests.max(other.requests),
            requested: self.requested.max(other.requested),
            held: self.held.max(other.held),
            stack_nodes: self.stack_nodes.max(other.stack_nodes),
            full_states: self.full_states.max(other.full_states),
        }
    }

    /// The rest after `spent`. Memory that was held is available again.
    fn less(&self, spent: &Self) -> Self {
        Self {
            callbacks: self.callbacks.saturating_sub(spent.callbacks),
            chunks: self.chunks.saturating_sub(spent.chunks),
            requests: self.requests.saturating_sub(spent.requests),
            requested: self.requested.saturating_sub(spent.requested),
            held: self.held,
            stack_nodes: self.stack_nodes.saturating_sub(spent.stack_nodes),
            full_states: self.full_states.saturating_sub(spent.full_states),
        }
    }
}

impl<'a> Parses<'a> {
    /// The parses of `blob` by `grammar`; nothing is parsed yet.
    pub(crate) fn new(blob: &'a [u8], grammar: &'static Grammar) -> Self {
        let left = Cell::new(Work::budget_for(blob.len()).part(4));
        Self {
            blob,
            grammar,
            seen: Cow::Borrowed(blob),
            blanked: 0,
            annotations: Vec::new(),
            hidden: Vec::new(),
            left,
            _reading: ReadingGuard::of(blob),
        }
    }

    /// As [`Self::new`], of a blob in which the grammar sees blanks for the middles of lines that are too long for it;
    /// `None` where it should read nothing.
    pub(crate) fn of_readable(blob: &'a [u8], grammar: &'static Grammar) -> Option<Self> {
        let overlong = overlong_middles(blob)?;
        let mut parses = Self::new(blob, grammar);
        for middle in overlong {
            parses.seen.to_mut()[middle.start as usize..middle.end as usize].fill(b' ');
            parses.blanked += middle.len();
        }
        parses.annotations = annotation_macros(grammar.row, blob);
        for annotation in &parses.annotations {
            // Line ends stay for the numbers of lines.
            let inside = &mut parses.seen.to_mut()[annotation.start as usize..annotation.end as usize];
            inside.iter_mut().filter(|byte| !byte.is_ascii_whitespace()).for_each(|byte| *byte = b' ');
        }
        Some(parses)
    }

    /// The tree of the whole blob; `None` when it takes more work than allowed. If it has errors, and fewer if only one
    /// branch is read of each `#if` for which it has no node, that tree; else of every `#if`, if more of the blob is read so.
    /// Then [`Self::hidden`] are those `#if`s.
    ///
    /// A text that can be shown in other syntax is parsed again where the grammar misreads it.
    ///
    /// Costs up to two more parses for a blob with errors and `#if`, within the work that the one before left; and up to two
    /// more in such a language, each of which may take as much as the first one.
    pub(crate) fn parse_blob(&mut self) -> Option<Tree> {
        let mut tree = match self.parse_blob_measured().0 {
            Some(tree) => tree,
            // Errors that grow at each place that the grammar does not know can take too much work.
            None => self.parse_respelled_first()?,
        };
        // Annotations that were in an error may be misread once it is mended.
        for _ in 0..2 {
            let Some(better) = self.parse_respelled(&tree) else { break };
            tree = better;
        }
        if !tree.root_node().has_error() {
            return Some(tree);
        }
        let bytes_in_errors = bytes_in_errors(&tree, &self.seen);
        let all = conditionals(self.grammar.row.name, self.blob);
        let misread = misread(&tree, self.blob, &all);
        if let Some((better, bytes)) = self.parse_without(&misread)
            && bytes < bytes_in_errors
        {
            self.hide(misread);
            return Some(better);
        }
        // It cannot pay if more would be unread than is in errors now.
        if misread.len() < all.len()
            && unread_bytes(&all) < bytes_in_errors
            && let Some((better, bytes)) = self.parse_without(&all)
            && bytes + unread_bytes(&all) < bytes_in_errors
        {
            self.hide(all);
            return Some(better);
        }
        Some(tree)
    }

    /// The tree of the blob with one branch of each of `hidden`, and its bytes in errors; `None` if `hidden` is empty or
    /// the parse takes too much work.
    fn parse_without(&self, hidden: &[Conditional]) -> Option<(Tree, usize)> {
        if hidden.is_empty() {
            return None;
        }
        let text = self.without(hidden);
        let tree = self.within_left(&text, None)?;
        let bytes = bytes_in_errors(&tree, &text);
        Some((tree, bytes))
    }

    /// The tree of the blob in syntax that the grammar knows, if it differs and has no more bytes in errors than `tree`, or
    /// as many and no more annotations that are misread. Then the grammar goes on to see that syntax: if an error is
    /// left, the parts under it are parsed alone.
    fn parse_respelled(&mut self, tree: &Tree) -> Option<Tree> {
        let respelling = self.grammar.row.respelling?;
        let misread = (respelling.misread_parts)(&self.seen, tree);
        let respelled = (respelling.respelled)(&self.seen, tree.root_node().has_error(), &misread)?;
        // This tree takes the place of the one before it, so its parse may take as much work.
        let better = self.parse_measured(&respelled.text).0?;
        let left = (respelling.misread_parts)(&respelled.text, &better);
        let bytes = bytes_in_errors(&better, &respelled.text);
        if (bytes, left.len()) > (bytes_in_errors(tree, &self.seen), misread.len()) {
            return None;
        }
        self.show(respelled);
        Some(better)
    }

    /// As [`Self::parse_respelled`], where nothing is known of the tree of the blob as it is. The grammar goes on to see that
    /// syntax in any case.
    fn parse_respelled_first(&mut self) -> Option<Tree> {
        let respelled = (self.grammar.row.respelling?.respelled)(&self.seen, true, &[])?;
        self.show(respelled);
        self.parse_blob_measured().0
    }

    /// Lets the grammar see `respelled` from now on.
    fn show(&mut self, respelled: RespelledText) {
        self.seen = Cow::Owned(respelled.text);
        self.annotations.extend(respelled.blanked);
        self.annotations.sort_unstable_by_key(|span| span.start);
    }

    /// The blob as the grammar sees it, with blanks in place of what it must not see of `hidden`. Line ends stay, because
    /// they end directives and comments.
    fn without(&self, hidden: &[Conditional]) -> Vec<u8> {
        let mut seen = self.seen.to_vec();
        for span in hidden.iter().flat_map(Conditional::hidden) {
            let inside = &mut seen[span.start as usize..span.end as usize];
            inside.iter_mut().filter(|byte| !byte.is_ascii_whitespace()).for_each(|byte| *byte = b' ');
        }
        seen
    }

    fn hide(&mut self, hidden: Vec<Conditional>) {
        self.seen = Cow::Owned(self.without(&hidden));
        self.blanked += unread_bytes(&hidden) as u32;
        self.hidden = hidden;
    }

    /// The tree of the whole blob as it is, with the work that it took; `None` when that is more than allowed.
    pub(crate) fn parse_blob_measured(&self) -> (Option<Tree>, Work) {
        self.parse_measured(&self.seen)
    }

    /// As [`Self::parse_blob_measured`], of the blob as `text` shows it.
    fn parse_measured(&self, text: &[u8]) -> (Option<Tree>, Work) {
        let allowed = Work::budget_for(self.blob.len());
        let (tree, spent) = parse(self.grammar, text, None, &allowed);
        self.left.set(allowed.less(&spent).or_more(&allowed.part(4)));
        (tree, spent)
    }

    /// The parts of the blob that `tree`, its tree, leaves out behind an error, in order.
    pub(crate) fn abandoned_parts(&self, tree: &Tree) -> Vec<Span> {
        abandoned_parts(tree, &self.seen)
    }

    /// The tree of `range` of the blob, at its place. `None` when it takes more than half of the work that is left, so
    /// that some is left for later parts.
    pub(crate) fn part(&self, range: Range) -> Option<Tree> {
        self.within_left(&self.seen, Some(range))
    }

    /// The tree of `text`, a part of the blob, parsed as if it were a whole file; `None` as for [`Self::part`].
    pub(crate) fn parse_snippet(&self, text: &[u8]) -> Option<Tree> {
        self.within_left(text, None)
    }

    fn within_left(&self, text: &[u8], range: Option<Range>) -> Option<Tree> {
        let left = self.left.get();
        let (tree, spent) = parse(self.grammar, text, range, &left.part(2));
        self.left.set(left.less(&spent));
        tree
    }
}

/// Parses `range` of `blob`, or all of it, unless that takes more than `allowed`. Also returns the work that it took.
/// Copies the blob only if the scanner must not see some of it.
///
/// Each parse uses a new parser, because memory that an old parser keeps for reuse would not be requested and counted.
fn parse(grammar: &Grammar, blob: &[u8], range: Option<Range>, allowed: &Work) -> (Option<Tree>, Work) {
    let span = range
        .map_or(Span::new(0, blob.len() as u32), |range| Span::new(range.start_byte as u32, range.end_byte as u32));
    let text = disguised(grammar, blob, span);
    let (before, full_before) = (allocations(), full_states());
    let mut parser = Parser::new();
    if parser.set_language(&grammar.language).is_err()
        || range.is_some_and(|range| parser.set_included_ranges(&[range]).is_err())
    {
        return (None, Work::default());
    }
    let chunks = Cell::new(0);
    let mut work = Work::default();
    let mut count = |_: &ParseState| {
        work.callbacks += 1;
        work.chunks = chunks.get();
        work.full_states = full_states() - full_before;
        work.add_allocations(before);
        if work.is_within(allowed) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let mut read = |at: usize, _| {
        let rest = text.get(at..).unwrap_or_default();
        chunks.set(chunks.get() + 1);
        if chunks.get() > allowed.chunks {
            // The parser stops at its next callback. Until then it must get the text, because it relies on bytes that
            // it read before.
            return rest;
        }
        &rest[..rest.len().min(CHUNK)]
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    let stack = MIN_STACK + span.len() as usize * STACK_PER_BYTE;
    let tree = stacker::maybe_grow(stack, stack, || {
        let parse = || parser.parse_with_options(&mut read, None, Some(options));
        let tree = with_serializer(grammar.serialize, parse);
        // A parser that was stopped frees its stack with the same recursion depth as one that was not.
        drop(parser);
        tree
    });
    work.chunks = chunks.get();
    work.full_states = full_states() - full_before;
    work.add_allocations(before);
    (tree.filter(|_| work.is_within(allowed)), work)
}

/// Those of `all` for which no node of the tree begins with their `#` and reaches to their end, in order.
fn misread(tree: &Tree, blob: &[u8], all: &[Conditional]) -> Vec<Conditional> {
    if all.is_empty() {
        return Vec::new();
    }
    // In order of their starts, because a node comes before those inside it.
    let mut nodes: Vec<Span> = Vec::new();
    let mut cursor = tree.walk();
    'walk: loop {
        let node = cursor.node();
        // The directives of C, C++ and C# have nodes of kinds such as `preproc_ifdef`.
        if node.kind().starts_with("preproc_if") {
            nodes.push(span_of(node));
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    let is_misread = |conditional: &&Conditional| {
        let text = conditional.whole.of(blob);
        let start = conditional.whole.start + (text.len() - text.trim_ascii_start().len()) as u32;
        let end = conditional.whole.start + text.trim_ascii_end().len() as u32;
        let first = nodes.partition_point(|node| node.start < start);
        nodes.get(first).is_none_or(|node| node.start != start || node.end < end)
    };
    all.iter().filter(is_misread).cloned().collect()
}

/// Errors and missing tokens of the tree that are not inside another error, in order.
pub(crate) fn outermost_errors(tree: &Tree) -> Vec<Node<'_>> {
    let mut errors = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            errors.push(node);
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return errors;
            }
        }
    }
}

/// The bytes of `tree`, the tree of `text`, in errors and in abandoned parts; a missing token counts as one.
fn bytes_in_errors(tree: &Tree, text: &[u8]) -> usize {
    let errors = outermost_errors(tree).into_iter().map(|error| span_of(error).len().max(1));
    let abandoned = abandoned_parts(tree, text).into_iter().map(|part| part.len());
    errors.chain(abandoned).sum::<u32>() as usize
}

/// The parts of `text` that no node of its `tree` holds although they have words, in order: behind an error that costs too
/// much, the parser gives up and leaves out the rest.
fn abandoned_parts(tree: &Tree, text: &[u8]) -> Vec<Span> {
    let root = tree.root_node();
    let mut parts = Vec::new();
    if !root.has_error() || root.is_error() {
        return parts;
    }
    let mut cursor = root.walk();
    let mut end = 0;
    for next in root.children(&mut cursor).map(span_of).chain([Span::new(text.len() as u32, text.len() as u32)]) {
        let part = Span::new(end, next.start.max(end));
        if part.of(text).iter().any(u8::is_ascii_alphanumeric) {
            parts.push(part);
        }
        end = end.max(next.end);
    }
    parts
}

fn unread_bytes(hidden: &[Conditional]) -> usize {
    hidden.iter().flat_map(|conditional| &conditional.unread).map(|span| span.len() as usize).sum()
}

/// `blob` with letters in place of the text inside `span` that the scanner must not see.
fn disguised<'a>(grammar: &Grammar, blob: &'a [u8], span: Span) -> Cow<'a, [u8]> {
    let mut text = Cow::Borrowed(blob);
    let Some(expression) = &grammar.must_not_see else { return text };
    let inside = span.of(blob);
    let mut from = 0;
    // Matches may overlap, but their hidden parts do not, so the search continues after the hidden part.
    while let Some(found) = expression.captures_at(inside, from) {
        let hidden = found.get(1).expect("a test asks that the first group always matches").range();
        let start = span.start as usize;
        text.to_mut()[start + hidden.start..start + hidden.end].fill(b'x');
        from = hidden.end;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::grammar;
    use crate::table::{TABLE, language_row};

    fn disguised_text(language: &str, text: &str) -> String {
        let grammar = grammar(language_row(language).unwrap());
        let shown = disguised(grammar, text.as_bytes(), Span::new(0, text.len() as u32));
        assert_eq!(shown.len(), text.len());
        String::from_utf8(shown.into_owned()).unwrap()
    }

    #[test]
    fn the_first_group_of_every_expression_always_matches() {
        let known = TABLE.iter().filter_map(|row| grammar(row).must_not_see.as_ref());
        for expression in known {
            assert_eq!(expression.static_captures_len(), Some(2), "{expression}");
            assert!(!expression.is_match(b""), "{expression}");
        }
    }

    #[test]
    fn characters_behind_a_brace_of_a_shell_are_shown_as_letters() {
        assert_eq!(disguised_text("bash", "echo {日本,b} {😀}\n"), "echo {xxx本,b} {xxxx}\n");
        assert_eq!(disguised_text("bash", "echo {1日} {1..日} {1..23日}\n"), "echo {1xxx} {1..xxx} {1..23xxx}\n");
        assert_eq!(disguised_text("bash", "{{日"), "{{xxx");
    }

    #[test]
    fn here_documents_of_ruby_with_long_words_are_no_here_documents() {
        for (open, word) in [("<<", "A"), ("<<~\"", "a b\n"), ("<<'", "é"), ("<<-`", "a")] {
            let long = word.repeat(256);
            let hidden = disguised_text("ruby", &format!("a {open}{long}\n"));
            assert_eq!(hidden, format!("a xx{}{long}\n", &open[2..]));
        }
        let inside = format!("<<'<<\"{}'\"", "a".repeat(256));
        assert_eq!(disguised_text("ruby", &inside), inside.replace("<<", "xx"));
        let long = "a ".repeat(256);
        let appended = format!("out << \"{long}\"\n{long} <<{long}");
        assert_eq!(disguised_text("ruby", &appended), appended);
    }

    #[test]
    fn deep_levels_of_yaml_are_flat() {
        let deep = format!("a:\n{}b: 1\n{}c\n", " ".repeat(260), "- ".repeat(125));
        assert_eq!(disguised_text("yaml", &deep), format!("a:\n{}\n{}\n", "x".repeat(264), "x".repeat(251)));
        let mixed = format!("{}{}", " ".repeat(200), "b: - ".repeat(30));
        assert!(disguised_text("yaml", &mixed).starts_with("xxx"));
        let prose = format!("{}- a: {}\n", " ".repeat(40), "words of a long text, ".repeat(200));
        assert_eq!(disguised_text("yaml", &prose), prose);
    }

    #[test]
    fn a_macro_of_rust_with_the_name_of_a_type_is_one() {
        let text = "fn a() { let b: str = str![[r#\"c's\"#]]; u8!(1 as u8 != 2); }\n";
        assert_eq!(disguised_text("rust", text), text.replace("str![", "xxx![").replace("u8!(", "xx!("));
        assert!(crate::syntax_errors("rust", text.as_bytes()).is_empty());
    }

    #[test]
    fn all_else_is_shown_as_it_is() {
        for text in ["echo 日本 {a,日} {1.日} 日{é,ÿ} {1..2}\n", "", "{"] {
            assert_eq!(disguised_text("bash", text), text);
        }
        let rust = grammar(language_row("rust").unwrap());
        assert!(matches!(disguised(rust, "{日".as_bytes(), Span::new(0, 4)), Cow::Borrowed(_)));
    }

    #[test]
    fn a_span_is_disguised_at_its_place() {
        let grammar = grammar(language_row("bash").unwrap());
        let text = disguised(grammar, "{日 {日 {日".as_bytes(), Span::new(5, 9));
        assert_eq!(text, "{日 {xxx {日".as_bytes());
    }

    fn is_parsed(language: &str, text: &str) -> bool {
        Parses::new(text.as_bytes(), grammar(language_row(language).unwrap())).parse_blob().is_some()
    }

    #[test]
    fn a_scanner_that_reads_the_text_again_and_again_is_stopped() {
        let comments = |lines| format!("if a:\n    b\n{}c\n", "# a line of a comment\n".repeat(lines));
        assert!(is_parsed("python", &comments(500)));
        assert!(!is_parsed("python", &comments(5_000)));
        assert!(is_parsed("javascript", &comments(5_000).replace('#', "//")));
    }

    #[test]
    fn a_recovery_from_errors_that_takes_ever_more_is_stopped() {
        for (language, piece) in [
            ("c", "#if ( \n"),
            ("csharp", "->-->>!= )\n"),
            ("css", ".//not \n"),
            ("elixir", "||--\n"),
            ("haskell", "if \\\n"),
            ("lua", "((((\n"),
            ("python", "try\\\n"),
        ] {
            let text = piece.repeat(100_000 / piece.len());
            assert!(!is_parsed(language, &text), "{language}");
            assert!(is_parsed(language, &text[..piece.len() * (2_000 / piece.len())]), "{language}");
        }
    }

    #[test]
    fn work_is_the_same_whatever_was_parsed_before() {
        let work = |text: &str| {
            let grammar = grammar(language_row("c").unwrap());
            Parses::new(text.as_bytes(), grammar).parse_blob_measured().1
        };
        let text = "int a(void) { return b(1, }\n#if x\nint c;\n".repeat(500);
        let first = work(&text);
        work(&"((((\n".repeat(5_000));
        assert_eq!(work(&text), first);
        let elsewhere = std::thread::spawn({
            let text = text.clone();
            move || work(&text)
        });
        assert_eq!(elsewhere.join().unwrap(), first);
    }

    #[test]
    fn nodes_of_the_stack_are_told_by_their_length() {
        let nodes = |text: &str| {
            let grammar = grammar(language_row("json").unwrap());
            let work = Parses::new(text.as_bytes(), grammar).parse_blob_measured().1;
            work.stack_nodes / work.callbacks.max(1) as u64
        };
        let flat = nodes(&format!("[\n{}1]\n", "1,\n".repeat(2_000)));
        let deep = nodes(&"[\n".repeat(2_000));
        assert!(flat < 100, "{flat}");
        assert!((1_000..4_100).contains(&deep), "{deep}");
    }

    #[test]
    fn tags_in_each_other_without_end_are_stopped() {
        assert!(!is_parsed("html", &"<div</\n".repeat(70_000)));
        assert!(is_parsed("html", &"<div>\n<p>text</p>\n</div>\n".repeat(10_000)));
        assert!(is_parsed("html", &"<font>text</font> <div>\n".repeat(500)));
    }

    #[test]
    fn a_stack_that_is_freed_by_recursion_has_room() {
        let text = ["(a)-".repeat(20).as_str(), "\n"].concat().repeat(500);
        let parse = move || is_parsed("java", &text);
        let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(parse).unwrap();
        thread.join().unwrap();
    }
}

//! The tokens of a text with the data that decides their layout: the place of a token in its node, and what patterns
//! say.

use std::collections::{HashMap, HashSet};

use icr_model::Span;
use tree_sitter::Node;

use super::vocabulary::Style;

/// A token.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShapeToken {
    pub(super) span: Span,
    /// Whether it is a named node of the grammar, not a keyword or a sign.
    pub(super) named: bool,
    /// Whether it is the first or last child of its node, ignoring comments.
    pub(super) first: bool,
    pub(super) last: bool,
    pub(super) style: Option<Style>,
}

/// The tokens of a tree in order, as a walk finds them.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) all: Vec<ShapeToken>,
    /// Nodes that are left out of all texts.
    left_out: Vec<Span>,
    /// Ends of nodes that are beside others of the same kind.
    member_ends: HashSet<u32>,
    /// What patterns say about nodes, by first byte and end.
    styles: HashMap<(u32, u32), Style>,
    /// For each open node: whether a child was found, and the token of its last child.
    open: Vec<(bool, Option<usize>)>,
    /// One past the last token or comment that was read.
    read_end: u32,
}

impl Tokens {
    /// Records what a pattern says about `span`.
    pub(super) fn style(&mut self, span: Span, style: Style) {
        match style {
            Style::LeftOut => self.left_out.push(span),
            Style::Member => drop(self.member_ends.insert(span.end)),
            _ => drop(self.styles.insert((span.start, span.end), style)),
        }
    }

    /// Whether a member ends with `token`.
    pub(super) fn ends_member(&self, token: &ShapeToken) -> bool {
        self.member_ends.contains(&token.span.end)
    }

    /// Whether the node counts as one token, whatever is inside.
    pub(super) fn is_whole(&self, span: Span) -> bool {
        matches!(self.styles.get(&(span.start, span.end)), Some(Style::Verbatim | Style::Quoted))
    }

    /// Opens a node that is not a token.
    pub(super) fn open(&mut self) {
        if let Some(around) = self.open.last_mut() {
            *around = (true, None);
        }
        self.open.push((false, None));
    }

    /// Closes the innermost open node.
    pub(super) fn close(&mut self) {
        if let Some((_, Some(token))) = self.open.pop() {
            self.all[token].last = true;
        }
    }

    /// Sorts the parts that are left out, when everything is read.
    pub(super) fn finish(&mut self) {
        self.left_out.sort_unstable_by_key(|span| span.start);
    }

    /// Nodes inside `span` that are left out.
    pub(super) fn left_out_of(&self, span: Span) -> impl Iterator<Item = Span> + '_ {
        let first = self.left_out.partition_point(|left_out| left_out.start < span.start);
        let inside = self.left_out[first..].iter().take_while(move |left_out| left_out.start < span.end);
        inside.copied()
    }

    /// Adds `node` as a token.
    pub(super) fn push(&mut self, node: Node<'_>, span: Span, text: &[u8]) {
        if span.is_empty() || node.is_missing() {
            return;
        }
        self.text_until(span.start, text);
        let first = self.open.last().is_none_or(|(found, _)| !found);
        let last = self.open.is_empty();
        let style = self.styles.get(&(span.start, span.end)).copied();
        let index = self.all.len();
        self.add(ShapeToken { span, named: node.is_named(), first, last, style }, text);
        if index < self.all.len()
            && let Some(around) = self.open.last_mut()
        {
            *around = (true, Some(index));
        }
        self.read_end = span.end;
    }

    /// Skips a comment.
    pub(super) fn comment(&mut self, span: Span, text: &[u8]) {
        self.text_until(span.start, text);
        self.read_end = self.read_end.max(span.end);
    }

    /// Adds the text before `end` that has no node.
    fn text_until(&mut self, end: u32, text: &[u8]) {
        if self.read_end < end {
            let span = Span::new(self.read_end, end);
            self.add(ShapeToken { span, named: false, first: false, last: false, style: None }, text);
        }
    }

    /// Adds a token without the white space that some grammars include. A token that only joins lines is dropped.
    fn add(&mut self, token: ShapeToken, text: &[u8]) {
        let bytes = token.span.of(text);
        let space = |byte: &&u8| byte.is_ascii_whitespace();
        let joins_lines =
            bytes.contains(&b'\n') && bytes.iter().all(|byte| byte.is_ascii_whitespace() || *byte == b'\\');
        if joins_lines || bytes.trim_ascii().is_empty() {
            return;
        }
        let (before, behind) = (bytes.iter().take_while(space).count(), bytes.iter().rev().take_while(space).count());
        let span = Span::new(token.span.start + before as u32, token.span.end - behind as u32);
        self.all.push(ShapeToken { span, ..token });
    }
}

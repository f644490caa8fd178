//! Definitions inside raw tokens: the braces in a macro invocation are parsed again as source.

use icr_model::Span;
use tree_sitter::{Node, Range, Tree};

use crate::definitions::span_of;
use crate::grammar::flag;
use crate::walk::{TreeWalk, WalkExtent};

/// Most nested macro invocations that are read as definitions.
const MAX_ITEMS_DEPTH: u32 = 4;

impl TreeWalk<'_> {
    /// Reads raw tokens between braces as source. Returns whether all of it was read, including tokens. Otherwise only
    /// the definitions that parse without an error were kept, also from inner braces (`if … { fn a() {} } else { …
    /// }`).
    pub(crate) fn items(&mut self, tokens: Node<'_>, reading: WalkExtent, depth: u32) -> bool {
        let span = span_of(tokens);
        if depth > MAX_ITEMS_DEPTH || span.len() < 2 || self.blob[span.start as usize] != b'{' {
            return false;
        }
        let Some(tree) = self.parse_inside(tokens) else {
            return false;
        };
        let root = tree.root_node();
        if !root.has_error() {
            if reading == WalkExtent::Everything {
                self.edge(span.start);
            }
            self.nodes(&mut tree.walk(), reading, depth);
            if reading == WalkExtent::Everything {
                self.edge(span.end - 1);
            }
            return true;
        }
        let mut kept_end = 0;
        let mut cursor = tree.walk();
        for child in root.children(&mut cursor) {
            let is_definition = self.grammar.flags(child.kind_id()) & flag::ROOT != 0;
            if is_definition && !child.has_error() {
                self.nodes(&mut child.walk(), WalkExtent::Definitions, depth);
                kept_end = child.end_byte();
            }
        }
        if depth < MAX_ITEMS_DEPTH {
            let mut cursor = tokens.walk();
            let inner: Vec<_> =
                tokens.children(&mut cursor).filter(|child| child.kind_id() == tokens.kind_id()).collect();
            for child in inner.into_iter().filter(|child| child.start_byte() >= kept_end) {
                self.items(child, WalkExtent::Definitions, depth + 1);
            }
        }
        false
    }

    /// Parses the text between the first and the last byte of `tokens`, at its place in the blob.
    fn parse_inside(&self, tokens: Node<'_>) -> Option<Tree> {
        let mut start_point = tokens.start_position();
        start_point.column += 1;
        let mut end_point = tokens.end_position();
        end_point.column = end_point.column.saturating_sub(1);
        let inside =
            Range { start_byte: tokens.start_byte() + 1, end_byte: tokens.end_byte() - 1, start_point, end_point };
        self.parses.part(inside)
    }

    /// Adds the token of one byte at `start`.
    fn edge(&mut self, start: u32) {
        self.push_token(Span::new(start, start + 1));
    }
}

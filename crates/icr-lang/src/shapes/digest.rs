//! One number for the content of a text without its comments and layout.

use icr_model::{Digest64, LineIndex, Span};
use tree_sitter::{Node, Tree};

use super::directives::directives;
use super::parsed;
use super::vocabulary::{ShapeGrammar, shape_grammar};
use crate::conditional::Conditional;
use crate::definitions::span_of;
use crate::grammar::{Grammar, flag};
use crate::islands::islands;
use crate::parse::Parses;
use crate::table::LanguageRow;
use crate::table::row_of_text;
use crate::walk::{DigestedToken, Scratch, TreeWalk, WalkOutput};

/// One in this many bytes may be under a syntax error. If more are, the tree says little about the meaning of the
/// layout.
const MIN_BYTES_PER_ERROR_BYTE: usize = 2;

/// Digest of the tokens of `text` in `language`, a name that [`crate::language_of`] gave. Comments and layout are left
/// out, and so is documentation inside a definition, such as Python's docstrings. Comments that a compiler or
/// interpreter obeys count, such as Go's `//go:build`. Layout with a meaning counts, because the nodes around the tokens
/// count too. The digests before and after a change are equal exactly when the change is one of comments or layout,
/// except for one pair in 2^64. Text that does not parse counts as written, and so do the branches of an `#if` that are
/// not read.
///
/// `None` when there is no grammar, when the text is not one that a grammar should read (binary, huge, minified), and
/// when half of it stands under syntax errors. Costs two walks over the parsed text.
pub fn token_digest(language: &str, text: &[u8]) -> Option<u64> {
    let row = row_of_text(language, text)?;
    let (parses, tree) = parsed(row, text)?;
    digest_of(row, &parses, &tree)
}

/// As [`token_digest`], of a text that is parsed.
pub(super) fn digest_of(row: &'static LanguageRow, parses: &Parses<'_>, tree: &Tree) -> Option<u64> {
    let (text, grammar) = (parses.blob, parses.grammar);
    let lines = LineIndex::new(text);
    let islands = islands(parses, tree);
    let (mut scratch, mut found) = (Scratch::default(), WalkOutput::default());
    let (scratch, islands, reread) = (&mut scratch, islands.as_slice(), Span::default());
    TreeWalk { blob: text, grammar, lines: &lines, parses, scratch, found: &mut found, islands, reread }
        .walk_tree(tree);
    if found.error_bytes as usize * MIN_BYTES_PER_ERROR_BYTE > text.len() {
        return None;
    }
    found.comments.sort_unstable_by_key(|comment| comment.start);
    let tokens = without_comments(&found);
    let code_start = tokens.first().map_or(u32::MAX, |token| token.start);
    let digest = tokens.iter().fold(Digest64::default(), |digest, token| digest.with(&token.digest.to_be_bytes()));
    let hidden = parses.annotations.iter().copied().chain(parses.hidden.iter().flat_map(Conditional::hidden));
    let directives = directives(row, text, &found.comments, code_start);
    let digest = hidden.chain(directives).fold(digest, |digest, span| {
        // The place among the tokens counts too: a condition may move over a statement.
        let place = tokens.partition_point(|token| token.start < span.start);
        digest.with(&(place as u64).to_be_bytes()).with(span.of(text))
    });
    Some(structure(digest, text, shape_grammar(row), tree, &tokens).finish())
}

/// The tokens outside of comments and docstrings, in order. The comments are in order.
fn without_comments(found: &WalkOutput) -> Vec<DigestedToken> {
    let mut tokens = found.tokens.clone();
    tokens.sort_by_key(|token| token.start);
    let mut next = 0;
    let mut end = 0;
    tokens.retain(|token| {
        while let Some(comment) = found.comments.get(next).filter(|comment| comment.start <= token.start) {
            end = end.max(comment.end);
            next += 1;
        }
        token.start >= end
    });
    tokens
}

/// Adds the nodes that contain tokens: their kinds, and which tokens they contain. The bytes themselves are added
/// where white space has or may have a meaning: in texts, and under errors.
fn structure(
    mut digest: Digest64,
    text: &[u8],
    shapes: &ShapeGrammar,
    tree: &Tree,
    tokens: &[DigestedToken],
) -> Digest64 {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let held = token_range_of(node, shapes.grammar, tokens);
        if let Some((first, end)) = held {
            for number in [u64::from(node.kind_id()), first as u64, end as u64] {
                digest = digest.with(&number.to_be_bytes());
            }
            if node.is_error() || shapes.is_verbatim(node.kind_id()) {
                digest = digest.with(span_of(node).of(text).trim_ascii());
            }
        }
        if held.is_some() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return digest;
            }
        }
    }
}

/// The tokens inside `node`, as a range of indices; `None` if there are none, or if `node` is a single token.
fn token_range_of(node: Node<'_>, grammar: &Grammar, tokens: &[DigestedToken]) -> Option<(usize, usize)> {
    let span = span_of(node);
    if node.child_count() == 0 && !node.is_error() || grammar.flags(node.kind_id()) & flag::COMMENT != 0 {
        return None;
    }
    let first = tokens.partition_point(|token| token.start < span.start);
    let end = first + tokens[first..].partition_point(|token| token.start < span.end);
    (first < end).then_some((first, end))
}

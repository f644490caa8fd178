//! A parse in bounded work, of text that the grammar's scanner can read.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;

use icr_model::Span;
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::grammar::Grammar;

/// Operations of the parser allowed for a byte of text. Of ten thousand files of real code none took more than 3.3; what takes
/// this many is hostile or no text of the language. Counted, not timed: facts must not depend on a clock.
const MAX_OPERATIONS_PER_BYTE: usize = 16;

/// Operations between two calls of the parser's callback (`OP_COUNT_PER_PARSER_CALLBACK_CHECK` in tree-sitter's parser.c).
const OPERATIONS_PER_CALLBACK: usize = 100;

/// Bytes that the parser is handed at a time, so that what it reads again counts.
const CHUNK: usize = 1024;

/// How often a text may be read, on average, at [`CHUNK`] a time; real files took no more than 24. A scanner that looks far ahead
/// at each token reads what lies there again and again: that of Python looks through all comment lines that follow.
const MAX_READINGS: usize = 64;

/// Bytes that may be read besides, in a third of a second: a thousand comment lines in a row are code that somebody
/// commented out.
const READINGS_BESIDES: usize = 32 << 20;

/// Bytes of stack for each byte of text: the parser frees its own stack by recursion, a level for each token at worst
/// (`stack_node_release` in tree-sitter's stack.c; `(a)-` again and again in Java takes 48). Only what is used takes memory.
const STACK_PER_BYTE: usize = 128;

/// Bytes of stack for a parse of next to nothing.
const MIN_STACK: usize = 256 << 10;

/// Parses what the parser includes of `blob`, which is inside `span`; `None` when that takes beyond measure many
/// operations, or reads the text beyond measure often. Copies the blob only where the scanner must not see it as it is.
pub(crate) fn parse(parser: &mut Parser, grammar: &Grammar, blob: &[u8], span: Span) -> Option<Tree> {
    let text = disguised(grammar, blob, span);
    let length = 1000 + span.len() as usize;
    let mut callbacks_left = length * MAX_OPERATIONS_PER_BYTE / OPERATIONS_PER_CALLBACK;
    let chunks_left = Cell::new((length * MAX_READINGS + READINGS_BESIDES) / CHUNK);
    let mut count = |_: &ParseState| {
        if callbacks_left == 0 || chunks_left.get() == 0 {
            return ControlFlow::Break(());
        }
        callbacks_left -= 1;
        ControlFlow::Continue(())
    };
    let mut read = |at: usize, _| {
        let rest = text.get(at..).unwrap_or_default();
        let Some(left) = chunks_left.get().checked_sub(1) else {
            // The parser stops at its next callback. Until then it gets what it wants: it relies on bytes that it read before.
            return rest;
        };
        chunks_left.set(left);
        &rest[..rest.len().min(CHUNK)]
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    let stack = MIN_STACK + span.len() as usize * STACK_PER_BYTE;
    stacker::maybe_grow(stack, stack, || {
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        if tree.is_none() || chunks_left.get() == 0 {
            // An abandoned parse would be resumed by the next.
            parser.reset();
            return None;
        }
        tree
    })
}

/// `blob` with letters for what the scanner must not see inside `span`.
fn disguised<'a>(grammar: &Grammar, blob: &'a [u8], span: Span) -> Cow<'a, [u8]> {
    let mut text = Cow::Borrowed(blob);
    let Some(expression) = &grammar.must_not_see else { return text };
    let inside = span.of(blob);
    let mut from = 0;
    // Matches may overlap; what they hide does not.
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

    fn shown(language: &str, text: &str) -> String {
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
        assert_eq!(shown("bash", "echo {日本,b} {😀}\n"), "echo {xxx本,b} {xxxx}\n");
        assert_eq!(shown("bash", "echo {1日} {1..日} {1..23日}\n"), "echo {1xxx} {1..xxx} {1..23xxx}\n");
        assert_eq!(shown("bash", "{{日"), "{{xxx");
    }

    #[test]
    fn here_documents_of_ruby_with_long_words_are_no_here_documents() {
        for (open, word) in [("<<", "A"), ("<<~\"", "a b\n"), ("<<'", "é"), ("<<-`", "a")] {
            let long = word.repeat(256);
            let hidden = shown("ruby", &format!("a {open}{long}\n"));
            assert_eq!(hidden, format!("a xx{}{long}\n", &open[2..]));
        }
        let inside = format!("<<'<<\"{}'\"", "a".repeat(256));
        assert_eq!(shown("ruby", &inside), inside.replace("<<", "xx"));
        let long = "a ".repeat(256);
        let appended = format!("out << \"{long}\"\n{long} <<{long}");
        assert_eq!(shown("ruby", &appended), appended);
    }

    #[test]
    fn deep_levels_of_yaml_are_flat() {
        let deep = format!("a:\n{}b: 1\n{}c\n", " ".repeat(260), "- ".repeat(125));
        assert_eq!(shown("yaml", &deep), format!("a:\n{}\n{}\n", "x".repeat(264), "x".repeat(251)));
        let mixed = format!("{}{}", " ".repeat(200), "b: - ".repeat(30));
        assert!(shown("yaml", &mixed).starts_with("xxx"));
        let prose = format!("{}- a: {}\n", " ".repeat(40), "words of a long text, ".repeat(200));
        assert_eq!(shown("yaml", &prose), prose);
    }

    #[test]
    fn all_else_is_shown_as_it_is() {
        for text in ["echo 日本 {a,日} {1.日} 日{é,ÿ} {1..2}\n", "", "{"] {
            assert_eq!(shown("bash", text), text);
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
        let grammar = grammar(language_row(language).unwrap());
        let mut parser = Parser::new();
        parser.set_language(&grammar.language).unwrap();
        parse(&mut parser, grammar, text.as_bytes(), Span::new(0, text.len() as u32)).is_some()
    }

    #[test]
    fn a_scanner_that_reads_the_text_again_and_again_is_stopped() {
        let comments = |lines| format!("if a:\n    b\n{}c\n", "# a line of a comment\n".repeat(lines));
        assert!(is_parsed("python", &comments(1_000)));
        assert!(!is_parsed("python", &comments(5_000)));
        assert!(is_parsed("javascript", &comments(5_000).replace('#', "//")));
    }

    #[test]
    fn a_stack_that_is_freed_by_recursion_has_room() {
        let text = ["(a)-".repeat(20).as_str(), "\n"].concat().repeat(500);
        let parse = move || is_parsed("java", &text);
        let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(parse).unwrap();
        thread.join().unwrap();
    }
}

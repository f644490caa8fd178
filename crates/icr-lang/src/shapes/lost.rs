//! Definitions that a text has by its words, and that its facts lack because the grammar misread what stands around them.
//!
//! An error says where a grammar stopped to understand a text, not how far the damage reaches: the text behind it may be
//! read as expressions, or not at all. Words such as `class` and `fn` begin a definition wherever they stand, so they show
//! what is missing.

use icr_model::{Facts, Span};
use tree_sitter::{Node, Tree};

use crate::definitions::span_of;
use crate::grammar::{Grammar, flag};
use crate::table::DefiningWords;

/// Most bytes from a word that begins a definition to the end of its head. Longer heads are cut.
const LONGEST_HEAD: usize = 500;

/// Whether a word that begins a definition was read as a name, so that the text around it was misread although the tree may
/// have no error. Costs a walk over the tree.
pub(super) fn has_misread_words(grammar: &Grammar, text: &[u8], tree: &Tree) -> bool {
    let defining = &grammar.row.defining_words;
    let mut is_misread = false;
    if !defining.is_empty() {
        leaves(grammar, tree, |leaf| {
            let is_name = grammar.flags(leaf.kind_id()) & flag::IDENTIFIER != 0;
            is_misread |= is_name && defining.contain(span_of(leaf).of(text));
        });
    }
    is_misread
}

/// The heads of the definitions in `text` that `facts` lack, in order: each from its first word to its body or to the end of
/// its line. Without a `tree`, all words of the text count, also those of comments. Costs a walk over the tree.
pub(super) fn lost_definitions(grammar: &Grammar, text: &[u8], facts: &Facts, tree: Option<&Tree>) -> Vec<Span> {
    let defining = &grammar.row.defining_words;
    let mut lost = Vec::new();
    if defining.is_empty() {
        return lost;
    }
    let mut names: Vec<u32> = facts.symbols.iter().map(|symbol| symbol.name_start).collect();
    names.sort_unstable();
    let mut add = |word: Span| {
        let head = head_of(defining, text, word);
        let is_in_facts = |head: &Span| {
            let first = names.partition_point(|name| *name < head.start);
            names.get(first).is_some_and(|name| *name < head.end)
        };
        lost.extend(head.filter(|head| !is_in_facts(head)));
    };
    let mut read_end = 0;
    if let Some(tree) = tree {
        leaves(grammar, tree, |leaf| {
            // An error has no nodes for the text that the parser left out.
            let span = span_of(leaf);
            defining_words(defining, text, read_end, span.start).for_each(&mut add);
            read_end = read_end.max(span.end);
            let is_comment = grammar.flags(leaf.kind_id()) & flag::COMMENT != 0;
            if !is_comment && defining.contain(span.of(text)) {
                add(span);
            }
        });
    }
    defining_words(defining, text, read_end, text.len() as u32).for_each(&mut add);
    lost
}

/// Calls `each` for every node of the tree without children, in order.
fn leaves<'tree>(grammar: &Grammar, tree: &'tree Tree, mut each: impl FnMut(Node<'tree>)) {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_token = grammar.flags(node.kind_id()) & (flag::TOKEN | flag::COMMENT) != 0;
        if !is_token && cursor.goto_first_child() {
            continue;
        }
        each(node);
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The defining words between two places of a text.
fn defining_words<'a>(
    defining: &'a DefiningWords,
    text: &'a [u8],
    start: u32,
    end: u32,
) -> impl Iterator<Item = Span> + 'a {
    let gap = text.get(start as usize..end as usize).unwrap_or_default();
    let words = gap.chunk_by(|one, next| is_of_word(*one) == is_of_word(*next));
    let mut at = start;
    words.filter_map(move |word| {
        let span = Span::new(at, at + word.len() as u32);
        at = span.end;
        defining.contain(word).then_some(span)
    })
}

/// The head of the definition that begins with the defining word at `word`; `None` if no name follows, so that it has none
/// or is none.
fn head_of(defining: &DefiningWords, text: &[u8], word: Span) -> Option<Span> {
    let behind = text.get(word.end as usize..)?;
    let behind = &behind[..behind.len().min(LONGEST_HEAD)];
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t') || defining.need_body && byte.is_ascii_whitespace();
    let blanks = behind.iter().take_while(is_blank).count();
    let first = *behind.get(blanks)?;
    let is_name = is_of_word(first) && !first.is_ascii_digit() || matches!(first, b'`' | b'<');
    if blanks == 0 || !is_name {
        return None;
    }
    let length = match defining.need_body {
        true => length_before_body(behind)?,
        false => behind.iter().position(|byte| matches!(byte, b'{' | b'}' | b';' | b'\n')).unwrap_or(behind.len()),
    };
    Some(Span::new(word.start, word.end + length as u32))
}

/// The length of a head up to the brace behind it; `None` if it declares a variable, a parameter or nothing.
fn length_before_body(head: &[u8]) -> Option<usize> {
    let (mut round, mut angle, mut has_bases) = (0_u32, 0_u32, false);
    for (at, byte) in head.iter().enumerate() {
        match byte {
            b'{' => return (round == 0).then_some(at),
            b'(' => round += 1,
            b')' => round = round.checked_sub(1)?,
            b'<' => angle += 1,
            b'>' => angle = angle.checked_sub(1)?,
            b':' => has_bases = true,
            b',' if round + angle == 0 && !has_bases => return None,
            b'=' | b';' | b'}' if round + angle == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Whether the byte may be a part of a word. All bytes of other letters than those of ASCII may.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use crate::{ChunkLimits, Extractor, compared_text};

    /// Checks which heads of definitions are lost in `text`.
    #[track_caller]
    fn check(language: &str, text: &str, expected: &[&str]) {
        let facts = Extractor::new(ChunkLimits::default()).extract(language, text.as_bytes()).facts;
        let lost = compared_text(language, text.as_bytes(), &facts).lost_definitions;
        let shown: Vec<&str> =
            lost.iter().map(|head| text[head.start as usize..head.end as usize].trim_ascii_end()).collect();
        assert_eq!(shown, expected, "{language}: {text:?}");
    }

    #[test]
    fn a_definition_in_an_error_is_lost() {
        let unknown = "class A {\n  fun a() {\n    when (x) { is A if -> 1 }\n  }\n  fun b() = 1 +\n}\n\nclass C {\n  fun d()\n}\n";
        check("kotlin", unknown, &["class A", "fun b() = 1 +"]);
        check("c", "struct a { int b\nstruct c { int d; };\n", &["struct a"]);
    }

    #[test]
    fn no_definition_is_lost_where_the_text_was_read() {
        check("rust", "macro_rules! a { () => { fn b() {} }; }\nfn c() { let d: fn(u8); }\n", &[]);
        check("kotlin", "// fun a()\nval b = \"class C\"\nval d = fun(e: Int) = e\n", &[]);
        check("cpp", "struct a;\nstruct b *c(struct b *d) { return d; }\n", &[]);
        check("python", "def a(:\n    return 1\n\ndef b():\n    return 2\n", &[]);
    }

    #[test]
    fn words_that_begin_no_definition_are_not_lost() {
        check("c", "int a(struct b *c) {\n  struct b d = { 1 };\n  return (struct b) { 1 }\n}\n", &[]);
        check("javascript", "a(function (b) {});\nc(class {})\nd(\n", &[]);
        check("java", "class A { Class<?> b = A.class; int c(\n", &["class A"]);
    }
}

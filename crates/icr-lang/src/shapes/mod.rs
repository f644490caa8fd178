//! Shapes: what the signatures of definitions promise, computed from the tree on request.
//!
//! Facts say where definitions are. Shapes are used to compare changes of definitions; few questions need them, and
//! only for changed files. They are never stored, and nothing here affects facts. The `shapes.scm` of each language
//! says where a signature has its parts; no function here is specific to one language.

mod digest;
mod directives;
mod errors;
mod layout;
mod lost;
mod parts;
mod tokens;
mod vocabulary;

use icr_model::{Facts, Shape, Span, Symbol, SymbolKind};
use tree_sitter::Tree;

pub use self::digest::token_digest;
pub use self::errors::{syntax_errors, unread_branches};
use self::parts::Parts;
use self::vocabulary::{ShapeGrammar, shape_grammar};
use crate::content::is_binary;
use crate::grammar::grammar;
use crate::parse::Parses;
use crate::table::{LanguageRow, row_of_text};

/// Most bytes parsed again per byte of a text. Definitions that its tree does not show may be nested.
const MAX_BYTES_AGAIN: usize = 4;

/// The data for comparing two versions of a text, computed from one tree.
#[derive(Debug, Clone)]
pub struct ComparedText {
    /// As [`shapes`].
    pub shapes: Vec<Shape>,
    /// As [`token_digest`].
    pub token_digest: Option<u64>,
    /// Whether all of it was read. If not, [`syntax_errors`] and [`unread_branches`] say what was not.
    pub is_sound: bool,
    /// The heads of definitions that its words show and its facts lack, in order, because the grammar misread what stands
    /// around them. Empty if there is no sign that it misread anything.
    pub lost_definitions: Vec<Span>,
}

/// The data for comparing `text` in `language` with another version; `facts` are the facts of `text`. Costs one parse,
/// the walks of [`shapes`] and [`token_digest`], and up to two more.
pub fn compared_text(language: &str, text: &[u8], facts: &Facts) -> ComparedText {
    let unread = |is_sound| {
        let shapes = vec![Shape::default(); facts.symbols.len()];
        ComparedText { shapes, token_digest: None, is_sound, lost_definitions: Vec::new() }
    };
    let Some(row) = row_of_text(language, text) else { return unread(true) };
    let Some((parses, tree)) = parsed(row, text) else {
        let lost_definitions = lost::lost_definitions(grammar(row), text, facts, None);
        return ComparedText { lost_definitions, ..unread(false) };
    };
    let is_sound = !tree.root_node().has_error() && parses.hidden.is_empty();
    let is_misread = !is_sound || lost::has_misread_words(parses.grammar, text, &tree);
    let grammar = Some(shape_grammar(row)).filter(|grammar| grammar.tells_definitions());
    ComparedText {
        shapes: match grammar {
            Some(grammar) => shapes_of(grammar, facts, &parses, &tree),
            None => vec![Shape::default(); facts.symbols.len()],
        },
        token_digest: digest::digest_of(row, &parses, &tree),
        is_sound,
        lost_definitions: match is_misread {
            true => lost::lost_definitions(parses.grammar, text, facts, Some(&tree)),
            false => Vec::new(),
        },
    }
}

/// What the signature of every definition of `facts` promises, in the order of [`Facts::symbols`]. `facts` are those of
/// `text` in `language`, a name that [`crate::language_of`] gave.
///
/// A shape is empty if the language defines no shape for such a definition, if no grammar should read the text, or if
/// `facts` are those of another text. Texts in shapes are tokens with a fixed layout, so that a formatter changes
/// nothing. Costs a parse of `text` and a walk.
pub fn shapes(language: &str, text: &[u8], facts: &Facts) -> Vec<Shape> {
    read(language, text, facts).unwrap_or_else(|| vec![Shape::default(); facts.symbols.len()])
}

fn read(language: &str, text: &[u8], facts: &Facts) -> Option<Vec<Shape>> {
    let row = row_of_text(language, text)?;
    let grammar = Some(shape_grammar(row)).filter(|grammar| grammar.tells_definitions())?;
    let (parses, tree) = parsed(row, text)?;
    Some(shapes_of(grammar, facts, &parses, &tree))
}

fn shapes_of(grammar: &ShapeGrammar, facts: &Facts, parses: &Parses<'_>, tree: &Tree) -> Vec<Shape> {
    let text = parses.blob;
    let mut names: Vec<u32> = facts.symbols.iter().map(|symbol| symbol.name_start).collect();
    names.sort_unstable();
    let whole = Parts::read(grammar, text, &names, tree);
    let shape_of = |symbol: &Symbol| whole.shape(symbol.name_start, symbol.kind);
    let mut shapes: Vec<Option<Shape>> = facts.symbols.iter().map(shape_of).collect();
    // Definitions that are not in the tree, such as those inside macro invocations, are parsed alone.
    let mut bytes_left = text.len() * MAX_BYTES_AGAIN;
    for index in 0..facts.symbols.len() {
        let symbol = &facts.symbols[index];
        let asked = shapes[index].is_none() && !is_outline(symbol.kind);
        let Some(alone) = Some(symbol.span).filter(|_| asked).and_then(|span| slice(text, span)) else {
            continue;
        };
        if alone.len() > bytes_left {
            break;
        }
        bytes_left -= alone.len();
        let Some(tree) = parses.parse_snippet(alone) else {
            continue;
        };
        let span = symbol.span;
        let from = names.partition_point(|name| *name < span.start);
        let inside = names[from..].iter().take_while(|name| **name < span.end);
        let names: Vec<u32> = inside.map(|name| name - span.start).collect();
        let parts = Parts::read(grammar, alone, &names, &tree);
        let inside = facts.symbols[index..].iter().zip(&mut shapes[index..]);
        for (symbol, shape) in inside.take_while(|(symbol, _)| symbol.span.start < span.end) {
            if shape.is_none() && symbol.name_start >= span.start {
                *shape = parts.shape(symbol.name_start - span.start, symbol.kind);
            }
        }
    }
    shapes.into_iter().map(Option::unwrap_or_default).collect()
}

/// Whether definitions of that kind have a place but no shape.
fn is_outline(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Key | SymbolKind::Module | SymbolKind::Section)
}

/// The tree of `text`, and the parser for more of it; `None` when no grammar should read it, or cannot in bounded
/// work.
fn parsed<'a>(row: &'static LanguageRow, text: &'a [u8]) -> Option<(Parses<'a>, Tree)> {
    if u32::try_from(text.len()).is_err() || is_binary(text, true) {
        return None;
    }
    let mut parses = Parses::of_readable(text, grammar(row))?;
    let tree = parses.parse_blob()?;
    Some((parses, tree))
}

/// The bytes of `span`; `None` when `text` does not have them.
fn slice(text: &[u8], span: Span) -> Option<&[u8]> {
    text.get(span.start as usize..span.end as usize)
}

#[cfg(test)]
mod tests {
    use super::vocabulary::{compile, shape_grammar, text_of};
    use crate::table::TABLE;

    #[test]
    fn every_language_that_tells_definitions_has_a_fixture() {
        let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/lang");
        for row in TABLE.iter().filter(|row| shape_grammar(row).tells_definitions()) {
            let fixture = std::fs::read_to_string(fixtures.join(row.name).join("shapes.txt"));
            let fixture = fixture.unwrap_or_else(|error| panic!("`{}`: {error}", row.name));
            assert!(fixture.contains("\n--- shapes\n"), "`{}`", row.name);
        }
    }

    #[test]
    fn the_shapes_of_every_row_fit_its_grammar() {
        let mut wrong = String::new();
        for row in TABLE {
            let shapes = match compile(row) {
                Ok(shapes) => shapes,
                Err(error) => {
                    wrong += &format!("{error}\n");
                    continue;
                }
            };
            shapes.query.check_expressions().unwrap();
            // tree-sitter's engine proves that every pattern can match.
            if let Err(error) = tree_sitter::Query::new(&shapes.grammar.language, &text_of(row)) {
                wrong += &format!("{}: {error}\n", row.name);
            }
        }
        assert!(wrong.is_empty(), "{wrong}");
    }
}

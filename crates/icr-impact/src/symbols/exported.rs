//! Whether a language lets others use a definition: its own rule, from what the definition and those around it say.

use icr_model::{Span, Symbol, SymbolKind, Visibility};

use super::language::{LanguageRow, Restricted, language_row};
use super::side::{is_container, parent_of};
use super::tokens::tokens;
use super::{Reach, Side};

/// Whether others may use each entry of `side.facts.symbols`, by the rule of its language: it and all that it stands in
/// are public, or protected where heirs may use that, or nothing in the language hides them. Nothing local to a function
/// is, nor anything in Go's commands, `internal` directories and tests; sections and keys of documents never are.
///
/// What decides apart from the file is not known: whether the module that the file is can be reached, or whether a
/// package offers it on. Costs one pass over the symbols; in C++ also one over the tokens.
pub fn exported(side: &Side<'_>) -> Vec<bool> {
    let symbols = &side.facts.symbols;
    let row = language_row(&side.facts.language);
    if is_closed(side) {
        return vec![false; symbols.len()];
    }
    let hidden = if row.name == "cpp" { nameless_namespaces(side, row) } else { Vec::new() };
    let own = |symbol: &Symbol| {
        is_visible(symbol, row, side.text) && !hidden.iter().any(|span: &Span| span.contains_offset(symbol.span.start))
    };
    let of_types = HiddenTypes::of(side, &own);
    let mut known: Vec<Option<bool>> = vec![None; symbols.len()];
    for index in 0..symbols.len() {
        resolve(index, symbols, &own, &of_types, &mut known);
    }
    known.into_iter().map(|known| known == Some(true)).collect()
}

/// How the visibility of a definition that stayed changed; `None` also where either side does not say.
pub(crate) fn reach(old: Visibility, new: Visibility) -> Option<Reach> {
    use Visibility::{Private, Public, Restricted, Unspecified};
    let rank = |visibility| match visibility {
        Private => Some(0),
        Restricted => Some(1),
        Public => Some(2),
        Unspecified => None,
    };
    match (old, new) {
        // The last export of a file is gone, or its first is new.
        (Public, Unspecified) => Some(Reach::Reduced),
        (Unspecified, Public) => Some(Reach::Widened),
        _ => match rank(old)?.cmp(&rank(new)?) {
            std::cmp::Ordering::Less => Some(Reach::Widened),
            std::cmp::Ordering::Greater => Some(Reach::Reduced),
            std::cmp::Ordering::Equal => None,
        },
    }
}

/// Fills in `known[index]`, and those of what it stands in.
fn resolve(
    index: usize,
    symbols: &[Symbol],
    own: &dyn Fn(&Symbol) -> bool,
    of_types: &HiddenTypes<'_>,
    known: &mut [Option<bool>],
) {
    // From the outermost that is not known yet inwards; what damaged facts close to a circle is not exported.
    let mut path = vec![index];
    while let Some(parent) = parent_of(symbols, &symbols[path[path.len() - 1]])
        && known[parent].is_none()
        && path.len() <= symbols.len()
    {
        path.push(parent);
    }
    for at in path.into_iter().rev() {
        let symbol = &symbols[at];
        let around = parent_of(symbols, symbol);
        let is_reached = around.is_none_or(|outer| {
            let is_local = !is_container(symbols[outer].kind) && symbols[outer].span.contains(symbol.span);
            !is_local && known[outer] == Some(true)
        });
        known[at] = Some(is_reached && own(symbol) && !of_types.hide(symbol));
    }
}

/// Whether the definition itself is there for others.
fn is_visible(symbol: &Symbol, row: &LanguageRow, text: &[u8]) -> bool {
    if matches!(symbol.kind, SymbolKind::Section | SymbolKind::Key) {
        return false;
    }
    match symbol.visibility {
        Visibility::Public | Visibility::Unspecified => true,
        Visibility::Private => false,
        Visibility::Restricted => match row.restricted {
            Restricted::Hidden => false,
            Restricted::Protected => true,
            Restricted::WhenProtected => {
                let before = Span::new(symbol.span.start, symbol.name_start.max(symbol.span.start)).of(text);
                before.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').any(|word| word == b"protected")
            }
        },
    }
}

/// Whether nothing of the file can be imported, whatever it says.
fn is_closed(side: &Side<'_>) -> bool {
    let is_internal = || side.path.as_bytes().split(|byte| *byte == b'/').any(|part| part == b"internal");
    let is_command = || side.facts.provides.iter().any(|package| package == "main");
    side.facts.language == "go" && (is_internal() || is_command() || side.path.as_bytes().ends_with(b"_test.go"))
}

/// Types of a file that are not there for others: neither are blocks of members for them, and members written apart.
struct HiddenTypes<'a> {
    names: Vec<&'a str>,
    capitals: bool,
}

impl<'a> HiddenTypes<'a> {
    fn of(side: &Side<'a>, own: &dyn Fn(&Symbol) -> bool) -> Self {
        use SymbolKind::{Class, Enum, Interface, Struct, Trait, Type};
        let is_type = |kind| matches!(kind, Class | Enum | Interface | Struct | Trait | Type);
        let symbols = side.facts.symbols.iter();
        let mut names: Vec<_> =
            symbols.filter(|symbol| is_type(symbol.kind) && !own(symbol)).map(|symbol| symbol.name.as_str()).collect();
        names.sort_unstable();
        Self { names, capitals: side.facts.language == "go" }
    }

    fn hide(&self, symbol: &Symbol) -> bool {
        let of = if symbol.kind == SymbolKind::Implementation { Some(&symbol.name) } else { symbol.receiver.as_ref() };
        of.is_some_and(|of| {
            let in_lower_case = self.capitals && !of.starts_with(char::is_uppercase);
            in_lower_case || self.names.binary_search(&of.as_str()).is_ok()
        })
    }
}

/// The bodies of namespaces without a name, which are of their file only.
fn nameless_namespaces(side: &Side<'_>, row: &LanguageRow) -> Vec<Span> {
    let tokens = tokens(side.text, row.signs);
    let is = |index: usize, word: &[u8]| tokens.get(index).is_some_and(|token| token.of(side.text) == word);
    let mut spans = Vec::new();
    // Of brackets that are open: where a nameless namespace begins, if that is what the bracket opens.
    let mut open = Vec::new();
    for index in 0..tokens.len() {
        if is(index, b"{") {
            let is_nameless = index > 0 && is(index - 1, b"namespace");
            open.push(is_nameless.then_some(tokens[index].start));
        } else if is(index, b"}")
            && let Some(Some(start)) = open.pop()
        {
            spans.push(Span::new(start, tokens[index].end));
        }
    }
    spans
}

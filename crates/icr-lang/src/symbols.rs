//! From raw definitions to the symbols of the facts: parents, visibility, signatures, digests, order.

use std::collections::HashMap;

use icr_model::{LineIndex, Span, Symbol, SymbolKind, Visibility};

use crate::access_paths::{NO_PATH, PathId};
use crate::definitions::{NONE, RawSymbol, is_function, is_type};
use crate::grammar::Members;
use crate::table::{DefaultVisibility, NameRule, VisibilityRule};
use crate::token_digests::TokenDigests;
use crate::walk::WalkOutput;

/// A symbol with the additional data that chunks need.
#[derive(Debug)]
pub(crate) struct PlacedSymbol {
    pub(crate) symbol: Symbol,
    /// First byte of the comments and annotations directly above; the start of the definition if there are none.
    pub(crate) lead_start: u32,
    /// Whether it is inside a method although it is a member of the type around the method.
    pub(crate) is_in_method: bool,
}

/// The definitions of `found` in order of (start, longest first), ready for the facts.
pub(crate) fn place(blob: &[u8], lines: &LineIndex, found: &WalkOutput, rule: &VisibilityRule) -> Vec<PlacedSymbol> {
    let raw = &found.symbols;
    let names: Vec<String> = raw.iter().map(|symbol| text(blob, symbol.name)).collect();
    let parents = parents(blob, raw, &names);
    let visibilities = visibilities(blob, found, &names, rule);
    let mut order: Vec<u32> = (0..raw.len() as u32).collect();
    order.sort_by_key(|index| {
        let symbol = &raw[*index as usize];
        (symbol.span.start, std::cmp::Reverse(symbol.span.end), symbol.depth, symbol.name.start)
    });
    let mut index_of = vec![0; raw.len()];
    for (index, old) in order.iter().enumerate() {
        index_of[*old as usize] = index as u32;
    }
    let digests = TokenDigests::new(blob, &found.tokens, raw);
    let path = |path: PathId| found.occurrences.path(blob, &found.paths, path);
    let mut bases = found.bases.clone();
    bases.sort_by_key(|(symbol, _)| *symbol);
    let bases_of = |old: usize| {
        let first = bases.partition_point(|(symbol, _)| (*symbol as usize) < old);
        let own = bases[first..].iter().take_while(|(symbol, _)| *symbol as usize == old);
        own.filter_map(|(_, base)| path(*base).filter(|base| !base.is_empty())).collect()
    };
    let place_one = |old: &u32| {
        let old = *old as usize;
        let symbol = &raw[old];
        let signature = signature(blob, symbol);
        let (signature_hash, body_hash) = digests.of(symbol, signature);
        let symbol_of = Symbol {
            name: names[old].clone(),
            kind: symbol.kind,
            span: symbol.span,
            lines: lines.lines_of(symbol.span),
            name_start: symbol.name.start,
            signature,
            doc: symbol.doc,
            parent: parents[old].map(|parent| index_of[parent as usize]),
            receiver: symbol.receiver.filter(|_| parents[old].is_none()).map(|receiver| text(blob, receiver)),
            path: match symbol.path {
                NO_PATH => found.returned.get(&(old as u32)).and_then(|returned| path(*returned)),
                said => path(said),
            },
            bases: bases_of(old),
            contract: symbol.contract,
            visibility: visibilities[old],
            signature_hash,
            body_hash,
        };
        PlacedSymbol { symbol: symbol_of, lead_start: symbol.lead_start, is_in_method: symbol.assigned }
    };
    order.iter().map(place_one).collect()
}

/// The parent of each: the enclosing definition, or the type of its receiver when this blob defines that type.
fn parents(blob: &[u8], raw: &[RawSymbol], names: &[String]) -> Vec<Option<u32>> {
    let mut types = HashMap::new();
    if raw.iter().any(|symbol| symbol.receiver.is_some()) {
        for (index, symbol) in raw.iter().enumerate() {
            let is_receiver = is_type(symbol.kind) || matches!(symbol.kind, SymbolKind::Type | SymbolKind::Function);
            let outer = raw.get(symbol.parent as usize);
            let is_outermost = outer.is_none_or(|outer| outer.kind == SymbolKind::Module);
            if is_outermost && symbol.receiver.is_none() && is_receiver {
                types.entry(names[index].as_str()).or_insert(index as u32);
            }
        }
    }
    let parent_of = |symbol: &RawSymbol| match symbol.receiver {
        Some(receiver) => types.get(text(blob, receiver).as_str()).copied(),
        None => Some(symbol.parent).filter(|parent| *parent != NONE),
    };
    raw.iter().map(parent_of).collect()
}

/// The visibility of each, from the first of these that gives one: a modifier, an export, the function around it, the
/// name, the definition around it, the rule for definitions without a mark.
fn visibilities(blob: &[u8], found: &WalkOutput, names: &[String], rule: &VisibilityRule) -> Vec<Visibility> {
    let exported: Vec<&[u8]> = found.exports.iter().map(|span| span.of(blob)).collect();
    let exported: std::collections::HashSet<_> = exported.into_iter().collect();
    let unmarked = match rule.unmarked {
        DefaultVisibility::Is(visibility) => visibility,
        DefaultVisibility::PrivateAmongExports if found.has_exports => Visibility::Private,
        DefaultVisibility::PrivateAmongExports => Visibility::Unspecified,
    };
    let mut known: Vec<Visibility> = Vec::with_capacity(names.len());
    for (symbol, name) in found.symbols.iter().zip(names) {
        let parent = found.symbols.get(symbol.parent as usize);
        let of_parent = || known[symbol.parent as usize];
        let visibility = if let Some(marked) = symbol.visibility {
            marked
        } else if symbol.exported || symbol.depth == 0 && exported.contains(symbol.name.of(blob)) {
            Visibility::Public
        } else if symbol.kind == SymbolKind::Implementation {
            Visibility::Unspecified
        } else if parent.is_some_and(|parent| is_function(parent.kind)) {
            Visibility::Private
        } else if let Some(said) = rule_of_name(rule.names, name) {
            said
        } else {
            match (parent, parent.and_then(|parent| parent.members)) {
                (Some(_), Some(Members::Inherit)) => of_parent(),
                (Some(_), Some(Members::Are(visibility) | Members::Sections(visibility))) => visibility,
                (Some(_), None) if symbol.kind == SymbolKind::Variant => of_parent(),
                (Some(parent), None) if parent.kind == SymbolKind::Variant => of_parent(),
                (Some(parent), None) if parent.kind == SymbolKind::Type => of_parent(),
                (Some(parent), None) if parent.kind != SymbolKind::Module => match rule.unmarked {
                    DefaultVisibility::Is(visibility) => visibility,
                    DefaultVisibility::PrivateAmongExports => Visibility::Public,
                },
                (None, _) if symbol.kind == SymbolKind::Macro && unmarked == Visibility::Private => {
                    Visibility::Unspecified
                }
                _ => unmarked,
            }
        };
        known.push(visibility);
    }
    known
}

fn rule_of_name(rule: NameRule, name: &str) -> Option<Visibility> {
    match rule {
        NameRule::Silent => None,
        NameRule::Capitalised if name.starts_with(char::is_uppercase) => Some(Visibility::Public),
        NameRule::Capitalised => Some(Visibility::Restricted),
        NameRule::Underscore if name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__")) => {
            Some(Visibility::Private)
        }
        NameRule::Underscore => Some(Visibility::Public),
        NameRule::Hash => name.starts_with('#').then_some(Visibility::Private),
    }
}

/// From the start of the definition to its body, without the sign that begins the body or ends the statement.
fn signature(blob: &[u8], symbol: &RawSymbol) -> Span {
    let span = Span::new(symbol.signature_start, symbol.signature_end);
    let closes = |byte: &u8| byte.is_ascii_whitespace() || b":={;,".contains(byte);
    let tail = span.of(blob).iter().rev().take_while(|byte| closes(byte)).count();
    Span::new(span.start, (span.end - tail as u32).max(span.start))
}

fn text(blob: &[u8], span: Span) -> String {
    String::from_utf8_lossy(span.of(blob)).into_owned()
}

//! One side of a file as the comparison reads it: names and members at once, tokens when they are asked for.

use std::cell::OnceCell;
use std::collections::HashMap;

use icr_model::{Digest64, Span, Symbol, SymbolKind};

use super::FileSide;
use super::conditions::{Condition, conditions};
use super::export_status::exported;
use super::language::{ContractRules, contract_rules};
use super::tokens::{SourceToken, tokens};

/// A side with what is derived from it.
#[derive(Debug)]
pub(crate) struct AnalyzedSide<'a> {
    pub(crate) side: FileSide<'a>,
    pub(crate) row: &'static ContractRules,
    /// Qualified name of each symbol.
    pub(crate) names: Vec<String>,
    /// Members of each symbol, in order.
    pub(crate) members: Vec<Vec<u32>>,
    /// Whether each symbol is local to a function.
    pub(crate) local: Vec<bool>,
    exported: OnceCell<Vec<bool>>,
    tokens: OnceCell<Vec<SourceToken>>,
    conditions: OnceCell<Vec<Condition>>,
    /// How often each line occurs, by the digest of the line without the white space around it.
    line_counts: OnceCell<HashMap<u64, usize>>,
}

impl<'a> AnalyzedSide<'a> {
    pub(crate) fn new(side: FileSide<'a>) -> Self {
        let symbols = &side.facts.symbols;
        let mut members = vec![Vec::new(); symbols.len()];
        for (index, symbol) in symbols.iter().enumerate() {
            if let Some(members) = parent_of(symbols, symbol).and_then(|parent| members.get_mut(parent)) {
                members.push(index as u32);
            }
        }
        Self {
            side,
            row: contract_rules(&side.facts.language),
            names: (0..symbols.len()).map(|index| side.facts.qualified_name(index as u32)).collect(),
            members,
            local: local(symbols),
            exported: OnceCell::new(),
            tokens: OnceCell::new(),
            conditions: OnceCell::new(),
            line_counts: OnceCell::new(),
        }
    }

    /// The line that the symbol begins in, without the white space around it.
    pub(crate) fn first_line(&self, index: u32) -> &'a [u8] {
        let text = self.side.text;
        let start = (self.symbol(index).span.start as usize).min(text.len());
        let first = text[..start].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        text[first..].split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii()
    }

    /// How often `line` occurs, with any white space around it.
    pub(crate) fn line_count(&self, line: &[u8]) -> usize {
        let digest = |line: &[u8]| Digest64::default().with(line.trim_ascii()).finish();
        let counts = self.line_counts.get_or_init(|| {
            let mut counts = HashMap::new();
            for line in self.side.text.split(|byte| *byte == b'\n') {
                *counts.entry(digest(line)).or_insert(0) += 1;
            }
            counts
        });
        counts.get(&digest(line)).copied().unwrap_or(0)
    }

    pub(crate) fn symbol(&self, index: u32) -> &'a Symbol {
        &self.side.facts.symbols[index as usize]
    }

    pub(crate) fn symbols(&self) -> impl Iterator<Item = (u32, &'a Symbol)> {
        self.side.facts.symbols.iter().enumerate().map(|(index, symbol)| (index as u32, symbol))
    }

    pub(crate) fn exported(&self, index: u32) -> bool {
        self.exported.get_or_init(|| exported(&self.side))[index as usize]
    }

    /// When the symbol is there; `None` if that is always so.
    pub(crate) fn condition(&self, index: u32) -> Option<&Condition> {
        let conditions = self.conditions.get_or_init(|| conditions(self));
        conditions.get(index as usize).filter(|condition| !condition.is_always())
    }

    /// All tokens of the file.
    pub(crate) fn tokens(&self) -> &[SourceToken] {
        self.tokens.get_or_init(|| tokens(self.side.text, self.row.signs))
    }

    /// The tokens that begin in `span`.
    pub(crate) fn tokens_in(&self, span: Span) -> &[SourceToken] {
        let tokens = self.tokens();
        let first = tokens.partition_point(|token| token.start < span.start);
        let end = first + tokens[first..].partition_point(|token| token.start < span.end);
        &tokens[first..end]
    }

    /// The range before the signature, such as annotations.
    pub(crate) fn span_before_signature(&self, symbol: &Symbol) -> Span {
        between(symbol.span.start, symbol.signature.start)
    }

    /// The range after the signature: the body, or a value.
    pub(crate) fn tail(&self, symbol: &Symbol) -> Span {
        between(symbol.signature.end.max(symbol.span.start), symbol.span.end)
    }

    /// The bytes of a definition but those of a docstring.
    pub(crate) fn code(&self, symbol: &Symbol) -> [&'a [u8]; 2] {
        let text = self.side.text;
        match symbol.doc.filter(|doc| symbol.span.contains(*doc)) {
            Some(doc) => [between(symbol.span.start, doc.start).of(text), between(doc.end, symbol.span.end).of(text)],
            None => [symbol.span.of(text), &[]],
        }
    }

    /// The tokens after the signature without a docstring.
    pub(crate) fn body_tokens(&self, symbol: &Symbol) -> Vec<SourceToken> {
        let is_doc = |token: &&SourceToken| symbol.doc.is_some_and(|doc| doc.contains_offset(token.start));
        self.tokens_in(self.tail(symbol)).iter().filter(|token| !is_doc(token)).copied().collect()
    }

    /// Whether more follows the signature than the sign that ends it.
    pub(crate) fn has_body(&self, symbol: &Symbol) -> bool {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b",;".contains(byte);
        !self.tail(symbol).of(self.side.text).iter().all(ends)
    }

    /// Whether a `?` follows the name.
    pub(crate) fn is_optional(&self, symbol: &Symbol) -> bool {
        let behind = (symbol.name_start as usize).saturating_add(symbol.name.len());
        self.side.text.get(behind) == Some(&b'?')
    }
}

/// The span `start..end`; empty where damaged facts have these in another order.
pub(crate) fn between(start: u32, end: u32) -> Span {
    Span::new(start, end.max(start))
}

/// Whether definitions of this kind consist mostly of their members.
pub(crate) fn is_container(kind: SymbolKind) -> bool {
    !matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro)
}

/// Whether a kind is part of what a type is made of.
pub(crate) fn is_data(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Variable, Variant};
    matches!(kind, Constant | Field | Variable | Variant)
}

/// The parent, unless damaged facts name none that there is.
pub(crate) fn parent_of(symbols: &[Symbol], symbol: &Symbol) -> Option<usize> {
    symbol.parent.map(|parent| parent as usize).filter(|parent| *parent < symbols.len())
}

/// Whether each of `symbols` stands inside a function. A member that is written apart from the function whose member it is
/// does not.
fn local(symbols: &[Symbol]) -> Vec<bool> {
    let mut local = vec![false; symbols.len()];
    for (index, symbol) in symbols.iter().enumerate() {
        // Parents stand before their members, except those that are written apart.
        local[index] = parent_of(symbols, symbol).is_some_and(|parent| {
            let outer = &symbols[parent];
            let encloses = outer.span.contains(symbol.span);
            encloses && (!is_container(outer.kind) || parent < index && local[parent])
        });
    }
    local
}

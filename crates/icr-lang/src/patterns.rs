//! Stores what the patterns find at a node of the walk: definitions, imports, and the names that the file declares
//! itself to be.

use std::cmp::Reverse;

use icr_model::{Span, SymbolKind};
use tree_sitter::Node;

use crate::access_paths::NO_PATH;
use crate::definitions::{
    DefinitionMatch, NONE, ProvidedName, RawSymbol, is_type, is_value, kind_under, may_hold, span_of, token_digest,
};
use crate::frame::{DefinitionContext, Frame};
use crate::grammar::{Members, ProvidedNameScope, flag};
use crate::imports::ImportMatch;
use crate::walk::{TreeWalk, without_space};

/// Definitions nested deeper than this are not listed. People do not write such code, and every level costs a pass
/// over the tokens inside.
const MAX_DEPTH: u32 = 64;

/// How patterns classify a node for the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadAs {
    Itself,
    Comment,
    Annotation,
}

impl TreeWalk<'_> {
    /// Whether the patterns that begin at the flagged kind are run, in the innermost open node.
    pub(crate) fn is_asked(&self, flags: u32) -> bool {
        let local = || self.scratch.frames.last().is_some_and(|around| around.local);
        flags & flag::ROOT != 0 && !(flags & flag::ROOT_SKIPS_SCOPES != 0 && local())
    }

    /// Runs the patterns that begin at `node` and returns how they classify the node.
    pub(crate) fn read_patterns(&mut self, node: Node<'_>, flags: u32) -> ReadAs {
        if !self.is_asked(flags) {
            return ReadAs::Itself;
        }
        let matches = &mut self.scratch.matches;
        matches.read(self.grammar, node, self.blob);
        let whole = span_of(node);
        if matches.comments.contains(&whole) {
            ReadAs::Comment
        } else if matches.annotations.contains(&whole) {
            ReadAs::Annotation
        } else {
            ReadAs::Itself
        }
    }

    /// Stores what the patterns found at the node of `frame`, whose extent is `whole`.
    pub(crate) fn patterns(&mut self, whole: Span, frame: &mut Frame) {
        let mut matches = std::mem::take(&mut self.scratch.matches);
        self.found.comments.append(&mut matches.comments);
        self.found.has_exports |= !matches.exports.is_empty();
        self.found.exports.append(&mut matches.exports);
        self.found.renamed.append(&mut matches.renamed);
        self.found.type_only.append(&mut matches.type_only);
        // All patterns of the node share one statement, and so does a `require` inside it.
        if frame.statement == NONE && matches.imports.iter().any(|import| import.statement) {
            frame.statement = self.found.imports.open(frame.start, self.lines.line_of(frame.start));
            self.scratch.imported_ends.clear();
        }
        for import in matches.imports.drain(..) {
            self.import(import, frame);
        }
        for (reach, name) in matches.provides.drain(..) {
            self.provide(reach, name, frame);
        }
        self.scratch.upcoming.extend(matches.keywords.iter().map(|word| Reverse(word.start)));
        let first = self.found.symbols.len() as u32;
        for defined in matches.defined().filter(|defined| defined.span == whole) {
            if self.is_defined(defined.name) || defined.continued && self.goes_on(&defined, frame) {
                continue;
            }
            let place = DefinitionContext::of(frame, &self.scratch.frames);
            let enclosing = self.scratch.frames.last().map_or(NONE, |outer| outer.symbol);
            self.define(defined, place, enclosing, frame.local);
        }
        let own = if frame.own.0 < frame.own.1 { frame.own } else { (first, self.found.symbols.len() as u32) };
        if own.0 < own.1 {
            frame.own = own;
            frame.symbol = own.0;
            frame.local = false;
            for symbol in &mut self.found.symbols[first as usize..] {
                symbol.heading = frame.flags & flag::HEADING != 0;
            }
            frame.section = match self.found.symbols[own.0 as usize].members {
                Some(Members::Sections(visibility)) => Some(visibility),
                _ => None,
            };
        } else if frame.flags & (flag::WRAPPER | flag::WRAPPER_SINGLE) != 0 {
            frame.contract = matches.loose_contract();
        }
        for defined in matches.defined().filter(|defined| defined.span != whole) {
            let place = DefinitionContext { visibility: frame.section, ..DefinitionContext::bare(defined.span) };
            self.define(defined, place, frame.symbol, frame.local);
        }
        self.scratch.matches = matches;
    }

    fn import(&mut self, import: ImportMatch, frame: &mut Frame) {
        let separator = self.grammar.row.import_separator;
        let some = |number: u32| (number != NONE).then_some(number);
        if import.at.is_some_and(|at| self.is_on_island(at)) {
            return;
        }
        self.scratch.imported_ends.extend(import.ends.iter().flatten());
        if let Some(scope) = &import.scope {
            frame.scope = self.found.imports.open_scope(some(frame.scope), scope, separator);
            return;
        }
        if let Some(statement) = some(frame.statement) {
            self.found.imports.add(statement, some(frame.scope), import, separator);
        }
    }

    /// Adds a name that the file declares itself to be.
    fn provide(&mut self, reach: ProvidedNameScope, name: Span, frame: &mut Frame) {
        let number = self.found.provides.len() as u32;
        let outer = if reach == ProvidedNameScope::Itself { NONE } else { frame.provided };
        self.found.provides.push(ProvidedName { outer, name, scope: reach });
        match reach {
            ProvidedNameScope::Itself | ProvidedNameScope::Global => {}
            ProvidedNameScope::Inside => frame.provided = number,
            ProvidedNameScope::Following => {
                if let Some(around) = self.scratch.frames.last_mut() {
                    around.provided = number;
                }
            }
        }
    }

    /// Adds a definition under the enclosing definition. Drops values that are local to a function.
    fn define(&mut self, defined: DefinitionMatch, place: DefinitionContext, enclosing: u32, local: bool) {
        if local && is_value(defined.kind) || self.is_on_island(defined.name.start) {
            return;
        }
        let parent = self.holder(enclosing, defined.kind);
        let outer = self.found.symbols.get(parent as usize);
        let depth = outer.map_or(0, |outer| outer.depth + 1);
        if depth > MAX_DEPTH {
            return;
        }
        let kind = if local { defined.kind } else { kind_under(defined.kind, outer.map(|outer| outer.kind)) };
        let signature_end = defined.body.unwrap_or(defined.span.end);
        let is_in_implementation = outer.is_some_and(|outer| outer.kind == SymbolKind::Implementation);
        let of_wrapper = place.contract.filter(|_| is_type(kind));
        let contract = defined.contract.or(of_wrapper).filter(|_| !is_in_implementation);
        let lead = place.lead;
        let doc = (lead.doc_end > lead.doc_start).then(|| Span::new(lead.doc_start, lead.doc_end));
        if kind != SymbolKind::Implementation {
            self.scratch.upcoming.push(Reverse(defined.name.start));
        }
        if self.grammar.has_fields && outer.is_some_and(|outer| is_type(outer.kind)) {
            self.found.members.insert((parent, token_digest(defined.name.of(self.blob))));
        }
        self.found.comments.extend(defined.doc);
        let whole = Span::new(place.span.start.min(lead.annotation), place.span.end);
        let span = without_space(self.blob, whole);
        self.found.symbols.push(RawSymbol {
            kind,
            name: defined.name,
            span,
            lead_start: lead.start.min(place.span.start),
            signature_start: place.signature_start,
            signature_end: signature_end.min(span.end).max(place.signature_start),
            doc: doc.or(defined.doc),
            parent,
            depth,
            contract,
            members: defined.members,
            receiver: defined.receiver,
            visibility: place.visibility,
            exported: place.exported,
            heading: false,
            assigned: false,
            path: NO_PATH,
        });
    }

    /// Adds a field whose value the current assignment sets, unless `ty` already has a member of that name. Returns
    /// whether it was added.
    pub(crate) fn define_field(&mut self, name: Span, digest: u64, ty: u32) -> bool {
        if !self.found.members.insert((ty, digest)) || self.is_on_island(name.start) {
            return false;
        }
        let Some(statement) = self.scratch.frames.iter().rev().find(|frame| frame.flags & flag::DECLARES != 0) else {
            return false;
        };
        let span = Span::new(statement.start, statement.end);
        let depth = self.found.symbols[ty as usize].depth + 1;
        self.found.symbols.push(RawSymbol {
            kind: SymbolKind::Field,
            name,
            span,
            lead_start: span.start,
            signature_start: span.start,
            signature_end: span.end,
            doc: None,
            parent: ty,
            depth,
            contract: None,
            members: None,
            receiver: None,
            visibility: None,
            exported: false,
            heading: false,
            assigned: true,
            path: NO_PATH,
        });
        true
    }

    /// Whether the innermost open node defines the name. Of directly nested nodes, the outer one decides what the name
    /// is.
    fn is_defined(&self, name: Span) -> bool {
        let own = self.scratch.frames.last().map_or((0, 0), |around| around.own);
        let own = &self.found.symbols[own.0 as usize..own.1 as usize];
        own.binary_search_by_key(&name.start, |symbol| symbol.name.start).is_ok()
    }

    /// Treats the node of `frame` as part of the definition of the node directly before it, if both have the same
    /// name.
    fn goes_on(&mut self, defined: &DefinitionMatch, frame: &mut Frame) -> bool {
        let previous = self.scratch.frames.last().map_or(NONE, |around| around.previous);
        let Some(symbol) = self.found.symbols.get_mut(previous as usize) else {
            return false;
        };
        if symbol.name.of(self.blob) != defined.name.of(self.blob) {
            return false;
        }
        symbol.span = Span::new(symbol.span.start, symbol.span.end.max(frame.end));
        frame.own = (previous, previous + 1);
        self.scratch.upcoming.push(Reverse(defined.name.start));
        true
    }

    /// The innermost definition, from `symbol` outwards, that may be the parent of a definition of `kind`.
    fn holder(&self, mut symbol: u32, kind: SymbolKind) -> u32 {
        while let Some(outer) = self.found.symbols.get(symbol as usize) {
            if may_hold(outer.kind, kind) {
                return symbol;
            }
            symbol = outer.parent;
        }
        NONE
    }
}

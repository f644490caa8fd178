//! One walk over the leaves of a tree. It finds tokens, comments, references and borders, and runs the patterns for
//! definitions and imports at the nodes where some pattern begins.
//!
//! The walk is a loop and not recursive, so deep nesting cannot overflow the stack. It tries patterns only at nodes of
//! the kinds that they begin with.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use icr_model::{LineIndex, Role, Span, SymbolKind, Visibility};
use tree_sitter::{Node, Tree, TreeCursor};

use crate::access_paths::{AccessPaths, DeclarationPart, NO_PATH, PathId, UNKNOWN, is_self};
use crate::definitions::{Matches, NONE, ProvidedName, RawSymbol, TakenAs, bare_name, is_type, span_of, token_digest};
use crate::frame::{Frame, LeadingTrivia, NO_LEAD};
use crate::grammar::{Grammar, PathMeaning, flag};
use crate::imports::Imports;
use crate::islands::Island;
use crate::macro_body_names::{RawTextName, WordIs, words};
use crate::occurrences::Occurrences;
use crate::parse::Parses;
use crate::patterns::ReadAs;

/// Levels of definitions that count as structure, where a node may hold data; deeper levels are values. Three levels
/// include the steps that people search by name: a service's image, a job's steps, a package's scripts.
const MAX_DATA_LEVELS: u32 = 3;

/// A node with more members than this holds data: a lock file has one member per package, while hand-written nodes
/// have fewer.
const MAX_DATA_MEMBERS: usize = 128;

/// A token with the digest of its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DigestedToken {
    pub(crate) start: u32,
    pub(crate) digest: u64,
}

/// Start of a line where a long definition may be cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Border {
    pub(crate) offset: u32,
    /// Number of nodes around it. A cut at a smaller depth keeps more text together.
    pub(crate) depth: u32,
}

/// What a walk has found.
#[derive(Debug, Default)]
pub(crate) struct WalkOutput {
    /// All tokens but comments, in order.
    pub(crate) tokens: Vec<DigestedToken>,
    /// Comments and docstrings.
    pub(crate) comments: Vec<Span>,
    pub(crate) borders: Vec<Border>,
    /// Definitions; an enclosing definition comes before the inner ones.
    pub(crate) symbols: Vec<RawSymbol>,
    pub(crate) imports: Imports,
    pub(crate) occurrences: Occurrences,
    pub(crate) paths: AccessPaths,
    /// Paths of the results of functions, by function number: [`UNKNOWN`] where the results differ.
    pub(crate) returned: HashMap<u32, PathId>,
    /// Members of types, by the type's number and the digest of the name.
    pub(crate) members: HashSet<(u32, u64)>,
    /// Types that definitions inherit from: numbers of the definitions, and paths.
    pub(crate) bases: Vec<(u32, PathId)>,
    pub(crate) provides: Vec<ProvidedName>,
    /// Names that are exported separately from their definition.
    pub(crate) exports: Vec<Span>,
    /// Names that are exported under another name: the local name first.
    pub(crate) renamed: Vec<(Span, TakenAs)>,
    /// Whether anything is exported.
    pub(crate) has_exports: bool,
    /// Places where imports are for types only.
    pub(crate) type_only: Vec<Span>,
    pub(crate) error_bytes: u32,
}

/// Memory of walks, reused from blob to blob.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) frames: Vec<Frame>,
    pub(crate) matches: Matches,
    /// Starts of the names of definitions that the walk has not reached yet; these are not references.
    pub(crate) upcoming: BinaryHeap<Reverse<u32>>,
    /// One past the last token or comment read.
    read_end: u32,
    /// Ends of the modules and names that the current import statement imports. Only the last part of a path is a
    /// reference; the parts before it are in the imports.
    pub(crate) imported_ends: HashSet<u32>,
}

/// The input of a walk.
pub(crate) struct TreeWalk<'a> {
    pub(crate) blob: &'a [u8],
    pub(crate) grammar: &'static Grammar,
    pub(crate) lines: &'a LineIndex,
    pub(crate) parses: &'a Parses<'a>,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) found: &'a mut WalkOutput,
    /// Islands (parts that were parsed again) that the walk has not reached yet.
    pub(crate) islands: &'a [Island],
    /// The last island that it has read.
    pub(crate) reread: Span,
}

/// Which results of a tree count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkExtent {
    Everything,
    /// Only definitions and imports; the tokens are read elsewhere.
    Definitions,
}

impl WalkOutput {
    /// Clears everything but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.tokens.clear();
        self.comments.clear();
        self.borders.clear();
        self.symbols.clear();
        self.imports.clear();
        self.occurrences.clear();
        self.paths.clear();
        self.returned.clear();
        self.members.clear();
        self.bases.clear();
        self.provides.clear();
        self.exports.clear();
        self.renamed.clear();
        self.has_exports = false;
        self.type_only.clear();
        self.error_bytes = 0;
    }
}

impl TreeWalk<'_> {
    /// Walks the whole tree of the blob.
    pub(crate) fn walk_tree(&mut self, tree: &Tree) {
        self.scratch.frames.clear();
        self.scratch.upcoming.clear();
        self.scratch.imported_ends.clear();
        self.scratch.read_end = 0;
        self.found.paths.begin(self.grammar.row.name);
        self.found.error_bytes += self.abandoned_bytes(tree);
        self.nodes(&mut tree.walk(), WalkExtent::Everything, 0);
        self.islands_until(NONE);
        self.text_between(self.blob.len() as u32);
        self.extend_headings();
    }

    /// The bytes that `tree` leaves out behind an error and that are on no island.
    fn abandoned_bytes(&self, tree: &Tree) -> u32 {
        let parts = self.parses.abandoned_parts(tree).into_iter();
        let read = |part: Span| {
            let shared = |span: Span| span.end.min(part.end).saturating_sub(span.start.max(part.start));
            self.islands.iter().map(|island| shared(island.span)).sum::<u32>()
        };
        parts.map(|part| part.len().saturating_sub(read(part))).sum()
    }

    /// Ends the sections of headings where the next section under the same definition begins, or at the end of that
    /// definition.
    fn extend_headings(&mut self) {
        let mut next_starts = HashMap::new();
        for index in (0..self.found.symbols.len()).rev() {
            let symbol = &self.found.symbols[index];
            if symbol.kind != SymbolKind::Section {
                continue;
            }
            let next_start = next_starts.insert(symbol.parent, symbol.lead_start);
            if symbol.heading {
                let outer_end = self.found.symbols.get(symbol.parent as usize).map(|outer| outer.span.end);
                let end = next_start.or(outer_end).unwrap_or(self.blob.len() as u32).max(symbol.span.end);
                let span = without_space(self.blob, Span::new(symbol.span.start, end));
                self.found.symbols[index].span = span;
            }
        }
    }

    /// Walks the node at `cursor` and everything below.
    pub(crate) fn nodes(&mut self, cursor: &mut TreeCursor<'_>, reading: WalkExtent, items_depth: u32) {
        let outermost = self.scratch.frames.len();
        loop {
            let frame = self.enter(cursor, reading, items_depth);
            if let Some(frame) = frame
                && cursor.goto_first_child()
            {
                self.scratch.frames.push(frame);
                continue;
            }
            while self.scratch.frames.len() == outermost || !cursor.goto_next_sibling() {
                if self.scratch.frames.len() == outermost {
                    return;
                }
                cursor.goto_parent();
                self.leave();
            }
        }
    }

    /// Reads the node at `cursor`. Returns its frame if the walk must enter it.
    fn enter(&mut self, cursor: &TreeCursor<'_>, reading: WalkExtent, items_depth: u32) -> Option<Frame> {
        let node = cursor.node();
        let kind = node.kind_id();
        let flags = self.grammar.flags(kind);
        let span = span_of(node);
        self.islands_until(span.start);
        if self.reread.contains_offset(span.start) {
            return self.rest_of(node, kind, span);
        }
        if flags & flag::COMMENT != 0 {
            self.comment(span, reading);
            return None;
        }
        if flags & flag::SECTION != 0 {
            self.section(span);
        }
        if self.scratch.frames.last().is_some_and(|parent| parent.flags & flag::SPLIT != 0) && node.is_named() {
            self.border(span.start);
        }
        let flags = match self.read_patterns(node, flags) {
            ReadAs::Comment => {
                self.comment(span, reading);
                return None;
            }
            ReadAs::Annotation => flags | flag::ANNOTATION,
            ReadAs::Itself => flags,
        };
        let lead = self.lead_of(span, flags);
        let part = if reading == WalkExtent::Everything { self.part(cursor, flags) } else { DeclarationPart::Nothing };
        if part != DeclarationPart::Nothing {
            self.found.paths.begin_part(part);
        }
        if flags & flag::TOKEN != 0 || node.child_count() == 0 {
            let is_error = node.is_error() && !self.scratch.frames.last().is_some_and(|parent| parent.in_error);
            if is_error {
                self.found.error_bytes += span.len();
            }
            let token = self.before_islands(span);
            if reading == WalkExtent::Everything && !token.is_empty() {
                self.token(cursor, kind, flags, token);
            }
            if is_error && token != span {
                // A text without inner nodes; for its islands it is treated like other nodes.
                let mut frame = Frame::open(self.scratch.frames.last(), kind, 0, span, NO_LEAD);
                frame.in_error = true;
                self.scratch.frames.push(frame);
                self.leave();
            }
            self.end_part(part);
            return None;
        }
        let mut frame = Frame::open(self.scratch.frames.last(), kind, flags, span, lead);
        frame.part = part;
        if flags & flag::NEEDS_FIELD != 0 {
            frame.field = field_of(cursor);
        }
        if node.is_error() && !frame.in_error {
            self.found.error_bytes += span.len();
            frame.in_error = true;
        }
        if flags & flag::WRAPPER_SINGLE != 0 {
            frame.only_child = node.named_child_count() == 1;
        }
        if flags & flag::PUBLIC != 0 {
            self.found.has_exports = true;
        }
        if flags & flag::VISIBILITY != 0 {
            self.visibility(span);
        }
        if self.is_asked(flags) {
            let known = (self.found.symbols.len(), frame.statement);
            self.patterns(span, &mut frame);
            // Under an error, but read.
            if frame.in_error && !node.has_error() && known != (self.found.symbols.len(), frame.statement) {
                self.found.error_bytes = self.found.error_bytes.saturating_sub(span.len());
                frame.in_error = false;
            }
        }
        if flags & flag::SCOPE != 0 || flags & flag::SCOPE_DATA != 0 && self.holds_data(node, &frame) {
            frame.local = true;
            self.begin_function(&mut frame, flags);
        } else if flags & flag::SCOPE_VARIABLES != 0 {
            self.begin_function(&mut frame, flags);
        }
        let items = flags & flag::PATHS != 0 && self.path_meaning(kind, &|| 0) == Some(PathMeaning::Items);
        if items && self.items(node, reading, items_depth + 1) {
            self.end_part(part);
            return None;
        }
        if flags & flag::DECLARES != 0 {
            self.found.paths.begin_declaration(flags & flag::EACH != 0);
            if flags & flag::EACH == 0 {
                self.found.occurrences.begin_declaration();
            }
        }
        if flags & flag::RETURNS != 0 {
            self.found.paths.begin_part(DeclarationPart::Value);
        }
        if flags & flag::ASIDE != 0 {
            self.found.paths.put_aside();
        }
        if flags & flag::BRANCH != 0 {
            self.found.paths.begin_branch();
        }
        Some(frame)
    }

    /// Makes the names that are declared from here on local to the node of `frame`.
    fn begin_function(&mut self, frame: &mut Frame, flags: u32) {
        frame.function = self.found.occurrences.begin_function();
        self.found.paths.begin_function(flags & flag::SCOPE_VARIABLES != 0);
    }

    /// The frame of a node that begins on the last island and ends after it. Only the text after the island counts.
    fn rest_of(&mut self, node: Node<'_>, kind: u16, span: Span) -> Option<Frame> {
        if span.end <= self.reread.end {
            return None;
        }
        let mut frame = Frame::open(self.scratch.frames.last(), kind, 0, span, NO_LEAD);
        if node.is_error() && !frame.in_error {
            self.found.error_bytes += span.end - self.reread.end;
            frame.in_error = true;
        }
        Some(frame)
    }

    /// Whether `node` holds data rather than structure, judged by its surroundings and its size.
    fn holds_data(&self, node: Node<'_>, frame: &Frame) -> bool {
        let levels = self.found.symbols.get(frame.symbol as usize).map_or(0, |symbol| symbol.depth + 1);
        levels >= MAX_DATA_LEVELS || self.has_more_members(node, MAX_DATA_MEMBERS)
    }

    /// Whether `node` has more than `most` members. A comment between them does not count.
    fn has_more_members(&self, node: Node<'_>, most: usize) -> bool {
        let is_member = |child: &Node<'_>| self.grammar.flags(child.kind_id()) & flag::COMMENT == 0;
        // The children are listed only where it matters, because the list takes memory.
        node.named_child_count() > most && node.named_children(&mut node.walk()).filter(is_member).nth(most).is_some()
    }

    fn leave(&mut self) {
        if let Some(frame) = self.scratch.frames.last() {
            self.islands_until(frame.end.saturating_sub(1));
        }
        let Some(frame) = self.scratch.frames.pop() else {
            return;
        };
        if frame.function != NONE {
            self.found.occurrences.end_function(frame.function);
            self.found.paths.end_function();
        }
        if frame.flags & flag::ASIDE != 0 {
            self.found.paths.take_up();
        }
        if frame.flags & flag::RETURNS != 0 {
            self.returned();
        }
        if frame.flags & flag::DECLARES != 0 {
            let (path, members) = self.found.paths.end_declaration();
            if frame.flags & flag::EACH == 0 {
                self.found.occurrences.end_declaration();
            }
            for (number, line) in members {
                self.found.occurrences.add_member(number, path, line);
            }
            let is_of_frame = |symbol: &&mut RawSymbol| symbol.assigned && symbol.span.start == frame.start;
            let mut fields = self.found.symbols.iter_mut().rev().take_while(is_of_frame);
            if let (Some(field), None) = (fields.next(), fields.next()) {
                field.path = path;
            }
            self.values_are(&frame, path);
        }
        if frame.flags & flag::BRANCH != 0 {
            self.found.paths.end_branch();
        }
        self.end_part(frame.part);
        let defines = frame.own.0 < frame.own.1;
        let unclosed = frame.flags & flag::UNCLOSED != 0;
        // Some grammars include the comments above a node in the node before.
        let hands_on =
            frame.after_comment && (unclosed || !(defines && self.is_deeper(frame.pending.start, frame.start)));
        if defines {
            let end = match (hands_on, unclosed) {
                (true, true) => frame.pending.start,
                (true, false) => frame.content_end,
                (false, _) => frame.end,
            };
            self.end_definitions(&frame, end);
        }
        if let Some(parent) = self.scratch.frames.last_mut() {
            parent.previous = if defines { frame.own.0 } else { NONE };
            if hands_on {
                parent.pending = frame.pending;
                parent.after_comment = true;
                parent.content_end = frame.content_end;
            }
        }
        // Modifiers that end with annotations: the signature begins after these.
        if frame.flags & flag::VISIBILITY != 0
            && frame.annotation != NONE
            && let Some(parent) = self.scratch.frames.last_mut()
        {
            parent.annotation = frame.annotation;
        }
    }

    /// Whether `inner` stands further right in its line than `outer`.
    fn is_deeper(&self, inner: u32, outer: u32) -> bool {
        let column = |offset: u32| {
            let before = bytes(self.blob, 0, offset);
            before.len() - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1)
        };
        column(inner) > column(outer)
    }

    /// Ends the definitions at the node of `frame` at `end`, without trailing white space.
    fn end_definitions(&mut self, frame: &Frame, end: u32) {
        let end = without_space(self.blob, Span::new(frame.start, end.max(frame.start))).end;
        for symbol in &mut self.found.symbols[frame.own.0 as usize..frame.own.1 as usize] {
            if symbol.span.end <= frame.end && end > symbol.name.end {
                symbol.span.end = symbol.span.end.min(end);
                symbol.signature_end = symbol.signature_end.min(end).max(symbol.signature_start);
            }
        }
    }

    /// Adds a child of the innermost open node that is not a comment. Returns the comments and annotations directly
    /// before it.
    fn lead_of(&mut self, span: Span, flags: u32) -> LeadingTrivia {
        let Some(parent) = self.scratch.frames.last_mut() else {
            return NO_LEAD;
        };
        parent.after_comment = false;
        parent.previous_end = span.end;
        parent.content_end = span.end;
        if flags & flag::ANNOTATION != 0 {
            if parent.pending.start == NONE {
                parent.pending.start = span.start;
            }
            parent.pending.annotation = parent.pending.annotation.min(span.start);
            parent.pending.end = span.end;
            parent.annotation = parent.annotation.min(span.start);
            return NO_LEAD;
        }
        if parent.annotation != NONE {
            for symbol in &mut self.found.symbols[parent.own.0 as usize..parent.own.1 as usize] {
                if symbol.signature_start == parent.annotation {
                    symbol.signature_start = span.start;
                }
            }
            parent.behind_annotations = span.start;
            parent.annotation = NONE;
        }
        let lead = std::mem::replace(&mut parent.pending, NO_LEAD);
        // Some grammars put the comment above the first member of a body before the body.
        let begins_body = span.start == parent.start && parent.own.0 == parent.own.1;
        if begins_body && parent.flags & flag::SPLIT != 0 && parent.lead.annotation == NONE {
            return parent.lead;
        }
        let near = lead.start != NONE && is_near(self.parses, lead.end, span.start);
        if near || lead.annotation != NONE { lead } else { NO_LEAD }
    }

    fn comment(&mut self, span: Span, reading: WalkExtent) {
        let end = trimmed_end(self.blob, span);
        if reading == WalkExtent::Everything {
            self.text_between(span.start);
            self.scratch.read_end = span.end;
            self.found.comments.push(Span::new(span.start, end));
        }
        let splits = self.scratch.frames.last().is_some_and(|parent| parent.flags & flag::SPLIT != 0);
        if splits {
            self.border(span.start);
        }
        let Some(parent) = self.scratch.frames.last_mut() else {
            return;
        };
        // Some grammars include the line end.
        let last_byte = parent.previous_end.saturating_sub(1);
        let trails = parent.previous_end > parent.start
            && !parent.after_comment
            && memchr::memchr(b'\n', bytes(self.blob, last_byte, span.start)).is_none();
        parent.previous_end = span.end;
        if trails {
            return;
        }
        parent.after_comment = true;
        let pending = &mut parent.pending;
        let goes_on =
            pending.start != NONE && (pending.annotation != NONE || is_near(self.parses, pending.end, span.start));
        if !goes_on {
            *pending = NO_LEAD;
            pending.start = span.start;
        }
        let text = span.of(self.blob);
        if self.grammar.row.doc_prefixes.iter().any(|prefix| text.starts_with(prefix.as_bytes())) {
            let joins = pending.doc_end != 0 && is_near(self.parses, pending.doc_end, span.start);
            pending.doc_start = if joins { pending.doc_start } else { span.start };
            pending.doc_end = end;
        }
        pending.end = end;
    }

    /// Adds a border at the line that begins with `offset`, unless the comment above belongs to the line.
    fn border(&mut self, offset: u32) {
        if self.scratch.frames.last().is_some_and(|parent| parent.after_comment) {
            return;
        }
        let before = &self.blob[..offset as usize];
        let line = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        if before[line..].iter().all(u8::is_ascii_whitespace) {
            self.found.borders.push(Border { offset: line as u32, depth: self.scratch.frames.len() as u32 });
        }
    }

    /// Reads a leaf.
    fn token(&mut self, cursor: &TreeCursor<'_>, kind: u16, flags: u32, span: Span) {
        let digest = self.push_token(span);
        if flags & flag::VISIBILITY != 0 {
            self.visibility(span);
        }
        let text = span.of(self.blob);
        let constructs = self.scratch.frames.last().is_some_and(|parent| parent.flags & flag::CONSTRUCTS != 0);
        if is_self(text) {
            self.object_at_hand(text);
            return;
        }
        let is_identifier = flags & flag::IDENTIFIER != 0;
        let is_base = text == b"super" || !is_identifier && matches!(text, b"base" | b"parent");
        // Rust uses the same word for the enclosing module.
        if is_base && self.grammar.row.name != "rust" {
            self.object_at_hand(text);
            let number = self.found.occurrences.number(self.blob, (span.start, span.end), digest);
            self.found.paths.base(number);
            return;
        }
        let begins_path = matches!(text, b"crate" | b"super");
        if !is_identifier && !begins_path {
            self.found.paths.token(text, constructs);
            return;
        }
        let with_quotes = span;
        let bare = bare_name(self.blob, span);
        let digest = if bare == span { digest } else { token_digest(bare.of(self.blob)) };
        let (span, bytes) = (bare, (bare.start, bare.end));
        let text = span.of(self.blob);
        let is_definition = self.is_upcoming(span.start);
        let meaning = match is_definition {
            true => None,
            false => self.path_meaning(kind, &|| field_of(cursor)),
        };
        let (local, importing, in_tokens) = self.scratch.frames.last().map_or((false, false, false), |parent| {
            (parent.local, parent.statement != NONE, parent.flags & flag::TOKENS != 0)
        });
        let (blob, line) = (self.blob, self.lines.line_of(span.start));
        let WalkOutput { occurrences, paths, .. } = &mut *self.found;
        if is_definition || importing || meaning.is_none() && !begins_path {
            // A named function in an object literal is a member of that object.
            let constructed = paths.constructed();
            if is_definition && !paths.is_joined() && paths.is_literal_open() && constructed != NO_PATH {
                occurrences.add(blob, bytes, digest, (Role::Member, constructed), line);
            }
            paths.token(b"", false);
        }
        if meaning == Some(PathMeaning::Words) {
            self.found.paths.token(b"", false);
            return self.refer_by_words(with_quotes);
        }
        let Some(meaning) = meaning else {
            if begins_path && !importing {
                paths.name(text, occurrences.number(blob, bytes, digest));
            }
            return;
        };
        let says_nothing = matches!(meaning, PathMeaning::Nothing | PathMeaning::Items);
        if importing && !says_nothing {
            if self.scratch.imported_ends.contains(&span.end) && span.len() > 1 {
                occurrences.add(blob, bytes, digest, (Role::Import, NO_PATH), line);
            }
            return;
        }
        if matches!(meaning, PathMeaning::Variable | PathMeaning::DeclaredVariable) {
            let signed = Span::new(span.start.saturating_sub(1), span.end);
            let number = occurrences.number(blob, (signed.start, signed.end), token_digest(signed.of(blob)));
            match meaning {
                PathMeaning::Variable => paths.variable(text, number),
                _ => {
                    paths.declare(number);
                    paths.token(b"", false);
                }
            }
            return;
        }
        let number = occurrences.number(blob, bytes, digest);
        let receiver = match meaning {
            _ if says_nothing => {
                paths.token(b"", false);
                if text.len() < 3 || text[0].is_ascii_uppercase() {
                    paths.forget(number);
                }
                return;
            }
            PathMeaning::TakenField | PathMeaning::Taken | PathMeaning::Local => {
                let of_type = paths.constructed();
                if meaning == PathMeaning::Taken {
                    paths.take_apart(number, line);
                } else if meaning == PathMeaning::TakenField && of_type != NO_PATH {
                    occurrences.add(blob, bytes, digest, (Role::Member, of_type), line);
                }
                if paths.is_in_function() {
                    paths.declare(number);
                }
                paths.token(b"", false);
                NO_PATH
            }
            PathMeaning::Member | PathMeaning::Field if !paths.is_joined() => {
                let constructed = paths.constructed();
                paths.token(b"", false);
                constructed
            }
            _ => paths.name(text, number),
        };
        if meaning == PathMeaning::Field && paths.is_own(receiver) && self.field(span, digest) {
            return;
        }
        let occurrences = &mut self.found.occurrences;
        let is_name = text.len() > 1 || text.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'$');
        let declares = matches!(meaning, PathMeaning::Local | PathMeaning::Taken | PathMeaning::TakenField);
        if !is_name && !declares {
            return;
        }
        match meaning {
            PathMeaning::Nothing | PathMeaning::Items | PathMeaning::Words => {}
            PathMeaning::Variable | PathMeaning::DeclaredVariable => {}
            _ if declares && local => occurrences.declare(blob, bytes, digest),
            PathMeaning::Taken | PathMeaning::TakenField | PathMeaning::Local => {}
            // Raw tokens do not distinguish members from other names, but the sign before a name does.
            PathMeaning::Reference(Role::Other) if in_tokens && receiver != NO_PATH => {
                occurrences.add(blob, bytes, digest, (Role::Member, receiver), line);
            }
            PathMeaning::Reference(Role::Other) if in_tokens && is_called(blob, span.end) => {
                occurrences.add(blob, bytes, digest, (Role::Call, receiver), line);
            }
            PathMeaning::Reference(Role::Other) if !says_something(text) => {}
            PathMeaning::Reference(role @ (Role::Other | Role::Call)) if receiver == NO_PATH => {
                occurrences.add_unless_local(blob, bytes, digest, role, line);
            }
            // What follows an unknown value is a member of it. In PHP, the sign of a namespace joins names too.
            PathMeaning::Reference(Role::Other | Role::Call)
                if receiver == UNKNOWN && self.grammar.row.name != "php" =>
            {
                occurrences.add(blob, bytes, digest, (Role::Member, receiver), line);
            }
            PathMeaning::Reference(role) => occurrences.add(blob, bytes, digest, (role, receiver), line),
            PathMeaning::Member | PathMeaning::Field => {
                occurrences.add(blob, bytes, digest, (Role::Member, receiver), line);
            }
        }
    }

    /// Adds references for the words of raw text.
    fn refer_by_words(&mut self, raw: Span) {
        for RawTextName { span, is } in words(raw.of(self.blob)) {
            let span = Span::new(raw.start + span.start, raw.start + span.end);
            let text = span.of(self.blob);
            if self.grammar.is_keyword(text) {
                continue;
            }
            let (bytes, digest) = ((span.start, span.end), token_digest(text));
            let (line, occurrences) = (self.lines.line_of(span.start), &mut self.found.occurrences);
            match is {
                WordIs::Member => occurrences.add(self.blob, bytes, digest, (Role::Member, UNKNOWN), line),
                WordIs::Called => occurrences.add_unless_local(self.blob, bytes, digest, Role::Call, line),
                WordIs::Plain if says_something(text) => {
                    occurrences.add_unless_local(self.blob, bytes, digest, Role::Other, line);
                }
                WordIs::Plain => {}
            }
        }
    }

    /// Treats a field of `self` or `this` that is assigned a value as a definition. Returns whether it is the first of
    /// its name.
    fn field(&mut self, name: Span, digest: u64) -> bool {
        let mut ty = self.scratch.frames.last().map_or(NONE, |parent| parent.symbol);
        while self.found.symbols.get(ty as usize).is_some_and(|symbol| !is_type(symbol.kind)) {
            ty = self.found.symbols[ty as usize].parent;
        }
        if ty == NONE {
            return false;
        }
        self.define_field(name, digest, ty)
    }

    /// Reads `self` or `this`.
    fn object_at_hand(&mut self, text: &[u8]) {
        let mut at = self.scratch.frames.last().map_or(NONE, |parent| parent.symbol);
        let mut of_type = None;
        while let Some(symbol) = self.found.symbols.get(at as usize) {
            of_type = symbol.receiver.or(is_type(symbol.kind).then_some(symbol.name));
            if of_type.is_some() {
                break;
            }
            at = symbol.parent;
        }
        let WalkOutput { occurrences, paths, .. } = &mut *self.found;
        match of_type {
            Some(name) => {
                let digest = token_digest(name.of(self.blob));
                let number = occurrences.number(self.blob, (name.start, name.end), digest);
                paths.own(text, number);
            }
            None => paths.token(b"", false),
        }
    }

    /// Ends a `return` statement, and records its value for the enclosing function.
    fn returned(&mut self) {
        let path = self.found.paths.end_part(false);
        let Some(function) = self.scratch.frames.iter().rev().find(|frame| frame.flags & flag::SCOPE != 0) else {
            return;
        };
        if function.own.0 < function.own.1 {
            let known = self.found.returned.entry(function.own.0).or_insert(path);
            *known = if *known == path { path } else { UNKNOWN };
        }
    }

    /// What the node at `cursor` says about the innermost open node.
    fn part(&self, cursor: &TreeCursor<'_>, flags: u32) -> DeclarationPart {
        let Some(around) = self.scratch.frames.last() else { return DeclarationPart::Nothing };
        let defines = around.own.0 < around.own.1;
        if !defines && around.flags & flag::DECLARES == 0 {
            return DeclarationPart::Nothing;
        }
        if flags & flag::BASES != 0 {
            return if defines { DeclarationPart::Bases } else { DeclarationPart::Nothing };
        }
        if flags & flag::TYPE != 0 {
            return if around.flags & flag::DECLARES != 0 { DeclarationPart::Type } else { DeclarationPart::Nothing };
        }
        if flags & flag::VALUE != 0 && around.flags & flag::EACH == 0 {
            return DeclarationPart::Value;
        }
        match self.grammar.part(field_of(cursor)) {
            DeclarationPart::Bases if !defines => DeclarationPart::Nothing,
            DeclarationPart::Value if around.flags & flag::EACH != 0 => DeclarationPart::Nothing,
            part => part,
        }
    }

    /// Ends a part of the innermost open node.
    fn end_part(&mut self, part: DeclarationPart) {
        if part == DeclarationPart::Nothing {
            return;
        }
        let Some(around) = self.scratch.frames.last().copied() else { return };
        let path = self.found.paths.end_part(around.flags & flag::DECLARES != 0);
        if part == DeclarationPart::Bases {
            let own = around.own.0;
            let WalkOutput { paths, bases, .. } = &mut *self.found;
            bases.extend(paths.take_bases().map(|path| (own, path)));
        } else {
            self.values_are(&around, path);
        }
    }

    /// Records that the definitions of the node of `frame` have the type `path`, or that calling them gives `path`.
    fn values_are(&mut self, frame: &Frame, path: PathId) {
        let own = match frame.own.0 < frame.own.1 {
            true => frame.own,
            // The declaring node may be inside the defining node.
            false if !frame.local && frame.symbol != NONE && !self.found.paths.is_in_part() => {
                (frame.symbol, frame.symbol + 1)
            }
            false => return,
        };
        for symbol in &mut self.found.symbols[own.0 as usize..own.1 as usize] {
            let is_value = matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Field | SymbolKind::Variable);
            if symbol.path == NO_PATH && (frame.own.0 < frame.own.1 || is_value) {
                symbol.path = path;
            }
        }
    }

    /// Adds a token, and the text before it. Returns the token's digest.
    pub(crate) fn push_token(&mut self, span: Span) -> u64 {
        self.text_between(span.start);
        self.scratch.read_end = span.end;
        let digest = token_digest(span.of(self.blob));
        self.found.tokens.push(DigestedToken { start: span.start, digest });
        digest
    }

    /// Adds the text between the last token and `end` as a token, because some grammars have nodes for the signs in a
    /// text but not for its words. Signs that only join lines are dropped. Adds references for the macros in the text
    /// that the grammar does not see.
    fn text_between(&mut self, end: u32) {
        let text = bytes(self.blob, self.scratch.read_end, end);
        let says_nothing = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'\\';
        let Some(first) = text.iter().position(|byte| !says_nothing(byte)) else { return };
        let digest = token_digest(text[first..].trim_ascii_end());
        let start = self.scratch.read_end + first as u32;
        self.found.tokens.push(DigestedToken { start, digest });
        let annotations = &self.parses.annotations;
        let first = annotations.partition_point(|annotation| annotation.start < start);
        for annotation in annotations[first..].iter().take_while(|annotation| annotation.start < end) {
            self.refer_by_words(*annotation);
        }
    }

    /// Whether the name of a definition begins at `start`. Tokens come in order, so earlier names are dropped.
    fn is_upcoming(&mut self, start: u32) -> bool {
        while let Some(Reverse(next)) = self.scratch.upcoming.peek().copied().filter(|next| next.0 <= start) {
            self.scratch.upcoming.pop();
            if next == start {
                return true;
            }
        }
        false
    }

    /// The meaning of the longest path that matches a node of `kind` under the open nodes.
    fn path_meaning(&self, kind: u16, field: &dyn Fn() -> u16) -> Option<PathMeaning> {
        let frames = &self.scratch.frames;
        let parent = frames.last().map_or(u16::MAX, |parent| parent.kind);
        let ancestors = || frames.iter().rev().map(|frame| (frame.kind, frame.field));
        self.grammar.paths(kind, parent).iter().find(|path| path.fits(field, ancestors())).map(|path| path.meaning)
    }

    /// Applies a modifier to the definitions of the innermost open node.
    fn visibility(&mut self, modifier: Span) {
        let Some(own) = self.scratch.frames.last().map(|parent| parent.own) else {
            return;
        };
        if own.0 == own.1 {
            return;
        }
        let visibility = self.visibility_said(modifier);
        for symbol in &mut self.found.symbols[own.0 as usize..own.1 as usize] {
            symbol.visibility = symbol.visibility.or(visibility);
        }
    }

    /// Applies a modifier to everything that follows in the innermost open node.
    fn section(&mut self, modifier: Span) {
        let visibility = self.visibility_said(modifier);
        if let Some(parent) = self.scratch.frames.last_mut() {
            parent.section = visibility.or(parent.section);
        }
    }

    /// The meaning of the first word of a modifier that the row lists.
    fn visibility_said(&self, modifier: Span) -> Option<Visibility> {
        let rule = &self.grammar.row.visibility;
        let text = String::from_utf8_lossy(modifier.of(self.blob));
        let means = |word: &str| {
            let fits = |listed: &str| word == listed || listed.ends_with(['(', '[']) && word.starts_with(listed);
            rule.words.iter().find(|(listed, _)| fits(listed)).map(|(_, visibility)| *visibility)
        };
        text.split_whitespace().find_map(means)
    }
}

/// Whether a plain mention of a name is worth a reference; see [`is_small_name`].
fn says_something(name: &[u8]) -> bool {
    name.len() > 3 || name.iter().any(|byte| !byte.is_ascii_lowercase())
}

/// Whether a name has at most three small letters. Such names are nearly always local, even if no pattern says so.
/// They count as references only when they are called or are members of something.
pub fn is_small_name(name: &str) -> bool {
    !says_something(name.as_bytes())
}

fn field_of(cursor: &TreeCursor<'_>) -> u16 {
    cursor.field_id().map_or(0, |field| field.get())
}

/// Whether the arguments of a call or of a macro begin at `end`.
fn is_called(blob: &[u8], end: u32) -> bool {
    let rest = &blob[end as usize..];
    rest.starts_with(b"(") || rest.starts_with(b"!(") || rest.starts_with(b"![") || rest.starts_with(b"!{")
}

/// Whether at most one line end lies between `end` and `start`, besides those inside and one behind each macro or
/// annotation between them that the grammar does not see.
fn is_near(parses: &Parses<'_>, end: u32, start: u32) -> bool {
    let annotations = &parses.annotations;
    let first = annotations.partition_point(|annotation| annotation.start < end);
    let lines = |annotation: &Span| 1 + memchr::memchr_iter(b'\n', annotation.of(parses.blob)).count();
    let between: usize = annotations[first..].iter().take_while(|annotation| annotation.start < start).map(lines).sum();
    memchr::memchr_iter(b'\n', bytes(parses.blob, end, start)).take(2 + between).count() < 2 + between
}

/// `span` without white space at its end, because some grammars include the lines after a definition.
pub(crate) fn without_space(blob: &[u8], span: Span) -> Span {
    let space = span.of(blob).iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    Span::new(span.start, span.end - space as u32)
}

/// End of a comment without the line end that some grammars include.
fn trimmed_end(blob: &[u8], span: Span) -> u32 {
    let text = span.of(blob);
    let line_end = text.iter().rev().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    span.end - line_end as u32
}

fn bytes(blob: &[u8], start: u32, end: u32) -> &[u8] {
    blob.get(start as usize..end as usize).unwrap_or_default()
}

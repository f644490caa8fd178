//! Access paths: what a member is taken from, and what values are of, as far as the text around them says.
//!
//! An access path is a name with steps from it: `Server.start()` is what calling the member `start` of `Server` gives. Names
//! that begin one are those of types, modules, functions and values that no function around declares: a name that is local
//! stands for the path of its type, or of the value that it was given last, and the object at hand for its type. A value
//! has the path of its type; what is a member of one is a member of the other. Nothing is looked up here: which definitions
//! a path leads to, the view says.
//!
//! Paths are read token by token along the walk. Nodes say only which stretches are types, values and bases, and what is
//! declared by them.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::occurrences::DigestHasher;

/// Longest path in bytes; what is longer counts as unknown.
const MAX_BYTES: usize = 48;

/// Spreads two numbers over the bits of their digest: an odd number, so that digests stay apart (2^64 by the golden ratio).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Languages in which `->` stands before a member.
const JOINED_BY_ARROW: [&str; 3] = ["c", "cpp", "php"];

/// Number of a path.
pub(crate) type PathId = u32;

/// The path of what nothing is known of.
pub(crate) const UNKNOWN: PathId = u32::MAX;

/// The path of literals, and of what else has only members that the language gives it.
const BUILTIN: PathId = u32::MAX - 1;

/// No path.
pub(crate) const NO_PATH: PathId = u32::MAX - 2;

/// No name: a call.
const NO_NAME: u32 = u32::MAX;

/// No token.
const NO_TOKEN: u32 = u32::MAX;

/// No name: an object that a call is handed.
const ARGUMENT: u32 = u32::MAX - 1;

/// What a stretch of text says of what is declared around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum DeclarationPart {
    #[default]
    Nothing,
    /// Its type, or what a call of it gives.
    Type,
    /// The same, where several may stand in brackets.
    Results,
    /// Its value.
    Value,
    /// What it inherits from.
    Bases,
}

/// One step of a path, and the path before it.
#[derive(Debug, Clone, Copy)]
struct AccessPathStep {
    outer: PathId,
    /// Number of a name; [`NO_NAME`] for a call, [`ARGUMENT`] for what it is handed.
    name: u32,
}

/// An expression that ends with the last token, and the token that it begins with.
#[derive(Debug, Clone, Copy)]
struct Expression {
    path: PathId,
    first_token: u32,
    /// Is the brace that begins an object.
    is_object: bool,
}

/// A part that is open.
#[derive(Debug, Clone, Copy)]
struct OpenPart {
    part: DeclarationPart,
    /// First token that is no prefix; [`NO_TOKEN`] before it.
    first_token: u32,
    /// The path of a type; of a value that began with a literal.
    path: PathId,
    /// What the next name says of a type.
    next: NextNameRole,
    /// Brackets that were open when it began, with its own.
    brackets: u32,
    /// Expressions that were put aside when it began.
    aside: u32,
    /// First of the bases in it.
    bases: u32,
}

/// What the next name of a type is to it, if it goes on with no path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextNameRole {
    /// The type.
    First,
    /// The same, as the one before only wraps it.
    Inside,
    /// Another one that it may be as well.
    Alternative,
    /// An argument of it, or the like.
    Nothing,
}

/// A declaration that is open.
#[derive(Debug, Clone, Copy)]
struct Declaration {
    /// First name that it makes local.
    name: u32,
    ty: PathId,
    value: PathId,
    is_each: bool,
    /// Parts around it.
    parts: u32,
    /// First of the members that it takes of what it is given.
    taken_apart: u32,
}

/// The paths of one blob, and what of them matters just now.
#[derive(Debug, Default)]
pub(crate) struct AccessPaths {
    links: Vec<AccessPathStep>,
    /// By the digest of a link, which no other link has.
    numbers: HashMap<u64, PathId, BuildHasherDefault<DigestHasher>>,
    /// Whether `->` stands between a path and a member, as in C; elsewhere it stands before a result or a body.
    joins_by_arrow: bool,
    /// Tokens read.
    tokens: u32,
    /// Last bytes of the token that is read and of the one before.
    current: u8,
    before: u8,
    last: Expression,
    /// Path and token of the object at hand where it was named last.
    own_path: PathId,
    own_token: u32,
    /// What stands before the joint that the last token is.
    joined: Option<Expression>,
    /// The token that the last `[` is, and the path before it.
    square: Option<(u32, PathId)>,
    /// The tokens that the brackets are which were closed last.
    closed: (u32, u32),
    /// What stood before each open bracket.
    brackets: Vec<Expression>,
    /// Expressions put aside.
    aside: Vec<Expression>,
    parts: Vec<OpenPart>,
    declarations: Vec<Declaration>,
    /// By number of a name: the path that it stands for as a local one; [`NO_PATH`] where it is none.
    locals: Vec<PathId>,
    /// What locals of the open functions were before.
    undo: Vec<(u32, PathId)>,
    /// Of each open function the locals before it.
    functions: Vec<u32>,
    /// Names of members and their lines.
    taken_apart: Vec<(u32, u32)>,
    bases: Vec<PathId>,
    /// First base of the part that ended last.
    bases_start: u32,
}

impl Default for Expression {
    fn default() -> Self {
        Self { path: NO_PATH, first_token: 0, is_object: false }
    }
}

impl AccessPaths {
    /// Begins to read text of that language.
    pub(crate) fn begin(&mut self, language: &str) {
        self.joins_by_arrow = JOINED_BY_ARROW.contains(&language);
    }

    /// Forgets everything, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.links.clear();
        self.numbers.clear();
        self.tokens = 0;
        (self.current, self.before) = (0, 0);
        self.last = Expression::default();
        (self.own_path, self.own_token) = (NO_PATH, 0);
        self.joined = None;
        self.square = None;
        self.closed = (0, 0);
        self.brackets.clear();
        self.aside.clear();
        self.parts.clear();
        self.declarations.clear();
        self.locals.clear();
        self.undo.clear();
        self.functions.clear();
        self.taken_apart.clear();
        self.bases.clear();
        self.bases_start = 0;
    }

    /// Reads a token that is no name. `constructs` says that a brace gives the value of the type before it its fields.
    pub(crate) fn token(&mut self, text: &[u8], constructs: bool) {
        self.begin_token(text);
        let joined = self.joined.take();
        let before = std::mem::take(&mut self.last);
        match text {
            b"(" => self.brackets.push(before),
            b"{" if constructs => self.brackets.push(before),
            [.., b'[' | b'{' | b'('] => {
                self.square = (text == b"[").then_some((self.tokens, before.path));
                // Keys of a literal are members of what it is declared to be.
                let path = if text == b"{" { self.literal_type() } else { NO_PATH };
                self.brackets.push(Expression { path, first_token: self.tokens, is_object: text == b"{" });
            }
            b")" => {
                let called = self.brackets.pop().unwrap_or_default();
                self.last = match called.path {
                    NO_PATH => Expression { path: UNKNOWN, ..called },
                    path => Expression { path: self.link(path, NO_NAME), ..called },
                };
            }
            b"}" | b"]" => {
                self.end_square();
                let before = self.brackets.pop().unwrap_or_default();
                self.closed = (before.first_token, self.tokens);
                self.last = if before.path == NO_PATH { Expression { path: UNKNOWN, ..before } } else { before };
            }
            b"await" if joined.is_some() => self.last = joined.unwrap_or_default(),
            b"|" => {
                if let Some(part) = self.parts.last_mut() {
                    part.next = if part.path == NO_PATH { part.next } else { NextNameRole::Alternative };
                }
            }
            b"as" => {
                let parts = self.parts.len() as u32;
                if let Some(declaration) = self.declarations.last_mut().filter(|open| open.parts == parts) {
                    declaration.value = before.path;
                }
            }
            b"->" if !self.joins_by_arrow => {}
            _ if is_joint(text) => self.joined = Some(before),
            _ if is_suffix(text) => self.last = before,
            [b'"' | b'\'' | b'`', ..] | [b'0'..=b'9', ..] => {
                self.last = Expression { path: BUILTIN, first_token: self.tokens, is_object: false };
            }
            _ => {}
        }
    }

    /// Reads a name; the path that it is a member of, [`NO_PATH`] where it is none.
    pub(crate) fn name(&mut self, text: &[u8], number: u32) -> PathId {
        self.begin_token(text);
        let is_nothing = says_nothing(text);
        let receiver = match self.joined.take() {
            Some(before) => {
                let receiver = if before.path == NO_PATH { UNKNOWN } else { before.path };
                self.last = Expression { path: self.link(receiver, number), ..before };
                receiver
            }
            None => {
                let local = self.local(number);
                let path = match local {
                    NO_PATH if is_nothing => UNKNOWN,
                    NO_PATH => self.link(NO_PATH, number),
                    local => local,
                };
                self.last = Expression { path, first_token: self.tokens, is_object: false };
                NO_PATH
            }
        };
        self.note_in_part(text, is_nothing);
        receiver
    }

    /// Reads a name that stands for the path of that name: the object at hand.
    pub(crate) fn own(&mut self, text: &[u8], of_type: u32) {
        self.begin_token(text);
        self.joined = None;
        let path = self.link(NO_PATH, of_type);
        self.last = Expression { path, first_token: self.tokens, is_object: false };
        (self.own_path, self.own_token) = (path, self.tokens);
        self.note_in_part(text, false);
    }

    /// Whether the innermost bracket is that of a literal of objects.
    pub(crate) fn is_literal_open(&self) -> bool {
        self.brackets.last().is_some_and(|open| open.is_object)
    }

    /// Goes on from the object at hand to what its type inherits from; `number` is that of the word for it.
    pub(crate) fn base(&mut self, number: u32) {
        if self.last.path != NO_PATH {
            self.last.path = self.link(self.last.path, number);
        }
    }

    /// What a field that is named without a joint belongs to: the type before the brace.
    pub(crate) fn constructed(&self) -> PathId {
        self.brackets.last().map_or(NO_PATH, |before| before.path)
    }

    /// What the literal that begins with the last token is: what it is declared to be, or what a call is handed.
    fn literal_type(&mut self) -> PathId {
        let begins = self
            .parts
            .last()
            .is_some_and(|part| part.part == DeclarationPart::Value && part.first_token == self.tokens);
        let declaration = self.declarations.last().filter(|open| begins && open.parts + 1 == self.parts.len() as u32);
        match (declaration, self.before) {
            (Some(declaration), _) => declaration.ty,
            (None, b'(' | b',') => {
                let called = self.brackets.last().map_or(NO_PATH, |called| called.path);
                if called < NO_PATH { self.link(called, ARGUMENT) } else { NO_PATH }
            }
            _ => NO_PATH,
        }
    }

    /// Notes a member that the declaration around takes of what it is given: `{ name }`.
    pub(crate) fn take_apart(&mut self, number: u32, line: u32) {
        if !self.declarations.is_empty() {
            self.taken_apart.push((number, line));
        }
    }

    /// Declares a name in the function that is innermost now.
    pub(crate) fn declare(&mut self, number: u32) {
        let parts = self.parts.len() as u32;
        match self.declarations.last_mut().filter(|open| open.parts == parts) {
            Some(declaration) if declaration.name == NO_NAME => {
                declaration.name = number;
                let ty = declaration.ty;
                if ty != NO_PATH || declaration.is_each {
                    // What is declared may stand in the node that declares, as in a loop.
                    self.set_local(number, if ty == NO_PATH { UNKNOWN } else { ty });
                }
            }
            _ => self.set_local(number, UNKNOWN),
        }
    }

    /// Makes a name that is no value, as that of a type parameter, one that nothing is known of.
    pub(crate) fn forget(&mut self, number: u32) {
        self.set_local(number, UNKNOWN);
    }

    pub(crate) fn begin_function(&mut self) {
        self.functions.push(self.undo.len() as u32);
    }

    pub(crate) fn end_function(&mut self) {
        let first = self.functions.pop().unwrap_or(0) as usize;
        for (number, before) in self.undo.drain(first.min(self.undo.len())..).rev() {
            self.locals[number as usize] = before;
        }
    }

    /// Begins a declaration; of each of several values when `is_each`, whose names are then known right inside.
    pub(crate) fn begin_declaration(&mut self, is_each: bool) {
        let parts = self.parts.len() as u32;
        let taken_apart = self.taken_apart.len() as u32;
        self.declarations.push(Declaration { name: NO_NAME, ty: NO_PATH, value: NO_PATH, is_each, parts, taken_apart });
    }

    /// Ends the declaration that is innermost now: the path of what it declares, and the members that it takes of it.
    pub(crate) fn end_declaration(&mut self) -> (PathId, Vec<(u32, u32)>) {
        let Some(declaration) = self.declarations.pop() else { return (NO_PATH, Vec::new()) };
        let members = self.taken_apart.split_off(declaration.taken_apart as usize);
        let around = self.declarations.last().filter(|around| around.parts == declaration.parts);
        let of_around = around.map_or(NO_PATH, |around| around.ty);
        let said = [declaration.ty, of_around, declaration.value].into_iter().find(|path| *path != NO_PATH);
        if declaration.name != NO_NAME {
            // What is taken apart is not what its parts are.
            let path = if members.is_empty() { said.unwrap_or(UNKNOWN) } else { UNKNOWN };
            self.set_local(declaration.name, path);
        }
        let path = said.unwrap_or(NO_PATH);
        for (number, _) in &members {
            let of_member = if path == NO_PATH { UNKNOWN } else { self.link(path, *number) };
            self.set_local(*number, of_member);
        }
        (path, members)
    }

    /// Begins a part of what is declared around it.
    pub(crate) fn begin_part(&mut self, part: DeclarationPart) {
        if let Some(around) = self.parts.last_mut()
            && around.first_token == NO_TOKEN
        {
            around.first_token = self.tokens;
        }
        self.joined = None;
        let brackets = self.brackets.len() as u32;
        let aside = self.aside.len() as u32;
        let bases = self.bases.len() as u32;
        self.parts.push(OpenPart {
            part,
            first_token: NO_TOKEN,
            path: NO_PATH,
            next: NextNameRole::First,
            brackets,
            aside,
            bases,
        });
    }

    /// Ends the part that is innermost now, which says something of a declaration when `declares`; its path.
    pub(crate) fn end_part(&mut self, declares: bool) -> PathId {
        let Some(open) = self.parts.pop() else { return NO_PATH };
        self.bases_start = open.bases;
        let path = match open.part {
            DeclarationPart::Value if open.path == BUILTIN && self.is_literal(open.first_token) => BUILTIN,
            DeclarationPart::Value if self.last.first_token == open.first_token && self.last.path != NO_PATH => {
                self.last.path
            }
            DeclarationPart::Value => UNKNOWN,
            _ => open.path,
        };
        let parts = self.parts.len() as u32;
        if declares && let Some(declaration) = self.declarations.last_mut().filter(|open| open.parts == parts) {
            match open.part {
                DeclarationPart::Value => declaration.value = path,
                _ => declaration.ty = path,
            }
        }
        path
    }

    /// Whether what began with a literal's first token ends with its last.
    fn is_literal(&self, first_token: u32) -> bool {
        self.last.path == BUILTIN || self.closed == (first_token, self.tokens)
    }

    /// The bases of the part that ended last.
    pub(crate) fn take_bases(&mut self) -> std::vec::Drain<'_, PathId> {
        self.bases.drain(self.bases_start as usize..)
    }

    /// Whether the path is that of the object at hand, as the last expression began with it.
    pub(crate) fn is_own(&self, path: PathId) -> bool {
        path == self.own_path && self.last.first_token == self.own_token
    }

    /// Whether the next token stands in a part of a declaration.
    pub(crate) fn is_in_part(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Whether the last token joins what stands before it to a member.
    pub(crate) fn is_joined(&self) -> bool {
        self.joined.is_some()
    }

    /// Puts the last expression aside, until what stands between it and the next token is read.
    pub(crate) fn put_aside(&mut self) {
        self.aside.push(self.last);
    }

    /// Takes it up again.
    pub(crate) fn take_up(&mut self) {
        self.last = self.aside.pop().unwrap_or_default();
        self.joined = None;
    }

    /// The text of a path, by the texts of names; `None` for one that says nothing.
    pub(crate) fn text<'a>(&self, path: PathId, name_of: impl Fn(u32) -> &'a [u8]) -> Option<String> {
        match path {
            UNKNOWN | NO_PATH => return None,
            BUILTIN => return Some(String::new()),
            _ => {}
        }
        let mut steps = Vec::new();
        let mut at = path;
        let mut bytes = 0;
        while let Some(link) = self.links.get(at as usize) {
            let step = match link.name {
                NO_NAME => &b"()"[..],
                ARGUMENT => b"{}",
                name => name_of(name),
            };
            bytes += step.len() + 1;
            if bytes > MAX_BYTES {
                return None;
            }
            steps.push(step);
            at = link.outer;
        }
        let mut text = String::with_capacity(bytes);
        for step in steps.iter().rev() {
            if !text.is_empty() && *step != b"()" && *step != b"{}" {
                text.push('.');
            }
            text.push_str(&String::from_utf8_lossy(step));
        }
        Some(text)
    }

    fn begin_token(&mut self, text: &[u8]) {
        self.tokens += 1;
        self.before = std::mem::replace(&mut self.current, text.last().copied().unwrap_or(0));
        let tokens = self.tokens;
        let Some(part) = self.parts.last_mut().filter(|part| part.first_token == NO_TOKEN) else { return };
        if is_prefix(text) || text.first() == Some(&b'\'') && text.len() > 1 && part.part == DeclarationPart::Type {
            return;
        }
        part.first_token = tokens;
        part.path = match (part.part, text) {
            (DeclarationPart::Bases, b"(") => {
                part.brackets += 1;
                NO_PATH
            }
            (DeclarationPart::Value, [b'"' | b'\'' | b'`' | b'[' | b'0'..=b'9', ..]) => BUILTIN,
            (DeclarationPart::Results, b"(") => NO_PATH,
            (DeclarationPart::Type, [b'(' | b'{' | b'"' | b'\'' | b'`', ..]) => {
                part.next = NextNameRole::Nothing;
                UNKNOWN
            }
            (DeclarationPart::Type | DeclarationPart::Results, [b'[', ..] | b"map" | b"chan") => {
                part.next = NextNameRole::Nothing;
                BUILTIN
            }
            _ if says_nothing(text) => NO_PATH,
            (DeclarationPart::Type | DeclarationPart::Results, [first, ..]) if first.is_ascii_alphabetic() => BUILTIN,
            _ => NO_PATH,
        };
    }

    /// Reads `]`. A type that ends in `[]` has other members than what it holds.
    fn end_square(&mut self) {
        if let Some((token, before)) = self.square.take()
            && token + 1 == self.tokens
            && let Some(part) = self.parts.last_mut()
            && matches!(part.part, DeclarationPart::Type | DeclarationPart::Results)
            && part.path == before
        {
            part.path = BUILTIN;
        }
    }

    /// Notes that the last expression is a name of the part that is innermost.
    fn note_in_part(&mut self, text: &[u8], is_nothing: bool) {
        let (tokens, last) = (self.tokens, self.last);
        let Some(part) = self.parts.last_mut() else { return };
        match part.part {
            DeclarationPart::Nothing | DeclarationPart::Value => {}
            DeclarationPart::Bases => {
                let is_inside = self.brackets.len() as u32 != part.brackets || self.aside.len() as u32 != part.aside;
                if is_inside || last.path >= NO_PATH {
                    return;
                }
                let outer = self.links[last.path as usize].outer;
                match self.bases[part.bases as usize..].last_mut() {
                    Some(base) if *base == outer && last.first_token != tokens => *base = last.path,
                    _ => self.bases.push(last.path),
                }
            }
            DeclarationPart::Type | DeclarationPart::Results => {
                let goes_on = self.links.get(last.path as usize).is_some_and(|link| link.outer == part.path);
                let takes = match part.next {
                    _ if is_nothing => false,
                    _ if last.first_token != tokens => goes_on,
                    NextNameRole::First | NextNameRole::Inside => true,
                    NextNameRole::Alternative | NextNameRole::Nothing => false,
                };
                if takes {
                    part.path = last.path;
                    part.next = if is_transparent(text) { NextNameRole::Inside } else { NextNameRole::Nothing };
                } else if part.next == NextNameRole::Alternative && !is_nothing {
                    part.path = UNKNOWN;
                }
            }
        }
    }

    fn local(&self, number: u32) -> PathId {
        self.locals.get(number as usize).copied().unwrap_or(NO_PATH)
    }

    fn set_local(&mut self, number: u32, path: PathId) {
        if self.locals.len() <= number as usize {
            self.locals.resize(number as usize + 1, NO_PATH);
        }
        let before = std::mem::replace(&mut self.locals[number as usize], path);
        self.undo.push((number, before));
    }

    /// The path of a step from `outer`.
    fn link(&mut self, outer: PathId, name: u32) -> PathId {
        match outer {
            UNKNOWN => return UNKNOWN,
            BUILTIN => return BUILTIN,
            _ => {}
        }
        let link = AccessPathStep { outer, name };
        let next = self.links.len() as PathId;
        let digest = (u64::from(outer) << 32 | u64::from(name)).wrapping_mul(SPREAD);
        let number = *self.numbers.entry(digest).or_insert(next);
        if number == next {
            self.links.push(link);
        }
        number
    }
}

/// Whether values of the type are nearly what they hold: their members are mostly members of the value inside.
fn is_transparent(text: &[u8]) -> bool {
    matches!(
        text,
        b"Annotated"
            | b"Arc"
            | b"Awaitable"
            | b"Box"
            | b"ClassVar"
            | b"Cow"
            | b"Final"
            | b"Future"
            | b"Mut"
            | b"NonNullable"
            | b"Nullable"
            | b"Option"
            | b"Optional"
            | b"Partial"
            | b"Pin"
            | b"Promise"
            | b"Rc"
            | b"Readonly"
            | b"Ref"
            | b"RefMut"
            | b"Result"
            | b"Type"
            | b"shared_ptr"
            | b"unique_ptr"
    )
}

/// Whether a token in front of a type or a value changes nothing of what its members are.
fn is_prefix(text: &[u8]) -> bool {
    matches!(
        text,
        b"&" | b"&&"
            | b"&mut"
            | b"*"
            | b"->"
            | b":"
            | b"?"
            | b"await"
            | b"const"
            | b"dyn"
            | b"enum"
            | b"final"
            | b"impl"
            | b"mut"
            | b"new"
            | b"readonly"
            | b"return"
            | b"static"
            | b"struct"
            | b"union"
            | b"volatile"
    )
}

/// Whether a sign stands between a path and a member.
fn is_joint(text: &[u8]) -> bool {
    matches!(text, b"!." | b"&." | b"->" | b"." | b"::" | b"?->" | b"?.")
}

/// Whether a path stays the same with the sign behind it.
fn is_suffix(text: &[u8]) -> bool {
    matches!(text, b"!!" | b"!" | b"?")
}

/// Whether a name is that of the object at hand, or of its type.
pub(crate) fn is_self(text: &[u8]) -> bool {
    matches!(text, b"Self" | b"cls" | b"self" | b"this")
}

/// Whether a word says nothing of the type of what is given it.
fn says_nothing(text: &[u8]) -> bool {
    matches!(text, b"NULL" | b"None" | b"_" | b"auto" | b"nil" | b"null" | b"nullptr" | b"undefined" | b"var")
}

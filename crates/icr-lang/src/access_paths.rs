//! Access paths: what a member is taken from, and the types of values, as far as the text around them says.
//!
//! An access path is a name followed by steps: `Server.start()` is the result of calling the member `start` of
//! `Server`. The first name is that of a type, a module, a function, or a value that is not declared in an enclosing
//! function. A local name is replaced by the path of its type or of the value last assigned to it, and `self` or
//! `this` by its type. A value has the same path as its type, because members of one are members of the other. Nothing
//! is resolved here; which definitions a path leads to depends on the view.
//!
//! Paths are read token by token during the walk. Nodes only tell which parts of the text are types, values and bases,
//! and which names these parts declare.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::occurrences::DigestHasher;

/// Longest path in bytes; a longer path counts as unknown.
const MAX_BYTES: usize = 48;

/// Odd factor that mixes two numbers into one digest so that digests stay distinct (2^64 divided by the golden ratio).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Languages in which `->` stands before a member.
const JOINED_BY_ARROW: [&str; 3] = ["c", "cpp", "php"];

/// Number of an access path.
pub(crate) type PathId = u32;

/// The path of a value about which nothing is known.
pub(crate) const UNKNOWN: PathId = u32::MAX;

/// The path of literals, and of other values that only have members of the language itself.
const BUILTIN: PathId = u32::MAX - 1;

/// Stands for the absence of a path.
pub(crate) const NO_PATH: PathId = u32::MAX - 2;

/// In place of a name: a call.
const NO_NAME: u32 = u32::MAX;

/// Stands for the absence of a token.
const NO_TOKEN: u32 = u32::MAX;

/// In place of a name: an object literal that is passed to a call.
const ARGUMENT: u32 = u32::MAX - 1;

/// What a part of the text says about the declaration around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum DeclarationPart {
    #[default]
    Nothing,
    /// The type of the value, or of the result of a call.
    Type,
    /// The same, for languages where several types may be in brackets.
    Results,
    /// The value.
    Value,
    /// The types that it inherits from.
    Bases,
}

/// One step of a path, and the path before it.
#[derive(Debug, Clone, Copy)]
struct AccessPathStep {
    outer: PathId,
    /// Number of a name; [`NO_NAME`] for a call, [`ARGUMENT`] for an object passed to a call.
    name: u32,
}

/// An expression that ends with the last token, with its first token.
#[derive(Debug, Clone, Copy)]
struct Expression {
    path: PathId,
    first_token: u32,
    /// Whether it is the brace that opens an object literal.
    is_object: bool,
}

/// What a name is at the current place.
#[derive(Debug, Clone, Copy)]
struct Local {
    /// The path that it stands for; [`NO_PATH`] if it is not local.
    path: PathId,
    /// Number of open functions when it was declared.
    depth: u32,
}

/// A function, or another scope of variables, that has begun but not ended.
#[derive(Debug, Clone, Copy)]
struct OpenFunction {
    /// Length of the list of changed locals when it began.
    undo: u32,
    /// Least depth of the locals that are seen in it.
    least_depth: u32,
}

/// A part that has begun but not ended.
#[derive(Debug, Clone, Copy)]
struct OpenPart {
    part: DeclarationPart,
    /// First token that is not a prefix; [`NO_TOKEN`] until there is one.
    first_token: u32,
    /// The path of the type, or of a value that began with a literal.
    path: PathId,
    /// The role of the next name in a type.
    next: NextNameRole,
    /// Number of open brackets when it began, including its own.
    brackets: u32,
    /// Number of expressions that were put aside when it began.
    aside: u32,
    /// Index of the first of its bases.
    bases: u32,
}

/// The role of the next name in a type, unless the name continues a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextNameRole {
    /// It is the type.
    First,
    /// It is the type, because the name before only wraps it.
    Inside,
    /// It is an alternative type.
    Alternative,
    /// It does not count: a type argument or the like.
    Nothing,
}

/// A declaration that has begun but not ended.
#[derive(Debug, Clone, Copy)]
struct Declaration {
    /// First name that it makes local.
    name: u32,
    ty: PathId,
    value: PathId,
    is_each: bool,
    /// Number of parts around it.
    parts: u32,
    /// Index of the first member that it destructures from its value.
    taken_apart: u32,
}

/// The paths of one blob, and the state of the walk.
#[derive(Debug, Default)]
pub(crate) struct AccessPaths {
    links: Vec<AccessPathStep>,
    /// Numbers of paths by the digest of their step. Each step has its own digest.
    numbers: HashMap<u64, PathId, BuildHasherDefault<DigestHasher>>,
    /// Whether `->` comes between a value and a member, as in C. In other languages it comes before a result or a
    /// body.
    joins_by_arrow: bool,
    /// Whether the text is PHP, in which `$` begins the name of a variable and `\\` separates the names of a path.
    is_php: bool,
    /// Whether the text is C#, whose keywords for built-in types may stand before a member: `string.Join`.
    is_csharp: bool,
    /// Whether the text is Kotlin, in which a value that begins with a literal is a call on it, often of an extension.
    is_kotlin: bool,
    /// Number of tokens read.
    tokens: u32,
    /// Last bytes of the current token and of the token before.
    current: u8,
    before: u8,
    last: Expression,
    /// Path and token of the last mention of `self` or `this`.
    own_path: PathId,
    own_token: u32,
    /// The expression before the last token, if that token is a joint such as `.`.
    joined: Option<Expression>,
    /// The token of the last `[`, and the path before it.
    square: Option<(u32, PathId)>,
    /// The tokens of the pair of brackets that was closed last.
    closed: (u32, u32),
    /// The expression before each open bracket.
    brackets: Vec<Expression>,
    /// Expressions that were put aside.
    aside: Vec<Expression>,
    parts: Vec<OpenPart>,
    declarations: Vec<Declaration>,
    /// By the number of a name.
    locals: Vec<Local>,
    /// What the locals were that open functions changed.
    undo: Vec<(u32, Local)>,
    functions: Vec<OpenFunction>,
    /// Length of the list of changed locals at the beginning of each open branch.
    branches: Vec<u32>,
    /// By the number of a name, the last branch at whose end it was looked at; branches are counted as they end.
    looked_at: Vec<u32>,
    branches_ended: u32,
    /// Destructured members, with their lines.
    taken_apart: Vec<(u32, u32)>,
    bases: Vec<PathId>,
    /// Index of the first base of the part that ended last.
    bases_start: u32,
}

impl Default for Expression {
    fn default() -> Self {
        Self { path: NO_PATH, first_token: 0, is_object: false }
    }
}

impl AccessPaths {
    /// Begins a text of the language.
    pub(crate) fn begin(&mut self, language: &str) {
        self.joins_by_arrow = JOINED_BY_ARROW.contains(&language);
        self.is_php = language == "php";
        self.is_csharp = language == "csharp";
        self.is_kotlin = language == "kotlin";
    }

    /// Clears everything but keeps the memory.
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
        self.branches.clear();
        self.looked_at.clear();
        self.branches_ended = 0;
        self.taken_apart.clear();
        self.bases.clear();
        self.bases_start = 0;
    }

    /// Reads a token that is not a name. `constructs` says that this brace begins the fields of a value of the type
    /// before it.
    pub(crate) fn token(&mut self, text: &[u8], constructs: bool) {
        if self.is_php && text == b"$" {
            return;
        }
        self.begin_token(text);
        let joined = self.joined.take();
        let before = std::mem::take(&mut self.last);
        match text {
            b"(" => self.brackets.push(before),
            b"{" if constructs => self.brackets.push(before),
            [.., b'[' | b'{' | b'('] => {
                self.square = (text == b"[").then_some((self.tokens, before.path));
                // The keys of an object literal are members of its declared type.
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
            // It joins texts.
            b"." if self.is_php => {}
            // A path is not resolved against the namespaces, so its last name must not be taken for one of this file.
            b"\\" if self.is_php => {
                self.joined = Some(Expression { path: UNKNOWN, first_token: self.tokens, is_object: false });
            }
            _ if is_joint(text) => self.joined = Some(before),
            _ if is_suffix(text) => self.last = before,
            _ if self.is_csharp && is_built_in_type(text) => {
                self.last = Expression { path: BUILTIN, first_token: self.tokens, is_object: false };
            }
            [b'"' | b'\'' | b'`', ..] | [b'0'..=b'9', ..] => {
                self.last = Expression { path: BUILTIN, first_token: self.tokens, is_object: false };
            }
            _ => {}
        }
    }

    /// Reads a name. Returns the path that it is a member of, or [`NO_PATH`] if there is none.
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

    /// Reads a variable: a name that only ever stands for what it was declared as.
    pub(crate) fn variable(&mut self, text: &[u8], number: u32) {
        self.begin_token(text);
        let is_member = self.joined.take().is_some();
        let path = match self.local(number) {
            NO_PATH => UNKNOWN,
            _ if is_member => UNKNOWN,
            local => local,
        };
        self.last = Expression { path, first_token: self.tokens, is_object: false };
    }

    /// Reads `self` or `this`, which stands for the given path.
    pub(crate) fn own(&mut self, text: &[u8], of_type: u32) {
        self.begin_token(text);
        self.joined = None;
        let path = self.link(NO_PATH, of_type);
        self.last = Expression { path, first_token: self.tokens, is_object: false };
        (self.own_path, self.own_token) = (path, self.tokens);
        self.note_in_part(text, false);
    }

    /// Whether the innermost open bracket begins an object literal.
    pub(crate) fn is_literal_open(&self) -> bool {
        self.brackets.last().is_some_and(|open| open.is_object)
    }

    /// Continues from `self` or `this` to the base type; `number` is that of the word for the base.
    pub(crate) fn base(&mut self, number: u32) {
        if self.last.path != NO_PATH {
            self.last.path = self.link(self.last.path, number);
        }
    }

    /// The type of a field that is named without a joint: the type before the brace.
    pub(crate) fn constructed(&self) -> PathId {
        self.brackets.last().map_or(NO_PATH, |before| before.path)
    }

    /// The type of the literal that begins with the last token: its declared type, or the argument of a call.
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

    /// Records a member that the declaration around destructures: `{ name }`.
    pub(crate) fn take_apart(&mut self, number: u32, line: u32) {
        if !self.declarations.is_empty() {
            self.taken_apart.push((number, line));
        }
    }

    /// Declares a name in the innermost function.
    pub(crate) fn declare(&mut self, number: u32) {
        let parts = self.parts.len() as u32;
        match self.declarations.last_mut().filter(|open| open.parts == parts) {
            Some(declaration) if declaration.name == NO_NAME => {
                declaration.name = number;
                let ty = declaration.ty;
                if ty != NO_PATH || declaration.is_each {
                    // The declared name may be used inside the declaring node, as in a loop.
                    self.set_local(number, if ty == NO_PATH { UNKNOWN } else { ty });
                }
            }
            _ => self.set_local(number, UNKNOWN),
        }
    }

    /// Declares a name that is not a value, such as a type parameter; its path is unknown.
    pub(crate) fn forget(&mut self, number: u32) {
        self.set_local(number, UNKNOWN);
    }

    /// Whether a declared name has an end: that of the innermost function, or of another scope of variables.
    pub(crate) fn is_in_function(&self) -> bool {
        !self.functions.is_empty()
    }

    /// Begins a function. `is_closed` says that locals from outside are not seen in it.
    pub(crate) fn begin_function(&mut self, is_closed: bool) {
        let undo = self.undo.len() as u32;
        let least_depth = if is_closed { self.functions.len() as u32 + 1 } else { self.least_depth() };
        self.functions.push(OpenFunction { undo, least_depth });
    }

    fn least_depth(&self) -> u32 {
        self.functions.last().map_or(0, |function| function.least_depth)
    }

    pub(crate) fn end_function(&mut self) {
        let first = self.functions.pop().map_or(0, |function| function.undo) as usize;
        for (number, before) in self.undo.drain(first.min(self.undo.len())..).rev() {
            self.locals[number as usize] = before;
        }
    }

    /// Begins code that may not run.
    pub(crate) fn begin_branch(&mut self) {
        self.branches.push(self.undo.len() as u32);
    }

    /// Ends the innermost branch. A name that had another path before it has either of them after it, so that its path
    /// is unknown.
    pub(crate) fn end_branch(&mut self) {
        let first = self.branches.pop().unwrap_or(0) as usize;
        self.branches_ended += 1;
        self.looked_at.resize(self.locals.len(), 0);
        let mut kept = first;
        for at in first..self.undo.len() {
            let (number, before) = self.undo[at];
            let looked_at = std::mem::replace(&mut self.looked_at[number as usize], self.branches_ended);
            if looked_at == self.branches_ended {
                continue;
            }
            // Only what a name was before the branch matters to the code around it, so that the branches around look
            // at each name once for this one.
            self.undo[kept] = (number, before);
            kept += 1;
            let was_local = before.path != NO_PATH && before.depth >= self.least_depth();
            if was_local && self.local(number) != before.path {
                self.locals[number as usize] = Local { path: UNKNOWN, depth: self.functions.len() as u32 };
            }
        }
        self.undo.truncate(kept);
    }

    /// Begins a declaration. `is_each` says that it declares each of several values (a loop); its names are then known
    /// inside it.
    pub(crate) fn begin_declaration(&mut self, is_each: bool) {
        let parts = self.parts.len() as u32;
        let taken_apart = self.taken_apart.len() as u32;
        self.declarations.push(Declaration { name: NO_NAME, ty: NO_PATH, value: NO_PATH, is_each, parts, taken_apart });
    }

    /// Ends the innermost declaration. Returns the path of its value, and the members that it destructures.
    pub(crate) fn end_declaration(&mut self) -> (PathId, Vec<(u32, u32)>) {
        let Some(declaration) = self.declarations.pop() else { return (NO_PATH, Vec::new()) };
        let members = self.taken_apart.split_off(declaration.taken_apart as usize);
        let around = self.declarations.last().filter(|around| around.parts == declaration.parts);
        let of_around = around.map_or(NO_PATH, |around| around.ty);
        let said = [declaration.ty, of_around, declaration.value].into_iter().find(|path| *path != NO_PATH);
        if declaration.name != NO_NAME {
            // A destructured value does not have the type of its parts.
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

    /// Begins a part of the declaration around it.
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

    /// Ends the innermost part and returns its path. `declares` says that the part belongs to a declaration.
    pub(crate) fn end_part(&mut self, declares: bool) -> PathId {
        let Some(open) = self.parts.pop() else { return NO_PATH };
        self.bases_start = open.bases;
        let path = match open.part {
            // What the repository adds to the types of the language may give values of its own types.
            DeclarationPart::Value if open.path == BUILTIN && self.is_kotlin => UNKNOWN,
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

    /// Whether the value is one literal, from its first token to the last token read.
    fn is_literal(&self, first_token: u32) -> bool {
        self.last.path == BUILTIN || self.closed == (first_token, self.tokens)
    }

    /// Takes the bases of the part that ended last.
    pub(crate) fn take_bases(&mut self) -> std::vec::Drain<'_, PathId> {
        self.bases.drain(self.bases_start as usize..)
    }

    /// Whether the path is that of `self` or `this`, with which the last expression began.
    pub(crate) fn is_own(&self, path: PathId) -> bool {
        path == self.own_path && self.last.first_token == self.own_token
    }

    /// Whether the next token is in a part of a declaration.
    pub(crate) fn is_in_part(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Whether the last token is a joint, so that a member follows.
    pub(crate) fn is_joined(&self) -> bool {
        self.joined.is_some()
    }

    /// Puts the last expression aside while the text up to the next token is read.
    pub(crate) fn put_aside(&mut self) {
        self.aside.push(self.last);
    }

    /// Restores the expression that was put aside last.
    pub(crate) fn take_up(&mut self) {
        self.last = self.aside.pop().unwrap_or_default();
        self.joined = None;
    }

    /// The text of a path, from the texts of names; `None` for a path that says nothing.
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
            _ if says_nothing(text) || self.is_php && text == b"object" => NO_PATH,
            (DeclarationPart::Type | DeclarationPart::Results, [first, ..]) if first.is_ascii_alphabetic() => BUILTIN,
            _ => NO_PATH,
        };
    }

    /// Reads `]`. A type that ends in `[]` (an array) has other members than its elements.
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

    /// Records that the last expression is a name of the innermost part.
    fn note_in_part(&mut self, text: &[u8], is_nothing: bool) {
        let (tokens, last) = (self.tokens, self.last);
        let Some(part) = self.parts.last_mut() else { return };
        match part.part {
            DeclarationPart::Nothing | DeclarationPart::Value => {}
            DeclarationPart::Bases => {
                let is_inside = self.brackets.len() as u32 != part.brackets || self.aside.len() as u32 != part.aside;
                if is_inside {
                    return;
                }
                if last.path >= NO_PATH {
                    // A base that is not known is one of which nothing is known, as of those outside of the repository.
                    if self.is_php && last.path == UNKNOWN {
                        self.bases.push(BUILTIN);
                    }
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
        let local = self.locals.get(number as usize).filter(|local| local.depth >= self.least_depth());
        local.map_or(NO_PATH, |local| local.path)
    }

    fn set_local(&mut self, number: u32, path: PathId) {
        if self.locals.len() <= number as usize {
            self.locals.resize(number as usize + 1, Local { path: NO_PATH, depth: 0 });
        }
        let local = Local { path, depth: self.functions.len() as u32 };
        let before = std::mem::replace(&mut self.locals[number as usize], local);
        self.undo.push((number, before));
    }

    /// The path of one more step after `outer`.
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

/// Whether the type only wraps the value inside, so that its members are mostly members of that value.
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

/// Whether a token before a type or a value does not change its members.
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

/// Whether a word is the C# name of a built-in type.
fn is_built_in_type(text: &[u8]) -> bool {
    matches!(
        text,
        b"bool"
            | b"byte"
            | b"char"
            | b"decimal"
            | b"double"
            | b"float"
            | b"int"
            | b"long"
            | b"object"
            | b"sbyte"
            | b"short"
            | b"string"
            | b"uint"
            | b"ulong"
            | b"ushort"
    )
}

/// Whether a sign joins a value and a member.
fn is_joint(text: &[u8]) -> bool {
    matches!(text, b"!." | b"&." | b"->" | b"." | b"::" | b"?->" | b"?.")
}

/// Whether a sign after a path leaves the path unchanged.
fn is_suffix(text: &[u8]) -> bool {
    matches!(text, b"!!" | b"!" | b"?")
}

/// Whether a name is that of the receiver (`self`, `this`) or of its type.
pub(crate) fn is_self(text: &[u8]) -> bool {
    matches!(text, b"Self" | b"cls" | b"self" | b"this")
}

/// Whether a word gives no type: `null` and the like as a value, `auto` or `var` as a type, `mixed` of PHP.
fn says_nothing(text: &[u8]) -> bool {
    matches!(
        text,
        b"NULL" | b"None" | b"_" | b"auto" | b"mixed" | b"nil" | b"null" | b"nullptr" | b"undefined" | b"var"
    )
}

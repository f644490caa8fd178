//! Macros that stand where a declaration of C or C++ begins or between its parts, told from types and calls by the tokens
//! around them: `NOT_NULL(1)` above a method, `Q_OBJECT`, `EXPORT Type name();`, `int CALLBACK handle(int a);`,
//! `void f() NOEXCEPT;`, `TESTED_PRIVATELY:`. Only names in capitals count.

use icr_model::Span;

use crate::code_tokens::{CodeTokens, ConditionPart, TokenKind};
use crate::table::{MacroPlaces, RESERVED_IN_CPP};

/// Words that begin a declaration, sorted. Not `operator`, which may follow a type alone on its line, and not `register`,
/// which begins parameters in old C.
const BEGINNINGS: [&[u8]; 40] = [
    // tidy: sorted
    b"auto",
    b"bool",
    b"char",
    b"char16_t",
    b"char32_t",
    b"char8_t",
    b"class",
    b"concept",
    b"const",
    b"consteval",
    b"constexpr",
    b"constinit",
    b"double",
    b"enum",
    b"explicit",
    b"export",
    b"extern",
    b"float",
    b"friend",
    b"inline",
    b"int",
    b"long",
    b"module",
    b"mutable",
    b"namespace",
    b"short",
    b"signed",
    b"static",
    b"static_assert",
    b"struct",
    b"template",
    b"thread_local",
    b"typedef",
    b"typename",
    b"union",
    b"unsigned",
    b"using",
    b"virtual",
    b"void",
    b"wchar_t",
    // tidy: end
];

/// Words that begin a statement and no declaration, sorted. Not `else`, before which a macro is a statement.
const STATEMENTS: [&[u8]; 13] = [
    // tidy: sorted
    b"break",
    b"case",
    b"co_return",
    b"continue",
    b"delete",
    b"do",
    b"for",
    b"goto",
    b"if",
    b"return",
    b"switch",
    b"throw",
    b"while",
    // tidy: end
];

/// Words before the type of a declaration, sorted; some have arguments.
const SPECIFIERS: [&[u8]; 16] = [
    // tidy: sorted
    b"__attribute__",
    b"__declspec",
    b"__extension__",
    b"__inline",
    b"alignas",
    b"consteval",
    b"constexpr",
    b"constinit",
    b"explicit",
    b"export",
    b"extern",
    b"friend",
    b"inline",
    b"mutable",
    b"static",
    b"virtual",
    // tidy: end
];

/// Words after which a name in capitals is the type, or the name of one, sorted.
const BEFORE_TYPES: [&[u8]; 14] = [
    // tidy: sorted
    b"class",
    b"const",
    b"enum",
    b"long",
    b"namespace",
    b"operator",
    b"short",
    b"signed",
    b"struct",
    b"typename",
    b"union",
    b"unsigned",
    b"using",
    b"volatile",
    // tidy: end
];

/// Words between the parameters of a function and its body, sorted.
const TRAILING: [&[u8]; 7] = [
    // tidy: sorted
    b"const",
    b"final",
    b"noexcept",
    b"override",
    b"requires",
    b"try",
    b"volatile",
    // tidy: end
];

/// How macros end that tell how a function is called, which stand behind its type.
const CONVENTIONS: [&[u8]; 6] = [b"API", b"APIENTRY", b"CALL", b"CALLBACK", b"CALLTYPE", b"CDECL"];

/// Most macros in a row that are looked behind, so that the work stays linear.
const MAX_ROW: usize = 8;

/// Most tokens that are looked at for the end of template parameters, of template arguments, and of an attribute, so that
/// the work stays linear.
const MAX_PARAMETERS: usize = 256;
const MAX_ARGUMENTS: usize = 64;
const MAX_ATTRIBUTE: usize = 64;

/// The macros of `text` that annotate a declaration, or that a grammar misreads before a statement, in order. Costs a few
/// looks at each token.
pub(crate) fn declaration_macros(places: MacroPlaces, text: &[u8]) -> Vec<Span> {
    let code = CodeTokens::read(text);
    let mut search = MacroSearch {
        has_classes: places == MacroPlaces::InClassesToo,
        scopes: vec![OpenScope { scope: Scope::Declarations, around: 0, type_name: None }],
        statement: OpenStatement::in_scope(0),
        conditions: Vec::new(),
        found: Vec::new(),
        code,
    };
    let mut index = 0;
    while index < search.code.len() {
        index = search.read_token(index);
    }
    search.found
}

/// What braces hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// A file, a namespace, or `extern "C"`.
    Declarations,
    /// Members of a class, struct or union.
    Members,
    /// Constants of an enumeration, which are often in capitals.
    Constants,
    /// Statements of a function, or the values of an initializer.
    Code,
    /// Statements after a macro that stands for `try`.
    Attempt,
}

#[derive(Debug, Clone, Copy)]
struct OpenScope {
    scope: Scope,
    /// Number of the scope around it.
    around: u32,
    /// The token with the name of the type whose members it holds.
    type_name: Option<usize>,
}

/// What the braces of a statement will hold, as far as its words say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Head {
    Type,
    Enum,
    Namespace,
    Linkage,
}

/// What was read of the current declaration or statement.
#[derive(Debug, Clone, Copy)]
struct OpenStatement {
    /// Number of the scope that it is in.
    scope: u32,
    /// Whether only specifiers, attributes and macros were read.
    begins: bool,
    head: Option<Head>,
    /// The token with the name of the type, if it declares one.
    type_name: Option<usize>,
    /// Number of words but for specifiers.
    words: u32,
    /// Whether brackets followed what may be the name of a function.
    has_parameters: bool,
    /// Whether a colon was read, as before the bases of a class.
    has_colon: bool,
    /// The last token that is neither a macro found nor an attribute.
    last: Option<usize>,
    /// Whether a block of [`Scope::Attempt`] ends directly before it.
    follows_attempt: bool,
}

impl OpenStatement {
    fn in_scope(scope: u32) -> Self {
        Self {
            scope,
            begins: true,
            head: None,
            type_name: None,
            words: 0,
            has_parameters: false,
            has_colon: false,
            last: None,
            follows_attempt: false,
        }
    }
}

struct MacroSearch<'a> {
    code: CodeTokens<'a>,
    /// Whether macros may also stand among the members of classes.
    has_classes: bool,
    /// All scopes met, because each branch of an `#if` goes on from the scope before it.
    scopes: Vec<OpenScope>,
    statement: OpenStatement,
    /// The statement before each open `#if`.
    conditions: Vec<OpenStatement>,
    found: Vec<Span>,
}

/// A row of macros, each with its arguments.
struct MacroRow {
    /// How many there are.
    macros: usize,
    /// The last macro, if there is one.
    last: usize,
    /// The token behind the row.
    end: usize,
}

impl MacroSearch<'_> {
    /// Reads the token at `index` and what belongs to it. Returns the number of the next token.
    fn read_token(&mut self, index: usize) -> usize {
        let kind = self.code.token(index).kind;
        if let TokenKind::Directive(part) = kind {
            self.read_directive(part);
            return index + 1;
        }
        let follows_attempt = std::mem::take(&mut self.statement.follows_attempt);
        match kind {
            TokenKind::Sign(b';') => self.statement = OpenStatement::in_scope(self.statement.scope),
            TokenKind::Sign(b'{') => self.open(match self.statement.head {
                Some(Head::Type) => Scope::Members,
                Some(Head::Enum) => Scope::Constants,
                Some(Head::Namespace | Head::Linkage) => Scope::Declarations,
                None => Scope::Code,
            }),
            TokenKind::Sign(b'}') => self.close(),
            _ if self.scope() == Scope::Constants => {}
            TokenKind::Sign(b'(') => return self.read_brackets(index),
            TokenKind::Sign(b':') => self.read_colon(index),
            TokenKind::Sign(b'[') if self.statement.begins => return self.read_attribute(index),
            TokenKind::Sign(b'<') if self.statement.head == Some(Head::Type) && !self.statement.has_colon => {
                // Brackets among the arguments of a specialization are no parameters.
                let end = self.code.behind_angles(index, MAX_PARAMETERS).unwrap_or(index + 1);
                self.pass(end - 1);
                return end;
            }
            TokenKind::Quoted if self.last_word() == b"extern" => {
                (self.statement.head, self.statement.last) = (Some(Head::Linkage), Some(index));
            }
            TokenKind::Word => return self.read_word(index, follows_attempt),
            _ => {
                // Braces behind `struct a b =` hold values.
                if kind == TokenKind::Sign(b'=') {
                    self.statement.head = None;
                }
                self.pass(index);
            }
        }
        index + 1
    }

    fn scope(&self) -> Scope {
        self.scopes[self.statement.scope as usize].scope
    }

    fn is_in_code(&self) -> bool {
        matches!(self.scope(), Scope::Code | Scope::Attempt)
    }

    fn last_word(&self) -> &[u8] {
        self.statement.last.map_or(b"", |last| self.code.word(last))
    }

    fn pass(&mut self, index: usize) {
        (self.statement.begins, self.statement.last) = (false, Some(index));
    }

    fn open(&mut self, scope: Scope) {
        let type_name = self.statement.type_name.filter(|_| scope == Scope::Members);
        self.scopes.push(OpenScope { scope, around: self.statement.scope, type_name });
        self.statement = OpenStatement::in_scope(self.scopes.len() as u32 - 1);
    }

    fn close(&mut self) {
        let follows_attempt = self.scope() == Scope::Attempt;
        let around = self.scopes[self.statement.scope as usize].around;
        self.statement = OpenStatement { follows_attempt, ..OpenStatement::in_scope(around) };
    }

    fn read_directive(&mut self, part: ConditionPart) {
        match part {
            ConditionPart::Begins => self.conditions.push(self.statement),
            ConditionPart::Otherwise => self.statement = self.conditions.last().copied().unwrap_or(self.statement),
            ConditionPart::Ends => {
                self.conditions.pop();
            }
            ConditionPart::Other => {}
        }
    }

    /// Reads round brackets as a whole.
    fn read_brackets(&mut self, index: usize) -> usize {
        let Some(closing) = self.code.closing(index) else {
            self.pass(index);
            return index + 1;
        };
        if let Some(last) = self.statement.last {
            let is_name = !self.code.is_in_capitals(last) || self.statement.words >= 2;
            self.statement.has_parameters |= is_name;
            let is_of_head = self.code.is_in_capitals(last)
                || matches!(self.code.word(last), b"alignas" | b"__attribute__" | b"__declspec");
            if !is_of_head && !self.statement.has_colon {
                // `struct a *b() {` is a function.
                self.statement.head = None;
            }
        }
        self.pass(closing);
        closing + 1
    }

    fn read_colon(&mut self, index: usize) {
        if is_access(self.last_word()) || self.is_in_code() {
            self.statement = OpenStatement::in_scope(self.statement.scope);
        } else {
            self.statement.has_colon = true;
            self.pass(index);
        }
    }

    fn read_attribute(&mut self, index: usize) -> usize {
        let ends = |at: &usize| self.code.is_sign(*at, b']') && self.code.is_sign(at + 1, b']');
        let end = (index + 2..index + MAX_ATTRIBUTE).find(ends).filter(|_| self.code.is_sign(index + 1, b'['));
        if end.is_none() {
            self.pass(index);
        }
        end.map_or(index + 1, |end| end + 2)
    }

    fn read_word(&mut self, index: usize, follows_attempt: bool) -> usize {
        let word = self.code.word(index);
        if word == b"template"
            && let Some(end) = self.code.behind_angles(index + 1, MAX_PARAMETERS)
        {
            self.statement.last = None;
            return end;
        }
        if let Some(end) = self.read_type_head(index).or_else(|| self.read_condition(index)) {
            return end;
        }
        if self.code.is_macro(index) || self.has_classes && matches!(word, b"signals" | b"slots") {
            if let Some(next) = self.read_macro(index, follows_attempt) {
                return next;
            }
        } else if is_access(word) {
            self.statement.last = Some(index);
            return index + 1;
        }
        if self.statement.words == 0 && self.statement.head.is_none_or(|head| head == Head::Linkage) {
            self.statement.head = match word {
                b"class" | b"struct" | b"union" => Some(Head::Type),
                b"enum" => Some(Head::Enum),
                b"namespace" => Some(Head::Namespace),
                _ => None,
            };
        }
        if self.statement.begins && SPECIFIERS.binary_search(&word).is_ok() {
            self.statement.last = Some(index);
            return self.code.behind_arguments(index).unwrap_or(index + 1);
        }
        if self.statement.head == Some(Head::Type) && !self.statement.has_colon && is_name(word) {
            self.statement.type_name = Some(index);
        }
        if !matches!(word, b"const" | b"typedef" | b"volatile") {
            self.statement.words += 1;
        }
        self.pass(index);
        index + 1
    }

    /// Reads the macro at `index`, if it is one that a grammar must not see, or that may stand before a declaration.
    fn read_macro(&mut self, index: usize, follows_attempt: bool) -> Option<usize> {
        let behind = self.code.behind_arguments(index)?;
        let may_stand_alone = self.statement.begins && self.code.is_macro(index);
        let begins_block = may_stand_alone && self.is_in_code() && self.code.is_sign(behind, b'{');
        if begins_block && (behind == index + 1 || follows_attempt) {
            self.add(index, behind);
            self.open(Scope::Attempt);
            return Some(behind + 1);
        }
        if let Some(end) = self.annotation_end(index, behind) {
            self.add(index, end);
            if end > behind {
                // A label.
                self.statement = OpenStatement::in_scope(self.statement.scope);
            }
            return Some(end);
        }
        let is_before_directive = matches!(self.code.token(behind).kind, TokenKind::Directive(_));
        (may_stand_alone && self.code.token(index).begins_line && is_before_directive).then_some(behind)
    }

    /// Reads `class EXPORT Name FINAL` up to the brace or the colon behind it, if it has macros.
    fn read_type_head(&mut self, index: usize) -> Option<usize> {
        let is_enum = self.code.word(index) == b"enum";
        if !is_enum && !begins_class(self.code.word(index)) {
            return None;
        }
        let first = index + 1 + usize::from(is_enum && begins_class(self.code.word(index + 1)));
        let head = self.code.type_head(first)?;
        if head.macros.is_empty() || is_enum && !self.code.has_enum_body(head.end) {
            return None;
        }
        for (begin, end) in head.macros {
            self.add(begin, end);
        }
        self.statement.head = Some(if is_enum { Head::Enum } else { Head::Type });
        self.statement.type_name = Some(head.name);
        self.statement.words += 2;
        self.pass(head.end - 1);
        Some(head.end)
    }

    /// Reads `if CONSTEXPR` and its kin up to the brackets behind it: a grammar takes the macro for the name of a function.
    fn read_condition(&mut self, index: usize) -> Option<usize> {
        let is_condition = matches!(self.code.word(index), b"for" | b"if" | b"switch" | b"while")
            && self.code.is_macro(index + 1)
            && self.code.is_sign(index + 2, b'(');
        if !is_condition {
            return None;
        }
        self.add(index + 1, index + 2);
        self.statement.words += 1;
        self.pass(index);
        Some(index + 2)
    }

    fn add(&mut self, index: usize, end: usize) {
        self.found.push(Span::new(self.code.token(index).span.start, self.code.token(end - 1).span.end));
    }

    /// The token behind the annotation that begins at `index` and whose arguments end before `behind`; `None` if it is
    /// none.
    fn annotation_end(&self, index: usize, behind: usize) -> Option<usize> {
        let follows_access = is_access(self.last_word());
        if matches!(self.code.word(index), b"slots" | b"Q_SLOTS") {
            return (follows_access && self.code.is_sign(behind, b':')).then_some(behind);
        }
        if self.statement.begins && !follows_access {
            let is_label = self.has_classes
                && self.scope() == Scope::Members
                && behind == index + 1
                && self.code.is_sign(behind, b':')
                && self.code.token(behind + 1).begins_line;
            if is_label {
                return Some(behind + 1);
            }
            return self.stands_before_declaration(index, behind).then_some(behind);
        }
        let is_annotation = !self.is_in_code() && self.code.is_macro(index) && self.stands_inside(behind);
        is_annotation.then_some(behind)
    }

    /// Whether what follows a macro that begins a declaration makes it an annotation, not a type or a call.
    fn stands_before_declaration(&self, index: usize, behind: usize) -> bool {
        let code = &self.code;
        let Some(row) = code.macros_from(behind).filter(|_| code.is_macro(index)) else { return false };
        let next = code.word(row.end);
        let has_own_line = code.token(index).begins_line && code.token(behind).begins_line;
        let is_above = has_own_line || code.token(index).begins_line && code.token(row.end).begins_line;
        let has_arguments = behind > index + 1;
        let is_attribute = code.is_sign(row.end, b'[') && code.is_sign(row.end + 1, b'[');
        if is_attribute || BEGINNINGS.binary_search(&next).is_ok() {
            // `TYPE const name`
            return is_above || !self.is_in_code() && (next != b"const" || code.is_declaration(row.end + 1));
        }
        if self.is_in_code() {
            return is_above && STATEMENTS.binary_search(&next).is_ok();
        }
        let is_in_type = self.scope() == Scope::Members;
        match code.token(row.end).kind {
            TokenKind::Sign(b'}') => has_own_line || is_in_type,
            TokenKind::End => has_own_line,
            TokenKind::Directive(_) => has_own_line && (is_in_type || code.is_at_end(row.end)),
            TokenKind::Word if self.is_constructor(row.end) => true,
            // Above the body of a macro: `REGISTER(a)` before `TEST(b) {`.
            TokenKind::Sign(b'{') => has_own_line && has_arguments && !is_in_type && row.last_has_arguments(),
            TokenKind::Sign(b'~') => !code.word(row.end + 1).is_empty() && code.is_sign(row.end + 2, b'('),
            TokenKind::Word if is_access(next) => is_in_type,
            // A conversion; `TYPE operator+(` has a type.
            TokenKind::Word if next == b"operator" => {
                row.macros == 0 && !matches!(code.word(row.end + 1), b"" | b"co_await" | b"delete" | b"new")
            }
            TokenKind::Word | TokenKind::Scope if code.is_declaration(row.end) => true,
            // `EXPORT TYPE name(` has two, `TYPE CALLBACK name(` only behind the type.
            TokenKind::Word if is_name(next) && row.macros > 0 && !row.last_has_arguments() => {
                let last = code.word(row.last);
                row.macros > 1 || !CONVENTIONS.iter().any(|convention| last.ends_with(convention))
            }
            TokenKind::Word if is_name(next) => {
                has_own_line && has_arguments && self.has_classes && code.is_sign(code.behind_name(row.end), b'(')
            }
            _ => false,
        }
    }

    /// Whether the constructor of the type around it begins at `index`, or that of a type that it names.
    fn is_constructor(&self, index: usize) -> bool {
        let code = &self.code;
        let is_of_scope = || {
            let name = self.scopes[self.statement.scope as usize].type_name;
            name.is_some_and(|name| code.word(name) == code.word(index)) && code.is_sign(index + 1, b'(')
        };
        let names_type = || {
            code.token(index + 1).kind == TokenKind::Scope
                && code.word(index) == code.word(index + 2)
                && code.is_sign(index + 3, b'(')
        };
        self.has_classes && (is_of_scope() || names_type())
    }

    /// Whether what stands around a macro in the middle of a declaration makes it an annotation: behind the parameters, or
    /// between the type and the name of a function.
    fn stands_inside(&self, behind: usize) -> bool {
        let (code, statement) = (&self.code, &self.statement);
        let (Some(last), Some(row)) = (statement.last, code.macros_from(behind)) else { return false };
        if statement.words == 0 {
            return false;
        }
        let (kind, last_word) = (code.token(last).kind, code.word(last));
        if statement.has_parameters {
            let is_behind =
                kind == TokenKind::Sign(b')') || matches!(last_word, b"const" | b"final" | b"noexcept" | b"override");
            return is_behind && self.ends_declarator(row.end);
        }
        let is_behind = match kind {
            TokenKind::Sign(sign) => matches!(sign, b'*' | b'&' | b'>'),
            TokenKind::Word => BEFORE_TYPES.binary_search(&last_word).is_err(),
            _ => false,
        };
        let name = code.behind_pointers(row.end);
        let end = code.behind_name(name);
        is_behind && (end > name && code.is_sign(end, b'(') || code.word(name) == b"operator")
    }

    /// Whether the token at `index` may follow the parameters of a function.
    fn ends_declarator(&self, index: usize) -> bool {
        let code = &self.code;
        match code.token(index).kind {
            TokenKind::Sign(b'{' | b';' | b':') => true,
            TokenKind::Sign(b'-') => code.is_sign(index + 1, b'>'),
            TokenKind::Sign(b'[') => code.is_sign(index + 1, b'['),
            TokenKind::Sign(b'=') => {
                code.token(index + 1).kind == TokenKind::Number
                    || matches!(code.word(index + 1), b"default" | b"delete")
            }
            TokenKind::Word => TRAILING.binary_search(&code.word(index)).is_ok(),
            _ => false,
        }
    }
}

impl MacroRow {
    fn last_has_arguments(&self) -> bool {
        self.macros > 0 && self.end > self.last + 1
    }
}

/// What stands between the keyword of a type and its body or its bases.
struct TypeHead {
    /// The first token of each macro, and the one behind it and its arguments.
    macros: Vec<(usize, usize)>,
    /// The last token of the name, without template arguments.
    name: usize,
    /// The token of the brace, or of the colon before the bases.
    end: usize,
}

impl CodeTokens<'_> {
    /// The head of a type behind its keyword, if all words in it but one may be macros: that one is its name. `None` if what
    /// follows is no body, so that it may be a variable or a function.
    fn type_head(&self, first: usize) -> Option<TypeHead> {
        /// How macros end that stand for `final`.
        const FINALS: [&[u8]; 2] = [b"FINAL", b"SEALED"];
        let (mut words, mut name, mut at) = (Vec::new(), None, first);
        while words.len() <= MAX_ROW {
            let word = self.word(at);
            if matches!(word, b"__attribute__" | b"__declspec" | b"alignas" | b"final") {
                at = self.behind_arguments(at)?;
                continue;
            }
            if !is_name(word) {
                break;
            }
            let is_macro = self.is_macro(at);
            let end = if is_macro { self.behind_arguments(at)? } else { self.behind_name(at) };
            if !is_macro && name.replace(words.len()).is_some() {
                return None;
            }
            words.push((at, end));
            at = end;
        }
        if !(self.is_sign(at, b'{') || self.is_sign(at, b':')) || words.len() > MAX_ROW {
            return None;
        }
        let name = name.or_else(|| {
            let may_be_name = |(begin, end): &(usize, usize)| end - begin == 1;
            let ends_type = |word: usize| FINALS.iter().any(|end| self.word(words[word].0).ends_with(end));
            let last = words.iter().rposition(may_be_name)?;
            let before = words[..last].iter().rposition(may_be_name);
            before.filter(|_| ends_type(last)).or(Some(last))
        })?;
        let has_arguments = |(begin, end): &(usize, usize)| end - begin > 1;
        if self.is_sign(at, b'{') && words[name + 1..].iter().any(has_arguments) {
            // A function: `struct point MAKE(int a) {`.
            return None;
        }
        let (begin, end) = words.remove(name);
        let name = (begin..end).rfind(|token| {
            let follows_scope = *token == begin || self.token(token - 1).kind == TokenKind::Scope;
            follows_scope && is_name(self.word(*token))
        })?;
        Some(TypeHead { macros: words, name, end: at })
    }

    /// Whether only directives stand from `index` on.
    fn is_at_end(&self, index: usize) -> bool {
        let is_directive = |at: &usize| matches!(self.token(*at).kind, TokenKind::Directive(_));
        let behind = (index..self.len()).find(|at| !is_directive(at));
        behind.is_none()
    }

    /// Whether the body of an enumeration follows at `index`, perhaps behind its type: a number behind the colon is a width.
    fn has_enum_body(&self, index: usize) -> bool {
        /// Most tokens of the type of an enumeration.
        const LONGEST: usize = 16;
        let is_of_type = |at: &usize| matches!(self.token(*at).kind, TokenKind::Word | TokenKind::Scope);
        let behind = (index + 1..index + LONGEST).find(|at| !is_of_type(at));
        self.is_sign(index, b'{') || behind.is_some_and(|behind| self.is_sign(behind, b'{'))
    }

    /// Whether the token is a word of at least two capitals, digits and `_`.
    fn is_in_capitals(&self, index: usize) -> bool {
        let word = self.word(index);
        word.len() >= 2
            && word.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
            && word.iter().any(u8::is_ascii_uppercase)
    }

    /// Whether the token may be a macro: not a part of a longer name.
    fn is_macro(&self, index: usize) -> bool {
        let begins_name = self.token(index + 1).kind == TokenKind::Scope && self.touches_next(index);
        self.is_in_capitals(index) && !begins_name && !self.is_sign(index + 1, b'<')
    }

    /// The token behind the word at `index` and its arguments, if it has some; `None` if they do not end.
    fn behind_arguments(&self, index: usize) -> Option<usize> {
        if !self.is_sign(index + 1, b'(') {
            return Some(index + 1);
        }
        self.closing(index + 1).map(|closing| closing + 1)
    }

    /// The macros in a row from `index` on, possibly none; `None` if the arguments of one do not end.
    fn macros_from(&self, index: usize) -> Option<MacroRow> {
        let mut row = MacroRow { macros: 0, last: index, end: index };
        while row.macros < MAX_ROW && self.is_macro(row.end) {
            row = MacroRow { macros: row.macros + 1, last: row.end, end: self.behind_arguments(row.end)? };
        }
        Some(row)
    }

    /// The token behind the `>` of the `<` at `index`, if it is among the next `most` tokens.
    fn behind_angles(&self, index: usize, most: usize) -> Option<usize> {
        if !self.is_sign(index, b'<') {
            return None;
        }
        let (mut depth, mut at) = (0_u32, index);
        while at < index + most {
            match self.token(at).kind {
                TokenKind::Sign(b'<') => depth += 1,
                TokenKind::Sign(b'>') => depth = depth.checked_sub(1)?,
                TokenKind::Sign(b'(') => at = self.closing(at)?,
                TokenKind::Sign(b';' | b'{' | b'}') | TokenKind::End => return None,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// The token behind the name at `index`, with the names of its scopes and its template arguments; `index` if there is
    /// no name.
    fn behind_name(&self, index: usize) -> usize {
        let mut at = index + usize::from(self.token(index).kind == TokenKind::Scope);
        let mut end = index;
        while is_name(self.word(at)) {
            end = at + 1;
            end = self.behind_angles(end, MAX_ARGUMENTS).unwrap_or(end);
            if self.token(end).kind != TokenKind::Scope {
                break;
            }
            at = end + 1;
        }
        end
    }

    /// The first token from `index` on that is neither a sign of a pointer or reference nor a qualifier.
    fn behind_pointers(&self, index: usize) -> usize {
        let mut at = index;
        while self.is_sign(at, b'*') || self.is_sign(at, b'&') || matches!(self.word(at), b"const" | b"volatile") {
            at += 1;
        }
        at
    }

    /// Whether a type and a name that it declares begin at `index`.
    fn is_declaration(&self, index: usize) -> bool {
        let behind_type = self.behind_name(index);
        if behind_type == index {
            return false;
        }
        let name = self.behind_pointers(behind_type);
        if self.is_sign(name, b'(') {
            // `type (*name)(` and `type *(name)(`
            let is_in_brackets = !self.word(name + 1).is_empty() && self.is_sign(name + 2, b')');
            return self.is_sign(name + 1, b'*') || is_in_brackets && self.is_sign(name + 3, b'(');
        }
        self.word(name) == b"operator" || is_name(self.word(name)) && !self.is_in_capitals(name)
    }
}

fn begins_class(word: &[u8]) -> bool {
    matches!(word, b"class" | b"struct" | b"union")
}

fn is_access(word: &[u8]) -> bool {
    matches!(word, b"private" | b"protected" | b"public")
}

/// Whether the word may be the name of something.
fn is_name(word: &[u8]) -> bool {
    let is_reserved = std::str::from_utf8(word).is_ok_and(|word| RESERVED_IN_CPP.binary_search(&word).is_ok());
    !word.is_empty() && !is_reserved && TRAILING.binary_search(&word).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_in(places: MacroPlaces, text: &str, expected: &[&str]) {
        let macros = declaration_macros(places, text.as_bytes());
        let shown: Vec<&str> = macros.iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
        assert_eq!(shown, expected, "{text:?}");
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        check_in(MacroPlaces::InClassesToo, text, expected);
    }

    #[test]
    fn a_macro_before_a_declaration_is_found() {
        check("EXPORT static int a();", &["EXPORT"]);
        check("EXPORT name_t *a(void);\nEXPORT std::vector<int> b();", &["EXPORT", "EXPORT"]);
        check("EXPORT ::std::string a();\nEXPORT const name_t* b();", &["EXPORT", "EXPORT"]);
        check("EXPORT name_t *(*a)(int b);\nEXPORT void *(a)(int b);", &["EXPORT", "EXPORT"]);
        check("template <class T, int = sizeof(T)>\nEXPORT T a();", &["EXPORT"]);
        check("EXPORT BOOL a();\nBOOL CALLBACK b();", &["EXPORT", "CALLBACK"]);
        check("static EXPORT name_t a = 1;", &["EXPORT"]);
        check("TYPE_IS(int) READ_ONLY int a;", &["TYPE_IS(int)", "READ_ONLY"]);
    }

    #[test]
    fn macros_around_the_name_of_a_type_are_found() {
        check("class EXPORT(x) Name FINAL : Base {", &["EXPORT(x)", "FINAL"]);
        check("class EXPORT Name FINAL {\n  Q_OBJECT\n public:", &["EXPORT", "FINAL", "Q_OBJECT"]);
        check("class Name FINAL : public Base<int> {", &["FINAL"]);
        check("struct EXPORT ALIGNED(8) NAME SEALED {", &["EXPORT", "ALIGNED(8)", "SEALED"]);
        check("EXPORT template <typename T> class Name {", &["EXPORT"]);
        check("template <class T>\nclass EXPORT Name<T*> final {", &["EXPORT"]);
        check("enum class EXPORT Name : std::int8_t { ONE };", &["EXPORT"]);
        for places in [MacroPlaces::OutsideOfClasses, MacroPlaces::InClassesToo] {
            check_in(places, "struct PACKED name {\n  int a;\n};", &["PACKED"]);
            check_in(places, "typedef union EXPORT(1) name {\n  int a;\n} name_t;", &["EXPORT(1)"]);
        }
    }

    #[test]
    fn a_macro_before_a_constructor_is_found() {
        check(
            "class A {\n  API A(int a) : a_(a) {}\n  template <class T>\n  API A(T a) : a_(a) {}\n};",
            &["API", "API"],
        );
        check("class EXPORT B::A final : C {\n  API A();\n  BOOL b();\n};", &["EXPORT", "API"]);
        check("API A::A(int a) {}\nBOOL A::b() {}", &["API"]);
        check("struct A {\n  struct B {\n    API B();\n  };\n  API A();\n};\nBOOL A();", &["API", "API"]);
    }

    #[test]
    fn a_macro_at_the_end_of_a_header_is_found() {
        check("#ifndef A_H\nBEGIN_API\nint a();\n\nEND_API\n\n#endif  // A_H\n", &["BEGIN_API", "END_API"]);
    }

    #[test]
    fn a_macro_behind_the_word_of_a_condition_is_found() {
        check("void a() {\n  if CONSTEXPR20 (b()) {\n    c();\n  }\n}", &["CONSTEXPR20"]);
        check("void a() {\n  if (b) {} else if LIKELY(c) {}\n  while UNLIKELY (d) {}\n}", &["LIKELY", "UNLIKELY"]);
    }

    #[test]
    fn a_macro_among_members_is_found() {
        check(
            "class A : public B {\n  Q_OBJECT\n  Q_PROPERTY(int a READ a)\n public:\n  A();\n};",
            &["Q_OBJECT", "Q_PROPERTY(int a READ a)"],
        );
        check("struct A {\n  NOT_NULL(1)\n  A(int* a);\n};", &["NOT_NULL(1)"]);
        check("struct A {\n  API ~A();\n  API operator bool() const;\n  NO_COPY(A)\n};", &["API", "API", "NO_COPY(A)"]);
        check(
            "class A {\n  int a;\nTESTED_PRIVATELY:\n  int b;\n public Q_SLOTS:\n  void c();\n signals:\n  void d();\n};",
            &["TESTED_PRIVATELY:", "Q_SLOTS", "signals:"],
        );
        check("struct A {\n  COMPARES(<)\n\n#undef COMPARES\n  int b;\n};", &["COMPARES(<)"]);
        check("template <class F>\nclass A<int(F)> {\n  Q_OBJECT\n public:\n};", &["Q_OBJECT"]);
        check("#if A\nclass A {\n#else\nclass B {\n#endif\n  Q_OBJECT\n public:\n};", &["Q_OBJECT"]);
    }

    #[test]
    fn a_macro_inside_a_declaration_is_found() {
        check(
            "void a() const NOEXCEPT {}\nvoid b() NOT_NULL(1) override;\nint c() PURE = 0;",
            &["NOEXCEPT", "NOT_NULL(1)", "PURE"],
        );
        check("A::A(int a) NOEXCEPT : a_(a) {}", &["NOEXCEPT"]);
        check_in(
            MacroPlaces::OutsideOfClasses,
            "void NOTHROW *\nALLOCATES(1)\na(int b) {",
            &["NOTHROW", "ALLOCATES(1)"],
        );
    }

    #[test]
    fn a_macro_before_a_statement_is_found() {
        check("void a() {\n  IGNORE_WARNING\n  if (b) { c(); }\n}", &["IGNORE_WARNING"]);
        check("extern \"C\" int a() {\n  A_TRY {}\n  A_CATCH(...) {}\n}", &["A_TRY", "A_CATCH(...)"]);
        check("void a() {\n  A_TRY {\n    b();\n  }\n  A_CATCH(...) { c(); }\n}", &["A_TRY", "A_CATCH(...)"]);
    }

    #[test]
    fn types_calls_and_constants_stay() {
        for text in [
            "FILE *a;\nDWORD b;\nBOOL c();\nHANDLE d = 1;\nUINT const e = 1;\nUINT const *f;",
            "BOOL A::b() {}\nDB::DB() {}\nDB::iterator DB::begin() {}\nStatus DB::Delete(int a) {}",
            "TEST_CASE(\"a\", \"[b]\") {}\nTEST(A, b)\n{\n}\nBENCHMARK(a);\nBENCHMARK_MAIN();",
            "LIST_ENTRY(a) b;\nMAP<int> c;\nint MAX(int a);\nunsigned LONG d(int a);\nstruct POINT e(int a);",
            "enum A { ONE, TWO = 1, THREE };\nenum class B : int {\n  ONE\n};",
            "int a[] = {\n  ONE,\n  TWO\n};\nstruct a b = {\n  ONE\n};\nint c = ONE;",
            "typedef BOOL bool_t;\ntypedef struct { int a; } POINT;\nstruct { int a; } POINT;",
            "struct A {\n  UINT : 3;\n  UINT a : 3;\n  A(UINT b) : a(b) {}\n};",
            "void a() {\n  EXPECT(b);\n  SECTION(\"c\") { d(); }\n  if (e)\n    RUN(f)\n  else\n    RUN(g)\n}",
            "RUN(a int b;",
            "struct point MAKE(int a) {\n}\nstruct POINT b(struct POINT c) {\n}\nstruct point d {1, 2};",
            "struct A {\n  enum COLOR c : 4;\n};\nenum class A : int {\n};\nclass A;\nclass A : B {\n};",
            "void a() {\n  if (B(c)) {}\n  while (D) {}\n}",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn a_macro_above_the_body_of_another_is_found() {
        check("REGISTER(A)\n\nTEST_CASE(\"a\") {\n}", &["REGISTER(A)"]);
    }
}

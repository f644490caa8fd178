//! Facts of small texts for tests: as much of Python as these need.

use icr_model::{
    Digest64, Facts, Import, ImportKind, ImportName, LineIndex, RepoPath, Span, Symbol, SymbolKind, Visibility,
};

use super::tokens::{PYTHON_SIGNS, tokens};
use super::{FileSide, FileSides};

/// A file of a test.
#[derive(Debug)]
pub(crate) struct FixtureFile {
    pub(crate) path: RepoPath,
    pub(crate) text: String,
    pub(crate) facts: Facts,
    pub(crate) token_digest: Option<u64>,
}

impl FixtureFile {
    /// A file of Python.
    pub(crate) fn python(path: &str, text: &str) -> Self {
        let facts = python(text);
        Self { path: RepoPath::from(path), text: text.to_owned(), facts, token_digest: Some(digest(text)) }
    }

    /// A file of Rust or C: paragraphs, each with one function, and lines that begin with `#` before or between them.
    pub(crate) fn functions(path: &str, language: &str, text: &str) -> Self {
        let mut facts = Facts { language: language.to_owned(), ..Facts::default() };
        let mut start = 0;
        for paragraph in text.split_inclusive("\n\n") {
            let from = start;
            start += paragraph.len();
            let Some(bracket) = paragraph.find('{') else { continue };
            let is_directive = language != "rust";
            let own = paragraph[..bracket].rfind('\n').map_or(0, |end| end + 1);
            let first = if is_directive { own } else { 0 };
            let end = from + paragraph.rfind('}').expect("a function ends") + 1;
            let parenthesis = paragraph[own..].find('(').expect("a function has parameters") + own;
            let name_at = paragraph[..parenthesis].rfind(' ').map_or(own, |blank| blank + 1);
            let span = Span::new((from + first) as u32, end as u32);
            let mut symbol = Symbol {
                name_start: (from + name_at) as u32,
                name: paragraph[name_at..parenthesis].to_owned(),
                kind: SymbolKind::Function,
                span,
                lines: LineIndex::new(text.as_bytes()).lines_of(span),
                signature: Span::new((from + own) as u32, (from + bracket) as u32),
                doc: None,
                parent: None,
                receiver: None,
                path: None,
                bases: Vec::new(),
                contract: None,
                visibility: Visibility::Public,
                signature_hash: 0,
                body_hash: 0,
            };
            let digest = |parts: &[&str]| {
                let words = parts.iter().flat_map(|part| part.split_whitespace());
                (words.fold(Digest64::default(), |digest, word| digest.with(word.as_bytes())).finish() >> 32) as u32
            };
            symbol.signature_hash = digest(&[&paragraph[own..bracket]]);
            symbol.body_hash = digest(&[&paragraph[first..own], &text[from + bracket..end]]);
            facts.symbols.push(symbol);
        }
        Self { path: RepoPath::from(path), text: text.to_owned(), facts, token_digest: None }
    }

    pub(crate) fn side(&self) -> FileSide<'_> {
        let Self { path, text, facts, token_digest } = self;
        FileSide { path, facts, text: text.as_bytes(), shapes: &[], token_digest: *token_digest }
    }
}

/// Files of a change: for each the path before, the path after and the text of both; an empty path is no file.
pub(crate) struct Diff(Vec<(Option<FixtureFile>, Option<FixtureFile>)>);

impl Diff {
    pub(crate) fn of(files: &[(&str, &str, &str, &str)]) -> Self {
        let file = |path: &str, text: &str| (!path.is_empty()).then(|| FixtureFile::python(path, text));
        Self(files.iter().map(|(from, old, to, new)| (file(from, old), file(to, new))).collect())
    }

    /// Lets the signature of the first definition after the change end at `end`.
    pub(crate) fn resign(&mut self, end: impl Fn(&str) -> u32) {
        for file in self.0.iter_mut().filter_map(|(_, new)| new.as_mut()) {
            let symbol = &mut file.facts.symbols[0];
            symbol.signature.end = end(&file.text);
            (symbol.signature_hash, symbol.body_hash) = hashes(file.text.as_bytes(), symbol);
        }
    }

    /// Lets a syntax error hide the last definition after the change.
    pub(crate) fn hide_last_definition(&mut self) {
        for file in self.0.iter_mut().filter_map(|(_, new)| new.as_mut()) {
            file.facts.symbols.pop();
            (file.facts.error_bytes, file.token_digest) = (1, None);
        }
    }

    /// Gives the sides of all files other facts.
    pub(crate) fn replace_facts(&mut self, before: &Facts, after: &Facts) {
        for (old, new) in &mut self.0 {
            old.iter_mut().for_each(|file| file.facts = before.clone());
            new.iter_mut().for_each(|file| file.facts = after.clone());
        }
    }

    pub(crate) fn sides(&self) -> Vec<FileSides<'_>> {
        let sides = self.0.iter();
        sides
            .map(|(old, new)| FileSides {
                old: old.as_ref().map(FixtureFile::side),
                new: new.as_ref().map(FixtureFile::side),
            })
            .collect()
    }
}

/// The digest of all tokens but docstrings, with their indentation.
fn digest(text: &str) -> u64 {
    let tokens = tokens(text.as_bytes(), &PYTHON_SIGNS);
    let code = tokens.iter().filter(|token| !token.of(text.as_bytes()).starts_with(b"\"\"\""));
    let digest = code.fold(Digest64::default(), |digest, token| {
        digest.with(token.of(text.as_bytes())).with(&token.level.max(1).to_be_bytes())
    });
    digest.finish()
}

/// The facts of `text`: `def`, `class`, decorators on their own lines, docstrings of one line, values, `import` and
/// `from … import …`. Signatures stand on one line.
pub(crate) fn python(text: &str) -> Facts {
    let lines = FixtureLines::of(text);
    let mut facts = Facts { language: "python".to_owned(), ..Facts::default() };
    // Symbols around, with their indentation.
    let mut around: Vec<(usize, u32)> = Vec::new();
    let mut decorators: Option<u32> = None;
    for (number, line) in lines.iter() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if code.is_empty() || code.starts_with('#') {
            continue;
        }
        around.retain(|(outer, _)| *outer < indent);
        let start = lines.starts[number] + indent as u32;
        if code.starts_with('@') {
            decorators.get_or_insert(start);
            continue;
        }
        if code.starts_with("import ") || code.starts_with("from ") {
            facts.imports.push(import(code, number as u32 + 1));
            continue;
        }
        let outer = around.last().map(|(_, symbol)| *symbol);
        let in_function = outer.is_some_and(|outer| !super::side::is_container(facts.symbols[outer as usize].kind));
        let Some((kind, name_at)) = definition(code, in_function) else { continue };
        let name: String = code[name_at..].chars().take_while(|sign| sign.is_alphanumeric() || *sign == '_').collect();
        let is_value = kind == SymbolKind::Variable;
        let end = if is_value { start + code.trim_end().len() as u32 } else { lines.block_end(number, indent) };
        let first = decorators.take().unwrap_or(start);
        let in_type = outer.is_some_and(|outer| facts.symbols[outer as usize].kind == SymbolKind::Class);
        let kind = match kind {
            SymbolKind::Function if in_type => SymbolKind::Method,
            SymbolKind::Variable if in_type => SymbolKind::Field,
            kind => kind,
        };
        let signature_length = if is_value { code.find(" =").unwrap_or(code.len()) } else { code.rfind(':').unwrap() };
        let doc = lines.doc_after(number).filter(|_| !is_value);
        let is_dunder = name.starts_with("__") && name.ends_with("__");
        let visibility = match in_function || name.starts_with('_') && !is_dunder {
            true => Visibility::Private,
            false => Visibility::Public,
        };
        around.push((indent, facts.symbols.len() as u32));
        let span = Span::new(first, end);
        let mut symbol = Symbol {
            name_start: start + name_at as u32,
            name,
            kind,
            span,
            lines: LineIndex::new(text.as_bytes()).lines_of(span),
            signature: Span::new(start, start + signature_length as u32),
            doc,
            parent: outer,
            receiver: None,
            path: None,
            bases: Vec::new(),
            contract: None,
            visibility,
            signature_hash: 0,
            body_hash: 0,
        };
        (symbol.signature_hash, symbol.body_hash) = hashes(text.as_bytes(), &symbol);
        facts.symbols.push(symbol);
    }
    facts
}

/// The kind of definition that a line begins, and where in it the name stands.
fn definition(code: &str, in_function: bool) -> Option<(SymbolKind, usize)> {
    for (word, kind) in
        [("def ", SymbolKind::Function), ("async def ", SymbolKind::Function), ("class ", SymbolKind::Class)]
    {
        if code.starts_with(word) {
            return Some((kind, word.len()));
        }
    }
    let word = code.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(code.len());
    let is_value = code[word..].starts_with(" = ") || code[word..].starts_with(": ");
    (is_value && word > 0 && !in_function).then_some((SymbolKind::Variable, 0))
}

fn import(code: &str, line: u32) -> Import {
    let (specifier, names) =
        code.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")).unwrap_or((code, ""));
    let names = names.split(", ").filter(|name| !name.is_empty());
    Import {
        specifier: specifier.to_owned(),
        names: names.map(|name| ImportName { name: name.to_owned(), alias: None }).collect(),
        kind: ImportKind::Import,
        type_only: false,
        reexport: false,
        line,
    }
}

fn hashes(text: &[u8], symbol: &Symbol) -> (u32, u32) {
    let (mut signature, mut body) = (Digest64::default(), Digest64::default());
    for token in tokens(text, &PYTHON_SIGNS).into_iter().filter(|token| symbol.span.contains_offset(token.start)) {
        let word = token.of(text);
        if symbol.signature.contains_offset(token.start) {
            signature = signature.with(word);
        } else if !symbol.doc.is_some_and(|doc| doc.contains_offset(token.start)) {
            body = body.with(if word == symbol.name.as_bytes() { b"" } else { word });
        }
    }
    ((signature.finish() >> 32) as u32, (body.finish() >> 32) as u32)
}

struct FixtureLines<'a> {
    lines: Vec<&'a str>,
    starts: Vec<u32>,
}

impl<'a> FixtureLines<'a> {
    fn of(text: &'a str) -> Self {
        let lines: Vec<&str> = text.split('\n').collect();
        let mut start = 0;
        let next = |line: &&str| {
            start += line.len() as u32 + 1;
            start - line.len() as u32 - 1
        };
        let starts = lines.iter().map(next).collect();
        Self { lines, starts }
    }

    fn iter(&self) -> impl Iterator<Item = (usize, &'a str)> + '_ {
        self.lines.iter().copied().enumerate()
    }

    /// Where the lines that are indented more than `indent` end which follow line `number`.
    fn block_end(&self, number: usize, indent: usize) -> u32 {
        let is_inside = |line: &str| line.trim().is_empty() || line.len() - line.trim_start().len() > indent;
        let behind = self.lines[number + 1..].iter().take_while(|line| is_inside(line)).count();
        let last = (number..=number + behind).rev().find(|line| !self.lines[*line].trim().is_empty()).unwrap_or(number);
        self.starts[last] + self.lines[last].trim_end().len() as u32
    }

    fn doc_after(&self, number: usize) -> Option<Span> {
        let line = self.lines.get(number + 1)?;
        let code = line.trim();
        let start = self.starts[number + 1] + (line.len() - line.trim_start().len()) as u32;
        code.starts_with("\"\"\"").then(|| Span::new(start, start + code.len() as u32))
    }
}

//! From the matches at one node to definitions: the results of all patterns, merged, and placed under the enclosing
//! definitions.

use icr_model::{Contract, Digest64, ExportAlias, Facts, ImportKind, Span, SymbolKind, Visibility};
use tree_sitter::Node;

use crate::access_paths::PathId;
use crate::grammar::{Capture, Grammar, ImportPart, Members, ProvidedNameScope, flag};
use crate::imports::{ImportMatch, specifier_text, wildcard_name};
use crate::matching::matches;

/// No index.
pub(crate) const NONE: u32 = u32::MAX;

/// What one match says about a definition.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tag {
    pattern: usize,
    kind: Option<SymbolKind>,
    /// The node captured as the definition.
    span: Span,
    name: Option<Span>,
    doc: Option<Span>,
    body: Option<u32>,
    contract: Option<Contract>,
    members: Option<Members>,
    receiver: Option<Span>,
    continued: bool,
}

/// All results of the patterns that begin at one node.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    tags: Vec<Tag>,
    pub(crate) imports: Vec<ImportMatch>,
    pub(crate) comments: Vec<Span>,
    pub(crate) annotations: Vec<Span>,
    /// Keywords that look like names.
    pub(crate) keywords: Vec<Span>,
    pub(crate) provides: Vec<(ProvidedNameScope, Span)>,
    pub(crate) exports: Vec<Span>,
    /// Names that are exported under another name: the local name first.
    pub(crate) renamed: Vec<(Span, TakenAs)>,
    pub(crate) type_only: Vec<Span>,
}

/// A definition while the walk is still running.
#[derive(Debug, Clone)]
pub(crate) struct RawSymbol {
    pub(crate) kind: SymbolKind,
    pub(crate) name: Span,
    /// The whole definition including annotations, without its doc comment.
    pub(crate) span: Span,
    /// First byte of the comments and annotations directly above; the start of the definition if there are none.
    pub(crate) lead_start: u32,
    /// First byte after the annotations.
    pub(crate) signature_start: u32,
    /// First byte of the body; the end of the definition if there is none.
    pub(crate) signature_end: u32,
    pub(crate) doc: Option<Span>,
    /// The enclosing definition that may be its parent; [`NONE`] if there is none.
    pub(crate) parent: u32,
    /// Number of definitions around it.
    pub(crate) depth: u32,
    pub(crate) contract: Option<Contract>,
    pub(crate) members: Option<Members>,
    pub(crate) receiver: Option<Span>,
    /// Visibility from a modifier, or from the section of members around it.
    pub(crate) visibility: Option<Visibility>,
    /// Whether it is inside a wrapper that makes it public.
    pub(crate) exported: bool,
    /// Whether it is a heading, whose section extends to the next heading.
    pub(crate) heading: bool,
    /// Whether it is a field of `self` or `this` whose first value is assigned in a method.
    pub(crate) assigned: bool,
    /// Path of its type, or of the result of a call.
    pub(crate) path: PathId,
}

/// The name under which others import an exported name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TakenAs {
    Name(Span),
    Default,
    Module,
}

/// The exports of `exported` whose name differs from the local name, in order, each once.
pub(crate) fn exports(exported: &[(Span, TakenAs)], blob: &[u8]) -> Vec<ExportAlias> {
    let text = |span: Span| String::from_utf8_lossy(unquoted(blob, span).of(blob)).into_owned();
    let export = |(local, taken_as): &(Span, TakenAs)| ExportAlias {
        name: match taken_as {
            TakenAs::Name(name) => text(*name),
            TakenAs::Default => ExportAlias::DEFAULT.to_owned(),
            TakenAs::Module => ExportAlias::MODULE.to_owned(),
        },
        local: text(*local),
    };
    let is_other = |export: &ExportAlias| export.name != export.local || export.name == ExportAlias::DEFAULT;
    let mut exports: Vec<ExportAlias> = exported.iter().map(export).filter(is_other).collect();
    let mut met = std::collections::HashSet::new();
    exports.retain(|export| met.insert(export.clone()));
    exports
}

/// A package, namespace or module that the file declares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProvidedName {
    /// Index of the outer name that it is joined to; [`NONE`] if there is none.
    pub(crate) outer: u32,
    pub(crate) name: Span,
    pub(crate) scope: ProvidedNameScope,
}

/// The full names of `provided`, joined by `separator`.
pub(crate) fn full_names(provided: &[ProvidedName], blob: &[u8], separator: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(provided.len());
    for one in provided {
        let name = String::from_utf8_lossy(one.name.of(blob));
        if one.scope == ProvidedNameScope::Global {
            names.push(format!("{}{name}", Facts::GLOBAL_NAMESPACE));
            continue;
        }
        let outer = names.get(one.outer as usize);
        names.push(outer.map_or_else(|| name.to_string(), |outer| format!("{outer}{separator}{name}")));
    }
    // A name that holds for the whole file leaves no type outside of it.
    let has_whole_file = provided.iter().any(|one| one.scope == ProvidedNameScope::Itself);
    let is_kept = |one: &ProvidedName| one.scope != ProvidedNameScope::Global || !has_whole_file;
    provided.iter().zip(names).filter(|(one, _)| is_kept(one)).map(|(_, name)| name).collect()
}

/// A definition according to all patterns at its node. Each name gives one definition. Its kind comes from the first
/// pattern that gives a kind; everything else from the first pattern that gives it for this name, or without a name.
#[derive(Debug)]
pub(crate) struct DefinitionMatch {
    pub(crate) kind: SymbolKind,
    /// The node, or an inner node that covers the whole definition.
    pub(crate) span: Span,
    pub(crate) name: Span,
    pub(crate) doc: Option<Span>,
    pub(crate) body: Option<u32>,
    pub(crate) contract: Option<Contract>,
    pub(crate) members: Option<Members>,
    pub(crate) receiver: Option<Span>,
    /// Whether it continues the definition before it, if that has the same name.
    pub(crate) continued: bool,
}

impl Matches {
    /// Runs only the patterns that begin at `node`.
    pub(crate) fn read(&mut self, grammar: &Grammar, node: Node<'_>, blob: &[u8]) {
        self.clear();
        // A macro may be called by any word.
        let is_directive = node.kind().starts_with("preproc_");
        for found in matches(&grammar.query, node, blob) {
            let mut tag = Tag { pattern: found.pattern, ..Tag::default() };
            let (mut import, mut local, mut taken_as) = (None, None, None);
            let mut is_misread = false;
            for (capture, node) in found.captures {
                let span = span_of(node);
                match grammar.captures[usize::from(capture)] {
                    Capture::Definition(kind) => (tag.kind, tag.span) = (Some(kind), span),
                    Capture::Name => {
                        tag.name = Some(bare_name(blob, span));
                        is_misread |= !is_directive && names_reserved_word(grammar, node, blob);
                    }
                    Capture::Doc => tag.doc = Some(span),
                    Capture::Body => tag.body = Some(span.start),
                    Capture::Contract(contract) => tag.contract = Some(contract),
                    Capture::Members(members) => tag.members = Some(members),
                    Capture::Receiver => tag.receiver = Some(span),
                    Capture::Comment => self.comments.push(span),
                    Capture::Continued => tag.continued = true,
                    Capture::Annotation => self.annotations.push(span),
                    Capture::Keyword => self.keywords.push(span),
                    Capture::Export => local = Some(span),
                    Capture::ExportAs => taken_as = Some(TakenAs::Name(span)),
                    Capture::ExportDefault => (local, taken_as) = (Some(span), Some(TakenAs::Default)),
                    Capture::ExportModule => (local, taken_as) = (Some(span), Some(TakenAs::Module)),
                    Capture::Provides(reach) => self.provides.push((reach, unquoted(blob, span))),
                    Capture::TypeOnlyScope => self.type_only.push(span),
                    Capture::Import(part) => read_import(import.get_or_insert_default(), part, span, blob),
                    Capture::Unused => {}
                }
            }
            self.imports.extend(import);
            self.exports.extend(local);
            self.renamed.extend(local.zip(taken_as));
            if !is_misread {
                self.tags.push(tag);
            }
        }
        self.tags.sort_by_key(|tag| (tag.name.map(|name| name.start), tag.pattern));
    }

    /// The definitions at the node, in order of their names.
    pub(crate) fn defined(&self) -> impl Iterator<Item = DefinitionMatch> + '_ {
        let start_of = |tag: &Tag| tag.name.map(|name| name.start);
        let nameless = self.tags.partition_point(|tag| tag.name.is_none());
        let shared = NameTags::from_tags(&self.tags[..nameless]);
        let groups = self.tags[nameless..].chunk_by(move |one, next| start_of(one) == start_of(next));
        groups.filter_map(move |group| {
            let tag = group.iter().find(|tag| tag.kind.is_some())?;
            let (kind, name) = (tag.kind?, tag.name.filter(|name| !name.is_empty())?);
            let said = NameTags::from_tags(group);
            Some(DefinitionMatch {
                kind,
                span: tag.span,
                name,
                doc: earlier(said.doc, shared.doc),
                body: earlier(said.body, shared.body),
                contract: earlier(said.contract, shared.contract),
                members: earlier(said.members, shared.members),
                receiver: earlier(said.receiver, shared.receiver),
                continued: group.iter().any(|tag| tag.continued),
            })
        })
    }

    /// A contract that patterns give without naming a definition. It belongs to the definition inside.
    pub(crate) fn loose_contract(&self) -> Option<Contract> {
        self.tags.iter().filter(|tag| tag.kind.is_none()).find_map(|tag| tag.contract)
    }

    fn clear(&mut self) {
        self.tags.clear();
        self.imports.clear();
        self.comments.clear();
        self.annotations.clear();
        self.keywords.clear();
        self.provides.clear();
        self.exports.clear();
        self.renamed.clear();
        self.type_only.clear();
    }
}

/// What the tags say about one name: for each property, the first pattern that gives it, with its number.
#[derive(Debug, Clone, Copy, Default)]
struct NameTags {
    doc: Option<(usize, Span)>,
    body: Option<(usize, u32)>,
    contract: Option<(usize, Contract)>,
    members: Option<(usize, Members)>,
    receiver: Option<(usize, Span)>,
}

impl NameTags {
    /// `tags` are in order of their patterns.
    fn from_tags(tags: &[Tag]) -> Self {
        let mut said = Self::default();
        for tag in tags {
            let pattern = tag.pattern;
            said.doc = said.doc.or(tag.doc.map(|doc| (pattern, doc)));
            said.body = said.body.or(tag.body.map(|body| (pattern, body)));
            said.contract = said.contract.or(tag.contract.map(|contract| (pattern, contract)));
            said.members = said.members.or(tag.members.map(|members| (pattern, members)));
            said.receiver = said.receiver.or(tag.receiver.map(|receiver| (pattern, receiver)));
        }
        said
    }
}

/// Of two patterns, the value of the earlier one.
fn earlier<T>(one: Option<(usize, T)>, other: Option<(usize, T)>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if one.0 <= other.0 { one.1 } else { other.1 }),
        (one, other) => one.or(other).map(|(_, said)| said),
    }
}

/// The kind under a parent of the given kind: functions and values inside a type are methods and fields.
pub(crate) fn kind_under(kind: SymbolKind, parent: Option<SymbolKind>) -> SymbolKind {
    use SymbolKind::{Field, Function, Method, Variable};
    match (kind, parent.is_some_and(is_type)) {
        (Function, true) => Method,
        (Variable, true) => Field,
        _ => kind,
    }
}

/// Whether definitions of that kind are ignored inside a function.
pub(crate) fn is_value(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Key, Type, Variable};
    matches!(kind, Constant | Variable | Field | Type | Key)
}

/// Whether `outer` may be the parent of `inner`. An alias or a value is the parent of members only, so that in C's
/// `typedef struct a { … } b` neither name is under the other.
pub(crate) fn may_hold(outer: SymbolKind, inner: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Method, Type, Variable, Variant};
    !matches!(outer, Type | Constant | Variable | Field) || matches!(inner, Field | Method | Variant)
}

/// Whether definitions of the kind have members.
pub(crate) fn is_type(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Implementation, Interface, Struct, Trait};
    matches!(kind, Class | Enum | Implementation | Interface | Struct | Trait)
}

/// Whether definitions of the kind are executable code.
pub(crate) fn is_function(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::Method)
}

/// The byte range of a node. A tree is never larger than the offsets of a span allow.
pub(crate) fn span_of(node: Node<'_>) -> Span {
    let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
    Span::new(start, end.max(start))
}

/// A name without quotes and without the signs that mark its kind: Ruby's `:name` and `@name` and Elixir's `name: `
/// give `name`, and so does the key `"name"`.
pub(crate) fn bare_name(blob: &[u8], span: Span) -> Span {
    let text = span.of(blob);
    let signs = text.iter().take_while(|byte| matches!(byte, b':' | b'@')).count() as u32;
    let behind = text.strip_suffix(b": ").map_or(0, |_| 2);
    let start = span.start + signs;
    unquoted(blob, Span::new(start, (span.end - behind).max(start)))
}

/// Whether the name `node` is a reserved word, so that the text was misread. Not so a type that gives its name to a
/// conversion: `operator bool`.
fn names_reserved_word(grammar: &Grammar, node: Node<'_>, blob: &[u8]) -> bool {
    let reserved = grammar.row.reserved_words;
    let text = || std::str::from_utf8(span_of(node).of(blob)).unwrap_or_default();
    !reserved.is_empty()
        && grammar.flags(node.kind_id()) & flag::IDENTIFIER != 0
        && reserved.binary_search(&text()).is_ok()
}

/// The text between quotes, if the span is quoted.
fn unquoted(blob: &[u8], span: Span) -> Span {
    match span.of(blob) {
        [open @ (b'"' | b'\'' | b'`'), .., close] if open == close => Span::new(span.start + 1, span.end - 1),
        _ => span,
    }
}

/// Digest of the bytes of one token.
pub(crate) fn token_digest(bytes: &[u8]) -> u64 {
    Digest64::default().with(bytes).finish()
}

fn read_import(import: &mut ImportMatch, part: ImportPart, span: Span, blob: &[u8]) {
    let text = || specifier_text(span.of(blob));
    // The statement begins before its names, which are sorted among themselves.
    if part != ImportPart::Statement && import.at.is_none() {
        import.at = Some(span.start);
    }
    match part {
        ImportPart::Specifier => import.ends[0] = Some(span.end),
        ImportPart::Name => import.ends[1] = Some(span.end),
        ImportPart::Alias | ImportPart::Default | ImportPart::Namespace => import.ends[2] = Some(span.end),
        _ => {}
    }
    match part {
        ImportPart::Statement => import.statement = true,
        ImportPart::Scope => import.scope = Some(text()),
        ImportPart::Specifier => {
            let whole = import.path.map_or(span, |path: Span| Span::new(path.start, span.end.max(path.end)));
            import.path = Some(whole);
            import.specifier = Some(specifier_text(whole.of(blob)));
        }
        ImportPart::Name => {
            import.name = Some(specifier_text(bare_name(blob, span).of(blob)));
            import.at = Some(span.start);
        }
        ImportPart::Alias => import.alias = Some(text()),
        ImportPart::Default => {
            import.name = Some("default".to_owned());
            import.alias = Some(text());
        }
        ImportPart::Namespace => {
            import.name = Some(wildcard_name());
            import.alias = Some(text());
        }
        ImportPart::Wildcard => import.name = Some(wildcard_name()),
        ImportPart::TypeOnly => import.type_only = true,
        ImportPart::Reexport => import.reexport = true,
        ImportPart::Module => import.kind = Some(ImportKind::Module),
        ImportPart::Include => import.kind = Some(ImportKind::Include),
        ImportPart::System => import.kind = Some(ImportKind::SystemInclude),
    }
}

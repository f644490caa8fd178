//! From the matches at one node to definitions: what patterns say, merged, and placed under what encloses them.

use icr_model::{Contract, Digest64, ExportAlias, ImportKind, Span, SymbolKind, Visibility};
use tree_sitter::Node;

use crate::access_paths::PathId;
use crate::grammar::{Capture, Grammar, ImportPart, Members, ProvidedNameScope};
use crate::imports::{ImportMatch, specifier_text, wildcard_name};
use crate::matching::matches;

/// No index.
pub(crate) const NONE: u32 = u32::MAX;

/// What one match says of a definition.
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

/// All that the patterns say which begin at one node.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    tags: Vec<Tag>,
    pub(crate) imports: Vec<ImportMatch>,
    pub(crate) comments: Vec<Span>,
    pub(crate) annotations: Vec<Span>,
    /// Words of the language that read like names.
    pub(crate) keywords: Vec<Span>,
    pub(crate) provides: Vec<(ProvidedNameScope, Span)>,
    pub(crate) exports: Vec<Span>,
    /// What is exported under another name, by its own.
    pub(crate) renamed: Vec<(Span, TakenAs)>,
    pub(crate) type_only: Vec<Span>,
}

/// A definition while the walk goes on.
#[derive(Debug, Clone)]
pub(crate) struct RawSymbol {
    pub(crate) kind: SymbolKind,
    pub(crate) name: Span,
    /// The whole definition with annotations, without its doc comment.
    pub(crate) span: Span,
    /// First byte of the comments and annotations right above, or of the definition.
    pub(crate) lead_start: u32,
    /// First byte behind annotations.
    pub(crate) signature_start: u32,
    /// First byte of the body; else the end of the definition.
    pub(crate) signature_end: u32,
    pub(crate) doc: Option<Span>,
    /// The definition that encloses it and may be its parent; [`NONE`] for none.
    pub(crate) parent: u32,
    /// How many definitions enclose it.
    pub(crate) depth: u32,
    pub(crate) contract: Option<Contract>,
    pub(crate) members: Option<Members>,
    pub(crate) receiver: Option<Span>,
    /// What a modifier says, or the section of members around it.
    pub(crate) visibility: Option<Visibility>,
    /// Stands in a wrapper that makes it public.
    pub(crate) exported: bool,
    /// Is a heading, whose section goes on to the next.
    pub(crate) heading: bool,
    /// Is a field of the object at hand that a method gives a value first.
    pub(crate) assigned: bool,
    /// Of what it is, or what a call of it gives.
    pub(crate) path: PathId,
}

/// What others call what a file exports.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TakenAs {
    Name(Span),
    Default,
    Module,
}

/// What is `exported` under another name than its own, in order, each once.
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

/// A name that the file declares itself to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProvidedName {
    /// Index of the name that it is joined to; [`NONE`] for none.
    pub(crate) outer: u32,
    pub(crate) name: Span,
}

/// The names of `provided` in full, joined by `separator`.
pub(crate) fn full_names(provided: &[ProvidedName], blob: &[u8], separator: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(provided.len());
    for one in provided {
        let name = String::from_utf8_lossy(one.name.of(blob));
        let outer = names.get(one.outer as usize);
        names.push(outer.map_or_else(|| name.to_string(), |outer| format!("{outer}{separator}{name}")));
    }
    names
}

/// A definition as the patterns at its node say it: every name once, by the first pattern that names a kind; all else
/// from the first pattern that says it of the name, or of no name.
#[derive(Debug)]
pub(crate) struct DefinitionMatch {
    pub(crate) kind: SymbolKind,
    /// The node, or one inside that is all of the definition.
    pub(crate) span: Span,
    pub(crate) name: Span,
    pub(crate) doc: Option<Span>,
    pub(crate) body: Option<u32>,
    pub(crate) contract: Option<Contract>,
    pub(crate) members: Option<Members>,
    pub(crate) receiver: Option<Span>,
    /// Goes on with the definition right before it, if that has the same name.
    pub(crate) continued: bool,
}

impl Matches {
    /// Runs the patterns that begin at `node`, and only these.
    pub(crate) fn read(&mut self, grammar: &Grammar, node: Node<'_>, blob: &[u8]) {
        self.clear();
        for found in matches(&grammar.query, node, blob) {
            let mut tag = Tag { pattern: found.pattern, ..Tag::default() };
            let (mut import, mut local, mut taken_as) = (None, None, None);
            for (capture, node) in found.captures {
                let span = span_of(node);
                match grammar.captures[usize::from(capture)] {
                    Capture::Definition(kind) => (tag.kind, tag.span) = (Some(kind), span),
                    Capture::Name => tag.name = Some(bare_name(blob, span)),
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
            self.tags.push(tag);
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

    /// A contract that patterns claim without naming a definition: that of the one inside.
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

/// What tags say of one name: of each thing the first pattern that says it, with its number.
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

/// What the earlier of two patterns says.
fn earlier<T>(one: Option<(usize, T)>, other: Option<(usize, T)>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if one.0 <= other.0 { one.1 } else { other.1 }),
        (one, other) => one.or(other).map(|(_, said)| said),
    }
}

/// The kind under a parent of that kind: functions and values of a type are its methods and fields.
pub(crate) fn kind_under(kind: SymbolKind, parent: Option<SymbolKind>) -> SymbolKind {
    use SymbolKind::{Field, Function, Method, Variable};
    match (kind, parent.is_some_and(is_type)) {
        (Function, true) => Method,
        (Variable, true) => Field,
        _ => kind,
    }
}

/// Whether a definition of that kind says nothing when it stands inside a function.
pub(crate) fn is_value(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Key, Type, Variable};
    matches!(kind, Constant | Variable | Field | Type | Key)
}

/// Whether `outer` may be the parent of `inner`: an alias or a value holds members only, so that in C's
/// `typedef struct a { … } b` neither name is under the other.
pub(crate) fn may_hold(outer: SymbolKind, inner: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Method, Type, Variable, Variant};
    !matches!(outer, Type | Constant | Variable | Field) || matches!(inner, Field | Method | Variant)
}

/// Whether a kind has members.
pub(crate) fn is_type(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Implementation, Interface, Struct, Trait};
    matches!(kind, Class | Enum | Implementation | Interface | Struct | Trait)
}

/// Whether a kind runs.
pub(crate) fn is_function(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::Method)
}

/// Bytes of a node; trees are never larger than what a span can hold.
pub(crate) fn span_of(node: Node<'_>) -> Span {
    let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
    Span::new(start, end.max(start))
}

/// A name without the signs around it that say what it names, and without quotes: Ruby's `:name` and `@name` and Elixir's
/// `name: ` are `name`, and so is the key `"name"`.
pub(crate) fn bare_name(blob: &[u8], span: Span) -> Span {
    let text = span.of(blob);
    let signs = text.iter().take_while(|byte| matches!(byte, b':' | b'@')).count() as u32;
    let behind = text.strip_suffix(b": ").map_or(0, |_| 2);
    let start = span.start + signs;
    unquoted(blob, Span::new(start, (span.end - behind).max(start)))
}

/// What stands between quotes, where quotes are around it.
fn unquoted(blob: &[u8], span: Span) -> Span {
    match span.of(blob) {
        [open @ (b'"' | b'\'' | b'`'), .., close] if open == close => Span::new(span.start + 1, span.end - 1),
        _ => span,
    }
}

/// Digest of one token's bytes.
pub(crate) fn token_digest(bytes: &[u8]) -> u64 {
    Digest64::default().with(bytes).finish()
}

fn read_import(import: &mut ImportMatch, part: ImportPart, span: Span, blob: &[u8]) {
    let text = || specifier_text(span.of(blob));
    // The statement begins before its names, which are to be ordered among themselves.
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

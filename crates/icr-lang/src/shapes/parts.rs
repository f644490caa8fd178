//! From the matches of a tree to the parts of definitions, by the names of the definitions.

use std::collections::HashMap;

use icr_model::{Parameter, ParameterKind, Shape, Span, SymbolKind};
use tree_sitter::{Node, Tree};

use super::layout::render_nodes;
use super::tokens::Tokens;
use super::vocabulary::{ShapeCapture, ShapeGrammar};
use crate::definitions::{bare_name, is_function, span_of};
use crate::grammar::flag;
use crate::matching::{Match, matches};

/// The results of the patterns for one text.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    text: &'a [u8],
    /// First bytes of the names of all definitions, ascending.
    names: &'a [u32],
    tokens: Tokens,
    /// By first byte of the name.
    definitions: HashMap<u32, DefinitionParts>,
    /// Nodes whose children are parameters, by node identity, each with the name of its definition.
    lists: HashMap<usize, u32>,
    /// Identities of the open nodes, from the outside in.
    open: Vec<usize>,
}

/// The nodes of one part, in any order.
type Run = Vec<Span>;

/// The parts of one definition.
#[derive(Debug, Default)]
struct DefinitionParts {
    lists: Run,
    parameters: Vec<RawParameter>,
    positional_before: Vec<u32>,
    keyword_behind: Vec<u32>,
    returns: Run,
    bases: Vec<Run>,
    ty: Run,
    value: Run,
    type_parameters: Vec<Run>,
    modifiers: Vec<Modifier>,
}

/// A modifier: a word, and the text shown after it.
#[derive(Debug)]
struct Modifier {
    node: Span,
    word: String,
    tells_node: bool,
}

/// What the matches say about one parameter.
#[derive(Debug, Clone, Default)]
struct RawParameter {
    node: Span,
    name: Option<Span>,
    ty: Run,
    default: Run,
    kind: Option<ParameterKind>,
    /// Whether it is the receiver (`self`, `this`), if the definition is a method.
    is_receiver: bool,
    optional: bool,
    required: bool,
}

impl<'a> Parts<'a> {
    /// Reads `tree`, the tree of `text`, in which definitions have their names at `names`, ascending. It takes one
    /// walk, and runs the patterns at the nodes where some begin.
    pub(super) fn read(shapes: &ShapeGrammar, text: &'a [u8], names: &'a [u32], tree: &Tree) -> Self {
        let (definitions, lists) = (HashMap::new(), HashMap::new());
        let mut parts = Self { text, names, tokens: Tokens::default(), definitions, lists, open: Vec::new() };
        let mut cursor = tree.walk();
        loop {
            if parts.enter(shapes, cursor.node()) && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    parts.tokens.finish();
                    return parts;
                }
                parts.tokens.close();
                parts.open.pop();
            }
        }
    }

    /// The shape of the definition of `kind` whose name begins at `name_start`.
    pub(super) fn shape(&self, name_start: u32, kind: SymbolKind) -> Option<Shape> {
        let definition = self.definitions.get(&name_start)?;
        let name = Span::new(name_start, name_start + 1);
        let modifiers = definition.modifiers.iter().map(|modifier| &modifier.node);
        let parts = definition.lists.iter().chain(modifiers).chain(&definition.value);
        let cuts: Vec<Span> = std::iter::once(name).chain(parts.copied()).collect();
        let text = |run: &Run, cuts: &[Span]| {
            Some(render_nodes(&self.tokens, self.text, run, cuts)).filter(|text| !text.is_empty())
        };
        let ty = || text(&definition.ty, &cuts);
        let all = |runs: &[Run]| -> Vec<String> {
            let mut runs: Vec<&Run> = runs.iter().collect();
            runs.sort_by_key(|run| run.iter().map(|span| span.start).min());
            runs.dedup();
            runs.into_iter().filter_map(|run| text(run, &[])).collect()
        };
        let modifier = |modifier: &Modifier| {
            let node = Some(modifier.node).filter(|_| modifier.tells_node);
            let text = node.map(|node| render_nodes(&self.tokens, self.text, &[node], &[])).unwrap_or_default();
            format!("{} {text}", modifier.word).trim().to_owned()
        };
        let mut modifiers: Vec<String> = definition.modifiers.iter().map(modifier).collect();
        modifiers.retain(|modifier| !modifier.is_empty());
        modifiers.sort();
        modifiers.dedup();
        Some(Shape {
            parameters: self.parameters(definition, kind),
            // The type given for a function is its return type.
            returns: text(&definition.returns, &cuts).or_else(|| ty().filter(|_| is_function(kind))),
            bases: all(&definition.bases),
            ty: ty().filter(|_| !is_function(kind)),
            // The first value of a variable is not a promise, and the value of a function is its body.
            value: text(&definition.value, &[]).filter(|_| has_value(kind)),
            type_parameters: all(&definition.type_parameters),
            modifiers,
        })
    }

    fn parameters(&self, definition: &DefinitionParts, kind: SymbolKind) -> Vec<Parameter> {
        let positional_end = definition.positional_before.iter().max().copied().unwrap_or(0);
        let keyword_start = definition.keyword_behind.iter().min().copied().unwrap_or(u32::MAX);
        let parameter = |raw: RawParameter| {
            let by_sign = if raw.node.start > keyword_start {
                ParameterKind::KeywordOnly
            } else if raw.node.start < positional_end {
                ParameterKind::PositionalOnly
            } else {
                ParameterKind::Ordinary
            };
            let receiver = Some(ParameterKind::Receiver).filter(|_| raw.is_receiver && kind == SymbolKind::Method);
            let kind = receiver.or(raw.kind).unwrap_or(by_sign);
            let variadic = matches!(kind, ParameterKind::Variadic | ParameterKind::KeywordVariadic);
            let cuts: Vec<Span> = raw.name.iter().chain(&raw.default).copied().collect();
            let text = |run: &[Span], cuts: &[Span]| {
                Some(render_nodes(&self.tokens, self.text, run, cuts)).filter(|text| !text.is_empty())
            };
            let default = text(&raw.default, &[]);
            Parameter {
                name: raw.name.and_then(|name| text(&[name], &[])).unwrap_or_default(),
                ty: text(&raw.ty, &cuts),
                optional: raw.optional && !raw.required || variadic || default.is_some(),
                default,
                kind,
            }
        };
        // Nothing is left of a list that only says that it is empty.
        let says = |parameter: &Parameter| {
            !parameter.name.is_empty() || parameter.ty.is_some() || parameter.kind != ParameterKind::Ordinary
        };
        merged(&definition.parameters).into_iter().map(parameter).filter(says).collect()
    }

    /// Reads a node. Returns whether its children must be read.
    fn enter(&mut self, shapes: &ShapeGrammar, node: Node<'_>) -> bool {
        let span = span_of(node);
        if shapes.grammar.flags(node.kind_id()) & flag::COMMENT != 0 {
            self.tokens.comment(span, self.text);
            return false;
        }
        if !shapes.query.beginning_at(node.kind_id()).is_empty() {
            for found in matches(&shapes.query, node, self.text) {
                self.take(shapes, node, &found);
            }
        }
        if node.child_count() == 0 || self.tokens.is_whole(span) {
            self.tokens.push(node, span, self.text);
            return false;
        }
        self.tokens.open();
        self.open.push(node.id());
        true
    }

    /// Stores the result of one match that begins at `root`.
    fn take(&mut self, shapes: &ShapeGrammar, root: Node<'_>, found: &Match<'_>) {
        let is_comment = |node: &Node<'_>| shapes.grammar.flags(node.kind_id()) & flag::COMMENT != 0;
        let said: Vec<(&ShapeCapture, Node<'_>)> = found
            .captures
            .iter()
            .map(|(capture, node)| (&shapes.parts[usize::from(*capture)], *node))
            .filter(|(_, node)| !is_comment(node))
            .collect();
        let list = said.iter().find(|(part, _)| **part == ShapeCapture::Parameters).map_or(root, |(_, node)| *node);
        for (part, node) in &said {
            match part {
                ShapeCapture::Style(style) => self.tokens.style(span_of(*node), *style),
                ShapeCapture::MoreParameters => self.more_parameters(list, *node),
                ShapeCapture::PositionalBefore | ShapeCapture::KeywordBehind => self.sign(part, list, *node),
                _ => {}
            }
        }
        if let Some(name_start) = said.iter().find_map(|(part, node)| self.name_start(part, *node)) {
            self.define(name_start, &said);
        }
        if let Some((_, node)) = said.iter().find(|(part, _)| **part == ShapeCapture::Parameter) {
            self.parameter(list, *node, &said);
        }
    }

    /// The start of the definition's name that a node captured as `part` gives.
    fn name_start(&self, part: &ShapeCapture, node: Node<'_>) -> Option<u32> {
        let span = span_of(node);
        let (start, end) = match part {
            ShapeCapture::Name => {
                let bare = bare_name(self.text, span);
                (bare.start, bare.start + 1)
            }
            ShapeCapture::NameWithin => (span.start, span.end),
            ShapeCapture::ListOf => return self.lists.get(&node.id()).copied(),
            _ => return None,
        };
        let next = self.names.get(self.names.partition_point(|name| *name < start))?;
        (*next < end).then_some(*next)
    }

    /// The name whose list is around `node`. The list is the node captured by the match or where it begins; if that is
    /// `node` itself, the innermost open node.
    fn list_around(&self, list: Node<'_>, node: Node<'_>) -> Option<u32> {
        let list = if list == node { *self.open.last()? } else { list.id() };
        self.lists.get(&list).copied()
    }

    fn more_parameters(&mut self, list: Node<'_>, node: Node<'_>) {
        if let Some(name) = self.list_around(list, node) {
            self.lists.insert(node.id(), name);
        }
    }

    fn sign(&mut self, part: &ShapeCapture, list: Node<'_>, node: Node<'_>) {
        let Some(definition) = self.list_around(list, node).and_then(|name| self.definitions.get_mut(&name)) else {
            return;
        };
        let signs = match part {
            ShapeCapture::PositionalBefore => &mut definition.positional_before,
            _ => &mut definition.keyword_behind,
        };
        signs.push(node.start_byte() as u32);
    }

    fn define(&mut self, name_start: u32, said: &[(&ShapeCapture, Node<'_>)]) {
        let definition = self.definitions.entry(name_start).or_default();
        let run = |wanted: &ShapeCapture| -> Run {
            said.iter().filter(|(part, _)| *part == wanted).map(|(_, node)| span_of(*node)).collect()
        };
        definition.returns.extend(run(&ShapeCapture::Returns));
        definition.ty.extend(run(&ShapeCapture::Type));
        definition.value.extend(run(&ShapeCapture::Value));
        definition.bases.extend(Some(run(&ShapeCapture::Base)).filter(|run| !run.is_empty()));
        definition.type_parameters.extend(Some(run(&ShapeCapture::TypeParameter)).filter(|run| !run.is_empty()));
        for (part, node) in said {
            match part {
                ShapeCapture::Modifier(word) | ShapeCapture::ModifierIs(word) => {
                    let tells_node = matches!(part, ShapeCapture::Modifier(_));
                    definition.modifiers.push(Modifier { node: span_of(*node), word: word.clone(), tells_node });
                }
                ShapeCapture::Parameters if self.lists.insert(node.id(), name_start).is_none() => {
                    definition.lists.push(span_of(*node));
                }
                _ => {}
            }
        }
    }

    fn parameter(&mut self, list: Node<'_>, node: Node<'_>, said: &[(&ShapeCapture, Node<'_>)]) {
        let Some(definition) = self.list_around(list, node).and_then(|name| self.definitions.get_mut(&name)) else {
            return;
        };
        let mut raw = RawParameter { node: span_of(node), ..RawParameter::default() };
        for (part, node) in said {
            match part {
                ShapeCapture::ParameterName => raw.name = Some(span_of(*node)),
                ShapeCapture::ParameterType => raw.ty.push(span_of(*node)),
                ShapeCapture::ParameterDefault => raw.default.push(span_of(*node)),
                ShapeCapture::ParameterKind(kind) => raw.kind = Some(*kind),
                ShapeCapture::MethodReceiver => raw.is_receiver = true,
                ShapeCapture::Optional => raw.optional = true,
                ShapeCapture::Required => raw.required = true,
                _ => {}
            }
        }
        definition.parameters.push(raw);
    }
}

fn has_value(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Constant | SymbolKind::Field | SymbolKind::Variant)
}

/// The parameters in order: one for each name at a node, together with data that has no name; or one without a name.
fn merged(said: &[RawParameter]) -> Vec<RawParameter> {
    let key = |raw: &RawParameter| (raw.node.start, raw.node.end, raw.name.map(|name| name.start));
    let mut said = said.to_vec();
    said.sort_by_key(key);
    let mut merged: Vec<RawParameter> = Vec::new();
    for at_node in said.chunk_by(|one, next| one.node == next.node) {
        let nameless = at_node.partition_point(|raw| raw.name.is_none());
        let of_all = RawParameter { node: at_node[0].node, ..RawParameter::default() };
        let of_all = at_node[..nameless].iter().fold(of_all, RawParameter::with);
        let named = at_node[nameless..].chunk_by(|one, next| one.name == next.name);
        let before = merged.len();
        merged.extend(named.map(|group| {
            let named = RawParameter { name: group[0].name, ..of_all.clone() };
            group.iter().fold(named, RawParameter::with)
        }));
        if merged.len() == before {
            merged.push(of_all);
        }
    }
    merged
}

impl RawParameter {
    /// Merges the data of `other` into it.
    fn with(mut self, other: &Self) -> Self {
        self.ty.extend(&other.ty);
        self.default.extend(&other.default);
        self.kind = self.kind.or(other.kind);
        self.is_receiver |= other.is_receiver;
        self.optional |= other.optional;
        self.required |= other.required;
        self
    }
}

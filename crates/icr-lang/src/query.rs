//! Queries: patterns of nodes, read from text.
//!
//! The texts use the language of tree-sitter's query engine, with the same meaning. The engine itself proves for every
//! pattern, over all states of the parser, where it can fail. That cost every process 240 ms for C++ and 1.4 s for all
//! languages; all languages take 12 ms now (`examples/query_compile.rs`). The proof finds patterns that can never
//! match; here a test finds them. [`crate::matching`] finds the matches of patterns.

use std::collections::HashMap;
use std::sync::OnceLock;

use regex::bytes::Regex;
use tree_sitter::Language;

use crate::text::{PatternSyntaxError, Text};

/// The patterns of one language.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) patterns: Vec<Pattern>,
    /// Names of captures, without `@`. [`NodePattern::captures`] holds indices into it.
    pub(crate) capture_names: Vec<String>,
    /// Kinds of nodes that patterns pass over as if they were not there, ascending. None unless they are set.
    pub(crate) passed_over: Vec<u16>,
    /// Patterns by the kind of their outermost node, in the order of the text.
    by_kind: HashMap<u16, Vec<u16>>,
}

/// An outermost node and the conditions on the text of captures.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) root: NodePattern,
    pub(crate) predicates: Vec<Predicate>,
}

/// The conditions on a node.
#[derive(Debug)]
pub(crate) struct NodePattern {
    pub(crate) kind: KindPattern,
    /// Its field in its parent; 0 for any field.
    pub(crate) field: u16,
    /// Fields that it must not have.
    pub(crate) without: Vec<u16>,
    /// Its captures.
    pub(crate) captures: Vec<u16>,
    /// Patterns of its children, in order.
    pub(crate) children: Vec<ChildPattern>,
    /// Whether it or a node inside is captured.
    pub(crate) says: bool,
}

/// Kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KindPattern {
    /// `_`: any node except errors.
    Any,
    /// `(_)`: any named node.
    AnyNamed,
    Is(u16),
}

/// The condition on one child, or on several.
#[derive(Debug)]
pub(crate) struct ChildPattern {
    /// Alternatives of which one must match. For a repeated group, all of these, one directly after the other.
    pub(crate) nodes: Vec<NodePattern>,
    pub(crate) often: ChildQuantifier,
    /// `.` before: no named node is between it and the node before it, or the start of the parent.
    pub(crate) adjacent: bool,
    /// `.` after: no named node follows.
    pub(crate) last: bool,
    pub(crate) says: bool,
}

/// How many children a [`ChildPattern`] stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChildQuantifier {
    Once,
    /// `?`
    Optional,
    /// `*`: as many as there are.
    Repeated,
}

/// A condition on the text of all nodes of a capture.
#[derive(Debug)]
pub(crate) struct Predicate {
    capture: u16,
    /// Whether the condition is negated.
    negated: bool,
    condition: Condition,
}

#[derive(Debug)]
enum Condition {
    /// `#eq?`, `#any-of?`
    OneOf(Vec<String>),
    /// `#match?`, compiled when first asked.
    Like(String, OnceLock<Option<Regex>>),
}

/// The error for a text that is not a query of its grammar.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum QueryError {
    #[error(transparent)]
    Expected(#[from] PatternSyntaxError),
    #[error("the grammar has no node kind `{0}`")]
    Kind(String),
    #[error("`{0}` stands for several node kinds; write `_` or the kinds")]
    Supertype(String),
    #[error("the grammar has no field `{0}`")]
    Field(String),
    #[error("the predicate `{0}` is not known")]
    Predicate(String),
    #[error("`@{0}` is captured nowhere before the predicate")]
    Uncaptured(String),
    #[error("a pattern before byte {at} must begin at one node kind")]
    Root { at: usize },
    #[error("what is repeated before byte {at} has no `.` before it, or asks for children")]
    Repeated { at: usize },
}

impl Query {
    /// The patterns of `text`, in their order.
    ///
    /// # Errors
    ///
    /// [`QueryError`] when the text has another form or uses names that `language` does not have. Regular expressions
    /// are compiled when they are first used; a test compiles all of them.
    pub(crate) fn read(text: &str, language: &Language) -> Result<Self, QueryError> {
        let mut reader = QueryReader { text: Text::new(text), language, names: Vec::new() };
        let mut patterns = Vec::new();
        let mut by_kind: HashMap<u16, Vec<u16>> = HashMap::new();
        while !reader.text.remaining_text().is_empty() {
            let pattern = reader.pattern()?;
            let KindPattern::Is(kind) = pattern.root.kind else {
                return Err(QueryError::Root { at: reader.text.at() });
            };
            by_kind.entry(kind).or_default().push(patterns.len() as u16);
            patterns.push(pattern);
        }
        Ok(Self { patterns, capture_names: reader.names, passed_over: Vec::new(), by_kind })
    }

    /// Numbers of the patterns that begin at nodes of `kind`.
    pub(crate) fn beginning_at(&self, kind: u16) -> &[u16] {
        self.by_kind.get(&kind).map_or(&[], Vec::as_slice)
    }

    /// Compiles all regular expressions.
    ///
    /// # Errors
    ///
    /// The error of the first regular expression that is invalid.
    #[cfg(test)]
    pub(crate) fn check_expressions(&self) -> Result<(), regex::Error> {
        for predicate in self.patterns.iter().flat_map(|pattern| &pattern.predicates) {
            if let Condition::Like(text, _) = &predicate.condition {
                Regex::new(text)?;
            }
        }
        Ok(())
    }
}

impl NodePattern {
    /// Numbers of all captures of it and of the nodes inside.
    pub(crate) fn all_captures(&self) -> Vec<u16> {
        let inside = self.children.iter().flat_map(|child| &child.nodes).flat_map(Self::all_captures);
        self.captures.iter().copied().chain(inside).collect()
    }
}

impl Predicate {
    /// Whether the condition holds, where `texts` gives the texts of a capture's nodes. It holds if there is no node.
    pub(crate) fn holds<'b, Texts: Iterator<Item = &'b [u8]>>(&self, texts: impl Fn(u16) -> Texts) -> bool {
        texts(self.capture).all(|text| self.condition.fits(text) != self.negated)
    }
}

impl Condition {
    fn fits(&self, text: &[u8]) -> bool {
        match self {
            Self::OneOf(words) => words.iter().any(|word| word.as_bytes() == text),
            Self::Like(expression, compiled) => {
                let compiled = compiled.get_or_init(|| Regex::new(expression).ok());
                compiled.as_ref().is_some_and(|compiled| compiled.is_match(text))
            }
        }
    }
}

struct QueryReader<'a> {
    text: Text<'a>,
    language: &'a Language,
    /// Captures so far.
    names: Vec<String>,
}

impl QueryReader<'_> {
    /// `(kind …) @capture`, or `((kind …) @capture (#predicate …)) @capture`.
    fn pattern(&mut self) -> Result<Pattern, QueryError> {
        let mut predicates = Vec::new();
        if !self.text.remaining_text().starts_with("((") {
            let mut root = self.node(&mut predicates)?;
            self.capture(&mut root)?;
            return Ok(Pattern { root, predicates });
        }
        self.text.expect('(', "`(`")?;
        let mut root = self.node(&mut predicates)?;
        self.capture(&mut root)?;
        while !self.text.take(')') {
            self.text.expect('(', "a predicate or `)`")?;
            predicates.push(self.predicate()?);
        }
        self.capture(&mut root)?;
        Ok(Pattern { root, predicates })
    }

    /// `(kind …)`, `"token"` or `_`.
    fn node(&mut self, predicates: &mut Vec<Predicate>) -> Result<NodePattern, QueryError> {
        let leaf = |kind| NodePattern {
            kind,
            field: 0,
            without: Vec::new(),
            captures: Vec::new(),
            children: Vec::new(),
            says: false,
        };
        if self.text.peek() == Some('"') {
            let token = self.text.string("`\"` behind a string")?;
            return match self.language.id_for_node_kind(&token, false) {
                0 => Err(QueryError::Kind(token)),
                kind => Ok(leaf(KindPattern::Is(kind))),
            };
        }
        if self.text.peek() == Some('_') {
            self.text.word()?;
            return Ok(leaf(KindPattern::Any));
        }
        self.text.expect('(', "`(`")?;
        let mut node = leaf(self.kind()?);
        let mut adjacent = false;
        while !self.text.take(')') {
            if self.text.take('!') {
                let field = self.field()?;
                node.without.push(field);
            } else if self.text.take('.') {
                adjacent = true;
                if self.text.peek() == Some(')') {
                    let last = node.children.last_mut();
                    last.ok_or(self.text.expected("a child before `.`"))?.last = true;
                }
            } else if self.text.remaining_text().starts_with("(#") {
                self.text.expect('(', "`(`")?;
                let predicate = self.predicate()?;
                predicates.push(predicate);
            } else {
                let child = self.child(std::mem::take(&mut adjacent), predicates)?;
                node.says |= child.says;
                node.children.push(child);
            }
        }
        Ok(node)
    }

    /// `field: […]? @capture`, where everything except the node is optional, or `(node . node)*`. A node in brackets
    /// may have a field of its own.
    fn child(&mut self, adjacent: bool, predicates: &mut Vec<Predicate>) -> Result<ChildPattern, QueryError> {
        let field = self.field_before()?;
        let mut nodes = Vec::new();
        if ["((", "(\""].iter().any(|group| self.text.remaining_text().starts_with(group)) {
            self.text.expect('(', "`(`")?;
            while !self.text.take(')') {
                self.text.take('.');
                let field = self.field_before()?;
                let mut node = self.node(predicates)?;
                node.field = field;
                self.capture(&mut node)?;
                nodes.push(node);
            }
            if self.text.peek() != Some('*') {
                return Err(self.text.expected("`*` behind a group").into());
            }
        } else if self.text.take('[') {
            while !self.text.take(']') {
                let own_field = self.field_before()?;
                let mut node = self.node(predicates)?;
                node.field = own_field.max(field);
                self.capture(&mut node)?;
                nodes.push(node);
            }
        } else {
            nodes.push(NodePattern { field, ..self.node(predicates)? });
        }
        let often = if self.text.take('?') {
            ChildQuantifier::Optional
        } else if self.text.take('*') {
            ChildQuantifier::Repeated
        } else {
            ChildQuantifier::Once
        };
        let captures = self.captures()?;
        for node in &mut nodes {
            node.captures.extend(&captures);
            node.says |= !captures.is_empty();
        }
        let says = nodes.iter().any(|node| node.says);
        if often == ChildQuantifier::Repeated && (!adjacent || nodes.iter().any(|node| !node.children.is_empty())) {
            return Err(QueryError::Repeated { at: self.text.at() });
        }
        Ok(ChildPattern { nodes, often, adjacent, last: false, says })
    }

    /// The rest of a predicate after `(#`.
    fn predicate(&mut self) -> Result<Predicate, QueryError> {
        self.text.expect('#', "`#`")?;
        let name = self.text.word()?;
        self.text.expect('?', "`?`")?;
        self.text.expect('@', "a capture")?;
        let capture = self.text.word()?;
        let mut words = Vec::new();
        while !self.text.take(')') {
            words.push(self.text.string("`\"` behind a string")?);
        }
        let capture = match self.names.iter().position(|known| *known == capture) {
            Some(capture) => capture as u16,
            None => return Err(QueryError::Uncaptured(capture)),
        };
        let condition = match (name.trim_start_matches("not-"), words.as_slice()) {
            ("eq", [_]) | ("any-of", _) => Condition::OneOf(words),
            ("match", [expression]) => Condition::Like(expression.clone(), OnceLock::new()),
            _ => return Err(QueryError::Predicate(name)),
        };
        Ok(Predicate { capture, negated: name.starts_with("not-"), condition })
    }

    fn kind(&mut self) -> Result<KindPattern, QueryError> {
        let name = self.text.word()?;
        if name == "_" {
            return Ok(KindPattern::AnyNamed);
        }
        match self.language.id_for_node_kind(&name, true) {
            0 => Err(QueryError::Kind(name)),
            kind if self.language.node_kind_is_supertype(kind) => Err(QueryError::Supertype(name)),
            kind => Ok(KindPattern::Is(kind)),
        }
    }

    fn field(&mut self) -> Result<u16, QueryError> {
        let name = self.text.word()?;
        Ok(self.language.field_id_for_name(&name).ok_or(QueryError::Field(name))?.get())
    }

    /// The number of the field in `field:`, if it is there; else 0.
    fn field_before(&mut self) -> Result<u16, QueryError> {
        if !self.text.peek().is_some_and(|next| next.is_ascii_alphabetic()) {
            return Ok(0);
        }
        let field = self.field()?;
        self.text.expect(':', "`:` after a field")?;
        Ok(field)
    }

    fn capture(&mut self, node: &mut NodePattern) -> Result<(), QueryError> {
        node.captures.extend(self.captures()?);
        node.says |= !node.captures.is_empty();
        Ok(())
    }

    fn captures(&mut self) -> Result<Vec<u16>, QueryError> {
        let mut captures = Vec::new();
        while self.text.take('@') {
            let name = self.text.word()?;
            let known = self.names.iter().position(|known| *known == name);
            captures.push(known.unwrap_or(self.names.len()) as u16);
            if known.is_none() {
                self.names.push(name);
            }
        }
        Ok(captures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_refused(text: &str, message: &str) {
        let error = Query::read(text, &tree_sitter_javascript::LANGUAGE.into()).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    }

    #[test]
    fn a_text_that_is_no_query_is_refused() {
        assert_refused("(call_expression", "expected `(` at byte 16");
        assert_refused("(call_expression) @", "expected a name at byte 19");
        assert_refused("(call_expresion) @x", "the grammar has no node kind `call_expresion`");
        assert_refused("(call_expression \"§\") @x", "the grammar has no node kind `§`");
        assert_refused("(call_expression called: (_)) @x", "the grammar has no field `called`");
        assert_refused("(expression) @x", "`expression` stands for several node kinds; write `_` or the kinds");
        assert_refused("((identifier) @x (#is? @x \"a\"))", "the predicate `is` is not known");
        assert_refused("((identifier) @x (#eq? @y \"a\"))", "`@y` is captured nowhere before the predicate");
        assert_refused("((identifier) @x (#eq? @x \"a", "expected `\"` behind a string at byte 28");
        assert_refused("(_) @x", "a pattern before byte 6 must begin at one node kind");
        assert_refused("[(string) (number)] @x", "expected `(` at byte 0");
        let repeated = "what is repeated before byte 33 has no `.` before it, or asks for children";
        assert_refused("(call_expression (identifier)* @x)", repeated);
    }

    #[test]
    fn strings_have_escapes() {
        let text = r#"((string) @x (#any-of? @x "\"a\"" "\\w" "\n")) ; and comments"#;
        let query = Query::read(text, &tree_sitter_javascript::LANGUAGE.into()).unwrap();
        let holds = |text: &'static str| query.patterns[0].predicates[0].holds(|_| std::iter::once(text.as_bytes()));
        assert!(["\"a\"", "\\w", "\n"].into_iter().all(holds));
        assert!(!holds("w"));
    }
}

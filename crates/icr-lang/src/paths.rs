//! Path patterns: query texts of a restricted form. A walk over the tree decides them from the nodes that are open.
//!
//! A pattern is a chain of nodes from the outside in, each the only child named inside the one before, with an optional
//! field: `(call_expression function: (identifier) @reference.call)`. `[…]` stands for any of several chains. All
//! captures belong to the innermost node. The longest chain that fits a node wins, among equals the first in the text.

use tree_sitter::Language;

use crate::text::{PatternSyntaxError, Text};

/// One node of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChainStep {
    /// Kind of the node.
    pub(crate) kind: u16,
    /// Field of the node in the one before it; 0 when the pattern names none.
    pub(crate) field: u16,
}

/// A chain of nodes, with the meaning of its innermost node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathPattern {
    /// From the innermost node outwards.
    pub(crate) steps: Vec<ChainStep>,
    /// Names of the captures.
    pub(crate) captures: Vec<String>,
}

/// The error for a text that is not a list of path patterns of its grammar.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathError {
    #[error(transparent)]
    Expected(#[from] PatternSyntaxError),
    #[error("the grammar has no node kind `{0}`")]
    Kind(String),
    #[error("the grammar has no field `{0}`")]
    Field(String),
    #[error("a pattern before byte {at} captures nothing")]
    NoCapture { at: usize },
}

/// The patterns of `text` in their order, with `[…]` expanded.
///
/// # Errors
///
/// [`PathError`] when the text has another form or names what `language` does not have.
pub(crate) fn read(text: &str, language: &Language) -> Result<Vec<PathPattern>, PathError> {
    let mut reader = PathPatternReader { text: Text::new(text), language };
    let mut patterns = Vec::new();
    while !reader.text.remaining_text().is_empty() {
        let chains = reader.node(0)?;
        let mut captures = chains.captures;
        captures.extend(reader.captures()?);
        if captures.is_empty() {
            return Err(PathError::NoCapture { at: reader.text.at() });
        }
        patterns.extend(chains.chains.into_iter().map(|mut steps| {
            steps.reverse();
            PathPattern { steps, captures: captures.clone() }
        }));
    }
    Ok(patterns)
}

/// Chains from the outside in, and the captures of their innermost nodes.
struct Chains {
    chains: Vec<Vec<ChainStep>>,
    captures: Vec<String>,
}

struct PathPatternReader<'a> {
    text: Text<'a>,
    language: &'a Language,
}

impl PathPatternReader<'_> {
    /// `(kind)`, `(kind field: node)`, `"token"` or `[node …]`.
    fn node(&mut self, field: u16) -> Result<Chains, PathError> {
        if self.text.take('[') {
            let mut any = Chains { chains: Vec::new(), captures: Vec::new() };
            while !self.text.take(']') {
                let one = self.node(field)?;
                any.chains.extend(one.chains);
                any.captures.extend(one.captures);
            }
            any.captures.extend(self.captures()?);
            return Ok(any);
        }
        if self.text.peek() == Some('"') {
            let kind = self.token()?;
            return Ok(Chains { chains: vec![vec![ChainStep { kind, field }]], captures: self.captures()? });
        }
        self.text.expect('(', "`(`")?;
        let kind = self.kind()?;
        let outer = ChainStep { kind, field };
        if self.text.take(')') {
            return Ok(Chains { chains: vec![vec![outer]], captures: self.captures()? });
        }
        let inner_field = if self.text.peek().is_some_and(|next| next.is_ascii_alphabetic()) {
            let name = self.text.word()?;
            self.text.expect(':', "`:` after a field")?;
            self.language.field_id_for_name(&name).ok_or(PathError::Field(name))?.get()
        } else {
            0
        };
        let inner = self.node(inner_field)?;
        self.text.expect(')', "`)` after the only child")?;
        let chains = inner.chains.into_iter().map(|chain| [vec![outer.clone()], chain].concat()).collect();
        Ok(Chains { chains, captures: inner.captures })
    }

    fn kind(&mut self) -> Result<u16, PathError> {
        let name = self.text.word()?;
        match self.language.id_for_node_kind(&name, true) {
            0 => Err(PathError::Kind(name)),
            kind => Ok(kind),
        }
    }

    /// A token without a name, such as `"pub"`. Escapes are not needed.
    fn token(&mut self) -> Result<u16, PathError> {
        let token = self.text.string("`\"` after a token")?;
        match self.language.id_for_node_kind(&token, false) {
            0 => Err(PathError::Kind(token)),
            kind => Ok(kind),
        }
    }

    fn captures(&mut self) -> Result<Vec<String>, PathError> {
        let mut captures = Vec::new();
        while self.text.take('@') {
            captures.push(self.text.word()?);
        }
        Ok(captures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rust() -> Language {
        tree_sitter_rust::LANGUAGE.into()
    }

    #[test]
    fn a_chain_is_kept_from_the_inside_out() {
        let language = rust();
        let patterns = read("; calls\n(call_expression function: (identifier)) @reference.call", &language).unwrap();
        let kind = |name| language.id_for_node_kind(name, true);
        let field = language.field_id_for_name("function").unwrap().get();
        let steps =
            vec![ChainStep { kind: kind("identifier"), field }, ChainStep { kind: kind("call_expression"), field: 0 }];
        assert_eq!(patterns, [PathPattern { steps, captures: vec!["reference.call".to_owned()] }]);
    }

    #[test]
    fn brackets_multiply_out() {
        let text = "([(identifier) (type_identifier)]) @a";
        assert_eq!(read(text, &rust()), Err(PathError::Expected(PatternSyntaxError { expected: "a name", at: 1 })));
        let patterns = read("(scoped_identifier [(identifier) (super)] @a) (block) @b @c", &rust()).unwrap();
        let shape: Vec<_> = patterns.iter().map(|pattern| (pattern.steps.len(), pattern.captures.join(" "))).collect();
        assert_eq!(shape, [(2, "a".to_owned()), (2, "a".to_owned()), (1, "b c".to_owned())]);
    }

    #[test]
    fn a_token_without_a_name_stands_in_quotes() {
        let language = rust();
        let patterns = read("(visibility_modifier \"pub\" @a) \"pub\" @b", &language).unwrap();
        let kind = language.id_for_node_kind("pub", false);
        let shape: Vec<_> = patterns.iter().map(|pattern| (pattern.steps.len(), pattern.steps[0].kind)).collect();
        assert_eq!(shape, [(2, kind), (1, kind)]);
    }

    #[test]
    fn errors_name_what_is_wrong() {
        for (text, message) in [
            ("(block", "expected `(` at byte 6"),
            ("(blocks) @a", "the grammar has no node kind `blocks`"),
            ("(block bodies: (block)) @a", "the grammar has no field `bodies`"),
            ("(block) (block) @a", "a pattern before byte 8 captures nothing"),
            ("(block body (block)) @a", "expected `:` after a field at byte 12"),
            ("block", "expected `(` at byte 0"),
            ("\"publ\" @a", "the grammar has no node kind `publ`"),
            ("\"pub @a", "expected `\"` after a token at byte 7"),
        ] {
            assert_eq!(read(text, &rust()).unwrap_err().to_string(), message, "{text}");
        }
    }
}

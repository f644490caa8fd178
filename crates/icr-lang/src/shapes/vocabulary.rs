//! The meaning of the captures in `shapes.scm`, and the compiled queries of each language.

use std::sync::OnceLock;

use icr_model::ParameterKind;
use regex::bytes::{Regex, RegexBuilder};

use crate::grammar::{Grammar, flag, grammar};
use crate::query::{KindPattern, Pattern, Query, QueryError};
use crate::table::{LanguageRow, row_index};

/// Meaning of a capture; see `queries/README.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShapeCapture {
    /// The name of the definition that the match describes.
    Name,
    /// A node that contains the name of the definition: the first definition whose name begins inside.
    NameWithin,
    /// A node whose children are parameters of the definition.
    Parameters,
    /// A node whose children are parameters of the definition whose list it is in.
    MoreParameters,
    /// A list; the match describes the definition of this list.
    ListOf,
    /// A child of a list that is a parameter.
    Parameter,
    ParameterName,
    ParameterType,
    ParameterDefault,
    ParameterKind(ParameterKind),
    /// The receiver (`self`, `this`), if the definition is a method.
    MethodReceiver,
    /// Callers may leave out the parameter.
    Optional,
    /// Callers may not leave out the parameter, although other parameters in this position are optional.
    Required,
    /// A child of a list. Parameters before it take arguments by position only.
    PositionalBefore,
    /// A child of a list. Parameters after it take arguments by name only.
    KeywordBehind,
    Returns,
    Base,
    Type,
    Value,
    TypeParameter,
    /// A modifier, shown after this word.
    Modifier(String),
    /// A sign that stands for this modifier.
    ModifierIs(String),
    Style(Style),
    /// Only predicates read it (`@_name`).
    Unused,
}

/// How a text shows a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// The node is left out.
    LeftOut,
    /// The node is shown as written, including white space.
    Verbatim,
    /// The node is shown as written, for strings with the same meaning in single and in double quotes.
    Quoted,
    /// With `;` after it, if another such node follows.
    Member,
    /// Without blanks at its sides.
    Tight,
    /// A separator that has a meaning before a closing bracket.
    Kept,
}

/// The shapes of one language.
#[derive(Debug)]
pub(super) struct ShapeGrammar {
    pub(super) grammar: &'static Grammar,
    pub(super) query: Query,
    /// By capture index of `query`.
    pub(super) parts: Vec<ShapeCapture>,
    /// Kinds of nodes that are shown as written, ascending.
    verbatim: Vec<u16>,
    /// Matches comments that are obeyed wherever they are.
    pub(super) directive: Option<Regex>,
    /// Matches comments that are obeyed before any code.
    pub(super) leading_directive: Option<Regex>,
}

impl ShapeGrammar {
    /// Whether the patterns describe definitions. Those of some languages only describe texts.
    pub(super) fn tells_definitions(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, ShapeCapture::Name | ShapeCapture::NameWithin))
    }

    /// Whether nodes of that kind are shown as written.
    pub(super) fn is_verbatim(&self, kind: u16) -> bool {
        self.verbatim.binary_search(&kind).is_ok()
    }
}

/// The error for a query text that does not fit its grammar or the vocabulary.
#[derive(Debug, thiserror::Error)]
pub(super) enum ShapeError {
    #[error("shapes of `{language}`: {source}")]
    Query { language: &'static str, source: QueryError },
    #[error("shapes of `{language}`: capture `@{name}` is not in the vocabulary")]
    Capture { language: &'static str, name: String },
    #[error("directives of `{language}`: {source}")]
    Directive { language: &'static str, source: regex::Error },
}

/// The shapes of the row, compiled when first asked for.
pub(super) fn shape_grammar(row: &'static LanguageRow) -> &'static ShapeGrammar {
    static COMPILED: [OnceLock<ShapeGrammar>; MAX_ROWS] = [const { OnceLock::new() }; MAX_ROWS];
    const MAX_ROWS: usize = 64;
    let index = row_index(row.name).expect("rows are only made in the table");
    COMPILED[index].get_or_init(|| compile(row).expect("a test compiles the shapes of every row"))
}

/// Reads and checks the shapes of `row`.
///
/// # Errors
///
/// [`ShapeError`] when they do not fit the grammar or the vocabulary. The table is constant, so a test finds such
/// errors.
pub(super) fn compile(row: &'static LanguageRow) -> Result<ShapeGrammar, ShapeError> {
    let grammar = grammar(row);
    let language = row.name;
    let mut query =
        Query::read(&text_of(row), &grammar.language).map_err(|source| ShapeError::Query { language, source })?;
    // A comment between two parts of a signature parts nothing.
    let kinds = 0..grammar.language.node_kind_count() as u16;
    query.passed_over = kinds.filter(|kind| grammar.flags(*kind) & flag::COMMENT != 0).collect();
    let unknown = |capture: &str| ShapeError::Capture { language, name: capture.to_owned() };
    let parts = query.capture_names.iter().map(|name| part_of(name).ok_or_else(|| unknown(name)));
    let parts: Vec<ShapeCapture> = parts.collect::<Result<_, _>>()?;
    let verbatim = verbatim(&query, &parts);
    let expression = |text: Option<&str>| {
        let expression = text.map(|text| RegexBuilder::new(text).unicode(false).build());
        expression.transpose().map_err(|source| ShapeError::Directive { language, source })
    };
    let (directive, leading_directive) = (expression(row.directives.anywhere)?, expression(row.directives.leading)?);
    Ok(ShapeGrammar { grammar, query, parts, verbatim, directive, leading_directive })
}

/// Kinds of nodes that patterns without conditions mark as shown as written.
fn verbatim(query: &Query, parts: &[ShapeCapture]) -> Vec<u16> {
    let says =
        |capture: &u16| matches!(parts[usize::from(*capture)], ShapeCapture::Style(Style::Verbatim | Style::Quoted));
    let kind = |pattern: &Pattern| match pattern.root.kind {
        KindPattern::Is(kind) if pattern.root.children.is_empty() && pattern.root.captures.iter().any(says) => {
            Some(kind)
        }
        _ => None,
    };
    let mut kinds: Vec<u16> = query.patterns.iter().filter_map(kind).collect();
    kinds.sort_unstable();
    kinds
}

/// All query texts for the shapes of the row.
pub(super) fn text_of(row: &LanguageRow) -> String {
    row.shapes.iter().map(|file| format!("{}\n", file.text)).collect()
}

fn part_of(name: &str) -> Option<ShapeCapture> {
    if name.starts_with('_') {
        return Some(ShapeCapture::Unused);
    }
    let (head, tail) = name.split_once('.').unwrap_or((name, ""));
    Some(match (head, tail) {
        ("base", "") => ShapeCapture::Base,
        ("kept", "") => ShapeCapture::Style(Style::Kept),
        ("left_out", "") => ShapeCapture::Style(Style::LeftOut),
        ("member", "") => ShapeCapture::Style(Style::Member),
        ("modifier", word) if word.starts_with("is.") => ShapeCapture::ModifierIs(word["is.".len()..].to_owned()),
        ("modifier", word) => ShapeCapture::Modifier(word.to_owned()),
        ("name", "") => ShapeCapture::Name,
        ("name", "within") => ShapeCapture::NameWithin,
        ("parameter", "") => ShapeCapture::Parameter,
        ("parameter", "default") => ShapeCapture::ParameterDefault,
        ("parameter", "keyword_only") => ShapeCapture::ParameterKind(ParameterKind::KeywordOnly),
        ("parameter", "keyword_variadic") => ShapeCapture::ParameterKind(ParameterKind::KeywordVariadic),
        ("parameter", "name") => ShapeCapture::ParameterName,
        ("parameter", "optional") => ShapeCapture::Optional,
        ("parameter", "positional_only") => ShapeCapture::ParameterKind(ParameterKind::PositionalOnly),
        ("parameter", "receiver") => ShapeCapture::ParameterKind(ParameterKind::Receiver),
        ("parameter", "receiver.of_method") => ShapeCapture::MethodReceiver,
        ("parameter", "required") => ShapeCapture::Required,
        ("parameter", "type") => ShapeCapture::ParameterType,
        ("parameter", "variadic") => ShapeCapture::ParameterKind(ParameterKind::Variadic),
        ("parameters", "") => ShapeCapture::Parameters,
        ("parameters", "keyword_behind") => ShapeCapture::KeywordBehind,
        ("parameters", "more") => ShapeCapture::MoreParameters,
        ("parameters", "of") => ShapeCapture::ListOf,
        ("parameters", "positional_before") => ShapeCapture::PositionalBefore,
        ("returns", "") => ShapeCapture::Returns,
        ("tight", "") => ShapeCapture::Style(Style::Tight),
        ("type", "") => ShapeCapture::Type,
        ("type_parameter", "") => ShapeCapture::TypeParameter,
        ("value", "") => ShapeCapture::Value,
        ("verbatim", "") => ShapeCapture::Style(Style::Verbatim),
        ("verbatim", "quotes") => ShapeCapture::Style(Style::Quoted),
        _ => return None,
    })
}

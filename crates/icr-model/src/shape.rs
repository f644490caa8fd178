//! What a definition promises to those who use it.

use serde::{Deserialize, Serialize};

/// What the signature of a definition promises, part by part. Texts are as written, with every run of white space as one
/// blank and comments left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Shape {
    /// Parameters in order; the receiver (`self`, `this`) is one of them where it is written.
    pub parameters: Vec<Parameter>,
    /// Type of what it returns.
    pub returns: Option<String>,
    /// Classes, interfaces and traits that it extends or implements, in order.
    pub bases: Vec<String>,
    /// Type of a field, constant or alias; a variant's payload.
    pub ty: Option<String>,
    /// Value of a constant or of a variant, where one is written.
    pub value: Option<String>,
    /// Type parameters, in order, with their bounds.
    pub type_parameters: Vec<String>,
    /// Words in front of a definition that change what users may do with it, sorted: `abstract`, `async`, `final`, `static`.
    pub modifiers: Vec<String>,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name, or its pattern; empty where only a type is written.
    pub name: String,
    /// Its type.
    pub ty: Option<String>,
    /// Its default value.
    pub default: Option<String>,
    /// How arguments reach it.
    pub kind: ParameterKind,
    /// Whether callers may leave it out: it has a default, is marked optional, or takes any number.
    pub optional: bool,
}

/// How arguments reach a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterKind {
    /// By place, and by name where the language has it.
    #[default]
    Ordinary,
    /// By place only.
    PositionalOnly,
    /// By name only.
    KeywordOnly,
    /// All remaining by place.
    Variadic,
    /// All remaining by name.
    KeywordVariadic,
    /// The object at hand.
    Receiver,
}

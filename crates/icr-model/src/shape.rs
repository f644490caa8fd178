//! What a definition promises to its users.

use serde::{Deserialize, Serialize};

/// What the signature of a definition promises, part by part. Texts are as written, with every run of white space as
/// one blank and comments left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Shape {
    /// Parameters in order; the receiver (`self`, `this`) is one of them where it is written.
    pub parameters: Vec<Parameter>,
    /// Return type.
    pub returns: Option<String>,
    /// Classes, interfaces and traits that it extends or implements, in order.
    pub bases: Vec<String>,
    /// Type of a field, constant or alias; the payload of an enum variant.
    pub ty: Option<String>,
    /// Value of a constant or of a variant, where one is written.
    pub value: Option<String>,
    /// Type parameters, in order, with their bounds.
    pub type_parameters: Vec<String>,
    /// Modifiers of a definition that change what users may do with it, sorted: `abstract`, `async`, `final`,
    /// `static`.
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
    /// How callers pass an argument for it.
    pub kind: ParameterKind,
    /// Whether callers may leave it out: it has a default, is marked optional, or takes any number.
    pub optional: bool,
}

/// How callers pass an argument for a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterKind {
    /// By position, or by name where the language allows it.
    #[default]
    Ordinary,
    /// By position only.
    PositionalOnly,
    /// By name only.
    KeywordOnly,
    /// Takes all remaining arguments passed by position.
    Variadic,
    /// Takes all remaining arguments passed by name.
    KeywordVariadic,
    /// The receiver: `self` or `this`.
    Receiver,
}

//! What a file defines, in order.

use icr_model::{Symbol, SymbolKind, Visibility};
use serde::Serialize;

use crate::files::text_of;
use crate::symbols::one_line;
use crate::{Error, Snapshot};

/// The definitions of a file.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Outline {
    /// Path relative to the root.
    pub path: String,
    /// The language that the file is read as.
    pub language: String,
    /// Lines of the file.
    pub lines: u32,
    /// Definitions, in the order of the file; one that holds others comes before them.
    pub symbols: Vec<OutlineSymbol>,
}

/// A definition of a file.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct OutlineSymbol {
    /// Name as written.
    pub name: String,
    /// Kind in terms shared by all languages.
    pub kind: SymbolKind,
    /// Position in the list of the definition that holds this one.
    pub parent: Option<u32>,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Signature as written, in one line.
    pub signature: String,
    /// Who may use it, as far as the text says.
    pub visibility: Visibility,
}

/// What the file at `path` defines. Cost: one read of the file; its facts are in the store.
///
/// # Errors
///
/// [`Error::NoSuchFile`]; what is no text or a secret; those of reading the store.
pub fn outline(snapshot: &Snapshot, path: &str) -> Result<Outline, Error> {
    let (file, mut text) = text_of(snapshot, path)?;
    snapshot.mask(&mut text);
    let facts = snapshot.facts(file.row.blob_no)?;
    let symbol = |symbol: &Symbol| OutlineSymbol {
        name: symbol.name.clone(),
        kind: symbol.kind,
        parent: symbol.parent,
        start_line: symbol.lines.start,
        end_line: symbol.lines.end,
        signature: one_line(symbol.signature.of(&text)),
        visibility: symbol.visibility,
    };
    let symbols = facts.symbols.iter().map(symbol).collect();
    let lines = u32::try_from(String::from_utf8_lossy(&text).lines().count()).unwrap_or(u32::MAX);
    let language = icr_lang::language_of(&file.path).to_owned();
    Ok(Outline { path: file.path.to_string(), language, lines, symbols })
}

//! Exports memoirs as files: for programs, Graphviz, terminals, prompts and browsers.
//!
//! All are pure functions of a [`MemoirGraph`]: equal graphs give equal bytes.

mod ai;
mod ascii;
mod dot;
mod json;
mod layers;
mod layout;
mod page;
mod text;

use super::MemoirGraph;
use crate::Error;

/// The file format of an exported memoir.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExportFormat {
    /// One JSON object:
    ///
    /// ```json
    /// {
    ///   "format": "icr-memoir",
    ///   "version": 1,
    ///   "memoir": { "id": "..", "name": "..", "description": "..", "consolidation_threshold": 50, "created_at": "..", "updated_at": ".." },
    ///   "concepts": [ { "id": "..", "name": "..", "definition": "..", "labels": [".."], "confidence": 0.5, "revision": 1,
    ///     "sources": [".."], "created_at": "..", "updated_at": ".." } ],
    ///   "links": [ { "from": "..", "relation": "part_of", "to": "..", "weight": 1.0, "created_at": ".." } ]
    /// }
    /// ```
    ///
    /// Concepts are sorted by name; links by the names of their concepts, then by relation. Times are RFC 3339 in UTC.
    /// A later version may add fields; `version` changes if a field is removed or changes its meaning.
    Json,
    /// A directed graph for Graphviz.
    Dot,
    /// A tree of the links and all definitions, in 80 columns.
    Ascii,
    /// One line for each concept, for a prompt: `name: definition [labels] -> relation target, relation target`. No
    /// text of a memoir can begin a line of its own, or look like a tag or a turn of a conversation. Definitions are
    /// cut at 500 characters.
    Ai,
    /// An HTML page with a drawing and a table, which loads no other file.
    Html,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Json, Self::Dot, Self::Ascii, Self::Ai, Self::Html];

    /// The name of the format.
    pub fn name(self) -> &'static str {
        ["json", "dot", "ascii", "ai", "html"][self as usize]
    }

    /// The format with this name, in upper or lower case.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for another name; the message lists all formats.
    pub fn parse(word: &str) -> Result<Self, Error> {
        let format = Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(word.trim()));
        format.ok_or_else(|| {
            let word: String = word.chars().filter(|character| !character.is_control()).take(40).collect();
            let right = format!("one of {}", Self::ALL.map(Self::name).join(", "));
            Error::Invalid { field: "format", wrong: format!("is `{word}`, which is no format"), right }
        })
    }
}

/// The memoir in this format; it ends with a line break.
pub fn export(graph: &MemoirGraph, format: ExportFormat) -> String {
    match format {
        ExportFormat::Json => json::json(graph),
        ExportFormat::Dot => dot::dot(graph),
        ExportFormat::Ascii => ascii::ascii(graph),
        ExportFormat::Ai => ai::ai(graph),
        ExportFormat::Html => page::page(graph),
    }
}

#[cfg(test)]
mod tests;

//! Memoirs as files: for programs, for drawing, for terminals, for prompts and for browsers.
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

/// What a memoir is written as.
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
    /// Concepts are in the order of their names, links in that of the names of their concepts, then of the relation. Times are RFC 3339 in
    /// UTC. A later version may add fields; `version` changes when one is dropped or means something else.
    Json,
    /// A digraph for Graphviz.
    Dot,
    /// A tree of links and all definitions, in 80 columns.
    Ascii,
    /// A line for each concept, for a prompt: `name: definition [labels] -> relation target, relation target`. No text in a memoir can
    /// begin a line of its own, or look like a tag or a turn of a conversation. Definitions are cut at 500 characters.
    Ai,
    /// A page with a drawing and a table, which loads nothing.
    Html,
}

impl ExportFormat {
    /// All.
    pub const ALL: [Self; 5] = [Self::Json, Self::Dot, Self::Ascii, Self::Ai, Self::Html];

    /// The word for it.
    pub fn name(self) -> &'static str {
        ["json", "dot", "ascii", "ai", "html"][self as usize]
    }

    /// The format that a word names, in any case.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for another word; it names all.
    pub fn parse(word: &str) -> Result<Self, Error> {
        let format = Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(word.trim()));
        format.ok_or_else(|| {
            let word: String = word.chars().filter(|character| !character.is_control()).take(40).collect();
            let right = format!("one of {}", Self::ALL.map(Self::name).join(", "));
            Error::Invalid { field: "format", wrong: format!("is `{word}`, which is no format"), right }
        })
    }
}

/// A memoir as a file, which ends with a line break.
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

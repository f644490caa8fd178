//! One impact, in the formats that people and programs read.
//!
//! All functions are pure: equal impacts give equal reports to the last byte, without a clock, a path of this machine
//! or a network request. Names come from the author of the change, so every format escapes them, and all formats except
//! JSON make characters visible that hide or reorder text.

mod annotations;
mod bulk_changes;
mod consumers;
mod contracts;
mod dot;
mod finding;
mod format;
pub mod gate;
mod gitlab;
mod junit;
mod limit;
mod link;
mod markdown;
mod mermaid;
mod sarif;
#[cfg(test)]
mod tests;
mod text;
mod uri;
mod visible_text;
mod words;

pub use annotations::annotations;
pub use bulk_changes::{Bulk, bulks};
pub use dot::dot;
pub use format::{Format, UnknownFormat};
pub use gate::{Gate, GateError};
pub use gitlab::gitlab;
pub use junit::junit;
pub use limit::Limit;
pub use link::{LinkTemplate, RepositoryHost};
pub use markdown::{MARKER, markdown};
pub use mermaid::mermaid;
pub use sarif::sarif;
pub use text::{Style, StyledLine, StyledText, plain, text};
pub use visible_text::{shortened, visible};

use crate::Impact;

/// The facts of a report that are not in the impact.
#[derive(Debug, Clone, Default)]
pub struct About<'a> {
    /// The repository in words, such as `owner/name`.
    pub repo: Option<String>,
    /// Version of icr.
    pub version: &'static str,
    /// What the answer lacks, a sentence each; names in backticks.
    pub gaps: &'a [String],
    /// Where files of the head side can be read; `None` when it is no commit, or no host is known.
    pub link: Option<LinkTemplate>,
    /// The gate. Findings that fail the run are errors, all others are warnings or notes. `None` if nobody chose a
    /// gate; then a broken use that is shown is an error.
    pub gate: Option<&'a Gate>,
}

/// The impact in a format, with a final line break unless empty. `None` for [`Format::Html`], which the crate that
/// draws pictures renders.
///
/// `limit` holds for text and Markdown; the others are cut by what their hosts take.
pub fn render(impact: &Impact, format: Format, about: &About<'_>, limit: &Limit) -> Option<String> {
    Some(match format {
        Format::Dot => dot(impact),
        Format::Github => annotations(impact, about),
        Format::Gitlab => gitlab(impact, about),
        Format::Html => return None,
        Format::Json => json(impact),
        Format::Junit => junit(impact, about),
        Format::Markdown | Format::Summary => markdown(impact, about, limit),
        Format::Mermaid => mermaid(impact),
        Format::Sarif => sarif(impact, about),
        Format::Text => plain(&text(impact, about, limit)),
    })
}

/// The impact itself as indented JSON. Where it was computed from is not in it.
pub fn json(impact: &Impact) -> String {
    indented(impact)
}

/// JSON on several lines, with a line break at its end.
fn indented(value: &impl serde::Serialize) -> String {
    let mut json = serde_json::to_string_pretty(value).expect("keys are strings and nothing fails to serialise");
    json.push('\n');
    json
}

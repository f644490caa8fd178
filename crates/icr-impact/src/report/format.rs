//! The formats that a report has.

use super::Limit;
use super::words::{or_listed, suggestions};

/// A format of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    // tidy: sorted
    /// Graphviz.
    Dot,
    /// Workflow commands that GitHub shows beside lines.
    Github,
    /// Code quality report of GitLab.
    Gitlab,
    /// A page to explore.
    Html,
    /// Everything.
    Json,
    /// Checks as test cases.
    Junit,
    /// A comment.
    Markdown,
    /// A small graph for Markdown.
    Mermaid,
    /// Findings for code scanning.
    Sarif,
    /// Markdown with the room that a step summary has.
    Summary,
    /// For a terminal.
    Text,
    // tidy: end
}

/// A row of [`FORMATS`]: a format, what it is called, its file extension, what it is.
type FormatRow = (&'static str, Format, &'static str, &'static str);

const FORMATS: &[FormatRow] = &[
    // tidy: sorted
    ("dot", Format::Dot, "dot", "graph for Graphviz"),
    ("github", Format::Github, "txt", "annotations of GitHub Actions, as workflow commands"),
    ("gitlab", Format::Gitlab, "json", "code quality report of GitLab"),
    ("html", Format::Html, "html", "page with an interactive picture, in one file"),
    ("json", Format::Json, "json", "the whole answer"),
    ("junit", Format::Junit, "xml", "JUnit XML with a test case for each check"),
    ("markdown", Format::Markdown, "md", "comment on a pull or merge request"),
    ("mermaid", Format::Mermaid, "mmd", "graph for Mermaid, at most 40 nodes"),
    ("sarif", Format::Sarif, "sarif", "SARIF 2.1.0 for code scanning"),
    ("summary", Format::Summary, "md", "step summary of GitHub Actions: Markdown with more room"),
    ("text", Format::Text, "txt", "short report for a terminal"),
    // tidy: end
];

impl Format {
    /// All formats, by name.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        FORMATS.iter().map(|row| row.1)
    }

    /// The format called `name`, in lower case.
    ///
    /// # Errors
    ///
    /// [`UnknownFormat`] when none is called so.
    pub fn from_name(name: &str) -> Result<Self, UnknownFormat> {
        let found = FORMATS.iter().find(|row| row.0 == name);
        found.map(|row| row.1).ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }

    /// Name of the format.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// File extension without the dot.
    pub fn extension(self) -> &'static str {
        self.row().2
    }

    /// What it is, in a few words, for help.
    pub fn about(self) -> &'static str {
        self.row().3
    }

    /// Default size limit of a report in this format.
    pub fn limit(self) -> Limit {
        match self {
            Self::Markdown => Limit::COMMENT,
            Self::Summary => Limit::STEP_SUMMARY,
            Self::Text => Limit::TEXT,
            _ => Limit::NONE,
        }
    }

    fn row(self) -> &'static FormatRow {
        FORMATS.iter().find(|row| row.1 == self).expect("every format has a row")
    }
}

/// A name that no format has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("format `{}` not known; {}", super::visible_text::clip_visible(.name), self.right())]
pub struct UnknownFormat {
    /// The name that was asked for.
    pub name: String,
}

impl UnknownFormat {
    /// The allowed names, in words.
    fn right(&self) -> String {
        let names = || FORMATS.iter().map(|row| row.0);
        let near = suggestions(&self.name, names());
        if near.is_empty() {
            return format!("it is one of {}", or_listed(&names().collect::<Vec<_>>()));
        }
        format!("did you mean {}?", or_listed(&near))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name() {
        for format in Format::all() {
            assert_eq!(Format::from_name(format.name()), Ok(format));
        }
        assert_eq!(Format::all().len(), Format::Text as usize + 1);
    }

    #[test]
    fn a_name_that_is_none_is_told_the_right_one() {
        let said = |name: &str| Format::from_name(name).unwrap_err().to_string();
        assert_eq!(said("sarfi"), "format `sarfi` not known; did you mean `sarif`?");
        assert_eq!(said("Markdown"), "format `Markdown` not known; did you mean `markdown`?");
        assert_eq!(
            said("yaml\n"),
            "format `yaml\u{240a}` not known; it is one of `dot`, `github`, `gitlab`, `html`, `json`, `junit`, \
             `markdown`, `mermaid`, `sarif`, `summary` or `text`"
        );
    }
}

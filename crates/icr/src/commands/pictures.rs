//! Options of commands that can draw what they found.

use clap::Args;
use icr_engine::Provenance;

use crate::context::Context;
use crate::picture::Heading;

/// Options that choose a picture instead of text.
#[derive(Debug, Args)]
pub(crate) struct PictureArguments {
    /// Print the picture as Graphviz text
    #[arg(long, conflicts_with_all = ["json", "html"])]
    dot: bool,
    /// Print the picture as one self-contained HTML page
    #[arg(long, conflicts_with = "json")]
    html: bool,
}

/// A form of picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureFormat {
    /// Graphviz text.
    Dot,
    /// An HTML page.
    Html,
}

impl PictureArguments {
    /// The form that was asked for.
    pub(crate) fn form(&self) -> Option<PictureFormat> {
        match (self.dot, self.html) {
            (true, _) => Some(PictureFormat::Dot),
            (false, true) => Some(PictureFormat::Html),
            (false, false) => None,
        }
    }
}

/// Heading of a picture: its title, and what it was computed from.
pub(crate) fn heading(context: &Context, provenance: &Provenance, title: String) -> Heading {
    /// Digits of a commit id that people read, as git abbreviates them in a large repository.
    const DIGITS: usize = 12;
    let commit = provenance.commit.as_deref().unwrap_or_default();
    Heading {
        title,
        repo: context.repository_name(),
        commit: commit.chars().take(DIGITS).collect(),
        dirty: provenance.dirty > 0,
        gaps: provenance.gaps.iter().map(ToString::to_string).collect(),
    }
}

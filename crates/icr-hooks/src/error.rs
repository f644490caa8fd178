//! What can keep hooks from being put in or taken out.

use std::path::PathBuf;

/// What can keep hooks from being put in or taken out.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// git could not be run, or refused to say where its hooks are.
    #[error("git does not say where hooks are: {reason}")]
    Git {
        /// What git or the system said.
        reason: String,
    },
    /// The configured directory of hooks is something else, by which hooks are switched off.
    #[error("`core.hooksPath` is `{}`, which is no directory: git runs no hooks here", .path.display())]
    NotADirectory {
        /// What `core.hooksPath` leads to.
        path: PathBuf,
    },
    /// The hooks belong to more than this clone: to the project, or to all repositories of the user.
    #[error("{reason}: `{}`", .directory.display())]
    NotOurs {
        /// The directory of hooks.
        directory: PathBuf,
        /// Whose they are, as a sentence without a full stop.
        reason: &'static str,
        /// What to do instead.
        hint: String,
    },
    /// The directory of hooks lies behind a link that leads out of the repository, and that a clone may have brought along.
    #[error("`{}` is a link that leads out of the repository to `{}`, where no hooks are written", .link.display(), .place.display())]
    LinkOut {
        /// The link.
        link: PathBuf,
        /// The directory of hooks that it leads to.
        place: PathBuf,
    },
    /// The operating system refused something.
    #[error("{doing} `{}`: {source}", .path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Error {
    /// What to do about it, as a sentence without capital and full stop.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotOurs { hint, .. } => Some(hint.clone()),
            Self::LinkOut { .. } => {
                Some("delete the link, or name the directory itself in `core.hooksPath` if you mean it".to_owned())
            }
            Self::NotADirectory { .. } => Some("`git config --show-origin core.hooksPath` says who set it".to_owned()),
            Self::Git { .. } | Self::Io { .. } => None,
        }
    }

    pub(crate) fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { doing, path, source }
    }
}

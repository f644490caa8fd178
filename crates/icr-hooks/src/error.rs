//! Errors of installing and removing hooks.

use std::path::PathBuf;

/// Errors of installing and removing hooks.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// git could not be run, or could not tell where its hooks are.
    #[error("git does not say where hooks are: {reason}")]
    Git {
        /// The message of git or of the system.
        reason: String,
    },
    /// The configured hooks directory is not a directory, which disables hooks.
    #[error("`core.hooksPath` is `{}`, which is not a directory: git runs no hooks here", .path.display())]
    NotADirectory {
        /// The path of `core.hooksPath`.
        path: PathBuf,
    },
    /// The hooks affect more than this clone: the project, or all repositories of the user.
    #[error("{reason}: `{}`", .directory.display())]
    NotOurs {
        /// The hooks directory.
        directory: PathBuf,
        /// Whom they affect, as a sentence without a full stop.
        reason: &'static str,
        /// What to do instead, as a hint for the user.
        hint: String,
    },
    /// The hooks directory is behind a link that leads out of the repository; the link may have come with the clone.
    #[error("`{}` is a link that leads out of the repository to `{}`, where no hooks are written", .link.display(), .place.display())]
    LinkOut {
        /// The link.
        link: PathBuf,
        /// The hooks directory that it leads to.
        place: PathBuf,
    },
    /// A call of the operating system failed.
    #[error("{doing} `{}`: {source}", .path.display())]
    Io {
        /// The operation that failed.
        doing: &'static str,
        /// The path that it was applied to.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
}

impl Error {
    /// A hint for the user, as a sentence without capital and full stop.
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

//! What a new ref is compared with before it is pushed.

use icr_git::MergeBase;

use crate::{Engine, Error};

/// What a new ref is compared with before it is pushed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushBase {
    /// Id of the nearest commit before it that the remote has.
    Commit(String),
    /// The remote has its commit already.
    NothingNew,
    /// No such commit is known.
    Unknown {
        /// Why, as the rest of a sentence.
        reason: &'static str,
    },
}

impl PushBase {
    /// What the object `new` is compared with if it is pushed to `remote` as a new ref: the best commit that its history
    /// shares with the remote-tracking refs of that remote. What other clones pushed since is not known.
    ///
    /// Cost: the remote-tracking refs, and the commits since that base.
    ///
    /// # Errors
    ///
    /// Those of reading refs and commits.
    pub fn of(engine: &Engine, remote: &str, new: &str) -> Result<Self, Error> {
        let repository = &engine.context().foundation.repository;
        let commit = match repository.resolve(new) {
            Err(icr_git::Error::NotACommit { .. }) => return Ok(Self::Unknown { reason: "it is no commit" }),
            resolved => resolved?.commit.expect("a revision that was typed names a commit"),
        };
        let tips = repository.remote_tips(remote)?;
        if tips.is_empty() {
            return Ok(Self::Unknown { reason: "no branch of the remote is known in this clone" });
        }
        Ok(match repository.merge_base_with_any(commit, &tips)? {
            MergeBase::Base(base) if base == commit => Self::NothingNew,
            MergeBase::Base(base) => Self::Commit(base.to_string()),
            MergeBase::Unrelated => Self::Unknown {
                reason: "it shares no commit with the branches of the remote that are known in this clone",
            },
            MergeBase::CutOff => Self::Unknown { reason: "its base lies beyond the cut of this shallow clone" },
        })
    }
}

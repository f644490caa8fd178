//! Cached impacts, for repeated requests.

use std::path::PathBuf;

use icr_git::Revision;
use icr_impact::{Impact, Sides};
use icr_model::{BlobId, Gap, Provenance, Recipe};

use super::sides::{ChangePlan, ViewChange};
use super::{ImpactRequest, impact_of};
use crate::change::incomplete::Opaque;
use crate::memory::{MemoryPlace, MemoryStamp};
use crate::monitor::may_pass;
use crate::snapshot_context::SnapshotContext;
use crate::warm::MISSING;
use crate::{ChangeSource, Error, Snapshot};

/// The key of a cached impact: the request, its rules, and what its revision names resolve to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ImpactQuestion {
    root: PathBuf,
    store: PathBuf,
    shape: Recipe,
    /// All options of the engine, as text: answers depend on many of them.
    options: String,
    request: ImpactRequest,
    revisions: Option<(Revision, Revision)>,
    sides: Sides,
    /// State of the memory database.
    memory: Option<MemoryStamp>,
}

impl KeptImpact {
    /// Approximate size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        /// Lists are bounded; an answer with all lists full is smaller than this.
        const ANSWER: u64 = 64 << 10;
        let asked = match &self.question.request.source {
            ChangeSource::Patch(text) => text.len(),
            ChangeSource::Paths(paths) => paths.iter().map(String::len).sum(),
            ChangeSource::Worktree | ChangeSource::Staged | ChangeSource::Revisions(_) => 0,
        };
        ANSWER + asked as u64
    }
}

impl ImpactQuestion {
    pub(crate) fn of(context: &SnapshotContext, request: &ImpactRequest, plan: &ChangePlan) -> Self {
        Self {
            root: context.root().to_owned(),
            store: context.store_directory().to_owned(),
            shape: context.foundation.shape.digest(),
            options: format!("{:?}", context.options),
            request: request.clone(),
            revisions: plan.revisions.clone(),
            sides: plan.sides().clone(),
            memory: context.options.memory.as_ref().map(MemoryPlace::stamp),
        }
    }
}

/// A cached impact, and what it depends on besides the view.
pub(crate) struct KeptImpact {
    pub(crate) question: ImpactQuestion,
    /// Objects that were missing from the sides of the change.
    pub(crate) missing: Vec<BlobId>,
    pub(crate) answer: (Impact, Provenance),
}

/// An impact, and whether it may be cached.
pub(crate) struct AnsweredImpact {
    pub(crate) answer: (Impact, Provenance),
    /// Whether the answer stays valid as long as the view, the missing objects and the ledger stay the same.
    pub(crate) is_lasting: bool,
    /// Objects that are missing from the sides of the change.
    pub(crate) missing: Vec<BlobId>,
}

/// As [`super::impact()`], with what must stay the same for the answer to be reused.
pub(crate) fn impact_to_keep(
    snapshot: &Snapshot,
    request: &ImpactRequest,
    plan: &ChangePlan,
) -> Result<AnsweredImpact, Error> {
    // The plan of the cache key is used, because a revision name may resolve to another commit by now.
    let change = plan.change(&request.source, snapshot)?;
    let answer = impact_of(&change, &request.rules)?;
    let missing: Vec<BlobId> =
        [&change.old, &change.new].iter().flat_map(|side| side.view.transient().missing.iter().copied()).collect();
    let are_lasting = answer.1.gaps.iter().all(|gap| match gap {
        // These gaps are checked again, or depend only on the ledger or the view.
        Gap::MissingObject { .. } | Gap::Uncalibrated | Gap::StoppedReferences { .. } => true,
        gap => !may_pass(gap),
    });
    // A memory may expire at any moment.
    let are_lasting = are_lasting && answer.0.memories.is_empty();
    let is_lasting = are_lasting && missing.len() <= MISSING && is_lasting(&snapshot.context, &request.source, &change);
    Ok(AnsweredImpact { answer, is_lasting, missing })
}

/// Whether an impact depends only on views, missing objects and ledger. Worktree files outside of a view are not
/// watched, and a shallow clone may be deepened at any time.
fn is_lasting(context: &SnapshotContext, source: &ChangeSource, change: &ViewChange<'_>) -> bool {
    let is_committed = matches!(source, ChangeSource::Revisions(_));
    let is_followed = |opaque: Option<&Opaque>| is_committed || matches!(opaque, None | Some(Opaque::Symlink));
    !context.foundation.repository.is_shallow()
        && change.unread.is_empty()
        && change.files.iter().all(|file| is_followed(file.opaque.as_ref()))
}

//! Impacts that were told, for who asks the same again.

use std::path::PathBuf;

use icr_git::Revision;
use icr_impact::{Impact, Sides};
use icr_model::{BlobId, Gap, Provenance, Recipe};

use super::sides::{ChangePlan, ViewChange};
use super::{ImpactRequest, impact_of};
use crate::change::incomplete::Opaque;
use crate::memory::{MemoryPlace, MemoryStamp};
use crate::monitor::may_pass;
use crate::warm::MISSING;
use crate::{ChangeSource, Engine, Error, Snapshot};

/// What is asked, by which rules, and what its names mean.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ImpactQuestion {
    root: PathBuf,
    store: PathBuf,
    shape: Recipe,
    /// All that may be chosen when a repository is opened, as text: answers depend on many of the options.
    options: String,
    request: ImpactRequest,
    revisions: Option<(Revision, Revision)>,
    sides: Sides,
    /// The memories that there were.
    memory: Option<MemoryStamp>,
}

impl KeptImpact {
    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> u64 {
        /// Lists are bounded; this is more than an answer with all of them full.
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
    pub(crate) fn of(engine: &Engine, request: &ImpactRequest, plan: &ChangePlan) -> Self {
        Self {
            root: engine.root().to_owned(),
            store: engine.store_directory().to_owned(),
            shape: engine.foundation.shape.digest(),
            options: format!("{:?}", engine.options),
            request: request.clone(),
            revisions: plan.revisions.clone(),
            sides: plan.sides().clone(),
            memory: engine.options.memory.as_ref().map(MemoryPlace::stamp),
        }
    }
}

/// An impact that was told, and what it was made of besides the view.
pub(crate) struct KeptImpact {
    pub(crate) question: ImpactQuestion,
    /// Objects that its sides lacked.
    pub(crate) missing: Vec<BlobId>,
    pub(crate) answer: (Impact, Provenance),
}

/// An impact, and whether it may be told again.
pub(crate) struct AnsweredImpact {
    pub(crate) answer: (Impact, Provenance),
    /// Whether whoever knows that view, missing objects and ledger are the same knows that the answer is.
    pub(crate) is_lasting: bool,
    /// Objects that its sides lack.
    pub(crate) missing: Vec<BlobId>,
}

/// As [`super::impact()`], with what has to be the same for it to be told again.
pub(crate) fn impact_to_keep(
    snapshot: &Snapshot,
    request: &ImpactRequest,
    plan: &ChangePlan,
) -> Result<AnsweredImpact, Error> {
    // By the plan that the answer is kept under: a name may mean another commit by now.
    let change = plan.change(&snapshot.engine, &request.source, snapshot)?;
    let answer = impact_of(&change, &request.rules)?;
    let missing: Vec<BlobId> =
        [&change.old, &change.new].iter().flat_map(|side| side.view.transient().missing.iter().copied()).collect();
    let are_lasting = answer.1.gaps.iter().all(|gap| match gap {
        // Looked at again, and of the ledger or the view alone.
        Gap::MissingObject { .. } | Gap::Uncalibrated | Gap::StoppedReferences { .. } => true,
        gap => !may_pass(gap),
    });
    // What is noted may be over at any moment.
    let are_lasting = are_lasting && answer.0.memories.is_empty();
    let is_lasting = are_lasting && missing.len() <= MISSING && is_lasting(&snapshot.engine, &request.source, &change);
    Ok(AnsweredImpact { answer, is_lasting, missing })
}

/// Whether an impact depends on nothing but views, missing objects and ledger. What lies in the worktree outside of a view
/// is followed by nobody, and the history of a shallow clone may be deepened.
fn is_lasting(engine: &Engine, source: &ChangeSource, change: &ViewChange<'_>) -> bool {
    let is_committed = matches!(source, ChangeSource::Revisions(_));
    let is_followed = |opaque: Option<&Opaque>| is_committed || matches!(opaque, None | Some(Opaque::Symlink));
    !engine.foundation.repository.is_shallow()
        && change.unread.is_empty()
        && change.files.iter().all(|file| is_followed(file.opaque.as_ref()))
}

//! How repositories are opened, and which.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use icr_engine::{ChangeSource, Deadline, Engine, ImpactRules, PackBudgets, PackRules, TranscriptTurns};

use crate::{OpenError, RunRules};

/// Which repositories calls may ask, and how these are opened.
#[derive(Clone)]
pub struct RepositoryAccess {
    /// A directory in the repository that calls are about when they name none.
    pub start: PathBuf,
    /// Home of icr; repositories that have a store there may be named by calls.
    pub home: PathBuf,
    /// Directories whose repositories calls may name, besides the server's own and those with a store.
    pub allowed_roots: Vec<PathBuf>,
    /// Opens a repository under its configuration.
    pub open: Opener,
    /// Tells which repository one is, for what needs no more than that.
    pub identify: Identifier,
}

impl std::fmt::Debug for RepositoryAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { start, home, allowed_roots, open: _, identify: _ } = self;
        f.debug_struct("Places")
            .field("start", start)
            .field("home", home)
            .field("allowed_roots", allowed_roots)
            .finish_non_exhaustive()
    }
}

/// Opens the repository around a directory, with the configuration that holds there. Called on a thread that may block.
pub type Opener = Arc<dyn Fn(&Path) -> Result<ConfiguredRepository, OpenError> + Send + Sync>;

/// Id of the repository around a directory, as the engine that [`Opener`] opens has it. Opens no store, looks at no file of a worktree,
/// and writes at most the record of the id. Called on a thread that may block.
pub type Identifier = Arc<dyn Fn(&Path) -> Result<String, OpenError> + Send + Sync>;

/// A repository with what its configuration says.
#[derive(Debug, Clone)]
pub struct ConfiguredRepository {
    /// The repository.
    pub engine: Engine,
    /// How packs are decided.
    pub pack: PackRules,
    /// What packs may cost.
    pub budgets: PackBudgets,
    /// How far changes are followed and how much of that is told, where a call does not say.
    pub impact: ImpactRules,
    /// How commands are run.
    pub run: RunRules,
    /// Longest catch-up before an answer; what is then still missing is a gap of the answer.
    pub catch_up: Duration,
    /// Whether the system is asked to tell what changes in the worktree, so that not every call looks for it.
    pub watch: bool,
    /// Files that the configuration was read from, or would be if they were there: the repository is opened again when one
    /// changes.
    pub made_of: Vec<PathBuf>,
    /// The same repository under the rules that stood before a change.
    pub before: BaseRulesFinder,
    /// What was said in sessions with agents about the repository.
    pub transcripts: TranscriptReader,
}

/// Reads what was said in sessions with agents about a repository, each time anew. Called on a thread that may block.
#[derive(Clone)]
pub struct TranscriptReader(ReadTurns);

type ReadTurns = Arc<dyn Fn(&Deadline) -> TranscriptTurns + Send + Sync>;

impl TranscriptReader {
    /// Reads by `read`, which stops at its deadline.
    pub fn new(read: impl Fn(&Deadline) -> TranscriptTurns + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// What was said, as far as it can be read until `deadline`.
    pub fn read(&self, deadline: &Deadline) -> TranscriptTurns {
        (self.0)(deadline)
    }
}

impl Default for TranscriptReader {
    /// Finds none.
    fn default() -> Self {
        Self::new(|_| TranscriptTurns::default())
    }
}

impl std::fmt::Debug for TranscriptReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TranscriptReader").finish_non_exhaustive()
    }
}

/// Finds the rules that a change of revisions is judged by: who wrote the change may not choose them. Called on a thread that may
/// block.
#[derive(Clone)]
pub struct BaseRulesFinder(Find);

type Find = Arc<dyn Fn(&ChangeSource) -> Result<Option<Judging>, OpenError> + Send + Sync>;

impl BaseRulesFinder {
    /// What `find` opens for a change; `None` of it where the rules that stood before the change are those of the worktree.
    pub fn new(find: impl Fn(&ChangeSource) -> Result<Option<Judging>, OpenError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(find))
    }

    /// What to judge a change by, where that is not what the repository was opened with.
    pub(crate) fn find(&self, source: &ChangeSource) -> Result<Option<Judging>, OpenError> {
        (self.0)(source)
    }
}

impl std::fmt::Debug for BaseRulesFinder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Before")
    }
}

/// A repository under the rules that a change is judged by.
#[derive(Debug)]
pub struct Judging {
    /// The repository.
    pub engine: Engine,
    /// How far changes are followed.
    pub impact: ImpactRules,
    /// What the answer says of it.
    pub note: String,
}

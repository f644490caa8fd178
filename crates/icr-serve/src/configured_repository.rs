//! Which repositories calls may ask, and how they are opened and configured.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use icr_engine::{ChangeSource, Deadline, Engine, ImpactRules, PackBudgets, PackRules, TranscriptTurns};

use crate::{OpenError, RunRules};

/// Which repositories calls may ask, and how these are opened.
#[derive(Clone)]
pub struct RepositoryAccess {
    /// A directory in the repository that is asked when a call names none.
    pub start: PathBuf,
    /// Home of icr. Calls may also name any repository that has a store there.
    pub home: PathBuf,
    /// Directories whose repositories calls may name, besides the server's own and those with a store.
    pub allowed_roots: Vec<PathBuf>,
    /// Opens a repository under its configuration.
    pub open: Opener,
    /// Finds the id of a repository without opening it.
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

/// Returns the id of the repository around a directory; it is the same as that of the engine that [`Opener`] opens.
/// Opens no store and reads no files of the worktree. It may write the record of the id, nothing else. Called on a
/// thread that may block.
pub type Identifier = Arc<dyn Fn(&Path) -> Result<String, OpenError> + Send + Sync>;

/// A repository with its configuration.
#[derive(Debug, Clone)]
pub struct ConfiguredRepository {
    /// The repository.
    pub engine: Engine,
    /// Rules for packs.
    pub pack: PackRules,
    /// Limits of packs.
    pub budgets: PackBudgets,
    /// Results of a search that does not say how many.
    pub final_results: usize,
    /// How far changes are followed and how much of that is shown, if a call does not say.
    pub impact: ImpactRules,
    /// How commands are run.
    pub run: RunRules,
    /// Longest time to bring the index up to date before an answer. What is not indexed by then is reported as a gap of
    /// the answer.
    pub catch_up: Duration,
    /// Whether the operating system reports changes in the worktree, so that not every call has to scan it.
    pub watch: bool,
    /// Paths of the configuration files, whether or not they exist. The repository is opened again when one of them
    /// changes.
    pub made_of: Vec<PathBuf>,
    /// Finds the rules that applied before a change, for judging that change.
    pub before: BaseRulesFinder,
    /// Reader of the agent sessions about the repository.
    pub transcripts: TranscriptReader,
}

/// Reads the agent sessions about a repository, anew at each call. Called on a thread that may block.
#[derive(Clone)]
pub struct TranscriptReader(ReadTurns);

type ReadTurns = Arc<dyn Fn(&Deadline) -> TranscriptTurns + Send + Sync>;

impl TranscriptReader {
    /// A reader that calls `read`, which must stop at its deadline.
    pub fn new(read: impl Fn(&Deadline) -> TranscriptTurns + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// The agent sessions, as far as they can be read until `deadline`.
    pub fn read(&self, deadline: &Deadline) -> TranscriptTurns {
        (self.0)(deadline)
    }
}

impl Default for TranscriptReader {
    /// A reader that finds no sessions.
    fn default() -> Self {
        Self::new(|_| TranscriptTurns::default())
    }
}

impl std::fmt::Debug for TranscriptReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TranscriptReader").finish_non_exhaustive()
    }
}

/// Finds the rules that a change between revisions is judged by. The author of a change must not be able to choose
/// them. Called on a thread that may block.
#[derive(Clone)]
pub struct BaseRulesFinder(Find);

type Find = Arc<dyn Fn(&ChangeSource) -> Result<Option<Judging>, OpenError> + Send + Sync>;

impl BaseRulesFinder {
    /// `find` opens the repository under the rules that applied before a change. It returns `None` if those are the
    /// rules of the worktree.
    pub fn new(find: impl Fn(&ChangeSource) -> Result<Option<Judging>, OpenError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(find))
    }

    /// The repository to judge a change by, if it differs from the opened one.
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
    /// Text about those rules for the answer.
    pub note: String,
}

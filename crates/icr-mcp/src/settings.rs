//! What a server is started with.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use icr_engine::{ChangeSource, Engine, ImpactRules, PackBudgets, PackRules};

use crate::table::TOOLS;

/// What a server is started with.
#[derive(Clone)]
pub struct Settings {
    /// A directory in the repository that calls are about when they name none.
    pub start: PathBuf,
    /// Home of icr; repositories that have a store there may be named by calls.
    pub home: PathBuf,
    /// Version that clients are told.
    pub version: String,
    /// What `tools/list` shows; any tool can be called by its name.
    pub toolsets: Vec<Toolset>,
    /// Directories whose repositories calls may name, besides the server's own and those with a store.
    pub allowed_roots: Vec<PathBuf>,
    /// Answers hold what was asked for and nothing about how it was found.
    pub compact: bool,
    /// Bounds of calls and answers.
    pub limits: Limits,
    /// Opens a repository under its configuration.
    pub open: Opener,
    /// The time that answers show.
    pub clock: Clock,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { start, toolsets, allowed_roots, limits, .. } = self;
        f.debug_struct("Settings")
            .field("start", start)
            .field("toolsets", toolsets)
            .field("allowed_roots", allowed_roots)
            .field("limits", limits)
            .finish_non_exhaustive()
    }
}

/// Opens the repository around a directory, with the configuration that holds there. Called on a thread that may block.
pub type Opener = Arc<dyn Fn(&Path) -> Result<Opened, OpenError> + Send + Sync>;

/// The time now.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// A repository with what its configuration says.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The repository.
    pub engine: Engine,
    /// How packs are decided.
    pub pack: PackRules,
    /// What packs may cost.
    pub budgets: PackBudgets,
    /// How far changes are followed and how much of that is told, where a call does not say.
    pub impact: ImpactRules,
    /// Longest catch-up before an answer; what is then still missing is a gap of the answer.
    pub catch_up: Duration,
    /// Whether the system is asked to tell what changes in the worktree, so that not every call looks for it.
    pub watch: bool,
    /// Files that the configuration was read from, or would be if they were there: the repository is opened again when one
    /// changes.
    pub made_of: Vec<PathBuf>,
    /// The same repository under the rules that stood before a change.
    pub before: Before,
}

/// Finds the rules that a change of revisions is judged by: who wrote the change may not choose them. Called on a thread that may
/// block.
#[derive(Clone)]
pub struct Before(Find);

type Find = Arc<dyn Fn(&ChangeSource) -> Result<Option<Judging>, OpenError> + Send + Sync>;

impl Before {
    /// What `find` opens for a change; `None` of it where the rules that stood before the change are those of the worktree.
    pub fn new(find: impl Fn(&ChangeSource) -> Result<Option<Judging>, OpenError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(find))
    }

    /// What to judge a change by, where that is not what the repository was opened with.
    pub(crate) fn find(&self, source: &ChangeSource) -> Result<Option<Judging>, OpenError> {
        (self.0)(source)
    }
}

impl std::fmt::Debug for Before {
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

/// Why a repository could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The repository itself.
    #[error(transparent)]
    Engine(#[from] icr_engine::Error),
    /// What it is configured with.
    #[error("{message}")]
    Configuration {
        /// What is wrong.
        message: String,
        /// What would be right.
        hint: Option<String>,
    },
}

/// A set of tools that clients are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Toolset {
    /// The few that answer most questions about code.
    Core,
    /// All about code.
    Code,
    /// What was learned before; holds no tool yet.
    Memory,
    /// Running programs; holds no tool yet.
    Run,
}

impl Toolset {
    /// All sets.
    pub const ALL: [Self; 4] = [Self::Core, Self::Code, Self::Memory, Self::Run];

    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Code => "code",
            Self::Memory => "memory",
            Self::Run => "run",
        }
    }

    /// Whether it has any tools.
    pub fn has_tools(self) -> bool {
        TOOLS.iter().any(|tool| tool.toolsets.contains(&self))
    }

    /// The set with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|toolset| toolset.name() == name)
    }
}

/// Bounds of calls and answers. A call is answered within its time and a fifth of a second, whatever it meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Time of a call that has no limit of its own.
    pub call: Duration,
    /// Time of a pack that asks once.
    pub pack: Duration,
    /// Time of a pack that may ask in other words.
    pub rlm: Duration,
    /// Time of lines from many sources.
    pub map_reduce: Duration,
    /// Longest time of any call, waiting for its turn included.
    pub hard: Duration,
    /// Calls worked on at once.
    pub in_flight: usize,
    /// Calls that wait for their turn; further ones are told to come back.
    pub waiting: usize,
    /// Model tokens from which an answer is cut with a notice.
    pub soft_tokens: u32,
    /// Model tokens that no answer exceeds.
    pub hard_tokens: u32,
    /// Time that answers to calls already read may take once there is no more input.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            call: Duration::from_secs(5),
            pack: Duration::from_secs(8),
            rlm: Duration::from_secs(20),
            map_reduce: Duration::from_secs(20),
            hard: Duration::from_secs(30),
            in_flight: 8,
            waiting: 256,
            soft_tokens: 8_000,
            hard_tokens: 25_000,
            drain: Duration::from_millis(800),
        }
    }
}

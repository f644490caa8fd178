//! What a server is started with.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use icr_engine::MemoryPlace;
use icr_serve::socket::RequestKind;
use icr_serve::{Bounds, RepositoryAccess};
use icr_traces::{Door, Recorder};

/// What a server is started with.
#[derive(Clone)]
pub struct Settings {
    /// Which repositories calls may ask, and how these are opened.
    pub places: RepositoryAccess,
    /// Version that clients are told.
    pub version: String,
    /// What `tools/list` shows; any tool can be called by its name.
    pub toolsets: Vec<Toolset>,
    /// Answers hold what was asked for and nothing about how it was found.
    pub compact: bool,
    /// Private keys and tokens of services are shown as a mask, but where a file is asked for as it is.
    pub mask_credentials: bool,
    /// Long-term memory.
    pub memory: MemorySettings,
    /// Bounds of calls and answers.
    pub limits: Limits,
    /// The time that answers show.
    pub clock: Clock,
    /// The environment that commands are given a part of.
    pub variables: fn() -> Vec<(OsString, OsString)>,
    /// Where calls are traced.
    pub tracing: Tracing,
    /// What the local socket answers besides `status`; `None` for no socket.
    pub socket: Option<Vec<RequestKind>>,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { places, toolsets, limits, .. } = self;
        f.debug_struct("Settings")
            .field("places", places)
            .field("toolsets", toolsets)
            .field("limits", limits)
            .finish_non_exhaustive()
    }
}

/// Where the calls of a server are traced, and as whose.
#[derive(Debug, Clone)]
pub struct Tracing {
    /// Where; one that is off costs nothing.
    pub recorder: Arc<Recorder>,
    /// Through which door calls come.
    pub door: Door,
    /// The session that calls are of: the agent's, where that is known.
    pub session: String,
}

impl Tracing {
    /// No call is traced.
    pub fn off() -> Self {
        Self { recorder: Arc::new(Recorder::off()), door: Door::Mcp, session: String::new() }
    }
}

/// How long-term memory is kept and asked.
#[derive(Debug, Clone)]
pub struct MemorySettings {
    /// The database. Nothing is opened before a call needs it.
    pub place: MemoryPlace,
    /// Whether a call is about memories of its project and of no project; otherwise it is about all.
    pub per_project: bool,
    /// Whether memories are recalled whose code the worktree lacks; it is known where the repository is open.
    pub cross_branch: bool,
    /// After how many calls without a store an answer says so, and again after as many; 0 for never.
    pub nudge_after_calls: u32,
}

/// The time now.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// A set of tools that clients are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Toolset {
    /// The few that answer most questions about code.
    Core,
    /// All about code.
    Code,
    /// What was learned before: memories and memoirs.
    Memory,
    /// Running programs.
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

    /// The set with that name, as it is typed.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|toolset| toolset.name() == name)
    }
}

/// Bounds of calls and answers. A call is answered within its time and a fifth of a second, whatever it meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Time of a call that has no limit of its own.
    pub call: Duration,
    /// Time of a command that is run, when none is asked for.
    pub run: Duration,
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

impl Limits {
    /// Those of the work of a server, whichever door a call comes through.
    pub fn bounds(&self) -> Bounds {
        Bounds { hard: self.hard, in_flight: self.in_flight, waiting: self.waiting }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            call: Duration::from_secs(5),
            run: Duration::from_secs(60),
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

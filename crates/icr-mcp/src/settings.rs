//! Settings of a server.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use icr_engine::MemoryPlace;
use icr_serve::socket::RequestKind;
use icr_serve::{Bounds, RepositoryAccess};
use icr_traces::{Door, Recorder};

/// Settings of a server.
#[derive(Clone)]
pub struct Settings {
    /// Which repositories calls may ask, and how these are opened.
    pub places: RepositoryAccess,
    /// Version that clients see.
    pub version: String,
    /// The tools that `tools/list` shows. Any tool can be called by its name.
    pub toolsets: Vec<Toolset>,
    /// Whether answers leave out how results were found.
    pub compact: bool,
    /// Whether private keys and access tokens are masked, except if a file is requested as it is.
    pub mask_credentials: bool,
    /// Long-term memory.
    pub memory: MemorySettings,
    /// Bounds of calls and answers.
    pub limits: Limits,
    /// The clock for times in answers.
    pub clock: Clock,
    /// The environment from which commands get a part.
    pub variables: fn() -> Vec<(OsString, OsString)>,
    /// Tracing of calls.
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

/// Where calls are traced, and the identity under which they are.
#[derive(Debug, Clone)]
pub struct Tracing {
    /// Where; one that is off costs nothing.
    pub recorder: Arc<Recorder>,
    /// The interface through which calls come.
    pub door: Door,
    /// The agent's session, if it is known.
    pub session: String,
}

impl Tracing {
    /// Tracing is off.
    pub fn off() -> Self {
        Self { recorder: Arc::new(Recorder::off()), door: Door::Mcp, session: String::new() }
    }
}

/// How long-term memory is kept and asked.
#[derive(Debug, Clone)]
pub struct MemorySettings {
    /// The database. Nothing is opened before a call needs it.
    pub place: MemoryPlace,
    /// Whether calls see only memories of their project and those without a project; otherwise they see all.
    pub per_project: bool,
    /// Whether memories whose code is missing in the worktree are recalled. The worktree is only checked in open
    /// repositories.
    pub cross_branch: bool,
    /// Number of calls without a store after which an answer has a reminder, repeated after the same number; 0 for
    /// never.
    pub nudge_after_calls: u32,
}

/// Returns the current time.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// A set of tools that clients are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Toolset {
    /// The few that answer most questions about code.
    Core,
    /// All about code.
    Code,
    /// Memories and memoirs.
    Memory,
    /// Running programs.
    Run,
}

impl Toolset {
    /// All sets.
    pub const ALL: [Self; 4] = [Self::Core, Self::Code, Self::Memory, Self::Run];

    /// Name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Code => "code",
            Self::Memory => "memory",
            Self::Run => "run",
        }
    }

    /// The set with this name in the configuration.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|toolset| toolset.name() == name)
    }
}

/// Bounds of calls and answers. A call is answered within its time and a fifth of a second, whatever it meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Time of a call that has no limit of its own.
    pub call: Duration,
    /// Time limit of a command that names none.
    pub run: Duration,
    /// Time limit of a pack with a single search.
    pub pack: Duration,
    /// Time limit of a pack with several searches in other words.
    pub rlm: Duration,
    /// Time of lines from many sources.
    pub map_reduce: Duration,
    /// Upper limit for any call, including the wait for its turn.
    pub hard: Duration,
    /// Calls worked on at once.
    pub in_flight: usize,
    /// Calls that wait for their turn; further ones are told to come back.
    pub waiting: usize,
    /// Model tokens from which an answer is cut with a notice.
    pub soft_tokens: u32,
    /// Most model tokens of any answer.
    pub hard_tokens: u32,
    /// Time for answering calls that were read before the input ended.
    pub drain: Duration,
}

impl Limits {
    /// The limits on a server's work, which are the same for all interfaces.
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

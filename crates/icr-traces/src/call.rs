//! A call of icr and its result.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{CallId, CallInput, moments};

/// The interface through which icr was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Door {
    /// The command line.
    Cli,
    /// MCP over standard input and output.
    Mcp,
    /// MCP over HTTP.
    McpHttp,
    /// The HTTP service.
    Http,
    /// A hook of an agent.
    Hook,
}

/// The purpose of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// Several steps in one call, such as a search over parts with a summary. Its steps name it as their parent.
    Run,
    /// Looked for places: a search, symbols, references, a pack, a map.
    Search,
    /// Read a place that the caller named: the returned lines count as opened.
    Read,
    /// Summarised a longer text.
    Summary,
    /// Asked which code a change affects.
    Impact,
    /// Anything that does not explore code: an index, a status, a memory.
    Other,
}

/// How a call ended. In JSON it is one text: `ok`, `gap`, `cancelled`, `timeout`, or `error:` and the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// With a complete answer.
    Ok,
    /// With an answer that names what is missing.
    Gap,
    /// With an error of this code, such as `NOT_FOUND`.
    Error(String),
    /// The caller gave up.
    Cancelled,
    /// It took too long.
    Timeout,
}

/// Lines of a file that an answer showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReturnedSpan {
    /// Path in the repository.
    pub path: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, not before the first.
    pub end_line: u32,
    /// Model tokens of the lines that were shown.
    pub tokens: u32,
    /// Kind of the symbol that the lines belong to, such as `function`; `None` if they belong to no symbol.
    pub symbol_kind: Option<String>,
}

/// The files in an answer about impact.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ImpactAnswer {
    /// Paths of the files in the change that was asked about.
    pub asked: Vec<String>,
    /// Paths of the files that the answer names as affected.
    pub predicted: Vec<String>,
}

/// One call of icr and its result.
///
/// Texts and lists may have any length: the recorder cuts them to their bounds and masks credentials before it writes.
/// In JSON the kind is `type`, `started_at` is `time_ms` (since 1970) and the duration is `duration_ms`. Empty lists
/// are left out, except `gaps`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CallRecord {
    /// The id of the call.
    #[schemars(with = "String")]
    pub id: CallId,
    /// When the call began.
    #[serde(rename = "time_ms", with = "moments::milliseconds")]
    #[schemars(with = "i64")]
    pub started_at: SystemTime,
    /// The interface through which icr was called.
    pub door: Door,
    /// The purpose of the call.
    #[serde(rename = "type")]
    pub kind: CallKind,
    /// Name of the tool or command. At most 200 bytes are kept of it, and of each name and id below.
    pub tool: String,
    /// The question or goal; the first [`crate::TASK_CHARACTERS_MOST`] characters are kept.
    pub task: Option<String>,
    /// Name of this step within its parent call.
    #[serde(default)]
    pub step: Option<String>,
    /// The program that asked, such as `claude-code`.
    pub client: Option<String>,
    /// The agent's id of its session; else the id of the connection.
    pub session: Option<String>,
    /// Id of the repository.
    #[serde(default)]
    pub repo_id: Option<String>,
    /// Root directory of the clone.
    #[serde(default)]
    pub root: Option<String>,
    /// The arguments of the call.
    #[schemars(with = "serde_json::Value")]
    pub input: CallInput,
    /// Model tokens of the answer.
    pub output_tokens: u64,
    /// Bytes of the answer.
    #[serde(default)]
    pub output_bytes: u64,
    /// Names of what is missing in the answer; at most 20 are kept.
    pub gaps: Vec<String>,
    /// Time from the call to its answer.
    #[serde(rename = "duration_ms", with = "moments::duration_milliseconds")]
    #[schemars(with = "f64")]
    pub duration: Duration,
    /// How the call ended.
    #[schemars(with = "String")]
    pub outcome: CallOutcome,
    /// Id of the call that this call is a step of.
    #[schemars(with = "Option<String>")]
    pub parent: Option<CallId>,
    /// The spans that the answer showed; the first [`crate::LIST_MOST`] are kept. Lists of calls have these only where
    /// they are asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub returned: Vec<ReturnedSpan>,
    /// The affected files, if the call asked what a change affects; [`crate::LIST_MOST`] paths of each list are kept.
    /// Lists of calls have these only where they are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<ImpactAnswer>,
}

impl CallRecord {
    /// A call with a new id that ended well and returned nothing. Set the fields for everything else that is known.
    pub fn new(door: Door, kind: CallKind, tool: impl Into<String>, started_at: SystemTime) -> Self {
        Self {
            id: CallId::random(),
            started_at,
            door,
            kind,
            tool: tool.into(),
            task: None,
            step: None,
            client: None,
            session: None,
            repo_id: None,
            root: None,
            input: CallInput::default(),
            output_tokens: 0,
            output_bytes: 0,
            gaps: Vec::new(),
            duration: Duration::ZERO,
            outcome: CallOutcome::Ok,
            parent: None,
            returned: Vec::new(),
            impact: None,
        }
    }

    /// When the call was answered.
    pub fn ended_at(&self) -> SystemTime {
        self.started_at.checked_add(self.duration).unwrap_or(self.started_at)
    }
}

impl Door {
    /// All doors, in the order of their declaration.
    pub const ALL: [Self; 5] = [Self::Cli, Self::Mcp, Self::McpHttp, Self::Http, Self::Hook];

    /// The name of the door in JSON and in filters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cli => "cli",
            Self::Mcp => "mcp",
            Self::McpHttp => "mcp-http",
            Self::Http => "http",
            Self::Hook => "hook",
        }
    }

    /// The door with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|door| door.name() == name)
    }
}

impl CallKind {
    /// All kinds, in the order of their declaration.
    pub const ALL: [Self; 6] = [Self::Run, Self::Search, Self::Read, Self::Summary, Self::Impact, Self::Other];

    /// The name of the kind in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Search => "search",
            Self::Read => "read",
            Self::Summary => "summary",
            Self::Impact => "impact",
            Self::Other => "other",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for CallOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => f.write_str("ok"),
            Self::Gap => f.write_str("gap"),
            Self::Error(code) => write!(f, "error:{code}"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Timeout => f.write_str("timeout"),
        }
    }
}

impl FromStr for CallOutcome {
    type Err = std::convert::Infallible;

    /// Every text is an outcome: a text that names none is read as an error with that code.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "ok" => Self::Ok,
            "gap" => Self::Gap,
            "cancelled" => Self::Cancelled,
            "timeout" => Self::Timeout,
            code => Self::Error(code.strip_prefix("error:").unwrap_or(code).to_owned()),
        })
    }
}

impl Serialize for CallOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CallOutcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Ok(outcome) = String::deserialize(deserializer)?.parse();
        Ok(outcome)
    }
}

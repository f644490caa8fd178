//! Hooks of agents: one short process for each event. A hook never stops its host: the exit code is always that of
//! success, and an answer that would be late is not given.

pub(crate) mod prompt;
mod session_start;
mod turn;

pub(crate) use turn::{NOTE_TOKENS, compaction_note, ledger_kind_of, ledger_memories, pins_there};

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use icr_agents::{
    AgentHookEvent, Dialect, ObservedToolUse, Payload, Session, SessionEvent, SessionState, ToolPurpose, tool_use,
};
use icr_engine::{Deadline, Engine, IdRecording};
use icr_hooks::Journal;
use icr_model::Digest64;
use icr_traces::Recorder;

use super::start;
use crate::arguments::Global;
use crate::config::ResolvedConfig;
use crate::context::{Context, configuration, locate};
use crate::crash_restart;
use crate::environment;
use crate::memory_context::{self, MemoryContext};
use crate::recording::recorder;

/// Largest payload, in bytes: room for a prompt with megabytes of pasted text and for the output of a tool.
const PAYLOAD_BYTES_MOST: u64 = 32 << 20;

/// Most values in a payload. Each takes at least a hundred bytes in memory, and outputs of tools have thousands.
const PAYLOAD_VALUES_MOST: usize = 200_000;

/// Name of the directory, beside the stores of a repository, with the records that hooks of one session share.
const SESSIONS_DIRECTORY: &str = "sessions";

/// A call of a hook by a host.
pub(super) struct HookCall {
    event: AgentHookEvent,
    dialect: &'static Dialect,
    payload: Payload,
}

/// Answers a hook call, which consists of `words`, the arguments after `icr hook`, and standard input. The whole output
/// is printed at once, at the end.
///
/// # Errors
///
/// An error for the log; the host sees nothing of it.
pub(super) fn answer(
    global: &Global,
    home: &Path,
    words: &[OsString],
    ends_at: &ProcessDeadline,
) -> anyhow::Result<()> {
    let call = call(words, ends_at)?;
    let directory = call.directory()?;
    // The repository follows from the payload alone, not from the host's environment or directory.
    let global = &Global { directory: Some(directory), repo: global.repo.clone(), quiet: true, ..global.clone() };
    let Ok(located) = locate(global) else {
        // Most directories are in no repository.
        return Ok(());
    };
    let config = configuration(global, home, None)?;
    if !config.get_bool("hooks.enabled") {
        return Ok(());
    }
    let given_id = Some(config.get_text("storage.repo_id")).filter(|id| !id.is_empty());
    let known_id = located.known_repo_id(home, given_id)?;
    let repo_id = match (known_id, call.event) {
        (Some(id), _) => id,
        // The id of a repository is that of its first commit, which needs a walk through all history. A host should not
        // wait for that. A repository without a known id has no index yet, and the process that makes one finds the id.
        (None, AgentHookEvent::SessionStart) => {
            start(home, &["serve".as_ref(), "--repo".as_ref(), located.root().as_os_str()])?;
            return print(&call, session_start::INDEXING);
        }
        (None, AgentHookEvent::Stop) => located.repo_id(home, given_id, IdRecording::unless(global.read_only))?,
        (None, _) => return Ok(()),
    };
    let sessions = sessions_directory(home, &repo_id);
    if call.event == AgentHookEvent::PostToolUse {
        let config = configuration(global, home, Some((Some(&repo_id), located.root())))?;
        ends_at.tighten(configured(&config, call.event));
        if !config.get_bool("hooks.enabled") {
            return Ok(());
        }
        trace_tool(&call, &recorder(global, &config, home), &repo_id, located.root());
        return record_tool(&call, &sessions);
    }
    let context = Context::open_located(global, home.to_owned(), located, repo_id)?;
    if !context.hooks_enabled {
        return Ok(());
    }
    ends_at.tighten(configured(&context.config, call.event));
    let context = Rc::new(context.catching_up_within(memory_context::CATCH_UP));
    let memory = MemoryContext::of_repository(global, &context)?;
    let session = call.session(&sessions);
    let hooks = Hooks { event: call.event, dialect: call.dialect, context, memory, session, sessions };
    // Without the lock, the same context may be shown twice; that is better than nothing.
    let _one_at_a_time = hooks.session.lock();
    let text = hooks.text(&call.payload, ends_at)?;
    if matches!(call.event, AgentHookEvent::SessionStart | AgentHookEvent::SessionEnd) {
        Session::prune(&hooks.sessions);
    }
    let text = match hooks.context.config.get_bool("security.mask_credentials") {
        true => icr_secrets::mask_tokens(&text).text,
        false => text.into(),
    };
    print(&call, &text)
}

/// Prints `text` in the host's format, so that the host's model reads it.
fn print(call: &HookCall, text: &str) -> anyhow::Result<()> {
    let output = if text.is_empty() { String::new() } else { call.dialect.output(call.event, text) };
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(output.as_bytes()).and_then(|()| stdout.flush()).context("answering the host")
}

/// Digest by which a record identifies a text, in hexadecimal digits.
fn digest_of(text: &str) -> String {
    format!("{:016x}", Digest64::default().with(text.as_bytes()).finish())
}

/// Key of a memory in the list of what a session was shown. It changes with the memory.
fn memory_key(item: &icr_memory::MemoryItem) -> String {
    format!("memory {} {}", item.id, item.summary.len())
}

/// `text` made safe for a model: no line contains invisible characters or anything that looks like a tag or a turn of a
/// conversation. Texts of memories are already safe and stand between tags.
fn reference_text(text: &str) -> String {
    text.lines().map(|line| icr_memory::reference_line(line, LINE_CHARS_MOST) + "\n").collect()
}

/// Longest line that a model is shown, in characters.
const LINE_CHARS_MOST: usize = 2_000;

/// What an event of a repository is answered from.
struct Hooks {
    event: AgentHookEvent,
    dialect: &'static Dialect,
    context: Rc<Context>,
    memory: MemoryContext,
    session: Session,
    /// Records of the repository's sessions.
    sessions: PathBuf,
}

impl Hooks {
    /// Records the event, and returns what the model is to read.
    fn text(&self, payload: &Payload, ends_at: &ProcessDeadline) -> anyhow::Result<String> {
        match self.event {
            AgentHookEvent::SessionStart => session_start::start_text(self, payload, ends_at),
            AgentHookEvent::UserPromptSubmit => prompt::prompt_text(self, payload, ends_at),
            AgentHookEvent::Stop => turn::finish(self, payload).map(|()| String::new()),
            AgentHookEvent::PreCompact => turn::before_compaction(self, payload),
            // A tool was recorded before there was a `Hooks`.
            AgentHookEvent::SessionEnd | AgentHookEvent::PostToolUse => Ok(String::new()),
        }
    }

    fn engine(&self) -> &Engine {
        &self.context.engine
    }

    /// Whether the host shows the hook's output to its model.
    fn takes_context(&self) -> bool {
        self.dialect.takes_context(self.event)
    }

    fn state(&self) -> SessionState {
        SessionState::of(&self.session.events())
    }

    /// Path of the file that says whether context helps in this repository.
    fn prior_path(&self) -> PathBuf {
        prior_path(&self.sessions)
    }

    /// The value of `result`, or the default if it is an error, which goes into the log. A failure of one source must
    /// not affect the others.
    fn or_default<T: Default>(&self, doing: &str, result: anyhow::Result<T>) -> T {
        result.unwrap_or_else(|error| {
            let journal = Journal::new(&self.context.home);
            journal.note(environment::now(), self.event.name(), &format!("{doing}: {error:#}"));
            T::default()
        })
    }

    fn number(&self, key: &'static str) -> u32 {
        u32::try_from(self.context.config.get_integer(key)).unwrap_or_default()
    }
}

/// Time at which the process ends itself, whatever it is doing.
#[derive(Debug, Clone)]
pub(super) struct ProcessDeadline {
    began: Instant,
    limit_ms: std::sync::Arc<std::sync::atomic::AtomicU64>,
}

impl ProcessDeadline {
    /// `longest` from now on.
    pub(super) fn new(longest: Duration) -> Self {
        let left = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
        Self { began: Instant::now(), limit_ms: std::sync::Arc::new(left.into()) }
    }

    /// Moves the deadline to at most `longest` after the start of the process.
    fn tighten(&self, longest: Duration) {
        let left = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
        self.limit_ms.fetch_min(left, std::sync::atomic::Ordering::SeqCst);
    }

    /// Time that the process may take in all.
    pub(super) fn limit(&self) -> Duration {
        Duration::from_millis(self.limit_ms.load(std::sync::atomic::Ordering::SeqCst))
    }

    /// Remaining time; `None` if there is none.
    pub(super) fn remaining_time(&self) -> Option<Duration> {
        self.limit().checked_sub(self.began.elapsed()).filter(|left| !left.is_zero())
    }

    /// An engine deadline slightly before the process ends, so that the engine gives up first and the log says why
    /// there is no answer.
    fn deadline(&self) -> Deadline {
        Deadline::after(self.remaining_time().unwrap_or_default() * 9 / 10)
    }
}

/// Longest time for an event, whatever the configuration says: far less than hosts wait.
fn longest(event: AgentHookEvent) -> Duration {
    match event {
        AgentHookEvent::SessionStart => Duration::from_secs(4),
        AgentHookEvent::UserPromptSubmit | AgentHookEvent::PostToolUse => Duration::from_secs(2),
        AgentHookEvent::Stop | AgentHookEvent::PreCompact => Duration::from_secs(4),
        // Hosts kill this hook after 1.5 seconds.
        AgentHookEvent::SessionEnd => Duration::from_secs(1),
    }
}

fn configured(config: &ResolvedConfig, event: AgentHookEvent) -> Duration {
    match event {
        AgentHookEvent::SessionStart => config.get_duration("hooks.session_start_deadline"),
        _ => Duration::from_millis(config.get_integer("hooks.deadline_ms").unsigned_abs()),
    }
}

/// Time within which a second identical event counts as a duplicate call, in milliseconds. A host calls a hook twice if
/// its configuration names it twice.
const TWIN_MS: i64 = 3_000;

/// Directory with the records of a repository's sessions.
pub(crate) fn sessions_directory(home: &Path, repo_id: &str) -> PathBuf {
    home.join("repos").join(repo_id).join(SESSIONS_DIRECTORY)
}

/// Path of the file beside the records that says whether context helps in the repository.
pub(crate) fn prior_path(sessions: &Path) -> PathBuf {
    sessions.join("prior.json")
}

/// The call that the arguments and standard input make.
///
/// # Errors
///
/// An event that icr does not answer, and a payload that is not one JSON object.
fn call(words: &[OsString], ends_at: &ProcessDeadline) -> anyhow::Result<HookCall> {
    let (name, host) = event_and_host(words);
    let named = || host.as_deref().and_then(Dialect::from_name);
    let dialect = Dialect::from_variables(|name| environment::variable(name).is_some()).or_else(named);
    let event = name.as_deref().and_then(|name| dialect.unwrap_or_else(|| Dialect::guess(name)).event(name));
    // Standard input may never end.
    ends_at.tighten(longest(event.unwrap_or(AgentHookEvent::UserPromptSubmit)));
    let mut bytes = Vec::new();
    let stdin = std::io::stdin().lock();
    if !stdin.is_terminal() {
        stdin.take(PAYLOAD_BYTES_MOST).read_to_end(&mut bytes).context("reading what the host sends")?;
        crash_restart::keep(crash_restart::ReplayableInput::Whole(bytes.as_slice().into()));
    }
    let values = if bytes.len() > PAYLOAD_VALUES_MOST { icr_model::json_values(&bytes) } else { 0 };
    anyhow::ensure!(values <= PAYLOAD_VALUES_MOST, "the payload has {values} values, more than any host sends");
    let payload = Payload::parse(&bytes)?;
    let said = payload.event_name.as_deref();
    let dialect = dialect.or_else(|| said.map(Dialect::guess)).unwrap_or(&Dialect::CLAUDE_CODE);
    let Some(event) = event.or_else(|| dialect.event(said?)) else {
        let name = name.as_deref().or(said).unwrap_or("no event");
        let known = AgentHookEvent::ALL.map(AgentHookEvent::name).join(", ");
        anyhow::bail!("`{name}` is no event that icr answers; these are {known}");
    };
    Ok(HookCall { event, dialect, payload })
}

/// The event and the host that the arguments name. Unknown arguments are ignored.
fn event_and_host(words: &[OsString]) -> (Option<String>, Option<String>) {
    let (mut name, mut host) = (None, None);
    let mut rest = words.iter().map(|word| word.to_string_lossy());
    while let Some(word) = rest.next() {
        match word.strip_prefix("--host") {
            Some("") => host = rest.next().map(Into::into),
            Some(value) => host = value.strip_prefix('=').map(str::to_owned),
            None if name.is_none() && !word.starts_with('-') => name = Some(word.into_owned()),
            None => {}
        }
    }
    (name, host)
}

impl HookCall {
    /// Directory that the agent works in.
    fn directory(&self) -> anyhow::Result<PathBuf> {
        let said = self.payload.directory.as_deref().map(PathBuf::from).filter(|path| path.is_absolute());
        let told = || {
            let names = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"];
            names.iter().find_map(|name| environment::variable(name)).map(PathBuf::from)
        };
        match said.or_else(told) {
            Some(directory) => Ok(directory),
            None => environment::current_directory().context("finding the current directory"),
        }
    }

    /// Record of the session. If the host gives no session id, its transcript or its directory identifies the session.
    fn session(&self, sessions: &Path) -> Session {
        let Payload { session_id, transcript_path, directory, .. } = &self.payload;
        let name = session_id.as_ref().or(transcript_path.as_ref()).or(directory.as_ref());
        Session::new(sessions, name.map_or("", String::as_str))
    }
}

/// Traces a use of one of the agent's own tools, or a call of icr.
fn trace_tool(call: &HookCall, recorder: &Recorder, repo_id: &str, root: &Path) {
    let (Some(tool), Some(session)) = (&call.payload.tool, &call.payload.session_id) else { return };
    let root = root.to_string_lossy();
    let used =
        ObservedToolUse { at: environment::now(), session, repo_id, root: &root, tool: &tool.name, input: &tool.input };
    used.events().into_iter().for_each(|event| recorder.record(event));
}

/// Records what a tool was used for: what was explored, and which of the shown files were used.
fn record_tool(call: &HookCall, sessions: &Path) -> anyhow::Result<()> {
    let Some(tool) = &call.payload.tool else { return Ok(()) };
    let used = tool_use(tool);
    if used.purpose == ToolPurpose::Other && used.paths.is_empty() {
        return Ok(());
    }
    call.session(sessions).append(&SessionEvent::Tool(used)).context("recording the use of a tool")
}

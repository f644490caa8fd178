//! `icr mcp`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use icr_engine::LocatedRepository;
use icr_mcp::{KeptInput, Limits, MemorySettings, Settings, Toolset, Tracing};
use icr_serve::socket::RequestKind;
use icr_serve::{BaseRulesFinder, ConfiguredRepository, Judging, OpenError, RepositoryAccess, TranscriptReader};
use icr_traces::Door;

use crate::arguments::Global;
use crate::commands::hook::agent::prompt;
use crate::commands::impact;
use crate::commands::pack::{budgets, rules};
use crate::commands::{run, serve_http};
use crate::config::{ConfigError, ResolvedConfig, user_file};
use crate::context::{
    Context, PROJECT_FILE, configuration_around, final_results, home_path, locate, repo_id_of, start,
};
use crate::crash_restart;
use crate::environment;
use crate::memory_context::memory_place;
use crate::output::Output;
use crate::problem::{self, Usage};
use crate::recording::{agent_session, recorder};

/// Time that a server allows beyond a command's own limit: to wait for a free slot and to end the command.
const AROUND_COMMANDS: Duration = Duration::from_secs(10);

/// Environment variable in which clients give their project's directory.
const PROJECT_VARIABLE: &str = "CLAUDE_PROJECT_DIR";

/// Serve agents over MCP on standard input and output; with `--http`, on a port, with a page for people and JSON for
/// programs
///
/// Nothing is indexed before a tool is called. Calls are about the repository here, or the one that they name by
/// `repo_root`: another worktree of this one, one that was indexed before, or one below `--root`.
#[derive(Debug, Args)]
#[command(visible_alias = "serve")]
pub(crate) struct Mcp {
    /// Sets of tools to list, separated by commas [default: `mcp.toolsets`]
    #[arg(long, value_name = "SETS", value_delimiter = ',', value_parser = toolset)]
    toolsets: Vec<Toolset>,
    /// Directory whose repositories calls may name; may be given again
    #[arg(long = "root", value_name = "PATH")]
    roots: Vec<PathBuf>,
    /// Answer without provenance
    #[arg(long)]
    compact: bool,
    /// Listen on this port of this machine's loopback (127.0.0.1, ::1) and nowhere else [default: `mcp.http_bind`]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "")]
    http: Option<String>,
    /// Print a new link to the page of the server that listens there already
    #[arg(long, requires = "http")]
    link: bool,
}

impl Mcp {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
        if let Some(at) = &global.at {
            return Err(Usage {
                message: format!("`--at {at}` names one view, and a server answers about all"),
                hint: Some("calls name a revision by `rev`".to_owned()),
            }
            .into());
        }
        if let Some(address) = &self.http {
            let address = serve_http::address(global, address)?;
            return match self.link {
                true => serve_http::link(address, output),
                false => serve_http::serve(address, self.settings(global)?, global, output),
            };
        }
        let settings = self.settings(global)?;
        // The directory that a server was started in may be deleted, and no repository can be opened without a current
        // directory.
        std::env::set_current_dir(Path::new(std::path::MAIN_SEPARATOR_STR))?;
        let unanswered = crash_restart::unanswered_input();
        let kept = Arc::new(KeptInput::going_on(&unanswered));
        crash_restart::keep(crash_restart::ReplayableInput::Served(Arc::clone(&kept)));
        let recorder = Arc::clone(&settings.tracing.recorder);
        let served = icr_mcp::serve_stdio(settings, unanswered, kept);
        // The process exits without running destructors.
        recorder.flush();
        served?;
        // If the client stops reading, a thread keeps standard output locked, and a flush would wait for ever.
        std::process::exit(i32::from(problem::OK))
    }

    fn settings(&self, global: &Global) -> anyhow::Result<Settings> {
        // An unusable home is an error only for the calls that need it.
        let home = absolute(home_path()?)?;
        let project = environment::variable(PROJECT_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
        let here = start(global)?;
        // Desktop programs start servers in any directory, and give the project's directory in a variable.
        let is_elsewhere = global.repo.is_none() && LocatedRepository::find(&here).is_err();
        let start = absolute(project.clone().filter(|_| is_elsewhere).unwrap_or(here))?;
        let file = global.config.clone().map(absolute).transpose()?;
        let repo = global.repo.as_ref().map(|_| start.clone());
        let db = global.db.clone().map(absolute).transpose()?;
        let global = &Global { repo, directory: Some(start.clone()), config: file, db, ..global.clone() };
        let config = configuration_around(global, &home)?;
        let configured = config.get_list("mcp.allowed_roots").iter().map(PathBuf::from);
        let roots = self.roots.iter().cloned().chain(configured).chain(project);
        let allowed_roots = roots.map(absolute).collect::<Result<_, _>>()?;
        Ok(Settings {
            memory: MemorySettings {
                place: memory_place(global, &config, &home),
                cross_branch: config.get_bool("recall.cross_branch"),
                per_project: config.get_bool("memory.per_project"),
                nudge_after_calls: u32::try_from(config.get_integer("memory.nudge_after_calls")).unwrap_or(u32::MAX),
            },
            places: places(global, start, home.clone(), allowed_roots),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            toolsets: self.toolsets(&config)?,
            compact: self.compact || config.get_bool("mcp.compact"),
            mask_credentials: config.get_bool("security.mask_credentials"),
            limits: limits(&config),
            clock: Arc::new(environment::now),
            variables: environment::all,
            tracing: Tracing {
                recorder: Arc::new(recorder(global, &config, &home)),
                door: if self.http.is_some() { Door::McpHttp } else { Door::Mcp },
                session: agent_session().unwrap_or_else(|| format!("{}-{}", std::process::id(), unix_seconds())),
            },
            // A read-only server must not create a socket either.
            socket: (!global.read_only).then(socket_kinds),
        })
    }

    /// The sets whose tools are listed.
    fn toolsets(&self, config: &ResolvedConfig) -> Result<Vec<Toolset>, Usage> {
        let configured = config.get_list("mcp.toolsets");
        let (toolsets, place) = match self.toolsets.as_slice() {
            [] => (configured.iter().filter_map(|name| Toolset::from_name(name)).collect(), "`mcp.toolsets`"),
            given => (given.to_vec(), "`--toolsets`"),
        };
        if !toolsets.is_empty() {
            return Ok(toolsets);
        }
        let names = Toolset::ALL.map(|toolset| format!("`{}`", toolset.name())).join(", ");
        Err(Usage {
            message: format!("{place} names no set of tools, so that nothing would be listed"),
            hint: Some(format!("sets of tools: {names}")),
        })
    }
}

/// Requests that the local socket of a long-lived process answers besides `status`.
pub(crate) fn socket_kinds() -> Vec<RequestKind> {
    vec![prompt::socket_kind()]
}

/// The repositories that calls may name. They are opened with the arguments of the process, whose paths must be
/// absolute.
pub(crate) fn places(global: &Global, start: PathBuf, home: PathBuf, allowed_roots: Vec<PathBuf>) -> RepositoryAccess {
    let opening = global.clone();
    let open = Arc::new(move |directory: &Path| open(&opening, directory));
    let (identifying, of_home) = (global.clone(), home.clone());
    let identify = Arc::new(move |directory: &Path| identified(&identifying, &of_home, directory));
    RepositoryAccess { start, home, allowed_roots, open, identify }
}

/// `path` made absolute, so that it does not depend on the current directory.
pub(crate) fn absolute(path: PathBuf) -> std::io::Result<PathBuf> {
    std::path::absolute(path)
}

fn unix_seconds() -> u64 {
    environment::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn toolset(name: &str) -> Result<Toolset, String> {
    Toolset::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Toolset::ALL.iter().map(|toolset| toolset.name()).collect();
        format!("expected some of {}", names.join(", "))
    })
}

fn limits(config: &ResolvedConfig) -> Limits {
    let tokens = |key| u32::try_from(config.get_integer(key)).unwrap_or(u32::MAX);
    let usual = Limits::default();
    let (run, run_most) = (config.get_integer("run.timeout_seconds"), config.get_integer("run.max_timeout_seconds"));
    let seconds = |seconds: i64| Duration::from_secs(seconds.unsigned_abs());
    // Only commands may take longer than all other calls.
    let longest = if config.get_bool("run.enabled") { seconds(run_most) + AROUND_COMMANDS } else { Duration::ZERO };
    Limits {
        hard: usual.hard.max(longest),
        run: seconds(run.min(run_most)),
        call: config.get_duration("mcp.call_timeout"),
        map_reduce: config.get_duration("rlm.map_reduce_timeout"),
        in_flight: usize::try_from(config.get_integer("mcp.max_in_flight")).unwrap_or(1),
        soft_tokens: tokens("mcp.soft_response_tokens"),
        hard_tokens: tokens("mcp.hard_response_tokens"),
        ..usual
    }
}

/// The arguments for the repository around `directory`.
fn arguments_for_directory(global: &Global, directory: &Path) -> Global {
    // The user can have named only the server's own directory; agents name the others.
    let repo = global.repo.clone().filter(|repo| repo.canonicalize().is_ok_and(|repo| repo == directory));
    Global { repo, directory: Some(directory.to_owned()), quiet: true, ..global.clone() }
}

/// Id of the repository around `directory`, without opening it.
fn identified(global: &Global, home: &Path, directory: &Path) -> Result<String, OpenError> {
    let global = arguments_for_directory(global, directory);
    let identify = || -> anyhow::Result<String> { repo_id_of(&locate(&global)?, &global, home) };
    identify().map_err(not_opened)
}

/// The repository around `directory`, under the configuration that holds there.
fn open(global: &Global, directory: &Path) -> Result<ConfiguredRepository, OpenError> {
    let global = arguments_for_directory(global, directory);
    let opened = Context::open(&global).map(|context| {
        let context = Arc::new(context);
        let config = &context.config;
        let user = global.config.clone().unwrap_or_else(|| user_file(&environment::variables(), &context.home));
        let store = context.home.join("repos").join(context.engine.repo_id()).join("config.toml");
        ConfiguredRepository {
            pack: rules(config),
            budgets: budgets(config),
            final_results: final_results(config),
            impact: impact::rules(config),
            run: run::rules(config),
            catch_up: config.get_duration("mcp.catch_up"),
            watch: config.get_bool("watcher.enabled"),
            made_of: vec![user, store, context.engine.root().join(PROJECT_FILE)],
            engine: context.engine.clone(),
            transcripts: transcripts(&context),
            before: base_rules_finder(context),
        }
    });
    opened.map_err(not_opened)
}

/// A reader for transcripts about the repository of `context`, as its configuration says.
fn transcripts(context: &Arc<Context>) -> TranscriptReader {
    let context = context.clone();
    TranscriptReader::new(move |deadline| context.transcripts(deadline))
}

/// Opens the repository of `context` under the rules that stood before a change.
fn base_rules_finder(context: Arc<Context>) -> BaseRulesFinder {
    BaseRulesFinder::new(move |source| {
        let before = context.with_base_rules(source).map_err(not_opened)?;
        Ok(before.map(|(before, note)| {
            let impact = impact::rules(&before.config);
            Judging { engine: before.engine, impact, note }
        }))
    })
}

fn not_opened(error: anyhow::Error) -> OpenError {
    match error.downcast::<icr_engine::Error>() {
        Ok(error) => OpenError::Engine(error),
        Err(error) => {
            let hint = error.downcast_ref::<ConfigError>().and_then(ConfigError::hint);
            let hint = hint.or_else(|| error.downcast_ref::<Usage>().and_then(|usage| usage.hint.clone()));
            OpenError::Configuration { message: format!("{error:#}"), hint }
        }
    }
}

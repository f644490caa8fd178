//! Builds an engine from arguments, files and the environment.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use icr_embed::remote::{Address, Provider, RemoteOptions, Secret};
use icr_engine::{
    Backend, ChangeSource, ChunkLimits, Deadline, EmbeddingOptions, Emphasis, Engine, Error, Freshness, Fusion, Gap,
    HistoryOptions, IdRecording, ImpactRequest, LocatedRepository, OpenOptions, Provenance, RankingOptions, Snapshot,
    TranscriptTurns, VectorIndex, VectorOptions, ViewSelector, read_clone_file,
};
use icr_impact::Impact;
use icr_model::RepoPath;

use crate::arguments::Global;
use crate::config::{self, ConfigError, ConfigurationLayers, ResolvedConfig};
use crate::environment;
use crate::memory_context::memory_place;
use crate::output::was_told_today;
use crate::problem::Usage;
use crate::progress::{Bar, FileBar};
use crate::transcripts::read_turns;

/// Name of the configuration file that comes with a repository.
pub(crate) const PROJECT_FILE: &str = ".icr.toml";

/// Everything a command needs besides its own arguments.
pub(crate) struct Context {
    pub(crate) home: PathBuf,
    pub(crate) engine: Engine,
    pub(crate) at: ViewSelector,
    /// The configuration that the repository was opened under.
    pub(crate) config: ResolvedConfig,
    /// How long garbage collection keeps unused data.
    pub(crate) keep_unused: Duration,
    /// How long the additional model may embed after a sync that the user started.
    pub(crate) fill_budget: Duration,
    /// Whether hooks may do anything at all.
    pub(crate) hooks_enabled: bool,
    catch_up: Duration,
    quiet: bool,
    global: Global,
}

impl Context {
    /// Opens the repository that the arguments name, under its configuration.
    pub(crate) fn open(global: &Global) -> anyhow::Result<Self> {
        Self::open_with(global, home()?)
    }

    /// Like [`Context::open`], with a known home of icr.
    pub(crate) fn open_with(global: &Global, home: PathBuf) -> anyhow::Result<Self> {
        let located = locate(global)?;
        let repo_id = repo_id_of(&located, global, &home)?;
        Self::open_located(global, home, located, repo_id)
    }

    /// Like [`Context::open_with`] with a repository that was found and its id.
    pub(crate) fn open_located(
        global: &Global,
        home: PathBuf,
        located: LocatedRepository,
        repo_id: String,
    ) -> anyhow::Result<Self> {
        let config = configuration(global, &home, Some((Some(&repo_id), located.root())))?;
        let is_read = std::io::stderr().is_terminal();
        for warning in config.warnings().iter().filter(|_| !global.quiet) {
            let text = warning.to_string();
            // Who was told today that a key is read as another one need not be told again at each command.
            if !(is_read && warning.is_about_translation() && was_told_today(global, &text)) {
                tracing::warn!("{text}");
            }
        }
        let options = OpenOptions { repo_id: Some(repo_id), ..open_options(global, &config, located.root(), &home)? };
        let at = global.at.clone().map_or(ViewSelector::Worktree, ViewSelector::Revision);
        Ok(Self {
            home,
            engine: located.open(options)?,
            at,
            keep_unused: config.get_duration("git.keep_unused"),
            fill_budget: config.get_duration("embedding.fill_budget"),
            hooks_enabled: config.get_bool("hooks.enabled"),
            catch_up: config.get_duration("git.catch_up"),
            quiet: global.quiet,
            global: global.clone(),
            config,
        })
    }

    /// The same repository under the configuration from before the change of `source`, with a note for answers; `None`
    /// if the configuration is the same. The author of a change must not choose the rules that judge it. A file that is
    /// secret under either configuration stays secret.
    pub(crate) fn with_base_rules(&self, source: &ChangeSource) -> anyhow::Result<Option<(Self, String)>> {
        let Some(rules) = self.engine.rule_files().before_change(source)? else { return Ok(None) };
        let root = self.engine.root().to_owned();
        let project = self.engine.rule_files().file(&rules, PROJECT_FILE)?;
        let project = project.map(|text| (root.join(PROJECT_FILE), String::from_utf8_lossy(&text).into_owned()));
        let config = configuration_with(&self.global, &self.home, Some(self.engine.repo_id()), project)?;
        let opened = open_options(&self.global, &config, &root, &self.home)?;
        let mut clone_secret_patterns = opened.clone_secret_patterns;
        clone_secret_patterns.extend(self.config.secret_patterns().of_project.iter().cloned());
        let repo_id = Some(self.engine.repo_id().to_owned());
        let options = OpenOptions { repo_id, clone_secret_patterns, rules_before: Some(rules), ..opened };
        let before = Self {
            home: self.home.clone(),
            engine: locate(&self.global)?.open(options)?,
            at: self.at.clone(),
            global: self.global.clone(),
            config,
            ..*self
        };
        let note = rules_note(&before.differing_keys(self));
        Ok(Some((before, note)))
    }

    /// Keys whose value differs in `other`.
    fn differing_keys(&self, other: &Self) -> Vec<&'static str> {
        let values = |context: &Self| context.config.settings().map(|set| (set.key.name, set.value.clone())).collect();
        let (own, others): (BTreeMap<_, _>, BTreeMap<_, _>) = (values(self), values(other));
        let keys: BTreeSet<&'static str> = own.keys().chain(others.keys()).copied().collect();
        keys.into_iter().filter(|key| own.get(key) != others.get(key)).collect()
    }

    /// The same context; bringing the index up to date takes at most `limit`.
    pub(crate) fn catching_up_within(self, limit: Duration) -> Self {
        Self { catch_up: self.catch_up.min(limit), ..self }
    }

    /// Answers `question` from the chosen view, which is brought up to date first. Also returns the provenance.
    pub(crate) fn ask<T>(&self, question: impl Fn(&Snapshot) -> Result<T, Error>) -> anyhow::Result<(T, Provenance)> {
        let with_provenance = |snapshot: &Snapshot| Ok((question(snapshot)?, self.provenance_of(snapshot)?));
        let freshness = Freshness { time_box: self.catch_up };
        Ok(self.engine.answer(&self.at, &freshness, &self.bar(), with_provenance)?)
    }

    /// The provenance of a snapshot, with those gaps that an answer of the command can have.
    pub(crate) fn provenance_of(&self, snapshot: &Snapshot) -> Result<Provenance, Error> {
        icr_engine::provenance_within(snapshot, self.global.oversize_scope)
    }

    /// A typed path relative to the root of the repository. The typed path may be absolute, relative to the current
    /// directory, or relative to the root. If both relative readings exist in the view, the one from the current
    /// directory wins.
    pub(crate) fn path_of(&self, typed: &str) -> String {
        let root = self.engine.root();
        let here = self.global.directory.clone().or_else(|| environment::current_directory().ok());
        let here = here.and_then(|here| std::fs::canonicalize(here).ok()).unwrap_or_else(|| root.to_owned());
        let is_relative = !Path::new(typed).is_absolute() && !typed.starts_with("./") && !typed.starts_with("../");
        if self.at != ViewSelector::Worktree && is_relative && here != root && !matches!(typed, "." | "..") {
            // What the worktree has says nothing about another view.
            let below = path_from_root(root, &here, &format!("./{typed}"));
            return below.filter(|below| self.is_in_view(below)).unwrap_or_else(|| typed.to_owned());
        }
        path_from_root(root, &here, typed).unwrap_or_else(|| typed.to_owned())
    }

    /// Whether the view has a file or directory at a path. A view that cannot be asked has none; the question itself will
    /// report why.
    fn is_in_view(&self, path: &str) -> bool {
        let path = RepoPath::from_display(path.trim_end_matches('/'));
        let found = self.ask(|snapshot| snapshot.has_path(&path));
        found.is_ok_and(|(found, _)| found)
    }

    /// As [`Context::path_of`], for an optional path.
    pub(crate) fn path(&self, typed: Option<&str>) -> Option<String> {
        typed.map(|typed| self.path_of(typed))
    }

    /// The impact of a change, with its provenance.
    pub(crate) fn impact(&self, request: &ImpactRequest) -> anyhow::Result<(Impact, Provenance)> {
        let freshness = Freshness { time_box: self.catch_up };
        Ok(self.engine.impact(request, &freshness, &self.bar())?)
    }

    /// Turns of agent sessions about the repository, as many as can be read until `deadline`. Empty if the user
    /// switched transcripts off.
    pub(crate) fn transcripts(&self, deadline: &Deadline) -> TranscriptTurns {
        match self.config.get_bool("transcripts.enabled") {
            true => read_turns(&self.engine, deadline),
            false => TranscriptTurns { turns: Vec::new(), gaps: vec![Gap::TranscriptsOff] },
        }
    }

    /// Name of the repository for people: the name of its directory.
    pub(crate) fn repository_name(&self) -> String {
        self.engine.root().file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// A progress bar for a question about all files; `doing` says what is done with each file.
    pub(crate) fn file_bar(&self, doing: &'static str) -> FileBar {
        FileBar::new(self.quiet, doing)
    }

    /// A progress bar for long work.
    pub(crate) fn bar(&self) -> Bar {
        Bar::new(self.quiet, &self.home)
    }
}

/// Note that the worktree's rules are not used.
fn rules_note(keys: &[&str]) -> String {
    let (secret, keys): (Vec<&str>, Vec<&str>) = keys.iter().partition(|key| **key == "security.secret_patterns");
    let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    let what = if keys.is_empty() { String::new() } else { format!(" ({} would differ)", keys.join(", ")) };
    let but =
        if secret.is_empty() { "" } else { "; what `security.secret_patterns` of either side hides stays hidden" };
    format!("configuration and ignore files count as they were before the change{what}{but}")
}

/// How to open the repository at `root` under a configuration.
fn open_options(global: &Global, config: &ResolvedConfig, root: &Path, home: &Path) -> anyhow::Result<OpenOptions> {
    let number = |key| u32::try_from(config.get_integer(key)).unwrap_or(u32::MAX);
    Ok(OpenOptions {
        read_only: global.read_only,
        ignore_patterns: config.get_list("watcher.ignore_patterns").to_vec(),
        respect_gitignore: config.get_bool("watcher.respect_gitignore"),
        respect_icrignore: config.get_bool("watcher.respect_icrignore"),
        max_file_bytes: u64::try_from(config.get_integer("watcher.max_file_size_kb")).unwrap_or(u64::MAX / 1024) * 1024,
        secret_patterns: config.secret_patterns().own.clone(),
        clone_secret_patterns: config.secret_patterns().of_project.clone(),
        extensions: config.get_list("watcher.watch_extensions").to_vec(),
        chunk_limits: ChunkLimits {
            min_tokens: number("chunking.min_tokens"),
            target_tokens: number("chunking.target_tokens"),
            max_tokens: number("chunking.max_tokens"),
            overlap_tokens: number("chunking.overlap_tokens"),
        },
        embedding: embedding(global, config, home)?,
        ranking: ranking(config),
        history: history(config),
        cache_mb: number("storage.cache_size_mb"),
        mask_credentials: config.get_bool("security.mask_credentials"),
        memory: Some(memory_place(global, config, home)),
        ..OpenOptions::new(root, home)
    })
}

/// `typed`, relative to the current directory `here`, as a path from `root`; `None` if it is used as it is.
fn path_from_root(root: &Path, here: &Path, typed: &str) -> Option<String> {
    let given = Path::new(typed);
    let is_explicit =
        given.is_absolute() || typed.starts_with("./") || typed.starts_with("../") || matches!(typed, "." | "..");
    let whole = if given.is_absolute() { given.to_owned() } else { here.join(given) };
    // The path may reach the root through a symbolic link.
    let real = std::fs::canonicalize(&whole).ok().filter(|real| real.starts_with(root));
    let below = match whole.strip_prefix(root) {
        Ok(below) => below.to_owned(),
        Err(_) => real.as_ref()?.strip_prefix(root).ok()?.to_owned(),
    };
    let mut parts: Vec<&str> = Vec::new();
    for component in below.components() {
        match component {
            std::path::Component::Normal(part) => parts.push(part.to_str()?),
            std::path::Component::ParentDir => drop(parts.pop()?),
            _ => {}
        }
    }
    if parts.is_empty() {
        return is_explicit.then(|| ".".to_owned());
    }
    // The file may exist only in an older revision; then the path is taken as relative to the root.
    let is_there = std::fs::symlink_metadata(&whole).is_ok();
    if !is_explicit && !is_there {
        return None;
    }
    let trailing = if typed.ends_with('/') { "/" } else { "" };
    let path = format!("{}{trailing}", parts.join("/"));
    // A path that exists stays as typed, unless icr prints another existing path that way.
    let shown = RepoPath::from_display(&path);
    let is_shown = shown.to_string() == path
        && shown.as_str().is_some_and(|shown| std::fs::symlink_metadata(root.join(shown)).is_ok());
    Some(if is_there && !is_shown { RepoPath::from(path.as_str()).to_string() } else { path })
}

/// Results of a search that does not say how many.
pub(crate) fn final_results(config: &ResolvedConfig) -> usize {
    usize::try_from(config.get_integer("retrieval.final_results")).unwrap_or(usize::MAX)
}

/// History options from the configuration.
fn history(config: &ResolvedConfig) -> HistoryOptions {
    let count = |key| usize::try_from(config.get_integer(key)).unwrap_or(usize::MAX);
    HistoryOptions {
        cochange_commits: count("git.cochange_commits"),
        cochange_files_most: count("git.cochange_max_files"),
        recent_days: u32::try_from(config.get_integer("git.recent_days")).unwrap_or(u32::MAX),
        calibrate: config.get_bool("impact.calibrate"),
        false_alarm_rate: config.get_float("impact.false_alarm_rate"),
    }
}

/// Which models the arguments and the configuration choose.
pub(crate) fn embedding(global: &Global, config: &ResolvedConfig, home: &Path) -> anyhow::Result<EmbeddingOptions> {
    let backend = match config.get_text("embedding.backend") {
        _ if global.no_embeddings => Backend::None,
        "none" => Backend::None,
        "onnx" => Backend::Onnx,
        "remote" => Backend::Remote,
        _ => Backend::Static,
    };
    let number = |key| usize::try_from(config.get_integer(key)).unwrap_or(usize::MAX);
    let user_home = std::env::home_dir().unwrap_or_default();
    let runtime = Some(config.get_text("embedding.runtime_path")).filter(|path| !path.is_empty());
    let index = match config.get_text("vector.index") {
        "scan" => VectorIndex::Scan,
        "arroy" => VectorIndex::Arroy,
        _ => VectorIndex::Auto,
    };
    let built_in = EmbeddingOptions::new(home);
    Ok(EmbeddingOptions {
        backend,
        model: config.get_text("embedding.model_name").to_owned(),
        models: config.get_path("embedding.model_path", home, &user_home).unwrap_or_else(|| built_in.models.clone()),
        // A name without a directory is resolved by the dynamic loader, so it is passed unchanged.
        runtime: runtime.map(|path| path.strip_prefix("~/").map_or_else(|| path.into(), |below| user_home.join(below))),
        remote: (backend == Backend::Remote).then(|| remote_options(config)).transpose()?,
        fill_budget: config.get_duration("embedding.fill_budget"),
        most_vectors: config.get_integer("storage.max_vectors_per_repo").unsigned_abs(),
        rescored: number("embedding.rescore_candidates"),
        index: VectorOptions {
            index,
            crossover: config.get_integer("vector.crossover_chunks").unsigned_abs(),
            ..built_in.index
        },
    })
}

/// Ranking weights from the configuration, each relative to its default.
fn ranking(config: &ResolvedConfig) -> RankingOptions {
    let factor = |key| config.times_default(key);
    RankingOptions {
        emphasis: Emphasis {
            words: factor("retrieval.weight_bm25"),
            vectors: factor("retrieval.weight_embedding"),
            recency: factor("retrieval.weight_recency"),
            focus: factor("retrieval.weight_focus"),
            pinned: factor("retrieval.weight_pinned"),
        },
        fusion: match config.get_text("retrieval.fusion") {
            "rrf" => Fusion::ReciprocalRank,
            _ => Fusion::Weighted,
        },
        recency_days: config.get_float("retrieval.recency_tau_days"),
        reranks: config.get_bool("retrieval.reranker_enabled"),
    }
}

/// How to reach a remote model; only the user's own configuration can set this.
fn remote_options(config: &ResolvedConfig) -> anyhow::Result<RemoteOptions> {
    let provider = Provider::of_name(config.get_text("embedding.remote_api")).unwrap_or(Provider::OpenAiCompatible);
    let address = match config.get_text("network.api_base_url") {
        "" => provider.address().ok_or_else(|| Usage {
            message: "`embedding.backend` is `remote`, and nothing says where it is".to_owned(),
            hint: Some("set `network.api_base_url` in your own configuration".to_owned()),
        })?,
        address => address,
    };
    let dims = u16::try_from(config.get_integer("embedding.dimension")).unwrap_or(u16::MAX);
    let number = |key| u32::try_from(config.get_integer(key)).unwrap_or(u32::MAX);
    let key = match config.get_text("network.api_key") {
        "" => environment::variable(provider.key_variable()).and_then(|key| key.into_string().ok()).unwrap_or_default(),
        key => key.to_owned(),
    };
    let wrong = |key: &str, error: String| Usage { message: format!("`{key}`: {error}"), hint: None };
    let address = Address::parse(address).map_err(|error| wrong("network.api_base_url", error.to_string()))?;
    let built_in = RemoteOptions::new(provider, address, config.get_text("embedding.model_name"), dims);
    let api_key = Some(key).filter(|key| !key.is_empty()).map(|key| Secret::new(&key)).transpose();
    Ok(RemoteOptions {
        api_key: api_key.map_err(|error| wrong("network.api_key", error.to_string()))?,
        batch_limit: Duration::from_secs(config.get_integer("network.timeout_seconds").unsigned_abs()),
        window: config.is_set("embedding.max_tokens").then(|| number("embedding.max_tokens")),
        retries: u32::try_from(config.get_integer("network.max_retries")).unwrap_or_default(),
        batch: usize::try_from(config.get_integer("embedding.batch_size")).unwrap_or(1),
        ..built_in
    })
}

/// The configuration for the repository around the place that the arguments name, or without a repository if there is
/// none. A repository that was never indexed has no store, so no store configuration is read and nothing is written
/// into the repository.
pub(crate) fn configuration_around(global: &Global, home: &Path) -> anyhow::Result<ResolvedConfig> {
    let Ok(located) = locate(global) else { return configuration(global, home, None) };
    let repo_id = located.known_repo_id(home, given_repo_id(global, home)?.as_deref())?;
    configuration(global, home, Some((repo_id.as_deref(), located.root())))
}

/// The repository id in the configuration. It decides which store is read, so an id in a store's configuration is
/// ignored.
pub(crate) fn given_repo_id(global: &Global, home: &Path) -> anyhow::Result<Option<String>> {
    let config = configuration(global, home, None)?;
    Ok(Some(config.get_text("storage.repo_id")).filter(|id| !id.is_empty()).map(str::to_owned))
}

/// The id of the store of a repository. It is recorded, unless nothing may be written.
pub(crate) fn repo_id_of(located: &LocatedRepository, global: &Global, home: &Path) -> anyhow::Result<String> {
    let given = given_repo_id(global, home)?;
    Ok(located.repo_id(home, given.as_deref(), IdRecording::unless(global.read_only))?)
}

/// The configuration for a repository, given by its root and its id if it has one yet; or without a repository.
pub(crate) fn configuration(
    global: &Global,
    home: &Path,
    repository: Option<(Option<&str>, &Path)>,
) -> anyhow::Result<ResolvedConfig> {
    let project = repository.and_then(|(_, root)| project_file(root, global.quiet));
    configuration_with(global, home, repository.and_then(|(id, _)| id), project)
}

/// The configuration of the repository with this id, with the text of its project file.
fn configuration_with(
    global: &Global,
    home: &Path,
    repo_id: Option<&str>,
    project: Option<(PathBuf, String)>,
) -> anyhow::Result<ResolvedConfig> {
    let environment = environment::variables();
    let user = match &global.config {
        Some(path) => Some((path.clone(), config::read(path).map_err(|error| unreadable(path, &error))?)),
        None => read_file(config::user_file(&environment, home))?,
    };
    let store = repo_id.map(|id| read_file(home.join("repos").join(id).join("config.toml")));
    let store = store.transpose()?.flatten();
    let flags = global.set.iter().map(|flag| split_flag(flag)).collect::<Result<Vec<_>, _>>()?;
    Ok(config::resolve(&ConfigurationLayers { user, store, project, environment: &environment, flags: &flags })?)
}

/// Home of icr: `ICR_HOME`, else `.icr` in the user's home directory. It may not exist, but if the path exists, it is a
/// directory.
pub(crate) fn home() -> anyhow::Result<PathBuf> {
    let home = home_path()?;
    // Checks the nearest existing ancestor: directories below can be created only if it is a directory.
    let there = home.ancestors().find_map(|path| Some((path, std::fs::metadata(path).ok()?)));
    match there {
        Some((obstacle, metadata)) if !metadata.is_dir() => {
            Err(ConfigError::Home { home: home.clone(), obstacle: obstacle.to_owned() }.into())
        }
        Some((there, metadata)) if there == home && is_of_another_user(&metadata) => {
            Err(ConfigError::HomeOfAnother { home }.into())
        }
        _ => Ok(home),
    }
}

/// Whether the directory belongs to another user, who could read what is written there or plant files for icr to read.
/// Root may use any directory.
#[cfg(unix)]
fn is_of_another_user(metadata: &std::fs::Metadata) -> bool {
    let user = rustix::process::geteuid();
    !user.is_root() && std::os::unix::fs::MetadataExt::uid(metadata) != user.as_raw()
}

#[cfg(not(unix))]
fn is_of_another_user(_: &std::fs::Metadata) -> bool {
    false
}

/// Path of the home of icr, unchecked. A relative path is refused: it would depend on the current directory and could
/// lie in a worktree.
pub(crate) fn home_path() -> anyhow::Result<PathBuf> {
    if let Some(home) = environment::variable("ICR_HOME").filter(|home| !home.is_empty()) {
        let home = PathBuf::from(home);
        if !home.is_absolute() {
            let message = format!("ICR_HOME is `{}`; it must be an absolute path", home.display());
            let hint = "set ICR_HOME to the whole path of a directory that you can write".to_owned();
            return Err(Usage { message, hint: Some(hint) }.into());
        }
        return Ok(std::path::absolute(home)?);
    }
    // A relative home directory would depend on the current directory too.
    let user = std::env::home_dir().filter(|home| home.is_absolute());
    user.map(|user| user.join(".icr")).ok_or_else(|| {
        let message = "there is no home directory: HOME is no absolute path".to_owned();
        Usage { message, hint: Some("set ICR_HOME to a directory that you can write".to_owned()) }.into()
    })
}

/// Returns an error for a command that writes the store if `--read-only` was given.
pub(crate) fn refuse_read_only(global: &Global, command: &str) -> Result<(), Usage> {
    match global.read_only {
        true => Err(Usage {
            message: format!("`{command}` writes the store, which `--read-only` forbids"),
            hint: Some("`icr status --read-only` says what is indexed".to_owned()),
        }),
        false => Ok(()),
    }
}

/// The repository that the arguments name.
pub(crate) fn locate(global: &Global) -> anyhow::Result<LocatedRepository> {
    let start = start(global)?;
    Ok(if global.repo.is_some() { LocatedRepository::find_named(&start)? } else { LocatedRepository::find(&start)? })
}

/// Where to look for the repository.
pub(crate) fn start(global: &Global) -> anyhow::Result<PathBuf> {
    match global.repo.as_ref().or(global.directory.as_ref()) {
        Some(path) => Ok(path.clone()),
        None => Ok(environment::current_directory()?),
    }
}

fn read_file(path: PathBuf) -> anyhow::Result<Option<(PathBuf, String)>> {
    match config::read(&path) {
        Ok(text) => Ok(Some((path, text))),
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(unreadable(&path, &error)),
    }
}

/// The project file. It came with the clone, so a file that cannot be read stops nothing.
fn project_file(root: &Path, quiet: bool) -> Option<(PathBuf, String)> {
    let read = read_clone_file(root, PROJECT_FILE).map_err(|error| error.to_string());
    let text = read.and_then(|bytes| {
        let text = bytes.map(String::from_utf8).transpose();
        text.map_err(|_| format!("`{PROJECT_FILE}` is not text in UTF-8"))
    });
    match text {
        Ok(text) => text.map(|text| (root.join(PROJECT_FILE), text)),
        Err(error) if quiet => {
            tracing::debug!("the project file does not count: {error}");
            None
        }
        Err(error) => {
            tracing::warn!("the project file does not count: {error}");
            None
        }
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> anyhow::Error {
    let message = format!("the configuration file `{}` cannot be read: {error}", path.display());
    Usage { message, hint: Some("`icr config path` says which files are read".to_owned()) }.into()
}

fn split_flag(flag: &str) -> Result<(String, String), Usage> {
    let split = flag.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    split.ok_or_else(|| Usage {
        message: format!("`--set {flag}` has no value"),
        hint: Some("write it as `--set section.key=value`".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config_from_flags(flags: &[(&str, &str)]) -> ResolvedConfig {
        let flags: Vec<(String, String)> =
            flags.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        config::resolve(&ConfigurationLayers { flags: &flags, ..ConfigurationLayers::default() })
            .expect("the flags are valid")
    }

    fn options(flags: &[(&str, &str)]) -> OpenOptions {
        let (root, home) = (Path::new("/repository"), Path::new("/home"));
        open_options(&Global::default(), &config_from_flags(flags), root, home).expect("the flags are enough")
    }

    #[test]
    fn what_nobody_configures_is_what_the_engine_has() {
        let (mine, built_in) = (options(&[]), OpenOptions::new("/repository", "/home"));
        assert_eq!(mine.history, built_in.history);
        assert_eq!((mine.cache_mb, mine.max_file_bytes), (built_in.cache_mb, built_in.max_file_bytes));
        assert_eq!(mine.chunk_limits, built_in.chunk_limits);
    }

    #[test]
    fn a_path_is_taken_from_where_one_stands_or_from_the_root() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = std::fs::canonicalize(directory.path()).expect("it exists");
        for path in ["src/inner", "docs"] {
            std::fs::create_dir_all(root.join(path)).expect("directories can be made");
        }
        for path in ["src/a.rs", "a.rs", "src/inner/b.rs", "docs/c.md"] {
            std::fs::write(root.join(path), "").expect("files can be written");
        }
        let check = |here: &str, typed: &str, expected: Option<&str>| {
            let typed = typed.replace("$ROOT", root.to_str().expect("text"));
            let found = path_from_root(&root, &root.join(here), &typed);
            assert_eq!(found.as_deref(), expected, "{typed} in {here}");
        };
        check("src", "a.rs", Some("src/a.rs"));
        check("src", "inner/", Some("src/inner/"));
        check("src", "docs/c.md", None);
        check("src", "../docs/c.md", Some("docs/c.md"));
        check("src", "./gone.rs", Some("src/gone.rs"));
        check("src", ".", Some("src"));
        check("", ".", Some("."));
        check("src", "..", Some("."));
        check("src", "$ROOT", Some("."));
        check("src", "$ROOT/a.rs", Some("a.rs"));
        check("src", "../../etc", None);
        check("", "a.rs", Some("a.rs"));
        check("", "gone.rs", None);
    }

    #[test]
    fn the_page_cache_has_the_size_that_is_configured() {
        assert_eq!(options(&[("storage.cache_size_mb", "8")]).cache_mb, 8);
    }

    #[test]
    fn texts_for_another_machine_are_cut_where_that_is_configured() {
        let remote = [
            ("network.enabled", "true"),
            ("embedding.backend", "remote"),
            ("network.api_base_url", "https://models.example.org/v1"),
        ];
        let window = |flags: &[(&str, &str)]| options(flags).embedding.remote.expect("it is remote").window;
        assert_eq!(window(&remote), None, "all of a text at once");
        assert_eq!(window(&[&remote[..], &[("embedding.max_tokens", "512")]].concat()), Some(512));
    }
}

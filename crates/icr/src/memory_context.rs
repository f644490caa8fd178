//! Builds the memories of a project from arguments, the user's configuration and the environment. This opens no store
//! and indexes nothing: memories also work in a repository that was never indexed, and outside of any repository.

use std::cell::OnceCell;
use std::path::Path;
use std::rc::Rc;

use icr_engine::{
    AbsentCode, BindRequest, IdRecording, LocatedRepository, MemoryPlace, PinItem, PinListRequest, Snapshot,
    is_marked_as_repository,
};
use icr_memory::{CodeBinding, ListScope, Memory, MemoryDatabase, MemoryItem, MemoryRules, ProjectKey, RecalledMemory};
use icr_model::UnixMillis;

use crate::arguments::Global;
use crate::config::ResolvedConfig;
use crate::context::{Context, configuration, given_repo_id, home, locate, repo_id_of};
use crate::crash_restart;
use crate::environment;
use crate::problem::Usage;

/// The memory database that the configuration names, else `memory.db` in the home of icr.
pub(crate) fn memory_place(global: &Global, config: &ResolvedConfig, home: &Path) -> MemoryPlace {
    let user_home = std::env::home_dir().unwrap_or_default();
    let configured = || config.get_path("memory.db_path", home, &user_home);
    let path = global.db.clone().or_else(configured).unwrap_or_else(|| home.join("memory.db"));
    let embeds = !global.no_embeddings && config.get_text("embedding.backend") != "none";
    MemoryPlace::new(path, memory_rules(config), embeds, global.read_only || config.get_bool("memory.read_only"))
}

fn memory_rules(config: &ResolvedConfig) -> MemoryRules {
    let number = |key| config.get_integer(key).unsigned_abs();
    let small = |key| u32::try_from(number(key)).unwrap_or(u32::MAX);
    let is_set = ["memory.weight_bm25", "memory.weight_embedding"].iter().any(|key| config.is_set(key));
    let vectors = config.get_float("memory.weight_embedding");
    MemoryRules {
        decay_per_day: config.get_float("memory.decay_per_day"),
        access_cap: small("memory.access_cap"),
        consolidate_hint: number("memory.consolidate_hint"),
        dedup_cosine: config.get_float("memory.dedup_cosine"),
        dedup_jaccard: config.get_float("memory.dedup_jaccard"),
        link_cosine: config.get_float("memory.link_cosine"),
        max_links: usize::try_from(number("memory.max_links")).unwrap_or(usize::MAX),
        prune_threshold: config.get_float("memory.prune_threshold"),
        stale_weight: config.get_float("memory.stale_weight"),
        stale_days: small("memory.stale_days"),
        embedding_share: is_set.then(|| vectors / (vectors + config.get_float("memory.weight_bm25")).max(f64::EPSILON)),
    }
}

/// What commands about memories need besides their own arguments.
pub(crate) struct MemoryContext {
    /// The user's configuration. A project file must not influence memories.
    pub(crate) config: ResolvedConfig,
    /// The repository that the command runs in; no project outside of any repository.
    pub(crate) project: ProjectKey,
    place: MemoryPlace,
    global: Global,
    /// The opened repository, once a question about its code has come up.
    repository: OnceCell<Rc<Context>>,
}

impl MemoryContext {
    /// For a question: a repository that has no id yet, because it has no commits, gets none. It has no memories either,
    /// so that only those of no project answer.
    pub(crate) fn open_for_questions(global: &Global) -> anyhow::Result<Self> {
        let home = home()?;
        let given = given_repo_id(global, &home)?;
        let recording = IdRecording::unless(global.read_only);
        let id = match located(global)? {
            Some(located) => located.determined_repo_id(&home, given.as_deref(), recording)?,
            None => None,
        };
        let project = id.map_or(ProjectKey::NONE, |id| ProjectKey::of_repository(&id));
        Self::of(global, &home, project, OnceCell::new())
    }

    /// For what may store memories: a repository that has no id yet gets one, and keeps it.
    pub(crate) fn open(global: &Global) -> anyhow::Result<Self> {
        let home = home()?;
        let project = match located(global)? {
            Some(located) => ProjectKey::of_repository(&repo_id_of(&located, global, &home)?),
            None => ProjectKey::NONE,
        };
        Self::of(global, &home, project, OnceCell::new())
    }

    /// The memories of a repository that is open already.
    pub(crate) fn of_repository(global: &Global, repository: &Rc<Context>) -> anyhow::Result<Self> {
        let project = ProjectKey::of_repository(repository.engine.repo_id());
        Self::of(global, &repository.home, project, OnceCell::from(Rc::clone(repository)))
    }

    fn of(
        global: &Global,
        home: &Path,
        project: ProjectKey,
        repository: OnceCell<Rc<Context>>,
    ) -> anyhow::Result<Self> {
        let config = configuration(global, home, None)?;
        let place = memory_place(global, &config, home);
        Ok(Self { config, project, place, global: global.clone(), repository })
    }

    /// The database for reading; `None` if nothing was ever stored.
    pub(crate) fn for_questions(&self) -> anyhow::Result<Option<MemoryDatabase>> {
        Ok(self.place.for_questions().map_err(icr_engine::Error::from)?)
    }

    /// The database for reading, an empty one if nothing was ever stored.
    pub(crate) fn readable(&self) -> anyhow::Result<MemoryDatabase> {
        match self.for_questions()? {
            Some(database) => Ok(database),
            None => Ok(self.place.empty().map_err(icr_engine::Error::from)?),
        }
    }

    /// The database for writing.
    pub(crate) fn for_changes(&self) -> anyhow::Result<MemoryDatabase> {
        let forbidding =
            [(self.global.read_only, "--read-only"), (self.config.get_bool("memory.read_only"), "memory.read_only")];
        if let Some((_, what)) = forbidding.iter().find(|(forbids, _)| *forbids) {
            return Err(Usage {
                message: format!("this changes memories, which `{what}` forbids"),
                hint: Some(format!("leave out `{what}`; questions need no leave to write")),
            }
            .into());
        }
        Ok(self.place.for_changes().map_err(icr_engine::Error::from)?)
    }

    /// Parameters of the memories, such as decay and limits.
    pub(crate) fn rules(&self) -> &MemoryRules {
        self.place.rules()
    }

    /// Path of the database.
    pub(crate) fn path(&self) -> &Path {
        self.place.path()
    }

    /// Scope of a query: memories of the project and of no project, or all with `all_projects`.
    pub(crate) fn scope(&self, all_projects: bool) -> ListScope {
        match all_projects || !self.config.get_bool("memory.per_project") {
            true => ListScope::All,
            false => ListScope::Project(self.project.clone()),
        }
    }

    /// The code that a text is about, and the code that was named explicitly. It is looked up only if the repository is
    /// already indexed and answers quickly. Code that was named explicitly must exist.
    pub(crate) fn code_of(
        &self,
        text: &str,
        paths: &[String],
        symbols: &[String],
    ) -> anyhow::Result<Option<CodeBinding>> {
        let is_named = !paths.is_empty() || !symbols.is_empty();
        if self.project.is_none() {
            return match is_named {
                true => Err(Usage {
                    message: "`--path` and `--symbol` name code of a repository, and this is none".to_owned(),
                    hint: Some("store the memory inside of the repository, or name one by `--repo`".to_owned()),
                }
                .into()),
                false => Ok(None),
            };
        }
        let request = BindRequest { text: text.to_owned(), paths: paths.to_vec(), symbols: symbols.to_vec() };
        let bound = self.ask(|context| context.ask(|snapshot| icr_engine::bind_code(snapshot, &request)));
        match bound {
            Ok(Some((binding, _))) => Ok((!binding.places.is_empty()).then_some(binding)),
            Ok(None) if is_named => Err(Usage {
                message: "the repository is not indexed yet, so that no code can be named".to_owned(),
                hint: Some("run `icr index` first".to_owned()),
            }
            .into()),
            Err(error) if is_named => Err(error),
            Ok(None) => Ok(None),
            Err(error) => {
                tracing::debug!("the memory is stored without its code: {error:#}");
                Ok(None)
            }
        }
    }

    /// The code that each of `texts` is about, in order; all `None` if it cannot be found in time.
    pub(crate) fn codes_of(&self, texts: &[&str]) -> Vec<Option<CodeBinding>> {
        let request = |text: &&str| BindRequest { text: (*text).to_owned(), ..BindRequest::default() };
        let requests: Vec<BindRequest> = texts.iter().map(request).collect();
        let bound = self.ask(|context| {
            let bind = |snapshot: &Snapshot| {
                requests.iter().map(|request| icr_engine::bind_code(snapshot, request)).collect::<Result<Vec<_>, _>>()
            };
            Ok(context.ask(bind)?.0)
        });
        let bindings = bound.unwrap_or_else(|error| {
            tracing::debug!("memories are stored without their code: {error:#}");
            None
        });
        match bindings {
            Some(bindings) => {
                bindings.into_iter().map(|binding| Some(binding).filter(|it| !it.places.is_empty())).collect()
            }
            None => vec![None; texts.len()],
        }
    }

    /// The weight of a memory as of `now`.
    pub(crate) fn weight_of(&self, memory: &Memory, now: UnixMillis) -> f64 {
        memory.weight_now(self.rules(), now)
    }

    /// Recalled memories with the present state of the code that they are about, and the number of memories left out
    /// because this branch lacks their code.
    pub(crate) fn items(&self, recalled: &[RecalledMemory]) -> (Vec<MemoryItem>, usize) {
        let shows_absent = self.config.get_bool("recall.cross_branch");
        self.items_in_view(recalled, if shows_absent { AbsentCode::Show } else { AbsentCode::Hide })
    }

    /// All of `memories` for a list, with the present state of the code that they are about.
    pub(crate) fn memory_items(&self, memories: Vec<Memory>, now: UnixMillis) -> Vec<MemoryItem> {
        let recalled = |memory: Memory| RecalledMemory { score: 0.0, weight: self.weight_of(&memory, now), memory };
        let recalled: Vec<RecalledMemory> = memories.into_iter().map(recalled).collect();
        let items = self.items_in_view(&recalled, AbsentCode::Show).0;
        items.into_iter().map(|item| MemoryItem { score: None, ..item }).collect()
    }

    fn items_in_view(&self, recalled: &[RecalledMemory], absent: AbsentCode) -> (Vec<MemoryItem>, usize) {
        let plain = || {
            let item =
                |recalled: &RecalledMemory| MemoryItem::new(&recalled.memory, recalled.weight, Some(recalled.score));
            (recalled.iter().map(item).collect(), 0)
        };
        if recalled.iter().all(|recalled| recalled.memory.code.is_none()) {
            return plain();
        }
        let asked =
            self.ask(|context| context.ask(|snapshot| icr_engine::memories_in_view(snapshot, recalled, absent)));
        match asked {
            Ok(Some((view, _))) => (view.items, view.hidden),
            Ok(None) => plain(),
            Err(error) => {
                tracing::debug!("what has become of the code is not known: {error:#}");
                plain()
            }
        }
    }

    /// Names of projects for people: the directory of an indexed repository or of the present one, else the beginning
    /// of the id. Empty for no project.
    pub(crate) fn project_names(&self) -> impl Fn(&str) -> String {
        const ID_CHARS: usize = 12;
        let here =
            locate(&self.global).ok().map(|located| (self.project.as_str().to_owned(), located.root().to_owned()));
        let indexed = home().and_then(|home| Ok(icr_engine::repositories(&home)?)).unwrap_or_default();
        let indexed = indexed.into_iter().filter_map(|entry| Some((entry.repo_id, entry.worktrees.first()?.into())));
        let known: std::collections::BTreeMap<String, std::path::PathBuf> = here.into_iter().chain(indexed).collect();
        move |project| {
            let name = known.get(project).and_then(|root| root.file_name());
            name.map_or_else(|| project.chars().take(ID_CHARS).collect(), |name| name.to_string_lossy().into_owned())
        }
    }

    /// The pins of the repository; none where it is not indexed.
    pub(crate) fn pins(&self) -> anyhow::Result<Vec<PinItem>> {
        let now = now_ms().to_moment();
        let mut request = PinListRequest { limit: PINS_AT_A_TIME, ..PinListRequest::default() };
        let mut pins = Vec::new();
        loop {
            let part = self.ask(|context| context.ask(|snapshot| icr_engine::list_pins(snapshot, &request, now)))?;
            let Some((part, _)) = part else { return Ok(pins) };
            pins.extend(part.items);
            if !part.has_more {
                return Ok(pins);
            }
            request.offset = pins.len();
        }
    }

    /// The notice that some names in a text have too many definitions to be recorded, if there are such names.
    pub(crate) fn ambiguity_of(&self, text: &str) -> Option<String> {
        let found = self.ask(|context| context.ask(|snapshot| icr_engine::ambiguous_names(snapshot, text)));
        let (names, _) = found.ok().flatten()?;
        icr_engine::AmbiguousName::notice(&names)
    }

    /// Whether the command runs in a repository that was never indexed.
    pub(crate) fn is_unindexed(&self) -> anyhow::Result<bool> {
        Ok(!self.project.is_none() && self.ask(|_| Ok(()))?.is_none())
    }

    /// Asks the repository; `None` if it is not indexed.
    fn ask<T>(&self, question: impl FnOnce(&Context) -> anyhow::Result<T>) -> anyhow::Result<Option<T>> {
        if self.project.is_none() {
            return Ok(None);
        }
        let repository = match self.repository.get() {
            Some(repository) => repository,
            None => {
                let global = Global { quiet: true, ..self.global.clone() };
                let opened = Rc::new(Context::open(&global)?.catching_up_within(CATCH_UP));
                self.repository.get_or_init(|| opened)
            }
        };
        if !repository.engine.store().is_indexed()? {
            return Ok(None);
        }
        question(repository).map(Some)
    }
}

/// The most pins that the engine gives at once.
const PINS_AT_A_TIME: usize = 200;

/// Longest time to bring an index up to date when memories are shown or stored.
pub(crate) const CATCH_UP: std::time::Duration = std::time::Duration::from_millis(200);

/// The repository around the place that the arguments name; `None` outside of any. A repository that was named must
/// exist. One that cannot be read is an error: otherwise its memories would be stored for no project and be recalled in
/// all others.
fn located(global: &Global) -> anyhow::Result<Option<LocatedRepository>> {
    match locate(global) {
        Ok(located) => Ok(Some(located)),
        Err(error) if global.repo.is_some() || is_marked_as_repository(&absolute_start(global)?) => Err(error),
        Err(error) => {
            tracing::debug!("memories of no project: {error:#}");
            Ok(None)
        }
    }
}

fn absolute_start(global: &Global) -> anyhow::Result<std::path::PathBuf> {
    let start = crate::context::start(global)?;
    Ok(std::path::absolute(&start)?)
}

/// What time it is, to the millisecond.
pub(crate) fn now_ms() -> UnixMillis {
    UnixMillis::of(environment::now())
}

/// The given text, or standard input for `-`. Reads slightly more than a memory may hold, so that a longer text is
/// refused instead of cut.
pub(crate) fn text_or_input(text: &str) -> anyhow::Result<String> {
    if text == "-" { input() } else { Ok(text.to_owned()) }
}

/// All of standard input.
pub(crate) fn input() -> anyhow::Result<String> {
    use std::io::Read;
    const MOST: u64 = 10 * 1024 * 1024;
    let mut text = String::new();
    std::io::stdin().lock().take(MOST + 1).read_to_string(&mut text).map_err(|error| Usage {
        message: format!("standard input cannot be read as text: {error}"),
        hint: Some("texts are UTF-8".to_owned()),
    })?;
    if text.len() as u64 > MOST {
        return Err(Usage {
            message: "standard input has more than 10 MiB".to_owned(),
            hint: Some("give it in parts".to_owned()),
        }
        .into());
    }
    crash_restart::keep(crash_restart::ReplayableInput::Whole(text.as_bytes().into()));
    Ok(text)
}

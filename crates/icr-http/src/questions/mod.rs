//! The table of questions. A further question is a row here and a file in this folder.

mod code;
mod graph;
mod impact;
mod input;
mod memoirs;
mod memory;
mod question_context;
mod repositories;
mod run;
mod status;
mod traces;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{MethodFilter, on};
use icr_serve::schema::{JsonObject, REPOSITORY_ARGUMENT, SharedArguments, input};
use icr_serve::{Attempt, CallFailure, Lane, Progress, Repositories, Terms, validated};
use icr_traces::CallKind;
use schemars::{Schema, SchemaGenerator};

use crate::Settings;
use crate::answer::{JsonAnswer, failed, json_response};

use crate::traced::{QuestionTrace, client_of};

pub(crate) use question_context::{QuestionContext, ServerState};

/// A question, with everything about it.
pub(crate) struct QuestionEndpoint {
    /// Path of the question. `{name}` is an argument.
    pub(crate) path: &'static str,
    pub(crate) verb: Verb,
    /// One sentence: what it answers.
    pub(crate) summary: &'static str,
    /// The shared arguments that it takes.
    pub(crate) shared: SharedArguments,
    pub(crate) needs: Needs,
    pub(crate) lane: Lane,
    /// Time limit, including the wait for a slot.
    pub(crate) limit: fn(&Settings) -> Duration,
    /// The kind of its calls in traces.
    pub(crate) kind: CallKind,
    pub(crate) input: fn(SharedArguments) -> JsonObject,
    pub(crate) output: fn(&mut SchemaGenerator) -> Schema,
    /// Whether the answer has a provenance.
    pub(crate) has_provenance: bool,
    pub(crate) run: fn(&QuestionContext<'_>, JsonObject) -> Result<JsonAnswer, CallFailure>,
}

/// HTTP method of a question, and where its arguments are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Arguments are in the address.
    Get,
    /// Arguments are in the body, as JSON.
    Post,
    /// Arguments are in the address.
    Put,
    /// Arguments are in the address.
    Delete,
}

impl Verb {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "post",
            Self::Put => "put",
            Self::Delete => "delete",
        }
    }

    fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Put => MethodFilter::PUT,
            Self::Delete => MethodFilter::DELETE,
        }
    }
}

/// What a question needs before it can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing, or something that it checks itself.
    Nothing,
    /// An index of the repository, made first where there is none.
    Index,
}

const VIEW: SharedArguments = SharedArguments { repo_root: true, rev: true };
const REPOSITORY: SharedArguments = SharedArguments { repo_root: true, rev: false };
const NOTHING: SharedArguments = SharedArguments { repo_root: false, rev: false };

/// Defaults of a question about code.
const OF_CODE: QuestionEndpoint = QuestionEndpoint {
    path: "",
    verb: Verb::Get,
    summary: "",
    shared: VIEW,
    needs: Needs::Index,
    lane: Lane::Ordinary,
    limit: |settings| settings.call_limit,
    kind: CallKind::Search,
    input: |_| JsonObject::new(),
    output: |_| Schema::default(),
    has_provenance: true,
    run: |_, _| unreachable!("every row names what runs it"),
};

/// Defaults of a question about memories.
const OF_MEMORY: QuestionEndpoint = QuestionEndpoint {
    shared: REPOSITORY,
    needs: Needs::Nothing,
    lane: Lane::MemoryQuestion,
    kind: CallKind::Other,
    has_provenance: false,
    ..OF_CODE
};

/// Defaults of a change of memories.
const CHANGES_MEMORY: QuestionEndpoint = QuestionEndpoint { lane: Lane::MemoryChange, ..OF_MEMORY };

/// Defaults of a question about this machine.
const OF_MACHINE: QuestionEndpoint = QuestionEndpoint { shared: NOTHING, lane: Lane::Quick, ..OF_MEMORY };

/// Makes [`QUESTIONS`] from rows: method and path; the function that answers and the types of its input and output; the
/// defaults; the summary; and the fields that differ from the defaults.
macro_rules! questions {
    ($($verb:ident $path:literal, $run:path: $input:ty => $output:ty, $like:expr, $summary:literal $(, $field:ident: $value:expr)*;)*) => {
        /// The questions, by path.
        pub(crate) const QUESTIONS: &[QuestionEndpoint] = &[$(QuestionEndpoint {
            path: $path,
            verb: Verb::$verb,
            summary: $summary,
            input: input::<$input>,
            output: SchemaGenerator::subschema_for::<$output>,
            run: |asked, arguments| $run(asked, input::read(arguments)?),
            $($field: $value,)*
            ..$like
        }),*];
    };
}

questions! {
    Get "/api/cochange", graph::cochange: graph::CochangeInput => icr_engine::Partners, OF_CODE,
        "Which files change together with one file?";
    Get "/api/commits", status::commits: status::CommitsInput => icr_engine::Log, OF_CODE,
        "The newest commits of the view's history, and all branches and tags.";
    Get "/api/context", code::context: code::ContextInput => icr_engine::ContextAnswer, OF_CODE,
        "Where to look for a goal: files, importers, history, commands.";
    Get "/api/diff", impact::diff: impact::DiffInput => icr_engine::LineDiff, OF_CODE,
        "Which lines a change adds and removes.", shared: REPOSITORY;
    Get "/api/health", status::health: status::HealthInput => status::Health, OF_MACHINE,
        "Is the server running?";
    Get "/api/impact", impact::impact: impact::ImpactInput => icr_impact::Impact, OF_CODE,
        "What does a change break or forget, and which tests should run?", shared: REPOSITORY, kind: CallKind::Impact;
    Post "/api/impact", impact::impact_of_patch: impact::PatchInput => icr_impact::Impact, OF_CODE,
        "What does a patch break or forget, and which tests should run?", shared: REPOSITORY, kind: CallKind::Impact;
    Post "/api/link", status::link: status::NoInput => status::PageLink, OF_MACHINE,
        "A link to the page, which works once.";
    Get "/api/map", code::map: code::MapInput => code::MapAnswer, OF_CODE,
        "The tree of files, with languages and sizes.";
    Get "/api/memoirs", memoirs::list: status::NoInput => memoirs::Memoirs, OF_MEMORY,
        "Memoirs, with counts.", shared: NOTHING;
    Get "/api/memoirs/{name}", memoirs::show: memoirs::MemoirInput => memoirs::Memoir, OF_MEMORY,
        "A memoir's concepts and links.", shared: NOTHING;
    Post "/api/memory", memory::store: memory::StoreInput => memory::StoredMemory, CHANGES_MEMORY,
        "Keeps a fact in long-term memory.";
    Delete "/api/memory/item/{id}", memory::forget: memory::IdInput => memory::Forgotten, CHANGES_MEMORY,
        "Deletes a memory.";
    Get "/api/memory/list", memory::list: memory::ListInput => memory::MemoryList, OF_MEMORY,
        "Memories, by weight, heaviest first.";
    Get "/api/memory/recall", memory::recall: memory::RecallInput => memory::RecalledMemories, OF_MEMORY,
        "What was decided, fixed or learned before?";
    Get "/api/memory/stats", memory::stats: memory::ScopeInput => icr_memory::Statistics, OF_MEMORY,
        "How much is remembered.";
    Get "/api/memory/topics", memory::topics: memory::ScopeInput => memory::Topics, OF_MEMORY,
        "Topics of memories, with counts.";
    Get "/api/metrics", traces::metrics: traces::MetricsInput => icr_traces::metrics::Metrics, OF_MACHINE,
        "How much of icr's output was used, and which files its impact reports missed.",
        shared: REPOSITORY, lane: Lane::Ordinary;
    Get "/api/neighbors", graph::neighbors: graph::NeighborsInput => icr_engine::Neighbors, OF_CODE,
        "What a file imports, who imports it, what changes with it.";
    Get "/api/outline", code::outline: code::OutlineInput => icr_engine::Outline, OF_CODE,
        "What a file defines.";
    Get "/api/pack", code::pack: code::PackInput => icr_engine::PackAnswer, OF_CODE,
        "The code that answers a question, with citations, within a token budget.";
    Get "/api/read", code::read: code::ReadInput => icr_engine::Excerpt, OF_CODE,
        "Lines of a file.", kind: CallKind::Read;
    Get "/api/refs", graph::references: graph::ReferencesInput => icr_engine::References, OF_CODE,
        "Who uses a definition?";
    Get "/api/repos", repositories::list: status::NoInput => repositories::RepositoryList, OF_MACHINE,
        "Repositories that have an index.", lane: Lane::Ordinary;
    Post "/api/repos", repositories::register: repositories::RegisterInput => repositories::RegisteredRepository, OF_MACHINE,
        "Begins to index a repository, and returns at once.", lane: Lane::Ordinary;
    Delete "/api/repos/{id}", repositories::remove: repositories::IdInput => repositories::IndexRemoval, OF_MACHINE,
        "Deletes the data derived for a repository; pins and memories stay.", lane: Lane::Ordinary;
    Put "/api/repos/{id}/watch", repositories::watch: repositories::IdInput => repositories::RepositoryWatch, OF_MACHINE,
        "Keeps the index of a repository up to date while the server runs.", lane: Lane::Ordinary;
    Delete "/api/repos/{id}/watch", repositories::unwatch: repositories::IdInput => repositories::RepositoryWatch, OF_MACHINE,
        "Stops keeping the index up to date in the background; questions still update it.", lane: Lane::Ordinary;
    Post "/api/run", run::run: run::RunInput => icr_run::CommandOutcome, OF_CODE,
        "Runs one of the project's own commands, in a sandbox.", shared: REPOSITORY, kind: CallKind::Other,
        limit: |settings| settings.run_limit;
    Get "/api/search", code::search: code::SearchInput => icr_engine::SearchResults, OF_CODE,
        "Which files and lines answer a question?";
    Get "/api/search/lines", code::grep: code::GrepInput => icr_engine::GrepResults, OF_CODE,
        "Which lines hold a text or match a pattern?";
    Get "/api/status", status::status: status::NoInput => icr_engine::IndexStatus, OF_CODE,
        "What is indexed.";
    Get "/api/symbols", code::symbols: code::SymbolsInput => icr_engine::SymbolResults, OF_CODE,
        "Where is a name defined?";
    Get "/api/task", code::context: code::ContextInput => icr_engine::ContextAnswer, OF_CODE,
        "As `/api/context`.";
    Get "/api/traces", traces::traces: traces::TracesInput => traces::Traces, OF_MACHINE,
        "Recorded calls of icr on this machine, newest first.", shared: REPOSITORY, lane: Lane::Ordinary;
}

/// The routes of the questions.
pub(crate) fn routes(server: Arc<ServerState>) -> Router {
    QUESTIONS.iter().fold(Router::new(), |router, question| {
        let server = Arc::clone(&server);
        let schema = Arc::new(question.schema());
        let answer = move |path: Path<std::collections::HashMap<String, String>>, request: Request| {
            answer(question, schema, State(server), path, request)
        };
        router.route(question.path, on(question.verb.filter(), answer))
    })
}

async fn answer(
    question: &'static QuestionEndpoint,
    schema: Arc<JsonObject>,
    State(server): State<Arc<ServerState>>,
    Path(path): Path<std::collections::HashMap<String, String>>,
    request: Request,
) -> Response {
    match answer_question(question, &schema, server, path, request).await {
        Ok(response) => response,
        Err(failure) => failed(failure),
    }
}

async fn answer_question(
    question: &'static QuestionEndpoint,
    schema: &JsonObject,
    server: Arc<ServerState>,
    path: std::collections::HashMap<String, String>,
    request: Request,
) -> Result<Response, CallFailure> {
    let client = client_of(&request);
    let arguments = validated(schema, input::of(question.verb, schema, path, request).await?)?;
    let trace = QuestionTrace::begin(&server, question, client, &arguments);
    let terms = Terms { lane: question.lane, limit: (question.limit)(&server.settings) };
    let workshop = Arc::clone(&server.settings.workshop);
    let masks = server.settings.mask_credentials;
    let job = move |repositories: &Repositories, deadline| match attempt(
        question,
        &server,
        repositories,
        deadline,
        arguments.clone(),
    ) {
        Ok(Attempt::Done(answer)) => Attempt::Done(Ok(answer)),
        Ok(Attempt::NotIndexed(repository)) => Attempt::NotIndexed(repository),
        Err(failure) => Attempt::Done(Err(failure)),
    };
    let answered =
        workshop.work(terms, job, &mut SilentProgress).await.map_err(CallFailure::from).and_then(|answered| answered);
    match answered {
        Ok(answer) => {
            let shown = trace.is_on().then(|| answer.trace_part());
            let text = answer.into_json(masks);
            trace.end(shown, &text);
            Ok(json_response(StatusCode::OK, text))
        }
        Err(failure) => {
            trace.fail(&failure);
            Err(failure)
        }
    }
}

fn attempt(
    question: &QuestionEndpoint,
    server: &ServerState,
    repositories: &Repositories,
    deadline: icr_engine::Deadline,
    mut arguments: JsonObject,
) -> Result<Attempt<JsonAnswer>, CallFailure> {
    let asked = QuestionContext::new(server, repositories, deadline, question.shared, &mut arguments)?;
    if question.needs == Needs::Index {
        let repository = asked.repository()?;
        if !repository.is_indexed() {
            return Ok(Attempt::NotIndexed(repository));
        }
    }
    Ok(Attempt::Done((question.run)(&asked, arguments)?))
}

impl QuestionEndpoint {
    /// The schema for validating the arguments.
    pub(crate) fn schema(&self) -> JsonObject {
        let mut schema = (self.input)(self.shared);
        // The command line and these requests name a repository by its id or its place.
        if let Some(serde_json::Value::Object(properties)) = schema.get_mut("properties")
            && let Some(property) = properties.shift_remove(REPOSITORY_ARGUMENT)
        {
            properties.insert("repo".to_owned(), property);
        }
        schema
    }
}

/// Reports no progress: HTTP callers just wait for the answer.
struct SilentProgress;

impl Progress for SilentProgress {
    async fn indexing(&mut self, _: u64, _: u64) {}

    async fn working(&mut self, _: Duration, _: Duration) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_memories_waits_in_a_lane_of_its_own() {
        let is_of_memory = |question: &&QuestionEndpoint| question.path.starts_with("/api/mem");
        for question in QUESTIONS.iter().filter(is_of_memory) {
            let lane = if question.verb == Verb::Get { Lane::MemoryQuestion } else { Lane::MemoryChange };
            assert_eq!(question.lane, lane, "{}", question.path);
        }
    }

    #[test]
    fn questions_are_in_the_order_of_their_paths() {
        assert!(QUESTIONS.is_sorted_by_key(|question| question.path));
    }
}

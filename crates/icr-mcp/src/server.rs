//! The protocol: the server's description for clients, and the path of their calls to the tools.

use std::borrow::Cow;
use std::sync::Arc;

use icr_model::similar_names;
use icr_serve::{SharedMemory, Workshop};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, DiscoverResult, ErrorCode,
    ErrorData, Implementation, InitializeRequestParams, InitializeResult, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool as Listed,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use crate::kept_input::INTERRUPTED;
use crate::progress::Progress;
use crate::settings::Settings;
use crate::table::{TOOLS, find, listed_tools};
use crate::work::{Calls, ToolCall};
use icr_serve::truncate_text;

/// Number of characters of a random session id that are kept. As hexadecimal digits they distinguish thousands of
/// sessions.
const SESSION_CHARACTERS: usize = 8;

/// How long clients may cache the server's description, in milliseconds. It never changes while the server runs.
const KEEP_MS: u64 = 300_000;

/// Instructions that clients show to their model; at most 2,000 characters, since some clients cut longer ones. Names
/// only listed tools.
fn instructions(settings: &Settings) -> String {
    let is_listed = |name: &&str| find(name).is_some_and(|tool| tool.is_listed(settings));
    let sentences = INSTRUCTIONS.iter().filter(|(tools, _)| tools.iter().all(is_listed));
    sentences.map(|(_, sentence)| *sentence).collect::<Vec<_>>().join("\n")
}

/// Each instruction, with the tools that must be listed for it.
const INSTRUCTIONS: &[(&[&str], &str)] = &[
    (
        &["env_search"],
        "icr answers questions about the code of a git repository from an index that follows the worktree, \
         uncommitted changes included. Prefer it to reading files one by one.",
    ),
    (
        &["env_search", "env_slice", "env_peek"],
        "- Where is X, how does Y work: env_search (scope `repo`), then env_slice for one definition or env_peek for lines.",
    ),
    (&["memory_pack"], "- Code for a task, within a budget of tokens: memory_pack."),
    (&["context_pack"], "- A map of where to look: context_pack."),
    (
        &["project_references", "project_outline"],
        "- Who calls or uses a name: project_references. What a file or directory defines: project_outline.",
    ),
    (
        &["project_symbol_search", "impact_diff"],
        "- Where a name is defined: project_symbol_search. What a change touches, breaks and needs tested: impact_diff.",
    ),
    (&["env_search"], "Paths are relative to the root of the repository. `rev` asks any revision without a checkout."),
    (
        &["icm_memory_recall"],
        "Memory lasts across conversations: call icm_memory_recall before work that earlier decisions, fixed errors or \
         preferences may bear on.",
    ),
    (
        &["icm_memory_store"],
        "Call icm_memory_store as soon as you decide, fix or learn something worth keeping, one fact a call.",
    ),
    (
        &[],
        "`repo_root` asks another repository. Answers say what they lack: lists under `gaps` and `notices`, texts after \
         `note:` in their last line. One that says nothing is complete.",
    ),
];

/// One server, for all requests of its client.
#[derive(Clone)]
pub struct Server {
    pub(crate) calls: Arc<Calls>,
    tools: Arc<Vec<Listed>>,
}

impl Server {
    pub(crate) fn new(settings: Settings) -> Self {
        let tools = Arc::new(listed_tools(&settings));
        Self { calls: Arc::new(Calls::new(settings)), tools }
    }

    /// A server that shares `workshop` and `memory` with other interfaces of the process.
    pub(crate) fn sharing(settings: Settings, workshop: Arc<Workshop>, memory: Arc<SharedMemory>) -> Self {
        let tools = Arc::new(listed_tools(&settings));
        Self { calls: Arc::new(Calls::sharing(settings, workshop, memory)), tools }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let implementation = Implementation::new("icr", self.calls.settings.version.clone()).with_title("icr");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(implementation)
            .with_instructions(instructions(&self.calls.settings))
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions: Cow<'static, [ProtocolVersion]> = self.supported_protocol_versions();
        let result = DiscoverResult::from_server_info(versions.into_owned(), self.get_info());
        Ok(result.with_ttl_ms(KEEP_MS).with_cache_scope(CacheScope::Public))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        // Requests without a revision use the agreed one, which may differ from the requested one.
        let mut agreed = request;
        agreed.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(agreed);
        Ok(result)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if let Some(cursor) = request.and_then(|request| request.cursor) {
            let message = format!("`{}` is no cursor: the list of tools has one page", truncate_text(&cursor));
            return Err(ErrorData::invalid_params(message, None));
        }
        let result = ListToolsResult::with_all_items(self.tools.to_vec());
        // Older revisions of the protocol do not know these.
        let is_modern = context.protocol_version().is_some_and(|version| !version.has_initialize());
        Ok(if is_modern { result.with_ttl_ms(KEEP_MS).with_cache_scope(CacheScope::Public) } else { result })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = find(&request.name) else {
            let name = truncate_text(&request.name);
            let message = match similar_names(&request.name, TOOLS.iter().map(|tool| tool.name), 1).first() {
                Some(similar) => format!("there is no tool `{name}`; did you mean `{similar}`?"),
                None => format!("there is no tool `{name}`; `tools/list` names those there are"),
            };
            return Err(ErrorData::invalid_params(message, None));
        };
        let progress = Progress::new(&context.peer, context.meta.get_progress_token());
        let call = ToolCall {
            tool,
            arguments: request.arguments.unwrap_or_default(),
            client: context.client_info().map(|client| client.name),
            connection: connection_of(&context),
        };
        tokio::select! {
            biased;
            // The client no longer waits, so this answer is not sent.
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
            result = self.calls.answer(call, progress) => Ok(result.into()),
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A request of a known method gets here if its parameters are invalid.
        let known = ["tools/call", "tools/list", "server/discover", "initialize"];
        if known.contains(&request.method.as_str()) {
            let message = format!("the parameters of `{}` are not what it takes", request.method);
            return Err(ErrorData::invalid_params(message, None));
        }
        if request.method == INTERRUPTED {
            let message =
                "icr ended while it worked on this call and began again; look whether it was done before you ask again";
            return Err(ErrorData::internal_error(message, None));
        }
        Err(ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            format!("there is no method `{}`", truncate_text(&request.method)),
            None,
        ))
    }
}

/// Distinguishes the HTTP session of a call from others: the beginning of the session id, which is not enough to get
/// access. `None` on pipes and in revisions without sessions.
fn connection_of(context: &RequestContext<RoleServer>) -> Option<String> {
    let parts = context.extensions.get::<http::request::Parts>()?;
    let id = parts.headers.get("mcp-session-id")?.to_str().ok()?;
    Some(id.chars().take(SESSION_CHARACTERS).collect())
}

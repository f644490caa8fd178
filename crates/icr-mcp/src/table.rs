//! The table of tools. To add a tool, add a row here and a file in `tools`, and name the file in `tools/mod.rs`.

use std::time::Duration;

use icr_memory::Access;
use icr_serve::Lane;
use icr_traces::CallKind;
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use schemars::JsonSchema;

use crate::call::{CallContext, read};
use crate::reply::{Reply, ReplyFormat};
use crate::settings::{Limits, Settings, Toolset};
use crate::tools::{admin_ping, memory_pack, run_command};
use icr_serve::CallFailure;
use icr_serve::schema::{SharedArguments, input, output};

/// A tool, with everything about it.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// Description for clients. Its first sentence says what the tool answers.
    pub(crate) description: &'static str,
    pub(crate) toolsets: &'static [Toolset],
    pub(crate) effect: Effect,
    pub(crate) needs: Needs,
    /// The shared arguments that clients see.
    pub(crate) shared: SharedArguments,
    /// The queue of a call.
    pub(crate) lane: fn(&JsonObject) -> Lane,
    /// Time limit of a call.
    pub(crate) limit: fn(&Limits, &JsonObject) -> Duration,
    pub(crate) input: fn(SharedArguments) -> JsonObject,
    pub(crate) form: ReplyFormat,
    /// Whether an earlier answer is better than none if there is no time for a new one.
    pub(crate) may_be_stale: bool,
    pub(crate) run: fn(&CallContext<'_>, JsonObject) -> Result<Reply, CallFailure>,
}

/// The effect of a tool on what it is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    Reads,
    /// Stores something. Repeating the call changes nothing.
    Keeps,
    /// Deletes or overwrites something that was stored. Repeating the call changes nothing.
    Forgets,
    /// Runs a program, which may do anything that its sandbox lets it.
    Runs,
    /// Replaces something that was stored. Repeating the call replaces it again.
    Replaces,
}

/// What a tool needs before it can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing, or something that the tool checks itself.
    Nothing,
    /// The memories. The repository only determines the project; the code that memories name is checked if there is an
    /// index.
    Memory,
    /// An index of the repository, made first where there is none.
    Index,
}

const CORE: &[Toolset] = &[Toolset::Core, Toolset::Code];
const CODE: &[Toolset] = &[Toolset::Code];
const MEMORY: &[Toolset] = &[Toolset::Memory];
const RUN: &[Toolset] = &[Toolset::Run];

const VIEW: SharedArguments = SharedArguments { repo_root: true, rev: true };
const REPOSITORY: SharedArguments = SharedArguments { repo_root: true, rev: false };

/// Defaults of a tool that reads memories: quick, and answered as text.
const OF_MEMORY: Tool = Tool {
    toolsets: MEMORY,
    needs: Needs::Memory,
    shared: REPOSITORY,
    lane: |_| Lane::MemoryQuestion,
    form: ReplyFormat::Text,
    ..USUAL
};

/// Defaults of a tool that changes memories.
const CHANGES_MEMORY: Tool = Tool { effect: Effect::Keeps, lane: |_| Lane::MemoryChange, ..OF_MEMORY };

/// Defaults of a tool about code.
const OF_CODE: Tool = Tool { toolsets: CODE, ..USUAL };

/// Defaults of a tool that runs programs: it may write in the worktree and takes as long as the command's time limit.
const OF_RUN: Tool = Tool {
    toolsets: RUN,
    effect: Effect::Runs,
    shared: REPOSITORY,
    limit: run_command::limit,
    form: ReplyFormat::Record(None),
    ..USUAL
};

/// As [`OF_CODE`], of the few that answer most questions.
const OF_CORE: Tool = Tool { toolsets: CORE, ..USUAL };

/// General defaults: the tool reads an index, of a view that may be named, within the usual time limit.
const USUAL: Tool = Tool {
    name: "",
    title: "",
    description: "",
    toolsets: &[],
    effect: Effect::Reads,
    needs: Needs::Index,
    shared: VIEW,
    lane: ordinary,
    limit: usual,
    input: |_| JsonObject::new(),
    form: ReplyFormat::Record(None),
    may_be_stale: false,
    run: |_, _| unreachable!("every row names the file that runs it"),
};

/// The schema of the arguments of `run`, with the shared arguments `shared`.
fn input_of<T: JsonSchema>(
    _run: fn(&CallContext<'_>, T) -> Result<Reply, CallFailure>,
    shared: SharedArguments,
) -> JsonObject {
    input::<T>(shared)
}

/// Makes [`TOOLS`] from rows: the tool's file in `tools`, which gives the tool its name; its defaults; its title; its
/// description for clients; and the fields that differ from the defaults.
macro_rules! tools {
    ($($tool:ident, $like:expr, $title:literal, $description:literal $(, $field:ident: $value:expr)*;)*) => {
        /// The tools, by name.
        pub(crate) const TOOLS: &[Tool] = &[$(Tool {
            name: stringify!($tool),
            title: $title,
            description: $description,
            input: |shared| input_of(crate::tools::$tool::run, shared),
            run: |call, arguments| crate::tools::$tool::run(call, read(arguments)?),
            $($field: $value,)*
            ..$like
        }),*];
    };
}

tools! {
    // tidy: sorted
    admin_ping, OF_CODE, "Ping",
        "Is the server healthy? Diagnostics describe the index.",
        needs: Needs::Nothing, shared: REPOSITORY, lane: admin_ping::lane, form: ReplyFormat::Record(Some(output::<admin_ping::Output>));
    context_pack, OF_CODE, "Map for a goal",
        "Where to look for a goal: files, importers, history, commands. No code.",
        form: ReplyFormat::Text;
    env_aggregate, OF_CODE, "Aggregate lines",
        "Counts, sorts, groups, joins or filters strings. Reads no files.",
        needs: Needs::Nothing, shared: REPOSITORY, lane: quick_lane;
    env_peek, OF_CORE, "Read lines",
        "Lines of a file.",
        form: ReplyFormat::Text;
    env_search, OF_CORE, "Search code",
        "Which files and lines answer a question? Scope `transcript`: earlier conversations with agents here.";
    env_slice, OF_CORE, "Read a definition",
        "The text of a definition, or of lines, with context.",
        form: ReplyFormat::Text;
    graph_neighbors, OF_CODE, "Neighbours of a file",
        "What a file imports, who imports it, what changes with it.";
    icm_memoir_add_concept, CHANGES_MEMORY, "Add a concept",
        "Adds a concept to a memoir.";
    icm_memoir_create, CHANGES_MEMORY, "Create a memoir",
        "Makes a memoir: lasting knowledge, as concepts and links; all repositories share it.";
    icm_memoir_inspect, OF_MEMORY, "Inspect a concept",
        "A concept and what it is linked with.",
        form: ReplyFormat::Record(None);
    icm_memoir_link, CHANGES_MEMORY, "Link concepts",
        "Links two concepts of a memoir.";
    icm_memoir_list, OF_MEMORY, "List memoirs",
        "Memoirs, with counts.",
        form: ReplyFormat::Record(None);
    icm_memoir_refine, CHANGES_MEMORY, "Refine a concept",
        "Gives a concept a better definition.",
        effect: Effect::Replaces;
    icm_memoir_search, OF_MEMORY, "Search a memoir",
        "Which concepts of a memoir answer a question?",
        form: ReplyFormat::Record(None);
    icm_memoir_search_all, OF_MEMORY, "Search memoirs",
        "Which concepts of all memoirs answer a question?",
        form: ReplyFormat::Record(None);
    icm_memoir_show, OF_MEMORY, "Show a memoir",
        "A memoir's concepts and links.",
        form: ReplyFormat::Record(None);
    icm_memory_consolidate, CHANGES_MEMORY, "Consolidate a topic",
        "Replaces a topic's memories with a summary and archives them.",
        effect: Effect::Replaces;
    icm_memory_embed_all, CHANGES_MEMORY, "Embed memories",
        "Makes vectors for memories that have none.";
    icm_memory_forget, CHANGES_MEMORY, "Forget a memory",
        "Deletes a memory.",
        effect: Effect::Forgets;
    icm_memory_health, OF_MEMORY, "Health of topics",
        "Which topics of memories are stale or need consolidation?",
        form: ReplyFormat::Record(None);
    icm_memory_list_topics, OF_MEMORY, "List topics",
        "Topics of memories, with counts.",
        form: ReplyFormat::Record(None);
    icm_memory_recall, OF_MEMORY, "Recall memories",
        "What was decided, fixed or learned before? Long-term memory, across conversations.";
    icm_memory_stats, OF_MEMORY, "Memory statistics",
        "How much is remembered.",
        form: ReplyFormat::Record(None);
    icm_memory_store, CHANGES_MEMORY, "Store a memory",
        "Keeps a fact in long-term memory, across conversations.";
    icm_memory_update, CHANGES_MEMORY, "Update a memory",
        "Replaces a memory's text.",
        effect: Effect::Forgets;
    impact_diff, OF_CORE, "Impact of a change",
        "What a change breaks or forgets; tests to run.",
        shared: REPOSITORY;
    memory_get, OF_CODE, "Read a pin",
        "A pinned file of code, or a whole memory.",
        form: ReplyFormat::Text;
    memory_list, OF_CODE, "List pins",
        "Pinned files of code and derived memories; others: icm_memory_list_topics.";
    memory_pack, OF_CORE, "Pack code",
        "The code that answers a question, with citations, within a token budget.",
        limit: memory_pack::limit, form: ReplyFormat::Text, may_be_stale: true;
    memory_pin, OF_CODE, "Pin a file",
        "Keeps a file of code in every pack; facts: icm_memory_store.",
        effect: Effect::Keeps, shared: REPOSITORY;
    memory_stats, OF_CODE, "Index statistics",
        "How much code is indexed and pinned.";
    memory_unpin, OF_CODE, "Unpin a file",
        "Removes a pin of code.",
        effect: Effect::Forgets, needs: Needs::Nothing, shared: REPOSITORY;
    project_commands, OF_CODE, "Project commands",
        "How the project is built, tested, linted, formatted and run.";
    project_impact, OF_CODE, "Impact of files",
        "Who depends on these files, directly and through others.";
    project_map, OF_CODE, "Project map",
        "The tree of directories and files.";
    project_outline, OF_CORE, "Outline",
        "What a file or directory defines: names, lines, signatures.";
    project_references, OF_CORE, "Find references",
        "Who calls or uses a definition? Lines with their text, found without a type checker.";
    project_symbol_search, OF_CORE, "Find definitions",
        "Where is a name defined?";
    rlm_map_reduce, OF_CODE, "Extract from files",
        "Lines relevant to a task, from many files. No text is generated.",
        limit: map_reduce;
    rlm_plan, OF_CODE, "Plan a retrieval",
        "Plans the searches and reads for a task.",
        needs: Needs::Nothing, lane: quick_lane;
    run_command, OF_RUN, "Run a command",
        "Runs one of the project's own commands, in a sandbox.";
    // tidy: end
}

/// The tool with that name.
pub(crate) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.binary_search_by(|tool| tool.name.cmp(name)).ok().map(|at| &TOOLS[at])
}

/// The tools that clients are shown, by name.
pub(crate) fn listed_tools(settings: &Settings) -> Vec<Listed> {
    TOOLS.iter().filter(|tool| tool.is_listed(settings)).map(Tool::to_protocol_tool).collect()
}

impl Tool {
    /// The kind of its calls in traces.
    pub(crate) fn call_kind(&self) -> CallKind {
        match self.name {
            "env_peek" | "env_slice" | "memory_get" => CallKind::Read,
            "impact_diff" | "project_impact" => CallKind::Impact,
            "rlm_map_reduce" => CallKind::Run,
            "env_aggregate" => CallKind::Summary,
            _ if self.needs == Needs::Index && self.effect == Effect::Reads => CallKind::Search,
            _ => CallKind::Other,
        }
    }

    /// The schema that arguments are held against. Every tool takes a repository and a revision, whether or not its answer depends on
    /// them.
    pub(crate) fn schema(&self) -> JsonObject {
        (self.input)(VIEW)
    }

    /// The schema that clients see. It does not say that other arguments are refused, but they are.
    fn listed_schema(&self) -> JsonObject {
        let mut schema = (self.input)(self.shared);
        schema.shift_remove("additionalProperties");
        schema
    }

    /// Whether clients see it: its toolset is listed, and its effect is allowed.
    pub(crate) fn is_listed(&self, settings: &Settings) -> bool {
        let is_of_set = self.toolsets.iter().any(|toolset| settings.toolsets.contains(toolset));
        is_of_set && !(self.changes_memories() && settings.memory.place.access() == Access::Read)
    }

    /// Whether repeating a call has another effect, or another answer.
    pub(crate) fn differs_when_repeated(&self) -> bool {
        matches!(self.effect, Effect::Forgets | Effect::Replaces)
    }

    /// Whether it writes memories or memoirs.
    pub(crate) fn changes_memories(&self) -> bool {
        self.needs == Needs::Memory && self.effect != Effect::Reads
    }

    fn to_protocol_tool(&self) -> Listed {
        let annotations = ToolAnnotations::new().open_world(false);
        let annotations = match self.effect {
            Effect::Reads => annotations.read_only(true),
            Effect::Keeps => annotations.destructive(false).idempotent(true),
            Effect::Forgets => annotations.destructive(true).idempotent(true),
            Effect::Replaces | Effect::Runs => annotations.destructive(true).idempotent(false),
        };
        let listed = Listed::new(self.name, self.description, self.listed_schema())
            .with_title(self.title)
            .with_annotations(annotations);
        match self.form {
            ReplyFormat::Record(Some(schema)) => listed.with_raw_output_schema(schema().into()),
            ReplyFormat::Record(None) | ReplyFormat::Text => listed,
        }
    }
}

fn quick_lane(_: &JsonObject) -> Lane {
    Lane::Quick
}

fn ordinary(_: &JsonObject) -> Lane {
    Lane::Ordinary
}

fn usual(limits: &Limits, _: &JsonObject) -> Duration {
    limits.call
}

fn map_reduce(limits: &Limits, _: &JsonObject) -> Duration {
    limits.map_reduce
}

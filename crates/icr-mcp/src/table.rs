//! The table of tools. A further tool is a row here and a file in `tools`, which `tools/mod.rs` names.

use std::time::Duration;

use icr_serve::Lane;
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};

use crate::call::{Call, read};
use crate::failure::Failure;
use crate::reply::{Form, Reply};
use crate::schema::{Shared, input, output};
use crate::settings::{Limits, Toolset};
use crate::tools::{admin_ping, memory_pack};

/// A tool, with everything about it.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// The first sentence says what it answers.
    pub(crate) description: &'static str,
    pub(crate) toolsets: &'static [Toolset],
    pub(crate) effect: Effect,
    pub(crate) needs: Needs,
    pub(crate) shared: Shared,
    /// Which calls it waits for.
    pub(crate) lane: fn(&JsonObject) -> Lane,
    /// How long it may take.
    pub(crate) limit: fn(&Limits, &JsonObject) -> Duration,
    pub(crate) input: fn(Shared) -> JsonObject,
    pub(crate) form: Form,
    /// Whether what it answered before is better than no answer, where there is no time for a new one.
    pub(crate) may_be_stale: bool,
    pub(crate) run: fn(&Call<'_>, JsonObject) -> Result<Reply, Failure>,
}

/// What a tool does to what it is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    Reads,
    /// Keeps something; the same again changes nothing.
    Keeps,
    /// Forgets something that somebody asked to keep.
    Forgets,
}

/// What must be there before a tool can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing, or what it looks for itself.
    Nothing,
    /// An index of the repository, made first where there is none.
    Index,
}

const CORE: &[Toolset] = &[Toolset::Core, Toolset::Code];
const CODE: &[Toolset] = &[Toolset::Code];

const VIEW: Shared = Shared { repo_root: true, rev: true };
const REPOSITORY: Shared = Shared { repo_root: true, rev: false };

/// What a tool is where its row does not say otherwise: it reads an index, of a view that may be named, as long as calls may take.
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
    form: Form::Record(None),
    may_be_stale: false,
    run: |_, _| unreachable!("every row names the file that runs it"),
};

/// Makes [`TOOLS`] of rows: a tool's file in `tools`, which it is named after; its sets; its title; what clients are told of it; and
/// what is not as in [`USUAL`].
macro_rules! tools {
    ($($tool:ident, $toolsets:expr, $title:literal, $description:literal $(, $field:ident: $value:expr)*;)*) => {
        /// The tools, by name.
        pub(crate) const TOOLS: &[Tool] = &[$(Tool {
            name: stringify!($tool),
            title: $title,
            description: $description,
            toolsets: $toolsets,
            input: input::<crate::tools::$tool::Input>,
            run: |call, arguments| crate::tools::$tool::run(call, read(arguments)?),
            $($field: $value,)*
            ..USUAL
        }),*];
    };
}

tools! {
    // tidy: sorted
    admin_ping, CODE, "Ping",
        "Is the server well? Diagnostics tell about the index.",
        needs: Needs::Nothing, shared: REPOSITORY, lane: admin_ping::lane, form: Form::Record(Some(output::<admin_ping::Output>));
    context_pack, CODE, "Map for a goal",
        "Where to look for a goal: files, importers, history, commands. No code.",
        form: Form::Text;
    env_aggregate, CODE, "Aggregate lines",
        "Counts, sorts, groups, joins or filters strings. Reads no files.",
        needs: Needs::Nothing, shared: REPOSITORY, lane: quick;
    env_peek, CORE, "Read lines",
        "Lines of a file.",
        form: Form::Text;
    env_search, CORE, "Search code",
        "Which files and lines answer a question? By words, names, meaning and history.";
    env_slice, CORE, "Read a definition",
        "The text of a definition, or of lines, with context.",
        form: Form::Text;
    graph_neighbors, CODE, "Neighbours of a file",
        "What a file imports, who imports it, what changes with it.";
    impact_diff, CORE, "Impact of a change",
        "What a change breaks, forgets and needs tested.",
        shared: REPOSITORY;
    memory_get, CODE, "Read a pin",
        "A pinned file.",
        form: Form::Text;
    memory_list, CODE, "List pins",
        "Pinned files.";
    memory_pack, CORE, "Pack code",
        "The code that answers a question, with citations, within a token budget.",
        limit: memory_pack::limit, form: Form::Text, may_be_stale: true;
    memory_pin, CODE, "Pin a file",
        "Keeps a file in every pack.",
        effect: Effect::Keeps, shared: REPOSITORY;
    memory_stats, CODE, "Index statistics",
        "How much is indexed and pinned.";
    memory_unpin, CODE, "Unpin a file",
        "Removes a pin.",
        effect: Effect::Forgets, needs: Needs::Nothing, shared: REPOSITORY;
    project_commands, CODE, "Project commands",
        "How the project is built, tested, linted, formatted and run.";
    project_impact, CODE, "Impact of files",
        "Who depends on these files, directly and through others.",
        shared: REPOSITORY;
    project_map, CODE, "Project map",
        "The tree of directories and files.";
    project_symbol_search, CORE, "Find definitions",
        "Where is a name defined?";
    rlm_map_reduce, CODE, "Extract from files",
        "The lines of many files that a task is about. No model writes.",
        limit: map_reduce;
    rlm_plan, CODE, "Plan a retrieval",
        "Steps of searching and reading for a task.",
        needs: Needs::Nothing, shared: REPOSITORY, lane: quick;
    // tidy: end
}

/// The tool with that name.
pub(crate) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.binary_search_by(|tool| tool.name.cmp(name)).ok().map(|at| &TOOLS[at])
}

/// The tools of some sets, by name, as clients are shown them.
pub(crate) fn listed(toolsets: &[Toolset]) -> Vec<Listed> {
    let is_shown = |tool: &&Tool| tool.toolsets.iter().any(|toolset| toolsets.contains(toolset));
    TOOLS.iter().filter(is_shown).map(Tool::listed).collect()
}

impl Tool {
    /// The schema of the arguments.
    pub(crate) fn schema(&self) -> JsonObject {
        (self.input)(self.shared)
    }

    fn listed(&self) -> Listed {
        let annotations = ToolAnnotations::new().open_world(false);
        let annotations = match self.effect {
            Effect::Reads => annotations.read_only(true),
            Effect::Keeps => annotations.destructive(false).idempotent(true),
            Effect::Forgets => annotations.destructive(true).idempotent(true),
        };
        let listed = Listed::new(self.name, self.description, self.schema())
            .with_title(self.title)
            .with_annotations(annotations);
        match self.form {
            Form::Record(Some(schema)) => listed.with_raw_output_schema(schema().into()),
            Form::Record(None) | Form::Text => listed,
        }
    }
}

fn quick(_: &JsonObject) -> Lane {
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

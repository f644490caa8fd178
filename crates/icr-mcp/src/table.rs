//! The table of tools. A further tool is a row here and a file in `tools`.

use std::time::Duration;

use icr_serve::Lane;
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};

use crate::call::{Call, read};
use crate::failure::Failure;
use crate::reply::{Form, Reply};
use crate::schema::{Shared, input, output};
use crate::settings::{Limits, Toolset};
use crate::tools::{
    admin_ping, context_pack, env_aggregate, env_peek, env_search, env_slice, graph_neighbors, impact_diff, memory_get,
    memory_list, memory_pack, memory_pin, memory_stats, memory_unpin, project_commands, project_impact, project_map,
    project_symbol_search, rlm_map_reduce, rlm_plan,
};

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

/// The tools, by name.
pub(crate) const TOOLS: &[Tool] = &[
    // tidy: sorted
    Tool {
        name: "admin_ping",
        title: "Ping",
        description: "Is the server well? Diagnostics tell about the index.",
        toolsets: CODE,
        effect: Effect::Reads,
        needs: Needs::Nothing,
        shared: REPOSITORY,
        lane: admin_ping::lane,
        limit: usual,
        input: input::<admin_ping::Input>,
        form: Form::Record(Some(output::<admin_ping::Output>)),
        run: |call, arguments| admin_ping::run(call, read(arguments)?),
    },
    Tool {
        name: "context_pack",
        title: "Map for a goal",
        description: "Where to look for a goal: files, importers, history, commands. No code.",
        toolsets: CODE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: VIEW,
        lane: ordinary,
        limit: usual,
        input: input::<context_pack::Input>,
        form: Form::Text,
        run: |call, arguments| context_pack::run(call, read(arguments)?),
    },
    Tool {
        name: "env_aggregate",
        title: "Aggregate lines",
        description: "Counts, sorts, groups, joins or filters strings. Reads no files.",
        toolsets: CODE,
        effect: Effect::Reads,
        needs: Needs::Nothing,
        shared: REPOSITORY,
        lane: quick,
        limit: usual,
        input: input::<env_aggregate::Input>,
        form: Form::Record(None),
        run: |call, arguments| env_aggregate::run(call, read(arguments)?),
    },
    Tool {
        name: "env_peek",
        title: "Read lines",
        description: "Lines of a file.",
        toolsets: CORE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: VIEW,
        lane: ordinary,
        limit: usual,
        input: input::<env_peek::Input>,
        form: Form::Text,
        run: |call, arguments| env_peek::run(call, read(arguments)?),
    },
    Tool {
        name: "env_search",
        title: "Search code",
        description: "Which files and lines answer a question? By words, names, meaning and history.",
        toolsets: CORE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: VIEW,
        lane: ordinary,
        limit: usual,
        input: input::<env_search::Input>,
        form: Form::Record(None),
        run: |call, arguments| env_search::run(call, read(arguments)?),
    },
    Tool {
        name: "env_slice",
        title: "Read a definition",
        description: "The text of a definition, or of lines, with context.",
        toolsets: CORE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: VIEW,
        lane: ordinary,
        limit: usual,
        input: input::<env_slice::Input>,
        form: Form::Text,
        run: |call, arguments| env_slice::run(call, read(arguments)?),
    },
    Tool {
        name: "graph_neighbors",
        title: "Neighbours of a file",
        description: "What a file imports, who imports it, what changes with it.",
        toolsets: CODE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: VIEW,
        lane: ordinary,
        limit: usual,
        input: input::<graph_neighbors::Input>,
        form: Form::Record(None),
        run: |call, arguments| graph_neighbors::run(call, read(arguments)?),
    },
    Tool {
        name: "impact_diff",
        title: "Impact of a change",
        description: "What a change breaks, forgets and needs tested.",
        toolsets: CORE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: REPOSITORY,
        lane: ordinary,
        limit: usual,
        input: input::<impact_diff::Input>,
        form: Form::Record(None),
        run: |call, arguments| impact_diff::run(call, read(arguments)?),
    },
    Tool {
        name: "memory_get",
        title: "Read a pin",
        description: "A pinned file.",
        toolsets: CODE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: VIEW,
        lane: ordinary,
        limit: usual,
        input: input::<memory_get::Input>,
        form: Form::Text,
        run: |call, arguments| memory_get::run(call, read(arguments)?),
    },
    Tool {
        name: "memory_list",
        title: "List pins",
        description: "Pinned files.",
        toolsets: CODE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: VIEW,
        lane: ordinary,
        limit: usual,
        input: input::<memory_list::Input>,
        form: Form::Record(None),
        run: |call, arguments| memory_list::run(call, read(arguments)?),
    },
    Tool {
        name: "memory_pack",
        title: "Pack code",
        description: "The code that answers a question, with citations, within a token budget.",
        toolsets: CORE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: VIEW,
        lane: ordinary,
        limit: memory_pack::limit,
        input: input::<memory_pack::Input>,
        form: Form::Text,
        run: |call, arguments| memory_pack::run(call, read(arguments)?),
    },
    Tool {
        name: "memory_pin",
        title: "Pin a file",
        description: "Keeps a file in every pack.",
        toolsets: CODE,
        effect: Effect::Keeps,
        needs: Needs::Index,
        shared: REPOSITORY,
        lane: ordinary,
        limit: usual,
        input: input::<memory_pin::Input>,
        form: Form::Record(None),
        run: |call, arguments| memory_pin::run(call, read(arguments)?),
    },
    Tool {
        name: "memory_stats",
        title: "Index statistics",
        description: "How much is indexed and pinned.",
        toolsets: CODE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: VIEW,
        lane: ordinary,
        limit: usual,
        input: input::<memory_stats::Input>,
        form: Form::Record(None),
        run: |call, arguments| memory_stats::run(call, read(arguments)?),
    },
    Tool {
        name: "memory_unpin",
        title: "Unpin a file",
        description: "Removes a pin.",
        toolsets: CODE,
        effect: Effect::Forgets,
        needs: Needs::Nothing,
        shared: REPOSITORY,
        lane: ordinary,
        limit: usual,
        input: input::<memory_unpin::Input>,
        form: Form::Record(None),
        run: |call, arguments| memory_unpin::run(call, read(arguments)?),
    },
    Tool {
        name: "project_commands",
        title: "Project commands",
        description: "How the project is built, tested, linted, formatted and run.",
        toolsets: CODE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: VIEW,
        lane: ordinary,
        limit: usual,
        input: input::<project_commands::Input>,
        form: Form::Record(None),
        run: |call, arguments| project_commands::run(call, read(arguments)?),
    },
    Tool {
        name: "project_impact",
        title: "Impact of files",
        description: "Who depends on these files, directly and through others.",
        toolsets: CODE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: REPOSITORY,
        lane: ordinary,
        limit: usual,
        input: input::<project_impact::Input>,
        form: Form::Record(None),
        run: |call, arguments| project_impact::run(call, read(arguments)?),
    },
    Tool {
        name: "project_map",
        title: "Project map",
        description: "The tree of directories and files.",
        toolsets: CODE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: VIEW,
        lane: ordinary,
        limit: usual,
        input: input::<project_map::Input>,
        form: Form::Record(None),
        run: |call, arguments| project_map::run(call, read(arguments)?),
    },
    Tool {
        name: "project_symbol_search",
        title: "Find definitions",
        description: "Where is a name defined?",
        toolsets: CORE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: VIEW,
        lane: ordinary,
        limit: usual,
        input: input::<project_symbol_search::Input>,
        form: Form::Record(None),
        run: |call, arguments| project_symbol_search::run(call, read(arguments)?),
    },
    Tool {
        name: "rlm_map_reduce",
        title: "Extract from files",
        description: "The lines of many files that a task is about. No model writes.",
        toolsets: CODE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: VIEW,
        lane: ordinary,
        limit: map_reduce,
        input: input::<rlm_map_reduce::Input>,
        form: Form::Record(None),
        run: |call, arguments| rlm_map_reduce::run(call, read(arguments)?),
    },
    Tool {
        name: "rlm_plan",
        title: "Plan a retrieval",
        description: "Steps of searching and reading for a task.",
        toolsets: CODE,
        effect: Effect::Reads,
        needs: Needs::Nothing,
        shared: REPOSITORY,
        lane: quick,
        limit: usual,
        input: input::<rlm_plan::Input>,
        form: Form::Record(None),
        run: |call, arguments| rlm_plan::run(call, read(arguments)?),
    },
    // tidy: end
];

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

//! The table of tools. A further tool is a row here and a file in `tools`.

use std::time::Duration;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};

use crate::call::{Call, read};
use crate::failure::Failure;
use crate::reply::Reply;
use crate::schema::{Shared, input, output};
use crate::settings::{Limits, Toolset};
use crate::slots::Lane;
use crate::tools::{admin_ping, env_peek, env_search};

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
    pub(crate) output: Option<fn() -> JsonObject>,
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
        output: Some(output::<admin_ping::Output>),
        run: |call, arguments| admin_ping::run(call, read(arguments)?),
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
        output: None,
        run: |call, arguments| env_peek::run(call, read(arguments)?),
    },
    Tool {
        name: "env_search",
        title: "Search code",
        description: "Which files and lines answer a question or hold a name? By words, names, meaning and history.",
        toolsets: CORE,
        effect: Effect::Reads,
        needs: Needs::Index,
        shared: VIEW,
        lane: ordinary,
        limit: usual,
        input: input::<env_search::Input>,
        output: None,
        run: |call, arguments| env_search::run(call, read(arguments)?),
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
        match self.output {
            Some(output) => listed.with_raw_output_schema(output().into()),
            None => listed,
        }
    }
}

fn ordinary(_: &JsonObject) -> Lane {
    Lane::Ordinary
}

fn usual(limits: &Limits, _: &JsonObject) -> Duration {
    limits.call
}

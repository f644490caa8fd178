//! `project_commands`: how the project is built, tested, linted and run.

use icr_engine::{CommandKind, ProjectCommand};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::call::CallContext;
use crate::reply::Reply;
use icr_serve::CallFailure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ProjectCommandsInput {
    #[serde(default)]
    command_type: CommandType,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum CommandType {
    Build,
    Test,
    Lint,
    Format,
    Run,
    #[default]
    All,
}

impl CommandType {
    fn includes(self, kind: CommandKind) -> bool {
        match self {
            Self::All => true,
            Self::Build => kind == CommandKind::Build,
            Self::Test => kind == CommandKind::Test,
            Self::Lint => kind == CommandKind::Lint,
            Self::Format => kind == CommandKind::Format,
            Self::Run => kind == CommandKind::Run,
        }
    }
}

pub(crate) fn run(call: &CallContext<'_>, input: ProjectCommandsInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let (found, provenance) = call.ask(&repository, icr_engine::project_commands)?;
    let mut commands = Map::new();
    for kind in CommandKind::ALL.into_iter().filter(|kind| input.command_type.includes(*kind)) {
        let mut of_kind = found.commands.iter().filter(|command| command.kind == kind);
        if let Some(mut first) = of_kind.next().map(entry) {
            let others = alternatives(of_kind);
            if !others.is_empty() {
                first["alternatives"] = json!(others);
            }
            commands.insert(kind.name().to_owned(), first);
        }
    }
    let data = json!({ "detected_tools": found.detected_tools, "commands": commands });
    Ok(Reply::of(&data)?.from(provenance).noting(found.warnings))
}

/// The commands besides the first. One that occurs in several directories is listed once, with those directories.
fn alternatives<'a>(commands: impl Iterator<Item = &'a ProjectCommand>) -> Vec<Value> {
    let mut groups: Vec<Vec<&ProjectCommand>> = Vec::new();
    for command in commands {
        match groups.iter_mut().find(|group| group[0].command == command.command) {
            Some(group) => group.push(command),
            None => groups.push(vec![command]),
        }
    }
    let alternative = |group: Vec<&ProjectCommand>| match group[..] {
        [command] => entry(command),
        _ => {
            let directories: Vec<&str> = group.iter().map(|command| command.directory.as_str()).collect();
            json!({ "command": group[0].command, "source": group[0].source, "directories": directories })
        }
    };
    groups.into_iter().map(alternative).collect()
}

fn entry(command: &ProjectCommand) -> Value {
    let mut entry = json!({ "command": command.command, "source": command.source });
    if !command.directory.is_empty() {
        entry["directory"] = json!(command.directory);
    }
    entry
}

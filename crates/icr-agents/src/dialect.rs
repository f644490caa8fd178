//! How hosts speak with hooks: one row a way of speaking.

use serde_json::{Value, json};

use crate::AgentHookEvent;

/// An event that a host has, and what the host calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostEvent {
    /// The event.
    pub event: AgentHookEvent,
    /// The host's name of it: the key of its configuration, and what its payloads say.
    pub host_name: &'static str,
    /// Whether the host shows the model what a hook answers to this event.
    pub takes_context: bool,
    /// How long the host waits for the hook, in seconds; more than icr takes at most.
    pub timeout_seconds: u32,
    /// Tools that the host calls the hook for, as its configuration matches them; all of them where it is `None`.
    pub tools: Option<&'static str>,
    /// Whether the host goes on before the hook is done.
    pub is_in_background: bool,
}

/// In which shape a host takes text for its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputShape {
    /// `{"hookSpecificOutput":{"hookEventName":"…","additionalContext":"…"}}`
    HookSpecific,
    /// `{"FIELD":"…"}`, and nothing that is not JSON.
    Field(&'static str),
}

/// The unit of time-outs in a host's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
}

/// How a host speaks with hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct Dialect {
    /// What `--host` takes.
    pub name: &'static str,
    /// The events that icr answers, in the order of a session.
    pub events: &'static [HostEvent],
    /// In which shape it takes text.
    pub output: OutputShape,
    /// Unit of time-outs in its configuration.
    pub timeout_unit: TimeoutUnit,
    /// Whether a session that is resumed has lost what was said at its start.
    pub forgets_start: bool,
    /// A variable that it sets for its hooks. Hosts also run hooks that were configured for others.
    pub variable: Option<&'static str>,
}

impl Dialect {
    /// Claude Code, and whoever copied its hooks.
    pub const CLAUDE_CODE: Self = Self {
        name: "claude-code",
        events: &[
            event(AgentHookEvent::SessionStart, "SessionStart", true, 5),
            event(AgentHookEvent::UserPromptSubmit, "UserPromptSubmit", true, 5),
            HostEvent {
                tools: Some("Read|Grep|Glob|Edit|MultiEdit|Write|NotebookEdit|Bash|mcp__.*icr.*"),
                is_in_background: true,
                ..event(AgentHookEvent::PostToolUse, "PostToolUse", false, 5)
            },
            event(AgentHookEvent::Stop, "Stop", false, 10),
            // Its plain text becomes part of the prompt that the summary is made with.
            event(AgentHookEvent::PreCompact, "PreCompact", true, 10),
            event(AgentHookEvent::SessionEnd, "SessionEnd", false, 5),
        ],
        output: OutputShape::HookSpecific,
        timeout_unit: TimeoutUnit::Seconds,
        forgets_start: false,
        variable: None,
    };

    /// Codex: the shape of Claude Code, with schemas that allow no further field.
    pub const CODEX: Self = Self {
        name: "codex",
        events: &[
            event(AgentHookEvent::SessionStart, "SessionStart", true, 5),
            event(AgentHookEvent::UserPromptSubmit, "UserPromptSubmit", true, 5),
            event(AgentHookEvent::PostToolUse, "PostToolUse", true, 5),
            event(AgentHookEvent::Stop, "Stop", false, 10),
            event(AgentHookEvent::PreCompact, "PreCompact", false, 10),
        ],
        output: OutputShape::HookSpecific,
        timeout_unit: TimeoutUnit::Seconds,
        forgets_start: false,
        variable: None,
    };

    /// Copilot's command line, as version 1.0.102 does it.
    pub const COPILOT: Self = Self {
        name: "copilot",
        events: &[
            event(AgentHookEvent::SessionStart, "sessionStart", true, 5),
            event(AgentHookEvent::UserPromptSubmit, "userPromptSubmitted", true, 5),
            event(AgentHookEvent::PostToolUse, "postToolUse", true, 5),
            event(AgentHookEvent::Stop, "agentStop", false, 10),
            event(AgentHookEvent::PreCompact, "preCompact", false, 10),
            event(AgentHookEvent::SessionEnd, "sessionEnd", false, 5),
        ],
        output: OutputShape::Field("additionalContext"),
        timeout_unit: TimeoutUnit::Seconds,
        forgets_start: true,
        variable: Some("COPILOT_CLI"),
    };

    /// Cursor.
    pub const CURSOR: Self = Self {
        name: "cursor",
        events: &[
            event(AgentHookEvent::SessionStart, "sessionStart", true, 5),
            event(AgentHookEvent::UserPromptSubmit, "beforeSubmitPrompt", true, 5),
            event(AgentHookEvent::Stop, "stop", false, 10),
        ],
        output: OutputShape::Field("additional_context"),
        timeout_unit: TimeoutUnit::Seconds,
        forgets_start: false,
        variable: None,
    };

    /// Gemini CLI.
    pub const GEMINI: Self = Self {
        name: "gemini",
        events: &[
            event(AgentHookEvent::SessionStart, "SessionStart", true, 5),
            event(AgentHookEvent::UserPromptSubmit, "BeforeAgent", true, 5),
            event(AgentHookEvent::PostToolUse, "AfterTool", true, 5),
            event(AgentHookEvent::Stop, "AfterAgent", false, 10),
            event(AgentHookEvent::PreCompact, "PreCompress", false, 10),
            event(AgentHookEvent::SessionEnd, "SessionEnd", false, 5),
        ],
        output: OutputShape::HookSpecific,
        timeout_unit: TimeoutUnit::Milliseconds,
        forgets_start: false,
        variable: None,
    };

    /// All of them, by name.
    pub const ALL: [&'static Self; 5] =
        [&Self::CLAUDE_CODE, &Self::CODEX, &Self::COPILOT, &Self::CURSOR, &Self::GEMINI];

    /// The one that `--host` names.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name == name)
    }

    /// The one whose variable `is_set`, whatever was configured.
    pub fn from_variables(is_set: impl Fn(&str) -> bool) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|dialect| dialect.variable.is_some_and(&is_set))
    }

    /// The one that has an event of the name `host_name`; the first where several have, as most copied Claude Code's.
    pub fn guess(host_name: &str) -> &'static Self {
        let has = |dialect: &&'static Self| dialect.events.iter().any(|event| event.host_name == host_name);
        Self::ALL.into_iter().find(has).unwrap_or(&Self::CLAUDE_CODE)
    }

    /// The event that the host calls `name`, or that `icr hook` calls so.
    pub fn event(&self, name: &str) -> Option<AgentHookEvent> {
        let own = self.events.iter().find(|event| event.host_name == name);
        own.map(|event| event.event).or_else(|| AgentHookEvent::from_name(name))
    }

    /// Whether the host shows its model what a hook answers to `event`.
    pub fn takes_context(&self, event: AgentHookEvent) -> bool {
        self.events.iter().any(|host| host.event == event && host.takes_context)
    }

    /// What to print so that the host's model reads `text` at `event`; nothing where the host has no place for it.
    pub fn output(&self, event: AgentHookEvent, text: &str) -> String {
        let Some(host) = self.events.iter().find(|host| host.event == event && host.takes_context) else {
            return String::new();
        };
        // No host has a field for it; the one that reads what is printed takes it as it is.
        if event == AgentHookEvent::PreCompact {
            return text.to_owned();
        }
        let value: Value = match self.output {
            OutputShape::HookSpecific => {
                json!({"hookSpecificOutput": {"hookEventName": host.host_name, "additionalContext": text}})
            }
            OutputShape::Field(field) => json!({ field: text }),
        };
        value.to_string()
    }
}

const fn event(event: AgentHookEvent, host_name: &'static str, takes_context: bool, timeout_seconds: u32) -> HostEvent {
    HostEvent { event, host_name, takes_context, timeout_seconds, tools: None, is_in_background: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dialect: &Dialect, event: AgentHookEvent, expected: &str) {
        assert_eq!(dialect.output(event, "a \"b\"\nc"), expected, "{}", dialect.name);
    }

    #[test]
    fn each_host_gets_the_shape_it_reads() {
        check(
            &Dialect::CLAUDE_CODE,
            AgentHookEvent::UserPromptSubmit,
            r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"a \"b\"\nc"}}"#,
        );
        check(
            &Dialect::GEMINI,
            AgentHookEvent::UserPromptSubmit,
            r#"{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"a \"b\"\nc"}}"#,
        );
        check(&Dialect::CURSOR, AgentHookEvent::SessionStart, r#"{"additional_context":"a \"b\"\nc"}"#);
        check(&Dialect::COPILOT, AgentHookEvent::UserPromptSubmit, r#"{"additionalContext":"a \"b\"\nc"}"#);
        check(&Dialect::CLAUDE_CODE, AgentHookEvent::PreCompact, "a \"b\"\nc");
    }

    #[test]
    fn a_host_without_a_place_for_text_gets_none() {
        check(&Dialect::CODEX, AgentHookEvent::PreCompact, "");
        check(&Dialect::CLAUDE_CODE, AgentHookEvent::Stop, "");
        check(&Dialect::CURSOR, AgentHookEvent::SessionEnd, "");
    }

    #[test]
    fn events_go_by_the_names_of_their_hosts_and_of_icr() {
        assert_eq!(Dialect::GEMINI.event("BeforeAgent"), Some(AgentHookEvent::UserPromptSubmit));
        assert_eq!(Dialect::CURSOR.event("UserPromptSubmit"), Some(AgentHookEvent::UserPromptSubmit));
        assert_eq!(Dialect::CURSOR.event("BeforeAgent"), None);
    }
}

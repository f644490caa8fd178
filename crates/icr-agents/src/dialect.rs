//! Protocols between hosts and hooks: one row per protocol.

use serde_json::{Value, json};

use crate::AgentHookEvent;

/// A hook event of a host, and its name there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostEvent {
    /// The event.
    pub event: AgentHookEvent,
    /// The host's name of the event, in its configuration and in its payloads.
    pub host_name: &'static str,
    /// Whether the host shows the hook's answer to the model.
    pub takes_context: bool,
    /// How long the host waits for the hook, in seconds; more than icr takes at most.
    pub timeout_seconds: u32,
    /// Pattern of the tools for which the host calls the hook, as its configuration expects it; `None` for all tools.
    pub tools: Option<&'static str>,
    /// Whether the host continues without waiting for the hook.
    pub is_in_background: bool,
}

/// The form in which a host accepts text for its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputShape {
    /// `{"hookSpecificOutput":{"hookEventName":"…","additionalContext":"…"}}`
    HookSpecific,
    /// `{"FIELD":"…"}`; the output must be only JSON.
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

/// The protocol between a host and its hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Name of the dialect, as `--host` takes it.
    pub name: &'static str,
    /// The events that icr answers, in the order of a session.
    pub events: &'static [HostEvent],
    /// Form of the hook's output.
    pub output: OutputShape,
    /// Unit of time-outs in its configuration.
    pub timeout_unit: TimeoutUnit,
    /// Whether a resumed session has lost the context that was shown at its start.
    pub forgets_start: bool,
    /// Environment variable that the host sets for its hooks. It identifies the host, because hosts also run hooks that
    /// were configured for others.
    pub variable: Option<&'static str>,
}

impl Dialect {
    /// Claude Code, and hosts that copied its hooks.
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
            // Plain text output becomes part of the prompt for the summary.
            event(AgentHookEvent::PreCompact, "PreCompact", true, 10),
            event(AgentHookEvent::SessionEnd, "SessionEnd", false, 5),
        ],
        output: OutputShape::HookSpecific,
        timeout_unit: TimeoutUnit::Seconds,
        forgets_start: false,
        variable: None,
    };

    /// Codex: the format of Claude Code, but its schemas allow no additional fields.
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

    /// Copilot CLI, as of version 1.0.102.
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

    /// All dialects, sorted by name.
    pub const ALL: [&'static Self; 5] =
        [&Self::CLAUDE_CODE, &Self::CODEX, &Self::COPILOT, &Self::CURSOR, &Self::GEMINI];

    /// The dialect that `--host` names.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name == name)
    }

    /// The dialect whose variable `is_set`; it takes precedence over the configured host.
    pub fn from_variables(is_set: impl Fn(&str) -> bool) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|dialect| dialect.variable.is_some_and(&is_set))
    }

    /// The dialect that has an event called `host_name`. If several have, the first one, because most copied Claude
    /// Code's names.
    pub fn guess(host_name: &str) -> &'static Self {
        let has = |dialect: &&'static Self| dialect.events.iter().any(|event| event.host_name == host_name);
        Self::ALL.into_iter().find(has).unwrap_or(&Self::CLAUDE_CODE)
    }

    /// The event that the host or `icr hook` calls `name`.
    pub fn event(&self, name: &str) -> Option<AgentHookEvent> {
        let own = self.events.iter().find(|event| event.host_name == name);
        own.map(|event| event.event).or_else(|| AgentHookEvent::from_name(name))
    }

    /// Whether the host shows its model what a hook answers to `event`.
    pub fn takes_context(&self, event: AgentHookEvent) -> bool {
        self.events.iter().any(|host| host.event == event && host.takes_context)
    }

    /// The output that makes the host's model read `text` at `event`; empty if the host accepts no text there.
    pub fn output(&self, event: AgentHookEvent, text: &str) -> String {
        let Some(host) = self.events.iter().find(|host| host.event == event && host.takes_context) else {
            return String::new();
        };
        // No host has a JSON field for this event. Hosts that read plain output here take it unchanged.
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

//! Events for which hosts call hooks.

/// A moment in an agent's session at which its host calls icr. Variants have the names that `icr hook` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AgentHookEvent {
    /// A session begins, goes on, or begins anew after a compaction.
    SessionStart,
    /// The user sent a prompt; the model has not seen it yet.
    UserPromptSubmit,
    /// A tool has answered.
    PostToolUse,
    /// The model has finished its turn.
    Stop,
    /// The conversation is about to be replaced by a summary.
    PreCompact,
    /// The session is over.
    SessionEnd,
}

impl AgentHookEvent {
    /// All events, in the order of a session.
    pub const ALL: [Self; 6] =
        [Self::SessionStart, Self::UserPromptSubmit, Self::PostToolUse, Self::Stop, Self::PreCompact, Self::SessionEnd];

    /// The name that `icr hook` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::PostToolUse => "PostToolUse",
            Self::Stop => "Stop",
            Self::PreCompact => "PreCompact",
            Self::SessionEnd => "SessionEnd",
        }
    }

    /// The event of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }
}

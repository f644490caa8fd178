//! Reminds agents to store what they have learned.

use std::sync::atomic::{AtomicU32, Ordering};

use icr_memory::Access;

use crate::settings::{Settings, Toolset};
use crate::table::Tool;

/// Counts the answered calls since memories or memoirs were last written, for all clients of a server.
#[derive(Debug)]
pub(crate) struct StoreReminder {
    calls: AtomicU32,
    /// Number of calls after which an answer has a reminder, repeated after the same number; `None` for never.
    after_calls: Option<u32>,
}

impl StoreReminder {
    /// Never reminds if the memory tools are not listed or nothing can be stored.
    pub(crate) fn new(settings: &Settings) -> Self {
        let memory = &settings.memory;
        let can_store = settings.toolsets.contains(&Toolset::Memory) && memory.place.access() == Access::Write;
        let after_calls = Some(memory.nudge_after_calls).filter(|calls| can_store && *calls > 0);
        Self { calls: AtomicU32::new(0), after_calls }
    }

    /// The reminder after a call of `tool`, if one is due. Failed calls do not count.
    pub(crate) fn after(&self, tool: &Tool, is_answered: bool) -> Option<String> {
        if !is_answered {
            return None;
        }
        if tool.changes_memories() {
            self.calls.store(0, Ordering::Relaxed);
            return None;
        }
        let calls = self.calls.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let is_due = self.after_calls.is_some_and(|after_calls| calls.is_multiple_of(after_calls));
        is_due.then(|| {
            format!(
                "[ICM: {calls} tool calls since last store. Consider saving important context with icm_memory_store.]"
            )
        })
    }
}

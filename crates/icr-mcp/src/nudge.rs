//! A reminder to store what was learned.

use std::sync::atomic::{AtomicU32, Ordering};

use icr_memory::Access;

use crate::settings::{Settings, Toolset};

/// The tool after which counting begins anew.
const STORE: &str = "icm_memory_store";

/// Counts the calls since something was stored, for all clients of a server.
#[derive(Debug)]
pub(crate) struct Nudge {
    calls: AtomicU32,
    /// Calls from which on answers say so; `None` for never.
    after_calls: Option<u32>,
}

impl Nudge {
    /// Says nothing where the tools of memories are not shown, or nothing can be stored.
    pub(crate) fn new(settings: &Settings) -> Self {
        let memory = &settings.memory;
        let can_store = settings.toolsets.contains(&Toolset::Memory) && memory.place.access() == Access::Write;
        let after_calls = Some(memory.nudge_after_calls).filter(|calls| can_store && *calls > 0);
        Self { calls: AtomicU32::new(0), after_calls }
    }

    /// What to say after a call of `tool`, answered or failed, if anything.
    pub(crate) fn after(&self, tool: &str, is_answered: bool) -> Option<String> {
        if tool == STORE {
            // A store that failed is no reason to ask for one.
            if is_answered {
                self.calls.store(0, Ordering::Relaxed);
            }
            return None;
        }
        let before = self.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |calls| calls.checked_add(1));
        let calls = before.map_or(u32::MAX, |before| before + 1);
        let is_due = self.after_calls.is_some_and(|after_calls| calls >= after_calls);
        is_due.then(|| format!("[ICM: {calls} tool calls since last store. Consider saving important context.]"))
    }
}

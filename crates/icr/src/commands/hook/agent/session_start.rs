//! Context at the start of a session: how fresh the index is, a short map, and after a compaction what had to be kept.

use std::time::Duration;

use icr_agents::{Payload, SessionEvent, SessionState};
use icr_engine::{Freshness, MapRequest, SilentObserver, Snapshot, ViewSelector};

use super::super::sync_in_background;
use super::{Hooks, ProcessDeadline, TWIN_MS, reference_text, turn};
use crate::environment;
use crate::memory_context::now_ms;
use crate::output::count_text;

/// Directories of the map.
const DIRECTORIES_MOST: usize = 8;

/// Languages of the map.
const LANGUAGES_MOST: usize = 4;

/// Longest time to bring the index up to date: enough for about twenty changed files.
const CATCH_UP: Duration = Duration::from_millis(500);

/// Text for a repository that has no index yet.
pub(super) const INDEXING: &str =
    "icr is indexing this repository in the background; its answers come as soon as that is done.\n";

/// Explains to a model how to have something remembered.
const LEDGER: &str = "What an answer ends with below a line `Ledger:`, such as `- Decisions: [...]`, `- Todos: [...]` or `- Invariants: [...]`, is told to later sessions.\n";

const DAY_SECONDS: u64 = 24 * 60 * 60;

pub(super) fn start_text(hooks: &Hooks, payload: &Payload, ends_at: &ProcessDeadline) -> anyhow::Result<String> {
    let source = payload.source.clone().unwrap_or_else(|| "startup".to_owned());
    let events = hooks.session.events();
    let text = reference_text(&text_for(hooks, &source, &SessionState::of(&events), ends_at)?);
    let now = now_ms();
    let is_twin = |event: &SessionEvent| {
        let SessionEvent::Started { source: earlier, text: said, at, .. } = event else { return false };
        *earlier == source && *said == text && (0..TWIN_MS).contains(&(now.0 - at.0))
    };
    if events.last().is_some_and(is_twin) {
        return Ok(String::new());
    }
    let keys = match source == "compact" {
        true => turn::keys_in(hooks, &text),
        false => Vec::new(),
    };
    hooks.session.append(&SessionEvent::Started { source, text: text.clone(), keys, at: now })?;
    Ok(text)
}

/// Text for a start from this source.
fn text_for(hooks: &Hooks, source: &str, state: &SessionState, ends_at: &ProcessDeadline) -> anyhow::Result<String> {
    if source == "compact" {
        return Ok(match state.is_noted {
            true => String::new(),
            false => turn::note(hooks, state),
        });
    }
    let engine = hooks.engine();
    let is_indexed = engine.store().is_indexed()?;
    let is_behind = !is_indexed || !engine.store().follows_head()?;
    if is_behind {
        // The store is brought up to date in the background; a session does not wait for it.
        sync_in_background(&hooks.context.home, engine)?;
    }
    if !is_indexed {
        return Ok(INDEXING.to_owned());
    }
    // A resumed session has read all of this before.
    if source == "resume" && !hooks.dialect.forgets_start {
        return Ok(String::new());
    }
    let freshness = Freshness { time_box: CATCH_UP };
    let engine = engine.with_deadline(&ends_at.deadline());
    let (view, dirty, gaps, map) = engine.answer(&ViewSelector::Worktree, &freshness, &SilentObserver, |snapshot| {
        let provenance = snapshot.provenance();
        Ok((snapshot.name().to_owned(), provenance.dirty, provenance.gaps.clone(), map(snapshot)?))
    })?;
    // The answer may have brought the store up to date.
    let stale = if is_behind { stale(hooks) } else { String::new() };
    let dirty =
        if dirty == 0 { String::new() } else { format!(" and {} uncommitted", count_text(dirty, "file", "files")) };
    let lacking: Vec<String> = gaps.iter().map(ToString::to_string).collect();
    let lacking = if lacking.is_empty() { String::new() } else { format!("; it lacks: {}", lacking.join("; ")) };
    let ledger = if hooks.context.config.get_bool("hooks.ledger") { LEDGER } else { "" };
    Ok(format!(
        "Nobody typed this; it is for orientation. icr has an index of {view}{dirty}{stale}{lacking}.\n{map}{ledger}"
    ))
}

/// Age of an index that is behind HEAD, if it is unusually old.
fn stale(hooks: &Hooks) -> String {
    let written = hooks.engine().store().last_write();
    let age = written.and_then(|written| environment::now().duration_since(written).ok()).unwrap_or_default();
    let days = age.as_secs() / DAY_SECONDS;
    match days > u64::from(hooks.number("hooks.stale_days")) {
        true => format!(" (stale: written {days} days ago, and HEAD has moved)"),
        false => String::new(),
    }
}

/// Number of files, the directories with most of them, and the build and test commands.
fn map(snapshot: &Snapshot) -> Result<String, icr_engine::Error> {
    let (tree, summary) = icr_engine::map(snapshot, &MapRequest { depth: 1, ..MapRequest::default() })?;
    let mut languages: Vec<(&String, &u64)> = summary.languages.iter().collect();
    languages.sort_by_key(|(_, files)| std::cmp::Reverse(**files));
    let languages: Vec<String> =
        languages.iter().take(LANGUAGES_MOST).map(|(language, files)| format!("{language} {files}")).collect();
    let mut directories: Vec<_> = tree.children.iter().filter(|node| node.kind == "directory").collect();
    directories.sort_by_key(|node| std::cmp::Reverse(node.files));
    let directories: Vec<String> =
        directories.iter().take(DIRECTORIES_MOST).map(|node| format!("{}/ {}", node.name, node.files)).collect();
    let scripts = icr_engine::project_commands(snapshot)?.scripts();
    let scripts: Vec<String> = scripts.iter().map(|script| format!("{}: {}", script.kind, script.command)).collect();
    let mut text = format!("{}: {}\n", count_text(summary.total_files, "file", "files"), languages.join(", "));
    for (heading, parts) in [("directories", directories), ("commands", scripts)] {
        if !parts.is_empty() {
            text.push_str(&format!("{heading}: {}\n", parts.join(", ")));
        }
    }
    Ok(text)
}

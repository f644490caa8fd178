//! What a turn leaves behind: its ledger as memories, whether what was shown helped, and what has to survive a compaction.

use icr_agents::{CompactionNote, LedgerItem, LedgerKind, Payload, Prior, SessionEvent, SessionState, ledger_of};
use std::time::Duration;

use icr_engine::{At, Freshness, Silent};
use icr_memory::{
    Author, Importance, ListRequest, Memory, MemoryDatabase, MemoryKind, NewMemory, PreambleLimits, Source,
    TOPIC_BYTES_MOST,
};

use super::{Hooks, shown};
use crate::commands::memory::Preamble;
use crate::commands::pin::now;
use crate::context::Context;
use crate::memory_place::{MemoryContext, now_ms};
use crate::output::counted;

/// Room for what survives a compaction, in model tokens: a page.
pub(crate) const NOTE_TOKENS: u32 = 600;

/// Earlier decisions, facts and things to do that a session goes on from.
const PRIORS_MOST: usize = 5;

/// Invariants that it is reminded of.
const INVARIANTS_MOST: usize = 10;

/// Before the name of the project: the topic of what ledgers say.
const TOPIC: &str = "ledger-";

/// Keeps the ledger of the answer that ended a turn, and learns whether what was shown before it helped.
pub(super) fn keep(hooks: &Hooks, payload: &Payload) -> anyhow::Result<()> {
    let answer = payload.answer.clone().unwrap_or_default();
    let state = hooks.state();
    learn(hooks, state.helped(&answer))?;
    let known = |item: &LedgerItem| state.ledger.contains(item);
    let items: Vec<LedgerItem> = ledger_of(&answer).into_iter().filter(|item| !known(item)).collect();
    if items.is_empty() || !hooks.context.config.get_bool("hooks.ledger") {
        return Ok(());
    }
    hooks.session.append(&SessionEvent::Ledger { items: items.clone() })?;
    let memories = items.iter().filter_map(|item| memory(hooks, item)).collect::<Vec<_>>();
    let mut database = hooks.memory.for_changes()?;
    icr_memory::store_all(&mut database, &memories, now_ms())?;
    Ok(())
}

/// Learns whether what was shown in a turn helped; `None` where nothing was.
fn learn(hooks: &Hooks, helped: Option<bool>) -> anyhow::Result<()> {
    let path = hooks.prior_path();
    let prior = Prior::read(&path);
    match helped {
        Some(helped) => {
            hooks.session.append(&SessionEvent::Turn { helped })?;
            prior.after(helped).write(&path)?;
        }
        // As long as it changes nothing, it is not written.
        None if prior.added_logit() > 0.0 => prior.faded().write(&path)?,
        None => {}
    }
    Ok(())
}

/// What is remembered of an item; a file that was changed is in the history already.
fn memory(hooks: &Hooks, item: &LedgerItem) -> Option<NewMemory> {
    let kind = match item.kind {
        LedgerKind::Invariant => MemoryKind::Invariant,
        LedgerKind::Decision => MemoryKind::Decision,
        LedgerKind::Fact => MemoryKind::Fact,
        LedgerKind::Todo | LedgerKind::Question => MemoryKind::Episodic,
        LedgerKind::File => return None,
    };
    let memory = NewMemory {
        project: hooks.memory.project.clone(),
        topic: ledger_topic(&hooks.context),
        summary: item.text.clone(),
        raw_excerpt: None,
        keywords: vec![item.kind.name().to_owned()],
        importance: if item.kind == LedgerKind::Invariant { Importance::High } else { Importance::Medium },
        source: Source("hook Stop".to_owned()),
        author: Author::Hook,
        kind,
        expires_at: None,
        code: hooks.memory.code_of(&item.text, &[], &[]).ok().flatten(),
    };
    memory.check().is_ok().then_some(memory)
}

/// What the ledger of a repository is filed under.
pub(crate) fn ledger_topic(context: &Context) -> String {
    let name = context.repository_name();
    let room = TOPIC_BYTES_MOST - TOPIC.len();
    format!("{TOPIC}{}", &name[..name.floor_char_boundary(room.min(name.len()))])
}

/// What the summary of the conversation must not lose, printed where the host takes it into the prompt of the summary.
pub(super) fn before_compaction(hooks: &Hooks) -> anyhow::Result<String> {
    let note = CompactionNote::new(&hooks.state(), pins(hooks)).text(NOTE_TOKENS);
    hooks.session.append(&SessionEvent::Compacted)?;
    Ok(shown(&note))
}

/// The pins of the clone: paths, and what they are.
pub(super) fn pins(hooks: &Hooks) -> Vec<(String, Option<String>)> {
    note_pins(&hooks.engine().live_pins(now()).unwrap_or_default())
}

/// Pins as a note names them.
pub(crate) fn note_pins(pins: &[icr_memory::Pin]) -> Vec<(String, Option<String>)> {
    pins.iter().map(|pin| (pin.path.to_string(), pin.label.clone())).collect()
}

/// What an earlier session came to, for one that goes on from it; empty where nothing is known.
pub(super) fn continuation(hooks: &Hooks, state: &SessionState) -> anyhow::Result<String> {
    let now = now_ms();
    let mut memories = ledger(hooks, true, INVARIANTS_MOST, now)?;
    memories.extend(ledger(hooks, false, PRIORS_MOST, now)?);
    let note = CompactionNote::new(state, Vec::new()).text(NOTE_TOKENS / 2);
    if memories.is_empty() && note.is_empty() {
        return Ok(String::new());
    }
    let items = hooks.memory.listed(memories, now);
    // What kind of thing it is says more than the topic, which all share.
    let kind = |item: &icr_memory::MemoryItem| item.keywords.first().unwrap_or(&item.topic).clone();
    let line = |item: &icr_memory::MemoryItem| Preamble::of(item, now).filed_under(kind(item));
    let lines: Vec<Preamble> = items.iter().map(line).collect();
    let limits = PreambleLimits { max_item_chars: 300, max_total_chars: 2_500 };
    let memories = icr_memory::preamble(&lines.iter().map(Preamble::item).collect::<Vec<_>>(), &limits);
    Ok(format!("{}{memories}{}", shown(&standing(hooks)), shown(&note)))
}

/// Where the worktree stands, in one line.
fn standing(hooks: &Hooks) -> String {
    let name = hooks.context.repository_name();
    let freshness = Freshness { time_box: Duration::ZERO };
    let asked = hooks.engine().answer(&At::Worktree, &freshness, &Silent, |snapshot| {
        Ok((snapshot.name().to_owned(), snapshot.provenance().dirty))
    });
    match asked {
        Ok((view, 0)) => format!("{name}: {view}, nothing uncommitted."),
        Ok((view, dirty)) => format!("{name}: {view}, {} uncommitted.", counted(dirty, "file", "files")),
        Err(_) => format!("{name}."),
    }
}

/// What ledgers of the project say, the newest first. The topic is named after a directory, and the project has a directory for each worktree and
/// clone.
pub(crate) fn ledger_memories(
    memory: &MemoryContext,
    database: &MemoryDatabase,
    now: i64,
) -> Result<Vec<Memory>, icr_memory::Error> {
    let request = ListRequest { scope: memory.scope(false), ..ListRequest::default() };
    let mut memories = icr_memory::list(database, &request, now)?;
    memories.retain(|memory| memory.author == Author::Hook && memory.topic.starts_with(TOPIC));
    Ok(memories)
}

/// What ledgers of the repository say, the newest first: its invariants, or the rest; at most `limit`.
fn ledger(hooks: &Hooks, invariants: bool, limit: usize, now: i64) -> anyhow::Result<Vec<Memory>> {
    let Some(database) = hooks.memory.for_questions()? else { return Ok(Vec::new()) };
    let mut memories = ledger_memories(&hooks.memory, &database, now)?;
    memories.retain(|memory| (memory.kind == MemoryKind::Invariant) == invariants);
    memories.truncate(limit);
    Ok(memories)
}

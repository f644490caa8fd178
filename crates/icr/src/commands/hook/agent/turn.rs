//! What a turn leaves behind: its ledger as memories, whether what was shown helped, and what has to survive a compaction.

use std::path::Path;
use std::time::{Duration, Instant};

use icr_agents::transcript::last_answer;
use icr_agents::{
    CompactionNote, LedgerItem, LedgerKind, Payload, Prior, SessionEvent, SessionState, done_in, ledger_of,
};
use icr_engine::{At, Freshness, Silent};
use icr_memory::{
    Author, CodeBinding, Importance, ListRequest, Memory, MemoryDatabase, MemoryKind, NewMemory, PreambleLimits,
    Source, TOPIC_BYTES_MOST,
};

use super::prompt::CONTINUATION_KEY;
use super::{Hooks, reference_text};
use crate::commands::memory::Preamble;
use crate::commands::pin::now;
use crate::context::Context;
use crate::memory_place::{CATCH_UP, MemoryContext, now_ms};
use crate::output::counted;

/// Room for what survives a compaction, in model tokens: a page.
pub(crate) const NOTE_TOKENS: u32 = 600;

/// Earlier decisions, facts and things to do that a session goes on from.
const PRIORS_MOST: usize = 5;

/// Invariants that it is reminded of.
const INVARIANTS_MOST: usize = 10;

/// The end of a transcript that holds a long answer and the uses of tools before it, in bytes.
const TRANSCRIPT_BYTES_MOST: u64 = 1 << 20;

/// How long an answer is waited for that the transcript does not have yet: six times the longest that was seen.
const TRANSCRIPT_AWAITED: Duration = Duration::from_millis(250);

/// Between two looks at it.
const TRANSCRIPT_LOOK: Duration = Duration::from_millis(15);

/// Age of a transcript that says the answer of this turn; an older one ends with an earlier turn.
const TRANSCRIPT_IS_RECENT: Duration = Duration::from_secs(2);

/// Before the name of the project: the topic of what ledgers say.
const TOPIC: &str = "ledger-";

/// Keeps the ledger of the answer that ended a turn, and learns whether what was shown before it helped.
pub(super) fn finish(hooks: &Hooks, payload: &Payload) -> anyhow::Result<()> {
    let answer = payload.answer.clone().or_else(|| answer_of_transcript(hooks, payload));
    let state = hooks.state();
    learn(hooks, state.helped(answer.as_deref()))?;
    let is_known = |item: &LedgerItem| state.ledger.iter().any(|known| known.states_same(item));
    close(hooks, &done_in(answer.as_deref().unwrap_or_default()))?;
    let mut items = ledger_of(answer.as_deref().unwrap_or_default());
    items.retain(|item| !is_known(item));
    if items.is_empty() || !hooks.context.config.get_bool("hooks.ledger") {
        return Ok(());
    }
    hooks.session.append(&SessionEvent::Ledger { items: items.clone() })?;
    let texts: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
    let codes = hooks.memory.codes_of(&texts);
    let memories: Vec<NewMemory> =
        items.iter().zip(codes).filter_map(|(item, code)| memory(hooks, item, code)).collect();
    let mut database = hooks.memory.for_changes()?;
    icr_memory::store_all(&mut database, &memories, now_ms())?;
    Ok(())
}

/// Forgets things to do that are done.
fn close(hooks: &Hooks, done: &[String]) -> anyhow::Result<()> {
    if done.is_empty() || !hooks.context.config.get_bool("hooks.ledger") {
        return Ok(());
    }
    hooks.session.append(&SessionEvent::Done { todos: done.to_vec() })?;
    let Some(database) = hooks.memory.for_questions()? else { return Ok(()) };
    let is_todo = |memory: &Memory| memory.keywords.iter().any(|keyword| keyword == LedgerKind::Todo.name());
    let memories = ledger_memories(&hooks.memory, &database, now_ms())?;
    let closed: Vec<Memory> =
        memories.into_iter().filter(|memory| is_todo(memory) && done.contains(&memory.summary)).collect();
    if closed.is_empty() {
        return Ok(());
    }
    drop(database);
    let mut database = hooks.memory.for_changes()?;
    for memory in closed {
        icr_memory::forget(&mut database, &memory.id, Author::Hook, now_ms())?;
    }
    Ok(())
}

/// The answer that ends the transcript, for a host that does not say it. Copilot writes it down up to 43 ms after it has called the hook; what the
/// transcript said before that is of an earlier turn.
fn answer_of_transcript(hooks: &Hooks, payload: &Payload) -> Option<String> {
    let path = payload.transcript_path.as_deref().map(Path::new).filter(|path| path.is_absolute())?;
    // Who does not want transcripts to be read does not want this one read.
    if !hooks.context.config.get_bool("transcripts.enabled") {
        return None;
    }
    let is_recent = || {
        let written = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        written.and_then(|written| written.elapsed().ok()).is_some_and(|age| age < TRANSCRIPT_IS_RECENT)
    };
    let began = Instant::now();
    loop {
        let is_over = began.elapsed() >= TRANSCRIPT_AWAITED;
        match last_answer(path, TRANSCRIPT_BYTES_MOST) {
            Ok(Some(answer)) if is_recent() => return Some(answer),
            Ok(_) if is_over => return None,
            Err(error) if is_over && error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) if is_over => return hooks.or_default("reading the transcript", Err(error.into())),
            Ok(_) | Err(_) => std::thread::park_timeout(TRANSCRIPT_LOOK),
        }
    }
}

/// Learns whether what was shown in a turn helped; `None` where nothing was.
fn learn(hooks: &Hooks, helped: Option<bool>) -> anyhow::Result<()> {
    let path = hooks.prior_path();
    let prior = Prior::read(&path);
    hooks.session.append(&SessionEvent::Turn { helped })?;
    match helped {
        Some(helped) => prior.after(helped).write(&path)?,
        // As long as it changes nothing, it is not written.
        None if prior.added_logit() > 0.0 => prior.faded().write(&path)?,
        None => {}
    }
    Ok(())
}

/// What is remembered of an item; a file that was changed is in the history already.
fn memory(hooks: &Hooks, item: &LedgerItem, code: Option<CodeBinding>) -> Option<NewMemory> {
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
        code,
    };
    memory.check().is_ok().then_some(memory)
}

/// What the ledger of a repository is filed under.
pub(crate) fn ledger_topic(context: &Context) -> String {
    let name = context.repository_name();
    let room = TOPIC_BYTES_MOST - TOPIC.len();
    format!("{TOPIC}{}", &name[..name.floor_char_boundary(room)])
}

/// What the summary of the conversation must not lose, printed where the host takes it into the prompt of the summary.
pub(super) fn before_compaction(hooks: &Hooks, payload: &Payload) -> anyhow::Result<String> {
    let note = match hooks.takes_context() {
        true => note(hooks, &hooks.state()),
        false => String::new(),
    };
    // What a command of the user prints stays in the conversation after it.
    let is_noted = !note.is_empty() && payload.trigger.as_deref() == Some("manual");
    hooks.session.append(&SessionEvent::Compacted { is_noted })?;
    Ok(reference_text(&note))
}

/// What must not be lost, as text; empty where there is nothing.
pub(super) fn note(hooks: &Hooks, state: &SessionState) -> String {
    let note = compaction_note(&hooks.context, &hooks.memory, state);
    hooks.or_default("collecting what must survive", note).text(NOTE_TOKENS)
}

/// What must not be lost of a session: what it came to, the pins whose files are there, the invariants of the project, and what earlier sessions left
/// to do, if it went on from them.
pub(crate) fn compaction_note(
    context: &Context,
    memory: &MemoryContext,
    state: &SessionState,
) -> anyhow::Result<CompactionNote> {
    let root = context.engine.root();
    let is_there =
        |pin: &icr_memory::Pin| pin.path.as_str().is_none_or(|path| root.join(path).symlink_metadata().is_ok());
    let pins = context.engine.live_pins(now())?.into_iter().filter(is_there);
    let mut note = CompactionNote::new(state, pins.map(|pin| (pin.path.to_string(), pin.label)).collect());
    let Some(database) = memory.for_questions()? else { return Ok(note) };
    let earlier = ledger_memories(memory, &database, now_ms())?;
    let of = |kind: LedgerKind, most: usize, stated: &[String]| -> Vec<String> {
        let is_of = |memory: &&Memory| memory.keywords.iter().any(|keyword| keyword == kind.name());
        let texts = earlier.iter().filter(is_of).map(|memory| memory.summary.clone());
        // The oldest first, as the session has its own.
        let mut texts: Vec<String> = texts.filter(|text| !stated.contains(text)).take(most).collect();
        texts.reverse();
        texts
    };
    note.invariants = [of(LedgerKind::Invariant, INVARIANTS_MOST, &note.invariants), note.invariants].concat();
    if state.shown.contains(CONTINUATION_KEY) {
        note.todos = [of(LedgerKind::Todo, PRIORS_MOST, &note.todos), note.todos].concat();
    }
    Ok(note)
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
    Ok(format!("{}{memories}{}", reference_text(&worktree_line(hooks)), reference_text(&note)))
}

/// Where the worktree stands, in one line.
fn worktree_line(hooks: &Hooks) -> String {
    let name = hooks.context.repository_name();
    let freshness = Freshness { time_box: CATCH_UP };
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
    let request = ListRequest {
        scope: memory.scope(false),
        author: Some(Author::Hook),
        topic_prefix: Some(TOPIC.to_owned()),
        ..ListRequest::default()
    };
    icr_memory::list(database, &request, now)
}

/// What ledgers of the repository say: its invariants, the newest first; or the rest, at most `limit`.
fn ledger(hooks: &Hooks, invariants: bool, limit: usize, now: i64) -> anyhow::Result<Vec<Memory>> {
    let Some(database) = hooks.memory.for_questions()? else { return Ok(Vec::new()) };
    let mut memories = ledger_memories(&hooks.memory, &database, now)?;
    memories.retain(|memory| (memory.kind == MemoryKind::Invariant) == invariants);
    if !invariants {
        memories = most_urgent(memories, limit);
    }
    memories.truncate(limit);
    Ok(memories)
}

/// Of memories in the order of their age, those that a session needs first: what is to do, what was decided, what is open, what is known. Of each kind
/// at least one, as far as `limit` goes.
fn most_urgent(memories: Vec<Memory>, limit: usize) -> Vec<Memory> {
    const ORDER: [LedgerKind; 4] = [LedgerKind::Todo, LedgerKind::Decision, LedgerKind::Question, LedgerKind::Fact];
    let kind_of =
        |memory: &Memory| ORDER.iter().position(|kind| memory.keywords.iter().any(|word| word == kind.name()));
    // The newest of each kind, then the second of each, and so on.
    let mut counts = [0; ORDER.len() + 1];
    let mut ranked: Vec<(usize, usize, Memory)> = Vec::new();
    for memory in memories {
        let kind = kind_of(&memory).unwrap_or(ORDER.len());
        ranked.push((counts[kind], kind, memory));
        counts[kind] += 1;
    }
    ranked.sort_by_key(|(nth, kind, _)| (*nth, *kind));
    ranked.truncate(limit);
    ranked.sort_by_key(|(nth, kind, _)| (*kind, *nth));
    ranked.into_iter().map(|(_, _, memory)| memory).collect()
}

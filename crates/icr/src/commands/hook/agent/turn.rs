//! Work at the end of a turn: stores its ledger as memories, learns whether the shown context helped, and writes what
//! must be kept in a compaction.

use std::path::Path;
use std::time::{Duration, Instant};

use icr_agents::transcript::{LastAnswer, last_answer};
use icr_agents::{
    CompactionNote, LedgerItem, LedgerKind, Payload, Prior, SessionEvent, SessionState, done_in, is_same_text,
    ledger_of,
};
use icr_engine::{Freshness, SilentObserver, ViewSelector};
use icr_memory::{
    Author, CodeBinding, Importance, ListRequest, Memory, MemoryDatabase, MemoryKind, MemoryOrigin, NewMemory,
    PreambleLimits, TOPIC_BYTES_MOST,
};
use icr_model::UnixMillis;

use super::{Hooks, digest_of, memory_key, reference_text};
use crate::commands::memory::Preamble;
use crate::commands::pin::now;
use crate::context::Context;
use crate::memory_context::{CATCH_UP, MemoryContext, now_ms};
use crate::output::count_text;

/// Budget of the note that a compaction keeps, in model tokens: a page.
pub(crate) const NOTE_TOKENS: u32 = 600;

/// Most earlier decisions, facts and todos that a continued session is shown.
const EARLIER_ENTRIES_MOST: usize = 5;

/// Most invariants that a session is reminded of.
const INVARIANTS_MOST: usize = 10;

/// Bytes that are read at the end of a transcript: enough for a long answer and the tool uses before it.
const TRANSCRIPT_BYTES_MOST: u64 = 1 << 20;

/// Longest wait for an answer that the transcript does not have yet. A quick answer was seen to be written 43 ms after
/// the hook was called, and later on a busy machine.
const TRANSCRIPT_AWAITED: Duration = Duration::from_millis(800);

/// Longest wait for a transcript that is missing in a directory that is there. Hosts write a question to the transcript
/// before they answer it, so the file has normally been there for long.
const FILE_AWAITED: Duration = Duration::from_millis(100);

/// Time between two checks of the transcript.
const TRANSCRIPT_LOOK: Duration = Duration::from_millis(15);

/// Age of a transcript that says the answer of this turn; an older one ends with an earlier turn.
const TRANSCRIPT_IS_RECENT: Duration = Duration::from_secs(2);

/// Prefix of the topic for ledger memories; the name of the project follows.
const TOPIC: &str = "ledger-";

/// Keeps the ledger of the answer that ended a turn, and learns whether what was shown before it helped.
pub(super) fn finish(hooks: &Hooks, payload: &Payload) -> anyhow::Result<()> {
    let state = hooks.state();
    let answer = payload.answer.clone().or_else(|| answer_of_transcript(hooks, payload, &state));
    learn(hooks, state.has_helped(answer.as_deref()), answer.as_deref())?;
    let Some(answer) = answer.filter(|_| hooks.context.config.get_bool("hooks.ledger")) else { return Ok(()) };
    close(hooks, &done_in(&answer))?;
    let mut items = ledger_of(&answer);
    if items.is_empty() {
        return Ok(());
    }
    // Another worktree may have stored the same entries under its own topic.
    let known = ledger_entries(hooks)?;
    let is_known = |item: &&LedgerItem| {
        known.iter().any(|known| ledger_kind_of(known) == Some(item.kind) && known.summary == item.text)
    };
    let fresh: Vec<LedgerItem> = items.iter().filter(|item| !is_known(item)).cloned().collect();
    store(hooks, &fresh)?;
    items.retain(|item| !state.ledger.iter().any(|stated| stated.states_same(item)));
    if items.is_empty() {
        return Ok(());
    }
    // Recorded last: if the process dies in between, the items are stored but not recorded, and are not stored twice
    // later. The other order would lose them.
    Ok(hooks.session.append(&SessionEvent::Ledger { items })?)
}

/// Stores the items of an answer as memories.
fn store(hooks: &Hooks, items: &[LedgerItem]) -> anyhow::Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    let texts: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
    let codes = hooks.memory.codes_of(&texts);
    let memories: Vec<NewMemory> =
        items.iter().zip(codes).filter_map(|(item, code)| memory(hooks, item, code)).collect();
    let mut database = hooks.memory.for_changes()?;
    Ok(icr_memory::store_verbatim(&mut database, &memories, now_ms())?)
}

/// Deletes the memories of todos that are done.
fn close(hooks: &Hooks, done: &[String]) -> anyhow::Result<()> {
    if done.is_empty() {
        return Ok(());
    }
    let is_ticked = |text: &str| done.iter().any(|done| is_same_text(done, text));
    let is_done = |memory: &Memory| ledger_kind_of(memory) == Some(LedgerKind::Todo) && is_ticked(&memory.summary);
    let mut closed = ledger_entries(hooks)?;
    closed.retain(is_done);
    if !closed.is_empty() {
        let mut database = hooks.memory.for_changes()?;
        for memory in closed {
            icr_memory::forget(&mut database, &memory.id, Author::Hook, now_ms())?;
        }
    }
    Ok(hooks.session.append(&SessionEvent::Done { todos: done.to_vec() })?)
}

/// The last answer in the transcript, for a host that does not pass it. Copilot writes it up to 43 ms after it called
/// the hook; until then the transcript ends with a question, a tool call or an earlier turn.
fn answer_of_transcript(hooks: &Hooks, payload: &Payload, state: &SessionState) -> Option<String> {
    let path = payload.transcript_path.as_deref().map(Path::new).filter(|path| path.is_absolute())?;
    // A user who switched off transcripts does not want this one read either.
    if !hooks.context.config.get_bool("transcripts.enabled") {
        return None;
    }
    let is_recent = || {
        let written = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        written.and_then(|written| written.elapsed().ok()).is_some_and(|age| age < TRANSCRIPT_IS_RECENT)
    };
    // The answer belongs to this turn if the question is the same and the answer is new. After the wait, the same
    // answer is accepted too.
    let is_of_turn = |answer: &LastAnswer, is_over: bool| {
        let asked = state.unanswered.as_ref().is_none_or(|(prompt, _)| *prompt == answer.question);
        asked && (is_over || digest_of(&answer.text) != state.last_answer)
    };
    let length = || std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let (began, mut length_read, mut awaited) = (Instant::now(), u64::MAX, TRANSCRIPT_AWAITED);
    loop {
        let is_over = began.elapsed() >= awaited;
        // A file that has not grown has no new answer.
        if length() == length_read && !is_over {
            std::thread::park_timeout(TRANSCRIPT_LOOK);
            continue;
        }
        length_read = length();
        let read = last_answer(path, TRANSCRIPT_BYTES_MOST);
        awaited = longest_wait(path, read.as_ref().err());
        let is_over = began.elapsed() >= awaited;
        match read {
            Ok(Some(answer)) if is_recent() && is_of_turn(&answer, is_over) => return Some(answer.text),
            Ok(_) if is_over => return None,
            Err(error) if is_over && error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) if is_over => return hooks.or_default("reading the transcript", Err(error.into())),
            Ok(_) | Err(_) => std::thread::park_timeout(TRANSCRIPT_LOOK),
        }
    }
}

/// Longest wait for the answer in the transcript at `path`, which was read without or with an error. No wait helps if it
/// is not an ordinary file that can be read, or if its directory is missing.
fn longest_wait(path: &Path, error: Option<&std::io::Error>) -> Duration {
    match error {
        None => TRANSCRIPT_AWAITED,
        Some(error) if error.kind() == std::io::ErrorKind::NotFound && path.parent().is_some_and(Path::is_dir) => {
            FILE_AWAITED
        }
        Some(_) => Duration::ZERO,
    }
}

/// Learns whether the context shown in a turn helped; `None` if no context was shown.
fn learn(hooks: &Hooks, helped: Option<bool>, answer: Option<&str>) -> anyhow::Result<()> {
    let path = hooks.prior_path();
    let prior = Prior::read(&path);
    hooks.session.append(&SessionEvent::Turn { helped, answer: answer.map_or_else(String::new, digest_of) })?;
    match helped {
        Some(helped) => prior.after(helped).write(&path)?,
        // Not written while it would not change any decision.
        None if prior.added_logit() > 0.0 => prior.faded().write(&path)?,
        None => {}
    }
    Ok(())
}

/// The memory for a ledger item; `None` for a changed file, because git history has it already.
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
        source: MemoryOrigin("hook Stop".to_owned()),
        author: Author::Hook,
        kind,
        expires_at: None,
        code,
    };
    memory.check().is_ok().then_some(memory)
}

/// Topic of the repository's ledger memories.
fn ledger_topic(context: &Context) -> String {
    let name = context.repository_name();
    let room = TOPIC_BYTES_MOST - TOPIC.len();
    format!("{TOPIC}{}", &name[..name.floor_char_boundary(room)])
}

/// What the summary of the conversation must keep. It is printed only if the host adds it to the prompt for the
/// summary.
pub(super) fn before_compaction(hooks: &Hooks, payload: &Payload) -> anyhow::Result<String> {
    let note = match hooks.takes_context() {
        true => note(hooks, &hooks.state()),
        false => String::new(),
    };
    // The output of a command that the user typed stays in the conversation afterwards.
    let is_noted = !note.is_empty() && payload.trigger.as_deref() == Some("manual");
    let keys = if is_noted { keys_in(hooks, &note) } else { Vec::new() };
    hooks.session.append(&SessionEvent::Compacted { is_noted, keys })?;
    Ok(reference_text(&note))
}

/// Keys of the memories whose texts stand in `text`.
pub(super) fn keys_in(hooks: &Hooks, text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let mut memories = hooks.or_default("reading what was shown", ledger_entries(hooks));
    memories.retain(|memory| text.contains(&memory.summary));
    hooks.memory.memory_items(memories, now_ms()).iter().map(memory_key).collect()
}

/// What must be kept, as text; empty if there is nothing.
pub(super) fn note(hooks: &Hooks, state: &SessionState) -> String {
    let note = compaction_note(&hooks.context, &hooks.memory, state);
    hooks.or_default("collecting what must survive", note).text(NOTE_TOKENS)
}

/// The pins of the clone whose files are there.
pub(crate) fn pins_there(context: &Context) -> anyhow::Result<Vec<icr_memory::Pin>> {
    let root = context.engine.root();
    let mut pins = context.engine.pins().live(now())?;
    pins.retain(|pin| pin.path.as_str().is_none_or(|path| root.join(path).symlink_metadata().is_ok()));
    Ok(pins)
}

/// What must be kept of a session: its results, the pins whose files exist, the invariants of the project, and, if it
/// continued earlier sessions, their open todos.
pub(crate) fn compaction_note(
    context: &Context,
    memory: &MemoryContext,
    state: &SessionState,
) -> anyhow::Result<CompactionNote> {
    let pins = pins_there(context)?.into_iter().map(|pin| (pin.path.to_string(), pin.label)).collect();
    let mut note = CompactionNote::new(state, pins);
    let is_kept = context.config.get_bool("hooks.ledger");
    let Some(database) = memory.for_questions()?.filter(|_| is_kept) else { return Ok(note) };
    let earlier = ledger_memories(memory, &database, now_ms())?;
    // Entries that were closed or deleted since are left out.
    let is_there = |kind: LedgerKind, text: &String| {
        earlier.iter().any(|memory| ledger_kind_of(memory) == Some(kind) && memory.summary == *text)
    };
    note.invariants.retain(|text| is_there(LedgerKind::Invariant, text));
    note.todos.retain(|text| is_there(LedgerKind::Todo, text));
    note.decisions.retain(|text| is_there(LedgerKind::Decision, text));
    note.facts.retain(|text| is_there(LedgerKind::Fact, text));
    note.questions.retain(|text| is_there(LedgerKind::Question, text));
    let of = |kind: LedgerKind, most: usize, stated: &[String]| -> Vec<String> {
        let texts = earlier.iter().filter(|memory| ledger_kind_of(memory) == Some(kind));
        let texts = texts.map(|memory| memory.summary.clone());
        // Oldest first, like the session's own entries.
        let mut texts: Vec<String> = texts.filter(|text| !stated.contains(text)).take(most).collect();
        texts.reverse();
        texts
    };
    note.invariants = [of(LedgerKind::Invariant, INVARIANTS_MOST, &note.invariants), note.invariants].concat();
    if state.goes_on {
        note.todos = [of(LedgerKind::Todo, EARLIER_ENTRIES_MOST, &note.todos), note.todos].concat();
    }
    Ok(note)
}

/// Results of earlier sessions, for a session that continues them, and the keys of the memories among them; empty if nothing
/// is known. Leaves out memories that the session was shown.
pub(super) fn continuation(hooks: &Hooks, state: &SessionState) -> anyhow::Result<(String, Vec<String>)> {
    let now = now_ms();
    let is_invariant = |memory: &Memory| ledger_kind_of(memory) == Some(LedgerKind::Invariant);
    let (mut memories, others): (Vec<Memory>, Vec<Memory>) = ledger_entries(hooks)?.into_iter().partition(is_invariant);
    memories.truncate(INVARIANTS_MOST);
    memories.extend(most_urgent(others, EARLIER_ENTRIES_MOST));
    let note = CompactionNote::new(state, Vec::new());
    // What the session itself said is in the note.
    memories.retain(|memory| !note.has(&memory.summary));
    let note = note.text(NOTE_TOKENS / 2);
    let mut items = hooks.memory.memory_items(memories, now);
    items.retain(|item| !state.shown.contains(&memory_key(item)));
    if items.is_empty() && note.is_empty() {
        return Ok(Default::default());
    }
    // The kind says more than the topic, which all these memories share.
    let kind = |item: &icr_memory::MemoryItem| item.keywords.first().unwrap_or(&item.topic).clone();
    let line = |item: &icr_memory::MemoryItem| Preamble::of(item, now).filed_under(kind(item));
    let lines: Vec<Preamble> = items.iter().map(line).collect();
    let limits = PreambleLimits { max_item_chars: 300, max_total_chars: 2_500 };
    let memories = icr_memory::preamble(&lines.iter().map(Preamble::item).collect::<Vec<_>>(), &limits);
    let text = format!("{}{memories}{}", reference_text(&worktree_line(hooks)), reference_text(&note));
    Ok((text, items.iter().map(memory_key).collect()))
}

/// State of the worktree, in one line.
fn worktree_line(hooks: &Hooks) -> String {
    let name = hooks.context.repository_name();
    let freshness = Freshness { time_box: CATCH_UP };
    let asked = hooks.engine().answer(&ViewSelector::Worktree, &freshness, &SilentObserver, |snapshot| {
        Ok((snapshot.name().to_owned(), snapshot.provenance().dirty))
    });
    match asked {
        Ok((view, 0)) => format!("{name}: {view}, nothing uncommitted."),
        Ok((view, dirty)) => format!("{name}: {view}, {} uncommitted.", count_text(dirty, "file", "files")),
        Err(_) => format!("{name}."),
    }
}

/// The kind of ledger entry that a memory holds; the hook that stores it puts the kind among its keywords.
pub(crate) fn ledger_kind_of(memory: &Memory) -> Option<LedgerKind> {
    let names = |kind: &LedgerKind| memory.keywords.iter().any(|keyword| keyword == kind.name());
    LedgerKind::ALL.into_iter().find(names)
}

/// Memories from ledgers of the project, newest first. Several topics are searched, because a topic is named after a
/// directory and a project has one for each worktree and clone.
pub(crate) fn ledger_memories(
    memory: &MemoryContext,
    database: &MemoryDatabase,
    now: UnixMillis,
) -> Result<Vec<Memory>, icr_memory::Error> {
    let request = ListRequest {
        scope: memory.scope(false),
        author: Some(Author::Hook),
        topic_prefix: Some(TOPIC.to_owned()),
        ..ListRequest::default()
    };
    let mut memories = icr_memory::list(database, &request, now)?;
    // Memories dated in the future come from a wrong clock; their real age is unknown, so they go last.
    memories.sort_by_key(|memory| memory.created_at > now);
    Ok(memories)
}

/// Memories from ledgers of the repository, newest first.
fn ledger_entries(hooks: &Hooks) -> anyhow::Result<Vec<Memory>> {
    let Some(database) = hooks.memory.for_questions()? else { return Ok(Vec::new()) };
    Ok(ledger_memories(&hooks.memory, &database, now_ms())?)
}

/// Of `memories`, ordered by age, at most `limit` that a session needs most: todos, then decisions, open questions,
/// facts. Each kind gets at least one place if `limit` allows.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_an_answer_where_none_can_come() {
        let place = tempfile::tempdir().expect("a directory");
        let path = |name: &str| place.path().join(name);
        std::fs::write(path("file"), "").expect("a file can be written");
        let awaited = |path: &Path| longest_wait(path, last_answer(path, 9).as_ref().err());
        assert_eq!(awaited(&path("file")), TRANSCRIPT_AWAITED);
        assert_eq!(awaited(&path("missing")), FILE_AWAITED);
        for odd in [path("no/directory"), path("file/below"), path("."), "/dev/null".into()] {
            assert_eq!(awaited(&odd), Duration::ZERO, "{}", odd.display());
        }
    }
}

//! What a prompt gets: where to look, and what is remembered about it. Nothing, for most.

use std::sync::Arc;
use std::time::Duration;

use icr_agents::{Payload, Prior, SessionEvent, is_continuation};
use icr_engine::{At, Deadline, Freshness, PromptMap, PromptRequest, Silent, Strength};
use icr_memory::{PreambleLimits, RecallRequest, preamble};
use icr_serve::Repository;
use icr_serve::socket::{Kind, Request, RequestError, ask};
use icr_tokens::model_tokens;

use super::{EndsAt, Hooks, shown, turn};
use crate::commands::memory::{PROMPT_SHARE, Preamble, answering};
use crate::memory_place::now_ms;

/// Longest catch-up with a worktree before the answer; what is then still newer is not in it.
const CATCH_UP: Duration = Duration::from_millis(200);

/// The part of a prompt that counts, in bytes: what follows a page of text was pasted.
const PROMPT_BYTES: usize = 10_000;

/// Before the key of a memory among what was shown.
const MEMORY_KEY: &str = "memory ";

pub(super) fn text(hooks: &Hooks, payload: &Payload, ends_at: &EndsAt) -> anyhow::Result<String> {
    let prompt = payload.prompt.as_deref().unwrap_or_default().trim();
    // A command of the host is for the host.
    if prompt.is_empty() || prompt.starts_with('/') || !payload.is_sent_by_user() {
        return Ok(String::new());
    }
    let state = hooks.state();
    if state.prompts == 0 && is_continuation(prompt) {
        let text = turn::continuation(hooks, &state)?;
        hooks.session.append(&SessionEvent::Prompted { keys: Vec::new(), files: Vec::new(), tokens: tokens(&text) })?;
        return Ok(text);
    }
    let request = PromptRequest {
        prompt: prompt[..prompt.floor_char_boundary(PROMPT_BYTES.min(prompt.len()))].to_owned(),
        budget_tokens: hooks.number("hooks.max_context_tokens"),
        shown: state.shown.clone(),
        added_logit: Prior::read(&hooks.prior_path()).added_logit(),
    };
    let map = context(hooks, &request, ends_at)?.unwrap_or_default();
    // A database that cannot be read takes nothing from the map.
    let (memories, ids) = memories(hooks, &request).unwrap_or_default();
    let text = format!("{}{memories}", shown(&map.text));
    let mut keys = map.keys;
    keys.extend(ids);
    // Before it is shown: what was recorded and not shown is lost, the other way round it would be shown twice.
    hooks.session.append(&SessionEvent::Prompted { keys, files: map.files, tokens: tokens(&text) })?;
    Ok(text)
}

/// Where to look: from the warm view of a process that lives long, where one answers, else from the index. A repository without an index is not
/// indexed while somebody waits.
fn context(hooks: &Hooks, request: &PromptRequest, ends_at: &EndsAt) -> anyhow::Result<Option<PromptMap>> {
    let engine = hooks.engine();
    if request.budget_tokens == 0 {
        return Ok(None);
    }
    if let Some(map) = warm(hooks, request, ends_at) {
        return Ok(map);
    }
    if !engine.is_indexed()? {
        return Ok(None);
    }
    let engine = engine.until(&ends_at.deadline());
    let freshness = Freshness { time_box: CATCH_UP };
    Ok(engine.answer(&At::Worktree, &freshness, &Silent, |snapshot| icr_engine::prompt_context(snapshot, request))?)
}

/// What a process that lives long answers; `None` where none does, for whatever reason.
fn warm(hooks: &Hooks, request: &PromptRequest, ends_at: &EndsAt) -> Option<Option<PromptMap>> {
    let engine = hooks.engine();
    let body = serde_json::to_value(request).ok()?;
    let request = Request { kind: KIND.to_owned(), root: engine.root().to_owned(), body };
    let within = WARM_WITHIN.min(ends_at.left()? / 3);
    match ask(&hooks.context.home, engine.repo_id(), &request, within) {
        Ok(Some(Ok(answer))) => serde_json::from_value(answer).ok(),
        Ok(None | Some(Err(_))) | Err(_) => None,
    }
}

/// Longest that a process that lives long is waited for; it answers in a few milliseconds or hangs.
const WARM_WITHIN: Duration = Duration::from_millis(400);

/// What the local socket calls the question.
const KIND: &str = "prompt";

/// Answers the question on the local socket, from a warm view.
pub(crate) fn socket_kind() -> Kind {
    let answer = |repository: &Repository, deadline: &Deadline, body: serde_json::Value| {
        let request: PromptRequest = serde_json::from_value(body).map_err(|error| RequestError {
            code: RequestError::BAD_REQUEST.to_owned(),
            message: format!("no prompt: {error}"),
        })?;
        let asked = |snapshot: &icr_engine::Snapshot| icr_engine::prompt_context(snapshot, &request);
        let (map, _) = repository.ask(&At::Worktree, deadline, asked)?;
        serde_json::to_value(map)
            .map_err(|error| RequestError { code: "INTERNAL".to_owned(), message: error.to_string() })
    };
    Kind { name: KIND, needs_index: true, answer: Arc::new(answer) }
}

/// What is remembered about the prompt, as bullets, and what tells them from others. Only what surely answers, and nothing that was shown.
fn memories(hooks: &Hooks, request: &PromptRequest) -> anyhow::Result<(String, Vec<String>)> {
    let most = hooks.number("hooks.max_bullets") as usize;
    let memory = &hooks.memory;
    let Some(database) = memory.for_questions()?.filter(|_| most > 0) else { return Ok(Default::default()) };
    let now = now_ms();
    let recall = RecallRequest {
        query: request.prompt.clone(),
        scope: memory.scope(false),
        limit: most * 2,
        ..RecallRequest::default()
    };
    let recalled = icr_memory::recall(&database, &recall, now)?;
    if recalled.strength != Strength::Strong {
        return Ok(Default::default());
    }
    let (items, _) = memory.items(&answering(&recalled.memories, PROMPT_SHARE));
    let key = |item: &icr_memory::MemoryItem| format!("{MEMORY_KEY}{} {}", item.id, item.summary.len());
    let items: Vec<_> = items.into_iter().filter(|item| !request.shown.contains(&key(item))).take(most).collect();
    let preambles: Vec<Preamble> = items.iter().map(|item| Preamble::of(item, now)).collect();
    let number = |name| usize::try_from(memory.config.get_integer(name)).unwrap_or(1);
    let limits = PreambleLimits {
        max_item_chars: number("recall.max_item_chars"),
        max_total_chars: number("recall.max_total_chars"),
    };
    let text = preamble(&preambles.iter().map(Preamble::item).collect::<Vec<_>>(), &limits);
    Ok((text, items.iter().map(key).collect()))
}

fn tokens(text: &str) -> u32 {
    model_tokens(text.as_bytes())
}

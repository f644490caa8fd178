//! Context for a prompt: where to look, and memories about it. Most prompts get nothing.

use std::sync::Arc;
use std::time::Duration;

use icr_agents::transcript::{said_digest, said_in_prompt};
use icr_agents::{CONTINUATION_KEY, Payload, Prior, SessionEvent, is_continuation, looks_back, prompt_sketch};
use icr_engine::{
    Deadline, Freshness, LONGEST_QUERY, PromptMap, PromptRequest, SilentObserver, Strength, ViewSelector,
};
use icr_memory::RecallRequest;
use icr_model::UnixMillis;
use icr_serve::ServedRepository;
use icr_serve::socket::{Request, RequestError, RequestKind, ask};
use icr_tokens::model_tokens;

use super::{Hooks, ProcessDeadline, TWIN_MS, memory_key, reference_text, turn};
use crate::commands::memory::{PROMPT_SHARE, preamble_of};
use crate::memory_context::{CATCH_UP, now_ms};

/// Number of prompts that count as the start of a session: the first may be just a greeting.
const BEGINNING_PROMPTS: usize = 3;

pub(super) fn prompt_text(hooks: &Hooks, payload: &Payload, ends_at: &ProcessDeadline) -> anyhow::Result<String> {
    let sent = payload.prompt.as_deref().unwrap_or_default();
    let prompt = said_in_prompt(sent);
    let prompt = prompt.as_str();
    if prompt.is_empty() || is_command(prompt) || !payload.is_sent_by_user() {
        return Ok(String::new());
    }
    let state = hooks.state();
    // The transcript holds the prompt as it was sent.
    let (now, digest, sketch) = (now_ms(), said_digest(sent), prompt_sketch(prompt));
    let prompted = |keys, files, text: &str| {
        let (tokens, prompt) = (model_tokens(text.as_bytes()), digest.clone());
        hooks.session.append(&SessionEvent::Prompted { keys, files, tokens, prompt, sketch, at: now })
    };
    let is_twin = |(prompt, at): &(String, UnixMillis)| *prompt == digest && (0..TWIN_MS).contains(&(now.0 - at.0));
    if state.unanswered.as_ref().is_some_and(is_twin) {
        return Ok(String::new());
    }
    if !hooks.takes_context() {
        prompted(Vec::new(), Vec::new(), "")?;
        return Ok(String::new());
    }
    // Later in a session, the model knows its task already.
    let begins = state.prompts < BEGINNING_PROMPTS && !state.has_work && !state.shown.contains(CONTINUATION_KEY);
    if (state.prompts == 0 && is_continuation(prompt)) || (begins && looks_back(prompt)) {
        let (text, mut keys) = turn::continuation(hooks, &state)?;
        if !text.is_empty() {
            keys.push(CONTINUATION_KEY.to_owned());
            prompted(keys, Vec::new(), &text)?;
            return Ok(text);
        }
    }
    let request = PromptRequest {
        // Text after the first page is assumed to be pasted.
        prompt: prompt[..prompt.floor_char_boundary(LONGEST_QUERY)].to_owned(),
        budget_tokens: hooks.number("hooks.max_context_tokens"),
        shown: state.shown_before(sketch),
        added_logit: Prior::read(&hooks.prior_path()).added_logit(),
    };
    let map = hooks.or_default("asking the index", context(hooks, &request, ends_at)).unwrap_or_default();
    let (memories, ids) = hooks.or_default("recalling memories", memories(hooks, &request));
    let text = format!("{}{memories}", reference_text(&map.text));
    let mut keys = map.keys;
    keys.extend(ids);
    // Recorded before it is printed: if the process dies in between, the text is lost instead of being shown twice.
    prompted(keys, map.files, &text)?;
    Ok(text)
}

/// Whether a prompt is a command of the host, such as `/compact`, and no path.
fn is_command(prompt: &str) -> bool {
    let word = prompt.split_whitespace().next().unwrap_or_default();
    word.strip_prefix('/').is_some_and(|name| !name.contains(['/', '.']))
}

/// Where to look: from the warm view of a long-lived process if one answers, else from the index. A repository without
/// an index is not indexed while the host waits.
fn context(hooks: &Hooks, request: &PromptRequest, ends_at: &ProcessDeadline) -> anyhow::Result<Option<PromptMap>> {
    let engine = hooks.engine();
    if request.budget_tokens == 0 {
        return Ok(None);
    }
    if let Some(map) = from_warm_view(hooks, request, ends_at) {
        return Ok(map);
    }
    if !engine.store().is_indexed()? {
        return Ok(None);
    }
    let engine = engine.with_deadline(&ends_at.deadline());
    let freshness = Freshness { time_box: CATCH_UP };
    Ok(engine.answer(&ViewSelector::Worktree, &freshness, &SilentObserver, |snapshot| {
        icr_engine::prompt_context(snapshot, request)
    })?)
}

/// Answer of a long-lived process; `None` if there is none or it fails.
fn from_warm_view(hooks: &Hooks, request: &PromptRequest, ends_at: &ProcessDeadline) -> Option<Option<PromptMap>> {
    let engine = hooks.engine();
    let body = serde_json::to_value(request).ok()?;
    let request = Request { kind: KIND.to_owned(), root: engine.root().to_owned(), body };
    let within = WARM_WITHIN.min(ends_at.remaining_time()? / 3);
    match ask(&hooks.context.home, engine.repo_id(), &request, within) {
        Ok(Some(Ok(answer))) => serde_json::from_value(answer).ok(),
        Ok(None | Some(Err(_))) | Err(_) => None,
    }
}

/// Longest wait for a long-lived process: it answers in a few milliseconds or it hangs.
const WARM_WITHIN: Duration = Duration::from_millis(400);

/// Name of this request on the local socket.
const KIND: &str = "prompt";

/// Answers the question on the local socket, from a warm view.
pub(crate) fn socket_kind() -> RequestKind {
    let answer = |repository: &ServedRepository, deadline: &Deadline, body: serde_json::Value| {
        let request: PromptRequest = serde_json::from_value(body)
            .map_err(|error| RequestError::new(RequestError::BAD_REQUEST, format!("no prompt: {error}")))?;
        let asked = |snapshot: &icr_engine::Snapshot| icr_engine::prompt_context(snapshot, &request);
        let (map, _) = repository.ask(&ViewSelector::Worktree, deadline, asked)?;
        serde_json::to_value(map).map_err(|error| RequestError::new(RequestError::INTERNAL, error.to_string()))
    };
    RequestKind { name: KIND, needs_index: true, answer: Arc::new(answer) }
}

/// Memories about the prompt as bullets, and their keys. Only memories that clearly match, and none that was shown
/// before.
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
    let (items, _) = memory.items(&icr_memory::answering(&recalled.memories, PROMPT_SHARE));
    let items: Vec<_> =
        items.into_iter().filter(|item| !request.shown.contains(&memory_key(item))).take(most).collect();
    Ok((preamble_of(memory, &items, now), items.iter().map(memory_key).collect()))
}

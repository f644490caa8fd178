//! What a prompt gets: where to look, and what is remembered about it. Nothing, for most.

use std::time::Duration;

use icr_agents::{Payload, Prior, SessionEvent, is_continuation};
use icr_engine::{At, Freshness, PromptMap, PromptRequest, Silent, Strength};
use icr_memory::{PreambleLimits, RecallRequest, preamble};
use icr_tokens::model_tokens;

use super::{EndsAt, Hooks, turn};
use crate::commands::memory::{PROMPT_SHARE, Preamble, answering};
use crate::memory_place::now_ms;

/// Longest catch-up with a worktree before the answer; what is then still newer is not in it.
const CATCH_UP: Duration = Duration::from_millis(200);

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
        prompt: prompt.to_owned(),
        budget_tokens: hooks.number("hooks.max_context_tokens"),
        shown: state.shown.clone(),
        least_logit: Prior::read(&hooks.prior_path()).least_logit(),
    };
    let map = context(hooks, &request, ends_at)?.unwrap_or_default();
    // A database that cannot be read takes nothing from the map.
    let (memories, ids) = memories(hooks, &request).unwrap_or_default();
    let text = format!("{}{memories}", map.text);
    let mut keys = map.keys;
    keys.extend(ids);
    // Before it is shown: what was recorded and not shown is lost, the other way round it would be shown twice.
    hooks.session.append(&SessionEvent::Prompted { keys, files: map.files, tokens: tokens(&text) })?;
    Ok(text)
}

/// Where to look, from the index as it is. A repository without one is not indexed while somebody waits.
fn context(hooks: &Hooks, request: &PromptRequest, ends_at: &EndsAt) -> anyhow::Result<Option<PromptMap>> {
    let engine = hooks.engine();
    if request.budget_tokens == 0 || !engine.is_indexed()? {
        return Ok(None);
    }
    let engine = engine.until(&ends_at.deadline());
    let freshness = Freshness { time_box: CATCH_UP };
    Ok(engine.answer(&At::Worktree, &freshness, &Silent, |snapshot| icr_engine::prompt_context(snapshot, request))?)
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

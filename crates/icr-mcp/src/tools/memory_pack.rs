//! `memory_pack`: code for a question, under a token budget.

use std::time::Duration;

use icr_engine::{PackBudgets, PackMode, PackRequest};
use icr_serve::ServedRepository;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::paths::all_relative;
use crate::reply::{Reply, format_count, word};
use crate::settings::Limits;
use icr_serve::{CallFailure, ShownPlaces, Violation};

/// Largest budget that an agent may ask for, whatever a configuration allows people.
const BUDGET_MOST: u32 = 12_000;

/// Model tokens reserved beside a pack for text about it, for packs where that text is longer than half of the pack.
const FRAME_TOKENS: u32 = 500;

/// Candidates that the answer names although they are not in the pack. A caller who wants more asks for a larger pack.
const LEFT_OUT_NAMED: usize = 3;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct MemoryPackInput {
    #[schemars(length(min = 1, max = 10_000))]
    prompt: String,
    #[serde(default)]
    mode: MemoryPackMode,
    #[schemars(range(min = 512, max = 12_000))]
    budget_tokens: Option<u32>,
    #[serde(default = "sources")]
    #[schemars(range(min = 5, max = 50))]
    k: u32,
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(max = 4096)))]
    focus_paths: Vec<String>,
    #[serde(default)]
    pinned_only: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MemoryPackMode {
    #[default]
    Auto,
    Pack,
    Rlm,
}

impl From<MemoryPackMode> for PackMode {
    fn from(mode: MemoryPackMode) -> Self {
        match mode {
            MemoryPackMode::Auto => Self::Auto,
            MemoryPackMode::Pack => Self::Pack,
            MemoryPackMode::Rlm => Self::Rlm,
        }
    }
}

fn sources() -> u32 {
    20
}

/// Asking in other words takes several searches.
pub(crate) fn limit(limits: &Limits, arguments: &JsonObject) -> Duration {
    match arguments.get("mode").and_then(Value::as_str) {
        Some("rlm") => limits.rlm,
        _ => limits.pack,
    }
}

pub(crate) fn run(call: &CallContext<'_>, input: MemoryPackInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let request = PackRequest {
        budget_tokens: budget(&repository.configuration().budgets, input.budget_tokens)?,
        k: input.k as usize,
        mode: input.mode.into(),
        focus: all_relative(repository.root(), "focus_paths", &input.focus_paths)?,
        pinned_only: input.pinned_only,
        rules: repository.configuration().pack,
        ..PackRequest::new(input.prompt)
    };
    Reply::within_budget(call.settings, request.budget_tokens, |budget_tokens| {
        packed(call, &repository, &request, budget_tokens)
    })
}

/// The pack of `request` under `budget_tokens`, which may be fewer tokens than the caller asked for.
fn packed(
    call: &CallContext<'_>,
    repository: &ServedRepository,
    request: &PackRequest,
    budget_tokens: u32,
) -> Result<Reply, CallFailure> {
    let now = call.now();
    let (answer, provenance) = call.ask(repository, |snapshot| {
        // The searches must end early enough to lay out the results.
        let time_limit = request.rules.time_limit.min(call.remaining().mul_f64(0.8));
        let mut request = PackRequest { budget_tokens, ..request.clone() };
        request.rules.time_limit = time_limit;
        icr_engine::pack_with_pins(snapshot, &request, now)
    })?;
    let (gating, metadata) = (&answer.gating, &answer.metadata);
    let (mode, reason) = (word(&gating.mode_used), word(&gating.gating_reason));
    let mode = format!("mode {mode} ({reason}, entropy {:.2} nats)", gating.entropy.nats);
    // Copies and irrelevant candidates would not be in a larger pack either.
    let has_no_room = |reason: &str| ["budget", "pin_share"].contains(&reason);
    let omitted = answer.omitted.iter().filter(|omission| has_no_room(&word(&omission.reason)));
    let omitted = omitted.map(|omission| format!("{}:{}-{}", omission.path, omission.start_line, omission.end_line));
    let sources = format_count(answer.sources.len() as u64, "source");
    let pinned = answer.sources.iter().filter(|source| source.is_pinned).count();
    let shown = ShownPlaces::of(&json!({ "metadata": answer.metadata, "sources": answer.sources }));
    Ok(Reply::text(answer.pack_content)
        .fact(format!("strength {}", answer.strength.name()))
        .fact(mode)
        .fact(format!("{} of {} tokens", metadata.tokens_used, request.budget_tokens))
        .fact(format!("{} left", metadata.tokens_remaining))
        .fact(format!("{sources} of {} considered, {pinned} pinned", metadata.sources_considered))
        .with_budget(request.budget_tokens + FRAME_TOKENS)
        .from(provenance.with_gaps(&answer.gaps))
        .showing(shown)
        .noting(answer.warnings)
        .noting(left_out(&omitted.collect::<Vec<_>>())))
}

/// The best candidates that a larger pack would hold. The first ones are named.
fn left_out(places: &[String]) -> Option<String> {
    let named = places.iter().take(LEFT_OUT_NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = places.len().saturating_sub(LEFT_OUT_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!places.is_empty()).then(|| format!("no room for {named}{more}"))
}

/// The budget of the pack: the requested one, within the limits of the configuration.
fn budget(budgets: &PackBudgets, asked: Option<u32>) -> Result<u32, CallFailure> {
    let budgets = PackBudgets {
        default: budgets.default.map(|tokens| tokens.min(BUDGET_MOST)),
        most: budgets.most.min(BUDGET_MOST),
    };
    budgets.choose(asked).map_err(|_| {
        CallFailure::validation(Violation {
            field: "budget_tokens",
            constraint: "maximum",
            value: &json!(asked),
            allowed: json!(budgets.most),
            problem: format!("is more than the configuration allows, `pack.max_budget_tokens` = {}", budgets.most),
        })
    })
}

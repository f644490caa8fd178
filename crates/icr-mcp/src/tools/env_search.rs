//! `env_search`: files and lines that answer a query.

use std::sync::Arc;
use std::time::Duration;

use icr_engine::{
    Basis, Channel, Provenance, SearchHit, SearchMode, SearchRequest, SearchResults, SearchScope, Strength,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::cursor::List;
use crate::page::Page;
use crate::paths::relative;
use crate::reply::{ID_DIGITS, Reply};
use icr_serve::CallFailure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct EnvSearchInput {
    #[schemars(length(min = 1, max = 2000))]
    query: String,
    scope: EnvSearchScope,
    path_prefix: Option<String>,
    #[schemars(length(max = 50))]
    language: Option<String>,
    #[schemars(range(min = 1, max = 604_800))]
    time_window_seconds: Option<u32>,
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u32>,
    cursor: Option<String>,
    #[serde(default)]
    explain: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum EnvSearchScope {
    Repo,
    Transcript,
    Diffs,
    Contracts,
    All,
}

impl From<EnvSearchScope> for SearchScope {
    fn from(scope: EnvSearchScope) -> Self {
        match scope {
            EnvSearchScope::Repo => Self::Repo,
            EnvSearchScope::Transcript => Self::Transcript,
            EnvSearchScope::Diffs => Self::Diffs,
            EnvSearchScope::Contracts => Self::Contracts,
            EnvSearchScope::All => Self::All,
        }
    }
}

/// Most items of a page where nobody says how many.
const LIMIT: u32 = 20;

pub(crate) fn run(call: &CallContext<'_>, input: EnvSearchInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let list = List::of("env_search", &input.query);
    let page = Page::of(list, input.cursor.as_deref(), input.limit, LIMIT)?;
    let prefix = input.path_prefix.as_deref().filter(|prefix| !prefix.is_empty());
    let request = SearchRequest {
        query: input.query.clone(),
        limit: page.needed(),
        language: input.language.clone().filter(|language| !language.is_empty()),
        path_prefix: prefix.map(|prefix| relative(repository.root(), "path_prefix", prefix)).transpose()?,
        mode: SearchMode::Hybrid,
        scope: input.scope.into(),
        focus: Vec::new(),
        pinned: Vec::new(),
        time_window: input.time_window_seconds.map(|seconds| Duration::from_secs(u64::from(seconds))),
        transcripts: SearchScope::from(input.scope)
            .has_transcripts()
            .then(|| Arc::new(repository.configuration().transcripts.read(&call.deadline))),
    };
    let now = call.now();
    let (found, provenance): (SearchResults, Provenance) =
        call.ask(&repository, |snapshot| icr_engine::search_with_pins(snapshot, &request, now))?;
    let explanation = input.explain.then(|| explanation(&found));
    let items = found.shown_hits().iter().map(|hit| result(hit, input.explain)).collect();
    let mut reply = page.reply("results", items, found.total_count, call.settings);
    reply = reply.and("strength", json!(found.strength));
    if found.strength == Strength::None && !found.shown_hits().is_empty() {
        reply = reply.noting(["no match: these are the nearest files".to_owned()]);
    }
    if let Some(explanation) = explanation {
        reply = reply.and("explanation", explanation);
    }
    Ok(reply.from(provenance.with_gaps(&found.gaps)))
}

fn result(hit: &SearchHit, explain: bool) -> Value {
    let mut result = json!({
        "id": short_id(&hit.id),
        "path": hit.path,
        "symbol": hit.symbol,
        "content_preview": hit.preview,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "score": hit.score,
        "match_type": hit.match_type,
    });
    if let (Some(commit), Some(subject)) = (&hit.commit, &hit.subject) {
        result["commit"] = json!(&commit[..commit.len().min(ID_DIGITS)]);
        result["subject"] = json!(subject);
    }
    if let Some(speaker) = hit.speaker {
        result["speaker"] = json!(speaker);
        result["said_at"] = json!(hit.said_at);
    }
    if let Some(scope) = hit.scope {
        result["scope"] = json!(scope);
    }
    if explain {
        let parts =
            hit.explanation.iter().filter(|(_, part)| *part != 0.0).map(|(name, part)| (name.clone(), json!(part)));
        result["explanation"] = Value::Object(parts.collect());
    }
    result
}

/// How the search was done. The counts are those of this page's search.
fn explanation(found: &SearchResults) -> Value {
    let matches = |basis: Basis| {
        let is_of = |name: &str| Channel::from_name(name).is_some_and(|channel| channel.basis() == basis);
        let has = |hit: &&SearchHit| hit.explanation.iter().any(|(name, part)| *part > 0.0 && is_of(name));
        found.results.iter().filter(has).count()
    };
    let semantic_matches = matches(Basis::Vectors);
    json!({
        "strategy": if semantic_matches > 0 { "hybrid" } else { "lexical" },
        "semantic_matches": semantic_matches,
        "lexical_matches": matches(Basis::Words),
        "merged_candidates": found.total_count,
    })
}

/// A short chunk id. It is unique, since chunks of one blob begin at different bytes.
fn short_id(id: &str) -> &str {
    match id.split(':').collect::<Vec<_>>()[..] {
        [_, bytes, _] if bytes.split('-').all(|byte| byte.parse::<u32>().is_ok()) => {
            id.find('-').map_or(id, |end| &id[..end])
        }
        _ => id,
    }
}

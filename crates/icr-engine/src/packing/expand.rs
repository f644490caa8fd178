//! Asking in other words until an answer stands out, a bound is met or the time is over.

use crate::packing::hits::gather_hits;
use std::collections::HashMap;
use std::time::Instant;

use icr_model::Gap;
use icr_pack::{Expansion, Found, decompose};
use icr_rank::{FileKind, QueryShape};

use super::answer::{PackExpansion, PackSearch};
use super::hits::{Hit, add_gaps};
use super::pack::PackRules;
use crate::{Error, SearchRequest, SearchScope, Snapshot};

/// What an expansion came to.
pub(super) enum Outcome {
    /// The best of everything that was found, best first, with the scores of all searches together.
    Done { hits: Vec<Hit>, expansion: PackExpansion, gaps: Vec<Gap> },
    /// The time was over after so many further searches.
    TimedOut { searches: usize },
}

/// Searches for the sub-queries of `first_request`, whose search found `first`. Between two searches the clock is looked
/// at, and nothing is begun at `deadline` or after it; a search that began is waited for.
pub(super) fn expand(
    snapshot: &Snapshot,
    first_request: &SearchRequest,
    first: &[Hit],
    rules: &PackRules,
    deadline: Option<Instant>,
) -> Result<Outcome, Error> {
    let asked = QueryShape::of(&first_request.query);
    let mut hits: HashMap<String, Hit> = HashMap::new();
    let mut gaps = Vec::new();
    let mut searches = Vec::new();
    let mut expansion = Expansion::new(decompose(&first_request.query), &recorded(first), rules.limits, rules.bonus);
    hits.extend(first.iter().map(|hit| (hit.key(), hit.clone())));
    while let Some(sub_query) = expansion.next_query() {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(Outcome::TimedOut { searches: searches.len() });
        }
        let scope = if sub_query.template.is_contract { SearchScope::Contracts } else { SearchScope::Repo };
        let request = SearchRequest { query: sub_query.query.clone(), scope, ..first_request.clone() };
        let mut found = gather_hits(snapshot, &request, first_request.limit)?;
        lower(&mut found.hits, &asked, &QueryShape::of(&sub_query.query));
        expansion.record(&recorded(&found.hits));
        searches.push(PackSearch {
            query: sub_query.query,
            template: sub_query.template.name,
            about: sub_query.about,
            candidates: found.hits.len(),
        });
        for hit in found.hits {
            hits.entry(hit.key()).or_insert(hit);
        }
        add_gaps(&mut gaps, found.gaps);
    }
    let expanded = expansion.finish();
    let scored = |fused: icr_pack::Fused| Some(hits.get(&fused.id)?.scored(fused.score));
    Ok(Outcome::Done {
        hits: expanded.candidates.into_iter().filter_map(scored).collect(),
        expansion: PackExpansion {
            searches,
            stop_reason: expanded.stop_reason,
            is_partial: expanded.is_partial,
            steps_used: expanded.steps_used,
            steps_remaining: expanded.steps_remaining,
        },
        gaps,
    })
}

/// Takes from what a sub-query found what only that sub-query asked for: tests are support for a task that does not speak
/// of tests, and would lead the pack when their search counts as much as the others.
fn lower(hits: &mut [Hit], asked: &QueryShape, sub_query: &QueryShape) {
    for hit in hits {
        let Some(kind) = FileKind::of(&hit.path) else { continue };
        if let (Some(penalty), None) = (kind.penalty(asked), kind.penalty(sub_query)) {
            hit.score *= penalty.factor;
        }
    }
}

/// Hits as an expansion counts them.
fn recorded(hits: &[Hit]) -> Vec<Found> {
    let found = |hit: &Hit| Found {
        id: hit.key(),
        path: hit.path.to_string(),
        start_line: hit.start_line,
        score: hit.score,
        source: hit.found_by.to_owned(),
    };
    hits.iter().map(found).collect()
}

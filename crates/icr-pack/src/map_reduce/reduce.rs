//! The most relevant passages of all sources.

use std::collections::{BTreeMap, HashSet};

use icr_tokens::model_tokens;

use super::Extract;
use super::lines::{Passage, SourceLines};
use super::prompt_terms::{Phase, PromptTerms};

/// Passages of one file by their first line, each with the number of its source.
type Passages = BTreeMap<u32, (usize, Passage)>;

/// Text and passages that cost at most `budget_tokens`: the best of every source first, then the others, best first. A
/// passage with the same words as an earlier one is left out. The result is ordered by file, best file first, and by
/// line.
pub(super) fn reduce(
    sources: &[&SourceLines<'_>],
    found: &[Vec<Passage>],
    wanted: &PromptTerms,
    budget_tokens: u32,
) -> (String, Vec<Extract>) {
    let mut left = budget_tokens;
    let mut said: HashSet<String> = HashSet::new();
    let mut shown_lines: HashSet<(&str, u32)> = HashSet::new();
    // Files in the order in which they were first placed; sources can be parts of one file.
    let mut files: Vec<(&str, Passages)> = Vec::new();
    for (at, passage) in by_relevance(sources, found, wanted) {
        let source = sources[at];
        for candidate in [passage.clone(), source.best_line(passage, wanted)] {
            let places: Vec<(&str, u32)> =
                candidate.lines.clone().map(|line| (source.path, source.number(line))).collect();
            if places.iter().any(|place| shown_lines.contains(place)) || said.contains(&source.words_only(&candidate)) {
                break;
            }
            let cost = model_tokens(source.text_of(&candidate).as_bytes());
            if cost > left {
                continue;
            }
            left -= cost;
            said.insert(source.words_only(&candidate));
            shown_lines.extend(places);
            let start = source.number(*candidate.lines.start());
            match files.iter_mut().find(|(path, _)| *path == source.path) {
                Some((_, passages)) => drop(passages.insert(start, (at, candidate))),
                None => files.push((source.path, BTreeMap::from([(start, (at, candidate))]))),
            }
            break;
        }
    }
    let placed = files.iter().flat_map(|(_, passages)| passages.values());
    let extract =
        |(at, passage): &(usize, Passage)| sources[*at].extract(passage, wanted.weight(passage.mask, Phase::Reduce));
    (placed.clone().map(|(at, passage)| sources[*at].text_of(passage)).collect(), placed.map(extract).collect())
}

/// All passages with the numbers of their sources: first the best passage of each source, then the others; each part by
/// weight, path and line.
fn by_relevance<'a>(
    sources: &[&SourceLines<'_>],
    found: &'a [Vec<Passage>],
    wanted: &PromptTerms,
) -> Vec<(usize, &'a Passage)> {
    let weight = |passage: &Passage| wanted.weight(passage.mask, Phase::Reduce);
    let mut rows: Vec<(bool, usize, &Passage)> = Vec::new();
    for (at, passages) in found.iter().enumerate() {
        let best = (0..passages.len())
            .reduce(|best, at| if weight(&passages[at]) > weight(&passages[best]) { at } else { best });
        rows.extend(passages.iter().enumerate().map(|(place, passage)| (Some(place) != best, at, passage)));
    }
    rows.sort_by(|(a_later, a_source, a), (b_later, b_source, b)| {
        let place =
            |source: usize, passage: &Passage| (sources[source].path, sources[source].number(*passage.lines.start()));
        let by_weight = weight(b).total_cmp(&weight(a));
        a_later.cmp(b_later).then(by_weight).then_with(|| place(*a_source, a).cmp(&place(*b_source, b)))
    });
    rows.into_iter().map(|(_, source, passage)| (source, passage)).collect()
}

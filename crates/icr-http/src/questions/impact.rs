//! Questions about a change.

use icr_engine::{ChangeSource, ImpactRules, LineDiffRequest};
use icr_serve::{CallFailure, Code};
use schemars::JsonSchema;
use serde::Deserialize;

use super::QuestionContext;
use crate::answer::JsonAnswer;

/// The change, named in one of four ways.
#[derive(Deserialize, JsonSchema)]
struct ChangeInput {
    /// Revisions as git names them: `A..B`, `A...B`
    #[schemars(length(min = 1, max = 1000))]
    range: Option<String>,
    /// A commit, compared with its parent
    #[schemars(length(min = 1, max = 1000))]
    rev: Option<String>,
    /// Staged changes against HEAD
    #[serde(default)]
    staged: bool,
    /// The worktree against HEAD; the default
    #[serde(default)]
    worktree: bool,
}

impl ChangeInput {
    fn source(&self) -> Result<ChangeSource, CallFailure> {
        let named: Vec<ChangeSource> = [
            self.range.clone().map(ChangeSource::Revisions),
            self.rev.clone().map(ChangeSource::Revisions),
            self.staged.then_some(ChangeSource::Staged),
            self.worktree.then_some(ChangeSource::Worktree),
        ]
        .into_iter()
        .flatten()
        .collect();
        match <[ChangeSource; 1]>::try_from(named) {
            Ok([source]) => Ok(source),
            Err(none) if none.is_empty() => Ok(ChangeSource::Worktree),
            Err(_) => Err(CallFailure::new(
                Code::ValidationError,
                "only one of `range`, `rev`, `staged` and `worktree` names a change",
            )),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ImpactInput {
    #[serde(flatten)]
    change: ChangeInput,
    /// How far dependents are followed
    #[schemars(range(min = *ImpactRules::DEPTH.start(), max = *ImpactRules::DEPTH.end()))]
    depth: Option<u32>,
}

pub(super) fn impact(asked: &QuestionContext<'_>, input: ImpactInput) -> Result<JsonAnswer, CallFailure> {
    impact_of(asked, input.change.source()?, input.depth)
}

fn impact_of(asked: &QuestionContext<'_>, source: ChangeSource, depth: Option<u32>) -> Result<JsonAnswer, CallFailure> {
    let bounded = |rules: ImpactRules| rules.with_requested_limits(depth, None, None);
    let (impact, provenance) = asked.repository()?.impact(&asked.deadline, source, bounded)?;
    Ok(JsonAnswer::of(&impact)?.from(&provenance, &[]))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct DiffInput {
    #[serde(flatten)]
    change: ChangeInput,
    /// Only this file
    #[schemars(length(min = 1, max = 4096))]
    path: Option<String>,
}

pub(super) fn diff(asked: &QuestionContext<'_>, input: DiffInput) -> Result<JsonAnswer, CallFailure> {
    let request = LineDiffRequest { source: input.change.source()?, path: input.path };
    let (diff, provenance) = asked.repository()?.line_diff(&asked.deadline, &request)?;
    Ok(JsonAnswer::of(&diff)?.from(&provenance, &[]))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct PatchInput {
    /// A unified diff; of a `text/x-diff` request, the body itself. An empty one changes nothing
    patch: String,
    /// How far dependents are followed
    #[schemars(range(min = *ImpactRules::DEPTH.start(), max = *ImpactRules::DEPTH.end()))]
    depth: Option<u32>,
}

pub(super) fn impact_of_patch(asked: &QuestionContext<'_>, input: PatchInput) -> Result<JsonAnswer, CallFailure> {
    impact_of(asked, ChangeSource::Patch(input.patch.into_bytes().into()), input.depth)
}

//! `impact_diff`: what a change given as a range, a commit or a patch breaks and touches.

use std::sync::Arc;

use icr_engine::{ChangeSource, ImpactRules, ViewSelector};
use icr_impact::{BrokenUse, ContractChange, ExpectedFile, Impact, Severity};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::reply::Reply;
use icr_serve::{CallFailure, Violation};

/// Most reasons that are told of a file, heaviest first.
const REASONS: usize = 2;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ImpactDiffInput {
    /// `A..B` or a commit; default: uncommitted changes
    #[schemars(length(max = 512))]
    range: Option<String>,
    /// Unified diff
    #[schemars(length(max = 4_000_000))]
    diff: Option<String>,
    #[schemars(range(min = *ImpactRules::DEPTH.start(), max = *ImpactRules::DEPTH.end()))]
    depth: Option<u32>,
    #[schemars(range(min = *ImpactRules::NODES.start(), max = *ImpactRules::NODES.end()))]
    max_nodes: Option<u32>,
}

pub(crate) fn run(call: &CallContext<'_>, input: ImpactDiffInput) -> Result<Reply, CallFailure> {
    let named = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let range = match (&call.at, named(input.range)) {
        (ViewSelector::Revision(rev), None) if input.diff.is_none() => Some(rev.clone()),
        (ViewSelector::Revision(rev), _) => {
            return Err(CallFailure::validation(Violation {
                field: "rev",
                constraint: "alone",
                value: &json!(rev),
                allowed: json!("`rev`, `range` or `diff`"),
                problem: "does not go with `range` or `diff`: each says what changed; leave one out".to_owned(),
            }));
        }
        (_, range) => range,
    };
    let source = match (range, named(input.diff)) {
        (None, None) => ChangeSource::Worktree,
        (Some(range), None) => ChangeSource::Revisions(range),
        (None, Some(diff)) => ChangeSource::Patch(Arc::from(diff.into_bytes())),
        (Some(range), Some(_)) => {
            return Err(CallFailure::validation(Violation {
                field: "range",
                constraint: "not_with_diff",
                value: &Value::String(range),
                allowed: json!("`range` or `diff`"),
                problem: "does not go with `diff`: both say what changed; leave one out".to_owned(),
            }));
        }
    };
    let repository = call.repository()?;
    let bounded = |rules: ImpactRules| rules.with_requested_limits(input.depth, input.max_nodes, None);
    let (impact, provenance) = call.impact(&repository, source, bounded)?;
    Ok(Reply::of(&diff_impact_json(&impact))?.from(provenance))
}

/// What an agent acts on: what may break, what seems forgotten, what to test and to read.
fn diff_impact_json(impact: &Impact) -> Value {
    let changed = impact.changed.iter().map(|file| {
        let mut row = json!({ "path": file.path, "status": file.status });
        if let Some(old) = &file.old_path {
            row["old_path"] = json!(old);
        }
        row
    });
    let symbols = impact.changed_symbols.iter().map(|symbol| {
        json!({
            "path": symbol.path,
            "name": symbol.qualified_name,
            "change": symbol.change,
            "severity": symbol.severity,
            "line": symbol.line,
        })
    });
    let direct = impact.direct_dependents.iter().map(|file| {
        json!({
            "path": file.path,
            "references": file.references,
            "impact_level": file.impact_level,
            "symbols": file.symbols,
            "lines": file.lines,
        })
    });
    let transitive = impact
        .transitive_dependents
        .iter()
        .map(|file| json!({ "path": file.path, "depth": file.depth, "impact_level": file.impact_level }));
    let contracts = impact.contract_impact.changes.iter().map(contract);
    let missing = impact
        .missing
        .iter()
        .map(|file| json!({ "path": file.path, "probability": file.probability, "reasons": reasons(file) }));
    let tests = impact.tests.iter().filter(|test| test.selected);
    let mut answer = json!({
        "verdict": impact.verdict,
        "summary": impact.summary,
        "impact_score": impact.impact_score,
        "risk": impact.risk.level,
        "changed": changed.collect::<Vec<_>>(),
        "incomplete": impact.incomplete,
        "changed_symbols": symbols.collect::<Vec<_>>(),
        "contract_impact": {
            "modified_contracts": impact.contract_impact.modified_contracts,
            "affected_files": impact.contract_impact.affected_files.len(),
            "breaking_change_risk": impact.contract_impact.breaking_change_risk,
            "changes": contracts.collect::<Vec<_>>(),
        },
        "direct_dependents": direct.collect::<Vec<_>>(),
        "transitive_dependents": transitive.collect::<Vec<_>>(),
        "missing": missing.collect::<Vec<_>>(),
        "tests": tests.map(|test| test.path.as_str()).collect::<Vec<_>>(),
        "test_commands": impact.test_plan.commands,
        "suggested_review": suggested_review(impact),
    });
    // How the sides were chosen and by which rules; of most changes there is nothing to say.
    if let Some(commit) = &impact.sides.reverts {
        answer["reverts"] = json!(commit);
    }
    if !impact.memories.is_empty() {
        answer["memories"] = json!(impact.memories);
    }
    if !impact.sides.notes.is_empty() {
        answer["notes"] = json!(impact.sides.notes);
    }
    answer
}

/// The first reasons for which a file seems forgotten.
fn reasons(file: &ExpectedFile) -> Vec<&str> {
    file.evidence.iter().take(REASONS).map(|evidence| evidence.text.as_str()).collect()
}

/// Files to read, each with its reasons but for those that are listed with a file that seems forgotten.
fn suggested_review(impact: &Impact) -> Vec<Value> {
    let told: Vec<&str> = impact.missing.iter().flat_map(reasons).collect();
    let review = impact.suggested_review.iter().map(|review| {
        let reasons: Vec<&String> = review.reasons.iter().filter(|reason| !told.contains(&reason.as_str())).collect();
        json!({ "path": review.path, "reasons": reasons })
    });
    review.collect()
}

/// A changed contract, with the uses that it breaks and the reason why the breakage was accepted, if there are any.
fn contract(change: &ContractChange) -> Value {
    let mut row = json!({
        "path": change.path,
        "symbol": change.symbol,
        "detail": change.detail,
        "severity": change.severity,
        "effect": change.effect,
    });
    // Uses of something that was only added need no change.
    if change.severity > Severity::Additive {
        row["consumers_untouched"] = json!(change.consumers_untouched);
    }
    if change.own_references > 0 {
        row["own_references"] = json!(change.own_references);
    }
    if let Some(place) = &change.declared_at {
        row["declared_at"] = json!(place);
    }
    if !change.lacked_by.is_empty() {
        row["lacked_by"] = json!(change.lacked_by.iter().take(BrokenUse::MOST).collect::<Vec<_>>());
    }
    if !change.uses.is_empty() {
        row["uses"] = json!(change.uses);
    }
    if let Some(reason) = &change.accepted {
        row["accepted"] = json!(reason);
    }
    row
}

//! SARIF 2.1.0, as far as code scanning of GitHub reads it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::finding::{Check, ReportFinding, Urgency, findings};
use super::visible_text::visible;
use super::words::{sides, unknown, verdict};
use super::{About, indented, uri};
use crate::Impact;
use crate::contract::ContractChangeClass;

/// GitHub refuses a run with more than 25,000 results and keeps 5,000 of them.
const MAX_RESULTS: usize = 5_000;

/// The name that GitHub gives to the root of the repository.
const ROOT: &str = "%SRCROOT%";

/// A log with one run. A rule for each class of a change of a contract, one for missing files, one for files that were not looked
/// into, one for dependents; results worst first, at most 5,000. Gaps and cuts are notifications of the run.
pub fn sarif(impact: &Impact, about: &About<'_>) -> String {
    let all = findings(impact, about.gate);
    let shown = &all[..all.len().min(MAX_RESULTS)];
    let mut rules: BTreeMap<Check, (usize, Urgency)> = BTreeMap::new();
    for finding in shown {
        let (_, worst) = rules.entry(finding.check).or_insert((0, finding.urgency));
        *worst = (*worst).max(finding.urgency);
    }
    for (index, (place, _)) in rules.values_mut().enumerate() {
        *place = index;
    }
    let run = json!({
        "tool": { "driver": {
            "name": "icr impact",
            "version": about.version,
            "rules": rules.iter().map(|(check, (_, worst))| rule(*check, *worst)).collect::<Vec<_>>(),
        }},
        // Two tools that upload for one commit replace each other's results unless their categories differ.
        "automationDetails": { "id": "icr-impact/" },
        "originalUriBaseIds": { ROOT: { "description": { "text": "The root of the repository." } } },
        "columnKind": "unicodeCodePoints",
        "invocations": [{
            "executionSuccessful": true,
            "toolExecutionNotifications": notifications(impact, about, all.len() - shown.len()),
        }],
        "properties": { "verdict": impact.verdict, "risk": impact.risk.level, "sides": visible(&sides(impact)) },
        "results": shown.iter().map(|finding| result(finding, rules[&finding.check].0)).collect::<Vec<_>>(),
    });
    indented(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }))
}

/// What to do about a change of a contract of no known class.
const CONTRACT: &str = "What others may rely on changed. Change those that use it too, or restore the old contract.";

fn rule(check: Check, worst: Urgency) -> Value {
    let (short, help) = match check {
        Check::Contract(class) => (
            format!("Change of a contract: {}", class.replace('_', " ")),
            ContractChangeClass::all()
                .find(|known| known.name() == class)
                .map_or(CONTRACT, ContractChangeClass::advice),
        ),
        Check::Missing => (
            "File that may have been forgotten".to_owned(),
            "By history, names, places and words, this change seems to have forgotten the file. Check whether it did.",
        ),
        Check::Dependent => (
            "File that refers to what changed".to_owned(),
            "It uses definitions that the change changes. Check whether it still does what it should.",
        ),
        Check::Incomplete => (
            "File of the change that was not looked into".to_owned(),
            "What changed in it is not known to this report. Read it, or make it readable: mend its syntax, raise the size limit.",
        ),
    };
    json!({
        "id": check.rule(),
        "name": name(&check.rule()),
        "shortDescription": { "text": short },
        "fullDescription": { "text": help },
        "help": { "text": help },
        "defaultConfiguration": { "level": level(worst) },
        "properties": { "tags": ["impact"] },
    })
}

/// `contract/parameter_removed` as `ContractParameterRemoved`: names of rules are in this form.
fn name(rule: &str) -> String {
    let words = rule.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect()
}

fn level(urgency: Urgency) -> &'static str {
    match urgency {
        Urgency::Note => "note",
        Urgency::Warning => "warning",
        Urgency::Error => "error",
    }
}

fn result(finding: &ReportFinding<'_>, rule_index: usize) -> Value {
    let mut result = json!({
        "ruleId": finding.check.rule(),
        "ruleIndex": rule_index,
        "level": level(finding.urgency),
        "message": { "text": escaped(&finding.message) },
        "locations": [location(finding.path, finding.lines)],
        "partialFingerprints": { "icrImpact/v1": finding.fingerprint },
    });
    if !finding.related.is_empty() {
        let related = (1..).zip(&finding.related).map(|(id, related)| {
            let mut place = location(related.path, Some((related.line, related.line)));
            place["id"] = json!(id);
            place["message"] = json!({ "text": escaped(&related.message) });
            place
        });
        result["relatedLocations"] = related.collect();
    }
    result
}

fn location(path: &str, lines: Option<(u32, u32)>) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri::encoded(path), "uriBaseId": ROOT } });
    if let Some((first, last)) = lines {
        place["region"] = json!({ "startLine": first, "endLine": last });
    }
    json!({ "physicalLocation": place })
}

/// In the text of a message `[words](target)` is a link, `{0}` an argument, and every other brace is doubled (SARIF 2.1.0, 3.11.5
/// and 3.11.6); ours has neither links nor arguments.
fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}").replace("](", "\\](")
}

fn notifications(impact: &Impact, about: &About<'_>, left_out: usize) -> Vec<Value> {
    let mut texts = vec![format!("{}: {}", verdict(impact.verdict), impact.summary)];
    texts.extend(impact.sides.reverts.iter().map(|commit| format!("Reverts {commit}")));
    texts.extend(impact.sides.notes.iter().cloned());
    texts.extend(unknown(impact).map(str::to_owned));
    texts.extend(about.gaps.iter().cloned());
    texts.extend(impact.cuts.iter().map(|cut| format!("`{}` shows {} of {}", cut.list, cut.shown, cut.total)));
    if left_out > 0 {
        texts.push(format!("{left_out} more findings are left out; the worst {MAX_RESULTS} are listed"));
    }
    texts.iter().map(|text| json!({ "level": "note", "message": { "text": escaped(&visible(text)) } })).collect()
}

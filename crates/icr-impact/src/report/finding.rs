//! What a program should show beside the code, one finding for each place.

use std::cmp::Reverse;
use std::collections::HashMap;

use icr_model::Digest64;

use super::consumers::Consumers;
use super::contracts::Places;
use super::visible::{clipped, visible};
use super::words::{counted, lines as lines_in_words, listed, percent};
use crate::{ContractChange, Dependent, Expected, Impact, Incomplete, Level, Severity};

/// Something to look at.
#[derive(Debug)]
pub(super) struct Finding<'a> {
    /// What was checked.
    pub(super) check: Check,
    /// How much it matters.
    pub(super) urgency: Urgency,
    /// Path of the file, as it is.
    pub(super) path: &'a str,
    /// First and last line, 1-based; `None` for the whole file.
    pub(super) lines: Option<(u32, u32)>,
    /// A few words.
    pub(super) title: String,
    /// One or two sentences on one line, names in backticks, nothing hidden.
    pub(super) message: String,
    /// Lines elsewhere that belong to it, at most [`MAX_RELATED`].
    pub(super) related: Vec<(&'a str, u32)>,
    /// 16 hexadecimal digits, different for every finding of an impact, and equal for the same one after the code
    /// around it moved.
    pub(super) fingerprint: String,
}

/// What was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Check {
    /// A promise, by the class of its change.
    Contract(&'static str),
    /// Whether a file was forgotten.
    Missing,
    /// Whether a file that refers to the change has to change too.
    Dependent,
    /// Whether a file of the change was looked into.
    Incomplete,
}

impl Check {
    /// Name of the rule, as hosts group by it.
    pub(super) fn rule(self) -> String {
        match self {
            Self::Contract(class) => format!("contract/{class}"),
            Self::Missing => "missing".to_owned(),
            Self::Dependent => "dependent".to_owned(),
            Self::Incomplete => "incomplete".to_owned(),
        }
    }
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Urgency {
    /// Worth knowing.
    Note,
    /// Look at it.
    Warning,
    /// Something that is not in the change is broken by it.
    Error,
}

/// GitHub shows 100 locations of a result.
pub(super) const MAX_RELATED: usize = 100;

/// A report of as many changes that each have as many users would be larger than hosts take.
const MAX_RELATED_IN_ALL: usize = 20_000;

/// Hosts show messages in full; nobody reads more.
const MAX_MESSAGE: usize = 1_000;

/// Findings of the impact: the most urgent first, contracts before missing files before what was not looked into before
/// dependents, each in the order of the answer.
///
/// An additive change is none, nor is a different behaviour that nobody else uses. A dependent is one when the change
/// leaves it alone and affects it at least at medium level; tests are run instead.
pub(super) fn findings(impact: &Impact) -> Vec<Finding<'_>> {
    let consumers = Consumers::of(impact);
    let places = Places::of(impact);
    let contracts = impact.contract_impact.changes.iter();
    let mut findings: Vec<Finding<'_>> = contracts.filter_map(|change| contract(change, &consumers, &places)).collect();
    findings.extend(impact.missing.iter().map(missing));
    findings.extend(impact.incomplete.iter().map(incomplete));
    findings.extend(to_check(impact).map(dependent));
    findings.sort_by_key(|finding| Reverse(finding.urgency));
    let mut room = MAX_RELATED_IN_ALL;
    for finding in &mut findings {
        finding.related.truncate(room);
        room -= finding.related.len();
    }
    number_equal_ones(&mut findings);
    findings
}

/// Dependents that a reviewer has to open: not in the change, no test, at least at medium level.
pub(super) fn to_check(impact: &Impact) -> impl Iterator<Item = &Dependent> {
    let dependents = impact.direct_dependents.iter();
    dependents.filter(|file| !file.in_change && !file.test && file.impact_level >= Level::Medium)
}

/// What `file` refers to, and where: "4 references to `greet`: lines 3, 9 and 2 more"; for one that only imports what changed, that.
pub(super) fn references(file: &Dependent) -> String {
    if let Some(reason) = file.evidence.first().filter(|_| file.references == 0) {
        return reason.text.clone();
    }
    let count = counted(u64::from(file.references), "reference");
    let symbols = listed(file.symbols.iter().map(String::as_str), file.symbols.len() as u64, 3);
    let to = if symbols.is_empty() { String::new() } else { format!(" to {symbols}") };
    let all = u64::from(file.references).max(file.lines.len() as u64);
    let at = lines_in_words(&file.lines, all, 5).map_or(String::new(), |lines| format!(": {lines}"));
    format!("{count}{to}{at}")
}

/// Why a file is expected: its two heaviest reasons.
pub(super) fn reasons(file: &Expected) -> String {
    let texts: Vec<&str> = file.evidence.iter().take(2).map(|evidence| evidence.text.as_str()).collect();
    texts.join("; ")
}

fn contract<'a>(change: &'a ContractChange, consumers: &Consumers<'a>, places: &Places<'_>) -> Option<Finding<'a>> {
    let is_used = change.consumers_untouched > 0;
    let urgency = match change.severity {
        Severity::Breaking if is_used => Urgency::Error,
        Severity::Breaking => Urgency::Warning,
        Severity::Risky if is_used => Urgency::Warning,
        Severity::Risky => Urgency::Note,
        Severity::Behaviour if is_used => Urgency::Note,
        Severity::Behaviour | Severity::Additive | Severity::None => return None,
    };
    let users = consumers.untouched(change);
    let related = users.flat_map(|user| user.lines.iter().map(|line| (user.path.as_str(), (*line).max(1))));
    Some(Finding {
        check: Check::Contract(change.class),
        urgency,
        path: &change.path,
        lines: places.lines(change),
        title: change.class.replace('_', " "),
        message: message(&format!("`{}`: {}; {}", change.symbol, change.detail, consumers.in_words(change))),
        related: related.take(MAX_RELATED).collect(),
        fingerprint: fingerprint(&[change.class, &change.path, &change.symbol, &change.detail]),
    })
}

fn missing(file: &Expected) -> Finding<'_> {
    let why = reasons(file);
    let why = if why.is_empty() { why } else { format!(": {why}") };
    Finding {
        check: Check::Missing,
        urgency: Urgency::Warning,
        path: &file.path,
        lines: None,
        title: "expected to change too".to_owned(),
        message: message(&format!(
            "`{}` is expected to change with this change ({}){why}",
            file.path,
            percent(file.probability)
        )),
        related: Vec::new(),
        fingerprint: fingerprint(&["missing", &file.path]),
    }
}

fn incomplete(file: &Incomplete) -> Finding<'_> {
    Finding {
        check: Check::Incomplete,
        urgency: if file.code { Urgency::Warning } else { Urgency::Note },
        path: &file.path,
        lines: None,
        title: "not looked into".to_owned(),
        message: message(&format!("`{}` was not looked into: {}", file.path, file.reason)),
        related: Vec::new(),
        fingerprint: fingerprint(&["incomplete", &file.path]),
    }
}

fn dependent(file: &Dependent) -> Finding<'_> {
    let first = file.lines.first().map(|line| (*line).max(1));
    Finding {
        check: Check::Dependent,
        urgency: Urgency::Note,
        path: &file.path,
        lines: first.map(|line| (line, line)),
        title: "refers to what changed".to_owned(),
        message: message(&format!("`{}` may have to change too: {}", file.path, references(file))),
        related: file.lines.iter().skip(1).map(|line| (file.path.as_str(), (*line).max(1))).collect(),
        fingerprint: fingerprint(&["dependent", &file.path]),
    }
}

fn message(text: &str) -> String {
    clipped(&visible(text), MAX_MESSAGE).into_owned()
}

fn fingerprint(parts: &[&str]) -> String {
    let digest = parts.iter().fold(Digest64::default(), |digest, part| digest.with(part.as_bytes()));
    format!("{:016x}", digest.finish())
}

/// Hosts show one of several findings with equal fingerprints, so the second of overloads with one name and one change
/// gets one of its own.
fn number_equal_ones(findings: &mut [Finding<'_>]) {
    let mut seen: HashMap<String, u32> = HashMap::new();
    for finding in findings {
        let times = seen.entry(finding.fingerprint.clone()).or_default();
        if *times > 0 {
            finding.fingerprint = fingerprint(&[&finding.fingerprint, &times.to_string()]);
        }
        *times += 1;
    }
}

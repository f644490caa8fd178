//! What a program should show beside the code, one finding for each place.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use icr_model::Digest64;

use super::consumers::Consumers;
use super::contracts::{Group, groups};
use super::gate::{Gate, Topic};
use super::visible_text::{clipped, visible};
use super::words::{broken_uses, format_count, format_name_list, lines as lines_in_words, percent};
use crate::{ContractChange, Dependent, Effect, ExpectedFile, Impact, Incomplete, Level, Severity};

/// Something to look at.
#[derive(Debug)]
pub(super) struct ReportFinding<'a> {
    /// The check that found it.
    pub(super) check: Check,
    /// Urgency of the finding.
    pub(super) urgency: Urgency,
    /// Whether the report shows a broken use of this contract.
    pub(super) is_break: bool,
    /// Path of the file, as it is.
    pub(super) path: &'a str,
    /// First and last line, 1-based; `None` for the whole file.
    pub(super) lines: Option<(u32, u32)>,
    /// A few words.
    pub(super) title: String,
    /// One or two sentences on one line, names in backticks, nothing hidden.
    pub(super) message: String,
    /// Lines elsewhere that belong to it, at most [`MAX_RELATED`].
    pub(super) related: Vec<RelatedLocation<'a>>,
    /// 16 hexadecimal digits, different for every finding of an impact, and equal for the same one after the code
    /// around it moved.
    pub(super) fingerprint: String,
}

/// A line that belongs to a finding.
#[derive(Debug)]
pub(super) struct RelatedLocation<'a> {
    /// Path of the file, as it is.
    pub(super) path: &'a str,
    /// Line of it, 1-based.
    pub(super) line: u32,
    /// Description of the line, on one line, with all characters visible.
    pub(super) message: Cow<'a, str>,
}

/// A kind of check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Check {
    /// A contract, by the class of the worst of its changes.
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

/// Urgency of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Urgency {
    /// Worth knowing.
    Note,
    /// Look at it.
    Warning,
    /// The run fails on it.
    Error,
}

/// GitHub shows 100 locations of a result.
pub(super) const MAX_RELATED: usize = 100;

/// A report of as many changes that each have as many users would be larger than hosts take.
const MAX_RELATED_IN_ALL: usize = 20_000;

/// Hosts show messages in full; nobody reads more.
const MAX_MESSAGE: usize = 1_000;

/// Findings of the impact, the most urgent first: contracts, then missing files, then files that were not analysed,
/// then dependents, each in the order of the answer. All changes of one definition are one finding.
///
/// With `gate`, exactly the findings that fail the run are errors. Without a gate, errors are contracts with a use that
/// no longer fits.
///
/// An additive change is no finding, and neither is changed behaviour that no other file uses, unless the run fails on
/// it. A dependent is a finding if it is not in the change and is affected at least at medium level; tests are run
/// instead.
pub(super) fn findings<'a>(impact: &'a Impact, gate: Option<&Gate>) -> Vec<ReportFinding<'a>> {
    let gate = gate.cloned().unwrap_or_else(Gate::breaking).alternatives_met_by(impact);
    let consumers = Consumers::of(impact);
    let contracts = groups(impact, Severity::None);
    let contracts = contracts.iter().filter_map(|group| contract(group, &consumers, &gate));
    let mut findings: Vec<ReportFinding<'_>> = contracts.collect();
    findings.extend(impact.missing.iter().map(|file| missing(file, &gate)));
    findings.extend(impact.incomplete.iter().map(|file| incomplete(file, &gate)));
    findings.extend(to_check(impact).map(|file| dependent(file, &gate)));
    findings.sort_by_key(|finding| Reverse(finding.urgency));
    let mut room = MAX_RELATED_IN_ALL;
    for finding in &mut findings {
        finding.related.truncate(room);
        room -= finding.related.len();
    }
    number_equal_ones(&mut findings);
    findings
}

/// Dependents that a reviewer has to open: [`untouched_dependents`], at least at medium level.
pub(super) fn to_check(impact: &Impact) -> impl Iterator<Item = &Dependent> {
    untouched_dependents(impact).filter(|file| file.impact_level >= Level::Medium)
}

/// Dependents that the change leaves alone and that are no tests.
pub(super) fn untouched_dependents(impact: &Impact) -> impl Iterator<Item = &Dependent> {
    impact.direct_dependents.iter().filter(|file| !file.in_change && !file.test)
}

/// What `file` refers to, and where: "4 references to `greet`: lines 3, 9 and 2 more"; for one that only imports what changed, that.
pub(super) fn references(file: &Dependent) -> String {
    if let Some(reason) = file.evidence.first().filter(|_| file.references == 0) {
        return reason.text.clone();
    }
    let count = format_count(u64::from(file.references), "reference");
    let symbols = format_name_list(file.symbols.iter().map(String::as_str), file.symbols.len() as u64, 3);
    let to = if symbols.is_empty() { String::new() } else { format!(" to {symbols}") };
    let all = u64::from(file.references).max(file.lines.len() as u64);
    let at = lines_in_words(&file.lines, all, 5).map_or(String::new(), |lines| format!(": {lines}"));
    format!("{count}{to}{at}")
}

/// Why a file is expected, or may have been forgotten: its two heaviest reasons.
pub(super) fn reasons(file: &ExpectedFile) -> String {
    let texts: Vec<&str> = file.evidence.iter().take(2).map(|evidence| evidence.text.as_str()).collect();
    texts.join("; ")
}

fn contract<'a>(group: &Group<'a>, consumers: &Consumers<'a>, gate: &Gate) -> Option<ReportFinding<'a>> {
    let change = group.worst;
    let mut open = group.changes.iter().filter(|change| change.accepted.is_none());
    let is_chosen = open.any(|change| gate.is_about(Topic::Contract(change)));
    let urgency = if is_chosen { Urgency::Error } else { urgency(change)? };
    let related = related_locations(group, consumers);
    // A removed definition has no line in the new tree, so the finding is shown at its first use; broken uses come
    // first.
    let (path, lines) = match (group.lines, related.first()) {
        (None, Some(used)) => (used.path, Some((used.line, used.line))),
        (lines, _) => (change.path.as_str(), lines),
    };
    let clauses = [group.details.join("; "), group.users(consumers).unwrap_or_default(), broken_uses(&group.uses)];
    let clauses: Vec<String> = clauses.into_iter().filter(|clause| !clause.is_empty()).collect();
    Some(ReportFinding {
        check: Check::Contract(change.class),
        urgency,
        is_break: change.effect == Effect::Breaks && change.accepted.is_none(),
        path,
        lines,
        title: change.class.replace('_', " "),
        message: message(&format!("`{}`: {}", change.symbol, clauses.join("; "))),
        related,
        fingerprint: fingerprint(&[change.class, &change.path, &change.symbol, &change.detail]),
    })
}

/// How much a change of a contract matters that the run does not fail on; `None` when it is not worth knowing.
fn urgency(change: &ContractChange) -> Option<Urgency> {
    Some(match (&change.accepted, change.effect, change.severity) {
        (Some(_), _, _) => Urgency::Note,
        (None, Effect::Breaks, _) | (None, Effect::MayBreak, Severity::Breaking) => Urgency::Warning,
        (None, Effect::MayBreak, _) | (None, Effect::Holds, Severity::Breaking | Severity::Risky) => Urgency::Note,
        (None, Effect::Holds, Severity::Behaviour) if change.consumers_untouched > 0 => Urgency::Note,
        (None, Effect::Holds, Severity::Behaviour | Severity::Additive | Severity::None) => return None,
    })
}

/// `otherwise`, unless the run fails on findings like this one.
fn urgency_of(topic: Topic<'_>, gate: &Gate, otherwise: Urgency) -> Urgency {
    if gate.is_about(topic) { Urgency::Error } else { otherwise }
}

/// The uses that are broken, then the other ones that the change leaves as they are.
fn related_locations<'a>(group: &Group<'a>, consumers: &Consumers<'a>) -> Vec<RelatedLocation<'a>> {
    let broken: HashSet<(&str, u32)> = group.uses.iter().map(|used| (used.path.as_str(), used.line)).collect();
    let proofs = group.uses.iter().map(|used| RelatedLocation {
        path: &used.path,
        line: used.line.max(1),
        message: match used.text.as_str() {
            "" => message(&used.reason),
            text => message(&format!("`{text}`: {}", used.reason)),
        }
        .into(),
    });
    let users = consumers.untouched_users(group.worst);
    let lines = users.flat_map(|user| user.lines.iter().map(|line| (user.path.as_str(), *line)));
    let others = lines.filter(|place| !broken.contains(place)).map(|(path, line)| used_here(path, line));
    proofs.chain(others).take(MAX_RELATED).collect()
}

fn used_here(path: &str, line: u32) -> RelatedLocation<'_> {
    RelatedLocation { path, line: line.max(1), message: "It is used here.".into() }
}

fn missing<'a>(file: &'a ExpectedFile, gate: &Gate) -> ReportFinding<'a> {
    let why = reasons(file);
    let why = if why.is_empty() { why } else { format!(": {why}") };
    ReportFinding {
        check: Check::Missing,
        urgency: urgency_of(Topic::Missing, gate, Urgency::Warning),
        is_break: false,
        path: &file.path,
        lines: None,
        title: "may have been forgotten".to_owned(),
        message: message(&format!("`{}` may have been forgotten ({}){why}", file.path, percent(file.probability))),
        related: Vec::new(),
        fingerprint: fingerprint(&["missing", &file.path]),
    }
}

fn incomplete<'a>(file: &'a Incomplete, gate: &Gate) -> ReportFinding<'a> {
    ReportFinding {
        check: Check::Incomplete,
        urgency: if file.code { urgency_of(Topic::Unknown, gate, Urgency::Warning) } else { Urgency::Note },
        is_break: false,
        path: &file.path,
        lines: None,
        title: "not looked into".to_owned(),
        message: message(&format!("`{}` was not looked into: {}", file.path, file.reason)),
        related: Vec::new(),
        fingerprint: fingerprint(&["incomplete", &file.path]),
    }
}

fn dependent<'a>(file: &'a Dependent, gate: &Gate) -> ReportFinding<'a> {
    let first = file.lines.first().map(|line| (*line).max(1));
    ReportFinding {
        check: Check::Dependent,
        urgency: urgency_of(Topic::Dependent, gate, Urgency::Note),
        is_break: false,
        path: &file.path,
        lines: first.map(|line| (line, line)),
        title: "refers to what changed".to_owned(),
        message: message(&format!("`{}` may have to change too: {}", file.path, references(file))),
        related: file.lines.iter().skip(1).map(|line| used_here(&file.path, *line)).collect(),
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
fn number_equal_ones(findings: &mut [ReportFinding<'_>]) {
    let mut seen: HashMap<String, u32> = HashMap::new();
    for finding in findings {
        let times = seen.entry(finding.fingerprint.clone()).or_default();
        if *times > 0 {
            finding.fingerprint = fingerprint(&[&finding.fingerprint, &times.to_string()]);
        }
        *times += 1;
    }
}

//! The conditions of a gate.

use std::collections::{HashMap, HashSet};

use super::super::words::{format_count, risk, risk_level, severity, total};
use super::Topic;
use crate::{ChangedSymbol, ContractChange, Impact, RiskLevel, Severity, Verdict};

/// A single condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    /// A row of [`WORDS`], by its place.
    Word(usize),
    /// A change of a contract of this class.
    Contract(&'static str),
    /// Index of a row of [`MEASURES`], the comparison, and the bound.
    Compared(usize, Comparison, MeasureBound),
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    AtLeast,
    MoreThan,
    Equal,
}

/// What a measure is compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum MeasureBound {
    Number(f64),
    /// A place in [`Measure::steps`].
    Step(usize),
}

/// A condition that is a word.
#[derive(Debug)]
pub struct ConditionWord {
    /// The word as written.
    pub name: &'static str,
    /// When it is met, for help.
    pub about: &'static str,
    /// Why it is met; `None` when it is not.
    met: fn(&Impact) -> Option<String>,
    /// Whether findings of this kind make it true.
    is_about: fn(Topic<'_>) -> bool,
}

/// All words except `none`, which never fails and must be the only condition.
pub const WORDS: &[ConditionWord] = &[
    // tidy: sorted
    ConditionWord {
        name: "breaking",
        about: "the verdict is breaking: a use is shown that no longer holds",
        met: |impact| at_least(impact, Verdict::Breaking),
        is_about: |topic| topic.verdict() == Verdict::Breaking,
    },
    ConditionWord {
        name: "clean",
        about: "the verdict is clean: nobody has to look at anything else",
        met: |impact| exactly(impact, Verdict::Clean),
        is_about: |_| false,
    },
    ConditionWord {
        name: "cosmetic",
        about: "the verdict is cosmetic: comments and layout only",
        met: |impact| exactly(impact, Verdict::Cosmetic),
        is_about: |_| false,
    },
    ConditionWord {
        name: "empty",
        about: "the verdict is empty: nothing was changed",
        met: |impact| exactly(impact, Verdict::Empty),
        is_about: |_| false,
    },
    ConditionWord {
        name: "may_break",
        about: "the verdict is may_break or breaking",
        met: |impact| at_least(impact, Verdict::MayBreak),
        is_about: |topic| topic.verdict() >= Verdict::MayBreak,
    },
    ConditionWord {
        name: "missing",
        about: "a file seems forgotten",
        met: is_missing,
        is_about: |topic| matches!(topic, Topic::Missing),
    },
    ConditionWord {
        name: "review",
        about: "the verdict is review, may_break or breaking",
        met: |impact| at_least(impact, Verdict::Review),
        is_about: |topic| topic.verdict() >= Verdict::Review,
    },
    ConditionWord {
        name: "unknown",
        about: "code of the change was not looked into, or the level of the risk is not known",
        met: is_unknown,
        is_about: |topic| matches!(topic, Topic::Unknown),
    },
    // tidy: end
];

/// Something that is compared: `name>=value`, `name>value` or `name=value`.
#[derive(Debug)]
pub struct Measure {
    /// The name as written.
    pub name: &'static str,
    /// What it measures, for help.
    pub about: &'static str,
    /// Whether and which numbers it is compared with.
    pub numbers: Numbers,
    /// Words that it is compared with, ascending.
    pub steps: &'static [&'static str],
    measured: fn(&Impact) -> MeasuredValue,
    /// Whether findings of this kind count in the measure. If the measure has steps, the comparison tells whether it
    /// accepts their step.
    is_about: fn(Topic<'_>, Steps<'_>) -> bool,
}

/// Whether a comparison meets a step of its measure, by the step's word.
type Steps<'a> = &'a dyn Fn(&str) -> bool;

/// Numbers that a [`Measure`] has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// No numbers.
    No,
    /// Whole ones from 0.
    Counts,
    /// `0.0..=1.0`.
    Shares,
}

/// Everything that can be compared.
pub const MEASURES: &[Measure] = &[
    // tidy: sorted
    Measure {
        name: "changed",
        about: "files of the change",
        numbers: Numbers::Counts,
        steps: &[],
        measured: measure_changed_files,
        is_about: |_, _| false,
    },
    Measure {
        name: "contracts",
        about: "contracts that changed and that nobody accepted",
        numbers: Numbers::Counts,
        steps: &[],
        measured: contracts,
        is_about: |topic, _| matches!(topic, Topic::Contract(_)),
    },
    Measure {
        name: "dependents",
        about: "files that refer to what changed",
        numbers: Numbers::Counts,
        steps: &[],
        measured: dependents,
        is_about: |topic, _| matches!(topic, Topic::Dependent),
    },
    Measure {
        name: "missing",
        about: "files that seem forgotten",
        numbers: Numbers::Counts,
        steps: &[],
        measured: missing,
        is_about: |topic, _| matches!(topic, Topic::Missing),
    },
    Measure {
        name: "risk",
        about: "level or score of the risk",
        numbers: Numbers::Shares,
        steps: RISKS,
        measured: risk_of,
        is_about: |_, _| false,
    },
    Measure {
        name: "score",
        about: "how much the change touches",
        numbers: Numbers::Shares,
        steps: &[],
        measured: score,
        is_about: |_, _| false,
    },
    Measure {
        name: "severity",
        about: "the worst that happened to a definition or its contract and that nobody accepted",
        numbers: Numbers::No,
        steps: SEVERITIES,
        measured: severity_of,
        is_about: |topic, holds| matches!(topic, Topic::Contract(change) if holds(severity(change.severity))),
    },
    Measure {
        name: "transitive",
        about: "files that reach what changed through others",
        numbers: Numbers::Counts,
        steps: &[],
        measured: transitive,
        is_about: |_, _| false,
    },
    Measure {
        name: "verdict",
        about: "the answer in one word",
        numbers: Numbers::No,
        steps: &VERDICTS,
        measured: verdict_of,
        is_about: |topic, holds| holds(topic.verdict().word()),
    },
    // tidy: end
];

const RISKS: &[&str] = &["none", "low", "medium", "high", UNKNOWN];
const SEVERITIES: &[&str] = &["none", "additive", "behaviour", "risky", "breaking"];

/// The words of all verdicts, ascending.
const VERDICTS: [&str; Verdict::ALL.len()] = {
    let mut words = [""; Verdict::ALL.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = Verdict::ALL[at].word();
        at += 1;
    }
    words
};

/// As the last step of a measure, none above the one before: it equals only itself.
pub(super) const UNKNOWN: &str = "unknown";

/// What a [`Measure`] is for an impact.
struct MeasuredValue {
    number: f64,
    step: usize,
    /// In words: "the risk is high (0.72)".
    fact: String,
    /// Whether it could be anything.
    is_unknown: bool,
}

/// Numbers of the answer are sums of products: what is equal on paper may differ in the last bits.
const EQUAL: f64 = 1e-9;

impl Condition {
    /// Why it holds; `None` when it does not.
    pub(super) fn met_by(&self, impact: &Impact) -> Option<String> {
        match *self {
            Self::Word(at) => (WORDS[at].met)(impact),
            Self::Contract(class) => {
                let mut changes = unaccepted(impact).filter(|change| change.class == class);
                let first = changes.next()?;
                Some(in_words(class, first, changes.count() as u64))
            }
            Self::Compared(at, comparison, bound) => {
                let measure = &MEASURES[at];
                let measured = (measure.measured)(impact);
                let (sign, wanted) = (comparison.sign(), bound.format_bound(measure));
                let is_met = measured.is(comparison, bound);
                is_met.then(|| format!("{} (`{}{sign}{wanted}`)", measured.fact, measure.name))
            }
        }
    }

    /// Whether findings of this kind make the condition true, if it is true.
    pub(super) fn is_about(&self, topic: Topic<'_>) -> bool {
        match *self {
            Self::Word(at) => (WORDS[at].is_about)(topic),
            Self::Contract(class) => matches!(topic, Topic::Contract(change) if change.class == class),
            Self::Compared(at, comparison, bound) => {
                let measure = &MEASURES[at];
                let holds = |step: &str| MeasuredValue::step(measure.steps, step, String::new()).is(comparison, bound);
                (measure.is_about)(topic, &holds)
            }
        }
    }
}

impl MeasuredValue {
    fn is(&self, comparison: Comparison, bound: MeasureBound) -> bool {
        match (comparison, bound) {
            (Comparison::AtLeast | Comparison::MoreThan, _) if self.is_unknown => true,
            (Comparison::AtLeast, MeasureBound::Number(bound)) => self.number >= bound - EQUAL,
            (Comparison::MoreThan, MeasureBound::Number(bound)) => self.number > bound + EQUAL,
            (Comparison::Equal, MeasureBound::Number(bound)) => {
                !self.is_unknown && (self.number - bound).abs() <= EQUAL
            }
            (Comparison::AtLeast, MeasureBound::Step(bound)) => self.step >= bound,
            (Comparison::MoreThan, MeasureBound::Step(bound)) => self.step > bound,
            (Comparison::Equal, MeasureBound::Step(bound)) => self.step == bound,
        }
    }

    fn count(count: u64, fact: String) -> Self {
        // Exact below 2^53.
        Self { number: count as f64, step: 0, fact, is_unknown: false }
    }

    fn step(steps: &[&str], name: &str, fact: String) -> Self {
        let step = steps.iter().position(|step| *step == name).expect("steps have the names of the answer");
        Self { number: 0.0, step, fact, is_unknown: false }
    }
}

impl Comparison {
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::AtLeast => ">=",
            Self::MoreThan => ">",
            Self::Equal => "=",
        }
    }
}

impl MeasureBound {
    fn format_bound(self, measure: &Measure) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Step(step) => measure.steps[step].to_owned(),
        }
    }
}

fn in_words(class: &str, first: &ContractChange, more: u64) -> String {
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let symbol = super::super::visible_text::visible(&first.symbol);
    format!("{} of `{symbol}`{more} (`contract:{class}`)", class.replace('_', " "))
}

fn at_least(impact: &Impact, verdict: Verdict) -> Option<String> {
    (impact.verdict >= verdict).then(|| verdict_of(impact).fact)
}

fn exactly(impact: &Impact, verdict: Verdict) -> Option<String> {
    (impact.verdict == verdict).then(|| verdict_of(impact).fact)
}

fn is_missing(impact: &Impact) -> Option<String> {
    (!impact.missing.is_empty()).then(|| missing(impact).fact)
}

fn is_unknown(impact: &Impact) -> Option<String> {
    let code = impact.incomplete.iter().filter(|file| file.code).count() as u64;
    if code > 0 {
        let files = format_count(code, "file");
        let first =
            impact.incomplete.iter().find(|file| file.code).map(|file| format!("`{}`: {}", file.path, file.reason));
        let first = first.map(|first| super::super::visible_text::visible(&first).into_owned()).unwrap_or_default();
        return Some(format!("{files} of code not looked into in full: {first}"));
    }
    (impact.risk.level == RiskLevel::Unknown).then(|| risk_of(impact).fact)
}

fn measure_changed_files(impact: &Impact) -> MeasuredValue {
    let count = total(impact, "changed", impact.changed.len());
    MeasuredValue::count(count, format!("{} changed", format_count(count, "file")))
}

/// Contracts of which a change is not accepted, or none is listed.
fn contracts(impact: &Impact) -> MeasuredValue {
    let modified: HashSet<&str> = impact.contract_impact.modified_contracts.iter().map(String::as_str).collect();
    let symbols: HashMap<DefinitionKey<'_>, &ChangedSymbol> =
        impact.changed_symbols.iter().map(|symbol| (place_of_symbol(symbol), symbol)).collect();
    let holder_name = |change| {
        let symbol = symbols.get(&place(change));
        let name = symbol.and_then(|symbol| symbol.old_name.as_deref()).unwrap_or(&change.symbol);
        // What a type guarantees of a field is the type's.
        match name.rsplit_once('.') {
            Some((holder, _)) if !modified.contains(name) => holder,
            _ => name,
        }
    };
    let not_accepted: HashSet<&str> = unaccepted(impact).map(holder_name).collect();
    let accepted: HashSet<&str> =
        accepted(impact).map(holder_name).filter(|name| !not_accepted.contains(name)).collect();
    let count = modified.difference(&accepted).count() as u64;
    MeasuredValue::count(count, format!("{} changed", format_count(count, "contract")))
}

fn dependents(impact: &Impact) -> MeasuredValue {
    let count = total(impact, "direct_dependents", impact.direct_dependents.len());
    let refers = if count == 1 { "refers" } else { "refer" };
    MeasuredValue::count(count, format!("{} {refers} to what changed", format_count(count, "file")))
}

fn missing(impact: &Impact) -> MeasuredValue {
    let count = impact.missing.len() as u64;
    let seems = if count == 1 { "seems" } else { "seem" };
    MeasuredValue::count(count, format!("{} {seems} forgotten", format_count(count, "file")))
}

fn risk_of(impact: &Impact) -> MeasuredValue {
    let reasons = impact.risk.unknown.join("; ");
    let because =
        if reasons.is_empty() { String::new() } else { format!(": {}", super::super::visible_text::visible(&reasons)) };
    let fact = format!("the risk is {}{because}", risk(impact));
    let is_unknown = impact.risk.level == RiskLevel::Unknown;
    let step = MeasuredValue::step(RISKS, risk_level(impact.risk.level), fact);
    MeasuredValue { number: impact.risk.score, is_unknown, ..step }
}

fn score(impact: &Impact) -> MeasuredValue {
    let fact = format!("the impact score is {:.2}", impact.impact_score);
    MeasuredValue { number: impact.impact_score, step: 0, fact, is_unknown: false }
}

/// A definition of which a change is accepted is measured by its other changes.
fn severity_of(impact: &Impact) -> MeasuredValue {
    let accepted: HashSet<DefinitionKey<'_>> = accepted(impact).map(place).collect();
    let symbols = impact.changed_symbols.iter().filter(|symbol| !accepted.contains(&place_of_symbol(symbol)));
    let severities = symbols.map(|symbol| symbol.severity).chain(unaccepted(impact).map(|change| change.severity));
    let worst = severity(severities.max().unwrap_or(Severity::None));
    MeasuredValue::step(SEVERITIES, worst, format!("the worst change is {worst}"))
}

fn transitive(impact: &Impact) -> MeasuredValue {
    let count = total(impact, "transitive_dependents", impact.transitive_dependents.len());
    let reaches = if count == 1 { "reaches" } else { "reach" };
    MeasuredValue::count(count, format!("{} {reaches} what changed through others", format_count(count, "file")))
}

fn verdict_of(impact: &Impact) -> MeasuredValue {
    let verdict = impact.verdict.word();
    MeasuredValue::step(&VERDICTS, verdict, format!("the verdict is {verdict}"))
}

/// Changes of contracts that nobody accepted.
fn unaccepted(impact: &Impact) -> impl Iterator<Item = &ContractChange> {
    impact.contract_impact.changes.iter().filter(|change| change.accepted.is_none())
}

/// Changes of contracts that somebody accepted.
fn accepted(impact: &Impact) -> impl Iterator<Item = &ContractChange> {
    impact.contract_impact.changes.iter().filter(|change| change.accepted.is_some())
}

/// Path, qualified name and first line of a definition.
type DefinitionKey<'a> = (&'a str, &'a str, u32);

fn place(change: &ContractChange) -> DefinitionKey<'_> {
    (&change.path, &change.symbol, change.line)
}

fn place_of_symbol(symbol: &ChangedSymbol) -> DefinitionKey<'_> {
    (&symbol.path, &symbol.qualified_name, symbol.line)
}

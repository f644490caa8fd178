//! Evidence in words: a sentence for each reason, with what its features add to the log of the odds.

use icr_history::{BestFile, HistoryEvidence};

use super::features::Likeness;
use super::kind::FilePurpose;
use super::{Diff, DiffCandidate, FEATURES, Features, Measure, Reason, Weights};
use crate::{Evidence, EvidenceKind};

/// Smallest contribution of a reason that is shown: about a tenth of the odds.
const LEAST_TOLD: f64 = 0.1;

/// Reasons why `candidate` is expected, heaviest first. Reasons that are weak or speak against it are left out here,
/// but they count in the probability.
pub(super) fn evidence(
    diff: &Diff,
    measure: &Measure<'_>,
    candidate: &DiffCandidate,
    features: &Features,
    weights: &Weights,
) -> Vec<Evidence> {
    let likeness = measure.likeness(candidate);
    let told = SentenceContext { diff, candidate, likeness: &likeness };
    let mut evidence: Vec<Evidence> = Vec::new();
    for (reason, tell) in REASONS {
        let parts = FEATURES.iter().zip(features).zip(&weights.by_feature);
        let weight =
            parts.filter(|((feature, _), _)| feature.reason == reason).map(|((_, value), weight)| value * weight);
        let weight: f64 = weight.sum();
        if let Some((kind, text)) = tell(&told).filter(|_| weight >= LEAST_TOLD) {
            evidence.push(Evidence { kind, text, weight });
        }
    }
    evidence.sort_by(|one, other| other.weight.total_cmp(&one.weight).then_with(|| one.text.cmp(&other.text)));
    evidence
}

/// What a sentence is made of.
struct SentenceContext<'a> {
    diff: &'a Diff,
    candidate: &'a DiffCandidate,
    likeness: &'a Likeness,
}

type Sentence = Option<(EvidenceKind, String)>;

type SentenceFormatter = fn(&SentenceContext<'_>) -> Sentence;

/// The sentence for each reason; [`Reason::Change`] explains no candidate.
const REASONS: [(Reason, SentenceFormatter); 7] = [
    (Reason::Together, cochange_sentence),
    (Reason::Activity, activity),
    (Reason::Name, name),
    (Reason::Place, place),
    (Reason::Import, import),
    (Reason::Reference, reference),
    (Reason::Words, words),
];

fn cochange_sentence(told: &SentenceContext<'_>) -> Sentence {
    let history = told.candidate.history?;
    let best = history.best?;
    let mut text = format!("{}, last {}", shares(told, &best), ago(told.diff.history.now, best.last_shared));
    let change = told.diff.history;
    // If several files of the change support the reason, that gets its own clause.
    if change.overlap > 1 && history.overlap_shared > 0 {
        let (shared, of, overlap) = (history.overlap_shared, change.overlap_commits, change.overlap);
        text.push_str(&format!("; so did {shared} of the {of} that touched {overlap} of these files"));
    }
    Some((EvidenceKind::History, text))
}

/// The share of one file's commits, of the last year where that has enough of them to speak of a share.
fn shares(told: &SentenceContext<'_>, best: &BestFile) -> String {
    let path = path_of(told, best.file);
    match best {
        BestFile { commits_in_year: of @ 3.., shared_in_year: shared @ 1.., .. } => {
            format!("{shared} of the {of} commits that touched {path} in the last year touched this too")
        }
        BestFile { commits: 1, .. } => format!("the only commit that touched {path} touched this too"),
        BestFile { commits: of, shared, .. } => {
            format!("{shared} of the {of} commits that touched {path} touched this too")
        }
    }
}

fn activity(told: &SentenceContext<'_>) -> Sentence {
    let HistoryEvidence { commits, touched_age, .. } = told.candidate.history.filter(|history| history.commits > 0)?;
    let total = told.diff.history.commits_total;
    let last = match touched_age {
        0 => "the newest among them".to_owned(),
        1 => "the last one 1 commit ago".to_owned(),
        age => format!("the last one {age} commits ago"),
    };
    Some((EvidenceKind::History, format!("{commits} of {total} commits touched it, {last}")))
}

fn name(told: &SentenceContext<'_>) -> Sentence {
    let likeness = told.likeness;
    if let Some(file) = likeness.namesake {
        let path = path_of(told, file);
        let is_test = FilePurpose::of(&told.candidate.path) == FilePurpose::Test;
        return Some(match (likeness.test_pair, is_test) {
            (true, true) => (EvidenceKind::Test, format!("named as a test of {path}")),
            (true, false) => (EvidenceKind::Test, format!("named as what {path} tests")),
            (false, _) => (EvidenceKind::Name, format!("has the name of {path}")),
        });
    }
    let (file, word) = likeness.alike.as_ref()?;
    Some((EvidenceKind::Name, format!("has `{word}` in its name, as {} has", path_of(told, *file))))
}

fn place(told: &SentenceContext<'_>) -> Sentence {
    let path = path_of(told, told.likeness.nearest?);
    let text = match told.likeness {
        Likeness { same_directory: true, .. } => format!("in the directory of {path}"),
        Likeness { prefix, .. } if *prefix > 0.0 => format!("near the directory of {path}"),
        _ => return None,
    };
    Some((EvidenceKind::Name, text))
}

fn import(told: &SentenceContext<'_>) -> Sentence {
    let backward = told.candidate.import_backward.map(|import| format!("imports {}", path_of(told, import.file)));
    let forward = told.candidate.import_forward.map(|import| format!("imported by {}", path_of(told, import.file)));
    Some((EvidenceKind::Import, backward.or(forward)?))
}

fn reference(told: &SentenceContext<'_>) -> Sentence {
    let times = |count: u32| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let refers = told.candidate.refers.map(|references| {
        let (path, times) = (path_of(told, references.file), times(references.count));
        (references.share, format!("refers to {path} {times}"))
    });
    let referred = told.candidate.referred.map(|references| {
        let (path, times) = (path_of(told, references.file), times(references.count));
        (references.share, format!("{path} refers to it {times}"))
    });
    let larger = refers.into_iter().chain(referred).reduce(|one, other| if other.0 > one.0 { other } else { one });
    Some((EvidenceKind::Reference, larger?.1))
}

fn words(told: &SentenceContext<'_>) -> Sentence {
    let mentioned = told.candidate.words.as_ref()?;
    let word = &mentioned.word;
    let text = match mentioned.words {
        0 => return None,
        1 => format!("mentions `{word}` of changed lines"),
        2 => format!("mentions `{word}` and 1 more word of changed lines"),
        words => format!("mentions `{word}` and {} more words of changed lines", words - 1),
    };
    Some((EvidenceKind::Words, text))
}

/// A file of the change, quoted.
fn path_of(told: &SentenceContext<'_>, file: usize) -> String {
    told.diff.files.get(file).map_or_else(|| "the change".to_owned(), |file| format!("`{}`", file.path))
}

/// A time as seen from `now`, both in seconds since 1970. An author's clock may be ahead.
fn ago(now: i64, time: i64) -> String {
    match now.saturating_sub(time).max(0) / (24 * 60 * 60) {
        0 => "within a day of the newest commit".to_owned(),
        1 => "1 day ago".to_owned(),
        days @ 2..=60 => format!("{days} days ago"),
        days @ 61..=730 => format!("{} months ago", days / 30),
        days => format!("{} years ago", days / 365),
    }
}

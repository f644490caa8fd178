//! Features of a candidate. Their weighted sum is the log odds that it belongs to the change.

use icr_history::HistoryEvidence;

use super::file_name_index::{FileNameWords, common_prefix, directories};
use super::kind::FilePurpose;
use super::{Diff, DiffCandidate, FileNameIndex, Import, MentionedWords, References};

/// A numeric feature of a candidate; 0 if its subject is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feature {
    /// Name, as weights and dumps of rows have it.
    pub name: &'static str,
    /// The reason that the feature supports.
    pub reason: Reason,
    /// Description of the measurement.
    pub meaning: &'static str,
}

/// The subject of a feature. All features with one reason are explained in one sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The change and its history, the same for every candidate: no reason for one.
    Change,
    /// Commits that the candidate shares with files of the change.
    Together,
    /// How often and how recently the candidate changes, independent of other files.
    Activity,
    /// Its name.
    Name,
    /// Its directory.
    Place,
    /// An import between it and the change.
    Import,
    /// References between it and the change.
    Reference,
    /// Rare words of the change's lines that it mentions.
    Words,
}

impl Reason {
    /// Whether the feature can be computed for a past commit without a view of its tree.
    pub fn is_known_without_view(self) -> bool {
        !matches!(self, Self::Import | Self::Reference)
    }
}

/// Number of features.
pub const FEATURES_TOTAL: usize = 45;

/// Values of [`FEATURES`], in their order.
pub type Features = [f64; FEATURES_TOTAL];

/// Every feature, by name. "Unshared" is 1 for a candidate that shares no commit with the change, else 0: without
/// history, names and references are better evidence. "One" is 1 for a change of one file, else 0; "size" is the
/// logarithm of the number of files in the change.
#[rustfmt::skip]
pub const FEATURES: [Feature; FEATURES_TOTAL] = [
    // tidy: sorted
    Feature { name: "change_alone", reason: Reason::Change, meaning: "mean share of commits of the change's files that changed nothing else" },
    Feature { name: "change_one", reason: Reason::Change, meaning: "1 when the change has one file" },
    Feature { name: "change_prose", reason: Reason::Change, meaning: "1 when the change has prose" },
    Feature { name: "change_settings", reason: Reason::Change, meaning: "1 when the change has manifests or settings" },
    Feature { name: "change_sizes", reason: Reason::Change, meaning: "mean over the commits of the change's files of one divided by their files" },
    Feature { name: "change_touching", reason: Reason::Change, meaning: "logarithm of the weight of the commits with a file of the change" },
    Feature { name: "change_touching_one", reason: Reason::Change, meaning: "the same, times one" },
    Feature { name: "history_none", reason: Reason::Change, meaning: "1 when there is no history" },
    Feature { name: "history_thin", reason: Reason::Change, meaning: "0 for a history of 2,000 commits, 1 for none, by logarithm" },
    Feature { name: "history_thin_unknown", reason: Reason::Change, meaning: "the same for a candidate that no commit changed" },
    Feature { name: "import_backward", reason: Reason::Import, meaning: "it imports a file of the change, damped by the file's importers" },
    Feature { name: "import_forward", reason: Reason::Import, meaning: "a file of the change imports it, damped by its importers" },
    Feature { name: "name_alike", reason: Reason::Name, meaning: "largest cosine of the words of its name and of one of the change, rare words counting more" },
    Feature { name: "name_alike_unshared", reason: Reason::Name, meaning: "the same, times unshared" },
    Feature { name: "name_namesakes", reason: Reason::Name, meaning: "logarithm of the files with the words of its name, where a file of the change has them too" },
    Feature { name: "name_test_pair", reason: Reason::Name, meaning: "1 when it tests a file of the change or is tested by one, by name" },
    Feature { name: "place_beside", reason: Reason::Place, meaning: "one divided by the root of the files beside it, where a file of the change is one" },
    Feature { name: "place_prefix", reason: Reason::Place, meaning: "largest share of leading directories in common with a file of the change" },
    Feature { name: "place_prefix_unshared", reason: Reason::Place, meaning: "the same, times unshared" },
    Feature { name: "place_same", reason: Reason::Place, meaning: "1 when a file of the change is in its directory" },
    Feature { name: "popularity", reason: Reason::Activity, meaning: "logarithm of its weighted share of all commits" },
    Feature { name: "popularity_recent", reason: Reason::Activity, meaning: "logarithm of its share of the newest commits" },
    Feature { name: "popularity_recent_size", reason: Reason::Activity, meaning: "the same, times size" },
    Feature { name: "popularity_unshared", reason: Reason::Activity, meaning: "popularity, times unshared" },
    Feature { name: "referred", reason: Reason::Reference, meaning: "logarithm of its share of the references out of a file of the change" },
    Feature { name: "referred_unshared", reason: Reason::Reference, meaning: "the same, times unshared" },
    Feature { name: "refers", reason: Reason::Reference, meaning: "logarithm of the share of the references into a file of the change that it makes" },
    Feature { name: "refers_unshared", reason: Reason::Reference, meaning: "the same, times unshared" },
    Feature { name: "together_best", reason: Reason::Together, meaning: "logarithm of the largest weighted share of a file's commits" },
    Feature { name: "together_commits", reason: Reason::Together, meaning: "logarithm of the commits shared" },
    Feature { name: "together_lift", reason: Reason::Together, meaning: "logarithm of the lift, up to 50" },
    Feature { name: "together_mean", reason: Reason::Together, meaning: "mean weighted share of the files' commits, large commits counting less" },
    Feature { name: "together_mean_log", reason: Reason::Together, meaning: "logarithm of the same" },
    Feature { name: "together_mean_one", reason: Reason::Together, meaning: "logarithm of the same, coarser, times one" },
    Feature { name: "together_near_size", reason: Reason::Together, meaning: "logarithm of the share of the commits most like the change that had it, times size" },
    Feature { name: "together_never", reason: Reason::Together, meaning: "unshared" },
    Feature { name: "together_overlap", reason: Reason::Together, meaning: "n / (n + 1) for n commits of it with the largest number of the change's files" },
    Feature { name: "touched", reason: Reason::Activity, meaning: "logarithm of 2,001 commits divided by those since its last one" },
    Feature { name: "touched_lately", reason: Reason::Activity, meaning: "1 when the newest commit changed it, half after 35 commits" },
    Feature { name: "unknown", reason: Reason::Activity, meaning: "1 when no commit changed it" },
    Feature { name: "words_added", reason: Reason::Words, meaning: "logarithm of the summed rarities of the rare words of added lines that it mentions" },
    Feature { name: "words_rarest", reason: Reason::Words, meaning: "rarity of the rarest word of changed lines that it mentions, 1 for one that nobody else does" },
    Feature { name: "words_removed", reason: Reason::Words, meaning: "logarithm of the summed rarities of the rare words of removed lines that it mentions" },
    Feature { name: "words_share", reason: Reason::Words, meaning: "summed rarities of the rare words of changed lines that it mentions, divided by those of the file with the most" },
    Feature { name: "words_share_unshared", reason: Reason::Words, meaning: "the same, times unshared" },
    // tidy: end
];

/// Most files of a change whose names and places are compared with those of candidates, in order of their paths. In
/// larger changes, names are no better evidence than the size alone, and comparing all pairs would take long.
const FILES_COMPARED: usize = 200;

/// Measures the candidates of one change. What depends on the change alone is measured once.
#[derive(Debug, Clone)]
pub struct Measure<'a> {
    places: &'a FileNameIndex,
    files: Vec<ComparedFile<'a>>,
    one: f64,
    size: f64,
    thin: f64,
    /// The values of [`Reason::Change`], but `history_thin_unknown`.
    change: [f64; 9],
}

/// A file of the change.
#[derive(Debug, Clone)]
struct ComparedFile<'a> {
    /// Index in [`Diff::files`].
    file: usize,
    name: FileNameWords,
    directories: Vec<&'a [u8]>,
    kind: FilePurpose,
}

impl<'a> Measure<'a> {
    /// Measures `diff` in a view with the files of `places`.
    pub fn new(diff: &'a Diff, places: &'a FileNameIndex) -> Self {
        let mut order: Vec<usize> = (0..diff.files.len()).collect();
        order.sort_by_key(|file| &diff.files[*file].path);
        let compared = order.into_iter().take(FILES_COMPARED).map(|file| {
            let path = &diff.files[file].path;
            ComparedFile { file, name: places.name(path), directories: directories(path), kind: FilePurpose::of(path) }
        });
        let known = diff.files.iter().filter(|file| file.commits > 0);
        let known_total = known.clone().count().max(1) as f64;
        let alone =
            known.clone().map(|file| f64::from(file.alone) / f64::from(file.commits)).sum::<f64>() / known_total;
        let focus = known.map(|file| file.focus).sum::<f64>() / known_total;
        let has = |kind: FilePurpose| number(diff.files.iter().any(|file| FilePurpose::of(&file.path) == kind));
        let commits = f64::from(diff.history.commits_total);
        let thin = (1.0 - commits.ln_1p() / 2001.0_f64.ln()).max(0.0);
        let one = number(diff.files.len() == 1);
        let touching = diff.history.touching.ln_1p();
        let none = number(diff.history.commits_total == 0);
        let change =
            [alone, one, has(FilePurpose::Prose), has(FilePurpose::Other), focus, touching, one * touching, none, thin];
        let size = (diff.files.len().max(1) as f64).ln();
        Self { places, files: compared.collect(), one, size, thin, change }
    }

    /// The values of [`FEATURES`] for `candidate`; all finite.
    pub fn features(&self, candidate: &DiffCandidate) -> Features {
        let history = candidate.history.unwrap_or_default();
        let unknown = number(history.commits == 0);
        let unshared = number(history.shared == 0);
        let [alone, one, prose, settings, focus, touching, touching_one, none, thin] = self.change;
        let likeness = self.likeness(candidate);
        let popularity = log(history.popularity, 0.001);
        let recent = log(history.recent_popularity, 0.01);
        let fan_in =
            |import: Option<Import>| import.map_or(0.0, |import| 1.0 / (1.0 + f64::from(import.fan_in).ln_1p()));
        let share = |references: Option<References>| references.map_or(0.0, |references| log(references.share, 0.05));
        let (refers, referred) = (share(candidate.refers), share(candidate.referred));
        let (touched, lately) = recency_features(&history);
        let of_words = |value: fn(&MentionedWords) -> f64| candidate.words.as_ref().map_or(0.0, value);
        let words_share = of_words(|words| words.share);
        // In the order of the names.
        [
            alone,
            one,
            prose,
            settings,
            focus,
            touching,
            touching_one,
            none,
            thin,
            self.thin * unknown,
            fan_in(candidate.import_backward),
            fan_in(candidate.import_forward),
            likeness.name,
            likeness.name * unshared,
            likeness.namesakes,
            number(likeness.test_pair),
            likeness.beside,
            likeness.prefix,
            likeness.prefix * unshared,
            number(likeness.same_directory),
            popularity,
            recent,
            recent * self.size,
            popularity * unshared,
            referred,
            referred * unshared,
            refers,
            refers * unshared,
            log(history.best_confidence, 0.001),
            f64::from(history.shared).ln_1p(),
            history.lift.min(50.0).ln_1p(),
            history.weighted_mean,
            log(history.weighted_mean, 0.001),
            log(history.weighted_mean, 0.01) * self.one,
            log(history.nearness, 0.01) * self.size,
            unshared,
            f64::from(history.overlap_shared) / (1.0 + f64::from(history.overlap_shared)),
            touched,
            lately,
            unknown,
            of_words(|words| log(words.added, 5.0)),
            of_words(|words| words.rarest),
            of_words(|words| log(words.removed, 5.0)),
            words_share,
            words_share * unshared,
        ]
    }

    /// How the candidate is like the change's files by name and place.
    pub(super) fn likeness(&self, candidate: &DiffCandidate) -> Likeness {
        let name = self.places.name(&candidate.path);
        let directories = directories(&candidate.path);
        let is_test = FilePurpose::of(&candidate.path) == FilePurpose::Test;
        let mut likeness = Likeness::default();
        for file in &self.files {
            let alike = file.name.likeness(&name);
            if alike > likeness.name {
                likeness.name = alike;
                likeness.alike = Some((file.file, file.name.heaviest_common(&name).unwrap_or_default()));
            }
            if file.name.is(&name) {
                likeness.namesake.get_or_insert(file.file);
                likeness.namesakes = f64::from(name.namesakes.max(1)).ln();
                if (file.kind == FilePurpose::Test) != is_test {
                    likeness.test_pair = true;
                    likeness.namesake = Some(file.file);
                }
            }
            let prefix = common_prefix(&file.directories, &directories);
            if prefix > likeness.prefix || likeness.nearest.is_none() {
                (likeness.prefix, likeness.nearest) = (prefix, Some(file.file));
            }
            if file.directories == directories && !likeness.same_directory {
                likeness.same_directory = true;
                likeness.beside = 1.0 / (self.places.beside(&candidate.path).max(1) as f64).sqrt();
                likeness.nearest = Some(file.file);
            }
        }
        likeness
    }
}

/// How a candidate is like the files of the change by name and place; files are indices in [`Diff::files`].
#[derive(Debug, Clone, Default)]
pub(super) struct Likeness {
    /// Largest cosine of two names.
    pub(super) name: f64,
    /// The file that it is like, and the heaviest word in common.
    pub(super) alike: Option<(usize, String)>,
    /// A file with the same words.
    pub(super) namesake: Option<usize>,
    /// Logarithm of the files of the view that have them.
    pub(super) namesakes: f64,
    /// Whether one of the two is a test, and the other is not.
    pub(super) test_pair: bool,
    /// Share of leading directories in common.
    pub(super) prefix: f64,
    /// The file with these.
    pub(super) nearest: Option<usize>,
    /// Whether a file of the change is in the same directory.
    pub(super) same_directory: bool,
    /// One divided by the root of the files in it.
    pub(super) beside: f64,
}

/// When the candidate last changed: 2,001 commits divided by those since then, as a logarithm; and 1 for now, half after 35 commits.
fn recency_features(history: &HistoryEvidence) -> (f64, f64) {
    if history.commits == 0 {
        return (0.0, 0.0);
    }
    let age = f64::from(history.touched_age.min(2000));
    ((2001.0 / (1.0 + age)).ln(), (-age / 35.0).exp2())
}

/// A logarithm that is 0 for 0, and nearly linear below `unit`.
fn log(value: f64, unit: f64) -> f64 {
    (value / unit).ln_1p()
}

fn number(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

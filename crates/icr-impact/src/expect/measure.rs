//! How good a ranking is, how right its probabilities are, and from which one on to warn.

use super::WARNINGS_MOST;

/// How well one ranked list found the wanted files, or the mean over several lists.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Scores {
    /// Share of the files wanted among the first five.
    pub recall_at_5: f64,
    /// Among the first ten.
    pub recall_at_10: f64,
    /// One divided by the place of the first of them; 0 when the list has none.
    pub reciprocal_rank: f64,
    /// Mean over the files wanted of the precision at their places; 0 for those that the list lacks.
    pub average_precision: f64,
}

impl Scores {
    /// Scores a ranked list: `hits` says of each of its entries whether it was wanted, `wanted` how many files were, in the list or
    /// not. All zeros when none was.
    pub fn of(hits: &[bool], wanted: usize) -> Self {
        let mut scores = Self::default();
        if wanted == 0 {
            return scores;
        }
        let share = 1.0 / wanted as f64;
        let places = hits.iter().enumerate().filter(|(_, hit)| **hit).map(|(at, _)| at + 1);
        for (found, place) in (1..).zip(places) {
            if place <= 5 {
                scores.recall_at_5 += share;
            }
            if place <= 10 {
                scores.recall_at_10 += share;
            }
            scores.reciprocal_rank = scores.reciprocal_rank.max(1.0 / place as f64);
            scores.average_precision += share * f64::from(found) / place as f64;
        }
        scores
    }

    /// The mean of each measure: over the queries of a commit, then over commits, then over repositories. All zeros for nothing.
    pub fn mean(of: &[Self]) -> Self {
        let mean = |measure: fn(&Self) -> f64| of.iter().map(measure).sum::<f64>() / of.len().max(1) as f64;
        Self {
            recall_at_5: mean(|scores| scores.recall_at_5),
            recall_at_10: mean(|scores| scores.recall_at_10),
            reciprocal_rank: mean(|scores| scores.reciprocal_rank),
            average_precision: mean(|scores| scores.average_precision),
        }
    }
}

/// Calibration of probabilities: how well they match the outcomes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calibration {
    /// Ranges of a tenth, the lowest first; those without a case are left out.
    pub bins: Vec<Bin>,
    /// Mean over the cases of the distance between what was predicted and what was observed in their range (expected calibration
    /// error), in `0.0..=1.0`.
    pub error: f64,
}

/// A range of probabilities.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bin {
    /// Its lower end: 0, 0.1, … 0.9.
    pub from: f64,
    /// Cases in it.
    pub cases: u64,
    /// Mean probability of these.
    pub predicted: f64,
    /// Share of these that came true.
    pub observed: f64,
}

/// Compares probabilities in `0.0..=1.0` with what came true.
pub fn calibration(cases: &[(f64, bool)]) -> Calibration {
    let mut bins: Vec<Bin> = (0..10).map(|at| Bin { from: f64::from(at) / 10.0, ..Bin::default() }).collect();
    for (probability, came_true) in cases {
        let bin = &mut bins[((probability * 10.0) as usize).min(9)];
        bin.cases += 1;
        bin.predicted += probability;
        bin.observed += f64::from(u8::from(*came_true));
    }
    bins.retain(|bin| bin.cases > 0);
    let error = bins.iter().map(|bin| (bin.predicted - bin.observed).abs()).sum::<f64>() / cases.len().max(1) as f64;
    for bin in &mut bins {
        bin.predicted /= bin.cases as f64;
        bin.observed /= bin.cases as f64;
    }
    Calibration { bins, error }
}

/// Most false warnings among `changes` complete changes with which the share of false warnings stays at most `share` in
/// the long run. If the true share were `share`, four of five samples of this size would have more false warnings (the
/// upper bound of Clopper and Pearson, 1934). `None` if there are too few changes to allow even zero.
pub fn alarms_most(changes: usize, share: f64) -> Option<usize> {
    let share = share.clamp(0.0, 1.0);
    if share == 1.0 {
        return Some(changes);
    }
    // The binomial distribution, summed from none on.
    let mut exactly = (1.0 - share).powi(i32::try_from(changes).unwrap_or(i32::MAX));
    let (mut at_most, mut most) = (0.0, None);
    for alarms in 0..=changes {
        at_most += exactly;
        if at_most > 1.0 - CONFIDENCE {
            break;
        }
        most = Some(alarms);
        exactly *= (changes - alarms) as f64 / (alarms + 1) as f64 * share / (1.0 - share);
    }
    most
}

/// Confidence that the share of false alarms is kept in the long run. The past changes are a sample, and without a
/// margin one in two samples would be above the mean.
const CONFIDENCE: f64 = 0.8;

/// The least probability that warns of at most `allowed` of the complete changes. `complete` holds, of each of them, the highest
/// probability that a file outside of it got; 0 for one without any. `None` for no changes.
pub fn threshold(complete: &[f64], allowed: usize) -> Option<f64> {
    let mut tops = complete.to_vec();
    tops.sort_by(|one, other| other.total_cmp(one));
    // Only above the first one that may not be warned about.
    tops.get(allowed).map_or_else(|| tops.last().copied(), |top| Some(top.next_up()))
}

/// The ranking for a change with one file left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedOmission {
    /// The highest probabilities, best first; 0 where the list was shorter.
    pub tops: [f64; WARNINGS_MOST],
    /// Which of them is that of the file left out.
    pub place: Option<usize>,
}

/// Quality of warnings with a given threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WarningStatistics {
    /// Share of the complete changes that would have been warned about.
    pub false_alarms: f64,
    /// Share of the files left out that would have been named.
    pub recall: f64,
    /// Share of the changes warned about, of those with a file left out, where it was named; `None` when there was no warning.
    pub precision: Option<f64>,
}

/// Measures warnings of probabilities that are at least `threshold`: `complete` as in [`threshold`], `omissions` with one file left
/// out.
pub fn warned(threshold: f64, complete: &[f64], omissions: &[RankedOmission]) -> WarningStatistics {
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let alarms = complete.iter().filter(|top| **top >= threshold).count();
    let warned = omissions.iter().filter(|change| change.tops[0] >= threshold).count();
    let named = |change: &&RankedOmission| change.place.is_some_and(|place| change.tops[place] >= threshold);
    let named = omissions.iter().filter(named).count();
    WarningStatistics {
        false_alarms: share(alarms, complete.len()),
        recall: share(named, omissions.len()),
        precision: (warned > 0).then(|| share(named, warned)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ranked list as letters: `x` was wanted, `-` was not.
    #[track_caller]
    fn check(list: &str, wanted: usize, expected: [f64; 4]) {
        let hits: Vec<bool> = list.bytes().map(|byte| byte == b'x').collect();
        let found = Scores::of(&hits, wanted);
        let found = [found.recall_at_5, found.recall_at_10, found.reciprocal_rank, found.average_precision];
        found.iter().zip(expected).for_each(|(found, expected)| {
            assert!((found - expected).abs() < 1e-9, "{list}: {found} is not {expected}");
        });
    }

    #[test]
    fn a_list_is_scored_by_the_places_of_what_was_wanted() {
        check("x", 1, [1.0, 1.0, 1.0, 1.0]);
        check("-x", 2, [0.5, 0.5, 0.5, 0.25]);
        check("x-x", 2, [1.0, 1.0, 1.0, (1.0 + 2.0 / 3.0) / 2.0]);
        check("-----x----x", 2, [0.0, 0.5, 1.0 / 6.0, (1.0 / 6.0 + 2.0 / 11.0) / 2.0]);
        check("---", 1, [0.0; 4]);
        check("", 0, [0.0; 4]);
    }

    #[test]
    fn the_mean_is_taken_of_every_measure() {
        let mean = Scores::mean(&[Scores::of(&[true], 1), Scores::of(&[false], 1)]);
        assert_eq!((mean.recall_at_5, mean.average_precision), (0.5, 0.5));
        assert_eq!(Scores::mean(&[]), Scores::default());
    }

    #[test]
    fn calibration_compares_what_was_predicted_with_what_came_true() {
        let cases = [(0.05, false), (0.05, false), (0.95, true), (0.99, false), (1.0, true)];
        let found = calibration(&cases);
        let bins: Vec<(f64, u64)> = found.bins.iter().map(|bin| (bin.from, bin.cases)).collect();
        assert_eq!(bins, [(0.0, 2), (0.9, 3)]);
        let (high, expected) = (found.bins[1], 2.94 - 2.0);
        assert!((high.predicted - 0.98).abs() < 1e-9 && (high.observed - 2.0 / 3.0).abs() < 1e-9);
        assert!((found.error - (0.1 + expected) / 5.0).abs() < 1e-9);
        assert_eq!(calibration(&[]), Calibration::default());
    }

    #[test]
    fn a_threshold_keeps_the_share_of_false_alarms() {
        let tops: Vec<f64> = (1..=20).map(|at| f64::from(at) / 20.0).collect();
        for alarms in [0, 1, 2, 10, 20] {
            let threshold = threshold(&tops, alarms).unwrap();
            assert_eq!(tops.iter().filter(|top| **top >= threshold).count(), alarms);
        }
        assert_eq!(threshold(&tops, 21), Some(0.05));
        // Where many changes have the same probability, none of them is warned about.
        let same = threshold(&[0.5; 20], 1).unwrap();
        assert!(same > 0.5 && same < 0.500_001);
        assert_eq!(threshold(&[], 1), None);
    }

    #[test]
    fn a_sample_may_hold_fewer_false_alarms_than_the_share() {
        // By the binomial distribution: 0.95^31 is above a fifth, 0.95^32 is not; of 200, 6 or fewer come in 12 %, 7 in 21 %.
        let cases = [(31, None), (32, Some(0)), (100, Some(2)), (200, Some(6)), (2_000, Some(91))];
        for (changes, expected) in cases {
            assert_eq!(alarms_most(changes, 0.05), expected, "{changes}");
        }
        assert_eq!(alarms_most(200, 0.0), None);
        assert_eq!(alarms_most(200, 1.0), Some(200));
        assert_eq!(alarms_most(0, 0.05), None);
    }

    #[test]
    fn warnings_are_counted_on_both_kinds_of_changes() {
        let omission = |tops, place| RankedOmission { tops, place };
        let changes = [
            omission([0.9, 0.2, 0.1], Some(0)),
            omission([0.9, 0.8, 0.1], Some(1)),
            omission([0.9, 0.2, 0.1], Some(1)),
            omission([0.4, 0.0, 0.0], Some(0)),
            omission([0.9, 0.0, 0.0], None),
        ];
        let found = warned(0.5, &[0.6, 0.5, 0.4, 0.0], &changes);
        assert_eq!(found, WarningStatistics { false_alarms: 0.5, recall: 0.4, precision: Some(0.5) });
        assert_eq!(warned(2.0, &[0.6], &changes).precision, None);
        assert_eq!(warned(0.5, &[], &[]), WarningStatistics::default());
    }
}

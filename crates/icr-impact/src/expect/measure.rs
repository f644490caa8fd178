//! How good a ranking is, how right its probabilities are, and from which one on to warn.

/// How well one ranked list found the files wanted.
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

/// Scores a ranked list: `hits` says of each of its entries whether it was wanted. `wanted` is how many were. All zeros when
/// none was.
pub fn scores(hits: &[bool], wanted: usize) -> Scores {
    let mut scores = Scores::default();
    if wanted == 0 {
        return scores;
    }
    let total = wanted as f64;
    let mut found = 0.0;
    for (at, _) in hits.iter().enumerate().filter(|(_, hit)| **hit) {
        let place = at as f64 + 1.0;
        found += 1.0;
        scores.average_precision += found / place / total;
        scores.reciprocal_rank = scores.reciprocal_rank.max(1.0 / place);
        scores.recall_at_5 += f64::from(u8::from(at < 5)) / total;
        scores.recall_at_10 += f64::from(u8::from(at < 10)) / total;
    }
    scores
}

/// How right probabilities are.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// Ten ranges of probability, the lowest first; those without a case are left out.
    pub bins: Vec<Bin>,
    /// Mean distance of predicted and observed over all cases, by range.
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
    for (probability, label) in cases {
        let bin = &mut bins[((probability * 10.0) as usize).min(9)];
        bin.cases += 1;
        bin.predicted += probability;
        bin.observed += f64::from(u8::from(*label));
    }
    bins.retain(|bin| bin.cases > 0);
    for bin in &mut bins {
        bin.predicted /= bin.cases as f64;
        bin.observed /= bin.cases as f64;
    }
    let distance = |bin: &Bin| bin.cases as f64 * (bin.predicted - bin.observed).abs();
    let error = bins.iter().map(distance).sum::<f64>() / cases.len().max(1) as f64;
    Calibration { bins, error }
}

/// The probability above which, strictly, at most `share` of complete changes would be warned about: `tops` holds the highest probability
/// of each. `None` when there is none, or `share` of them is less than one.
pub fn threshold(tops: &[f64], share: f64) -> Option<f64> {
    let mut tops = tops.to_vec();
    tops.sort_by(|one, other| other.total_cmp(one));
    let allowed = (share * tops.len() as f64) as usize;
    tops.get(allowed).copied().filter(|_| allowed > 0)
}

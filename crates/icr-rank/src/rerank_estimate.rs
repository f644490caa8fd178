//! Estimated transformer scores for files that the transformer has not embedded.

use crate::{FileEvidence, RankedFile};

/// Gives each file of `ranked` that the transformer behind the built-in model has not embedded an estimated transformer
/// score: that of embedded files with similar other evidence. So a file does not move just because it was embedded or
/// not. The estimate comes from a line through the embedded files, from their scores before any penalty to their
/// transformer scores. Nothing changes if all files are embedded, or none.
///
/// On 327 commit messages of 16 repositories, where the model had 4 seconds for each repository, NDCG@10 is 0.003 above
/// that of the built-in model alone. If unread files are judged by their other channels instead, it is 0.017 below.
pub fn expect_of_unread(files: &mut [FileEvidence], ranked: &[RankedFile]) {
    let score = |ranked: &RankedFile| ranked.score / ranked.penalty.map_or(1.0, |penalty| penalty.factor);
    let scores: Vec<(usize, f64)> = ranked.iter().map(|ranked| (ranked.file, score(ranked))).collect();
    let values: [fn(&mut FileEvidence) -> &mut Option<f64>; 2] =
        [|file| &mut file.model_similarity, |file| &mut file.model_nearest];
    for value in values {
        let read = scores.iter().filter_map(|(file, score)| value(&mut files[*file]).map(|value| (*score, value)));
        let Some(line) = LeastSquaresLine::through(&read.collect::<Vec<_>>()) else { continue };
        for (file, score) in &scores {
            let file = &mut files[*file];
            if value(file).is_none() {
                *value(file) = Some(line.at(*score));
                file.is_model_expected = true;
            }
        }
    }
}

/// A line fitted by least squares. It never falls, and its values stay within those of the points.
struct LeastSquaresLine {
    middle: (f64, f64),
    slope: f64,
    lowest: f64,
    highest: f64,
}

impl LeastSquaresLine {
    /// The line through `points`; `None` if there are none.
    fn through(points: &[(f64, f64)]) -> Option<Self> {
        if points.is_empty() {
            return None;
        }
        let total = points.len() as f64;
        let sum = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
        let middle = (sum(&|(x, _)| *x) / total, sum(&|(_, y)| *y) / total);
        let square = sum(&|(x, _)| (x - middle.0).powi(2));
        let along = sum(&|(x, y)| (x - middle.0) * (y - middle.1));
        let lowest = points.iter().map(|(_, y)| *y).fold(f64::INFINITY, f64::min);
        let highest = points.iter().map(|(_, y)| *y).fold(f64::NEG_INFINITY, f64::max);
        let slope = if square > 0.0 { (along / square).max(0.0) } else { 0.0 };
        Some(Self { middle, slope, lowest, highest })
    }

    fn at(&self, x: f64) -> f64 {
        (self.middle.1 + self.slope * (x - self.middle.0)).clamp(self.lowest, self.highest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{FileKind, QueryEvidence, Weights, rank};

    /// Files that are so near to the query.
    fn files(similarities: impl Iterator<Item = f64>) -> Vec<FileEvidence> {
        let files = (0..).zip(similarities).map(|(at, similarity)| {
            let path = format!("{at}.rs").as_str().into();
            let kind = FileKind::of(&path);
            FileEvidence { similarity: Some(similarity), ..FileEvidence::new(path, kind) }
        });
        files.collect()
    }

    /// `given`: how near each file is, and what the model says of it. `expected`: what it says then.
    #[track_caller]
    fn check(given: &[(f64, Option<f64>)], expected: &[f64]) {
        let mut files = files(given.iter().map(|(similarity, _)| *similarity));
        let ranked = rank(&files, &QueryEvidence::default(), &Weights::hybrid());
        files.iter_mut().zip(given).for_each(|(file, (_, model))| file.model_similarity = *model);
        expect_of_unread(&mut files, &ranked);
        let said: Vec<f64> = files.iter().filter_map(|file| file.model_similarity).collect();
        assert_eq!(said.len(), expected.len());
        let is_near = said.iter().zip(expected).all(|(said, expected)| (said - expected).abs() < 1e-9);
        assert!(is_near, "{said:?}");
        let is_expected = files.iter().map(|file| file.is_model_expected);
        let lacked = given.iter().map(|(_, model)| model.is_none() && !expected.is_empty());
        assert_eq!(is_expected.collect::<Vec<_>>(), lacked.collect::<Vec<_>>());
    }

    #[test]
    fn what_was_not_read_has_what_its_like_have() {
        check(&[(0.8, Some(0.6)), (0.6, None), (0.4, Some(0.2))], &[0.6, 0.4, 0.2]);
        check(&[(0.9, None), (0.8, Some(0.6)), (0.4, Some(0.2)), (0.1, None)], &[0.6, 0.6, 0.2, 0.2]);
        check(&[(0.8, Some(0.5)), (0.4, None)], &[0.5, 0.5]);
    }

    #[test]
    fn a_model_that_contradicts_all_else_says_the_same_of_all_it_has_not_read() {
        check(&[(0.8, Some(0.2)), (0.6, Some(0.6)), (0.1, None)], &[0.2, 0.6, 0.4]);
    }

    #[test]
    fn nothing_read_is_nothing_expected() {
        check(&[(0.8, None), (0.4, None)], &[]);
        check(&[], &[]);
    }

    proptest! {
        #[test]
        fn one_file_that_was_read_moves_none(
            similarities in prop::collection::vec(0.1..0.9_f64, 1..9), read in 0..9_usize, said in 0.1..0.9_f64,
        ) {
            let mut files = files(similarities.into_iter());
            let order = |files: &[FileEvidence]| {
                let ranked = rank(files, &QueryEvidence::default(), &Weights::hybrid());
                (ranked.iter().map(|ranked| ranked.file).collect::<Vec<_>>(), ranked)
            };
            let (before, ranked) = order(&files);
            let read = read % files.len();
            (files[read].model_similarity, files[read].model_nearest) = (Some(said), Some(said));
            expect_of_unread(&mut files, &ranked);
            prop_assert_eq!(order(&files).0, before);
        }
    }
}

//! Weights from rows of which the outcome is known: logistic regression by Newton's method.

use super::{FEATURES_TOTAL, Features, Weights};

/// A candidate of a past change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingRow {
    /// Features of the candidate.
    pub features: Features,
    /// Whether it belonged to the change.
    pub label: bool,
    /// Number of rows that this row stands for; not negative.
    pub weight: f64,
}

/// Steps after which the fit ends wherever it is; it takes 6 to 12 on real rows.
const STEPS_MOST: usize = 50;

/// The fit ends when a step gains less than this share of the loss.
const LEAST_GAIN: f64 = 1e-9;

/// Intercept and weights of the features, in this order.
const UNKNOWNS: usize = FEATURES_TOTAL + 1;

type Vector = [f64; UNKNOWNS];

/// The weights that make `rows` most likely, held to 0 by `ridge`, in rows: `ridge / 2` times the square of each weight, measured in
/// standard deviations of its feature, is added to the loss. The intercept is free. A feature that has the same value in all rows
/// gets a weight of 0.
///
/// The same rows in the same order give the same weights, to the last bit. `None` if the rows do not include both
/// outcomes, or include a value that is not finite, because then nothing can be learned.
///
/// Cost: about ten passes over the rows, each the square of the number of features for a row.
pub fn fit(rows: &[TrainingRow], ridge: f64) -> Option<Weights> {
    let usable =
        |row: &TrainingRow| row.weight.is_finite() && row.weight >= 0.0 && row.features.iter().all(|x| x.is_finite());
    if !rows.iter().all(usable) {
        return None;
    }
    let total: f64 = rows.iter().map(|row| row.weight).sum();
    let belonged: f64 = rows.iter().filter(|row| row.label).map(|row| row.weight).sum();
    if !(belonged > 0.0 && belonged < total) {
        return None;
    }
    let scale = Scale::of(rows, total);
    let mut at = [0.0; UNKNOWNS];
    at[0] = (belonged / (total - belonged)).ln();
    let mut loss = loss(rows, &scale, &at, ridge);
    for _ in 0..STEPS_MOST {
        let Some((next, next_loss)) = step(rows, &scale, &at, loss, ridge) else { break };
        let gain = loss - next_loss;
        (at, loss) = (next, next_loss);
        if gain < LEAST_GAIN * loss.abs() {
            break;
        }
    }
    Some(scale.weights(&at))
}

/// Where every feature has mean 0 and deviation 1, the equations can be solved and one ridge fits all.
struct Scale {
    mean: Features,
    /// One divided by the deviation; 0 for a feature that never changes, which leaves it out.
    inverse_deviation: Features,
}

impl Scale {
    fn of(rows: &[TrainingRow], total: f64) -> Self {
        let mut scale = Self { mean: [0.0; FEATURES_TOTAL], inverse_deviation: [0.0; FEATURES_TOTAL] };
        for feature in 0..FEATURES_TOTAL {
            let mean = rows.iter().map(|row| row.weight * row.features[feature]).sum::<f64>() / total;
            let square = |row: &TrainingRow| row.weight * (row.features[feature] - mean).powi(2);
            let deviation = (rows.iter().map(square).sum::<f64>() / total).sqrt();
            scale.mean[feature] = mean;
            // Rounding leaves a trace of a deviation where there is none.
            if deviation > 1e-9 * (1.0 + mean.abs()) {
                scale.inverse_deviation[feature] = 1.0 / deviation;
            }
        }
        scale
    }

    /// The row with a 1 for the intercept before it.
    fn of_row(&self, row: &TrainingRow) -> Vector {
        let mut scaled = [1.0; UNKNOWNS];
        for (feature, value) in row.features.iter().enumerate() {
            scaled[feature + 1] = (value - self.mean[feature]) * self.inverse_deviation[feature];
        }
        scaled
    }

    fn weights(&self, at: &Vector) -> Weights {
        let mut weights = Weights { intercept: at[0], by_feature: [0.0; FEATURES_TOTAL] };
        for feature in 0..FEATURES_TOTAL {
            weights.by_feature[feature] = at[feature + 1] * self.inverse_deviation[feature];
            weights.intercept -= weights.by_feature[feature] * self.mean[feature];
        }
        weights
    }
}

/// One step of Newton's method, halved until it leads down; `None` when no step does.
fn step(rows: &[TrainingRow], scale: &Scale, at: &Vector, loss_here: f64, ridge: f64) -> Option<(Vector, f64)> {
    let (gradient, curvature) = slopes(rows, scale, at, ridge);
    let direction = solve(curvature, gradient)?;
    let mut length = 1.0;
    while length > 1e-4 {
        let mut next = *at;
        next.iter_mut().zip(&direction).for_each(|(value, towards)| *value -= length * towards);
        let next_loss = loss(rows, scale, &next, ridge);
        if next_loss < loss_here {
            return Some((next, next_loss));
        }
        length /= 2.0;
    }
    None
}

fn loss(rows: &[TrainingRow], scale: &Scale, at: &Vector, ridge: f64) -> f64 {
    let of_row = |row: &TrainingRow| {
        let odds = dot(&scale.of_row(row), at);
        let against = if row.label { -odds } else { odds };
        // ln(1 + e^x) without overflow.
        row.weight * (against.max(0.0) + (-against.abs()).exp().ln_1p())
    };
    rows.iter().map(of_row).sum::<f64>() + ridge / 2.0 * at[1..].iter().map(|weight| weight * weight).sum::<f64>()
}

/// First and second derivatives of the loss.
fn slopes(rows: &[TrainingRow], scale: &Scale, at: &Vector, ridge: f64) -> (Vector, Box<[Vector; UNKNOWNS]>) {
    let mut gradient = [0.0; UNKNOWNS];
    let mut curvature = Box::new([[0.0; UNKNOWNS]; UNKNOWNS]);
    for row in rows {
        let scaled = scale.of_row(row);
        let predicted = 1.0 / (1.0 + (-dot(&scaled, at)).exp());
        let error = row.weight * (predicted - f64::from(u8::from(row.label)));
        let spread = row.weight * predicted * (1.0 - predicted);
        for one in 0..UNKNOWNS {
            gradient[one] += error * scaled[one];
            let factor = spread * scaled[one];
            for other in 0..=one {
                curvature[one][other] += factor * scaled[other];
            }
        }
    }
    for one in 0..UNKNOWNS {
        let held = if one == 0 { 0.0 } else { ridge };
        gradient[one] += held * at[one];
        // What never changes has no curvature; this keeps its weight where it is, at 0.
        curvature[one][one] += held + 1e-9;
    }
    (gradient, curvature)
}

/// Solves `matrix * x = right` for a symmetric positive matrix of which the lower half is given, by Cholesky's decomposition. `None`
/// when it is not positive.
fn solve(mut matrix: Box<[Vector; UNKNOWNS]>, right: Vector) -> Option<Vector> {
    for row in 0..UNKNOWNS {
        for column in 0..=row {
            let known: f64 = (0..column).map(|at| matrix[row][at] * matrix[column][at]).sum();
            let rest = matrix[row][column] - known;
            if row == column {
                if rest <= 0.0 {
                    return None;
                }
                matrix[row][row] = rest.sqrt();
            } else {
                matrix[row][column] = rest / matrix[column][column];
            }
        }
    }
    let mut x = right;
    for row in 0..UNKNOWNS {
        let known: f64 = (0..row).map(|at| matrix[row][at] * x[at]).sum();
        x[row] = (x[row] - known) / matrix[row][row];
    }
    for row in (0..UNKNOWNS).rev() {
        let known: f64 = (row + 1..UNKNOWNS).map(|at| matrix[at][row] * x[at]).sum();
        x[row] = (x[row] - known) / matrix[row][row];
    }
    Some(x)
}

fn dot(one: &Vector, other: &Vector) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::expect::probability;

    /// A row whose first two features are given and whose others are 0.
    fn row(first: f64, second: f64, label: bool, weight: f64) -> TrainingRow {
        let mut features = [0.0; FEATURES_TOTAL];
        (features[0], features[1]) = (first, second);
        TrainingRow { features, label, weight }
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64, by: f64) {
        assert!((found - expected).abs() < by, "{found} is not {expected}");
    }

    /// Each pair of values with the outcomes that these weights make most likely, as weights of rows.
    fn rows_of(intercept: f64, first: f64, second: f64) -> Vec<TrainingRow> {
        let values = (-4..=4).flat_map(|one| (-2..=2).map(move |other| (f64::from(one) / 2.0, f64::from(other))));
        let rows = values.flat_map(|(one, other)| {
            let probability = 1.0 / (1.0 + (-(intercept + first * one + second * other)).exp());
            [row(one, other, true, probability), row(one, other, false, 1.0 - probability)]
        });
        rows.collect()
    }

    #[test]
    fn weights_that_made_the_rows_are_found_again() {
        let weights = fit(&rows_of(-2.0, 1.5, -0.25), 0.0).unwrap();
        assert_near(weights.intercept, -2.0, 1e-6);
        assert_near(weights.by_feature[0], 1.5, 1e-6);
        assert_near(weights.by_feature[1], -0.25, 1e-6);
        assert_eq!(weights.by_feature[2..], [0.0; FEATURES_TOTAL - 2]);
    }

    #[test]
    fn a_ridge_pulls_weights_to_nothing_and_leaves_the_mean_right() {
        let rows = rows_of(-2.0, 1.5, -0.25);
        let (free, held) = (fit(&rows, 0.0).unwrap(), fit(&rows, 20.0).unwrap());
        assert!(held.by_feature[0].abs() < free.by_feature[0].abs());
        let mean =
            |weights: &Weights| rows.iter().map(|row| row.weight * probability(&row.features, weights)).sum::<f64>();
        assert_near(mean(&held), mean(&free), 1e-6);
    }

    #[test]
    fn rows_that_a_feature_separates_have_weights_that_end() {
        let rows = [row(1.0, 0.0, true, 1.0), row(1.0, 0.0, true, 1.0), row(0.0, 0.0, false, 1.0)];
        for ridge in [0.0, 0.1] {
            let weights = fit(&rows, ridge).unwrap();
            assert!(weights.by_feature[0] > 0.0 && weights.by_feature[0].is_finite(), "{weights:?}");
        }
    }

    #[test]
    fn a_weight_stands_for_as_many_rows() {
        let (one, other) = (row(1.0, 2.0, true, 1.0), row(-1.0, 0.5, false, 1.0));
        let third = row(0.5, -1.0, false, 1.0);
        let thrice = fit(&[TrainingRow { weight: 3.0, ..one }, other, third], 1.0).unwrap();
        let written_out = fit(&[one, one, one, other, third], 1.0).unwrap();
        assert_near(thrice.by_feature[0], written_out.by_feature[0], 1e-6);
        assert_near(thrice.intercept, written_out.intercept, 1e-6);
    }

    #[test]
    fn nothing_is_learned_from_one_outcome_or_from_no_numbers() {
        let (yes, no) = (row(1.0, 0.0, true, 1.0), row(0.0, 0.0, false, 1.0));
        assert_eq!(fit(&[], 1.0), None);
        assert_eq!(fit(&[yes, yes], 1.0), None);
        assert_eq!(fit(&[yes, TrainingRow { weight: 0.0, ..no }], 1.0), None);
        assert_eq!(fit(&[yes, row(f64::NAN, 0.0, false, 1.0)], 1.0), None);
        assert_eq!(fit(&[yes, TrainingRow { weight: -1.0, ..no }], 1.0), None);
    }

    proptest! {
        #[test]
        fn a_fit_is_finite_and_as_right_on_the_mean_as_the_rows(
            rows in prop::collection::vec((-5.0..5.0, -5.0..5.0, any::<bool>(), 0.1..3.0), 2..40),
        ) {
            let rows: Vec<TrainingRow> = rows.into_iter().map(|(one, other, label, weight)| row(one, other, label, weight)).collect();
            let both = rows.iter().any(|row| row.label) && rows.iter().any(|row| !row.label);
            let fitted = fit(&rows, 1.0);
            prop_assert_eq!(fitted.is_some(), both);
            if let Some(weights) = fitted {
                prop_assert!(weights.intercept.is_finite() && weights.by_feature.iter().all(|weight| weight.is_finite()));
                let predicted: f64 = rows.iter().map(|row| row.weight * probability(&row.features, &weights)).sum();
                let observed: f64 = rows.iter().filter(|row| row.label).map(|row| row.weight).sum();
                prop_assert!((predicted - observed).abs() < 1e-2, "{} {}", predicted, observed);
            }
        }
    }
}

//! Quantises weights to bytes: symmetric, with one scale for each column or row.

/// Largest magnitude of a quantised weight. -128 is not used, so that the range is symmetric.
const LARGEST: f32 = 127.0;

/// A matrix of bytes; the weight is `values[row][column] * scales[column]`.
#[derive(Debug, PartialEq)]
pub(super) struct ByColumn {
    /// Row-major; the length is rows times columns.
    pub(super) values: Vec<i8>,
    /// One scale for each column.
    pub(super) scales: Vec<f32>,
}

/// Quantises a row-major matrix of `columns` columns, each by its own largest magnitude. A column of zeros has scale 1.
pub(super) fn by_column(weights: &[f32], columns: usize) -> ByColumn {
    let mut largest = vec![0.0_f32; columns];
    for row in weights.chunks_exact(columns) {
        for (largest, weight) in largest.iter_mut().zip(row) {
            *largest = largest.max(weight.abs());
        }
    }
    let scales: Vec<f32> = largest.iter().map(|largest| scale_for(*largest)).collect();
    let rows = weights.chunks_exact(columns);
    let values = rows.flat_map(|row| row.iter().zip(&scales).map(|(weight, scale)| byte(*weight, *scale))).collect();
    ByColumn { values, scales }
}

/// A matrix of bytes; the weight is `values[row][column] * scales[row]`.
#[derive(Debug, PartialEq)]
pub(super) struct ByRow {
    /// Row-major; the length is rows times columns.
    pub(super) values: Vec<i8>,
    /// One scale for each row.
    pub(super) scales: Vec<f32>,
}

/// Quantises a row-major matrix of `columns` columns, each row by its own largest magnitude. For tables from which
/// whole rows are taken: there a scale for each row costs nothing.
pub(super) fn by_row(weights: &[f32], columns: usize) -> ByRow {
    let rows = || weights.chunks_exact(columns);
    let scales: Vec<f32> =
        rows().map(|row| scale_for(row.iter().fold(0.0_f32, |largest, weight| largest.max(weight.abs())))).collect();
    let values = rows().zip(&scales).flat_map(|(row, scale)| row.iter().map(|weight| byte(*weight, *scale))).collect();
    ByRow { values, scales }
}

fn scale_for(largest: f32) -> f32 {
    if largest > 0.0 { largest / LARGEST } else { 1.0 }
}

fn byte(weight: f32, scale: f32) -> i8 {
    (weight / scale).round().clamp(-LARGEST, LARGEST) as i8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_column_of_zeros_stays_zero_and_the_largest_weight_is_exact() {
        let matrix = by_column(&[0.0, -2.54, 0.0, 1.27], 2);
        assert_eq!(matrix, ByColumn { values: vec![0, -127, 0, 64], scales: vec![1.0, 0.02] });
    }

    #[test]
    fn rows_have_scales_of_their_own() {
        let matrix = by_row(&[1.27, 0.0, 0.0, 254.0], 2);
        assert_eq!(matrix.values, [127, 0, 0, 127]);
        assert_eq!(matrix.scales, [0.01, 2.0]);
    }

    proptest! {
        #[test]
        fn no_weight_moves_by_more_than_half_a_step(
            weights in proptest::collection::vec(-10.0_f32..10.0, 12),
            columns in prop_oneof![Just(1_usize), Just(2), Just(3), Just(4), Just(6)],
        ) {
            let by_column = by_column(&weights, columns);
            let by_row = by_row(&weights, columns);
            for (at, weight) in weights.iter().enumerate() {
                for (byte, scale) in [
                    (by_column.values[at], by_column.scales[at % columns]),
                    (by_row.values[at], by_row.scales[at / columns]),
                ] {
                    prop_assert!((f32::from(byte) * scale - weight).abs() <= scale * 0.5001, "{byte} {scale} {weight}");
                }
            }
        }
    }
}

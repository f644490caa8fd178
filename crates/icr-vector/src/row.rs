//! One stored vector: its direction quantised to one byte per component, and as float16 if the encoding has that.

use crate::error::Error;

/// Largest number of steps of a component; the range is symmetric, so a vector and its opposite have the same
/// precision.
const MOST_STEPS: f64 = 127.0;

/// A stored vector. Only its direction is kept, so it has unit length, whatever length was given.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QuantisedRow {
    /// Size of one step: the vector is `scale * steps`. 0 for the zero vector, which has no direction.
    pub(crate) scale: f32,
    /// Components in steps, from -127 to 127, in two's complement.
    pub(crate) steps: Vec<u8>,
    /// Components of the unit vector as float16; empty if the encoding has none.
    pub(crate) halves: Vec<u16>,
    /// An upper bound of the distance between the quantised and the float16 unit vector; 0 without float16.
    pub(crate) residual: f32,
}

impl QuantisedRow {
    /// Quantises `vector`.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] when a component is infinite or NaN.
    pub(crate) fn of(vector: &[f32], with_halves: bool) -> Result<Self, Error> {
        let most = largest_magnitude(vector)?;
        if most == 0.0 {
            let halves = if with_halves { vec![0; vector.len()] } else { Vec::new() };
            return Ok(Self { scale: 0.0, steps: vec![0; vector.len()], halves, residual: 0.0 });
        }
        let steps: Vec<u8> = vector.iter().map(|x| (f64::from(*x) / most * MOST_STEPS).round() as i8 as u8).collect();
        let squares: i64 = steps.iter().map(|step| i64::from(*step as i8).pow(2)).sum();
        let scale = (1.0 / (squares as f64).sqrt()) as f32;
        let halves = if with_halves { halves(vector, most) } else { Vec::new() };
        let residual = if with_halves { residual(&steps, scale, &halves) } else { 0.0 };
        Ok(Self { scale, steps, halves, residual })
    }
}

/// The cosine between the unit vector `question` and a quantised row.
pub(crate) fn cosine_of_steps(question: &[f64], steps: &[u8], scale: f32) -> f32 {
    clamped(dot_of_steps(question, steps) * f64::from(scale))
}

/// The cosine between the unit vector `question` and a row in float16, little-endian in `halves`.
pub(crate) fn cosine_of_halves(question: &[f64], halves: &[u8]) -> f32 {
    let row = || halves.chunks_exact(2).map(|pair| f64::from(from_half(u16::from_le_bytes([pair[0], pair[1]]))));
    let squares: f64 = row().map(|x| x * x).sum();
    if squares == 0.0 {
        return 0.0;
    }
    clamped(dot(question, row()) / squares.sqrt())
}

/// The nearest float16 to `value`, ties to even; values beyond its range become infinite.
pub(crate) fn to_half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude >= 0x7f80_0000 {
        return sign | if magnitude > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
    }
    // 2^-14 is the smallest normal float16. From there on, 13 bits of the fraction are dropped and the exponent's bias
    // changes.
    if magnitude >= 0x3880_0000 {
        let rebiased = magnitude - (112 << 23);
        let rounded = (rebiased + 0x0fff + (rebiased >> 13 & 1)) >> 13;
        return sign | rounded.min(0x7c00) as u16;
    }
    // Smaller values are multiples of 2^-24. Adding 1/2 makes the float32 addition round to such a multiple.
    let multiple = (f32::from_bits(magnitude) + 0.5).to_bits() - 0.5_f32.to_bits();
    sign | multiple as u16
}

/// The value of the float16 `half`.
pub(crate) fn from_half(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let (exponent, fraction) = (u32::from(half >> 10 & 0x1f), u32::from(half & 0x3ff));
    let magnitude = match exponent {
        0 => (fraction as f32 * 2.0_f32.powi(-24)).to_bits(),
        0x1f => 0x7f80_0000 | fraction << 13,
        exponent => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// The largest magnitude of a component.
pub(crate) fn largest_magnitude(vector: &[f32]) -> Result<f64, Error> {
    match vector.iter().position(|x| !x.is_finite()) {
        Some(at) => Err(Error::NotFinite { at, value: vector[at] }),
        None => Ok(vector.iter().fold(0.0, |most, x| f64::from(x.abs()).max(most))),
    }
}

/// The unit vector of `vector`, whose largest magnitude is `most`. It is divided by `most` first, so that squares
/// neither overflow nor underflow.
pub(crate) fn unit(vector: &[f32], most: f64) -> Vec<f64> {
    let length = vector.iter().map(|x| (f64::from(*x) / most).powi(2)).sum::<f64>().sqrt() * most;
    vector.iter().map(|x| f64::from(*x) / length).collect()
}

fn halves(vector: &[f32], most: f64) -> Vec<u16> {
    unit(vector, most).into_iter().map(|x| to_half(x as f32)).collect()
}

fn residual(steps: &[u8], scale: f32, halves: &[u16]) -> f32 {
    let halves: Vec<f64> = halves.iter().map(|half| f64::from(from_half(*half))).collect();
    let length = halves.iter().map(|x| x * x).sum::<f64>().sqrt();
    let distance = |(step, half): (&u8, &f64)| f64::from(*step as i8) * f64::from(scale) - half / length;
    let squares: f64 = steps.iter().zip(&halves).map(|pair| distance(pair).powi(2)).sum();
    // An upper bound must not be rounded down.
    ((squares.sqrt() * (1.0 + 1e-6)) as f32).next_up()
}

/// The dot product, with four partial sums in a fixed order, so that the result is the same on every machine.
fn dot(question: &[f64], row: impl Iterator<Item = f64>) -> f64 {
    let mut sums = [0.0; 4];
    for (at, (x, y)) in question.iter().zip(row).enumerate() {
        sums[at % 4] += x * y;
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// [`dot`] with a quantised row. Each of the four sums is a lane of a register if the processor has vector registers;
/// the result is the same.
fn dot_of_steps(question: &[f64], steps: &[u8]) -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn in_lanes(question: &[f64], steps: &[u8]) -> f64 {
            four_sums(question, steps)
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, which is the only requirement of the function.
            return unsafe { in_lanes(question, steps) };
        }
    }
    four_sums(question, steps)
}

#[inline(always)]
fn four_sums(question: &[f64], steps: &[u8]) -> f64 {
    let (question, last_of_question) = question.as_chunks::<4>();
    let (steps, last_steps) = steps.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (question, steps) in question.iter().zip(steps) {
        for (sum, (x, step)) in sums.iter_mut().zip(question.iter().zip(steps)) {
            *sum += x * f64::from(*step as i8);
        }
    }
    for (sum, (x, step)) in sums.iter_mut().zip(last_of_question.iter().zip(last_steps)) {
        *sum += x * f64::from(*step as i8);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// Keeps rounding from carrying a cosine out of its range, and replaces -0 by 0.
fn clamped(cosine: f64) -> f32 {
    (cosine as f32).clamp(-1.0, 1.0) + 0.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_float16_survives_float32() {
        for half in 0..=u16::MAX {
            let value = from_half(half);
            if value.is_nan() {
                assert!(from_half(to_half(value)).is_nan());
            } else {
                assert_eq!(to_half(value), half, "{value}");
            }
        }
    }

    #[test]
    fn float16_rounds_to_the_nearest_and_ties_to_even() {
        for (value, half) in [
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (1.0 + 1.0 / 2048.0, 0x3c00),
            (1.0 + 3.0 / 2048.0, 0x3c02),
            (2.0_f32.powi(-24), 0x0001),
            (2.0_f32.powi(-25), 0x0000),
            (2.0_f32.powi(-25) * 1.5, 0x0001),
            (f32::MIN_POSITIVE, 0x0000),
            (f32::INFINITY, 0x7c00),
        ] {
            assert_eq!(to_half(value), half, "{value}");
        }
    }

    #[test]
    fn only_the_direction_of_a_vector_counts() {
        let row = QuantisedRow::of(&[3.0, -4.0], true).unwrap();
        for factor in [1e-38, 1e-3, 7.0, 8e37] {
            assert_eq!(QuantisedRow::of(&[3.0 * factor, -4.0 * factor], true).unwrap().steps, row.steps, "{factor}");
        }
        assert_eq!(row.steps, [95, -127_i8 as u8]);
        // (3 * 95 + 4 * 127) / 5 over the length of (95, 127).
        let expected = (158.6 / 25_154_f64.sqrt()) as f32;
        assert!((cosine_of_steps(&unit(&[3.0, -4.0], 4.0), &row.steps, row.scale) - expected).abs() < 2e-7);
        let halves: Vec<u8> = row.halves.iter().flat_map(|half| half.to_le_bytes()).collect();
        assert_eq!(cosine_of_halves(&unit(&[3.0, -4.0], 4.0), &halves), 1.0);
    }

    #[test]
    fn what_has_no_direction_is_zero_and_what_is_no_number_is_refused() {
        let row = QuantisedRow::of(&[0.0, -0.0], true).unwrap();
        assert_eq!((row.scale, row.steps, row.halves, row.residual), (0.0, vec![0; 2], vec![0; 2], 0.0));
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let error = QuantisedRow::of(&[0.0, value], false).unwrap_err();
            assert_eq!(error.to_string(), format!("component 1 of a vector is {value}, not a finite number"));
        }
    }

    proptest! {
        #[test]
        fn sums_of_steps_are_added_in_the_order_of_all_sums(
            question in prop::collection::vec(-1.0_f64..1.0, 0..70),
            steps in prop::collection::vec(any::<u8>(), 70),
        ) {
            let steps = &steps[..question.len()];
            let expected = dot(&question, steps.iter().map(|step| f64::from(*step as i8))).to_bits();
            prop_assert_eq!(dot_of_steps(&question, steps).to_bits(), expected);
            prop_assert_eq!(four_sums(&question, steps).to_bits(), expected);
        }

        #[test]
        fn the_residual_bounds_what_steps_lose(
            vector in prop::collection::vec(-1.0_f32..1.0, 1..70),
            question in prop::collection::vec(-1.0_f32..1.0, 70),
        ) {
            let row = QuantisedRow::of(&vector, true).unwrap();
            let question = &question[..vector.len()];
            let most = largest_magnitude(question).unwrap();
            prop_assume!(most > 0.0 && row.scale > 0.0);
            let question = unit(question, most);
            let halves: Vec<u8> = row.halves.iter().flat_map(|half| half.to_le_bytes()).collect();
            let lost = cosine_of_steps(&question, &row.steps, row.scale) - cosine_of_halves(&question, &halves);
            prop_assert!(lost.abs() <= row.residual + 1e-6, "{lost} {}", row.residual);
        }
    }
}

//! BERT in plain code: the expected vector of a text, to check the written graph against.
//!
//! Shares nothing with the graph but the weights: matrices are not fused, scales not folded, token types added at run
//! time.

use super::weights::{Bert, EncoderLayer, Linear, Norm};
use crate::Pooling;

/// The vector of `ids` (with the markers of beginning and end), of length 1.
///
/// `ids` must be below the vocabulary's size, and no more than the position table has rows. Costs about 2 × (parameters
/// of the layers) operations for each token, so use it for checks only.
pub(super) fn sentence_vector(bert: &Bert, ids: &[u32], pooling: Pooling) -> Vec<f32> {
    let width = bert.shape.hidden;
    let mut states: Vec<Vec<f32>> = ids.iter().enumerate().map(|(place, id)| embedding(bert, *id, place)).collect();
    for layer in &bert.layers {
        states = apply_layer(layer, &states, bert.shape.heads, bert.shape.epsilon);
    }
    let mut vector = match pooling {
        Pooling::First => states.swap_remove(0),
        _ => {
            let mut mean = vec![0.0; width];
            for state in &states {
                add(&mut mean, state);
            }
            mean.iter_mut().for_each(|value| *value /= states.len() as f32);
            mean
        }
    };
    let length = dot(&vector, &vector).sqrt().max(f32::MIN_POSITIVE);
    vector.iter_mut().for_each(|value| *value /= length);
    vector
}

fn embedding(bert: &Bert, id: u32, place: usize) -> Vec<f32> {
    let width = bert.shape.hidden;
    let row = |table: &[f32], at: usize| table[at * width..][..width].to_vec();
    let mut state = row(&bert.words, id as usize);
    add(&mut state, &row(&bert.positions, place));
    add(&mut state, &row(&bert.token_types, 0));
    normalise(&mut state, &bert.embedding_norm, bert.shape.epsilon);
    state
}

fn apply_layer(layer: &EncoderLayer, states: &[Vec<f32>], heads: usize, epsilon: f32) -> Vec<Vec<f32>> {
    let attended = attend(layer, states, heads);
    let finish = |(state, attended): (&Vec<f32>, Vec<f32>)| {
        let mut middle = apply(&layer.attention_output, &attended);
        add(&mut middle, state);
        normalise(&mut middle, &layer.attention_norm, epsilon);
        let mut wide = apply(&layer.intermediate, &middle);
        wide.iter_mut().for_each(|value| *value = gelu(*value));
        let mut out = apply(&layer.output, &wide);
        add(&mut out, &middle);
        normalise(&mut out, &layer.output_norm, epsilon);
        out
    };
    states.iter().zip(attended).map(finish).collect()
}

fn attend(layer: &EncoderLayer, states: &[Vec<f32>], heads: usize) -> Vec<Vec<f32>> {
    let all = |linear: &Linear| -> Vec<Vec<f32>> { states.iter().map(|state| apply(linear, state)).collect() };
    let (queries, keys, values) = (all(&layer.query), all(&layer.key), all(&layer.value));
    let width = layer.query.outputs();
    let of_head = width / heads;
    let mut results = vec![vec![0.0; width]; states.len()];
    for head in 0..heads {
        let part = head * of_head..(head + 1) * of_head;
        for (query, result) in queries.iter().zip(&mut results) {
            let mut weights: Vec<f32> = keys
                .iter()
                .map(|key| dot(&query[part.clone()], &key[part.clone()]) / (of_head as f32).sqrt())
                .collect();
            softmax(&mut weights);
            for (weight, value) in weights.iter().zip(&values) {
                for (result, value) in result[part.clone()].iter_mut().zip(&value[part.clone()]) {
                    *result += weight * value;
                }
            }
        }
    }
    results
}

fn apply(linear: &Linear, input: &[f32]) -> Vec<f32> {
    let rows = linear.weight.chunks_exact(input.len());
    rows.zip(&linear.bias).map(|(row, bias)| dot(row, input) + bias).collect()
}

fn normalise(state: &mut [f32], norm: &Norm, epsilon: f32) {
    let total = state.len() as f32;
    let mean = state.iter().sum::<f32>() / total;
    let variance = state.iter().map(|value| (value - mean) * (value - mean)).sum::<f32>() / total;
    let deviation = (variance + epsilon).sqrt();
    for ((value, weight), bias) in state.iter_mut().zip(&norm.weight).zip(&norm.bias) {
        *value = (*value - mean) / deviation * weight + bias;
    }
}

fn softmax(values: &mut [f32]) {
    let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    values.iter_mut().for_each(|value| *value = (*value - largest).exp());
    let total: f32 = values.iter().sum();
    values.iter_mut().for_each(|value| *value /= total);
}

/// `x × Φ(x)`, the exact form: BERT's `gelu`.
fn gelu(value: f32) -> f32 {
    (0.5 * f64::from(value) * (1.0 + erf(f64::from(value) / std::f64::consts::SQRT_2))) as f32
}

/// The error function by formula 7.1.26 of Abramowitz and Stegun; off by 1.5e-7 at most.
fn erf(value: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.327_591_1 * value.abs());
    let polynomial =
        t * (0.254_829_592 + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    (1.0 - polynomial * (-value * value).exp()).copysign(value)
}

fn add(to: &mut [f32], other: &[f32]) {
    to.iter_mut().zip(other).for_each(|(to, other)| *to += other);
}

/// Eight sums side by side, so that the compiler may use wide registers.
fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (left_parts, right_parts) = (left.chunks_exact(8), right.chunks_exact(8));
    let rest: f32 = left_parts.remainder().iter().zip(right_parts.remainder()).map(|(left, right)| left * right).sum();
    for (left, right) in left_parts.zip(right_parts) {
        for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
            *sum += left * right;
        }
    }
    sums.iter().sum::<f32>() + rest
}

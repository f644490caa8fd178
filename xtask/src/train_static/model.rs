//! The table while it is trained: rows with a scale each, the loss of a batch, its gradient and the step that follows.

use super::kernels::{add, dot, product, transposed};
use super::seed::Seed;

/// Length of a row. With 128, files are found as well, but single definitions worse.
pub(crate) const DIMS: usize = 256;

/// What similarities are divided by in the loss; .035 and .07 were no better.
const TEMPERATURE: f32 = 0.05;

/// Decay of the mean of gradients and of their squares. The second is short, since a row is touched rarely.
const BETAS: (f32, f32) = (0.9, 0.99);

/// Keeps a step finite if the gradient has always been zero.
const EPSILON: f32 = 1e-8;

/// Factor of the learning rate of scales: there is only one for a whole row.
const SCALE_RATE: f32 = 5.0;

/// Smoothing constant of the frequency that lowers a row's first scale (SIF's a).
const FREQUENCY: f32 = 1e-3;

/// Length of a row before training. Rows of rare tokens stay near it, and long chunks have many rare tokens; with a
/// length of 1 they outweigh the other tokens. NDCG@10 over the files of 31 public repositories, by chunks of 50 lines
/// alone: .663 with 1, .670 with .3, .681 with .1.
const FIRST_LENGTH: f32 = 0.1;

/// Distinct tokens of a text with the root of their counts.
pub(crate) type Bag = Vec<(u32, f32)>;

/// A row: its value is `exp(scale)` times the numbers.
#[derive(Debug, Clone)]
struct EmbeddingRow {
    numbers: [f32; DIMS],
    scale: f32,
    /// Adam's means of gradients, and of squares; the last is of the scale.
    mean: [f32; DIMS + 1],
    square: [f32; DIMS + 1],
}

/// The table.
#[derive(Debug)]
pub(crate) struct Model {
    rows: Vec<EmbeddingRow>,
    step: i32,
    threads: usize,
}

impl Model {
    /// A table of random rows, shorter for frequent tokens. `frequencies` has each token's share of all tokens.
    pub(crate) fn new(frequencies: &[f32], threads: usize, seed: &mut Seed) -> Self {
        let row = |frequency: &f32| {
            // The sum of four uniform numbers is close enough to a normal distribution; its variance is a third.
            let chance = |_| ((0..4).map(|_| seed.unit()).sum::<f32>() - 2.0) * (3.0 / DIMS as f32).sqrt();
            let numbers = std::array::from_fn(chance).map(|number| number * FIRST_LENGTH);
            let scale = (FREQUENCY / (FREQUENCY + frequency)).ln();
            EmbeddingRow { numbers, scale, mean: [0.0; DIMS + 1], square: [0.0; DIMS + 1] }
        };
        Self { rows: frequencies.iter().map(row).collect(), step: 0, threads }
    }

    /// The rows one after the other.
    pub(crate) fn values(&self) -> Vec<f32> {
        self.rows.iter().flat_map(|row| row.numbers.map(|number| number * row.scale.exp())).collect()
    }

    /// One training step: moves `queries` nearer to their own `codes` than to others, and the reverse. Returns the loss
    /// before it, and the number of queries whose own code was nearest.
    pub(crate) fn step(&mut self, queries: &[Bag], codes: &[Bag], rate: f32) -> (f32, usize) {
        let total = queries.len();
        let bags: Vec<&Bag> = queries.iter().chain(codes).collect();
        let (units, lengths) = self.forward(&bags);
        let (query, code) = units.split_at(total * DIMS);
        let mut logits = self.products(query, &transposed(code, DIMS), DIMS, total);
        logits.iter_mut().for_each(|logit| *logit /= TEMPERATURE);
        let right = logits
            .chunks_exact(total)
            .enumerate()
            .filter(|(at, row)| row.iter().all(|other| *other <= row[*at]))
            .count();
        let (gradient, loss) = gradient_of(&logits, total);
        let mut of_units = self.products(&gradient, code, total, DIMS);
        of_units.extend(self.products(&transposed(&gradient, total), query, total, DIMS));
        // Backpropagation through the normalisation.
        for ((gradient, unit), length) in of_units.chunks_exact_mut(DIMS).zip(units.chunks_exact(DIMS)).zip(&lengths) {
            let along = dot(gradient, unit);
            add(gradient, unit, -along);
            let factor = if *length > 0.0 { (length * TEMPERATURE).recip() } else { 0.0 };
            gradient.iter_mut().for_each(|number| *number *= factor);
        }
        self.backward(&bags, &of_units, rate);
        (loss, right)
    }

    /// The vectors of `bags`, normalised, and their lengths before.
    fn forward(&self, bags: &[&Bag]) -> (Vec<f32>, Vec<f32>) {
        let mut units = vec![0.0; bags.len() * DIMS];
        let mut lengths = vec![0.0; bags.len()];
        let part = bags.len().div_ceil(self.threads).max(1);
        std::thread::scope(|scope| {
            let parts = units.chunks_mut(part * DIMS).zip(lengths.chunks_mut(part)).zip(bags.chunks(part));
            for ((units, lengths), bags) in parts {
                scope.spawn(move || {
                    for ((unit, length), bag) in units.chunks_exact_mut(DIMS).zip(lengths).zip(bags) {
                        for (token, weight) in *bag {
                            let row = &self.rows[*token as usize];
                            add(unit, &row.numbers, weight * row.scale.exp());
                        }
                        *length = dot(unit, unit).sqrt();
                        let factor = if *length > 0.0 { length.recip() } else { 0.0 };
                        unit.iter_mut().for_each(|number| *number *= factor);
                    }
                });
            }
        });
        (units, lengths)
    }

    fn products(&self, a: &[f32], b: &[f32], inner: usize, columns: usize) -> Vec<f32> {
        let rows = a.len() / inner;
        let mut out = vec![0.0; rows * columns];
        let part = rows.div_ceil(self.threads).max(1);
        std::thread::scope(|scope| {
            for (a, out) in a.chunks(part * inner).zip(out.chunks_mut(part * columns)) {
                scope.spawn(move || product(a, b, inner, columns, out));
            }
        });
        out
    }

    /// Updates every row that occurs in a bag by the gradients of the bags' sums. Threads share the rows, and each row
    /// adds up in the order of the bags, so the number of threads does not change the result.
    fn backward(&mut self, bags: &[&Bag], gradients: &[f32], rate: f32) {
        self.step += 1;
        let mut uses: Vec<(u32, u32, f32)> = Vec::new();
        for (at, bag) in (0..).zip(bags) {
            uses.extend(bag.iter().map(|(token, weight)| (*token, at, *weight)));
        }
        uses.sort_unstable_by_key(|(token, bag, _)| (*token, *bag));
        let adam = Adam::new(self.step, rate);
        let part = self.rows.len().div_ceil(self.threads).max(1);
        // Frequent tokens lie anywhere in the order of pieces, so equal parts of rows are about equal work.
        std::thread::scope(|scope| {
            let (mut rest, mut first) = (uses.as_slice(), 0_u32);
            for rows in self.rows.chunks_mut(part) {
                let end = rest.partition_point(|(token, ..)| *token < first + rows.len() as u32);
                let (uses, later) = rest.split_at(end);
                let base = first;
                (rest, first) = (later, first + rows.len() as u32);
                let adam = &adam;
                scope.spawn(move || {
                    for uses in uses.chunk_by(|a, b| a.0 == b.0) {
                        let mut sum = [0.0; DIMS];
                        for (_, bag, weight) in uses {
                            add(&mut sum, &gradients[*bag as usize * DIMS..][..DIMS], *weight);
                        }
                        rows[(uses[0].0 - base) as usize].apply_adam_step(&sum, adam);
                    }
                });
            }
        });
    }
}

impl EmbeddingRow {
    /// One step of Adam against `gradient`, that of the row's value.
    fn apply_adam_step(&mut self, gradient: &[f32; DIMS], adam: &Adam) {
        let factor = self.scale.exp();
        let of_scale = factor * dot(&self.numbers, gradient);
        for (at, number) in self.numbers.iter_mut().enumerate() {
            *number -= adam.rate * adam.direction(factor * gradient[at], &mut self.mean[at], &mut self.square[at]);
        }
        self.scale -= adam.rate * SCALE_RATE * adam.direction(of_scale, &mut self.mean[DIMS], &mut self.square[DIMS]);
    }
}

/// What a step of Adam has in common for all rows.
#[derive(Debug)]
struct Adam {
    rate: f32,
    mean_bias: f32,
    square_bias: f32,
}

impl Adam {
    fn new(step: i32, rate: f32) -> Self {
        Self { rate, mean_bias: (1.0 - BETAS.0.powi(step)).recip(), square_bias: (1.0 - BETAS.1.powi(step)).recip() }
    }

    fn direction(&self, gradient: f32, mean: &mut f32, square: &mut f32) -> f32 {
        *mean = BETAS.0 * *mean + (1.0 - BETAS.0) * gradient;
        *square = BETAS.1 * *square + (1.0 - BETAS.1) * gradient * gradient;
        *mean * self.mean_bias / ((*square * self.square_bias).sqrt() + EPSILON)
    }
}

/// The gradient of the loss with respect to the logits (`total` x `total`), and the loss: the mean surprise of a query
/// at the right code, and of a code at the right query.
fn gradient_of(logits: &[f32], total: usize) -> (Vec<f32>, f32) {
    let columns = transposed(logits, total);
    let (mut rows, loss_of_rows) = surprise(logits, total);
    let (columns, loss_of_columns) = surprise(&columns, total);
    let columns = transposed(&columns, total);
    rows.iter_mut().zip(columns).for_each(|(row, column)| *row = (*row + column) * 0.5);
    (rows, (loss_of_rows + loss_of_columns) * 0.5)
}

/// By row: the probabilities minus their targets, divided by the number of rows; and the mean cross-entropy.
fn surprise(logits: &[f32], total: usize) -> (Vec<f32>, f32) {
    let mut out = logits.to_vec();
    let mut loss = 0.0;
    for (at, row) in out.chunks_exact_mut(total).enumerate() {
        let most = row.iter().fold(f32::MIN, |most, value| most.max(*value));
        let right = row[at] - most;
        row.iter_mut().for_each(|value| *value = (*value - most).exp());
        let sum: f32 = row.iter().sum();
        row.iter_mut().for_each(|value| *value /= sum * total as f32);
        row[at] -= (total as f32).recip();
        loss += (sum.ln() - right) / total as f32;
    }
    (out, loss)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let mut seed = Seed::new(3);
        let total = 8;
        let logits: Vec<f32> = (0..total * total).map(|_| seed.unit() * 4.0).collect();
        let (gradient, _) = gradient_of(&logits, total);
        for at in 0..logits.len() {
            let moved = |by: f32| {
                let mut logits = logits.clone();
                logits[at] += by;
                gradient_of(&logits, total).1
            };
            let found = (moved(0.01) - moved(-0.01)) / 0.02;
            assert!((found - gradient[at]).abs() < 1e-3, "{found} for {}", gradient[at]);
        }
    }

    #[test]
    fn steps_bring_pairs_together_whatever_the_threads() {
        let bag = |tokens: [u32; 3]| tokens.map(|token| (token, 1.0)).to_vec();
        let queries: Vec<Bag> = (0..8).map(|at| bag([at, at + 8, 40])).collect();
        let codes: Vec<Bag> = (0..8).map(|at| bag([at + 16, at + 24, 41])).collect();
        let train = |threads: usize| {
            let mut model = Model::new(&[0.01; 48], threads, &mut Seed::new(1));
            let losses: Vec<f32> = (0..30).map(|_| model.step(&queries, &codes, 3e-2).0).collect();
            (losses, model.values())
        };
        let (losses, values) = train(1);
        assert!(losses[29] < 0.1 * losses[0], "{losses:?}");
        assert_eq!((losses, values), train(2));
    }
}

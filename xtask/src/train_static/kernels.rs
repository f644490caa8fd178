//! The hot loops of training, over slices. Results are the same on every machine, to the last bit.

/// Writes to `out` (`rows` x `columns`) the product of `a` (`rows` x `inner`) and `b` (`inner` x `columns`).
pub(crate) fn product(a: &[f32], b: &[f32], inner: usize, columns: usize, out: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { product_avx2(a, b, inner, columns, out) };
        return;
    }
    product_anywhere(a, b, inner, columns, out);
}

/// The same loop compiled for wider registers. The arithmetic is the same.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn product_avx2(a: &[f32], b: &[f32], inner: usize, columns: usize, out: &mut [f32]) {
    product_anywhere(a, b, inner, columns, out);
}

/// Multiplies four rows of `a` with four of `b` at a time, so that each number that was read is used four times.
/// `inner` is a multiple of 4.
#[inline(always)]
fn product_anywhere(a: &[f32], b: &[f32], inner: usize, columns: usize, out: &mut [f32]) {
    out.fill(0.0);
    for (a, out) in a.chunks(4 * inner).zip(out.chunks_mut(4 * columns)) {
        for at in (0..inner).step_by(4) {
            let (b0, rest) = b[at * columns..(at + 4) * columns].split_at(columns);
            let (b1, rest) = rest.split_at(columns);
            let (b2, b3) = rest.split_at(columns);
            for (a, out) in a.chunks_exact(inner).zip(out.chunks_exact_mut(columns)) {
                let [a0, a1, a2, a3] = [a[at], a[at + 1], a[at + 2], a[at + 3]];
                for ((((out, b0), b1), b2), b3) in out.iter_mut().zip(b0).zip(b1).zip(b2).zip(b3) {
                    *out += (a0 * b0 + a1 * b1) + (a2 * b2 + a3 * b3);
                }
            }
        }
    }
}

/// `a` (`rows` x `columns`) with rows and columns exchanged.
pub(crate) fn transposed(a: &[f32], columns: usize) -> Vec<f32> {
    let rows = a.len() / columns;
    let mut out = vec![0.0; a.len()];
    for (row, values) in a.chunks_exact(columns).enumerate() {
        values.iter().enumerate().for_each(|(column, value)| out[column * rows + row] = *value);
    }
    out
}

/// Adds `weight` times `values` to `sum`.
pub(crate) fn add(sum: &mut [f32], values: &[f32], weight: f32) {
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
}

/// The sum of products, in eight lanes.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        lanes.iter_mut().zip(a.iter().zip(b)).for_each(|(lane, (a, b))| *lane += a * b);
    }
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_sums_of_products() {
        let (rows, inner, columns) = (5, 8, 16);
        let a: Vec<f32> = (0..rows * inner).map(|at| (at % 7) as f32 - 3.0).collect();
        let b: Vec<f32> = (0..inner * columns).map(|at| (at % 5) as f32 - 2.0).collect();
        let mut out = vec![9.0; rows * columns];
        product(&a, &b, inner, columns, &mut out);
        let by_column = transposed(&b, columns);
        for (at, found) in out.iter().enumerate() {
            let (row, column) = (at / columns, at % columns);
            assert_eq!(*found, dot(&a[row * inner..][..inner], &by_column[column * inner..][..inner]));
        }
    }
}

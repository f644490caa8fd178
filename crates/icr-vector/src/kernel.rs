//! Products of a question with many rows: the loop that a scan spends its time in.

/// Most steps of a question's component, as far as 32-bit sums of `dims` products with rows allow.
///
/// A row's component has at most 127 steps in magnitude (128 where a file is damaged), so no order of adding overflows.
pub(crate) fn most_steps(dims: u16) -> i16 {
    let bound = i32::MAX / (128 * i32::from(dims).max(1));
    i16::try_from(bound).unwrap_or(i16::MAX)
}

/// Appends to `products` the product of `question` with each of the rows numbered in `selected`.
///
/// `rows` holds rows of `question.len()` components in two's complement, one after another. The question's components
/// are at most [`most_steps`] in magnitude.
///
/// # Panics
///
/// When a number of `selected` is beyond the rows.
pub(crate) fn products(question: &[i16], rows: &[u8], selected: &[u32], products: &mut Vec<i32>) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that the function asks for.
        return unsafe { avx2::products(question, rows, selected, products) };
    }
    portable(question, rows, selected, products);
}

/// [`products`] for every processor. Where wide integers are part of every processor of a kind, as on aarch64, the compiler
/// uses them here.
pub(crate) fn portable(question: &[i16], rows: &[u8], selected: &[u32], products: &mut Vec<i32>) {
    products.extend(selected.iter().map(|at| product(question, row(rows, *at, question.len()))));
}

fn row(rows: &[u8], at: u32, dims: usize) -> &[u8] {
    let start = at as usize * dims;
    &rows[start..start + dims]
}

fn product(question: &[i16], row: &[u8]) -> i32 {
    question.iter().zip(row).map(|(x, y)| i32::from(*x) * i32::from(*y as i8)).sum()
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32, _mm256_add_epi32,
        _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16,
        _mm256_setzero_si256,
    };

    use super::{product, row};

    /// Components that one step of the loop takes: the 16-bit lanes of a register.
    const LANES: usize = 16;

    /// [`super::products`] with AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) fn products(question: &[i16], rows: &[u8], selected: &[u32], products: &mut Vec<i32>) {
        let whole = question.len() / LANES * LANES;
        for at in selected {
            let row = row(rows, *at, question.len());
            let sum = whole_lanes(&question[..whole], &row[..whole]);
            products.push(sum + product(&question[whole..], &row[whole..]));
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn whole_lanes(question: &[i16], row: &[u8]) -> i32 {
        let mut sums = _mm256_setzero_si256();
        for (x, y) in question.chunks_exact(LANES).zip(row.chunks_exact(LANES)) {
            // SAFETY: `x` is 16 numbers of 2 bytes and `y` 16 of 1 byte, which is what the two loads read; neither load
            // asks for an alignment.
            let (x, y) = unsafe {
                (_mm256_loadu_si256(x.as_ptr().cast::<__m256i>()), _mm_loadu_si128(y.as_ptr().cast::<__m128i>()))
            };
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(x, _mm256_cvtepi8_epi16(y)));
        }
        let sums = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b01_00_11_10>(sums));
        let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b10_11_00_01>(sums));
        _mm_cvtsi128_si32(sums)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(question: &[i16], rows: &[u8], selected: &[u32]) {
        let (mut fast, mut slow) = (vec![7], vec![7]);
        products(question, rows, selected, &mut fast);
        portable(question, rows, selected, &mut slow);
        assert_eq!(fast, slow);
        let exact = |at: &u32| -> i64 {
            let row = &rows[*at as usize * question.len()..][..question.len()];
            question.iter().zip(row).map(|(x, y)| i64::from(*x) * i64::from(*y as i8)).sum()
        };
        assert_eq!(
            slow[1..].iter().map(|x| i64::from(*x)).collect::<Vec<_>>(),
            selected.iter().map(exact).collect::<Vec<_>>()
        );
    }

    #[test]
    fn the_largest_products_do_not_overflow() {
        for dims in [1, 2, 15, 16, 17, 256, 384, 513, 1024, 4096, u16::MAX] {
            let most = most_steps(dims);
            let question = vec![-most; usize::from(dims)];
            check(&question, &vec![-128_i8 as u8; usize::from(dims)], &[0]);
            check(&question, &vec![127; usize::from(dims)], &[0]);
        }
        assert_eq!(most_steps(256), i16::MAX);
    }

    proptest! {
        #[test]
        fn all_kernels_agree_bit_for_bit(
            dims in 1..70_usize,
            bytes in prop::collection::vec(any::<u8>(), 70 * 9),
            question in prop::collection::vec(any::<i16>(), 70),
            selected in prop::collection::vec(0..9_u32, 0..12),
        ) {
            check(&question[..dims], &bytes[..dims * 9], &selected);
        }
    }
}

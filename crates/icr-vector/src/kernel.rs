//! Dot products of a query with many rows: the loop where a scan spends its time.

/// Largest number of steps that two signed digits to the base 256 can represent, each at most 127: [`avx512`] splits a
/// query's components into such digits.
const TWO_DIGITS: i32 = 127 * 256 + 127;

/// Distance of prefetches ahead of the current row, in bytes. The processor's own prefetching is too slow for rows in
/// memory, most of all across the pages of a map. Measured with the loop of [`avx512`] alone over 100,000 mapped rows
/// of 256 components, the least of 60 runs on a Zen 5 that also did other work: 0.7 ms without prefetches, 0.49 at 4
/// KB, 0.33 at 16 KB, 0.37 at 48 KB. Beyond the end of a block lies the next block, if one commit wrote both.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 16 << 10;

/// Largest magnitude of a query's component in steps, so that sums of `dims` products fit 32 bits.
///
/// A row's component has at most 127 steps in magnitude (128 in a damaged file), so no order of addition overflows.
pub(crate) fn most_steps(dims: u16) -> i16 {
    let bound = i32::MAX / (128 * i32::from(dims).max(1));
    i16::try_from(bound.min(TWO_DIGITS)).unwrap_or(i16::MAX)
}

/// Sets each of `products` to the dot product of `question` with one row.
///
/// `rows` contains one row for each product, row after row, with `question.len()` components in two's complement. The
/// query's components are at most [`most_steps`] in magnitude.
///
/// # Panics
///
/// When the number of rows and of products differs.
pub(crate) fn products(question: &[i16], rows: &[u8], products: &mut [i32]) {
    assert_eq!(rows.len(), products.len() * question.len(), "as many rows as products");
    let kernel = KERNELS.iter().find(|kernel| (kernel.is_there)()).expect("the last one, because it is everywhere");
    // SAFETY: `is_there` has confirmed that the processor supports the kernel's instructions.
    unsafe { (kernel.products)(question, rows, products) }
}

/// An implementation of [`products`]. All of them compute the same integers.
struct Kernel {
    /// Name in test messages.
    #[cfg_attr(not(test), expect(dead_code, reason = "processors are not told which one they run"))]
    name: &'static str,
    /// Whether this processor supports it.
    is_there: fn() -> bool,
    /// May be called only if `is_there`.
    products: unsafe fn(&[i16], &[u8], &mut [i32]),
}

/// The fastest first: in the measurement of the prefetch distance, avx2 takes 0.50 ms. Within a scan, beside other
/// programs, avx512 takes up to twice as long as alone.
const KERNELS: &[Kernel] = &[
    #[cfg(target_arch = "x86_64")]
    Kernel { name: "avx512", is_there: avx512::is_there, products: avx512::products },
    #[cfg(target_arch = "x86_64")]
    Kernel { name: "avx2", is_there: || is_x86_feature_detected!("avx2"), products: avx2::products },
    Kernel { name: "portable", is_there: || true, products: portable },
];

/// [`products`] for every processor. If all processors of an architecture have vector instructions, as on aarch64, the
/// compiler uses them here.
fn portable(question: &[i16], rows: &[u8], products: &mut [i32]) {
    for (row, to) in rows.chunks_exact(question.len()).zip(products) {
        *to = product(question, row);
    }
}

fn product(question: &[i16], row: &[u8]) -> i32 {
    question.iter().zip(row).map(|(x, y)| i32::from(*x) * i32::from(*y as i8)).sum()
}

/// Prefetches the cache line at `from`, which need not be valid memory.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unused_unsafe, reason = "older compilers call the instruction unsafe")]
fn prefetch(from: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch has no effect that the program can see, and never faults, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(from.cast()) }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::{
        _mm512_add_epi32, _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_maskz_loadu_epi8, _mm512_reduce_add_epi32,
        _mm512_set1_epi8, _mm512_setzero_si512, _mm512_slli_epi32, _mm512_xor_si512,
    };
    use std::array;

    use super::{AHEAD, prefetch};

    /// Number of components in a register.
    const LANES: usize = 64;

    /// Number of registers that hold a part of the query during a pass over the rows.
    const HELD: usize = 4;

    /// Number of components in a pass.
    const PANEL: usize = HELD * LANES;

    pub(super) fn is_there() -> bool {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni")
    }

    /// [`super::products`] with the byte products of AVX-512 VNNI, a pass for each [`PANEL`] components.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) fn products(question: &[i16], rows: &[u8], products: &mut [i32]) {
        products.fill(0);
        for (panel, part) in question.chunks(PANEL).enumerate() {
            let first = panel * PANEL;
            if part.len() == PANEL {
                add::<true>(part, rows, question.len(), first, products);
            } else {
                add::<false>(part, rows, question.len(), first, products);
            }
        }
    }

    /// Adds to `products` the products of `part` with the components from `first` on, in rows of `dims` components.
    ///
    /// The instruction multiplies unsigned bytes with signed bytes. So 128 is added to each component of a row, and 128
    /// times the sum of the query is subtracted afterwards. The components of the query are split into two digits to
    /// the base 256. Sums may wrap, which is harmless since the final product fits.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn add<const IS_WHOLE: bool>(part: &[i16], rows: &[u8], dims: usize, first: usize, products: &mut [i32]) {
        let (mut high, mut low) = ([0_i8; PANEL], [0_i8; PANEL]);
        for ((x, high), low) in part.iter().zip(&mut high).zip(&mut low) {
            *low = *x as i8;
            *high = ((x - i16::from(*low)) >> 8) as i8;
        }
        let held = |digits: &[i8; PANEL]| {
            array::from_fn::<_, HELD, _>(|at| {
                let lanes = &digits[at * LANES..(at + 1) * LANES];
                // SAFETY: the load reads the 64 bytes of `lanes` and requires no alignment.
                unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
            })
        };
        let (high, low) = (held(&high), held(&low));
        let excess = part.iter().map(|x| i32::from(*x)).sum::<i32>().wrapping_mul(128);
        let to_unsigned = _mm512_set1_epi8(i8::MIN);
        let masks: [u64; HELD] = array::from_fn(|at| match part.len().saturating_sub(at * LANES) {
            rest @ 0..LANES => (1 << rest) - 1,
            _ => u64::MAX,
        });
        for (row, product) in rows.chunks_exact(dims).zip(products) {
            let row = row[first..first + part.len()].as_ptr();
            let (mut sums_high, mut sums_low) = (_mm512_setzero_si512(), _mm512_setzero_si512());
            for at in 0..HELD {
                let from = row.wrapping_add(at * LANES);
                prefetch(from.wrapping_add(AHEAD));
                // SAFETY: a whole panel has 64 bytes from here on; otherwise the mask selects only the bytes that
                // exist.
                let bytes = unsafe {
                    match IS_WHOLE {
                        true => _mm512_loadu_si512(from.cast()),
                        false => _mm512_maskz_loadu_epi8(masks[at], from.cast()),
                    }
                };
                let bytes = _mm512_xor_si512(bytes, to_unsigned);
                sums_high = _mm512_dpbusd_epi32(sums_high, bytes, high[at]);
                sums_low = _mm512_dpbusd_epi32(sums_low, bytes, low[at]);
            }
            let sums = _mm512_add_epi32(_mm512_slli_epi32::<8>(sums_high), sums_low);
            *product = product.wrapping_add(_mm512_reduce_add_epi32(sums)).wrapping_sub(excess);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32, _mm256_add_epi32,
        _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16,
        _mm256_setzero_si256,
    };

    use super::{AHEAD, prefetch, product};

    /// Number of components in one step of the loop: the 16-bit lanes of a register.
    const LANES: usize = 16;

    /// Number of bytes that one prefetch loads.
    const LINE: usize = 64;

    /// [`super::products`] with AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) fn products(question: &[i16], rows: &[u8], products: &mut [i32]) {
        let whole = question.len() / LANES * LANES;
        for (row, to) in rows.chunks_exact(question.len()).zip(products) {
            for line in row.chunks(LINE) {
                prefetch(line.as_ptr().wrapping_add(AHEAD));
            }
            *to = whole_lanes(&question[..whole], &row[..whole]) + product(&question[whole..], &row[whole..]);
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

    /// That every kernel of this processor gives what adding in wide integers gives.
    #[track_caller]
    fn check(question: &[i16], rows: &[u8]) {
        let product =
            |row: &[u8]| -> i64 { question.iter().zip(row).map(|(x, y)| i64::from(*x) * i64::from(*y as i8)).sum() };
        let exact: Vec<i64> = rows.chunks_exact(question.len()).map(product).collect();
        let as_wide = |products: &[i32]| products.iter().map(|x| i64::from(*x)).collect::<Vec<_>>();
        for kernel in KERNELS.iter().filter(|kernel| (kernel.is_there)()) {
            let mut found = vec![7; exact.len()];
            // SAFETY: the processor has what the kernel asks for, as it was asked.
            unsafe { (kernel.products)(question, rows, &mut found) };
            assert_eq!(as_wide(&found), exact, "{}", kernel.name);
        }
        let mut found = vec![7; exact.len()];
        products(question, rows, &mut found);
        assert_eq!(as_wide(&found), exact);
    }

    #[test]
    fn the_largest_products_do_not_overflow() {
        for dims in [1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257, 384, 513, 1024, 4096, u16::MAX] {
            let (most, dims) = (most_steps(dims), usize::from(dims));
            for steps in [most, -most] {
                let question = vec![steps; dims];
                check(&question, &[vec![-128_i8 as u8; dims], vec![127; dims]].concat());
            }
        }
        assert_eq!(most_steps(256), 32_639);
    }

    #[test]
    #[should_panic(expected = "as many rows as products")]
    fn rows_that_are_not_there_are_not_read() {
        products(&[1; 64], &[1; 64], &mut [0; 2]);
    }

    proptest! {
        #[test]
        fn all_kernels_agree_bit_for_bit(
            dims in prop_oneof![1..70_usize, 250..262_usize, 500..530_usize],
            rows in 0..6_usize,
            bytes in prop::collection::vec(any::<u8>(), 530 * 5),
            question in prop::collection::vec(-32_639..=32_639_i16, 530),
        ) {
            // Beyond 512 components, 32-bit sums allow fewer steps.
            let most = most_steps(dims as u16);
            let question: Vec<i16> = question[..dims].iter().map(|x| (*x).clamp(-most, most)).collect();
            check(&question, &bytes[..dims * rows]);
        }
    }
}

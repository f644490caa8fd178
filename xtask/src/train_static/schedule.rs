//! Order of the pairs in training, and the learning rate.

use std::collections::BTreeMap;

use super::pairs::Pair;
use super::seed::Seed;

/// Pairs of a batch, which are compared with each other; 2048 were no better.
const BATCH: usize = 1024;

/// Pairs of one package that stay together. Sentences about neighbours are hard to tell apart, which is what the table
/// must learn.
const BLOCK: usize = 64;

/// Highest learning rate.
const RATE: f32 = 3e-3;

/// Steps until the learning rate is highest.
const WARM_UP: f32 = 50.0;

/// Last learning rate, as a share of the highest.
const LAST: f32 = 0.05;

/// Numbers of pairs, a batch each.
pub(crate) struct Batches;

impl Batches {
    /// All pairs in batches of 1024. Pairs of a package are in blocks of 64, and packages with fewer pairs share blocks
    /// with others of their language. Pairs that do not fill the last batch are left for the next pass.
    pub(crate) fn of(pairs: &[Pair], seed: &mut Seed) -> Vec<Vec<u32>> {
        let mut packages: BTreeMap<(&str, &str), Vec<u32>> = BTreeMap::new();
        for (at, pair) in (0..).zip(pairs) {
            packages.entry((pair.language, &pair.package)).or_default().push(at);
        }
        let mut blocks: Vec<Vec<u32>> = Vec::new();
        let mut rest: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for ((language, _), mut package) in packages {
            seed.shuffle(&mut package);
            let full = package.len() / BLOCK * BLOCK;
            blocks.extend(package[..full].chunks_exact(BLOCK).map(<[u32]>::to_vec));
            rest.entry(language).or_default().extend(&package[full..]);
        }
        blocks.extend(rest.values().flat_map(|rest| rest.chunks(BLOCK).map(<[u32]>::to_vec)));
        seed.shuffle(&mut blocks);
        let order: Vec<u32> = blocks.into_iter().flatten().collect();
        let size = BATCH.min(order.len());
        order.chunks_exact(size.max(1)).map(<[u32]>::to_vec).collect()
    }
}

/// Learning rate of step `step` of `steps`: rises linearly, then falls by a cosine.
pub(crate) fn rate_at(step: usize, steps: usize) -> f32 {
    let (step, steps) = (step as f32, steps as f32);
    let done = ((step - WARM_UP) / (steps - WARM_UP).max(1.0)).clamp(0.0, 1.0);
    let falling = LAST + (1.0 - LAST) * 0.5 * (1.0 + (done * std::f32::consts::PI).cos());
    RATE * falling * ((step + 1.0) / WARM_UP).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_is_shown_once_and_blocks_are_of_one_package() {
        let pair = |at: usize| Pair {
            package: format!("p{}", at % 3),
            language: "rust",
            path: String::new(),
            sentence: String::new(),
            doc: String::new(),
            code: String::new(),
        };
        let pairs: Vec<Pair> = (0..2 * BATCH).map(pair).collect();
        let batches = Batches::of(&pairs, &mut Seed::new(1));
        assert_eq!(batches.iter().map(Vec::len).collect::<Vec<_>>(), [BATCH, BATCH]);
        let mut shown: Vec<u32> = batches.concat();
        let of_one = batches[0].chunks(BLOCK).filter(|block| block.iter().all(|at| at % 3 == block[0] % 3)).count();
        assert!(of_one >= BATCH / BLOCK - 2, "{of_one}");
        shown.sort_unstable();
        assert!(shown.into_iter().eq(0..2 * BATCH as u32));
    }

    #[test]
    fn steps_grow_then_shrink() {
        let rates: Vec<f32> = [0, 49, 50, 300, 599].map(|step| rate_at(step, 600)).to_vec();
        assert!(rates[0] < rates[1] && rates[2] >= rates[1] && rates[3] < rates[2] && rates[4] < rates[3], "{rates:?}");
        assert!((rates[4] - RATE * LAST).abs() < RATE * 0.01, "{rates:?}");
    }
}

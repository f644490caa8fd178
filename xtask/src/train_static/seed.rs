//! Chance that is the same in every run and on every machine.

/// A random number generator: `SplitMix64`, which is good enough for shuffling and for initial values.
#[derive(Debug, Clone)]
pub(crate) struct Seed(u64);

impl Seed {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// In `0.0..1.0`.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Shuffles `items`.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// A stable hash of `text`, the same on every machine and with every library version: FNV-1a, mixed.
pub(crate) fn digest(text: &str) -> u64 {
    let sum = text
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325, |sum: u64, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
    Seed::new(sum).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_fixed() {
        let mut seed = Seed::new(1);
        let mut items: Vec<u32> = (0..8).collect();
        seed.shuffle(&mut items);
        let again = {
            let mut items: Vec<u32> = (0..8).collect();
            Seed::new(1).shuffle(&mut items);
            items
        };
        assert_eq!(items, again);
        assert_ne!(items, (0..8).collect::<Vec<u32>>());
        assert!((0..1000).all(|_| (0.0..1.0).contains(&seed.unit())));
        assert_ne!(digest("a"), digest("b"));
    }
}

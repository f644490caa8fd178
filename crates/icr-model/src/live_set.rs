//! The live set of a view: the numbers of the things that exist in the view.

use crate::ChunkNo;

/// Numbers that are live in a view, stored as one bit per number in two ranges: numbers of the store, which are dense
/// from 0, and numbers of an index in memory, which are dense from 2^31. A test costs a few nanoseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LiveSet {
    stored: Vec<u64>,
    in_memory: Vec<u64>,
    len: u64,
}

/// First number of the range that indexes in memory use.
const FIRST_IN_MEMORY: u32 = ChunkNo::FIRST_IN_MEMORY;

impl LiveSet {
    /// The set of `numbers`.
    pub fn from_numbers(numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut set = Self::default();
        numbers.into_iter().for_each(|number| set.insert(number));
        set
    }

    /// Count of live numbers.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether no number is live.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether `number` is live.
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        let (words, bit) =
            if number < FIRST_IN_MEMORY { (&self.stored, number) } else { (&self.in_memory, number - FIRST_IN_MEMORY) };
        words.get(bit as usize / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// Makes `number` live.
    pub fn insert(&mut self, number: u32) {
        let word = self.word(number);
        let mask = 1 << (number % 64);
        let new = *word & mask == 0;
        *word |= mask;
        self.len += u64::from(new);
    }

    /// Makes `number` not live.
    pub fn remove(&mut self, number: u32) {
        if self.contains(number) {
            *self.word(number) &= !(1 << (number % 64));
            self.len -= 1;
        }
    }

    /// Makes `first..first + count` live.
    pub fn insert_run(&mut self, first: u32, count: u32) {
        (first..first + count).for_each(|number| self.insert(number));
    }

    /// Makes `first..first + count` not live.
    pub fn remove_run(&mut self, first: u32, count: u32) {
        (first..first + count).for_each(|number| self.remove(number));
    }

    /// The live numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let half = |words: &'_ [u64], first: u32| {
            words
                .iter()
                .enumerate()
                .flat_map(move |(at, word)| {
                    let word = *word;
                    (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| first + at as u32 * 64 + bit)
                })
                .collect::<Vec<_>>()
        };
        half(&self.stored, 0).into_iter().chain(half(&self.in_memory, FIRST_IN_MEMORY))
    }

    fn word(&mut self, number: u32) -> &mut u64 {
        let (words, bit) = if number < FIRST_IN_MEMORY {
            (&mut self.stored, number)
        } else {
            (&mut self.in_memory, number - FIRST_IN_MEMORY)
        };
        let at = bit as usize / 64;
        if words.len() <= at {
            words.resize(at + 1, 0);
        }
        &mut words[at]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = u32> {
        prop_oneof![0..500_u32, FIRST_IN_MEMORY..FIRST_IN_MEMORY + 500]
    }

    proptest! {
        #[test]
        fn agrees_with_an_ordered_set(steps in prop::collection::vec((any::<bool>(), number()), 0..200)) {
            let (mut set, mut model) = (LiveSet::default(), BTreeSet::new());
            for (insert, number) in steps {
                if insert {
                    set.insert(number);
                    model.insert(number);
                } else {
                    set.remove(number);
                    model.remove(&number);
                }
            }
            prop_assert_eq!(set.len(), model.len() as u64);
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), model.into_iter().collect::<Vec<_>>());
        }
    }
}

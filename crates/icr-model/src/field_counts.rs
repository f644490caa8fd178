//! Counts for each scored field of a chunk.

use std::iter::Sum;
use std::ops::{AddAssign, SubAssign};

use serde::{Deserialize, Serialize};

/// Number of tokens in each scored field, of one chunk exactly as indexed, or summed over many chunks.
///
/// Counts are encoded in the order of the fields here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FieldCounts {
    /// Tokens of the whole chunk.
    pub body: u64,
    /// Tokens of the names defined in it.
    pub definitions: u64,
    /// Tokens of its comments and docstrings.
    pub comments: u64,
}

impl AddAssign for FieldCounts {
    fn add_assign(&mut self, other: Self) {
        self.body += other.body;
        self.definitions += other.definitions;
        self.comments += other.comments;
    }
}

impl SubAssign for FieldCounts {
    fn sub_assign(&mut self, other: Self) {
        self.body -= other.body;
        self.definitions -= other.definitions;
        self.comments -= other.comments;
    }
}

impl Sum for FieldCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |mut sum, counts| {
            sum += counts;
            sum
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_is_summed_by_itself() {
        let (a, b) = (
            FieldCounts { body: 1, definitions: 2, comments: 3 },
            FieldCounts { body: 10, definitions: 20, comments: 30 },
        );
        let mut sum: FieldCounts = [a, b].into_iter().sum();
        assert_eq!(sum, FieldCounts { body: 11, definitions: 22, comments: 33 });
        sum -= a;
        assert_eq!(sum, b);
    }

    #[test]
    fn encoded_counts_are_the_three_numbers_in_order() {
        let counts = FieldCounts { body: 300, definitions: 2, comments: 1 };
        let bytes = postcard::to_stdvec(&counts).unwrap();
        assert_eq!(bytes, postcard::to_stdvec(&[300_u64, 2, 1]).unwrap());
        assert_eq!(postcard::from_bytes::<FieldCounts>(&bytes).unwrap(), counts);
    }
}

//! What every feature weighs.

use super::{FEATURES_TOTAL, Features};

/// Weights of a logistic model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// The log of the odds where every feature is 0.
    pub intercept: f64,
    /// What one unit of each of [`super::FEATURES`] adds to it, in their order.
    pub by_feature: Features,
}

/// The weights that icr ships with.
pub const SHIPPED: Weights = Weights { intercept: -4.0, by_feature: [5.0, 0.5, 1.0] };

const _: () = assert!(SHIPPED.by_feature.len() == FEATURES_TOTAL);

//! What changed together: equal to what `git log` says, at any HEAD, in any store.

mod histories;
mod partners;
mod truth;

#[cfg(test)]
use truth::{check, check_with, cochange};

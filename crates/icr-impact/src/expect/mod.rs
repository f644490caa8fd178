//! Which files are expected to change with a change: evidence, a probability, and words for both.

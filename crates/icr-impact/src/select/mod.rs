//! Which tests to run, and how.

//! Recorded ranks: every query of the fixture has the rank in its golden file, in every run.
//!
//! A golden file differs where ranking changed. The failing test prints the difference and how to accept it.

mod absent;
mod goldens;
mod repository;

//! Ranking as it is recorded: every query of the fixture has the rank that its golden file says, and says so each time.
//!
//! A golden file differs where ranking changed. The failing test prints the difference and how to accept it.

mod absent;
mod goldens;
mod repository;

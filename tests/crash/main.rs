//! Killed runs, damaged stores, and concurrent runs: the next call repairs what it finds and answers like a fresh
//! store.

mod children;
mod damage;
mod flips;
mod forged;
mod killed;
mod together;
#[cfg(unix)]
mod unwritable;

#[test]
fn child() {
    children::entry();
}

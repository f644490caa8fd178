//! Any bytes in every language give facts that keep what facts promise.

#![no_main]

#[path = "../../crates/icr-lang/tests/fuzzing/mod.rs"]
mod fuzzing;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fuzzing::check_extraction(bytes);
});

//! Reports are well-formed whatever names a change brings.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    icr_impact::fuzzing::check_reports(bytes);
});

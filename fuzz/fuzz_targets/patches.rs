//! Any text is read as a diff and applied, or refused.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    icr_impact::fuzzing::check_patches(bytes);
});

//! Any bytes are facts or none, and manifests or none.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    icr_model::fuzzing::check_facts(bytes);
    icr_db::fuzzing::check_manifests(bytes);
});

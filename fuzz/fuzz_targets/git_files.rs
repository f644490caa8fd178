//! Whatever git's own files hold, a repository is read or refused.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    icr_git::fuzzing::check_git_files(bytes);
});

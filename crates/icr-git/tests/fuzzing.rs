//! Whatever git's own files hold, a repository is read or refused.

#[path = "../../../fuzz/inputs.rs"]
mod inputs;

use icr_git::fuzzing::check_git_files;

const TARGET: &str = "git_files";

#[test]
fn stored_git_files_are_read_or_refused() {
    inputs::stored_inputs(TARGET).iter().for_each(|input| check_git_files(input));
}

proptest::proptest! {
    #[test]
    fn any_git_files_are_read_or_refused(input in inputs::any_input(TARGET)) {
        check_git_files(&input);
    }
}

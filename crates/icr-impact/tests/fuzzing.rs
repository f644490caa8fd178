//! What holds for every diff and for every name in a report.

#[path = "../../../fuzz/inputs.rs"]
mod inputs;

use icr_impact::fuzzing::{check_patches, check_reports};

#[test]
fn stored_diffs_are_applied_or_refused() {
    inputs::stored_inputs("patches").iter().for_each(|input| check_patches(input));
}

#[test]
fn reports_with_stored_names_are_well_formed() {
    inputs::stored_inputs("reports").iter().for_each(|input| check_reports(input));
}

proptest::proptest! {
    #[test]
    fn any_diff_is_applied_or_refused(input in inputs::any_input("patches")) {
        check_patches(&input);
    }

    #[test]
    fn reports_with_any_names_are_well_formed(input in inputs::any_input("reports")) {
        check_reports(&input);
    }
}

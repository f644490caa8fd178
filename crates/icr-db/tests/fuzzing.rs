//! Whatever stands in manifests, imports lead to files of the view.

#[path = "../../../fuzz/inputs.rs"]
mod inputs;

use icr_db::fuzzing::check_manifests;

const TARGET: &str = "facts_and_manifests";

#[test]
fn stored_manifests_lead_to_files_of_the_view() {
    inputs::stored_inputs(TARGET).iter().for_each(|input| check_manifests(input));
}

proptest::proptest! {
    #[test]
    fn any_manifests_lead_to_files_of_the_view(input in inputs::any_input(TARGET)) {
        check_manifests(&input);
    }
}

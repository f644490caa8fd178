//! Bytes that nobody encoded give facts or an error.

#[path = "../../../fuzz/inputs.rs"]
mod inputs;

use icr_model::fuzzing::check_facts;

const TARGET: &str = "facts_and_manifests";

#[test]
fn stored_inputs_are_facts_or_an_error() {
    inputs::stored_inputs(TARGET).iter().for_each(|input| check_facts(input));
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_facts_or_an_error(input in inputs::any_input(TARGET)) {
        check_facts(&input);
    }
}

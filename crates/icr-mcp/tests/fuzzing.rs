//! What is no message is answered by a refusal.

#[path = "../../../fuzz/inputs.rs"]
mod inputs;

use icr_mcp::fuzzing::check_messages;

const TARGET: &str = "protocol_frames";

#[test]
fn stored_lines_are_messages_or_refused() {
    inputs::stored_inputs(TARGET).iter().for_each(|input| check_messages(input));
}

proptest::proptest! {
    #[test]
    fn any_lines_are_messages_or_refused(input in inputs::any_input(TARGET)) {
        check_messages(&input);
    }
}

//! What is no frame of the local socket is refused.

#![cfg(unix)]

#[path = "../../../fuzz/inputs.rs"]
mod inputs;

use icr_serve::socket::fuzzing::check_frames;

const TARGET: &str = "protocol_frames";

#[test]
fn stored_frames_are_read_or_refused() {
    inputs::stored_inputs(TARGET).iter().for_each(|input| check_frames(input));
}

proptest::proptest! {
    #[test]
    fn any_frames_are_read_or_refused(input in inputs::any_input(TARGET)) {
        check_frames(&input);
    }
}

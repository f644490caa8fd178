//! Any bytes are frames of the MCP server and of the local socket, or refused.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    icr_mcp::fuzzing::check_messages(bytes);
    #[cfg(unix)]
    icr_serve::socket::fuzzing::check_frames(bytes);
});

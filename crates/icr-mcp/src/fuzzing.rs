//! Body of a fuzz target for the bytes that a client sends; tests call it as well.

use std::sync::Arc;

use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::runtime::Builder;

use crate::lines::{InputLine, LineReader};
use crate::message::message_of;
use crate::message_id::MessageId;
use crate::transport::Connection;

/// Reads lines, and messages from them.
///
/// # Panics
///
/// If a line is lost, a refusal is not a valid answer, or a message changes when it is written and read again.
pub fn check_messages(bytes: &[u8]) {
    let runtime = Builder::new_current_thread().build().expect("a runtime without threads can be made");
    let lines = runtime.block_on(lines(bytes));
    let mut expected: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    expected.pop_if(|last| last.is_empty());
    assert_eq!(lines, expected);
    let messages = lines.iter().filter_map(|line| check_line(line)).count();
    // A connection may refuse further messages: those that come before a handshake.
    let received = runtime.block_on(received(bytes.to_vec()));
    assert!(received <= messages, "{received} of {messages}");
}

async fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut reader = LineReader::new(bytes);
    let mut lines = Vec::new();
    while let Some(line) = reader.next().await.expect("memory can be read") {
        match line {
            InputLine::Whole(line) => lines.push(line),
            InputLine::TooLong { bytes_total, .. } => panic!("{bytes_total} bytes are not too long"),
        }
    }
    lines
}

/// Number of messages that a connection accepts.
async fn received(bytes: Vec<u8>) -> usize {
    let mut connection = Connection::new(bytes.as_slice(), tokio::io::sink(), Arc::default());
    let mut messages = 0;
    while connection.receive().await.is_some() {
        messages += 1;
    }
    messages
}

fn check_line(line: &[u8]) -> Option<ClientJsonRpcMessage> {
    // Must accept any text.
    let id = MessageId::of(line);
    match message_of(line) {
        Ok(message) => {
            let message = message?;
            let written = serde_json::to_vec(&message).expect("a message can be written");
            let read = message_of(&written).expect("a message can be read").expect("it is no blank line");
            assert_eq!(json(&written), json(&serde_json::to_vec(&read).expect("a message can be written")));
            Some(message)
        }
        Err(refusal) => {
            let answer = refusal.message();
            assert!(!answer.contains('\n'), "{answer}");
            let answer = json(answer.as_bytes());
            assert_eq!(answer["jsonrpc"], "2.0");
            assert!(answer["error"]["code"].is_i64() && answer["error"]["message"].is_string(), "{answer}");
            assert_eq!(answer["id"], id.map_or(Value::Null, |id| json(id.as_json().as_bytes())));
            None
        }
    }
}

fn json(text: &[u8]) -> Value {
    serde_json::from_slice(text).expect("it is JSON")
}

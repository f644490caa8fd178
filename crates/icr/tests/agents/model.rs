//! A model on a loopback address: it keeps what it is sent, and says always the same, in the streams of three APIs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// Largest request that is read, in bytes: all tools of an agent and a conversation.
const REQUEST_BYTES_MOST: u64 = 16 << 20;

/// Listens until the process ends.
pub(crate) struct Model {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Model {
    pub(crate) fn start(answer: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = format!("http://{}", listener.local_addr().expect("it is bound"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                // A client that goes away ends only its own connection.
                std::thread::spawn(move || answer_all(&stream, answer, &kept));
            }
        });
        Self { address, requests }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Bodies of the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no thread panics").clone()
    }
}

/// Answers one request and closes the connection.
fn answer_all(stream: &TcpStream, answer: &str, kept: &Mutex<Vec<String>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split_whitespace().nth(1)?.split('?').next()?.to_owned();
    let (mut length, mut is_chunked) = (0, false);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let header = header.trim().to_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        is_chunked |= header.starts_with("transfer-encoding:") && header.contains("chunked");
    }
    let mut body = Vec::new();
    if is_chunked {
        read_chunks(&mut reader, &mut body)?;
    } else {
        reader.take(u64::min(length, REQUEST_BYTES_MOST)).read_to_end(&mut body).ok()?;
    }
    kept.lock().ok()?.push(String::from_utf8_lossy(&body).into_owned());
    let (kind, text) = match path.as_str() {
        path if path.ends_with("/messages") => ("text/event-stream", messages(answer)),
        path if path.ends_with("/responses") => ("text/event-stream", responses(answer)),
        path if path.ends_with("/chat/completions") => ("text/event-stream", completions(answer)),
        _ => ("application/json", json!({ "data": [], "models": [] }).to_string()),
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    );
    let mut stream = stream;
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(text.as_bytes())).ok()
}

fn read_chunks(reader: &mut impl BufRead, body: &mut Vec<u8>) -> Option<()> {
    loop {
        let mut size = String::new();
        reader.read_line(&mut size).ok()?;
        let size = u64::from_str_radix(size.trim(), 16).ok()?;
        reader.take(size.min(REQUEST_BYTES_MOST)).read_to_end(body).ok()?;
        let mut end = String::new();
        reader.read_line(&mut end).ok()?;
        if size == 0 {
            return Some(());
        }
    }
}

fn stream_of(events: &[Value]) -> String {
    let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    events.iter().map(event).collect()
}

/// A message as Anthropic's API streams it.
fn messages(answer: &str) -> String {
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "any", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": { "input_tokens": 1, "output_tokens": 1 },
    });
    stream_of(&[
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": answer } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn", "stop_sequence": null }, "usage": { "output_tokens": 5 } }),
        json!({ "type": "message_stop" }),
    ])
}

/// A message as OpenAI's API of responses streams it.
fn responses(answer: &str) -> String {
    let item = json!({
        "type": "message", "role": "assistant", "id": "msg_1", "content": [{ "type": "output_text", "text": answer }],
    });
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1, "output_tokens_details": null, "total_tokens": 2,
    });
    stream_of(&[
        json!({ "type": "response.created", "response": { "id": "resp_1" } }),
        json!({ "type": "response.output_item.done", "item": item }),
        json!({ "type": "response.completed", "response": { "id": "resp_1", "usage": usage } }),
    ])
}

/// A message as OpenAI's API of chat completions streams it.
fn completions(answer: &str) -> String {
    let chunk = |delta: Value, reason: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
        json!({ "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "any", "choices": [choice] })
    };
    let chunks = [chunk(json!({ "role": "assistant", "content": answer }), None), chunk(json!({}), Some("stop"))];
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect::<String>() + "data: [DONE]\n\n"
}

//! A remote model, here on this machine: it has a loopback address, a common API, and a vector for each text that
//! depends on the text alone.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock, RwLockWriteGuard};
use std::thread::JoinHandle;

use icr_embed::remote::{Address, Provider, RemoteOptions};
use icr_engine::{Backend, EmbeddingOptions};
use icr_tests::Draws;
use serde_json::{Value, json};

/// Components of a vector: the fewest that a model may have.
const DIMS: u16 = 64;

/// A server that answers until it is dropped.
pub(crate) struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    /// Every text that was read, in the order of the requests.
    read: Mutex<Vec<String>>,
    /// Number of texts that are embedded before all further ones are refused.
    most: AtomicUsize,
    /// A test holds it while no request may be answered.
    answering: RwLock<()>,
    is_over: AtomicBool,
}

impl ModelServer {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("the address that was bound");
        let state = Arc::new(State { most: AtomicUsize::new(usize::MAX), ..State::default() });
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            for connection in listener.incoming() {
                if shared.is_over.load(Ordering::SeqCst) {
                    return;
                }
                serve(connection.expect("a connection"), &shared);
            }
        });
        Self { address, state, thread: Some(thread) }
    }

    /// Options that choose the model called `name` behind the built-in one.
    pub(crate) fn options(&self, home: &std::path::Path, name: &str) -> EmbeddingOptions {
        let address = Address::parse(&format!("http://{}", self.address)).expect("an address");
        let remote =
            RemoteOptions { retries: 0, ..RemoteOptions::new(Provider::OpenAiCompatible, address, name, DIMS) };
        EmbeddingOptions {
            backend: Backend::Remote,
            model: name.to_owned(),
            remote: Some(remote),
            ..EmbeddingOptions::new(home)
        }
    }

    /// From now on embeds `most` texts and refuses all others.
    pub(crate) fn read_at_most(&self, most: usize) {
        self.state.read.lock().expect("no test panics with the lock").clear();
        self.state.most.store(most, Ordering::SeqCst);
    }

    /// Answers no request until the returned value is dropped.
    pub(crate) fn hold(&self) -> RwLockWriteGuard<'_, ()> {
        self.state.answering.write().expect("no test panics with the lock")
    }

    /// The texts that were embedded since the last call.
    pub(crate) fn take_read(&self) -> Vec<String> {
        std::mem::take(&mut *self.state.read.lock().expect("no test panics with the lock"))
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::SeqCst);
        // A last connection, to wake the server up.
        drop(TcpStream::connect(self.address));
        let ended = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            ended.expect("a thread").expect("the server did not panic");
        }
    }
}

fn serve(connection: TcpStream, state: &State) {
    let mut reader = BufReader::new(connection);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or_default() == 0 {
            return;
        }
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        length = line.strip_prefix("content-length:").map_or(length, |value| value.trim().parse().expect("a length"));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a whole request");
    let request: Value = serde_json::from_slice(&body).expect("a request in JSON");
    let texts: Vec<&str> =
        request["input"].as_array().expect("a list of texts").iter().filter_map(Value::as_str).collect();
    let _answering = state.answering.read().expect("no test panics with the lock");
    let mut read = state.read.lock().expect("no test panics with the lock");
    let (status, answer) = if read.len() + texts.len() > state.most.load(Ordering::SeqCst) {
        ("400 Bad Request", json!({ "error": { "message": "had enough" } }))
    } else {
        let rows = texts.iter().enumerate();
        let rows: Vec<Value> =
            rows.map(|(index, text)| json!({ "index": index, "embedding": vector_of(text) })).collect();
        read.extend(texts.into_iter().map(str::to_owned));
        ("200 OK", json!({ "data": rows }))
    };
    drop(read);
    let answer = answer.to_string();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.len());
    // The other side may have gone.
    let _ = reader.into_inner().write_all(format!("{head}{answer}").as_bytes());
}

fn vector_of(text: &str) -> Vec<f64> {
    let seed = text.bytes().fold(17, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut draws = Draws::new(seed);
    (0..DIMS).map(|_| draws.below(2_001) as f64 / 1_000.0 - 1.0).collect()
}

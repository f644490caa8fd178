//! A server on this machine that answers as a test says, one connection after the other.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use icr_embed::remote::Clock;

/// What came over a connection.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Method and path.
    pub(crate) line: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(of, _)| of == name).map(|(_, value)| value.as_str())
    }
}

/// How a request is answered.
pub(crate) enum Reply {
    /// These bytes, and the end of the connection.
    Bytes(Vec<u8>),
    /// Nothing until the other side gives up.
    Silence,
}

/// An answer with its length in front.
pub(crate) fn reply(status: &str, headers: &str, body: &[u8]) -> Reply {
    cut_reply(status, headers, body, body.len())
}

/// An answer that ends after `sent` bytes of its body.
pub(crate) fn cut_reply(status: &str, headers: &str, body: &[u8], sent: usize) -> Reply {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n");
    Reply::Bytes([head.as_bytes(), &body[..sent]].concat())
}

/// Answers until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// `answer` is told the number of the request, from 0.
    pub(crate) fn new(answer: impl Fn(&Request, usize) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("the address that was bound");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let is_over = Arc::new(AtomicBool::new(false));
        let (seen, over) = (Arc::clone(&requests), Arc::clone(&is_over));
        let serve = move || {
            for connection in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let mut connection = connection.expect("a connection");
                let Some(request) = read_request(&mut connection) else { continue };
                let number = {
                    let mut seen = seen.lock().expect("no test panics with the lock");
                    seen.push(request.clone());
                    seen.len() - 1
                };
                match answer(&request, number) {
                    Reply::Bytes(bytes) => {
                        // The other side may have had enough.
                        let _ = connection.write_all(&bytes);
                    }
                    Reply::Silence => {
                        let _ = connection.read(&mut [0]);
                    }
                }
            }
        };
        Self { address, requests, is_over, thread: Some(std::thread::spawn(serve)) }
    }

    /// Where it is, without a `/` at the end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What came so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no test panics with the lock").clone()
    }

    /// `text` with this server's port, which differs from run to run, as `PORT`.
    pub(crate) fn without_port(&self, text: &str) -> String {
        text.replace(&format!(":{}", self.address.port()), ":PORT")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // A last connection, which the server wakes up for.
        drop(TcpStream::connect(self.address));
        let ended = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            ended.expect("a thread").expect("the server did not panic");
        }
    }
}

fn read_request(connection: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut piece = [0; 64 << 10];
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        match connection.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(length) => bytes.extend(&piece[..length]),
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.lines();
    let line = lines.next()?.trim_end_matches(" HTTP/1.1").to_owned();
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers: Vec<(String, String)> = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap_or(0));
    while bytes.len() < head + 4 + length {
        match connection.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(length) => bytes.extend(&piece[..length]),
        }
    }
    let body = String::from_utf8_lossy(&bytes[head + 4..]).into_owned();
    Some(Request { line, headers, body })
}

/// A clock on which nothing takes time but pauses, which it notes and does not make.
#[derive(Default)]
pub(crate) struct PausedClock {
    pauses: Mutex<Vec<Duration>>,
}

impl PausedClock {
    /// Milliseconds of each pause.
    pub(crate) fn pauses(&self) -> Vec<u128> {
        self.pauses.lock().expect("no test panics with the lock").iter().map(Duration::as_millis).collect()
    }
}

impl Clock for PausedClock {
    fn now(&self) -> Duration {
        self.pauses.lock().expect("no test panics with the lock").iter().sum()
    }

    fn pause(&self, length: Duration) {
        self.pauses.lock().expect("no test panics with the lock").push(length);
    }
}

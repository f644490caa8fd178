//! The server on pipes, spoken to in lines.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use std::{fs, thread};

use serde_json::{Value, json};

use crate::place::Place;

/// How long a test waits for what must come. Nothing takes that long: it turns a server that hangs into a failure.
const PATIENCE: Duration = Duration::from_secs(120);

/// The revision of requests that need no handshake.
pub(crate) const MODERN: &str = "2026-07-28";

/// What is said before the first call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// Nothing; every request says which revision it is of.
    Modern,
    /// `initialize` of that revision.
    Legacy(&'static str),
}

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    child: Option<Child>,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// What came while something else was waited for.
    unread: Vec<Value>,
    era: Era,
    last_id: u64,
    said: PathBuf,
}

/// What a server left behind.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) code: Option<i32>,
    /// What came that nobody had read, oldest first.
    pub(crate) messages: Vec<Value>,
    pub(crate) stderr: String,
}

impl Server {
    /// A server of the place's repository, to which nothing was said yet.
    pub(crate) fn start(place: &Place) -> Self {
        Self::run(place, place.icr(&["mcp"]))
    }

    /// A server that is ready for calls of `era`.
    pub(crate) fn ready(place: &Place, era: Era) -> Self {
        let mut server = Self::start(place);
        server.shake_hands(era);
        server
    }

    /// Like [`Server::start`] with a command of the test's own.
    pub(crate) fn run(place: &Place, mut command: Command) -> Self {
        // Two servers of one place must not write into one file.
        let said = (0..).map(|number| place.fixture.home().join(format!("stderr-{number}")));
        let said = said.into_iter().find(|path| !path.exists()).expect("numbers do not end");
        let log = fs::File::create(&said).expect("the home can be written");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().expect("the program can be run");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.split(b'\n') {
                let Ok(line) = line else { return };
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child: Some(child), input, lines, unread: Vec::new(), era: Era::Modern, last_id: 0, said }
    }

    /// The same server, whose next requests are of `era`.
    pub(crate) fn of(mut self, era: Era) -> Self {
        self.era = era;
        self
    }

    /// Does what has to be done before calls of `era`.
    pub(crate) fn shake_hands(&mut self, era: Era) {
        self.era = era;
        if let Era::Legacy(version) = era {
            let answer = self.ask("initialize", initialize(version));
            assert!(answer["result"]["serverInfo"].is_object(), "{answer}");
            self.is_initialized();
        }
    }

    /// Ends a handshake that the test began itself.
    pub(crate) fn is_initialized(&mut self) {
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    /// The process.
    pub(crate) fn id(&self) -> u32 {
        self.child.as_ref().expect("it has not ended").id()
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("input is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Sends a request and returns its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let message = request(self.last_id, method, params, self.era);
        self.send(&message);
        self.last_id
    }

    /// Sends a call of a tool and returns its id.
    pub(crate) fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The whole answer to a request.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// The result of a call.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin(tool, arguments);
        self.result(id)
    }

    /// The data of a call that succeeds.
    #[track_caller]
    pub(crate) fn data(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        let envelope = &result["structuredContent"];
        assert_eq!(envelope["success"], true, "{tool}: {result}");
        envelope["data"].clone()
    }

    /// The text of a call that succeeds and is answered with text alone.
    #[track_caller]
    pub(crate) fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(
            (&result["isError"], &result["structuredContent"]),
            (&json!(false), &Value::Null),
            "{tool}: {result}"
        );
        result["content"][0]["text"].as_str().expect("an answer is text").to_owned()
    }

    /// The result of the request `id`.
    #[track_caller]
    pub(crate) fn result(&mut self, id: u64) -> Value {
        let mut answer = self.answer(id);
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].take()
    }

    /// The whole answer to the request `id`; other messages are kept for those who wait for them.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        let is_answer = |message: &Value| message["id"] == id && message.get("method").is_none();
        if let Some(at) = self.unread.iter().position(is_answer) {
            return self.unread.remove(at);
        }
        loop {
            let message = self.receive();
            if is_answer(&message) {
                return message;
            }
            self.unread.push(message);
        }
    }

    /// The next message, in the order in which they come.
    #[track_caller]
    pub(crate) fn next(&mut self) -> Value {
        if self.unread.is_empty() { self.receive() } else { self.unread.remove(0) }
    }

    /// Threads of the server now; `None` where the system does not say.
    pub(crate) fn threads(&self) -> Option<u64> {
        self.status_of("Threads:")?.trim().parse().ok()
    }

    fn status_of(&self, name: &str) -> Option<String> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.as_ref()?.id())).ok()?;
        Some(status.lines().find_map(|line| line.strip_prefix(name))?.to_owned())
    }

    /// Most memory that the process has held at once, in bytes; `None` where the system does not say.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let peak = self.status_of("VmHWM:")?;
        Some(peak.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
    }

    /// Closes the input and waits for the end.
    #[track_caller]
    pub(crate) fn ends(mut self) -> Ending {
        drop(self.input.take());
        let mut messages = std::mem::take(&mut self.unread);
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => messages.push(protocol(&line)),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the output is still open: {}", self.stderr()),
            }
        }
        let status = end_of(self.child.take().expect("it ends once"));
        Ending { code: status.code(), messages, stderr: self.stderr() }
    }

    /// Like [`Server::ends`], well: with code 0, and without a panic on the way.
    #[track_caller]
    pub(crate) fn ends_well(self) -> Vec<Value> {
        let ending = self.ends();
        assert_eq!(ending.code, Some(0), "{}", ending.stderr);
        assert!(!ending.stderr.contains("panicked"), "{}", ending.stderr);
        ending.messages
    }

    fn stderr(&self) -> String {
        fs::read_to_string(&self.said).expect("it was made at the start")
    }

    #[track_caller]
    fn receive(&mut self) -> Value {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => protocol(&line),
            Err(error) => panic!("nothing comes, {error}: {}", self.stderr()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Waits for the end of a process; one that does not end is killed.
#[track_caller]
pub(crate) fn end_of(mut child: Child) -> ExitStatus {
    let id = child.id();
    let (sender, ended) = channel();
    thread::spawn(move || sender.send(child.wait()));
    match ended.recv_timeout(PATIENCE) {
        Ok(status) => status.expect("it can be waited for"),
        Err(_) => {
            kill(id);
            panic!("it still runs");
        }
    }
}

#[cfg(unix)]
fn kill(id: u32) {
    let id = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
    // It may have ended meanwhile.
    let _ = id.map(|id| rustix::process::kill_process(id, rustix::process::Signal::KILL));
}

#[cfg(not(unix))]
fn kill(_: u32) {}

/// The envelope of a result, which is in its text whatever else it has; nothing of an answer that is text alone.
pub(crate) fn envelope(result: &Value) -> Value {
    let text = result["content"][0]["text"].as_str().expect("a result has a text");
    serde_json::from_str(text).unwrap_or_default()
}

/// A request, with what those of `era` say of themselves. `_meta` that is there stays.
pub(crate) fn request(id: u64, method: &str, mut params: Value, era: Era) -> Value {
    if era == Era::Modern {
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        meta["io.modelcontextprotocol/clientInfo"] = client();
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Parameters of `initialize`.
pub(crate) fn initialize(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client()})
}

fn client() -> Value {
    json!({"name": "tests", "version": "1"})
}

/// The message of a line that a server wrote, which has to be one.
#[track_caller]
fn protocol(line: &str) -> Value {
    let message: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("not protocol, {error}: {line:?}"));
    assert_eq!(message["jsonrpc"], "2.0", "not protocol: {line}");
    let kinds = ["method", "result", "error"].iter().filter(|kind| message.get(**kind).is_some()).count();
    assert_eq!(kinds, 1, "neither a request nor an answer: {line}");
    message
}

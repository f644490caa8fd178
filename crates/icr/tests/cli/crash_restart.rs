//! A text that ends the process which reads it takes down no command and no server: the process begins again in its own place.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use icr_fixture::Fixture;
use serde_json::{Value, json};
use wait_timeout::ChildExt;

use crate::run::Icr;

/// Processor time, in ticks of a hundredth of a second, after which a thread is in the middle of the text: it takes seconds.
const TICKS: u64 = 30;

/// A text that keeps its grammar busy for seconds, behind a definition that is found all the same, beside one that does not.
fn fixture() -> Fixture {
    let fixture = Fixture::empty();
    fixture.write(&format!(
        "//- slow.cs\nclass Slow {{ }}\n{}\n//- quick.cs\nclass Quick {{ }}\n",
        "^warning { \n".repeat(40_000)
    ));
    fixture.commit("texts");
    fixture
}

/// Sends a signal to the thread of `child` that works, as the system does where a grammar goes wrong.
fn crash(child: &mut Child, signal: i32) {
    let end = Instant::now() + Duration::from_secs(60);
    let mut before: HashMap<i32, u64> = HashMap::new();
    let thread = loop {
        assert!(Instant::now() < end, "no thread works");
        assert_eq!(child.wait_timeout(Duration::from_millis(5)).unwrap(), None, "it ended");
        let now = ticks(child.id());
        let working = now.iter().find(|(thread, ticks)| {
            let before = before.entry(**thread).or_insert(**ticks);
            **ticks >= *before + TICKS
        });
        if let Some((thread, _)) = working {
            break *thread;
        }
    };
    // SAFETY: the call takes three numbers.
    let sent = unsafe { libc::syscall(libc::SYS_tgkill, child.id(), thread, signal) };
    assert_eq!(sent, 0, "the thread is there");
    // Once the program was executed anew, this thread is gone, or is the first one.
    let _ = child.wait_timeout(Duration::from_millis(100)).unwrap();
}

/// Processor time of each thread of a process (proc(5), `stat`).
fn ticks(process: u32) -> HashMap<i32, u64> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).expect("the process is there");
    let of_thread = |thread: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(thread.path().join("stat")).ok()?;
        let numbers: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        let ticks = numbers[11].parse::<u64>().ok()? + numbers[12].parse::<u64>().ok()?;
        Some((thread.file_name().to_str()?.parse().ok()?, ticks))
    };
    threads.filter_map(|thread| of_thread(thread.ok()?)).collect()
}

#[test]
fn an_index_goes_on_without_a_text_that_ends_it_twice() {
    let fixture = fixture();
    let icr = Icr::new(&fixture);
    let mut child = icr.command(&["index"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    crash(&mut child, libc::SIGSEGV);
    crash(&mut child, libc::SIGABRT);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{:?}: {said}", output.status);
    assert!(said.contains("reading a file ended icr, which began again"), "{said}");
    assert_eq!(icr.json(&["status"])["unparsed_files"], 1);
    let mut found = icr.finds(&["warning"]);
    // Two places of it answer.
    found.dedup();
    assert_eq!(found, ["slow.cs"]);
    assert_eq!(icr.json(&["symbols", "Slow"])["total_count"], 0, "no grammar has read it");
    assert_eq!(icr.json(&["symbols", "Quick"])["symbols"][0]["path"], "quick.cs");
}

#[test]
fn a_text_that_ends_a_process_once_is_read_again() {
    let fixture = fixture();
    let icr = Icr::new(&fixture);
    let again = icr.with_home(icr.home().with_extension("again"));
    let mut child = again.command(&["index"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    crash(&mut child, libc::SIGBUS);
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(again.json(&["symbols", "Slow"])["symbols"][0]["path"], "slow.cs");
}

#[test]
fn what_was_read_from_standard_input_is_read_again() {
    let fixture = fixture();
    let icr = Icr::new(&fixture);
    icr.prints(&["index"]);
    fixture.write(&format!("//- slow.cs\n{}\nclass Added {{ }}\n", "^warning { \n".repeat(39_000)));
    let patch = fixture.git(&["diff"]) + "\n";
    fixture.git(&["checkout", "-q", "."]);
    let expected = icr.reads(patch.as_bytes(), &["impact", "-", "--json"]);
    let mut command = icr.command(&["impact", "-", "--json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(patch.as_bytes()).unwrap();
    crash(&mut child, libc::SIGSEGV);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected.stdout);
    assert!(expected.stdout.contains("slow.cs"), "{}", expected.stdout);
}

/// A server, spoken to by hand.
struct Server {
    child: Child,
    input: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Server {
    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn call(&mut self, id: u64, tool: &str, arguments: &Value) {
        let params = json!({ "name": tool, "arguments": arguments });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
    }

    /// The next message that is an answer.
    fn answer(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.answers.read_line(&mut line).unwrap() > 0, "the server ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message.get("id").is_some() {
                return message;
            }
        }
    }
}

#[test]
fn a_server_goes_on_and_answers_what_it_was_asked() {
    let fixture = fixture();
    let icr = Icr::new(&fixture).with_variable("ICR_MCP_CALL_TIMEOUT", "30s");
    icr.prints(&["index"]);
    // What is not committed is read by the server itself.
    fixture.write(&format!("//- slow.cs\n{}\nclass Added {{ }}\n", "^warning { \n".repeat(39_999)));
    let mut command = icr.command(&["mcp"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let answers = BufReader::new(child.stdout.take().unwrap());
    let input = child.stdin.take().unwrap();
    let mut server = Server { child, input, answers };
    let client = json!({ "name": "by hand", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    server.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
    assert_eq!(server.answer()["result"]["protocolVersion"], "2025-06-18");
    server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    for (id, signal) in [(1, libc::SIGSEGV), (2, libc::SIGABRT)] {
        server.call(id, "project_symbol_search", &json!({ "query": "Quick" }));
        crash(&mut server.child, signal);
    }
    let mut answered: Vec<Value> = vec![server.answer(), server.answer()];
    answered.sort_by_key(|answer| answer["id"].as_u64());
    for (answer, id) in answered.iter().zip(1..) {
        assert_eq!(answer["id"], id, "{answer:#}");
        assert!(answer["result"].to_string().contains("quick.cs"), "{answer:#}");
    }
    server.call(3, "project_symbol_search", &json!({ "query": "Quick" }));
    let last = server.answer();
    assert_eq!(last["id"], 3);
    assert!(last["result"].to_string().contains("quick.cs"), "{last:#}");
    drop(server.input);
    assert!(server.child.wait().unwrap().success());
}

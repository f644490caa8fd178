//! The protocol's own conformance suite, which asks the server over HTTP.
//!
//! It is written for servers of every kind, with tools, prompts and resources that it names. What icr does not offer fails there, and has to
//! fail for that reason; everything else has to pass.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::clients::client;
use crate::examples::repository;
use crate::place::Place;

/// Checks of scenarios that begin so are of what icr does not offer, and why.
const NOT_OFFERED_SCENARIOS: [&str; 2] = [
    // The extension of long-running tasks.
    "tasks-",
    // Tools that ask their client back: none does.
    "input-required-result-",
];

/// What the message of a failed check says where it needs what icr does not offer.
const NOT_OFFERED: [&str; 6] = [
    "there is no tool `",
    "Not testable: server does not list the diagnostic tool",
    "Not testable: server exposes no tool with x-mcp-header annotations",
    "Tool 'json_schema_2020_12_tool' not found",
    "prompts/",
    "resources/",
];

/// A server of a place, and a way to it for clients that know no token.
struct ConformanceServer {
    server: Child,
    url: String,
}

impl ConformanceServer {
    fn new(place: &Place) -> Self {
        let mut command = place.icr(&["serve", "--http", "0", "--json"]);
        let mut server = command.stdout(Stdio::piped()).spawn().expect("the program can be run");
        let mut line = String::new();
        BufReader::new(server.stdout.take().expect("it is piped")).read_line(&mut line).expect("it says where it is");
        let started: Value = serde_json::from_str(&line).expect("it is JSON");
        let address: SocketAddr = started["address"].as_str().and_then(|text| text.parse().ok()).expect("an address");
        let token =
            std::fs::read_to_string(started["token_file"].as_str().expect("a path")).expect("the token is there");
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let door = listener.local_addr().expect("it listens");
        let token = token.trim().to_owned();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let token = token.clone();
                std::thread::spawn(move || drop(pass_on(client, door, address, &token)));
            }
        });
        Self { server, url: format!("http://{door}/mcp") }
    }
}

impl Drop for ConformanceServer {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Passes on what `client` asks of `door`, with the token, and what is answered.
fn pass_on(client: TcpStream, door: SocketAddr, address: SocketAddr, token: &str) -> io::Result<()> {
    let mut server = TcpStream::connect(address)?;
    let (mut answers, mut back) = (server.try_clone()?, client.try_clone()?);
    std::thread::spawn(move || {
        let _ = io::copy(&mut answers, &mut back);
        let _ = back.shutdown(Shutdown::Write);
    });
    let mut client = BufReader::new(client);
    let (own, its) = (format!(":{}", door.port()), format!(":{}", address.port()));
    loop {
        let (mut head, mut length) = (format!("Authorization: Bearer {token}\r\n"), 0);
        let mut line = String::new();
        if client.read_line(&mut line)? == 0 {
            return server.shutdown(Shutdown::Write);
        }
        head.insert_str(0, &line);
        loop {
            line.clear();
            client.read_line(&mut line)?;
            // Who asks for the door means the server.
            head.push_str(&line.replace(&own, &its));
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
        }
        let mut body = vec![0; length];
        client.read_exact(&mut body)?;
        server.write_all(head.as_bytes())?;
        server.write_all(&body)?;
    }
}

/// The checks of each scenario that `revision` requires.
fn checks(place: &Place, suite: &Path, revision: &str) -> BTreeMap<String, Vec<Value>> {
    let served = ConformanceServer::new(place);
    let out = place.fixture.home().join(revision);
    let mut command = place.program(suite.with_file_name("node"), &[]);
    command.arg(suite).args(["server", "--url", &served.url, "--requirements", revision, "-o"]).arg(&out);
    let output = command.output().expect("the suite can be run");
    let mut checks = BTreeMap::new();
    for entry in std::fs::read_dir(&out).unwrap_or_else(|error| panic!("{error}: {output:?}")).flatten() {
        // `server-SCENARIO-TIME`, of a year in four digits.
        let name = entry.file_name().into_string().expect("a name of letters");
        let scenario = name.strip_prefix("server-").and_then(|name| name.split("-20").next().map(str::to_owned));
        let text = std::fs::read_to_string(entry.path().join("checks.json")).expect("the checks are there");
        checks.insert(scenario.unwrap_or(name), serde_json::from_str(&text).expect("a list of checks"));
    }
    checks
}

/// The scenarios that pass, with how many checks; fails for a check that fails and is of something that icr offers.
#[track_caller]
fn passed(checks: &BTreeMap<String, Vec<Value>>) -> String {
    let mut passed = String::new();
    for (scenario, checks) in checks {
        let of_status = |status: &str| checks.iter().filter(|check| check["status"] == status).collect::<Vec<_>>();
        let failed = of_status("FAILURE");
        for check in &failed {
            let message = check["errorMessage"].as_str().unwrap_or_default();
            let is_not_offered = NOT_OFFERED_SCENARIOS.iter().any(|begin| scenario.starts_with(begin))
                || NOT_OFFERED.iter().any(|needed| message.contains(needed))
                || scenario.contains("logging") && message.contains("logging/setLevel");
            assert!(is_not_offered, "{scenario}: {check:#}");
        }
        let succeeded = of_status("SUCCESS").len();
        // Each has a check of the form of what went over the wire, which says nothing of the scenario.
        if succeeded > 1 && !NOT_OFFERED_SCENARIOS.iter().any(|begin| scenario.starts_with(begin)) {
            let not_offered = if failed.is_empty() { String::new() } else { format!(", {} not offered", failed.len()) };
            passed += &format!("{scenario}: {succeeded}{not_offered}\n");
        }
    }
    passed
}

#[test]
fn the_conformance_suite_passes_for_what_is_offered() {
    let test = "the_conformance_suite_passes_for_what_is_offered";
    let Some(suite) = client(test, "node/node_modules/.bin/conformance") else { return };
    let place = repository();
    insta::assert_snapshot!(passed(&checks(&place, &suite, "2025-11-25")), @"
    completion-complete: 2
    dns-rebinding-protection: 2
    ping: 2
    server-initialize: 3
    server-session-lifecycle: 3
    server-sse-multiple-streams: 2
    server-sse-polling: 2
    tools-list: 3
    ");
    insta::assert_snapshot!(passed(&checks(&place, &suite, "2026-07-28")), @"
    caching: 4, 3 not offered
    completion-complete: 2
    dns-rebinding-protection: 2
    http-header-validation: 14
    sep-2164-resource-not-found: 2
    server-sse-multiple-streams: 2
    server-stateless: 21, 4 not offered
    tools-list: 4
    ");
}

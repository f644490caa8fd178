//! Connections that are silent, many, cut or endless.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::place::{PATIENCE, Place};

#[test]
fn a_head_that_does_not_come_ends_the_connection() {
    let place = Place::new();
    let mut silent = place.connect();
    let mut slow = place.connect();
    slow.write_all(b"GET /api/health HTTP/1.1\r\nHost: ").expect("the server reads");
    for stream in [&mut silent, &mut slow] {
        let mut said = String::new();
        let _ = stream.read_to_string(&mut said);
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 408"), "{said}");
    }
    assert_eq!(place.get("/api/health")["status"], "ok");
}

#[test]
fn a_flood_of_connections_keeps_nobody_out() {
    let place = Place::new();
    let known = place.connect();
    let ask = |mut stream: &TcpStream| {
        let token = &place.token;
        let request =
            format!("GET /api/health HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\r\n", place.address);
        stream.write_all(request.as_bytes()).expect("the server reads");
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 200");
    };
    ask(&known);
    let flood: Vec<TcpStream> = (0..600).map(|_| place.connect()).collect();
    assert_eq!(place.get("/api/health")["status"], "ok");
    drop(flood);
    // Who had shown who it is was not closed for strangers.
    let mut rest = [0; 4096];
    let _ = (&known).read(&mut rest).expect("the rest of the answer");
    ask(&known);
}

#[test]
fn what_is_no_request_is_refused_and_what_is_too_long_is_not_read() {
    let place = Place::new();
    let status = |bytes: &[u8]| place.raw(bytes).status;
    assert_eq!(status(b"nonsense\r\n\r\n"), 400);
    assert_eq!(status(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"), 400);
    assert_eq!(status(b"GET / HTTP/9.9\r\n\r\n"), 400);
    let long_head = format!("GET /{} HTTP/1.1\r\nHost: {}\r\n\r\n", "a".repeat(1 << 20), place.address);
    assert!([400, 414, 431, 0].contains(&status(long_head.as_bytes())));
    let many: String = (0..1_000).map(|at| format!("x-{at}: 1\r\n")).collect();
    assert!(
        [400, 431].contains(&status(format!("GET / HTTP/1.1\r\nHost: {}\r\n{many}\r\n", place.address).as_bytes()))
    );
    // A body of a gigabyte is announced, and its beginning sent.
    let token = &place.token;
    let head = format!(
        "POST /api/impact HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Type: text/x-diff\r\nContent-Length: 1073741824\r\n\r\n",
        place.address
    );
    let mut bytes = head.into_bytes();
    bytes.resize(bytes.len() + (40 << 20), b'a');
    let answer = place.raw(&bytes);
    assert!([400, 413, 0].contains(&answer.status), "{answer:?}");
    assert_eq!(place.get("/api/health")["status"], "ok");
}

#[test]
fn a_request_that_is_cut_in_half_leaves_nothing_behind() {
    let place = Place::new();
    for end in [1, 20, 60, 120] {
        let request = format!(
            "POST /api/memory HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{{\"topic\": \"t\",",
            place.address, place.token
        );
        let mut stream = place.connect();
        stream.write_all(&request.as_bytes()[..end.min(request.len())]).expect("the server reads");
        drop(stream);
    }
    assert_eq!(place.get("/api/memory/list")["total_count"], 0);
}

#[test]
fn a_stopped_server_answers_what_was_asked_and_accepts_no_more() {
    let mut place = Place::new();
    place.get("/api/status");
    let mut asking = place.connect();
    let request = format!(
        "GET /api/search?query=token HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        place.address, place.token
    );
    asking.write_all(request.as_bytes()).expect("the server reads");
    let mut first = [0; 1];
    asking.read_exact(&mut first).expect("the answer begins");
    let mut idle = place.connect();
    place.stop();
    let mut rest = String::new();
    asking.read_to_string(&mut rest).expect("the answer ends");
    assert!(rest.contains("\"results\""), "{rest}");
    let _ = idle.read(&mut [0; 1]);
    let began = std::time::Instant::now();
    while TcpStream::connect(place.address).is_ok() {
        assert!(began.elapsed() < PATIENCE, "connections are still accepted");
    }
}

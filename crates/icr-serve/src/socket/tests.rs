//! Sockets and those who ask, in one process.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Instant;

use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use super::line::{request_line, request_of, response_line, response_of};
use super::*;

const REPO_ID: &str = "0123456789abcdef";

/// How long a test waits for what must come. Nothing takes that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long whoever asks a server that hangs waits.
const SHORT: Duration = Duration::from_millis(200);

fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn request(kind: &str) -> Request {
    Request { kind: kind.to_owned(), root: "/repository".into(), body: json!({"text": "where is the anchor?"}) }
}

/// A handler that says who answers, and what was asked.
fn named(name: &'static str) -> Handler {
    Arc::new(move |request, _| Ok(json!({"by": name, "kind": request.kind, "body": request.body})))
}

fn listen(home: &Path, handler: Handler) -> Socket {
    Socket::listen(home, REPO_ID, handler).unwrap()
}

fn ask_in(home: &Path) -> Result<Option<Response>, AskError> {
    ask(home, REPO_ID, &request("echo"), PATIENCE)
}

/// Who answers; `None` where nobody listens.
#[track_caller]
fn answered_by(home: &Path) -> Option<String> {
    let answer = ask_in(home).unwrap()?.unwrap();
    Some(answer["by"].as_str().unwrap().to_owned())
}

#[track_caller]
fn becomes(what: impl Fn() -> bool) {
    let began = Instant::now();
    while !what() {
        assert!(began.elapsed() < PATIENCE, "it never comes");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// What a server says to bytes, after which no more come.
fn said_to(home: &Path, bytes: &[u8]) -> String {
    let mut stream = UnixStream::connect(socket_file(home)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // A server need not read all of it.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut said = Vec::new();
    match stream.read_to_end(&mut said) {
        // Where it did not, the connection ends so behind what it said.
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
        read => drop(read.unwrap()),
    }
    String::from_utf8(said).unwrap()
}

fn socket_file(home: &Path) -> PathBuf {
    home.join("run").join(format!("{REPO_ID}.sock"))
}

/// A listener that is none of icr's, at the place of the socket.
fn foreign(home: &Path) -> UnixListener {
    fs::create_dir(home.join("run")).unwrap();
    fs::set_permissions(home.join("run"), fs::Permissions::from_mode(0o700)).unwrap();
    let listener = UnixListener::bind(socket_file(home)).unwrap();
    fs::set_permissions(socket_file(home), fs::Permissions::from_mode(0o600)).unwrap();
    listener
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn whoever_asks_gets_what_the_handler_says() {
    let home = home();
    let _socket = listen(home.path(), named("first"));
    let answer = ask_in(home.path()).unwrap().unwrap().unwrap();
    assert_eq!(answer, json!({"by": "first", "kind": "echo", "body": {"text": "where is the anchor?"}}));
}

#[test]
fn only_the_user_comes_to_the_socket() {
    let home = home();
    let _socket = listen(home.path(), named("first"));
    let run = home.path().join("run");
    let modes = (mode(&run), mode(&socket_file(home.path())), mode(&run.join(format!("{REPO_ID}.lock"))));
    assert_eq!(modes, (0o700, 0o600, 0o600));
}

#[test]
fn nobody_listens_before_the_first_and_after_the_last() {
    let home = home();
    assert_eq!(answered_by(home.path()), None);
    let socket = listen(home.path(), named("first"));
    assert_eq!(answered_by(home.path()).as_deref(), Some("first"));
    assert_eq!(fs::metadata(home.path().join("run").join("fedcba9876543210.sock")).ok().map(|_| ()), None);
    assert!(ask(home.path(), "fedcba9876543210", &request("echo"), PATIENCE).unwrap().is_none());
    drop(socket);
    assert_eq!((answered_by(home.path()), socket_file(home.path()).exists()), (None, false));
}

#[test]
fn the_second_waits_and_takes_over_when_the_first_ends() {
    let home = home();
    let first = listen(home.path(), named("first"));
    let second = listen(home.path(), named("second"));
    assert_eq!((first.is_listening(), second.is_listening()), (true, false));
    assert_eq!(answered_by(home.path()).as_deref(), Some("first"));
    drop(first);
    becomes(|| second.is_listening());
    assert_eq!(answered_by(home.path()).as_deref(), Some("second"));
    drop(second);
    assert_eq!((answered_by(home.path()), socket_file(home.path()).exists()), (None, false));
}

#[test]
fn one_that_ends_while_it_waits_takes_nothing_over() {
    let home = home();
    let first = listen(home.path(), named("first"));
    drop(listen(home.path(), named("second")));
    assert_eq!(answered_by(home.path()).as_deref(), Some("first"));
    drop(first);
    let third = listen(home.path(), named("third"));
    becomes(|| third.is_listening());
    assert_eq!(answered_by(home.path()).as_deref(), Some("third"));
}

#[test]
fn a_socket_that_was_left_behind_is_nobody_and_is_replaced() {
    let home = home();
    drop(foreign(home.path()));
    assert!(socket_file(home.path()).exists());
    assert_eq!(answered_by(home.path()), None);
    let _socket = listen(home.path(), named("first"));
    assert_eq!(answered_by(home.path()).as_deref(), Some("first"));
}

#[test]
fn a_file_or_a_link_in_the_place_of_the_socket_is_replaced_and_a_directory_is_not() {
    for kind in ["file", "link", "directory"] {
        let home = home();
        drop(foreign(home.path()));
        let (path, other) = (socket_file(home.path()), home.path().join("other"));
        fs::remove_file(&path).unwrap();
        fs::write(&other, "kept").unwrap();
        match kind {
            "file" => fs::write(&path, "").unwrap(),
            "link" => symlink(&other, &path).unwrap(),
            _ => fs::create_dir(&path).unwrap(),
        }
        let listened = Socket::listen(home.path(), REPO_ID, named("first"));
        assert_eq!(listened.is_err(), kind == "directory", "{kind}: {listened:?}");
        assert_eq!(fs::read_to_string(&other).unwrap(), "kept");
    }
}

#[test]
fn a_socket_that_somebody_else_put_there_is_not_removed() {
    let home = home();
    let first = listen(home.path(), named("first"));
    fs::remove_dir_all(home.path().join("run")).unwrap();
    let second = listen(home.path(), named("second"));
    drop(first);
    assert_eq!(answered_by(home.path()).as_deref(), Some("second"));
    drop(second);
}

#[test]
fn a_path_that_is_too_long_for_a_socket_is_none_here() {
    let home = home();
    let long = home.path().join("a".repeat(120)).join("b".repeat(120));
    let _socket = listen(&long, named("first"));
    assert_eq!(answered_by(&long).as_deref(), Some("first"));
}

#[test]
fn what_is_no_id_of_a_repository_names_no_file() {
    let home = home();
    for repo_id in ["", "..", "../x", "a/b", "a\0b", &"a".repeat(65)] {
        assert!(ask(home.path(), repo_id, &request("echo"), PATIENCE).unwrap().is_none());
        let listened = Socket::listen(home.path(), repo_id, named("first"));
        assert!(matches!(listened, Err(ListenError::RepoId { .. })), "{repo_id}: {listened:?}");
    }
    assert!(!home.path().join("run").exists());
}

#[test]
fn what_others_could_have_put_there_is_not_trusted() {
    let untrusted = |prepare: &dyn Fn(&Path)| {
        let home = home();
        let _listener = foreign(home.path());
        prepare(home.path());
        let Err(AskError::Untrusted(untrusted)) = ask_in(home.path()) else { panic!("it is trusted") };
        untrusted.to_string().replace(&home.path().display().to_string(), "$HOME").replace(REPO_ID, "$ID")
    };
    let chmod = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    assert_eq!(
        untrusted(&|home| chmod(&home.join("run"), 0o755)),
        "`$HOME/run` is open to other users; its mode has to be 0700"
    );
    assert_eq!(
        untrusted(&|home| chmod(&socket_file(home), 0o666)),
        "`$HOME/run/$ID.sock` is open to other users; its mode has to be 0600"
    );
    let behind_a_link = |path: &Path| {
        let moved = path.with_extension("moved");
        fs::rename(path, &moved).unwrap();
        symlink(moved, path).unwrap();
    };
    assert_eq!(untrusted(&|home| behind_a_link(&socket_file(home))), "`$HOME/run/$ID.sock` is no socket");
    assert_eq!(untrusted(&|home| behind_a_link(&home.join("run"))), "`$HOME/run` is a link or no directory");
}

#[test]
fn rights_that_the_directory_gives_to_others_are_taken_away_and_a_link_is_not_followed() {
    let home = home();
    let run = home.path().join("run");
    fs::create_dir(&run).unwrap();
    fs::set_permissions(&run, fs::Permissions::from_mode(0o777)).unwrap();
    let socket = listen(home.path(), named("first"));
    assert_eq!((mode(&run), answered_by(home.path()).as_deref()), (0o700, Some("first")));
    drop(socket);
    let other = home.path().join("other");
    fs::rename(&run, &other).unwrap();
    symlink(&other, &run).unwrap();
    let listened = Socket::listen(home.path(), REPO_ID, named("first"));
    assert!(matches!(listened, Err(ListenError::Untrusted(_))), "{listened:?}");
}

/// Asks with a short time; the whole of it may not take much longer.
#[track_caller]
fn times_out(home: &Path) {
    let began = Instant::now();
    let asked = ask(home, REPO_ID, &request("echo"), SHORT);
    assert!(matches!(asked, Err(AskError::OutOfTime { .. })), "{asked:?}");
    assert!(began.elapsed() < SHORT * 10);
}

#[test]
fn a_server_that_hangs_costs_the_time_that_was_given() {
    let home = home();
    let _listener = foreign(home.path());
    times_out(home.path());
}

#[test]
fn a_server_that_dribbles_costs_the_time_that_was_given() {
    let home = home();
    let listener = foreign(home.path());
    let dribbling = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        while stream.write_all(b" ").is_ok() {
            std::thread::park_timeout(Duration::from_millis(5));
        }
    });
    times_out(home.path());
    dribbling.join().unwrap();
}

#[test]
fn a_server_that_does_not_read_costs_the_time_that_was_given() {
    let home = home();
    let _listener = foreign(home.path());
    let large = Request { body: json!("a".repeat(1_000_000)), ..request("echo") };
    let asked = ask(home.path(), REPO_ID, &large, SHORT);
    assert!(matches!(asked, Err(AskError::OutOfTime { .. })), "{asked:?}");
}

#[test]
fn a_server_that_takes_no_connections_is_nobody() {
    let home = home();
    let listener = foreign(home.path());
    // A second call sets the bound anew: one connection waits, and what was given up waits on.
    rustix::net::listen(&listener, 0).unwrap();
    times_out(home.path());
    assert!(ask_in(home.path()).unwrap().is_none());
}

#[test]
fn what_is_no_answer_is_an_error() {
    let answers: [(&[u8], &str); 6] = [
        (b"", "the connection was closed without an answer"),
        (b"{\"version\":1", "the connection was closed without an answer"),
        (b"\n", "the reply is not an answer: EOF while parsing a value at line 1 column 0"),
        (
            b"[]\n",
            "the reply is not an answer: invalid type: sequence, expected struct ResponseMessage at line 1 column 0",
        ),
        (b"{\"version\":2,\"answer\":1}\n", "the reply is not an answer: it is of version 2, not 1"),
        (&[b'a'; LINE_BYTES_MOST + 1], "the reply is not an answer: it is longer than 1048576 bytes"),
    ];
    for (answer, expected) in answers {
        let home = home();
        let listener = foreign(home.path());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut line = [0; 1024];
                let _ = stream.read(&mut line).unwrap();
                let _ = stream.write_all(answer);
            });
            let error = ask_in(home.path()).unwrap_err();
            assert_eq!(error.to_string(), expected);
        });
    }
}

#[test]
fn what_is_no_request_is_said_to_be_none() {
    let home = home();
    let handled = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&handled);
    let _socket = listen(
        home.path(),
        Arc::new(move |_, _| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(json!(null))
        }),
    );
    let check = |bytes: &[u8], expected: &str| {
        let said = said_to(home.path(), bytes);
        let said: Value = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said:?}"));
        assert_eq!((&said["version"], &said["error"]["code"]), (&json!(1), &json!(expected)), "{said}");
    };
    let whole = "{\"version\":1,\"kind\":\"a\",\"root\":\"/r\",\"deadline_ms\":9,\"body\":null}\n";
    check(b"GET / HTTP/1.1\r\n\r\n", "BAD_REQUEST");
    check(b"\n", "BAD_REQUEST");
    check(&[0xff, 0, b'\n'], "BAD_REQUEST");
    check(whole.trim_end().as_bytes(), "BAD_REQUEST");
    check(whole.replace("\"/r\"", "\"r\"").as_bytes(), "BAD_REQUEST");
    check(whole.replace(":9", ":-9").as_bytes(), "BAD_REQUEST");
    check(whole.replace("\"kind\"", "\"sort\"").as_bytes(), "BAD_REQUEST");
    check(format!("{}\n", "[".repeat(100_000)).as_bytes(), "BAD_REQUEST");
    check(whole.replace(":1,", ":2,").as_bytes(), "UNKNOWN_VERSION");
    check(whole.replace(":1,", ":\"1\",").as_bytes(), "UNKNOWN_VERSION");
    check(b"{}\n", "UNKNOWN_VERSION");
    let mut longest = vec![b' '; LINE_BYTES_MOST];
    check(&longest, "TOO_LONG");
    longest[LINE_BYTES_MOST - whole.len()..].copy_from_slice(whole.as_bytes());
    assert_eq!(handled.load(Ordering::Relaxed), 0);
    assert_eq!(said_to(home.path(), &longest), "{\"version\":1,\"answer\":null}\n");
    longest.insert(0, b' ');
    check(&longest, "TOO_LONG");
    // What comes after the line is not looked at.
    assert_eq!(said_to(home.path(), whole.repeat(2).as_bytes()), "{\"version\":1,\"answer\":null}\n");
    assert_eq!(said_to(home.path(), b""), "");
    assert_eq!(handled.load(Ordering::Relaxed), 2);
}

#[test]
fn what_is_too_long_to_be_sent_is_not_sent() {
    let home = home();
    let _socket = listen(home.path(), Arc::new(|_, _| Ok(json!("a".repeat(LINE_BYTES_MOST)))));
    let error = ask_in(home.path()).unwrap().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the answer would be longer than 1048576 bytes (TOO_LONG)");
    let large = Request { body: json!("a".repeat(LINE_BYTES_MOST)), ..request("echo") };
    let asked = ask(home.path(), REPO_ID, &large, PATIENCE);
    assert!(matches!(asked, Err(AskError::Unsendable { .. })), "{asked:?}");
}

#[test]
fn silence_and_half_a_line_end_by_themselves() {
    let home = home();
    let _socket = listen(home.path(), named("first"));
    for beginning in ["", "{\"version\":1"] {
        let mut stream = UnixStream::connect(socket_file(home.path())).unwrap();
        stream.write_all(beginning.as_bytes()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        assert_eq!(said, "");
    }
    assert_eq!(answered_by(home.path()).as_deref(), Some("first"));
}

#[test]
fn a_flood_of_silent_connections_costs_nothing() {
    let home = home();
    let _socket = listen(home.path(), named("first"));
    let flood: Vec<UnixStream> = (0..200).map(|_| UnixStream::connect(socket_file(home.path())).unwrap()).collect();
    for mut stream in flood {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    }
    assert_eq!(answered_by(home.path()).as_deref(), Some("first"));
}

#[test]
fn a_flood_of_requests_is_worked_on_eight_at_a_time() {
    let home = home();
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let handler: Handler = {
        let (now, most) = (Arc::clone(&now), Arc::clone(&most));
        Arc::new(move |_, _| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::park_timeout(Duration::from_millis(20));
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(json!({"by": "first"}))
        })
    };
    let _socket = listen(home.path(), handler);
    let answers: Vec<_> = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..200).map(|_| scope.spawn(|| ask_in(home.path()))).collect();
        asking.into_iter().map(|asking| asking.join().unwrap()).collect()
    });
    let is_answered = |answer: &&_| matches!(answer, Ok(Some(Ok(_))));
    let is_closed = |answer: &&_| matches!(answer, Ok(None) | Err(AskError::Closed));
    let (answered, closed) = (answers.iter().filter(is_answered).count(), answers.iter().filter(is_closed).count());
    assert_eq!(answered + closed, 200, "{answers:?}");
    assert!(answered > 0 && (1..=8).contains(&most.load(Ordering::SeqCst)), "{answered} {most:?}");
    becomes(|| matches!(ask_in(home.path()), Ok(Some(Ok(_)))));
}

/// A handler that works until its deadline is over, and says by how much it was then cancelled.
fn working() -> (Handler, std::sync::mpsc::Receiver<Duration>, std::sync::mpsc::Receiver<()>) {
    let ((over, is_over), (began, has_begun)) = (channel(), channel());
    let handler: Handler = Arc::new(move |_, deadline: &Deadline| {
        let began_at = Instant::now();
        began.send(()).unwrap();
        while !deadline.is_over() {
            std::thread::park_timeout(Duration::from_millis(5));
        }
        let _ = over.send(began_at.elapsed());
        Ok(json!(null))
    });
    (handler, is_over, has_begun)
}

#[test]
fn work_ends_when_whoever_asked_is_gone() {
    let home = home();
    let (handler, is_over, has_begun) = working();
    let _socket = listen(home.path(), handler);
    let mut stream = UnixStream::connect(socket_file(home.path())).unwrap();
    stream.write_all(&request_line(&request("work"), PATIENCE).unwrap()).unwrap();
    has_begun.recv_timeout(PATIENCE).unwrap();
    drop(stream);
    assert!(is_over.recv_timeout(PATIENCE).unwrap() < WORK_MOST / 2);
}

#[test]
fn work_ends_when_the_socket_does() {
    let home = home();
    let (handler, is_over, has_begun) = working();
    let socket = listen(home.path(), handler);
    let asking = std::thread::spawn({
        let home = home.path().to_owned();
        move || ask_in(&home)
    });
    has_begun.recv_timeout(PATIENCE).unwrap();
    drop(socket);
    assert!(is_over.recv_timeout(PATIENCE).unwrap() < WORK_MOST / 2);
    assert!(matches!(asking.join().unwrap(), Err(AskError::Closed)));
}

#[test]
fn work_ends_at_the_deadline_of_the_request_and_at_that_of_the_server() {
    let home = home();
    let left = Arc::new(Mutex::new(Vec::new()));
    let handler: Handler = {
        let left = Arc::clone(&left);
        Arc::new(move |_, deadline| {
            left.lock().unwrap().push(deadline.remaining_time().unwrap());
            Ok(json!(null))
        })
    };
    let _socket = listen(home.path(), handler);
    for within in [Duration::from_secs(1), Duration::from_secs(3_600), Duration::MAX] {
        ask(home.path(), REPO_ID, &request("echo"), within).unwrap().unwrap().unwrap();
    }
    let left = left.lock().unwrap();
    assert!(left[0] <= Duration::from_secs(1) && left[1..].iter().all(|left| *left <= WORK_MOST), "{left:?}");
}

#[test]
fn a_panic_is_an_answer() {
    let home = home();
    let _socket = listen(home.path(), Arc::new(|_, _| panic!("a bug")));
    for _ in 0..20 {
        let error = ask_in(home.path()).unwrap().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "a call failed because of a bug in icr: a bug (PANICKED)");
    }
}

#[test]
fn a_root_that_is_no_text_is_not_sent() {
    use std::os::unix::ffi::OsStringExt;
    let home = home();
    let _socket = listen(home.path(), named("first"));
    let root = std::ffi::OsString::from_vec(b"/\xff".to_vec()).into();
    let asked = ask(home.path(), REPO_ID, &Request { root, ..request("echo") }, PATIENCE);
    assert!(matches!(asked, Err(AskError::Unsendable { .. })), "{asked:?}");
}

proptest! {
    #[test]
    fn no_line_is_more_than_refused(line in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = response_of(&line);
        let refused = request_of(&line).map(drop).unwrap_err();
        prop_assert!(["BAD_REQUEST", "UNKNOWN_VERSION"].contains(&refused.code.as_str()), "{}", refused);
    }

    #[test]
    fn a_request_and_an_answer_are_read_as_they_were_written(kind in any::<String>(), root in any::<String>(), text in any::<String>(), ms in any::<u64>()) {
        let request = Request { kind, root: format!("/{root}").into(), body: json!([text]) };
        let within = Duration::from_millis(ms);
        let line = request_line(&request, within).unwrap();
        prop_assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        prop_assert_eq!(request_of(&line).unwrap(), (request, within));
        for response in [Ok(json!({"text": text})), Err(RequestError::new("CODE", text.clone()))] {
            let line = response_line(response.clone());
            prop_assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
            prop_assert_eq!(response_of(&line), Ok(response));
        }
    }
}

//! A repository with a server of its own, and a client that sends what it is told to.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use icr_engine::{Engine, ImpactRules, LocatedRepository, MemoryPlace, OpenOptions, PackBudgets, PackRules};
use icr_fixture::Fixture;
use icr_http::{MemoryView, Server, Settings};
use icr_mcp::{Limits, MemorySettings, Toolset, Tracing};
use icr_memory::MemoryRules;
use icr_serve::{
    BaseRulesFinder, ConfiguredRepository, OpenError, RepositoryAccess, STACK_BYTES, SharedMemory, TranscriptReader,
    Workshop,
};
use icr_traces::{Door, Recorder, RecorderOptions};
use serde_json::Value;

/// When all tests run: 2024-01-15T10:30:00Z.
const NOW_SECONDS: u64 = 1_705_314_600;

/// Longest time that anything is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const FILES: &str = "\
//- src/auth.py
\"\"\"Authentication of users.\"\"\"

from src.errors import AuthError


def validate_token(token: str) -> str:
    \"\"\"Validate a token.\"\"\"
    if not token:
        raise AuthError(\"no token\")
    return token.strip()
//- src/errors.py
class AuthError(Exception):
    \"\"\"Somebody is not let in.\"\"\"
//- src/users.py
from src.auth import validate_token


def current_user(token: str) -> str:
    return validate_token(token)
//- tests/test_auth.py
from src.auth import validate_token


def test_validates():
    assert validate_token(\" a \") == \"a\"
";

/// A server that answers until it is dropped.
pub(crate) struct Place {
    pub(crate) fixture: Fixture,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    /// A link to the page that nobody has followed.
    pub(crate) link: String,
    /// Where calls are traced.
    pub(crate) recorder: Arc<Recorder>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Place {
    /// Two commits of a small project.
    pub(crate) fn new() -> Self {
        let fixture = Fixture::new(FILES);
        fixture.commit("Let users in");
        fixture.write(
            "//- src/errors.py\nclass AuthError(Exception):\n    pass\n\n\nclass Expired(AuthError):\n    pass\n",
        );
        fixture.commit("Tokens expire");
        Self::of(fixture)
    }

    pub(crate) fn of(fixture: Fixture) -> Self {
        let (home, start) = (fixture.home().join("icr"), fixture.root().to_owned());
        let places = places(&home, start);
        let limits = Limits { call: PATIENCE, hard: PATIENCE, ..Limits::default() };
        let workshop = Workshop::new(places.clone(), limits.bounds());
        let memory_place = MemoryPlace::new(home.join("memory.db"), MemoryRules::default(), true, false);
        let memory = Arc::new(SharedMemory::new(memory_place.clone()));
        let recorder = Arc::new(Recorder::open(RecorderOptions::new(&home, now)));
        let clock = Arc::new(now);
        let settings = Settings {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            home: home.clone(),
            version: "1.2.3".to_owned(),
            clock: clock.clone(),
            workshop: Arc::clone(&workshop),
            memory: Arc::clone(&memory),
            memory_view: MemoryView { per_project: true, cross_branch: false },
            mask_credentials: true,
            variables: || vec![("PATH".into(), "/usr/bin:/bin".into())],
            run_limit: PATIENCE,
            read_only: false,
            recorder: Arc::clone(&recorder),
            call_limit: PATIENCE,
            refusal_of: icr_mcp::refusal_of,
        };
        let mcp = icr_mcp::Settings {
            places,
            version: "1.2.3".to_owned(),
            toolsets: vec![Toolset::Code],
            compact: false,
            mask_credentials: true,
            memory: MemorySettings {
                place: memory_place,
                per_project: true,
                cross_branch: false,
                nudge_after_calls: 0,
            },
            limits,
            clock,
            variables: || vec![("PATH".into(), "/usr/bin:/bin".into())],
            tracing: Tracing { recorder: Arc::clone(&recorder), door: Door::McpHttp, session: "session".to_owned() },
            socket: None,
        };
        let server = Server::bind(settings).expect("a port");
        let (address, link) = (server.address(), server.link().expect("a link"));
        let token = std::fs::read_to_string(server.token_path()).expect("a token").trim().to_owned();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_stack_size(STACK_BYTES)
            .enable_all()
            .build()
            .expect("a runtime");
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let endpoint = icr_mcp::endpoint(mcp, workshop, memory);
        runtime.spawn(server.serve(endpoint, async { drop(stopped.await) }));
        Self { fixture, address, token, link, recorder, stop: Some(stop), runtime: Some(runtime) }
    }

    /// Tells the server to end.
    pub(crate) fn stop(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
    }

    /// The answer to `GET path`, which has to be one, as JSON.
    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Value {
        let answer = self.ask("GET", path, &[], "");
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// The answer to a request of a program that shows the token.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let token = format!("Bearer {}", self.token);
        let mut with_token = vec![("Authorization", token.as_str())];
        with_token.extend(headers);
        self.send(method, path, &with_token, body)
    }

    /// The answer to a request with no headers but those given and what HTTP needs.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let has_host = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host"));
        let host = if has_host { String::new() } else { format!("Host: {}\r\n", self.address) };
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.raw(request.as_bytes())
    }

    /// The answer to bytes, until the server closes the connection.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // Who refuses may close before all was sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Answer::of(&answer)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("the server accepts");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        stream
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.stop();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(PATIENCE);
        }
    }
}

/// An answer of the server.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// As they came, in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    /// An empty one with the status 0 where nothing was answered.
    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
        let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        let headers: Vec<(String, String)> = lines.filter_map(header).collect();
        let is_chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        let body = if is_chunked { unchunked(body) } else { body.to_owned() };
        Self { status: status.unwrap_or(0), headers, body }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value)
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.body))
    }

    /// The code of the error that it is.
    #[track_caller]
    pub(crate) fn error(&self) -> (u16, String) {
        (self.status, self.json()["error"]["code"].as_str().unwrap_or_default().to_owned())
    }
}

fn unchunked(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or(0);
        if size == 0 || rest.len() < size {
            break;
        }
        text.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    text
}

fn places(home: &Path, start: PathBuf) -> RepositoryAccess {
    let (opening, identifying) = (home.to_owned(), home.to_owned());
    RepositoryAccess {
        start,
        home: home.to_owned(),
        allowed_roots: Vec::new(),
        open: Arc::new(move |directory: &Path| opened(directory, &opening)),
        identify: Arc::new(move |directory: &Path| {
            Ok(LocatedRepository::find(directory)?.repo_id(&identifying, None, icr_engine::IdRecording::Allowed)?)
        }),
    }
}

fn opened(directory: &Path, home: &Path) -> Result<ConfiguredRepository, OpenError> {
    Ok(ConfiguredRepository {
        engine: Engine::open(OpenOptions::new(directory, home))?,
        pack: PackRules::default(),
        budgets: PackBudgets::default(),
        final_results: 10,
        impact: ImpactRules::default(),
        run: run_rules(),
        catch_up: Duration::from_secs(10),
        watch: true,
        made_of: Vec::new(),
        before: BaseRulesFinder::new(|_| Ok(None)),
        transcripts: TranscriptReader::default(),
    })
}

fn run_rules() -> icr_serve::RunRules {
    icr_serve::RunRules {
        is_enabled: true,
        allow: vec!["echo".to_owned(), "sh".to_owned()],
        timeout: Duration::from_secs(20),
        timeout_most: Duration::from_secs(30),
        output_bytes: 1_000,
        ..icr_serve::RunRules::default()
    }
}

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(NOW_SECONDS)
}

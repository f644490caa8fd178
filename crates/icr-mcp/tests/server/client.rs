//! A client that sends lines and reads lines, and a server of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use icr_engine::{Engine, ImpactRules, LocatedRepository, MemoryPlace, OpenOptions, PackBudgets, PackRules};
use icr_fixture::Fixture;
use icr_mcp::{Error, Limits, MemorySettings, Settings, Toolset, Tracing};
use icr_memory::MemoryRules;
use icr_serve::{BaseRulesFinder, ConfiguredRepository, OpenError, RepositoryAccess, TranscriptReader};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

/// Bytes that may be on their way in either direction.
const PIPE_BYTES: usize = 1 << 16;

/// When all tests run: 2024-01-15T10:30:00Z.
pub(crate) const NOW_SECONDS: u64 = 1_705_314_600;

/// A repository of an authentication service, with what a server needs to answer about it.
pub(crate) const FILES: &str = "\
//- Cargo.toml
[package]
name = \"service\"
//- src/auth.py
\"\"\"Authentication of users.\"\"\"

from src.errors import AuthError


class AuthService:
    \"\"\"Authentication service.\"\"\"

    def authenticate(self, token: str) -> str:
        \"\"\"Authenticate a user by token.\"\"\"
        if not token:
            raise AuthError(\"no token\")
        return validate_token(token)

    def logout(self, user_id: str) -> None:
        return None


def validate_token(token: str) -> str:
    \"\"\"Validate a JWT token.\"\"\"
    return token.strip()
//- src/errors.py
\"\"\"Error handling.\"\"\"


class AuthError(Exception):
    pass


def handle_error(error: Exception) -> str:
    return str(error)
//- src/users.py
from src.auth import AuthService


def current_user(token: str) -> str:
    return AuthService().authenticate(token)
//- tests/test_auth.py
from src.auth import validate_token


def test_validates():
    assert validate_token(\" a \") == \"a\"
";

/// A repository and the settings of a server for it.
pub(crate) struct Place {
    pub(crate) fixture: Fixture,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { fixture: Fixture::new(FILES) }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.fixture.home().join("icr")
    }

    pub(crate) fn places(&self) -> RepositoryAccess {
        let home = self.home();
        let (opening, identifying) = (home.clone(), home.clone());
        RepositoryAccess {
            start: self.fixture.root().to_owned(),
            home,
            allowed_roots: Vec::new(),
            open: Arc::new(move |directory: &Path| opened(directory, &opening)),
            identify: Arc::new(move |directory: &Path| {
                Ok(LocatedRepository::find(directory)?.repo_id(&identifying, None, icr_engine::IdRecording::Allowed)?)
            }),
        }
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings {
            places: self.places(),
            version: "1.2.3".to_owned(),
            toolsets: vec![Toolset::Code],
            compact: false,
            mask_credentials: true,
            memory: self.memory(),
            limits: Limits { call: Duration::from_secs(30), ..Limits::default() },
            clock: Arc::new(|| SystemTime::UNIX_EPOCH + Duration::from_secs(NOW_SECONDS)),
            variables: || vec![("PATH".into(), "/usr/bin:/bin".into())],
            tracing: Tracing::off(),
            socket: None,
        }
    }

    /// Memories in the home of icr.
    pub(crate) fn memory(&self) -> MemorySettings {
        let path = self.home().join("memory.db");
        MemorySettings {
            place: MemoryPlace::new(path, MemoryRules::default(), true, false),
            per_project: true,
            cross_branch: false,
            nudge_after_calls: 10,
        }
    }

    pub(crate) async fn client(&self) -> Client {
        Client::start(self.settings()).await
    }
}

pub(crate) fn opened(directory: &Path, home: &Path) -> Result<ConfiguredRepository, OpenError> {
    Ok(ConfiguredRepository {
        // The door masks what is to be masked, so that one which does not shows it.
        engine: Engine::open(OpenOptions { mask_credentials: false, ..OpenOptions::new(directory, home) })?,
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

/// A client of the present revision of the protocol, unless it shakes hands.
pub(crate) struct Client {
    writer: Option<WriteHalf<DuplexStream>>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    server: JoinHandle<Result<(), Error>>,
    next_id: u64,
    /// What every request says about the client; `None` after a handshake.
    meta: Option<Value>,
}

impl Client {
    /// A client of a server with these settings, which has said nothing yet.
    pub(crate) async fn start(settings: Settings) -> Self {
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        let (reader, writer) = tokio::io::split(theirs);
        let server = tokio::spawn(icr_mcp::serve(settings, reader, writer));
        let (reader, writer) = tokio::io::split(ours);
        Self {
            writer: Some(writer),
            lines: BufReader::new(reader).lines(),
            server,
            next_id: 0,
            meta: Some(meta("2026-07-28", "test")),
        }
    }

    /// A client that has shaken hands in an older revision.
    pub(crate) async fn legacy(settings: Settings, version: &str, name: &str) -> Self {
        let mut client = Self { meta: None, ..Self::start(settings).await };
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": name, "version": "1"},
        });
        let answer = client.request("initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], version);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    /// From now on as the client with this name.
    pub(crate) fn named(mut self, name: &str) -> Self {
        self.meta = Some(meta("2026-07-28", name));
        self
    }

    /// Sends bytes as they are.
    pub(crate) async fn raw(&mut self, bytes: &[u8]) {
        let writer = self.writer.as_mut().expect("the input has not ended");
        writer.write_all(bytes).await.expect("the server reads");
        writer.flush().await.expect("the server reads");
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes()).await;
    }

    /// The next message of the server; `None` at the end of its output.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.expect("output can be read")?;
        Some(serde_json::from_str(&line).expect("every line of the output is a message"))
    }

    /// Sends a request and gives its id.
    pub(crate) async fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        self.send_as(self.next_id, method, params).await;
        self.next_id
    }

    /// Sends a request with this id.
    pub(crate) async fn send_as(&mut self, id: u64, method: &str, mut params: Value) {
        if let Some(meta) = &self.meta {
            let given = params.get("_meta").cloned().unwrap_or_else(|| json!({}));
            params["_meta"] = meta.clone();
            for (key, value) in given.as_object().into_iter().flatten() {
                params["_meta"][key] = value.clone();
            }
        }
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }

    /// The whole answer to a request; messages about others are passed over.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.answer_to(id).await
    }

    pub(crate) async fn answer_to(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await.expect("there is an answer");
            if message["id"] == id {
                return message;
            }
        }
    }

    /// The result of a tool.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut answer = self.request("tools/call", json!({"name": tool, "arguments": arguments})).await;
        assert!(answer["error"].is_null(), "{tool}: {answer}");
        answer["result"].take()
    }

    /// The data of a tool that succeeds.
    pub(crate) async fn data(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, arguments).await;
        let envelope = &mut result["structuredContent"];
        assert_eq!(envelope["success"], true, "{tool}: {envelope}");
        envelope["data"].take()
    }

    /// The error of a tool that fails.
    pub(crate) async fn failure(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{tool}: {result}");
        error(&result)
    }

    /// The text of a tool that succeeds and answers with text alone.
    pub(crate) async fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_ne!(result["isError"], true, "{tool}: {result}");
        assert!(result["structuredContent"].is_null(), "{tool}: {result}");
        text(&result).to_owned()
    }

    /// Ends the input, and waits for the server to end; what it still said.
    pub(crate) async fn end(mut self) -> (Vec<Value>, Result<(), Error>) {
        if let Some(mut writer) = self.writer.take() {
            writer.shutdown().await.expect("the pipe is open");
        }
        let mut said = Vec::new();
        while let Some(message) = self.next().await {
            said.push(message);
        }
        (said, self.server.await.expect("the server does not panic"))
    }
}

fn meta(version: &str, name: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"},
    })
}

/// The error in a result, which is in its text whatever else it has.
pub(crate) fn error(result: &Value) -> Value {
    let mut envelope: Value = serde_json::from_str(text(result)).unwrap_or_default();
    assert_eq!(envelope["success"], false, "{result}");
    let structured = &result["structuredContent"];
    assert!(structured.is_null() || *structured == envelope, "{result}");
    envelope["error"].take()
}

/// The text of a result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("results begin with text")
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

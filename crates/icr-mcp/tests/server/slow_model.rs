//! A model on another machine that stops answering: calls are answered in their time without it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use icr_embed::remote::{Address, Provider, RemoteOptions};
use icr_engine::{
    Backend, EmbeddingOptions, Engine, ImpactRules, OpenOptions, PackBudgets, PackRules, SilentObserver, SyncOptions,
};
use icr_mcp::{Limits, Settings};
use icr_serve::{BaseRulesFinder, ConfiguredRepository, RepositoryAccess, TranscriptReader};
use serde_json::{Value, json};

use crate::client::{Client, Place, text};

/// Components of a vector: the fewest that a model may have.
const DIMS: u16 = 64;

/// A model that answers with the same vector until it is told to fall silent; it then holds its connections open.
fn model() -> (SocketAddr, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("the address that was bound");
    let is_silent = Arc::new(AtomicBool::new(false));
    let silent = Arc::clone(&is_silent);
    // Ends with the process: nothing tells it that the test is over.
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for connection in listener.incoming().flatten() {
            match silent.load(Ordering::SeqCst) {
                true => held.push(connection),
                false => answer(connection),
            }
        }
    });
    (address, is_silent)
}

fn answer(connection: TcpStream) {
    let mut reader = BufReader::new(connection);
    let mut length = 0;
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|bytes| bytes > 0) && !line.trim().is_empty() {
        let header = line.trim().to_ascii_lowercase();
        length = header.strip_prefix("content-length:").map_or(length, |value| value.trim().parse().expect("a length"));
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a whole request");
    let request: Value = serde_json::from_slice(&body).expect("a request in JSON");
    let texts = request["input"].as_array().map_or(0, Vec::len);
    let rows: Vec<Value> =
        (0..texts).map(|index| json!({"index": index, "embedding": vec![0.5; usize::from(DIMS)]})).collect();
    let answer = json!({"data": rows}).to_string();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.len());
    let _ = reader.into_inner().write_all(format!("{head}{answer}").as_bytes());
}

/// Settings of a server whose repository has been read whole by the model at `address`.
fn read_by(address: SocketAddr, place: &Place) -> Settings {
    let home = place.home();
    let address = Address::parse(&format!("http://{address}")).expect("an address");
    let remote = RemoteOptions::new(Provider::OpenAiCompatible, address, "slow", DIMS);
    let embedding = EmbeddingOptions {
        backend: Backend::Remote,
        model: "slow".to_owned(),
        remote: Some(remote),
        ..EmbeddingOptions::new(&home)
    };
    let options = OpenOptions { embedding, ..OpenOptions::new(place.fixture.root(), &home) };
    let engine = Engine::open(options).expect("a repository");
    engine.sync(&SyncOptions::default(), &SilentObserver).expect("nobody else writes");
    assert_eq!(engine.fill(None, &SilentObserver).expect("a store").gap, None);
    let limits = Limits {
        call: Duration::from_secs(2),
        pack: Duration::from_secs(2),
        rlm: Duration::from_secs(4),
        ..Limits::default()
    };
    let places = RepositoryAccess {
        open: Arc::new(move |_| {
            Ok(ConfiguredRepository {
                engine: engine.clone(),
                pack: PackRules::default(),
                budgets: PackBudgets::default(),
                final_results: 10,
                impact: ImpactRules::default(),
                catch_up: Duration::from_secs(1),
                watch: true,
                made_of: Vec::new(),
                before: BaseRulesFinder::new(|_| Ok(None)),
                transcripts: TranscriptReader::default(),
                run: icr_serve::RunRules::default(),
            })
        }),
        ..place.places()
    };
    Settings { places, limits, ..place.settings() }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_is_answered_without_a_model_that_does_not_answer() {
    let place = Place::new();
    let (address, is_silent) = model();
    let settings = tokio::task::block_in_place(|| read_by(address, &place));
    let mut client = Client::start(settings).await;
    let calls = [
        ("env_search", json!({"query": "validate a token", "scope": "repo"})),
        ("memory_pack", json!({"prompt": "validate a token", "mode": "pack"})),
        ("memory_pack", json!({"prompt": "validate a token", "mode": "rlm"})),
        (
            "rlm_map_reduce",
            json!({
                "task": "errors", "sources": ["src/errors.py"], "map_prompt": "{content}", "reduce_prompt": "{results}"
            }),
        ),
    ];
    is_silent.store(true, Ordering::SeqCst);
    for (tool, arguments) in calls {
        let id = client.begin("tools/call", json!({"name": tool, "arguments": arguments})).await;
        let answer = client.answer_to(id).await;
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{tool} {arguments}: {answer}");
        let is_about_the_model = |gap: &Value| gap["gap"] == "no_model" && gap["model"] == "slow";
        let gaps = result["structuredContent"]["provenance"]["gaps"].as_array();
        let is_said = match gaps {
            Some(gaps) => gaps.iter().any(is_about_the_model),
            None => text(result).lines().last().is_some_and(|last| last.contains("`slow`")),
        };
        assert!(tool == "rlm_map_reduce" || is_said, "{tool} {arguments}: {answer}");
    }
}

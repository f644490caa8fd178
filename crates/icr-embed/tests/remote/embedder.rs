//! Remote embedders against a server on this machine.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use crate::server::{PausedClock, Reply, Request, Server, cut_reply, reply};
use icr_embed::remote::{Address, Provider, RemoteEmbedder, RemoteOptions, Secret};
use icr_embed::{Embedder, Pooling};
use serde_json::{Value, json};

const KEY: &str = "sk-secret";

/// Each text's vector points along the axis of its length in bytes.
fn vectors(request: &Request) -> Value {
    let body: Value = serde_json::from_str(&request.body).expect("a request in JSON");
    let texts = body["input"].as_array().expect("a list of texts");
    let row = |(number, text): (usize, &Value)| {
        let mut vector = vec![0.0; 64];
        vector[text.as_str().expect("a text").len() % 64] = 2.0;
        json!({ "object": "embedding", "index": number, "embedding": vector })
    };
    // The last first: services promise no order.
    let rows: Vec<Value> = texts.iter().enumerate().map(row).rev().collect();
    json!({ "object": "list", "data": rows, "model": body["model"] })
}

fn answered(request: &Request) -> Reply {
    reply("200 OK", "Content-Type: application/json\r\n", vectors(request).to_string().as_bytes())
}

fn options(server: &Server) -> RemoteOptions {
    let address = Address::parse(&format!("{}/v1", server.url())).expect("an address");
    let mut options = RemoteOptions::new(Provider::OpenAiCompatible, address, "model-1", 64);
    options.api_key = Some(Secret::new(KEY).expect("a key"));
    options
}

/// The axis that each vector points along, or `-` for the zero vector.
fn axes(vectors: &[Vec<f32>]) -> Vec<String> {
    let axis = |vector: &Vec<f32>| vector.iter().position(|number| *number == 1.0);
    vectors.iter().map(|vector| axis(vector).map_or("-".to_owned(), |axis| axis.to_string())).collect()
}

/// Asks a question whose requests are answered by `answer`. Gives what came of it, how many requests it took, and the
/// milliseconds of the pauses between them.
fn ask(
    change: impl FnOnce(&mut RemoteOptions),
    answer: impl Fn(&Request, usize) -> Reply + Send + 'static,
) -> (String, usize, Vec<u128>) {
    let server = Server::new(answer);
    let clock = Arc::new(PausedClock::default());
    let mut options = options(&server);
    change(&mut options);
    let embedder = RemoteEmbedder::with_clock(options, Arc::clone(&clock) as _).expect("good options");
    let found = match embedder.question("what opens a file") {
        Ok(vector) => format!("axis {}", axes(&[vector])[0]),
        Err(error) => format!("{error} {error:?}").split(" Remote {").next().unwrap_or_default().to_owned(),
    };
    (server.without_port(&found), server.requests().len(), clock.pauses())
}

/// The error of a question that is asked once, behind the address.
#[track_caller]
fn check_refused(answer: impl Fn(&Request, usize) -> Reply + Send + 'static, expected: &str) {
    let (found, requests, pauses) = ask(|_| {}, answer);
    assert_eq!(found, format!("http://127.0.0.1:PORT/v1/embeddings: {expected}"));
    assert_eq!((requests, pauses), (1, vec![]));
}

#[test]
fn a_question_is_one_text_with_the_key() {
    let server = Server::new(|request, _| answered(request));
    let mut options = options(&server);
    options.query_prefix = "query: ".to_owned();
    let embedder = RemoteEmbedder::new(options).expect("good options");
    let vector = embedder.question("open").expect("an answer");
    assert_eq!((vector.len(), axes(&[vector])), (64, vec!["11".to_owned()]));
    let request = &server.requests()[0];
    assert_eq!(request.line, "POST /v1/embeddings");
    assert_eq!(request.header("authorization"), Some("Bearer sk-secret"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.body, r#"{"model":"model-1","input":["query: open"]}"#);
}

#[test]
fn voyage_is_told_which_side_a_text_is_on() {
    let server = Server::new(|request, _| answered(request));
    let mut options = options(&server);
    options.provider = Provider::Voyage;
    options.api_key = None;
    let embedder = RemoteEmbedder::new(options).expect("good options");
    embedder.question("open").expect("an answer");
    embedder.passages(&["fn open() {}"]).expect("an answer");
    let requests = server.requests();
    assert_eq!(requests[0].header("authorization"), None);
    let side = |request: &Request| serde_json::from_str::<Value>(&request.body).expect("JSON")["input_type"].clone();
    assert_eq!(requests.iter().map(side).collect::<Vec<_>>(), ["query", "document"]);
}

#[test]
fn passages_are_asked_in_batches_and_blank_ones_not_at_all() {
    let server = Server::new(|request, _| answered(request));
    let mut options = options(&server);
    options.batch = 2;
    let embedder = RemoteEmbedder::new(options).expect("good options");
    let found = embedder.passages(&["a", " \n", "ccc", "dddd", ""]).expect("answers");
    let found: Vec<String> = found.iter().map(|vectors| axes(vectors).join(" ")).collect();
    assert_eq!(found, ["1", "-", "3", "4", "-"]);
    let bodies: Vec<String> = server.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies, [r#"{"model":"model-1","input":["a","ccc"]}"#, r#"{"model":"model-1","input":["dddd"]}"#]);
    assert_eq!(embedder.passages(&[]).expect("nothing to ask"), Vec::<Vec<Vec<f32>>>::new());
    assert_eq!(axes(&[embedder.question(" ").expect("nothing to ask")]), ["-"]);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_long_passage_has_a_vector_for_each_window() {
    let server = Server::new(|request, _| answered(request));
    let mut options = options(&server);
    options.window = Some(32);
    options.passage_prefix = "passage: ".to_owned();
    let embedder = RemoteEmbedder::new(options).expect("good options");
    let long = "word ".repeat(20);
    let found = embedder.passages(&["short", &long]).expect("answers");
    assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
    // Of a question only the beginning counts: 60 of its 100 bytes.
    assert_eq!(axes(&[embedder.question(&long).expect("an answer")]), ["60"]);
    assert_eq!(embedder.descriptor().window, Some(32));
}

#[test]
fn requests_stay_below_the_tokens_that_a_provider_takes_at_once() {
    let server = Server::new(|request, _| answered(request));
    let mut options = options(&server);
    options.provider = Provider::Voyage;
    let embedder = RemoteEmbedder::new(options).expect("good options");
    // 120,000 tokens at two bytes each: two of these are too many, and one that is too long by itself goes alone.
    let (half, long) = ("a".repeat(130_000), "b".repeat(300_000));
    embedder.passages(&[&half, &half, &long, "c", "d"]).expect("answers");
    let lengths = server.requests().into_iter().map(|request| request.body.len() / 100_000);
    assert_eq!(lengths.collect::<Vec<_>>(), [1, 1, 3, 0]);
}

#[test]
fn the_descriptor_says_who_answers() {
    let server = Server::new(|request, _| answered(request));
    let mut options = options(&server);
    options.address = Address::parse("https://models.example/v1?key=sk-secret").expect("an address");
    options.ask_dims = true;
    let embedder = RemoteEmbedder::new(options.clone()).expect("good options");
    let descriptor = embedder.descriptor();
    assert_eq!((descriptor.name.as_str(), descriptor.dims, descriptor.pooling), ("model-1", 64, Pooling::Remote));
    assert_eq!(descriptor.revision, "openai https://models.example/v1/embeddings?…");
    assert!(!format!("{options:?}").contains(KEY), "{options:?}");
}

#[test]
fn what_passes_is_asked_again() {
    let slow_down = |request: &Request, number| match number {
        0 => reply("429 Too Many Requests", "Retry-After: 7\r\n", b""),
        1 => reply("503 Service Unavailable", "", b"overloaded"),
        2 => cut_reply("200 OK", "", b"{\"data\": [", 5),
        _ => answered(request),
    };
    // The pause that was asked for counts where it is longer than the own one.
    let (found, requests, pauses) = ask(|options| options.question_limit = Duration::from_secs(30), slow_down);
    assert_eq!((found.as_str(), requests, pauses), ("axis 17", 4, vec![7_000, 1_000, 2_000]));
}

#[test]
fn retries_end() {
    let broken =
        |_: &Request, _| reply("500 Internal Server Error", "", b"{\"error\":{\"message\":\"out of memory\"}}");
    let (found, requests, pauses) = ask(|_| {}, broken);
    let reason = "it answered 500 Internal Server Error, `out of memory` (asked 4 times)";
    assert_eq!(found, format!("http://127.0.0.1:PORT/v1/embeddings: {reason}"));
    assert_eq!((requests, pauses), (4, vec![500, 1_000, 2_000]));

    let (_, requests, pauses) = ask(|options| options.retries = 0, broken);
    assert_eq!((requests, pauses), (1, vec![]));
}

#[test]
fn a_question_is_not_asked_again_beyond_its_limit() {
    let slow_down = |_: &Request, _| reply("429 Too Many Requests", "Retry-After: 7\r\n", b"");
    let reason = "it answered 429 Too Many Requests; 5 s leave no time to ask again";
    check_refused(slow_down, reason);
    let tomorrow = |_: &Request, _| reply("429 Too Many Requests", "Retry-After: 86400\r\n", b"");
    check_refused(tomorrow, "it answered 429 Too Many Requests; it asks to wait for 86400 s");
}

#[test]
fn a_silent_server_is_left() {
    let (found, requests, _) = ask(|options| options.question_limit = Duration::from_millis(40), |_, _| Reply::Silence);
    let reason = "it did not answer within 0.04 s";
    assert_eq!((found, requests), (format!("http://127.0.0.1:PORT/v1/embeddings: {reason}"), 1));

    let server = Server::new(|_, _| Reply::Silence);
    let mut options = options(&server);
    options.batch_limit = Duration::from_millis(40);
    let embedder = RemoteEmbedder::new(options).expect("good options");
    let error = embedder.passages(&["a"]).expect_err("silence").to_string();
    assert!(error.ends_with("/v1/embeddings: it did not answer within 0.04 s"), "{error}");
}

#[test]
fn where_nothing_answers_it_is_said() {
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("the address that was bound")
    };
    let address = Address::parse(&format!("http://{address}")).expect("an address");
    let clock = Arc::new(PausedClock::default());
    let options = RemoteOptions::new(Provider::OpenAiCompatible, address, "model-1", 64);
    let embedder = RemoteEmbedder::with_clock(options, Arc::clone(&clock) as _).expect("good options");
    let error = embedder.question("open").expect_err("nobody is there").to_string();
    assert!(error.ends_with("/embeddings: nothing answers there (asked 4 times)"), "{error}");
    assert_eq!(clock.pauses(), [500, 1_000, 2_000]);
}

#[test]
fn nonsense_is_not_taken_for_an_answer() {
    let body = |body: &'static str| move |_: &Request, _| reply("200 OK", "", body.as_bytes());
    let right = "is this the address of an embeddings service?";
    check_refused(
        body("<html><title>Log in</title></html>"),
        &format!("it answered with a page of HTML (expected value at line 1 column 1); {right}"),
    );
    check_refused(
        body("ok"),
        &format!("it answered with what is not JSON (expected value at line 1 column 1); {right}"),
    );
    check_refused(
        body("\u{1f}\u{8b}"),
        &format!("it answered with what is not JSON (expected value at line 1 column 1); {right}"),
    );
    check_refused(body("{}"), "its answer has no list `data` of vectors");
    check_refused(body("{\"data\":[]}"), "it gave 0 vectors for 1 texts");
    check_refused(
        body("{\"data\":[{\"index\":0,\"embedding\":[1,2,3]}]}"),
        "it gave a vector of 3 numbers where 64 are configured; set the dimension to that, or ask for another model",
    );
}

#[test]
fn an_endless_answer_is_left() {
    // Said to be longer than anything that is read; what is sent of it stays small.
    let endless = |_: &Request, _| {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
        let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, " ".repeat(1 << 20));
        Reply::Bytes([head, &chunk.repeat(65)].concat().into_bytes())
    };
    check_refused(endless, "its answer is longer than 67108864 bytes");
}

#[test]
fn refusals_say_what_to_look_at_and_never_the_key() {
    check_refused(
        |request, _| {
            let words =
                format!("{{\"error\":{{\"message\":\"Incorrect key {}\"}}}}", request.header("authorization").unwrap());
            reply("401 Unauthorized", "", words.as_bytes())
        },
        "it answered 401 Unauthorized, `Incorrect key Bearer …`; is the API key set, and is it one of this service?",
    );
    // Where a long message is cut, no part of the key is left.
    check_refused(
        |_, _| reply("401 Unauthorized", "", format!("{} {KEY}{KEY}", "x".repeat(190)).as_bytes()),
        &format!(
            "it answered 401 Unauthorized, `{} …`; is the API key set, and is it one of this service?",
            "x".repeat(190)
        ),
    );
    check_refused(
        |_, _| reply("404 Not Found", "", b"<!doctype html><p>Not here"),
        "it answered 404 Not Found, `a page of HTML`; are the address and the name of the model right?",
    );
    check_refused(
        |_, _| reply("400 Bad Request", "", b"{\"detail\":\"input is too long\"}"),
        "it answered 400 Bad Request, `input is too long`; does the model read windows and batches of the configured size?",
    );
    check_refused(|_, _| reply("418 I'm a teapot", "", b""), "it answered 418 I'm a teapot");
}

#[test]
fn the_key_does_not_follow_to_another_place() {
    let other = Server::new(|request, _| answered(request));
    for status in ["301 Moved Permanently", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let to = format!("{}/v2/embeddings?token=t", other.url());
        let (found, requests, _) = ask(|_| {}, move |_, _| reply(status, &format!("Location: {to}\r\n"), b""));
        let found = other.without_port(&found);
        let reason = format!(
            "it answered {status} and leads to http://127.0.0.1:PORT/v2/embeddings?…, where nothing was sent; set the \
             address to that if it is right"
        );
        assert_eq!(found, format!("http://127.0.0.1:PORT/v1/embeddings: {reason}"));
        assert_eq!(requests, 1);
    }
    assert_eq!(other.requests().len(), 0);
}

/// What is wrong with options that `change` makes.
#[track_caller]
fn check_options(change: impl FnOnce(&mut RemoteOptions), expected: &str) {
    let address = Address::parse("https://models.example").expect("an address");
    let mut options = RemoteOptions::new(Provider::OpenAiCompatible, address, "model-1", 64);
    change(&mut options);
    let found = RemoteEmbedder::new(options).err().map(|error| error.to_string()).unwrap_or_default();
    assert_eq!(found, expected);
}

#[test]
fn options_have_bounds() {
    check_options(|_| {}, "");
    check_options(|o| o.model.clear(), "the remote model: it has no name; set the one that the service knows");
    check_options(|o| o.dims = 63, "the dimension: it is 63; it can be 64 to 4096");
    check_options(|o| o.dims = 4_097, "the dimension: it is 4097; it can be 64 to 4096");
    check_options(|o| o.batch = 0, "the batch size: it is 0; it can be 1 to 2048");
    check_options(|o| o.retries = 11, "the number of retries: it is 11; it can be 0 to 10");
    check_options(|o| o.window = Some(31), "the window: it is 31 model tokens; it can be 32 or more");
    check_options(
        |o| o.question_limit = Duration::ZERO,
        "the limit of a question: it is 0 s; it can be more than 0 and up to 300 s",
    );
    check_options(
        |o| o.batch_limit = Duration::from_secs(301),
        "the limit of a batch: it is 301 s; it can be more than 0 and up to 300 s",
    );
}

#[test]
fn another_machine_is_not_asked_without_encryption_unless_allowed() {
    let plain = |o: &mut RemoteOptions| o.address = Address::parse("http://models.example/v1").expect("an address");
    check_options(
        plain,
        "http://models.example/v1: texts and keys would go to another machine without encryption; use `https`, or allow \
         plain HTTP",
    );
    check_options(
        |o| {
            plain(o);
            o.plain_http = true;
        },
        "",
    );
}

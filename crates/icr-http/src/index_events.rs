//! Indexing on demand, with how far it is as a stream of events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Query, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use icr_engine::{Observer, SyncOptions};
use icr_model::even_after_panic;
use icr_serve::{CallFailure, Code, STACK_BYTES};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;

use crate::answer::{failed, failure_json};
use crate::questions::ServerState;

/// Path of indexing.
pub(crate) const INDEX_PATH: &str = "/api/index";

/// Shortest time between two progress events.
const TICK: Duration = Duration::from_millis(200);

/// Events that wait for a slow reader. Further progress events are dropped, which does no harm.
const WAITING_MOST: usize = 16;

/// Which repository.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IndexEventsInput {
    repo: Option<String>,
}

pub(crate) fn routes(server: Arc<ServerState>) -> Router {
    Router::new().route(INDEX_PATH, post(index)).with_state(server)
}

/// Completes the index of a repository and streams events: `progress` with `done` and `total`, then one `done` with the
/// report, or one `error`. If the reader disconnects, indexing continues.
async fn index(State(server): State<Arc<ServerState>>, Query(input): Query<IndexEventsInput>) -> Response {
    let (sender, receiver) = mpsc::channel(WAITING_MOST);
    let thread = std::thread::Builder::new().name("index".to_owned()).stack_size(STACK_BYTES);
    let spawned = thread.spawn(move || {
        let event = match sync(&server, input.repo.as_deref(), &sender) {
            Ok(report) => Event::default().event("done").data(report),
            Err(failure) => Event::default().event("error").data(failure_json(failure).to_string()),
        };
        // The reader may be gone.
        let _ = sender.blocking_send(event);
    });
    if let Err(error) = spawned {
        return failed(CallFailure::new(Code::ServiceUnavailable, format!("no thread can be started: {error}")));
    }
    let events = Events(receiver);
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

fn sync(server: &ServerState, named: Option<&str>, sender: &mpsc::Sender<Event>) -> Result<String, CallFailure> {
    if server.settings.read_only {
        return Err(CallFailure::new(Code::ServiceUnavailable, "this server was started read-only: it writes nothing"));
    }
    let place = named.map(|named| server.directory_of(named)).transpose()?;
    let repository = server.settings.workshop.repositories().get(place.as_deref())?;
    let told = ProgressEvents { sender: sender.clone(), last: std::sync::Mutex::new(None) };
    let report = repository.engine().sync(&SyncOptions::default(), &told)?;
    serde_json::to_string(&report)
        .map_err(|error| CallFailure::new(Code::InternalError, format!("the report cannot be written: {error}")))
}

/// Sends the events to the reader.
struct ProgressEvents {
    sender: mpsc::Sender<Event>,
    last: std::sync::Mutex<Option<Instant>>,
}

impl Observer for ProgressEvents {
    fn progress(&self, done: u64, total: u64) {
        let mut last = even_after_panic(self.last.lock());
        if last.is_some_and(|last| last.elapsed() < TICK) && done < total {
            return;
        }
        *last = Some(Instant::now());
        let event = Event::default().event("progress").data(json!({ "done": done, "total": total }).to_string());
        // A slow reader misses some events.
        let _ = self.sender.try_send(event);
    }
}

/// Events as they come.
struct Events(mpsc::Receiver<Event>);

impl futures_core::Stream for Events {
    type Item = Result<Event, Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}

//! Connections: their number, their idle time, and how they end.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use icr_model::even_after_panic;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tower_service::Service;

/// Most connections at once. A browser opens six to a host, an agent one.
const CONNECTIONS_MOST: usize = 256;

/// Time limit for receiving the head of a request, also for an idle connection before its next request. Reconnecting
/// after it takes less time than a person notices, and it is short for clients that keep many connections open.
const HEAD_WITHIN: Duration = Duration::from_secs(10);

/// Bytes of the head of a request, at most: the longest question with room to spare.
const HEAD_BYTES_MOST: usize = 64 << 10;

/// Headers of a request, at most.
const HEADERS_MOST: usize = 100;

/// How long running requests may continue after the server was told to stop.
const DRAIN: Duration = Duration::from_secs(3);

/// Pause before accepting again after the system refused. It is out of file descriptors, but usually only for a moment.
const AFTER_REFUSAL: Duration = Duration::from_millis(100);

/// Whether a connection has ever sent an authorised request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trust(Arc<AtomicBool>);

impl Trust {
    pub(crate) fn earn(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_earned(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Open connections, the oldest first.
#[derive(Debug, Default)]
struct OpenConnections {
    connections: Mutex<VecDeque<(u64, Trust, AbortHandle)>>,
    numbers: AtomicU64,
}

/// Serves connections until `stop`, then for as long as requests are being answered, 3 s at most.
pub(crate) async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    let open = Arc::new(OpenConnections::default());
    let (ending, ended) = watch::channel(false);
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => open.begin(stream, router.clone(), ended.clone()),
                Err(error) => {
                    tracing::debug!(%error, "no connection is accepted");
                    tokio::time::sleep(AFTER_REFUSAL).await;
                }
            },
        }
    }
    drop((listener, ended));
    ending.send_replace(true);
    let _ = tokio::time::timeout(DRAIN, ending.closed()).await;
    open.end();
}

impl OpenConnections {
    /// Serves a connection on a new task. If there are too many connections, the oldest one without an authorised
    /// request is closed; if there is none, the new one is.
    fn begin(self: &Arc<Self>, stream: TcpStream, router: Router, ended: watch::Receiver<bool>) {
        let mut connections = even_after_panic(self.connections.lock());
        if connections.len() >= CONNECTIONS_MOST {
            let Some(at) = connections.iter().position(|(_, trust, _)| !trust.is_earned()) else { return };
            if let Some((_, _, stranger)) = connections.remove(at) {
                stranger.abort();
            }
        }
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let (open, trust) = (Arc::clone(self), Trust::default());
        let serving = serve_connection(stream, router, trust.clone(), ended);
        let task = tokio::spawn(async move {
            serving.await;
            even_after_panic(open.connections.lock()).retain(|(other, ..)| *other != number);
        });
        connections.push_back((number, trust, task.abort_handle()));
    }

    fn end(&self) {
        even_after_panic(self.connections.lock()).drain(..).for_each(|(_, _, task)| task.abort());
    }
}

async fn serve_connection(stream: TcpStream, router: Router, trust: Trust, mut ended: watch::Receiver<bool>) {
    // Answers are small, and each is waited for.
    let _ = stream.set_nodelay(true);
    let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
        let mut request: Request = request.map(Body::new);
        request.extensions_mut().insert(trust.clone());
        router.clone().call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .max_buf_size(HEAD_BYTES_MOST)
        .max_headers(HEADERS_MOST)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = has_ended(&mut ended) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended early");
    }
}

async fn has_ended(ended: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone, which also ends serving.
    let _ = ended.wait_for(|ended| *ended).await;
}

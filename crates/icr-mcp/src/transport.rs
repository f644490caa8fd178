//! Lines in and out, as the protocol wants them, and when there are no more.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, Chain};
use tokio::sync::watch;

/// A last line without an end is a line too.
const LINE_END: &[u8] = b"\n";

/// A transport that tells when the input has ended, and does not begin with what is no request.
pub(crate) struct Lines<R: AsyncRead, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, Chain<R, &'static [u8]>, W>,
    ended: watch::Sender<bool>,
    silent: Arc<AtomicBool>,
    /// A request has chosen the lifecycle.
    has_begun: bool,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(reader: R, writer: W) -> Self {
        let inner = AsyncRwTransport::new(reader.chain(LINE_END), writer);
        Self { inner, ended: watch::Sender::new(false), silent: Arc::default(), has_begun: false }
    }

    /// Becomes true at the end of input.
    pub(crate) fn ended(&self) -> watch::Receiver<bool> {
        self.ended.subscribe()
    }

    /// What, once it is true, keeps all further messages back.
    pub(crate) fn silence(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.silent)
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let silent = Arc::clone(&self.silent);
        let sending = self.inner.send(item);
        async move {
            if silent.load(Ordering::Relaxed) {
                return Err(io::Error::new(io::ErrorKind::NotConnected, "the server has ended"));
            }
            sending.await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(message) = self.inner.receive().await else {
                self.ended.send_replace(true);
                return None;
            };
            // A notification or an answer before the first request is about an earlier server: it is no reason to end this one.
            if self.has_begun || matches!(message, JsonRpcMessage::Request(_)) {
                self.has_begun |= begins(&message);
                return Some(message);
            }
            tracing::debug!("a message before the first request is passed over");
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// Whether a message chooses the lifecycle; discovery and pings leave that open.
fn begins(message: &ClientJsonRpcMessage) -> bool {
    match message {
        JsonRpcMessage::Request(request) => {
            !matches!(request.request, ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_))
        }
        _ => false,
    }
}

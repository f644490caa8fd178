//! Lines in and out, as the protocol wants them, and when there are no more.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, Chain, DuplexStream};
use tokio::sync::watch;

/// A last line without an end is a line too.
const LINE_END: &[u8] = b"\n";

/// Input that is read before anybody can make use of it: as much as the longest line that is taken.
const READ_AHEAD_BYTES: usize = 16 << 20;

/// What `reader` has, and what becomes true when it has no more. That is seen at once, also while an answer cannot be written
/// because its reader has stopped.
pub(crate) fn ahead(mut reader: impl AsyncRead + Send + Unpin + 'static) -> (DuplexStream, watch::Receiver<bool>) {
    let (mut near, far) = tokio::io::duplex(READ_AHEAD_BYTES);
    let (ended, at_end) = watch::channel(false);
    tokio::spawn(async move {
        if let Err(error) = tokio::io::copy(&mut reader, &mut near).await {
            tracing::debug!(%error, "the input cannot be read any more");
        }
        ended.send_replace(true);
    });
    (far, at_end)
}

/// A transport that does not begin with what is no request, and can be silenced.
pub(crate) struct Lines<R: AsyncRead, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, Chain<R, &'static [u8]>, W>,
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
        Self { inner, silent: Arc::default(), has_begun: false }
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
            let message = self.inner.receive().await?;
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

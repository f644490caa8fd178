//! Messages in and out, as the protocol wants them, and when there are no more.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, GetMeta, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, DuplexStream};
use tokio::sync::{Mutex, watch};

use crate::lines::{LINE_BYTES_MOST, Line, LineReader};
use crate::message::{Refusal, message_of};
use crate::message_id::MessageId;

/// Input that is read before anybody can make use of it: as much as the longest line that is taken.
const READ_AHEAD_BYTES: usize = LINE_BYTES_MOST;

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

/// Messages in lines. A request gets an answer whatever it is: what is no message, or comes before a handshake that it needs, is
/// refused here.
pub(crate) struct Connection<R, W> {
    lines: LineReader<R>,
    output: Output<W>,
    /// Requests need not say which revision they are of any more.
    has_shaken_hands: bool,
    /// A refusal that is being written. It is kept here because nobody may drop it half written.
    refusing: Option<Writing>,
}

type Writing = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

impl<R, W> Connection<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(reader: R, writer: W) -> Self {
        let output = Output { writer: Arc::new(Mutex::new(Some(writer))), is_silent: Arc::default() };
        Self { lines: LineReader::new(reader), output, has_shaken_hands: false, refusing: None }
    }

    /// What, once it is true, keeps all further messages back.
    pub(crate) fn silence(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.output.is_silent)
    }

    /// The message in a line, if it is one that may come now.
    fn read(&mut self, line: Line) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong { id, bytes_total } => return Err(Refusal::too_long(id, bytes_total)),
        };
        let message = message_of(&line)?;
        if let Some(JsonRpcMessage::Request(request)) = &message {
            self.has_shaken_hands |= matches!(request.request, ClientRequest::InitializeRequest(_));
            if !self.has_shaken_hands && needs_handshake(&request.request) {
                let problem = "the request is of no revision: send `initialize` first, or \
                    `io.modelcontextprotocol/protocolVersion` and `io.modelcontextprotocol/clientCapabilities` in its `_meta`";
                return Err(Refusal::new(MessageId::of(&line), ErrorCode::INVALID_PARAMS, problem));
            }
        }
        Ok(message)
    }
}

/// Whether a request may come only after `initialize`: it does not say itself which revision it is of.
fn needs_handshake(request: &ClientRequest) -> bool {
    let is_before_it = matches!(request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_));
    !is_before_it && request.get_meta().protocol_version().is_none()
}

impl<R, W> Transport<RoleServer> for Connection<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.output.clone().write(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusing) = &mut self.refusing {
                if let Err(error) = refusing.await {
                    tracing::debug!(%error, "a refusal cannot be written");
                }
                self.refusing = None;
            }
            let line = match self.lines.next().await {
                Ok(line) => line?,
                Err(error) => {
                    tracing::debug!(%error, "the input cannot be read any more");
                    return None;
                }
            };
            match self.read(line) {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(refusal) => {
                    tracing::debug!(?refusal, "a line is refused");
                    self.refusing = Some(Box::pin(self.output.clone().write_line(refusal.message().into_bytes())));
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        drop(self.output.writer.lock().await.take());
        Ok(())
    }
}

/// Where messages go, one at a time.
struct Output<W> {
    /// `None` once the connection is closed.
    writer: Arc<Mutex<Option<W>>>,
    is_silent: Arc<AtomicBool>,
}

impl<W> Clone for Output<W> {
    fn clone(&self) -> Self {
        Self { writer: Arc::clone(&self.writer), is_silent: Arc::clone(&self.is_silent) }
    }
}

impl<W: AsyncWrite + Send + Unpin> Output<W> {
    async fn write(self, message: impl Serialize + Send) -> io::Result<()> {
        self.write_line(serde_json::to_vec(&message)?).await
    }

    /// Writes a message that is JSON already.
    async fn write_line(self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let mut writer = self.writer.lock().await;
        let Some(writer) = writer.as_mut().filter(|_| !self.is_silent.load(Ordering::Relaxed)) else {
            return Err(io::Error::new(io::ErrorKind::NotConnected, "the server has ended"));
        };
        writer.write_all(&line).await?;
        writer.flush().await
    }
}

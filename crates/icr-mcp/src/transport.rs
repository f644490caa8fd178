//! Reads and writes messages of the protocol, and detects the end of the input.

use std::collections::HashSet;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use icr_model::even_after_panic;
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, GetMeta, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream};
use tokio::sync::{Mutex, watch};

use crate::kept_input::{INTERRUPTED, KeptInput, KeptLine};
use crate::lines::{InputLine, LINE_BYTES_MOST, LineReader};
use crate::message::{Refusal, message_of};
use crate::message_id::MessageId;
use crate::table::{Tool, find};

/// Bytes of input that are read before they can be used: as many as the longest accepted line.
const READ_AHEAD_BYTES: usize = LINE_BYTES_MOST;

/// Bytes read at a time: at least as many as the standard library buffers of standard input, since that buffer could
/// not be handed over.
const READ_BYTES: usize = 8 << 10;

/// The input of `reader`, and a flag that becomes true at its end. The end is seen at once, even while an answer cannot
/// be written because the client does not read. The bytes are recorded as kept input.
pub(crate) fn read_ahead(
    mut reader: impl AsyncRead + Send + Unpin + 'static,
    kept: Arc<KeptInput>,
) -> (DuplexStream, watch::Receiver<bool>) {
    let (mut near, far) = tokio::io::duplex(READ_AHEAD_BYTES);
    let (ended, at_end) = watch::channel(false);
    tokio::spawn(async move {
        let mut bytes = vec![0; READ_BYTES];
        let copied: io::Result<()> = async {
            loop {
                let count = reader.read(&mut bytes).await?;
                if count == 0 {
                    return Ok(());
                }
                kept.read(&bytes[..count]);
                near.write_all(&bytes[..count]).await?;
            }
        }
        .await;
        if let Err(error) = copied {
            tracing::debug!(%error, "the input cannot be read any more");
        }
        ended.send_replace(true);
    });
    (far, at_end)
}

/// A connection with one message a line. Every request gets an answer: an invalid message, or one that needs a
/// handshake first, is refused here.
pub(crate) struct Connection<R, W> {
    lines: LineReader<R>,
    output: Output<W>,
    /// From now on requests need not name their revision.
    has_shaken_hands: bool,
    /// A refusal that is being written. It is stored here so that it is not dropped half-written.
    refusing: Option<Writing>,
}

type Writing = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

impl<R, W> Connection<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// `kept` must contain what `reader` gives. Answered messages are removed from it.
    pub(crate) fn new(reader: R, writer: W, kept: Arc<KeptInput>) -> Self {
        let writer = Arc::new(Mutex::new(Some(writer)));
        let output = Output { writer, is_silent: Arc::default(), unanswered: UnansweredIds::default(), kept };
        Self { lines: LineReader::new(reader), output, has_shaken_hands: false, refusing: None }
    }

    /// A flag: while it is true, no further messages are written.
    pub(crate) fn silent_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.output.is_silent)
    }

    /// The message in a line, if it is valid at this point.
    fn read(&mut self, line: InputLine) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
        let line = match line {
            InputLine::Whole(line) => line,
            InputLine::TooLong { id, bytes_total } => {
                let bytes = usize::try_from(bytes_total).unwrap_or(usize::MAX).saturating_add(1);
                self.output.kept.consume_line(b"", bytes, KeptLine::Other);
                return Err(Refusal::too_long(id, bytes_total));
            }
        };
        let message = message_of(&line);
        let id = message.as_ref().ok().and_then(Option::as_ref).and_then(id_of);
        let id = id.as_deref().unwrap_or_default();
        // The library keeps requests by their ids, and would answer only one of them.
        let is_id_in_use =
            matches!(message, Ok(Some(JsonRpcMessage::Request(_)))) && self.output.unanswered.contains(id);
        let what = match &message {
            Ok(Some(message)) if !is_id_in_use => kept_line(message, id),
            _ => KeptLine::Other,
        };
        self.output.kept.consume_line(&line, line.len() + 1, what);
        if let KeptLine::Cancelled(id) = what {
            self.output.unanswered.remove(id);
        }
        if is_id_in_use {
            return Err(Refusal::id_in_use(MessageId::of(&line)));
        }
        let message = message?;
        if let Some(JsonRpcMessage::Request(request)) = &message {
            self.has_shaken_hands |= matches!(request.request, ClientRequest::InitializeRequest(_));
            if !self.has_shaken_hands && needs_handshake(&request.request) {
                let problem = "the request is of no revision: send `initialize` first, or \
                    `io.modelcontextprotocol/protocolVersion` and `io.modelcontextprotocol/clientCapabilities` in its `_meta`";
                return Err(Refusal::new(MessageId::of(&line), ErrorCode::INVALID_PARAMS, problem));
            }
            self.output.unanswered.insert(id);
        }
        Ok(message)
    }
}

/// The id of a client's message, or the id that it refers to, as JSON.
fn id_of(message: &ClientJsonRpcMessage) -> Option<String> {
    let id = match message {
        JsonRpcMessage::Request(request) => &request.id,
        JsonRpcMessage::Notification(notification) => match &notification.notification {
            ClientNotification::CancelledNotification(cancelled) => cancelled.params.request_id.as_ref()?,
            _ => return None,
        },
        _ => return None,
    };
    serde_json::to_string(id).ok()
}

/// The role of a message in the kept input; `id` is its id.
fn kept_line<'a>(message: &ClientJsonRpcMessage, id: &'a str) -> KeptLine<'a> {
    match message {
        JsonRpcMessage::Request(request) => match &request.request {
            ClientRequest::InitializeRequest(_) => KeptLine::Handshake(id),
            ClientRequest::CallToolRequest(call)
                if find(&call.params.name).is_some_and(Tool::differs_when_repeated) =>
            {
                KeptLine::Once(id)
            }
            _ => KeptLine::Request(id),
        },
        JsonRpcMessage::Notification(notification) => match notification.notification {
            ClientNotification::InitializedNotification(_) => KeptLine::Initialized,
            ClientNotification::CancelledNotification(_) => KeptLine::Cancelled(id),
            _ => KeptLine::Other,
        },
        _ => KeptLine::Other,
    }
}

/// The id of the request that a message of the server answers, as JSON.
fn answered_id(message: &TxJsonRpcMessage<RoleServer>) -> Option<String> {
    match message {
        JsonRpcMessage::Response(response) => serde_json::to_string(&response.id).ok(),
        JsonRpcMessage::Error(error) => serde_json::to_string(&error.id).ok(),
        _ => None,
    }
}

/// Whether a request needs `initialize` first, because it does not name its revision.
fn needs_handshake(request: &ClientRequest) -> bool {
    let is_before_it = match request {
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => true,
        ClientRequest::CustomRequest(custom) => custom.method == INTERRUPTED,
        _ => false,
    };
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
                    self.refusing = Some(Box::pin(
                        self.output.clone().write_line(refusal.message().into_bytes(), refusal.answered_id()),
                    ));
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        drop(self.output.writer.lock().await.take());
        Ok(())
    }
}

/// Writes messages, one at a time.
struct Output<W> {
    /// `None` once the connection is closed.
    writer: Arc<Mutex<Option<W>>>,
    is_silent: Arc<AtomicBool>,
    unanswered: UnansweredIds,
    kept: Arc<KeptInput>,
}

impl<W> Clone for Output<W> {
    fn clone(&self) -> Self {
        let Self { writer, is_silent, unanswered, kept } = self;
        Self {
            writer: Arc::clone(writer),
            is_silent: Arc::clone(is_silent),
            unanswered: unanswered.clone(),
            kept: Arc::clone(kept),
        }
    }
}

/// Ids, as JSON, of the requests that are neither answered nor cancelled. A clone shares them.
#[derive(Clone, Default)]
struct UnansweredIds(Arc<std::sync::Mutex<HashSet<String>>>);

impl UnansweredIds {
    fn contains(&self, id: &str) -> bool {
        even_after_panic(self.0.lock()).contains(id)
    }

    fn insert(&self, id: &str) {
        even_after_panic(self.0.lock()).insert(id.to_owned());
    }

    fn remove(&self, id: &str) {
        even_after_panic(self.0.lock()).remove(id);
    }
}

impl<W: AsyncWrite + Send + Unpin> Output<W> {
    async fn write(self, message: TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        let id = answered_id(&message);
        if let Some(id) = &id {
            self.unanswered.remove(id);
        }
        self.write_line(serde_json::to_vec(&message)?, id).await
    }

    /// Writes a message that is already JSON. `id` is the request that it answers, if any.
    async fn write_line(self, mut line: Vec<u8>, id: Option<String>) -> io::Result<()> {
        line.push(b'\n');
        let mut writer = self.writer.lock().await;
        let Some(writer) = writer.as_mut().filter(|_| !self.is_silent.load(Ordering::Relaxed)) else {
            return Err(io::Error::new(io::ErrorKind::NotConnected, "the server has ended"));
        };
        let id = id.as_deref();
        if !self.kept.begin_write(id) {
            return Ok(());
        }
        let written = async {
            writer.write_all(&line).await?;
            writer.flush().await
        };
        let written = written.await;
        self.kept.end_write(id);
        written
    }
}

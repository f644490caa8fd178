//! Running a server until its client goes away.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use icr_serve::STACK_BYTES;
use rmcp::service::{QuitReason, serve_directly};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

use crate::kept_input::KeptInput;
use crate::server::Server;
use crate::settings::Settings;
use crate::transport::{Connection, ahead};
use crate::work::Calls;

/// Threads that read and write messages; calls are worked on elsewhere.
const MESSAGE_THREADS: usize = 2;

/// Why a server ended otherwise than by the end of its input.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system did not give what a server needs.
    #[error("cannot start the server: {0}")]
    Start(#[source] io::Error),
    /// What reads and writes messages has met a bug of its own.
    #[error("the connection to the client failed: {0}")]
    Connection(String),
}

/// Answers a client on standard input and output until the input ends, after what a server before it has left `unanswered`. Writes nothing else
/// there. `kept` is made of `unanswered`, and always has what is read and not answered.
///
/// When the input has ended, answers to calls that were read are still written, as far as they are there within
/// [`crate::Limits::drain`]. Threads that go on then are left behind, so that a process should end.
///
/// # Errors
///
/// [`Error::Start`] when there are no threads to be had; those of [`serve`].
pub fn serve_stdio(settings: Settings, unanswered: Vec<u8>, kept: Arc<KeptInput>) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(MESSAGE_THREADS)
        .thread_stack_size(STACK_BYTES)
        .enable_time()
        .build()
        .map_err(Error::Start)?;
    let input = io::Cursor::new(unanswered).chain(tokio::io::stdin());
    let served = runtime.block_on(serve_kept(settings, input, tokio::io::stdout(), kept));
    // Calls that were given up may still be at work.
    runtime.shutdown_background();
    served
}

/// Answers one client until `reader` ends, each request in the revision of the protocol that it is of.
///
/// Needs a tokio runtime with time. Calls are worked on by its threads for blocking work.
///
/// # Errors
///
/// [`Error::Connection`] when handling messages panics. The end of input is no error, whenever it comes, nor is a client that does
/// not read.
pub async fn serve<R, W>(settings: Settings, reader: R, writer: W) -> Result<(), Error>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    serve_kept(settings, reader, writer, Arc::default()).await
}

/// As [`serve`]; `kept` has what is read and not answered.
async fn serve_kept<R, W>(settings: Settings, reader: R, writer: W, kept: Arc<KeptInput>) -> Result<(), Error>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let drain = settings.limits.drain;
    let (reader, mut ended) = ahead(reader, Arc::clone(&kept));
    let connection = Connection::new(reader, writer, kept);
    let silence = connection.silence();
    let server = Server::new(settings);
    server.calls.open_socket();
    let _socket = CloseOnDrop(Arc::clone(&server.calls));
    let serving = async {
        // Without a handshake of the library's own, which would settle the revision for all later messages.
        match serve_directly(server, connection, None).waiting().await {
            Ok(QuitReason::JoinError(error)) | Err(error) => Err(Error::Connection(error.to_string())),
            Ok(_) => Ok(()),
        }
    };
    let drained = async {
        // An error says that nobody reads any more, which is an end too.
        let _ = ended.wait_for(|ended| *ended).await;
        tokio::time::sleep(drain).await;
        // Calls that are given up with the server have no answer, not even that they were.
        silence.store(true, Ordering::Relaxed);
    };
    tokio::select! {
        served = serving => served,
        () = drained => Ok(()),
    }
}

/// Closes the local socket with the server, however that ends.
struct CloseOnDrop(Arc<Calls>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close_socket();
    }
}

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
use crate::transport::{Connection, read_ahead};
use crate::work::Calls;

/// Threads that read and write messages. Calls run on other threads.
const MESSAGE_THREADS: usize = 2;

/// Why a server ended otherwise than by the end of its input.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system has no resources for a server.
    #[error("cannot start the server: {0}")]
    Start(#[source] io::Error),
    /// The task that reads and writes messages panicked.
    #[error("the connection to the client failed: {0}")]
    Connection(String),
}

/// Serves a client on standard input and output until the input ends. Begins with `unanswered`, the input that an
/// earlier server left. Writes nothing else to standard output. `kept` must be made from `unanswered`; it always holds
/// the input that is read but not answered.
///
/// After the end of the input, answers to calls that were already read are still written if they are ready within
/// [`crate::Limits::drain`]. Threads that run longer are left behind, so the process should end.
///
/// # Errors
///
/// [`Error::Start`] if the system has no threads; errors of [`serve`].
pub fn serve_stdio(settings: Settings, unanswered: Vec<u8>, kept: Arc<KeptInput>) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(MESSAGE_THREADS)
        .thread_stack_size(STACK_BYTES)
        .enable_time()
        .build()
        .map_err(Error::Start)?;
    let input = io::Cursor::new(unanswered).chain(tokio::io::stdin());
    let served = runtime.block_on(serve_kept(settings, input, tokio::io::stdout(), kept));
    // Cancelled calls may still be running.
    runtime.shutdown_background();
    served
}

/// Serves one client until `reader` ends. Each request is answered in its own revision of the protocol.
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

/// As [`serve`]; `kept` holds the input that is read but not answered.
async fn serve_kept<R, W>(settings: Settings, reader: R, writer: W, kept: Arc<KeptInput>) -> Result<(), Error>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let drain = settings.limits.drain;
    let (reader, mut ended) = read_ahead(reader, Arc::clone(&kept));
    let connection = Connection::new(reader, writer, kept);
    let is_silent = connection.silent_flag();
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
        // Calls that are cancelled because the server ends get no answer, not even an error.
        is_silent.store(true, Ordering::Relaxed);
    };
    tokio::select! {
        served = serving => served,
        () = drained => Ok(()),
    }
}

/// Closes the local socket when the server ends, however it ends.
struct CloseOnDrop(Arc<Calls>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close_socket();
    }
}

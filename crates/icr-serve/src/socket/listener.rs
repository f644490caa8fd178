//! The listening side: one process at a time for each repository, one request for each connection.

use std::fs::File;
use std::io;
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use icr_engine::Deadline;
use icr_model::even_after_panic;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{AtFlags, Mode, OFlags};

use super::line::{SocketDeadline, SocketLine, read_line, request_of, response_line, write_all};
use super::socket_directory::{OpenPlaceError, SOCKET_MODE, SocketDirectory, is_own_peer, is_repo_id, stream_socket};
use super::{Handler, LINE_BYTES_MOST, ListenError, RequestError, Response, WORK_MOST};
use crate::{Error, STACK_BYTES};

/// Most connections at once; further ones are closed. Each has a thread; more agents hardly ever ask at the same
/// moment.
const CONNECTIONS: usize = 8;

/// Connections that may wait to be accepted; further clients are refused and see nobody listening.
const BACKLOG: i32 = 64;

/// Time limit for receiving a request and for sending its answer. A client writes at once and waits for the answer.
const TRANSFER_MOST: Duration = Duration::from_secs(1);

/// Pause before accepting again when the system has no resources for a connection.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// The place of a process at the socket of a repository: it listens, or waits until the process that listens ends.
/// Dropping the value ends both.
#[derive(Debug)]
pub struct Socket {
    shared: Arc<ListenerState>,
    /// The thread that listens or waits for its turn.
    thread: Option<JoinHandle<()>>,
}

impl Socket {
    /// Listens at `run/<repo id>.sock` in `home` if no process does; otherwise as soon as the listening process ends,
    /// however it ends. `handler` runs on separate threads with [`STACK_BYTES`] of stack, at most eight. If it panics,
    /// the client gets an error.
    ///
    /// A socket file that was left behind is replaced. Costs one thread, which sleeps while nobody asks.
    ///
    /// # Errors
    ///
    /// [`ListenError`]: a file or directory there does not belong to the user, cannot be made or locked, or has a path
    /// too long for a socket on a system that has no way around that (Linux has one). Then there is no socket;
    /// everything else still works.
    pub fn listen(home: &Path, repo_id: &str, handler: Handler) -> Result<Self, ListenError> {
        if !is_repo_id(repo_id) {
            return Err(ListenError::RepoId { repo_id: repo_id.to_owned() });
        }
        let path = home.join("run");
        let place = SocketDirectory::make(home, repo_id).map_err(|error| match error {
            OpenPlaceError::Untrusted(untrusted) => ListenError::Untrusted(untrusted),
            OpenPlaceError::Io(source) => ListenError::Io { path, doing: "making the directory", source },
        })?;
        let failed = |doing| {
            let path = place.socket_path();
            move |source| ListenError::Io { path, doing, source }
        };
        let lock = lock_file(&place).map_err(failed("opening the lock"))?;
        let (wake, woken) = UnixStream::pair().map_err(failed("making a pair of sockets"))?;
        wake.set_nonblocking(true).map_err(failed("making a pair of sockets"))?;
        let shared = Arc::new(ListenerState::new(handler, wake));
        let is_first = match lock.try_lock() {
            Ok(()) => true,
            Err(std::fs::TryLockError::WouldBlock) => false,
            Err(std::fs::TryLockError::Error(source)) => return Err(failed("locking")(source)),
        };
        let first = is_first.then(|| BoundSocket::new(&place)).transpose().map_err(failed("binding the socket"))?;
        let no_thread = failed("starting a thread");
        let of_thread = Arc::clone(&shared);
        shared.has_turn.store(is_first, Ordering::SeqCst);
        shared.is_listening.store(is_first, Ordering::Release);
        let thread = std::thread::Builder::new().name("local socket".to_owned()).spawn(move || {
            // Bound before it is dropped: the socket is gone before another process gets the lock.
            let locked = SocketLock(lock);
            match first.map_or_else(|| wait_for_turn(&of_thread, &locked, &place), |bound| Ok(Some(bound))) {
                Ok(None) => {}
                Ok(Some(bound)) => {
                    of_thread.is_listening.store(true, Ordering::Release);
                    serve(&of_thread, &bound.listener, &woken);
                    of_thread.is_listening.store(false, Ordering::Release);
                    bound.remove(&place);
                }
                Err(error) => {
                    tracing::warn!(%error, path = %place.socket_path().display(), "cannot take over the local socket");
                }
            }
        });
        let thread = thread.map_err(no_thread)?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Whether this process is the one that listens; false while it waits for its turn.
    pub fn is_listening(&self) -> bool {
        self.shared.is_listening.load(Ordering::Acquire)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.shared.stop();
        if let Some(thread) = self.thread.take()
            && self.shared.has_turn.load(Ordering::SeqCst)
        {
            // Joining is quick: handlers are cancelled but not waited for. A thread that still waits for its turn is
            // not joined; it ends when it gets its turn.
            let _ = thread.join();
        }
    }
}

/// State shared by the threads of a socket.
struct ListenerState {
    handler: Handler,
    is_stopped: AtomicBool,
    /// Whether the lock is held. It is stored before `is_stopped` is read, and `is_stopped` is stored before this is
    /// read, so one of the two sides always sees the other.
    has_turn: AtomicBool,
    is_listening: AtomicBool,
    /// Connections that have a thread.
    connections: AtomicUsize,
    /// Requests that are being worked on.
    working: Mutex<Working>,
    /// Writing a byte here wakes the listening thread.
    wake: UnixStream,
}

#[derive(Debug, Default)]
struct Working {
    last_number: u64,
    requests: Vec<(u64, Arc<UnixStream>, Deadline)>,
}

impl std::fmt::Debug for ListenerState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("is_listening", &self.is_listening).finish_non_exhaustive()
    }
}

impl ListenerState {
    fn new(handler: Handler, wake: UnixStream) -> Self {
        Self {
            handler,
            is_stopped: AtomicBool::new(false),
            has_turn: AtomicBool::new(false),
            is_listening: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
            working: Mutex::default(),
            wake,
        }
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::SeqCst)
    }

    fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        for (_, stream, deadline) in &self.working().requests {
            deadline.cancel();
            let _ = stream.shutdown(Shutdown::Both);
        }
        self.wake();
    }

    fn wake(&self) {
        // A full pipe wakes the thread as well.
        let _ = io::Write::write(&mut &self.wake, &[0]);
    }

    fn working(&self) -> MutexGuard<'_, Working> {
        even_after_panic(self.working.lock())
    }
}

/// The lock of the socket. It is unlocked explicitly when dropped, because closing the file may not be enough: a
/// process that another thread is just starting holds a copy of the descriptor until it executes its program.
struct SocketLock(File);

impl Drop for SocketLock {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

fn lock_file(place: &SocketDirectory) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = rustix::fs::openat(place.directory(), place.lock_name(), flags, Mode::RUSR | Mode::WUSR)?;
    Ok(File::from(file))
}

/// Waits until the listening process ends, then listens; `None` if the socket was closed meanwhile.
fn wait_for_turn(
    shared: &ListenerState,
    locked: &SocketLock,
    place: &SocketDirectory,
) -> io::Result<Option<BoundSocket>> {
    loop {
        match locked.0.lock() {
            Ok(()) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    shared.has_turn.store(true, Ordering::SeqCst);
    if shared.is_stopped() { Ok(None) } else { BoundSocket::new(place).map(Some) }
}

/// A socket with its file.
struct BoundSocket {
    listener: UnixListener,
    /// Device and number of the file.
    file: (u64, u64),
}

impl BoundSocket {
    /// Replaces the socket file of a process that was killed. Only the holder of the lock does this.
    fn new(place: &SocketDirectory) -> io::Result<Self> {
        let name = place.socket_name();
        match rustix::fs::unlinkat(place.directory(), &name, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        let socket = stream_socket()?;
        // On Linux the file gets the rights of the socket. Elsewhere it gets them here; nobody else can enter the
        // directory.
        #[cfg(target_os = "linux")]
        rustix::fs::fchmod(&socket, SOCKET_MODE)?;
        rustix::net::bind(&socket, &place.address()?)?;
        rustix::fs::chmodat(place.directory(), &name, SOCKET_MODE, AtFlags::empty())?;
        rustix::net::listen(&socket, BACKLOG)?;
        let listener = UnixListener::from(socket);
        listener.set_nonblocking(true)?;
        let file = place.socket().ok().flatten().map(|stat| (stat.st_dev, stat.st_ino));
        let file = file.ok_or_else(|| io::Error::other("the socket is not where it was made"))?;
        Ok(Self { listener, file })
    }

    /// Removes the file, unless another process has replaced it.
    fn remove(&self, place: &SocketDirectory) {
        if let Ok(Some(stat)) = place.socket()
            && (stat.st_dev, stat.st_ino) == self.file
        {
            let _ = rustix::fs::unlinkat(place.directory(), place.socket_name(), AtFlags::empty());
        }
    }
}

/// Accepts connections, and cancels work for clients that have gone. Sleeps while nothing happens.
fn serve(shared: &Arc<ListenerState>, listener: &UnixListener, mut woken: &UnixStream) {
    let mut pauses = false;
    while !shared.is_stopped() {
        let working: Vec<(u64, Arc<UnixStream>)> =
            shared.working().requests.iter().map(|(number, stream, _)| (*number, Arc::clone(stream))).collect();
        let mut polled = vec![PollFd::new(woken, PollFlags::IN)];
        // For running requests, only the end of the connection is of interest.
        polled.extend(working.iter().map(|(_, stream)| PollFd::new(stream, PollFlags::empty())));
        if !pauses {
            polled.push(PollFd::new(listener, PollFlags::IN));
        }
        match poll(&mut polled, pauses.then_some(&PAUSE)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => {
                tracing::warn!(%error, "the local socket ends");
                return;
            }
        }
        let mut happened = polled.iter().map(|polled| !polled.revents().is_empty());
        if happened.next() == Some(true) {
            let _ = io::Read::read(&mut woken, &mut [0; 64]);
        }
        for ((number, _), has_ended) in working.iter().zip(&mut happened) {
            if has_ended {
                give_up(shared, *number);
            }
        }
        pauses = happened.next() == Some(true) && !take(shared, listener);
    }
}

/// Ends the work on a request whose connection has ended.
fn give_up(shared: &ListenerState, number: u64) {
    let mut working = shared.working();
    if let Some(at) = working.requests.iter().position(|(of, ..)| *of == number) {
        let (_, _, deadline) = working.requests.swap_remove(at);
        deadline.cancel();
    }
}

/// Accepts a connection. Returns whether the system has resources for further ones.
fn take(shared: &Arc<ListenerState>, listener: &UnixListener) -> bool {
    let stream = match listener.accept() {
        Ok((stream, _)) => stream,
        // The client has already gone.
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => return true,
        Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => return true,
        Err(error) => {
            tracing::debug!(%error, "no connection can be taken");
            return false;
        }
    };
    if !is_own_peer(&stream) || shared.connections.load(Ordering::Acquire) >= CONNECTIONS {
        return true;
    }
    shared.connections.fetch_add(1, Ordering::AcqRel);
    let place = ConnectionSlot(Arc::clone(shared));
    let thread = std::thread::Builder::new().name("local request".to_owned()).stack_size(STACK_BYTES);
    // Without a thread, the closure is dropped and with it the connection.
    thread.spawn(move || answer(&place.0, stream)).is_ok()
}

/// Counts a connection until it is dropped.
struct ConnectionSlot(Arc<ListenerState>);

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Answers the one request of a connection. A client that sends no complete request in time gets no answer.
fn answer(shared: &Arc<ListenerState>, stream: UnixStream) {
    let stream = Arc::new(stream);
    // On some systems, accepted connections inherit the non-blocking mode of the listener.
    let response =
        stream.set_nonblocking(false).and_then(|()| read_line(&stream, SocketDeadline::after(TRANSFER_MOST)));
    let response = response.ok().and_then(|line| response_to(shared, &stream, line));
    if let Some(response) = response {
        // The client may have gone.
        let _ = write_all(&stream, &response_line(response), SocketDeadline::after(TRANSFER_MOST));
    }
    // The listening thread may still hold a copy of the connection.
    let _ = stream.shutdown(Shutdown::Both);
}

/// The answer to a line; none to an empty connection.
fn response_to(shared: &Arc<ListenerState>, stream: &Arc<UnixStream>, line: SocketLine) -> Option<Response> {
    let bad = |code, message: String| Some(Err(RequestError::new(code, message)));
    let line = match line {
        SocketLine::Whole(line) => line,
        SocketLine::Half(line) if line.is_empty() => return None,
        SocketLine::Half(_) => return bad(RequestError::BAD_REQUEST, "the line of the request has no end".to_owned()),
        SocketLine::TooLong => {
            return bad(RequestError::TOO_LONG, format!("the request is longer than {LINE_BYTES_MOST} bytes"));
        }
    };
    let (request, within) = match request_of(&line) {
        Ok(read) => read,
        Err(error) => return Some(Err(error)),
    };
    let deadline = Deadline::after(within.min(WORK_MOST));
    let _at_work = AtWork::begin(shared, stream, &deadline);
    let handled =
        catch_unwind(AssertUnwindSafe(|| deadline.run_interruptible(|| (shared.handler)(&request, &deadline))));
    Some(handled.unwrap_or_else(|payload| {
        let message = Error::panicked(payload.as_ref()).to_string();
        Err(RequestError::new(RequestError::PANICKED, message))
    }))
}

/// A running request. It is cancelled when its connection ends, until this is dropped.
struct AtWork<'a> {
    shared: &'a ListenerState,
    number: u64,
}

impl<'a> AtWork<'a> {
    fn begin(shared: &'a ListenerState, stream: &Arc<UnixStream>, deadline: &Deadline) -> Self {
        let number = {
            let mut working = shared.working();
            working.last_number += 1;
            let number = working.last_number;
            working.requests.push((number, Arc::clone(stream), deadline.clone()));
            number
        };
        if shared.is_stopped() {
            deadline.cancel();
        }
        shared.wake();
        Self { shared, number }
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.shared.working().requests.retain(|(number, ..)| *number != self.number);
    }
}

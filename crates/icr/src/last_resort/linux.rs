//! As Linux does it.

use std::cell::UnsafeCell;
use std::collections::BTreeSet;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::fmt;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStringExt;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use icr_engine::{TextId, ThreadReading};

use super::{INPUT, ReplayableInput};
use crate::environment;

/// Names the process that it is about, which another one that inherits the variable is not, and texts that ended processes in its place, each as often as it
/// did, as sixteen hexadecimal digits and a comma.
const STRIKES: &str = "ICR_LAST_RESORT_TEXTS";

/// The number of an open file with what a server did not answer.
const UNANSWERED: &str = "ICR_LAST_RESORT_INPUT";

/// Digits of a text, and the comma.
const STRIKE_BYTES: usize = 17;

/// How often a text ends a process before no grammar reads it: a signal that somebody sent is not the text's fault.
const STRIKES_OUT: usize = 2;

/// Strikes after which a process does not begin again: a clone with so many texts of the kind means to end it.
const STRIKES_MOST: usize = 64;

/// How Linux names a file in memory that is called `icr` (memfd_create(2)).
const MEMORY_FILE: &str = "/memfd:icr";

/// The first open file that is none of the three that every process has.
const FIRST_FILE: c_uint = 3;

/// What a crash, a failed assertion or an allocation without memory sends.
const SIGNALS: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];

/// Processor time on one text that is an endless loop: the worst of thousands of texts made to be slow took seven seconds.
const ENDLESS: Duration = Duration::from_secs(60);

/// How often the time of threads is looked at.
const LOOK: Duration = Duration::from_secs(10);

/// How often an answer that is being written is looked at again, a millisecond apart.
const LOOKS_AT_WRITES: u32 = 1_000;

/// All that a handler needs to execute the program anew: it may neither allocate nor wait for a lock.
struct Restart {
    arguments: Vec<*const c_char>,
    /// The environment of this process with two more variables, whose text stands in `strikes` and `unanswered`.
    environment: Vec<*const c_char>,
    strikes: Text,
    unanswered: Text,
    /// The directory that the process was started in.
    directory: c_int,
    /// What signals did before.
    before: [libc::sigaction; SIGNALS.len()],
}

/// A C string of a fixed length that the one thread writes which begins the process again.
struct Text {
    bytes: &'static [UnsafeCell<u8>],
    length: UnsafeCell<usize>,
    /// What stays of it for another try.
    begin: usize,
}

// SAFETY: the pointers are to what is never freed, and `Text`s are written by the thread alone that sets `IS_BEGUN`.
unsafe impl Send for Restart {}
// SAFETY: as for `Send`.
unsafe impl Sync for Restart {}

static RESTART: OnceLock<Restart> = OnceLock::new();

/// Whether a thread is about to begin the process again.
static IS_BEGUN: AtomicBool = AtomicBool::new(false);

impl Text {
    /// `begin`, with room for so many bytes more and the end of the string.
    fn with_room(begin: &str, room: usize) -> Self {
        let bytes: Box<[_]> = begin.bytes().chain(std::iter::repeat_n(0, room + 1)).map(UnsafeCell::new).collect();
        Self { bytes: Box::leak(bytes), length: UnsafeCell::new(begin.len()), begin: begin.len() }
    }

    fn as_ptr(&self) -> *const c_char {
        self.bytes.as_ptr().cast()
    }

    /// Takes away what was added.
    ///
    /// # Safety
    ///
    /// No other thread writes at the same time.
    unsafe fn cut(&self) {
        // SAFETY: nobody else writes, as the caller promises.
        unsafe {
            *self.length.get() = self.begin;
            self.bytes[self.begin..].iter().for_each(|byte| *byte.get() = 0);
        }
    }

    /// Adds `text`, as far as there is room. Numbers are written without memory of their own, so that a handler may.
    ///
    /// # Safety
    ///
    /// No other thread does so at the same time.
    unsafe fn push(&self, text: fmt::Arguments<'_>) {
        /// The text, which nobody else writes.
        struct TextAppender<'a>(&'a Text);

        impl fmt::Write for TextAppender<'_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                let Self(Text { bytes, length, .. }) = self;
                // SAFETY: nobody else writes, as the caller of `push` promises, and nobody reads before the text is handed to the system.
                let length = unsafe { &mut *length.get() };
                if *length + text.len() >= bytes.len() {
                    return Err(fmt::Error);
                }
                for byte in text.bytes() {
                    // SAFETY: as above.
                    unsafe { *bytes[*length].get() = byte };
                    *length += 1;
                }
                Ok(())
            }
        }

        let _ = fmt::Write::write_fmt(&mut TextAppender(self), text);
    }
}

pub(super) fn install() {
    let known = strikes();
    let out = known.iter().filter(|text| known.iter().filter(|other| other == text).count() >= STRIKES_OUT);
    let out: BTreeSet<TextId> = out.copied().collect();
    icr_engine::give_up_on(out);
    if known.len() >= STRIKES_MOST {
        return;
    }
    let Ok(directory) =
        rustix::fs::open(".", rustix::fs::OFlags::PATH | rustix::fs::OFlags::CLOEXEC, rustix::fs::Mode::empty())
    else {
        return;
    };
    // Nothing of this is ever given back: a handler may want it at any time.
    let leaked = |text: Vec<u8>| CString::new(text).ok().map(|text| text.into_raw().cast_const());
    let end = [ptr::null()];
    let arguments: Vec<_> =
        environment::arguments().into_iter().filter_map(|argument| leaked(argument.into_vec())).collect();
    let kept = environment::all().into_iter().filter(|(name, _)| name != STRIKES && name != UNANSWERED);
    let variables =
        kept.filter_map(|(name, value)| leaked([name.into_vec(), b"=".to_vec(), value.into_vec()].concat()));
    let known: String = known.iter().map(|text| format!("{text:016x},")).collect();
    let strikes = Text::with_room(&format!("{STRIKES}={}:{known}", std::process::id()), STRIKES_OUT * STRIKE_BYTES);
    let unanswered = Text::with_room(&format!("{UNANSWERED}="), 10);
    let environment = variables.chain([strikes.as_ptr(), unanswered.as_ptr()]).chain(end).collect();
    let mut restart = Restart {
        arguments: arguments.into_iter().chain(end).collect(),
        environment,
        strikes,
        unanswered,
        directory: std::os::fd::IntoRawFd::into_raw_fd(directory),
        // SAFETY: a `sigaction` is numbers and a pointer, for which zeros are right.
        before: unsafe { MaybeUninit::zeroed().assume_init() },
    };
    let mut ours: libc::sigaction = restart.before[0];
    ours.sa_sigaction = handle as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
    // On the stack that the standard library gives each thread for its own handler: the usual one may be what overflowed.
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // A handler that goes wrong itself ends the process, and does not wait for itself.
    // SAFETY: there is room for a set of signals.
    unsafe { libc::sigfillset(&raw mut ours.sa_mask) };
    for (signal, before) in SIGNALS.into_iter().zip(&mut restart.before) {
        // SAFETY: `before` has room for an action.
        unsafe { libc::sigaction(signal, ptr::null(), before) };
    }
    if RESTART.set(restart).is_ok() {
        for signal in SIGNALS {
            // SAFETY: the handler does only what handlers may, and finds what it needs in `RESTART`.
            unsafe { libc::sigaction(signal, &raw const ours, ptr::null_mut()) };
        }
        icr_engine::observe_readings(|| {
            drop(std::thread::Builder::new().name("last resort".to_owned()).spawn(look_for_endless))
        });
    }
}

/// Texts that ended processes in this one's place, as often as they did.
fn strikes() -> Vec<TextId> {
    let strikes = environment::variable(STRIKES).and_then(|text| text.into_string().ok()).unwrap_or_default();
    let own = strikes.strip_prefix(&format!("{}:", std::process::id())).unwrap_or_default();
    own.split(',').filter_map(|text| TextId::from_str_radix(text, 16).ok()).collect()
}

pub(super) fn report_restart() {
    let times = strikes().len();
    if times > 0 {
        tracing::warn!(
            times,
            "reading a file ended icr, which began again; a file that does so twice is read as plain text"
        );
    }
}

pub(super) fn unanswered_input() -> Vec<u8> {
    let number = environment::variable(UNANSWERED).and_then(|number| number.to_str()?.parse::<c_int>().ok());
    let path = number.map(|number| std::path::PathBuf::from(format!("/proc/self/fd/{number}")));
    // Whoever inherits the variable has no such file.
    let is_ours = |path: &std::path::PathBuf| {
        std::fs::read_link(path).is_ok_and(|link| link.to_string_lossy().starts_with(MEMORY_FILE))
    };
    let text = path.filter(is_ours).and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
    if let Some(number) = number.filter(|_| !text.is_empty()) {
        // SAFETY: the process before this one in its place opened it, and nobody else knows of it.
        unsafe { libc::close(number) };
    }
    text
}

/// Begins the process again if the thread was reading a text; else does what was done before.
extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    if let Some(text) = icr_engine::text_of_this_thread() {
        begin_again(&[text]);
    }
    let before = RESTART.get().zip(SIGNALS.iter().position(|known| *known == signal));
    if let Some((restart, at)) = before {
        // SAFETY: the action is what `sigaction` said, and the system gives a handler its information. What crashed crashes again behind this handler;
        // what somebody sent, which has no positive code, is sent again.
        unsafe {
            libc::sigaction(signal, &raw const restart.before[at], ptr::null_mut());
            if (*info).si_code <= 0 {
                libc::raise(signal);
            }
        }
    }
}

/// Executes the program anew, with these texts named. Comes back only where that cannot be. It must not be called on a thread that holds LMDB's lock
/// of writers: who executes a program keeps it. Threads that read texts hold none.
fn begin_again(texts: &[TextId]) {
    let Some(restart) = RESTART.get() else { return };
    while IS_BEGUN.swap(true, Ordering::SeqCst) {
        // Another thread is about to, which ends this one.
        pause();
    }
    execute(restart, texts);
    IS_BEGUN.store(false, Ordering::SeqCst);
}

/// As [`begin_again`], in one thread at a time.
fn execute(restart: &Restart, texts: &[TextId]) {
    // SAFETY: `IS_BEGUN` lets one thread through.
    unsafe {
        restart.strikes.cut();
        restart.unanswered.cut();
    }
    let (mut _held, mut handed_over) = (None, None);
    for text in texts {
        // SAFETY: as above.
        unsafe { restart.strikes.push(format_args!("{text:016x},")) };
    }
    match INPUT.get() {
        None => {}
        Some(ReplayableInput::Whole(bytes)) => {
            let Some(file) = file_of(&mut |write| write(bytes)) else { return };
            // SAFETY: both are numbers of open files, and the first is needed no more.
            let is_input = unsafe { libc::dup2(file, libc::STDIN_FILENO) >= 0 };
            // SAFETY: as above.
            unsafe { libc::close(file) };
            if !is_input {
                return;
            }
        }
        Some(ReplayableInput::Served(kept)) => {
            let mut looks = 0;
            let mut wait = || {
                pause();
                looks += 1;
                looks < LOOKS_AT_WRITES
            };
            let file = file_of(&mut |write| _held = kept.hold(&mut wait, write));
            let Some(file) = file else { return };
            if _held.is_none() {
                // SAFETY: the file was just opened.
                unsafe { libc::close(file) };
                return;
            }
            // SAFETY: as above.
            unsafe { restart.unanswered.push(format_args!("{file}")) };
            handed_over = Some(file);
        }
    }
    // SAFETY: all pointers are to C strings and lists with an end, none of which is ever freed. Files of libraries that would stay open in the new
    // process are closed by it. The signals that this thread holds back would be held back there too; those that wait are dropped before.
    unsafe {
        libc::syscall(libc::SYS_close_range, FIRST_FILE, c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
        if let Some(file) = handed_over {
            libc::fcntl(file, libc::F_SETFD, 0);
        }
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        for disposition in [libc::SIG_IGN, libc::SIG_DFL] {
            action.sa_sigaction = disposition;
            for signal in SIGNALS {
                libc::sigaction(signal, &raw const action, ptr::null_mut());
            }
            let mut none = MaybeUninit::<libc::sigset_t>::uninit();
            libc::sigemptyset(none.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
        }
        libc::fchdir(restart.directory);
        libc::execve(c"/proc/self/exe".as_ptr(), restart.arguments.as_ptr(), restart.environment.as_ptr());
    }
}

/// Waits for a millisecond, as a handler may.
fn pause() {
    // SAFETY: no descriptors are waited for.
    unsafe { libc::poll(ptr::null_mut(), 0, 1) };
}

/// Where pieces of a file are given.
type Write<'a> = &'a mut dyn FnMut(&[u8]);

/// An open file in memory, at its begin, with what `fill` writes. It stays open in the process to come.
fn file_of(fill: &mut dyn FnMut(Write<'_>)) -> Option<c_int> {
    // SAFETY: the name is a C string.
    let file = unsafe { libc::memfd_create(c"icr".as_ptr(), 0) };
    let mut is_whole = file >= 0;
    fill(&mut |mut bytes| {
        while is_whole && !bytes.is_empty() {
            // SAFETY: the bytes are there, and the number is that of an open file.
            let written = unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(written) {
                Ok(written @ 1..) => bytes = &bytes[written..],
                _ => is_whole = false,
            }
        }
    });
    // SAFETY: the number is that of an open file, or is refused.
    if is_whole && unsafe { libc::lseek(file, 0, libc::SEEK_SET) } == 0 {
        return Some(file);
    }
    // SAFETY: as above.
    unsafe { libc::close(file) };
    None
}

/// Looks at the threads that read, for ever, and begins the process again where one reads a text without end.
fn look_for_endless() {
    let mut before: Vec<(ThreadReading, Duration)> = Vec::new();
    loop {
        std::thread::park_timeout(LOOK);
        let now = icr_engine::reading_threads().into_iter();
        before = now
            .filter_map(|reading| {
                let since = before.iter().find(|(known, _)| *known == reading).map(|(_, since)| *since);
                let spent = processor_time(reading.thread)?;
                if since.is_some_and(|since| spent.saturating_sub(since) >= ENDLESS) {
                    // No signal that somebody sent, so that once is enough.
                    begin_again(&[reading.text; STRIKES_OUT]);
                }
                Some((reading, since.unwrap_or(spent)))
            })
            .collect();
    }
}

/// Processor time that a thread of this process has had (proc(5), `schedstat`).
fn processor_time(thread: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

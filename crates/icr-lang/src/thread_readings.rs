//! Records which text each thread reads, for a process that must continue after a text ended it.
//!
//! Grammars are C code: an unforeseen text may crash one, or keep it busy forever. The code that watches over the
//! process ([`observe_readings`]) can find out which text it was, even in a signal handler. It passes the text to the
//! next process ([`give_up_on`]), which then reads it as text without a grammar.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError, Weak};

/// Identifies a text by its bytes, within one build of the program; never 0.
pub type TextId = u64;

/// A thread that is reading a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadReading {
    /// The thread id that Linux gives; 0 on other systems.
    pub thread: u32,
    /// The text.
    pub text: TextId,
    /// Number of texts that the thread has begun to read, including this one.
    pub count: u64,
}

static OBSERVER: OnceLock<fn()> = OnceLock::new();
static IS_OBSERVED: Once = Once::new();
static GIVEN_UP: OnceLock<BTreeSet<TextId>> = OnceLock::new();
static THREADS: Mutex<Vec<Weak<ReadingSlot>>> = Mutex::new(Vec::new());

/// The place where a thread records what it reads.
#[derive(Debug, Default)]
struct ReadingSlot {
    thread: u32,
    text: AtomicU64,
    count: AtomicU64,
}

thread_local! {
    /// The text that this thread reads, 0 for none. It has no initializer and no destructor, so a signal handler may
    /// read it.
    static TEXT: Cell<TextId> = const { Cell::new(0) };
    static PLACE: OnceCell<Arc<ReadingSlot>> = const { OnceCell::new() };
}

/// From now on, threads record what they read. Each thread calls `begin` once, before the first text that it reads.
/// Costs a pass over each text that is parsed, at a gigabyte per second.
pub fn observe_readings(begin: fn()) {
    let _ = OBSERVER.set(begin);
}

/// From now on, no grammar reads these texts. Must be called once, before anything is read.
pub fn give_up_on(texts: BTreeSet<TextId>) {
    let _ = GIVEN_UP.set(texts);
}

/// The text that the calling thread is reading. May be called in a signal handler.
pub fn text_of_this_thread() -> Option<TextId> {
    TEXT.try_with(Cell::get).ok().filter(|text| *text != 0)
}

/// All threads that are reading a text now.
pub fn reading_threads() -> Vec<ThreadReading> {
    let mut places = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    places.retain(|place| place.strong_count() > 0);
    let places = places.iter().filter_map(Weak::upgrade);
    places
        .map(|place| ThreadReading {
            thread: place.thread,
            text: place.text.load(Ordering::Relaxed),
            count: place.count.load(Ordering::Relaxed),
        })
        .filter(|reading| reading.text != 0)
        .collect()
}

/// Whether no grammar is to read `text`.
pub(crate) fn is_given_up(text: &[u8]) -> bool {
    GIVEN_UP.get().is_some_and(|given_up| !given_up.is_empty() && given_up.contains(&id_of(text)))
}

fn id_of(text: &[u8]) -> TextId {
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    hasher.finish().max(1)
}

/// Marks that this thread reads a text, until it is dropped. Such marks may be nested.
#[derive(Debug)]
pub(crate) struct ReadingGuard {
    /// The text that the thread read before; `None` when nobody observes.
    before: Option<TextId>,
    /// Not `Send`: it belongs to the thread that created it.
    of_thread: PhantomData<*const ()>,
}

impl ReadingGuard {
    pub(crate) fn of(text: &[u8]) -> Self {
        let before = OBSERVER.get().map(|begin| {
            IS_OBSERVED.call_once(begin);
            replace_current_text(id_of(text))
        });
        Self { before, of_thread: PhantomData }
    }
}

impl Drop for ReadingGuard {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            replace_current_text(before);
        }
    }
}

/// Records what this thread reads, and returns what it read before.
fn replace_current_text(text: TextId) -> TextId {
    PLACE.with(|place| {
        let place = place.get_or_init(|| {
            let place = Arc::new(ReadingSlot { thread: thread_number(), ..ReadingSlot::default() });
            THREADS.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&place));
            place
        });
        place.count.fetch_add(1, Ordering::Relaxed);
        place.text.store(text, Ordering::Relaxed);
    });
    TEXT.replace(text)
}

/// The id from the target of `/proc/thread-self`: `1234/task/1240`.
fn thread_number() -> u32 {
    let link = std::fs::read_link("/proc/thread-self").unwrap_or_default();
    link.file_name().and_then(|name| name.to_str()?.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_says_what_it_reads_while_it_does() {
        observe_readings(|| {});
        let outer = ReadingGuard::of(b"one");
        let one = text_of_this_thread();
        let inner = ReadingGuard::of(b"two");
        let two = text_of_this_thread();
        assert!(one.is_some() && two.is_some() && one != two);
        assert!(reading_threads().iter().any(|reading| Some(reading.text) == two));
        drop(inner);
        assert_eq!(text_of_this_thread(), one);
        drop(outer);
        assert_eq!(text_of_this_thread(), None);
        assert_eq!(std::thread::spawn(text_of_this_thread).join().unwrap(), None);
    }
}

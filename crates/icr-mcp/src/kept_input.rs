//! What a server has read and not answered, for a process that begins again in its place.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use crate::lines::LINE_BYTES_MOST;

/// Most bytes of unanswered requests; a server that has more is not restarted.
const KEPT_MOST: usize = 2 * LINE_BYTES_MOST;

/// Most bytes of read-ahead input that are kept; while a line is longer, a server is not restarted.
const AHEAD_MOST: usize = 1 << 20;

/// Input that a server has read but not answered, and the handshake, on which later requests rely. A signal handler
/// reads it by [`KeptInput::hold`]; another server that gets it can continue.
#[derive(Debug, Default)]
pub struct KeptInput(Mutex<InputState>);

#[derive(Debug, Default)]
struct InputState {
    /// The lines of `initialize` and of its follow-up messages.
    handshake: Vec<u8>,
    /// Unanswered requests: their ids as JSON, and their lines.
    waiting: Vec<(String, Vec<u8>)>,
    /// Bytes that were read but not consumed; not complete if there were too many at once.
    ahead: VecDeque<u8>,
    /// Bytes that were read but not consumed, and are missing in `ahead`.
    lost: usize,
    /// Number of answers that are being written.
    writes: usize,
    /// The id of `handshake` until it is answered.
    unanswered_handshake: Option<String>,
    /// Id of a handshake whose answer the client already has.
    answered_handshake: Option<String>,
    /// Bytes of `waiting`.
    waiting_bytes: usize,
}

impl InputState {
    /// Drops the first request with this id. Returns whether there was one.
    fn forget(&mut self, id: &str) -> bool {
        let Some(at) = self.waiting.iter().position(|(known, _)| known == id) else { return false };
        let (_, line) = self.waiting.remove(at);
        self.waiting_bytes -= line.len();
        true
    }
}

/// A lock on the kept input: while it lives, nothing is written and nothing is consumed.
#[derive(Debug)]
pub struct HeldInput<'a>(#[expect(dead_code, reason = "it is held")] MutexGuard<'a, InputState>);

/// Method of the message that tells the next process about a call that must not be repeated.
pub(crate) const INTERRUPTED: &str = "icr/interrupted";

/// The role of a line in the kept input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptLine<'a> {
    /// The handshake, with this id.
    Handshake(&'a str),
    /// A further message of the handshake, which has no answer.
    Initialized,
    /// A request with this id.
    Request(&'a str),
    /// A request with this id that does something else when it is repeated.
    Once(&'a str),
    /// The client has cancelled the request with this id.
    Cancelled(&'a str),
    /// Anything else.
    Other,
}

impl KeptInput {
    /// For a server that continues after another one. `unanswered` is the input that the other one had not answered.
    pub fn going_on(unanswered: &[u8]) -> Self {
        // If the handshake is still unanswered, a blank line comes before it.
        let first = unanswered.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let first: serde_json::Value = serde_json::from_slice(first).unwrap_or_default();
        let answered_handshake = (first["method"] == "initialize").then(|| first["id"].to_string());
        Self(Mutex::new(InputState { answered_handshake, ..InputState::default() }))
    }

    /// Passes everything to `write`, in an order that can be read again, and blocks changes until the returned lock is
    /// dropped. While an answer is being written it calls `wait` and repeats, as long as `wait` returns true. `None` if
    /// the wait was not long enough or there is too much input; the server must not be restarted then.
    ///
    /// Does not allocate or block, so a signal handler may call it.
    pub fn hold(&self, wait: &mut dyn FnMut() -> bool, write: &mut dyn FnMut(&[u8])) -> Option<HeldInput<'_>> {
        let kept = loop {
            match self.0.try_lock() {
                Ok(kept) if kept.writes == 0 => break kept,
                Err(TryLockError::Poisoned(_)) => return None,
                Ok(_) | Err(TryLockError::WouldBlock) => {}
            }
            if !wait() {
                return None;
            }
        };
        if kept.waiting_bytes > KEPT_MOST || kept.lost > 0 {
            return None;
        }
        // The blank line tells the next process that the handshake is still unanswered.
        if kept.unanswered_handshake.is_some() || kept.handshake.is_empty() {
            write(b"\n");
        }
        write(&kept.handshake);
        for (_, line) in &kept.waiting {
            write(line);
            write(b"\n");
        }
        let (one, other) = kept.ahead.as_slices();
        write(one);
        write(other);
        Some(HeldInput(kept))
    }

    /// Records that bytes were read.
    pub(crate) fn read(&self, bytes: &[u8]) {
        let mut kept = self.lock_state();
        if kept.lost > 0 || kept.ahead.len() + bytes.len() > AHEAD_MOST {
            kept.lost += kept.ahead.len() + bytes.len();
            kept.ahead = VecDeque::new();
        } else {
            kept.ahead.extend(bytes);
        }
    }

    /// Records that the next line, which has `bytes` bytes with its end, was consumed.
    pub(crate) fn consume_line(&self, line: &[u8], bytes: usize, what: KeptLine<'_>) {
        let mut kept = self.lock_state();
        kept.lost = kept.lost.saturating_sub(bytes);
        let bytes = bytes.min(kept.ahead.len());
        kept.ahead.drain(..bytes);
        match what {
            KeptLine::Handshake(id) => {
                kept.handshake = [line, b"\n"].concat();
                let is_answered = kept.answered_handshake.as_deref() == Some(id);
                kept.unanswered_handshake = (!is_answered).then(|| id.to_owned());
            }
            KeptLine::Initialized if kept.handshake.len() < LINE_BYTES_MOST => {
                kept.handshake.extend_from_slice(line);
                kept.handshake.push(b'\n');
            }
            KeptLine::Request(id) => {
                kept.waiting_bytes += line.len();
                kept.waiting.push((id.to_owned(), line.to_owned()));
            }
            KeptLine::Once(id) => {
                let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{INTERRUPTED}"}}"#).into_bytes();
                kept.waiting_bytes += line.len();
                kept.waiting.push((id.to_owned(), line));
            }
            KeptLine::Cancelled(id) => while kept.forget(id) {},
            KeptLine::Initialized | KeptLine::Other => {}
        }
    }

    /// Records that a message is about to be written; `id` is the request that it answers, if any. Returns false for
    /// the answer to a handshake that the client already has: it must not be written again.
    pub(crate) fn begin_write(&self, id: Option<&str>) -> bool {
        let mut kept = self.lock_state();
        if id.is_some() && kept.answered_handshake.as_deref() == id {
            kept.answered_handshake = None;
            return false;
        }
        kept.writes += 1;
        true
    }

    /// Records that the message was written or never will be.
    pub(crate) fn end_write(&self, id: Option<&str>) {
        let mut kept = self.lock_state();
        kept.writes -= 1;
        if id.is_some() && kept.unanswered_handshake.as_deref() == id {
            kept.unanswered_handshake = None;
        }
        if let Some(id) = id {
            kept.forget(id);
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, InputState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held_text(input: &KeptInput) -> Option<String> {
        let mut bytes = Vec::new();
        input.hold(&mut || false, &mut |piece| bytes.extend_from_slice(piece))?;
        Some(String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn what_goes_on_reads_the_handshake_what_waits_and_what_is_ahead() {
        let input = KeptInput::default();
        let lines = [
            ("hello", KeptLine::Handshake("0")),
            ("ready", KeptLine::Initialized),
            ("one", KeptLine::Request("1")),
            ("two", KeptLine::Request("2")),
            ("three", KeptLine::Request("\"3\"")),
            ("four", KeptLine::Once("4")),
            ("never mind", KeptLine::Cancelled("2")),
            ("what", KeptLine::Other),
        ];
        for (line, _) in lines {
            input.read(format!("{line}\n").as_bytes());
        }
        input.read(b"fo");
        for (line, what) in lines {
            input.consume_line(line.as_bytes(), line.len() + 1, what);
        }
        for id in ["0", "1"] {
            assert!(input.begin_write(Some(id)));
            input.end_write(Some(id));
        }
        assert_eq!(
            held_text(&input).as_deref(),
            Some("hello\nready\nthree\n{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"icr/interrupted\"}\nfo")
        );
    }

    #[test]
    fn a_handshake_that_was_not_answered_is_answered_by_who_goes_on() {
        let line = "{\"method\":\"initialize\",\"id\":7}";
        let input = KeptInput::default();
        input.consume_line(line.as_bytes(), 0, KeptLine::Handshake("7"));
        let text = held_text(&input).unwrap();
        assert_eq!(text, format!("\n{line}\n"));
        assert!(KeptInput::going_on(text.as_bytes()).begin_write(Some("7")));
        // An answered handshake stays answered over any number of restarts.
        let second = KeptInput::going_on(line.as_bytes());
        second.consume_line(line.as_bytes(), 0, KeptLine::Handshake("7"));
        assert!(!second.begin_write(Some("7")));
        assert_eq!(held_text(&second).as_deref(), Some(format!("{line}\n").as_str()));
    }

    #[test]
    fn nothing_is_held_while_an_answer_is_being_written() {
        let input = KeptInput::default();
        assert!(input.begin_write(None));
        assert_eq!(held_text(&input), None);
        input.end_write(None);
        assert_eq!(held_text(&input).as_deref(), Some("\n"));
    }

    #[test]
    fn more_than_is_kept_is_not_gone_on_from_until_it_is_answered() {
        let input = KeptInput::default();
        input.consume_line(&vec![b' '; KEPT_MOST + 1], 0, KeptLine::Request("1"));
        assert_eq!(held_text(&input), None);
        assert!(input.begin_write(Some("1")));
        input.end_write(Some("1"));
        assert_eq!(held_text(&input).as_deref(), Some("\n"));
    }

    #[test]
    fn of_what_is_read_ahead_so_much_is_kept() {
        let input = KeptInput::default();
        input.read(&vec![b'x'; AHEAD_MOST]);
        assert_eq!(held_text(&input).unwrap().len(), AHEAD_MOST + 1);
        input.read(b"\nnext\nfurth");
        assert_eq!(held_text(&input), None, "a line is longer");
        input.consume_line(b"", AHEAD_MOST + 1, KeptLine::Other);
        assert_eq!(held_text(&input), None, "what follows was not kept");
        input.consume_line(b"next", 5, KeptLine::Other);
        input.consume_line(b"further", 5, KeptLine::Other);
        input.read(b"last");
        assert_eq!(held_text(&input).as_deref(), Some("\nlast"));
    }

    #[test]
    fn the_answer_to_a_handshake_is_not_given_twice() {
        let input =
            KeptInput::going_on(b"{\"method\":\"initialize\",\"id\":\"a\"}\n{\"method\":\"tools/call\",\"id\":1}\n");
        assert!(!input.begin_write(Some("\"a\"")));
        assert!(input.begin_write(Some("\"a\"")) && input.begin_write(Some("1")));
        assert!(KeptInput::going_on(b"{\"method\":\"tools/call\",\"id\":1}\n").begin_write(Some("1")));
        assert!(KeptInput::going_on(b"").begin_write(Some("null")));
    }
}

//! Bounds of what is kept of an event, and a visitor of its texts.

use crate::{CallOutcome, CallRecord, TraceEvent};

/// Longest kept task, in characters: a question or goal is one sentence or a few.
pub const TASK_CHARACTERS_MOST: usize = 500;

/// Longest kept input, in bytes of JSON.
pub const INPUT_BYTES_MOST: usize = 4_000;

/// Most spans, and most paths of a list, that are kept of one call. An answer that fits a model's window has fewer.
pub const LIST_MOST: usize = 200;

/// Most names of gaps that are kept of one call. There are fewer kinds of gaps.
const GAPS_MOST: usize = 20;

/// Longest kept name or id, in bytes.
const NAME_BYTES_MOST: usize = 200;

/// Longest kept path, in bytes. Hardly any path is longer.
const PATH_BYTES_MOST: usize = 1_000;

/// Bytes beyond the kept part that masking also sees, so that a credential which begins in the kept part is seen whole.
/// Tokens of the masked formats are shorter, except some JSON Web Tokens; nothing is kept of a longer one (see
/// [`cut`]).
pub(crate) const MASKING_SLACK: usize = 4_000;

/// The bound of one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextBound {
    Characters(usize),
    Bytes(usize),
}

/// Cuts lists to their bounds, and texts to what masking needs to see. Cost: microseconds, also for texts of megabytes.
pub(crate) fn bound_event(event: &mut TraceEvent) {
    if let TraceEvent::Call(call) = event {
        shorten(&mut call.returned, LIST_MOST);
        shorten(&mut call.gaps, GAPS_MOST);
        if let Some(impact) = &mut call.impact {
            shorten(&mut impact.asked, LIST_MOST);
            shorten(&mut impact.predicted, LIST_MOST);
        }
    }
    each_text(event, &mut |text, bound| {
        let most = match bound {
            // A character has four bytes at most.
            TextBound::Characters(characters) => 4 * characters,
            TextBound::Bytes(bytes) => bytes,
        };
        cut(text, most + MASKING_SLACK);
        // A kept text of a few kilobytes must not hold an allocation of megabytes in the queue.
        if text.capacity() > 2 * (most + MASKING_SLACK) {
            text.shrink_to_fit();
        }
    });
}

/// Cuts masked texts to their bounds.
pub(crate) fn cut_masked(event: &mut TraceEvent) {
    each_text(event, &mut |text, bound| match bound {
        TextBound::Characters(characters) => {
            if let Some((end, _)) = text.char_indices().nth(characters) {
                text.truncate(end);
            }
        }
        TextBound::Bytes(bytes) => text.truncate(text.floor_char_boundary(bytes)),
    });
    if let TraceEvent::Call(call) = event {
        call.input.cut();
    }
}

/// Calls `each` with every text of `event` except its input.
pub(crate) fn each_text(event: &mut TraceEvent, each: &mut impl FnMut(&mut String, TextBound)) {
    let (name, path) = (TextBound::Bytes(NAME_BYTES_MOST), TextBound::Bytes(PATH_BYTES_MOST));
    match event {
        TraceEvent::Call(call) => each_text_of_call(call, each),
        TraceEvent::Opened(opened) => {
            for text in [&mut opened.session, &mut opened.repo_id, &mut opened.by] {
                each(text, name);
            }
            opened.path.iter_mut().for_each(|text| each(text, path));
        }
        TraceEvent::Changed(changed) => {
            each(&mut changed.session, name);
            each(&mut changed.repo_id, name);
            each(&mut changed.path, path);
        }
        TraceEvent::SeenCall(seen) => {
            each(&mut seen.session, name);
            each(&mut seen.repo_id, name);
            seen.tool.iter_mut().for_each(|text| each(text, name));
        }
    }
}

fn each_text_of_call(call: &mut CallRecord, each: &mut impl FnMut(&mut String, TextBound)) {
    let (name, path) = (TextBound::Bytes(NAME_BYTES_MOST), TextBound::Bytes(PATH_BYTES_MOST));
    each(&mut call.tool, name);
    let names = [&mut call.step, &mut call.client, &mut call.session, &mut call.repo_id];
    names.into_iter().flatten().for_each(|text| each(text, name));
    call.root.iter_mut().for_each(|text| each(text, path));
    call.task.iter_mut().for_each(|text| each(text, TextBound::Characters(TASK_CHARACTERS_MOST)));
    call.gaps.iter_mut().for_each(|text| each(text, name));
    if let CallOutcome::Error(code) = &mut call.outcome {
        each(code, name);
    }
    for span in &mut call.returned {
        each(&mut span.path, path);
        span.symbol_kind.iter_mut().for_each(|text| each(text, name));
    }
    if let Some(impact) = &mut call.impact {
        impact.asked.iter_mut().chain(&mut impact.predicted).for_each(|text| each(text, path));
    }
}

/// Approximate bytes that `event` takes in a queue.
pub(crate) fn bytes_of(event: &mut TraceEvent) -> usize {
    let mut bytes = size_of::<CallRecord>();
    each_text(event, &mut |text, _| bytes += size_of::<TextBound>() + text.capacity());
    if let TraceEvent::Call(call) = event {
        bytes += call.input.bytes();
    }
    bytes
}

/// Cuts `text` to `most` bytes if it is longer. Then removes a possible token at the cut end, because masking would not
/// recognise a part of a token.
pub(crate) fn cut(text: &mut String, most: usize) {
    if text.len() <= most {
        return;
    }
    text.truncate(text.floor_char_boundary(most));
    text.truncate(text.trim_end_matches(is_letter_of_token).len());
    text.push('…');
}

fn is_letter_of_token(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | '+' | '/' | '=' | ':')
}

fn shorten<T>(list: &mut Vec<T>, most: usize) {
    if list.len() > most {
        list.truncate(most);
        list.shrink_to_fit();
    }
}

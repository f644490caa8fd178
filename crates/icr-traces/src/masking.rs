//! Masks credentials in events.

use std::borrow::Cow;

use icr_secrets::{MASK, mask_tokens};
use serde_json::{Map, Value};

use crate::TraceEvent;
use crate::bounds::{cut_masked, each_text};

/// A text with this substring may hold a private key; that depends on the lines around it.
const KEY: &str = "PRIVATE KEY";

/// Masks all texts of `event` and cuts them to their bounds. Cost: about 50 microseconds for a call with 200 spans, and
/// some hundred microseconds if there is a credential.
pub(crate) fn mask(event: &mut TraceEvent) {
    // Most events have no credential. One search over all texts is cheaper than one for each text.
    let mut texts = String::new();
    each_text(event, &mut |text, _| {
        texts.push_str(text);
        texts.push('\n');
    });
    if texts.contains(KEY) || masked(&texts).is_some() {
        each_text(event, &mut |text, _| {
            if let Some(shown) = masked(text) {
                *text = shown;
            }
        });
    }
    if let TraceEvent::Call(call) = event {
        mask_value(call.input.value_mut());
    }
    cut_masked(event);
}

/// Masks all texts of `value`, including names of fields.
fn mask_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(shown) = masked(text) {
                *text = shown;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(mask_value),
        Value::Object(fields) => {
            fields.values_mut().for_each(mask_value);
            if fields.keys().any(|name| masked(name).is_some()) {
                let named = std::mem::take(fields).into_iter();
                *fields = named.map(|(name, value)| (masked(&name).unwrap_or(name), value)).collect::<Map<_, _>>();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// `text` with its credentials masked; `None` if it has none.
///
/// A token begins at the beginning of a word. In a text that is itself JSON, code or part of a URL, the letter before a
/// token may be the `n` of `\n` or the last digit of `%20`, so that no word begins there. Such texts are searched a
/// second time with spaces in place of these escapes.
pub(crate) fn masked(text: &str) -> Option<String> {
    let at_words = match mask_tokens(text).text {
        Cow::Owned(shown) => Some(shown),
        Cow::Borrowed(_) => None,
    };
    let rest = at_words.as_deref().unwrap_or(text);
    let behind_escapes = without_escapes(rest).and_then(|plain| {
        let mut marked = plain.clone();
        icr_secrets::mask_file(&mut marked).then(|| with_masks(rest, &plain, &marked))
    });
    behind_escapes.or(at_words)
}

/// `text` with [`MASK`] where `marked` has a mark of [`icr_secrets::mask_file`] and `plain` does not. All three have
/// the same length.
fn with_masks(text: &str, plain: &[u8], marked: &[u8]) -> String {
    let (mut shown, mut from, mut at) = (String::with_capacity(text.len()), 0, 0);
    while at < marked.len() {
        let is_mark = marked[at..].starts_with(MASK.as_bytes()) && !plain[at..].starts_with(MASK.as_bytes());
        if !is_mark {
            at += 1;
            continue;
        }
        // Marks are ASCII and replace ASCII, so these offsets are character borders.
        shown.push_str(&text[from..at]);
        shown.push_str(MASK);
        at += MASK.len();
        // The fill byte of a mark never occurs in a credential.
        while at < marked.len() && marked[at] != plain[at] {
            at += 1;
        }
        from = at;
    }
    shown + &text[from..]
}

/// `text` with spaces in place of the letters of escapes, with the same length; `None` if it has no escape.
fn without_escapes(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    let mut plain = None;
    let mut at = 0;
    while at < bytes.len() {
        let digits = |from: usize, count: usize| {
            bytes.get(from..from + count).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        };
        let letters = match (bytes[at], bytes.get(at + 1)) {
            (b'\\', Some(b'u')) if digits(at + 2, 4) => 5,
            (b'\\', Some(b'x')) if digits(at + 2, 2) => 3,
            (b'\\', Some(b'a' | b'b' | b'e' | b'f' | b'n' | b'r' | b't' | b'v' | b'0')) => 1,
            (b'%', _) if digits(at + 1, 2) => 2,
            _ => 0,
        };
        if letters > 0 {
            plain.get_or_insert_with(|| bytes.to_vec())[at + 1..=at + letters].fill(b' ');
        }
        at += letters + 1;
    }
    plain
}

#[cfg(test)]
mod tests;

//! Cursors: where the next page of a list begins.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use icr_model::Digest64;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use icr_serve::{CallFailure, Violation};

/// Largest offset of a page. Nobody reads that far, and every page costs as much as all pages before it together.
const OFFSET_MOST: usize = 10_000;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PageCursor {
    offset: usize,
    /// The list that the cursor continues; `None` fits any list.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<u32>,
}

/// Identity of a paged list: a tool and a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct List(u32);

impl List {
    /// The list that `tool` answers to the question `asked`.
    pub(crate) fn of(tool: &str, asked: &str) -> Self {
        Self(Digest64::default().with(tool.as_bytes()).with(asked.as_bytes()).finish() as u32)
    }

    /// The cursor of the page that begins after `offset` items; `None` if `offset` is above [`OFFSET_MOST`].
    pub(crate) fn cursor(self, offset: usize) -> Option<String> {
        (offset <= OFFSET_MOST).then(|| STANDARD.encode(json!(PageCursor { offset, of: Some(self.0) }).to_string()))
    }

    /// Items before the page; 0 without a cursor.
    ///
    /// # Errors
    ///
    /// A validation error for what no answer has given, or an answer to another question.
    pub(crate) fn offset(self, cursor: Option<&str>) -> Result<usize, CallFailure> {
        let Some(cursor) = cursor else { return Ok(0) };
        let refused = |problem: &str| {
            CallFailure::validation(Violation {
                field: "cursor",
                constraint: "cursor",
                value: &Value::String(cursor.to_owned()),
                allowed: json!("the `next_cursor` of an earlier answer to the same question"),
                problem: problem.to_owned(),
            })
        };
        let place = STANDARD.decode(cursor).ok().and_then(|bytes| serde_json::from_slice::<PageCursor>(&bytes).ok());
        let place = place.filter(|place| place.offset <= OFFSET_MOST);
        let place = place.ok_or_else(|| refused("is no cursor that an answer gave"))?;
        match place.of {
            Some(of) if of != self.0 => Err(refused("was given by another tool, or for another question")),
            _ => Ok(place.offset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: List = List(7);

    #[test]
    fn cursors_are_the_offset_as_json_in_base64() {
        let cursor = LIST.cursor(20).expect("nobody has read that far");
        assert_eq!(STANDARD.decode(&cursor).as_deref(), Ok(&br#"{"offset":20,"of":7}"#[..]));
        assert_eq!(LIST.offset(Some(&cursor)), Ok(20));
        assert_eq!(LIST.offset(Some("eyJvZmZzZXQiOjIwfQ==")), Ok(20), "of any list");
        assert_eq!(LIST.offset(None), Ok(0));
        assert_eq!(LIST.cursor(OFFSET_MOST + 1), None);
    }

    #[test]
    fn a_cursor_goes_on_with_its_list_alone() {
        let [list, same] = [List::of("env_search", "tide"), List::of("env_search", "tide")];
        let cursor = list.cursor(5);
        assert_eq!(same.offset(cursor.as_deref()), Ok(5));
        for other in [List::of("env_search", "moor"), List::of("project_references", "tide")] {
            let failure = other.offset(cursor.as_deref()).expect_err("another list");
            assert_eq!(failure.details["field"], json!("cursor"));
        }
    }

    #[test]
    fn what_no_answer_gave_is_refused() {
        let huge = STANDARD.encode(r#"{"offset":10001}"#);
        let negative = STANDARD.encode(r#"{"offset":-1}"#);
        let other = STANDARD.encode(r#"{"offset":1,"x":2}"#);
        for garbage in ["", "20", "!!!!", "eyJvZmZzZXQiOjIwfQ", &huge, &negative, &other, "\u{1F600}"] {
            let failure = LIST.offset(Some(garbage)).expect_err(garbage);
            assert_eq!(failure.details["field"], json!("cursor"), "{garbage}");
        }
    }
}

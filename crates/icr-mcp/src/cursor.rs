//! Cursors: where the next page of a list begins.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use icr_serve::{Failure, Violation};

/// Largest offset: nobody reads that far, and every page costs the ones before it.
const OFFSET_MOST: usize = 10_000;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    offset: usize,
}

/// The cursor of the page that begins after `offset` items; `None` where there is no reading on.
pub(crate) fn cursor(offset: usize) -> Option<String> {
    (offset <= OFFSET_MOST).then(|| STANDARD.encode(json!(Place { offset }).to_string()))
}

/// Items before the page; 0 without a cursor.
///
/// # Errors
///
/// A validation error for what no answer has given.
pub(crate) fn offset(cursor: Option<&str>) -> Result<usize, Failure> {
    let Some(cursor) = cursor else { return Ok(0) };
    let place = STANDARD.decode(cursor).ok().and_then(|bytes| serde_json::from_slice::<Place>(&bytes).ok());
    place.map(|place| place.offset).filter(|offset| *offset <= OFFSET_MOST).ok_or_else(|| {
        Failure::validation(Violation {
            field: "cursor",
            constraint: "cursor",
            value: &Value::String(cursor.to_owned()),
            allowed: json!("the `next_cursor` of an earlier answer"),
            problem: "is no cursor that an answer gave".to_owned(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_the_offset_as_json_in_base64() {
        assert_eq!(cursor(20).as_deref(), Some("eyJvZmZzZXQiOjIwfQ=="));
        assert_eq!(offset(Some("eyJvZmZzZXQiOjIwfQ==")), Ok(20));
        assert_eq!(offset(None), Ok(0));
        assert_eq!(cursor(OFFSET_MOST + 1), None);
    }

    #[test]
    fn what_no_answer_gave_is_refused() {
        let huge = STANDARD.encode(r#"{"offset":10001}"#);
        let negative = STANDARD.encode(r#"{"offset":-1}"#);
        let other = STANDARD.encode(r#"{"offset":1,"x":2}"#);
        for garbage in ["", "20", "!!!!", "eyJvZmZzZXQiOjIwfQ", &huge, &negative, &other, "\u{1F600}"] {
            let failure = offset(Some(garbage)).expect_err(garbage);
            assert_eq!(failure.details["field"], json!("cursor"), "{garbage}");
        }
    }
}

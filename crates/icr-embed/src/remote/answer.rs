//! Checks the answers of a remote service. Pure functions.

use serde_json::Value;

/// A vector and the number of its text, as an answer holds them.
#[derive(Debug)]
pub(super) struct NumberedVector<'a> {
    /// Number of the text, from 0.
    number: u64,
    vector: &'a Value,
}

/// Reads the body of an answer: for each of `texts_total` texts, in their order, a vector of `dims` numbers and length 1.
///
/// # Errors
///
/// What is wrong and what is expected, as text to follow the address.
pub(super) fn vectors(
    body: &[u8],
    read: fn(&Value) -> Result<Vec<NumberedVector<'_>>, String>,
    texts_total: usize,
    dims: u16,
) -> Result<Vec<Vec<f32>>, String> {
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        let what = if looks_like_a_page(body) { "a page of HTML" } else { "what is not JSON" };
        format!("it answered with {what} ({error}); is this the address of an embeddings service?")
    })?;
    let rows = read(&value)?;
    if rows.len() != texts_total {
        return Err(format!("it gave {} vectors for {texts_total} texts", rows.len()));
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts_total];
    for row in rows {
        let number = usize::try_from(row.number).ok().filter(|number| *number < texts_total);
        let number = number.ok_or_else(|| format!("it gave a vector for text {} of {texts_total}", row.number))?;
        if vectors[number].is_some() {
            return Err(format!("it gave two vectors for text {number} and none for another"));
        }
        vectors[number] = Some(unit(row.vector, dims)?);
    }
    Ok(vectors.into_iter().map(|vector| vector.expect("a vector for each because none has two")).collect())
}

/// The vectors of `{"data": [{"index": 0, "embedding": [0.1, …]}, …]}`.
pub(super) fn numbered_rows(answer: &Value) -> Result<Vec<NumberedVector<'_>>, String> {
    let rows = answer["data"].as_array().ok_or_else(|| match error_message(answer) {
        Some(said) => format!("it answered `{said}`"),
        None => "its answer has no list `data` of vectors".to_owned(),
    })?;
    let number = |row: &Value| row["index"].as_u64();
    rows.iter()
        .map(|row| match (number(row), &row["embedding"]) {
            (Some(number), vector) => Ok(NumberedVector { number, vector }),
            (None, _) => Err("a vector in its answer has no `index`, which says what text it belongs to".to_owned()),
        })
        .collect()
}

/// The error message in an answer, in one of the places where services put it: `error.message`, `error`, `detail` or
/// `message`.
pub(super) fn error_message(answer: &Value) -> Option<String> {
    let places = [&answer["error"]["message"], &answer["error"], &answer["detail"], &answer["message"]];
    let text = places.into_iter().find_map(Value::as_str)?;
    Some(terminal_excerpt(text)).filter(|text| !text.is_empty())
}

/// The beginning of a remote message, safe to print on a terminal: one line, no control characters. It ends between
/// words: the message may repeat the key, which is removed later, and a cut inside it would leave a part of it.
pub(super) fn terminal_excerpt(text: &str) -> String {
    /// Characters that are enough to recognise a message.
    const SHOWN_MAX: usize = 200;
    let words = text.split(|character: char| character.is_whitespace() || character.is_control());
    let mut line = String::new();
    let mut characters = 0;
    for word in words.filter(|word| !word.is_empty()) {
        characters += word.chars().count() + 1;
        if characters > SHOWN_MAX {
            line.push('…');
            break;
        }
        line.push_str(word);
        line.push(' ');
    }
    line.trim_end().to_owned()
}

/// Whether a body is an HTML page.
pub(super) fn looks_like_a_page(body: &[u8]) -> bool {
    let begin = body.trim_ascii_start();
    let is_at = |mark: &[u8]| begin.get(..mark.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(mark));
    is_at(b"<!doctype") || is_at(b"<html")
}

/// The vector with length 1.
fn unit(vector: &Value, dims: u16) -> Result<Vec<f32>, String> {
    let numbers = vector.as_array().ok_or("a vector in its answer is no list of numbers")?;
    if numbers.len() != usize::from(dims) {
        let right = "set the dimension to that, or ask for another model";
        return Err(format!("it gave a vector of {} numbers where {dims} are configured; {right}", numbers.len()));
    }
    let numbers: Option<Vec<f64>> = numbers.iter().map(Value::as_f64).collect();
    let numbers = numbers.ok_or("a vector in its answer holds what is no number")?;
    // Scaled first, so that squares of very large or very small numbers do not overflow or vanish.
    let largest = numbers.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()));
    if largest == 0.0 {
        return Err("it gave a vector of zeros, which has no direction".to_owned());
    }
    let length = numbers.iter().map(|number| (number / largest).powi(2)).sum::<f64>().sqrt();
    // In the range of `f32`, as the length is 1.
    #[allow(clippy::cast_possible_truncation)]
    Ok(numbers.iter().map(|number| (number / largest / length) as f32).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads `body` as the answer to two texts with vectors of two numbers.
    #[track_caller]
    fn check(body: &str, expected: &str) {
        let found = match vectors(body.as_bytes(), numbered_rows, 2, 2) {
            Ok(vectors) => format!("{vectors:?}"),
            Err(reason) => reason,
        };
        assert_eq!(found, expected, "{body}");
    }

    fn rows(rows: &str) -> String {
        format!(r#"{{"object":"list","data":[{rows}],"usage":{{"total_tokens":7}}}}"#)
    }

    #[test]
    fn vectors_come_in_the_order_of_their_texts_with_length_1() {
        check(&rows(r#"{"index":1,"embedding":[0,-2]},{"index":0,"embedding":[3,4.0]}"#), "[[0.6, 0.8], [0.0, -1.0]]");
        check(
            &rows(r#"{"index":0,"embedding":[3e300,4e300]},{"index":1,"embedding":[3e-300,4e-300]}"#),
            "[[0.6, 0.8], [0.6, 0.8]]",
        );
    }

    #[test]
    fn texts_without_their_vector_are_found() {
        check(&rows(""), "it gave 0 vectors for 2 texts");
        check(&rows(r#"{"index":0,"embedding":[1,0]}"#), "it gave 1 vectors for 2 texts");
        check(
            &rows(r#"{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}"#),
            "it gave two vectors for text 0 and none for another",
        );
        check(
            &rows(r#"{"index":0,"embedding":[1,0]},{"index":2,"embedding":[1,0]}"#),
            "it gave a vector for text 2 of 2",
        );
        let no_index = "a vector in its answer has no `index`, which says what text it belongs to";
        check(&rows(r#"{"embedding":[1,0]},{"embedding":[1,0]}"#), no_index);
        check(&rows(r#"{"index":-1,"embedding":[1,0]},{"index":0,"embedding":[1,0]}"#), no_index);
    }

    #[test]
    fn what_is_no_vector_is_found() {
        let with =
            |vector: &str| rows(&format!(r#"{{"index":0,"embedding":[1,0]}},{{"index":1,"embedding":{vector}}}"#));
        let wrong_dims = |dims: usize| {
            format!(
                "it gave a vector of {dims} numbers where 2 are configured; set the dimension to that, or ask for another \
                 model"
            )
        };
        check(&with("[]"), &wrong_dims(0));
        check(&with("[1,2,3]"), &wrong_dims(3));
        check(&with("[0,0]"), "it gave a vector of zeros, which has no direction");
        check(&with("[1,null]"), "a vector in its answer holds what is no number");
        check(&with("[1,\"2\"]"), "a vector in its answer holds what is no number");
        check(&with("\"AACAPwAAAAA=\""), "a vector in its answer is no list of numbers");
        check(&with("null"), "a vector in its answer is no list of numbers");
    }

    #[test]
    fn what_is_no_answer_is_found() {
        let right = "is this the address of an embeddings service?";
        check(
            "<!DOCTYPE html><title>Log in</title>",
            &format!("it answered with a page of HTML (expected value at line 1 column 1); {right}"),
        );
        check(
            "",
            &format!("it answered with what is not JSON (EOF while parsing a value at line 1 column 0); {right}"),
        );
        check(
            &rows(r#"{"index":0,"embedding":[NaN,0]}"#),
            &format!("it answered with what is not JSON (expected value at line 1 column 50); {right}"),
        );
        check(
            &rows(r#"{"index":0,"embedding":[1e999,0]}"#),
            &format!("it answered with what is not JSON (number out of range at line 1 column 54); {right}"),
        );
        check("[1]", "its answer has no list `data` of vectors");
        check(r#"{"data":{}}"#, "its answer has no list `data` of vectors");
        check(r#"{"error":{"message":"no such\n\u001b[31mmodel"}}"#, "it answered `no such [31mmodel`");
        check(r#"{"detail":"no such model"}"#, "it answered `no such model`");
    }

    #[test]
    fn long_words_of_others_are_cut() {
        assert_eq!(terminal_excerpt(&"ä ".repeat(300)), format!("{}…", "ä ".repeat(100)));
        assert_eq!(terminal_excerpt(&format!("a {}", "b".repeat(200))), "a …");
        assert_eq!(terminal_excerpt(" a \r\n\tb\u{7} "), "a b");
    }

    proptest! {
        #[test]
        fn any_body_is_an_answer_or_an_error(body in ".{0,200}", texts in 1..4_usize, dims in 1..4_u16) {
            if let Ok(vectors) = vectors(body.as_bytes(), numbered_rows, texts, dims) {
                prop_assert_eq!(vectors.len(), texts);
            }
        }

        #[test]
        fn any_numbers_but_zeros_have_length_1(numbers in proptest::collection::vec(-1e3..1e3_f64, 1..64)) {
            prop_assume!(numbers.iter().any(|number| *number != 0.0));
            let dims = u16::try_from(numbers.len()).expect("few numbers");
            let body = serde_json::json!({ "data": [{ "index": 0, "embedding": numbers }] }).to_string();
            let vectors = vectors(body.as_bytes(), numbered_rows, 1, dims).expect("an answer");
            let length = vectors[0].iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
            prop_assert!((length - 1.0).abs() < 1e-6, "{}", length);
        }
    }
}

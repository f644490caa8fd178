//! Counts the values of a JSON text before it is parsed.

/// Most values that are accepted in one message or body.
pub const JSON_VALUES_MOST: usize = 200_000;

/// Number of values in `json` if it is more than [`JSON_VALUES_MOST`], else `None`. Cost: none for a text that is too
/// short to have so many, else one pass over the bytes.
pub fn too_many_json_values(json: &[u8]) -> Option<usize> {
    let values = if json.len() > JSON_VALUES_MOST { json_values(json) } else { 0 };
    (values > JSON_VALUES_MOST).then_some(values)
}

/// Number of values in `json`, estimated from the signs between them. The limit is needed because each parsed value
/// takes a hundred bytes or more, however short it is written (`[[],[],…` of 16 MB takes gigabytes). Cost: one pass
/// over the bytes. For a text that is not JSON the number means nothing.
pub fn json_values(json: &[u8]) -> usize {
    let (mut values, mut rest) = (1, json);
    loop {
        let Some(at) = rest.iter().position(|byte| matches!(byte, b'"' | b'[' | b'{' | b',')) else { return values };
        let (sign, behind) = (rest[at], &rest[at + 1..]);
        rest = if sign == b'"' { behind_text(behind) } else { behind };
        values += usize::from(sign != b'"');
    }
}

/// The rest after the end of a string literal; `inside` begins right after the opening quote.
fn behind_text(mut inside: &[u8]) -> &[u8] {
    while let Some(at) = inside.iter().position(|byte| matches!(byte, b'"' | b'\\')) {
        let is_end = inside[at] == b'"';
        // An escaped character does not end the string.
        inside = inside.get(at + if is_end { 1 } else { 2 }..).unwrap_or_default();
        if is_end {
            return inside;
        }
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_outside_of_texts_count() {
        for (json, values) in [
            ("7", 1),
            ("[]", 2),
            (r#"{"a[,{": "\"[,", "b": [1, 2]}"#, 5),
            (r#"["\\", "\\\"[[["]"#, 3),
            (r#"["never ends [[[ \"#, 2),
            ("", 1),
        ] {
            assert_eq!(json_values(json.as_bytes()), values, "{json}");
        }
    }
}

//! How much a JSON text is, before it is read.

/// Values that are read of one message or body at most.
pub const JSON_VALUES_MOST: usize = 200_000;

/// How many values `json` has, where these are more than are read. Cost: none for what is too short to have so many, else a pass over the bytes.
pub fn too_many_json_values(json: &[u8]) -> Option<usize> {
    let values = if json.len() > JSON_VALUES_MOST { json_values(json) } else { 0 };
    (values > JSON_VALUES_MOST).then_some(values)
}

/// Values in `json`, by the signs between them: what is read takes a hundred bytes and more for each, however short it is written (`[[],[],…`
/// of 16 MB takes gigabytes). Cost: a pass over the bytes. Of what is no JSON it says something, too.
pub fn json_values(json: &[u8]) -> usize {
    let (mut values, mut rest) = (1, json);
    loop {
        let Some(at) = rest.iter().position(|byte| matches!(byte, b'"' | b'[' | b'{' | b',')) else { return values };
        let (sign, behind) = (rest[at], &rest[at + 1..]);
        rest = if sign == b'"' { behind_text(behind) } else { behind };
        values += usize::from(sign != b'"');
    }
}

/// What stands behind a text that begins with `inside`.
fn behind_text(mut inside: &[u8]) -> &[u8] {
    while let Some(at) = inside.iter().position(|byte| matches!(byte, b'"' | b'\\')) {
        let is_end = inside[at] == b'"';
        // What is escaped ends nothing.
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

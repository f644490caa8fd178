//! Bytes as hexadecimal digits.

/// Two lower-case digits for each byte.
pub fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

/// The bytes that the digits of `text` encode, in upper or lower case; `None` when `text` has another character or an
/// odd number of digits.
pub fn from_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some((digit(pair[0])? << 4) | digit(*pair.get(1)?)?)).collect()
}

/// Whether `text` consists of hexadecimal digits only, in upper or lower case.
pub fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether `text` consists of digits as [`hexadecimal`] writes them only: `0-9` and `a-f`.
pub fn is_lower_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        let all: Vec<u8> = (0..=255).collect();
        let text = hexadecimal(&all);
        assert!(text.starts_with("000102") && text.ends_with("fdfeff"), "{text}");
        assert_eq!(from_hexadecimal(&text), Some(all.clone()));
        assert_eq!(from_hexadecimal(&text.to_uppercase()), Some(all));
        assert!(is_lower_hexadecimal(&text) && is_hexadecimal(&text));
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["a", "0g", "abc", "é", "0x", " 0", "+1"] {
            assert_eq!(from_hexadecimal(text), None, "{text}");
        }
        assert!(is_hexadecimal("aB0") && !is_lower_hexadecimal("aB0"));
        assert!(!is_hexadecimal("é") && !is_hexadecimal("+1"));
    }
}

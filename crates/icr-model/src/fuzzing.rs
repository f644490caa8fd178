//! What holds for all bytes that are read as facts: the body of a fuzz target, which tests call as well.

use crate::{Facts, import_keys};

/// Reads facts from `bytes`, once as they are and once as what is compressed in them.
///
/// # Panics
///
/// When what was read says something else after it was written and read again.
pub fn check_facts(bytes: &[u8]) {
    check_encoded(bytes);
    let compressed = zstd::bulk::compress(bytes, 1).expect("compressing in memory fails only without memory");
    check_encoded(&[&(bytes.len() as u32).to_le_bytes(), compressed.as_slice()].concat());
}

fn check_encoded(bytes: &[u8]) {
    let statements = Facts::decode_statements(bytes);
    let Ok(facts) = Facts::decode(bytes) else { return };
    let encoded = facts.encode();
    let decoded = Facts::decode(&encoded).expect("what was encoded can be decoded");
    assert_eq!(decoded, facts);
    assert_eq!(decoded.encode(), encoded);
    statements.expect("statements are the beginning of facts");
    assert_eq!(Facts::decode_statements(&encoded).expect("it was encoded"), facts.statements());
    // What is asked of facts has an answer.
    for symbol in 0..facts.symbols.len() {
        facts.qualified_name(symbol as u32);
    }
    for chunk in &facts.chunks {
        assert!(facts.symbols_of(chunk).count() <= facts.symbols.len());
    }
    for import in &facts.imports {
        import_keys(import);
    }
}

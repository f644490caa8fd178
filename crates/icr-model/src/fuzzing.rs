//! The body of a fuzz target, which tests call as well: properties that must hold for all bytes that are read as
//! facts.

use crate::{Facts, import_keys};

/// Reads facts from `bytes`, once as they are and once with `bytes` as the content that is compressed in them.
///
/// # Panics
///
/// When facts change after they are encoded and decoded again.
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
    // The methods of facts must return without a panic.
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

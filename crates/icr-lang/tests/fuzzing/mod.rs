//! What holds for all bytes in every language: the body of a fuzz target, which includes this file, and of tests.
//!
//! It stands here and not in the crate because whatever stands there counts as code that shapes facts.

use icr_lang::{ChunkLimits, Extraction, Extractor, TEXT, languages};
use icr_model::{ChunkKind, ContentKind, Facts, LineIndex, chunk_tokens};

/// Extracts facts from a blob in a language, which the first byte chooses.
///
/// # Panics
///
/// When the facts do not keep what facts promise, or an extractor says something else the second time.
#[track_caller]
pub(crate) fn check_extraction(bytes: &[u8]) {
    let Some((first, blob)) = bytes.split_first() else { return };
    let languages: Vec<&str> = languages().chain([TEXT]).collect();
    let language = languages[usize::from(*first) % languages.len()];
    let limits = ChunkLimits::default();
    let mut extractor = Extractor::new(limits);
    let extraction = extractor.extract(language, blob);
    check(blob, &extraction, &limits);
    assert_eq!(extractor.extract(language, blob), extraction, "{language}");
}

/// Asserts all that facts promise of their spans.
#[track_caller]
pub(crate) fn check(blob: &[u8], extraction: &Extraction, limits: &ChunkLimits) {
    let facts = &extraction.facts;
    let lines = LineIndex::new(blob);
    let len = blob.len() as u32;
    if facts.content != ContentKind::Text {
        assert_eq!((facts.bytes_total, facts.chunks.len(), facts.symbols.len()), (len, 0, 0));
        return;
    }
    assert_eq!((facts.bytes_total, facts.lines_total), (len, lines.lines_total()));

    let mut covered = vec![0_u32; blob.len()];
    for chunk in &facts.chunks {
        assert!(!chunk.span.is_empty() && chunk.span.end <= len, "{chunk:?}");
        assert_eq!(chunk.lines, lines.lines_of(chunk.span));
        assert!(chunk_tokens(chunk.span.of(blob)) <= limits.max_tokens, "{chunk:?}");
        assert!(chunk.symbol.is_none_or(|symbol| (symbol as usize) < facts.symbols.len()));
        covered[chunk.span.start as usize..chunk.span.end as usize].iter_mut().for_each(|times| *times += 1);
    }
    assert!(facts.chunks.is_sorted_by_key(|chunk| chunk.span.start));
    let windows = facts.chunks.iter().any(|chunk| chunk.kind == ChunkKind::Window);
    for (offset, times) in covered.iter().enumerate().filter(|(offset, _)| !blob[*offset].is_ascii_whitespace()) {
        assert!(*times == 1 || windows && *times >= 1, "byte {offset} is in {times} chunks");
    }

    let order = |facts: &Facts, index: usize| {
        let span = facts.symbols[index].span;
        (span.start, std::cmp::Reverse(span.end))
    };
    assert!((1..facts.symbols.len()).all(|index| order(facts, index - 1) <= order(facts, index)));
    for symbol in &facts.symbols {
        assert!(symbol.span.end <= len && symbol.signature.end <= len && symbol.doc.is_none_or(|doc| doc.end <= len));
        assert!(symbol.span.contains(symbol.signature) && symbol.span.contains_offset(symbol.name_start), "{symbol:?}");
        assert_eq!(symbol.lines, lines.lines_of(symbol.span));
        assert!(!symbol.name.is_empty());
    }
    assert!(facts.error_bytes <= len);
    // Ends for every symbol: a circle of parents would not.
    (0..facts.symbols.len()).for_each(|symbol| assert!(!facts.qualified_name(symbol as u32).is_empty()));

    assert!(facts.imports.is_sorted_by_key(|import| import.line));
    let key = |group: &icr_model::ReferenceGroup| (group.name.clone(), group.role, group.receiver.clone());
    assert!(facts.references.is_sorted_by(|one, next| key(one) < key(next)));
    for group in &facts.references {
        assert!(group.lines.is_sorted() && !group.lines.is_empty());
        assert!(group.lines.iter().all(|line| (1..=facts.lines_total).contains(line)));
    }
    assert!(extraction.comments.windows(2).all(|pair| pair[0].end <= pair[1].start));
    assert!(extraction.comments.iter().all(|comment| comment.end <= len));
    assert_eq!(Facts::decode(&facts.encode()).unwrap(), *facts);
}

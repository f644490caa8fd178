//! Makes the documents of a blob from its facts. This file is part of the digest of postings, since all of it
//! determines them.

use icr_lang::Extraction;
use icr_lexical::ChunkDocument;
use icr_model::{BlobNo, ChunkNo, import_keys};

/// Documents of the chunks in `text`, with the given numbers; `extraction` was made from `text`.
pub(crate) fn documents<'a>(
    extraction: &'a Extraction,
    text: &'a [u8],
    blob_no: BlobNo,
    chunk_first: ChunkNo,
) -> impl Iterator<Item = ChunkDocument<'a>> {
    let Extraction { facts, comments } = extraction;
    facts.chunks.iter().enumerate().map(move |(at, chunk)| {
        let first = comments.partition_point(|comment| comment.end <= chunk.span.start);
        let docs = comments[first..].iter().take_while(|comment| comment.start < chunk.span.end);
        let imports =
            facts.imports.iter().filter(|import| (chunk.lines.start..=chunk.lines.end).contains(&import.line));
        ChunkDocument {
            chunk_no: ChunkNo(chunk_first.0 + at as u32),
            blob_no,
            body: chunk.span.of(text),
            definitions: facts.symbols_of(chunk).map(|symbol| symbol.name.as_str()).collect(),
            docs: docs.map(|comment| comment.of(text)).collect(),
            requires: imports.flat_map(import_keys).collect(),
            provides: if at == 0 { facts.provides.clone() } else { Vec::new() },
        }
    })
}

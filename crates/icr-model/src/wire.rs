//! The byte encoding of facts: columns of small numbers and one table of names, compressed with zstd.
//!
//! Facts are the larger part of a ledger. Encoded by row, they took 0.21 of the size of their source, on 12,209 files
//! of a Go repository. Encoded by column, with positions as differences and every name stored once, they take about
//! half of that.

use serde::{Deserialize, Serialize};

use crate::{
    Chunk, ChunkKind, ContentKind, Contract, Facts, LineSpan, ReferenceGroup, Role, Span, Statements, Symbol,
    SymbolKind, Visibility,
};

/// Facts with each list of rows stored as a list of columns. Positions are stored as differences from the row before,
/// or from the start of their own row. Optional values are stored as 0 when absent, else as the value plus one.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Wire<'a> {
    /// The first field, so that it can be decoded alone.
    statements: Statements,
    content: ContentKind,
    sizes: [u32; 3],
    /// Names of symbols, receivers and references, and names in the steps of access paths; sorted, each once.
    #[serde(borrow)]
    names: Vec<&'a str>,
    /// Access paths, sorted, each once, together with all their prefixes. Each entry says how many rows above it the
    /// path without its last step is; 0 when there is none.
    path_outers: Vec<u32>,
    /// For each path the number of the name of its last step, plus one; 0 for a call.
    path_names: Vec<u32>,
    chunk_starts: Vec<u32>,
    chunk_lengths: Vec<u32>,
    chunk_lines: Vec<u32>,
    chunk_line_counts: Vec<u32>,
    chunk_kinds: Vec<ChunkKind>,
    chunk_symbols: Vec<u32>,
    symbol_names: Vec<u32>,
    symbol_kinds: Vec<SymbolKind>,
    symbol_contracts: Vec<Option<Contract>>,
    symbol_visibilities: Vec<Visibility>,
    symbol_starts: Vec<u32>,
    symbol_lengths: Vec<u32>,
    symbol_lines: Vec<u32>,
    symbol_line_counts: Vec<u32>,
    symbol_name_starts: Vec<u32>,
    symbol_signature_starts: Vec<u32>,
    symbol_signature_lengths: Vec<u32>,
    /// Length plus one; 0 without one.
    symbol_doc_lengths: Vec<u32>,
    /// One for each symbol that has a doc comment.
    symbol_doc_starts: Vec<u32>,
    symbol_parents: Vec<u32>,
    symbol_receivers: Vec<u32>,
    /// Numbers of access paths, plus one; 0 for no path.
    symbol_paths: Vec<u32>,
    /// Rows of the symbols that have bases, as differences from the row before.
    bases_of: Vec<u32>,
    base_counts: Vec<u32>,
    bases: Vec<u32>,
    /// Four bytes each. The values look random, so a variable-length encoding would only be longer.
    signature_hashes: Vec<[u8; 4]>,
    body_hashes: Vec<[u8; 4]>,
    reference_names: Vec<u32>,
    reference_roles: Vec<Role>,
    reference_receivers: Vec<u32>,
    reference_counts: Vec<u32>,
    reference_lines: Vec<u32>,
}

impl<'a> Wire<'a> {
    pub(crate) fn of(facts: &'a Facts) -> Self {
        let mut names: Vec<&str> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        names.extend(facts.symbols.iter().filter_map(|symbol| symbol.receiver.as_deref()));
        names.extend(facts.references.iter().map(|group| group.name.as_str()));
        let mut paths: Vec<&str> = facts.symbols.iter().filter_map(|symbol| symbol.path.as_deref()).collect();
        paths.extend(facts.symbols.iter().flat_map(|symbol| &symbol.bases).map(String::as_str));
        paths.extend(facts.references.iter().filter_map(|group| group.receiver.as_deref()));
        paths.sort_unstable();
        paths.dedup();
        for at in 0..paths.len() {
            paths.extend(std::iter::successors(last_step(paths[at]).0, |outer| last_step(outer).0));
        }
        paths.sort_unstable();
        paths.dedup();
        names.extend(paths.iter().filter_map(|path| last_step(path).1));
        names.sort_unstable();
        names.dedup();
        let name_of = |name: &str| names.binary_search(&name).expect("every name is in the table") as u32;
        let path_of = |path: &str| paths.binary_search(&path).expect("every path is in the table") as u32;
        let optional = |path: Option<&str>| path.map_or(0, |path| path_of(path) + 1);
        let mut wire = Self {
            statements: facts.statements(),
            content: facts.content,
            sizes: [facts.bytes_total, facts.lines_total, facts.error_bytes],
            ..Self::default()
        };
        for (row, path) in paths.iter().enumerate() {
            let (outer, name) = last_step(path);
            wire.path_outers.push(outer.map_or(0, |outer| row as u32 - path_of(outer)));
            wire.path_names.push(name.map_or(0, |name| name_of(name) + 1));
        }
        let (mut at, mut line) = (0, 0);
        for chunk in &facts.chunks {
            wire.chunk_starts.push(difference(&mut at, chunk.span.start));
            wire.chunk_lengths.push(chunk.span.len());
            wire.chunk_lines.push(difference(&mut line, chunk.lines.start));
            wire.chunk_line_counts.push(chunk.lines.end.wrapping_sub(chunk.lines.start));
            wire.chunk_kinds.push(chunk.kind);
            wire.chunk_symbols.push(chunk.symbol.map_or(0, |symbol| symbol + 1));
        }
        (at, line) = (0, 0);
        let mut last_with_bases = 0;
        for (row, symbol) in facts.symbols.iter().enumerate() {
            let start = symbol.span.start;
            wire.symbol_names.push(name_of(&symbol.name));
            wire.symbol_kinds.push(symbol.kind);
            wire.symbol_contracts.push(symbol.contract);
            wire.symbol_visibilities.push(symbol.visibility);
            wire.symbol_starts.push(difference(&mut at, start));
            wire.symbol_lengths.push(symbol.span.len());
            wire.symbol_lines.push(difference(&mut line, symbol.lines.start));
            wire.symbol_line_counts.push(symbol.lines.end.wrapping_sub(symbol.lines.start));
            wire.symbol_name_starts.push(zigzag(symbol.name_start.wrapping_sub(start)));
            wire.symbol_signature_starts.push(zigzag(symbol.signature.start.wrapping_sub(start)));
            wire.symbol_signature_lengths.push(symbol.signature.len());
            wire.symbol_doc_lengths.push(symbol.doc.map_or(0, |doc| doc.len() + 1));
            wire.symbol_doc_starts.extend(symbol.doc.map(|doc| zigzag(doc.start.wrapping_sub(start))));
            // Zigzag of the distance never gives 0 for a parent, because a symbol is not its own parent. So 0 means no
            // parent.
            wire.symbol_parents.push(symbol.parent.map_or(0, |parent| zigzag((row as u32).wrapping_sub(parent))));
            wire.symbol_receivers.push(symbol.receiver.as_deref().map_or(0, |receiver| name_of(receiver) + 1));
            wire.symbol_paths.push(optional(symbol.path.as_deref()));
            if !symbol.bases.is_empty() {
                wire.bases_of.push(difference(&mut last_with_bases, row as u32));
                wire.base_counts.push(symbol.bases.len() as u32);
                wire.bases.extend(symbol.bases.iter().map(|base| path_of(base)));
            }
            wire.signature_hashes.push(symbol.signature_hash.to_le_bytes());
            wire.body_hashes.push(symbol.body_hash.to_le_bytes());
        }
        let mut name = 0;
        for group in &facts.references {
            wire.reference_names.push(difference(&mut name, name_of(&group.name)));
            wire.reference_roles.push(group.role);
            wire.reference_receivers.push(optional(group.receiver.as_deref()));
            wire.reference_counts.push(group.lines.len() as u32);
            let mut line = 0;
            wire.reference_lines.extend(group.lines.iter().map(|next| difference(&mut line, *next)));
        }
        wire.names = names;
        wire
    }

    /// The facts; `None` when the columns do not fit together.
    pub(crate) fn into_facts(self) -> Option<Facts> {
        let [bytes_total, lines_total, error_bytes] = self.sizes;
        let (mut at, mut line) = (0, 0);
        let mut chunks = Vec::with_capacity(self.chunk_starts.len());
        for row in 0..self.chunk_starts.len() {
            let start = sum(&mut at, self.chunk_starts[row]);
            let first_line = sum(&mut line, *self.chunk_lines.get(row)?);
            chunks.push(Chunk {
                span: span(start, *self.chunk_lengths.get(row)?)?,
                lines: LineSpan { start: first_line, end: first_line.wrapping_add(*self.chunk_line_counts.get(row)?) },
                kind: *self.chunk_kinds.get(row)?,
                symbol: self
                    .chunk_symbols
                    .get(row)?
                    .checked_sub(1)
                    .filter(|at| (*at as usize) < self.symbol_names.len()),
            });
        }
        let name = |at: u32| self.names.get(at as usize).map(|name| (*name).to_owned());
        let mut paths: Vec<String> = Vec::with_capacity(self.path_outers.len());
        for (row, outer) in self.path_outers.iter().enumerate() {
            let outer = match outer {
                0 => None,
                distance => Some(paths.get(row.checked_sub(*distance as usize)?)?),
            };
            let step = match self.path_names.get(row)?.checked_sub(1) {
                Some(name) => Some(self.names.get(name as usize)?),
                None => None,
            };
            let path = match (outer, step) {
                (Some(outer), Some(name)) => [outer, ".", name].concat(),
                (Some(outer), None) => [outer, "()"].concat(),
                (None, name) => (*name?).to_owned(),
            };
            paths.push(Some(path).filter(|path| path.len() <= LONGEST_PATH)?);
        }
        let optional = |at: u32| match at.checked_sub(1) {
            Some(at) => paths.get(at as usize).cloned().map(Some),
            None => Some(None),
        };
        let mut doc_starts = self.symbol_doc_starts.iter();
        (at, line) = (0, 0);
        let mut symbols = Vec::with_capacity(self.symbol_names.len());
        for row in 0..self.symbol_names.len() {
            let start = sum(&mut at, *self.symbol_starts.get(row)?);
            let first_line = sum(&mut line, *self.symbol_lines.get(row)?);
            let from_start = |distance: u32| start.wrapping_add(unzigzag(distance));
            let doc = match self.symbol_doc_lengths.get(row)?.checked_sub(1) {
                Some(length) => Some(span(from_start(*doc_starts.next()?), length)?),
                None => None,
            };
            let parent = match self.symbol_parents.get(row)? {
                0 => None,
                distance => Some((row as u32).wrapping_sub(unzigzag(*distance))),
            };
            if parent.is_some_and(|parent| parent as usize >= self.symbol_names.len()) {
                return None;
            }
            symbols.push(Symbol {
                name: name(self.symbol_names[row])?,
                kind: *self.symbol_kinds.get(row)?,
                span: span(start, *self.symbol_lengths.get(row)?)?,
                lines: LineSpan { start: first_line, end: first_line.wrapping_add(*self.symbol_line_counts.get(row)?) },
                name_start: from_start(*self.symbol_name_starts.get(row)?),
                signature: span(
                    from_start(*self.symbol_signature_starts.get(row)?),
                    *self.symbol_signature_lengths.get(row)?,
                )?,
                doc,
                parent,
                receiver: match self.symbol_receivers.get(row)?.checked_sub(1) {
                    Some(receiver) => Some(name(receiver)?),
                    None => None,
                },
                path: optional(*self.symbol_paths.get(row)?)?,
                bases: Vec::new(),
                contract: *self.symbol_contracts.get(row)?,
                visibility: *self.symbol_visibilities.get(row)?,
                signature_hash: u32::from_le_bytes(*self.signature_hashes.get(row)?),
                body_hash: u32::from_le_bytes(*self.body_hashes.get(row)?),
            });
        }
        let (mut bases, mut with_bases) = (self.bases.iter(), 0);
        for (row, count) in self.bases_of.iter().zip(&self.base_counts) {
            let symbol: &mut Symbol = symbols.get_mut(sum(&mut with_bases, *row) as usize)?;
            let own: Option<Vec<String>> =
                bases.by_ref().take(*count as usize).map(|base| paths.get(*base as usize).cloned()).collect();
            symbol.bases = own.filter(|own| own.len() == *count as usize)?;
        }
        let mut reference_lines = self.reference_lines.iter();
        let mut name_at = 0;
        let mut references = Vec::with_capacity(self.reference_names.len());
        for row in 0..self.reference_names.len() {
            let count = *self.reference_counts.get(row)? as usize;
            let mut line = 0;
            let lines: Vec<u32> = reference_lines.by_ref().take(count).map(|next| sum(&mut line, *next)).collect();
            references.push(ReferenceGroup {
                name: name(sum(&mut name_at, self.reference_names[row]))?,
                role: *self.reference_roles.get(row)?,
                receiver: optional(*self.reference_receivers.get(row)?)?,
                lines: (lines.len() == count).then_some(lines)?,
            });
        }
        Some(Facts {
            content: self.content,
            language: self.statements.language,
            bytes_total,
            lines_total,
            error_bytes,
            chunks,
            symbols,
            imports: self.statements.imports,
            references,
            provides: self.statements.provides,
            exports: self.statements.exports,
        })
    }
}

/// Longest access path that is accepted, in bytes, so that damaged rows take little memory. Extracted paths have at
/// most 48 bytes.
const LONGEST_PATH: usize = 1 << 12;

/// Splits off the last step of an access path: the path before it, if any, and the name of the step, `None` for a
/// call.
fn last_step(path: &str) -> (Option<&str>, Option<&str>) {
    if let Some(outer) = path.strip_suffix("()") {
        return (Some(outer), None);
    }
    match path.rsplit_once('.') {
        Some((outer, name)) if !outer.is_empty() => (Some(outer), Some(name)),
        _ => (None, Some(path)),
    }
}

/// The difference from `last` to `next`, small also for a small step back; `last` becomes `next`.
fn difference(last: &mut u32, next: u32) -> u32 {
    zigzag(next.wrapping_sub(std::mem::replace(last, next)))
}

fn sum(last: &mut u32, difference: u32) -> u32 {
    *last = last.wrapping_add(unzigzag(difference));
    *last
}

/// Maps small distances in either direction to small numbers (as in Protocol Buffers' `sint32`).
fn zigzag(distance: u32) -> u32 {
    (distance << 1) ^ (0_u32.wrapping_sub(distance >> 31))
}

fn unzigzag(number: u32) -> u32 {
    (number >> 1) ^ (0_u32.wrapping_sub(number & 1))
}

fn span(start: u32, length: u32) -> Option<Span> {
    Some(Span { start, end: start.checked_add(length)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_either_way_are_small_and_come_back() {
        for (distance, number) in [(0, 0), (u32::MAX, 1), (1, 2), (u32::MAX - 1, 3), (1 << 31, u32::MAX)] {
            assert_eq!((zigzag(distance), unzigzag(number)), (number, distance));
        }
    }
}

//! What the user noted about the files of a pack.

use icr_pack::{FileNote, NOTES_MOST, NOTES_TITLE, Pack, PackCandidate, PackRequest, PackSource};
use icr_tokens::model_tokens;

use crate::Snapshot;
use crate::memory::file_notes;

/// Share of the budget that notes may take: a tenth. Two lines of 200 characters fit into it from 1,500 tokens on.
const SHARE: u32 = 10;

/// `pack` with notes about its files below the code, and these notes. If they do not fit, the pack is made again with
/// less code, but no file with a note is dropped for that.
pub(super) fn with_notes(
    snapshot: &Snapshot,
    request: &PackRequest,
    candidates: &[PackCandidate],
    pack: Pack,
) -> (Pack, Vec<FileNote>) {
    let mut notes = notes_of(snapshot, &pack.sources);
    while cost(&notes) > request.budget_tokens / SHARE {
        notes.pop();
    }
    if notes.is_empty() {
        return (pack, notes);
    }
    if let Some(whole) = pack_with_notes(request, &pack, &notes) {
        return (whole, notes);
    }
    let budget_tokens = request.budget_tokens.saturating_sub(cost(&notes) + SEAM);
    let smaller = icr_pack::pack(&PackRequest { budget_tokens, ..*request }, candidates);
    let is_there = |note: &FileNote| smaller.sources.iter().any(|source| source.path == note.path);
    let whole = if notes.iter().all(is_there) { pack_with_notes(request, &smaller, &notes) } else { None };
    whole.map_or((pack, Vec::new()), |whole| (whole, notes))
}

/// Tokens that two texts may cost more together than separately.
const SEAM: u32 = 2;

/// The first notes about files of the pack.
fn notes_of(snapshot: &Snapshot, sources: &[PackSource]) -> Vec<FileNote> {
    let paths: Vec<&str> = sources.iter().map(|source| source.path.as_str()).collect();
    let symbols: Vec<(&str, &str)> =
        sources.iter().filter_map(|source| Some((source.path.as_str(), source.symbol.as_deref()?))).collect();
    let mut notes = file_notes(snapshot, &paths, &symbols);
    notes.truncate(NOTES_MOST);
    notes
}

/// The section of the notes; empty for none.
fn section(notes: &[FileNote]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    format!("\n{NOTES_TITLE}\n{}", notes.iter().map(FileNote::line).collect::<String>())
}

fn cost(notes: &[FileNote]) -> u32 {
    model_tokens(section(notes).as_bytes())
}

/// `pack` with the notes at its end; `None` if that exceeds the budget.
fn pack_with_notes(request: &PackRequest, pack: &Pack, notes: &[FileNote]) -> Option<Pack> {
    let pack_content = format!("{}\n{}", pack.pack_content.trim_end_matches('\n'), section(notes));
    let tokens_used = model_tokens(pack_content.as_bytes());
    let tokens_remaining = request.budget_tokens.checked_sub(tokens_used)?;
    let mut whole = Pack { pack_content, ..pack.clone() };
    whole.metadata.tokens_used = tokens_used;
    whole.metadata.tokens_budget = request.budget_tokens;
    whole.metadata.tokens_remaining = tokens_remaining;
    Some(whole)
}

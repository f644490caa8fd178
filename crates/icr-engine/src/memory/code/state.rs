//! What has become of the code that memories are about.

use icr_compute::WantedBlob;
use icr_git::Membership;
use icr_impact::symbols::definition_rules;
use icr_memory::{CodeBinding, CodePlace, PlaceItem, PlaceState};
use icr_model::{BlobId, BlobNo, RepoPath, TreeId};
use rustc_hash::FxHashSet;

use crate::language_of;
use crate::memory::code::definition::{
    CodeFile, NameMeaning, NamedDefinition, are_comparable, defines, definition_digest, facts_of_blob, main_symbol,
    meanings_of,
};
use crate::memory::code::mention::MentionedName;
use crate::memory::code::plain_line;
use crate::search::path_of;
use crate::{Error, Snapshot};

/// Longest signature shown, in characters.
const SIGNATURE_CHARACTERS: usize = 200;

/// The states of the places of each of `bindings` in this view, in order.
///
/// A definition is unchanged if its text is, apart from comments and layout, whatever else changed in its file. A place
/// counts as moved, and `now` says where it is, if it was not there before and is unambiguous: a file with exactly the
/// old content, or an unchanged definition of the same qualified name. Places that the view's rules or the repository
/// hide are unknown, and so are secret files.
///
/// # Errors
///
/// Those of reading the store.
pub fn code_states(snapshot: &Snapshot, bindings: &[&CodeBinding]) -> Result<Vec<Vec<PlaceItem>>, Error> {
    let mut texts = SignatureTexts { snapshot, read: None };
    let mut states = Vec::with_capacity(bindings.len());
    for binding in bindings {
        let past =
            BindingOrigin { snapshot, binding, tree: binding.tree.as_deref().and_then(|tree| tree.parse().ok()) };
        let mut items = Vec::with_capacity(binding.places.len());
        for place in &binding.places {
            snapshot.context.deadline.check()?;
            let PlaceStatus { state, now } = past.place_status(place)?;
            let now = now.map(|now| texts.line(&now)).transpose()?;
            items.push(PlaceItem { path: place.path.clone(), symbol: place.symbol.clone(), state: Some(state), now });
        }
        states.push(items);
    }
    Ok(states)
}

/// The state of a place, and what is there now.
struct PlaceStatus {
    state: PlaceState,
    now: Option<Present>,
}

/// What the view has for a place.
enum Present {
    File(CodeFile),
    Definition(NamedDefinition),
}

impl PlaceStatus {
    const ABSENT: Self = Self { state: PlaceState::Absent, now: None };
    const UNKNOWN: Self = Self { state: PlaceState::Unknown, now: None };

    fn of(state: PlaceState, definition: NamedDefinition) -> Self {
        Self { state, now: Some(Present::Definition(definition)) }
    }
}

/// A binding, and the tree at which it was made.
struct BindingOrigin<'a> {
    snapshot: &'a Snapshot,
    binding: &'a CodeBinding,
    tree: Option<TreeId>,
}

impl BindingOrigin<'_> {
    fn place_status(&self, place: &CodePlace) -> Result<PlaceStatus, Error> {
        let path = path_of(&place.path);
        let snapshot = self.snapshot;
        if snapshot.context.foundation.shape.policy().decide(&path) == Membership::Secret {
            return Ok(PlaceStatus::UNKNOWN);
        }
        let file = CodeFile::at(snapshot, &path)?;
        if file.is_none() && is_unreadable(snapshot, &path) {
            return Ok(PlaceStatus::UNKNOWN);
        }
        match &place.symbol {
            None => self.standing_of_file(place, file),
            Some(symbol) => self.standing_of_definition(place, symbol, file),
        }
    }

    fn standing_of_file(&self, place: &CodePlace, file: Option<CodeFile>) -> Result<PlaceStatus, Error> {
        if let Some(file) = file {
            return Ok(match &place.blob {
                None => PlaceStatus::UNKNOWN,
                Some(blob) if *blob == file.file.row.blob_id.to_string() => {
                    PlaceStatus { state: PlaceState::Same, now: None }
                }
                Some(_) => PlaceStatus { state: PlaceState::Changed, now: Some(Present::File(file)) },
            });
        }
        Ok(match self.renamed_file(place)? {
            Some(file) => PlaceStatus { state: PlaceState::Moved, now: Some(Present::File(file)) },
            None => PlaceStatus::ABSENT,
        })
    }

    fn standing_of_definition(
        &self,
        place: &CodePlace,
        symbol: &str,
        file: Option<CodeFile>,
    ) -> Result<PlaceStatus, Error> {
        if let Some(definition) = file.as_ref().and_then(|file| file.definition(symbol)) {
            return Ok(PlaceStatus::of(self.compare_definition(place, &definition)?, definition));
        }
        if file.is_none()
            && let Some(definition) = self.renamed_file(place)?.and_then(|file| file.definition(symbol))
        {
            return Ok(PlaceStatus::of(PlaceState::Moved, definition));
        }
        let Some(definition) = self.moved_definition(place, symbol)? else { return Ok(PlaceStatus::ABSENT) };
        let state = match self.compare_definition(place, &definition)? {
            PlaceState::Same => PlaceState::Moved,
            _ => PlaceState::Changed,
        };
        Ok(PlaceStatus::of(state, definition))
    }

    /// Whether a definition at its old place is unchanged.
    fn compare_definition(&self, place: &CodePlace, definition: &NamedDefinition) -> Result<PlaceState, Error> {
        if place.blob.as_deref() == Some(&*definition.code.file.row.blob_id.to_string()) {
            return Ok(PlaceState::Same);
        }
        let (Some(now), Some(then)) = (definition.digest(self.snapshot), self.digest_then(place, definition)?) else {
            return Ok(PlaceState::Unknown);
        };
        let is_same = now == then && !self.has_other_blocks(place, definition)?;
        Ok(if is_same { PlaceState::Same } else { PlaceState::Changed })
    }

    /// Whether lines of a definition have moved to other blocks, in a language where indentation defines blocks. The
    /// old indentation of a definition that was never committed is unknown.
    fn has_other_blocks(&self, place: &CodePlace, definition: &NamedDefinition) -> Result<bool, Error> {
        let path = path_of(&place.path);
        if !definition_rules(language_of(&place.path)).indents_blocks {
            return Ok(false);
        }
        let Some(blob_id) = blob_then(place) else { return Ok(false) };
        let mut text = Vec::new();
        if let Err(error) = self.snapshot.context.foundation.repository.reader().read(blob_id, &mut text) {
            tracing::debug!(%error, "the blocks of a definition are not compared");
            return Ok(false);
        }
        let Some(facts) = facts_of_blob(self.snapshot, blob_id, &path)? else { return Ok(false) };
        let Some(symbol) = main_symbol(&facts, &definition.qualified_name) else { return Ok(false) };
        let then = block_depths(facts.symbols[symbol].span.of(&text));
        let mut text = Vec::new();
        if self.snapshot.view.texts().read(&definition.code.file.row, &mut text).is_err() {
            return Ok(false);
        }
        let now = block_depths(definition.symbol().span.of(&text));
        // With another number of lines, the same tokens were only wrapped differently.
        Ok(then.len() == now.len() && then != now)
    }

    /// The digest of the old definition with the present recipe; `None` if its old text is no longer available.
    fn digest_then(&self, place: &CodePlace, definition: &NamedDefinition) -> Result<Option<String>, Error> {
        let kept = place.definition.clone();
        let now = definition.digest(self.snapshot);
        if kept.as_deref().zip(now.as_deref()).is_some_and(|(kept, now)| are_comparable(kept, now)) {
            return Ok(kept);
        }
        let Some(blob_id) = blob_then(place) else { return Ok(None) };
        let path = path_of(&place.path);
        let facts = facts_of_blob(self.snapshot, blob_id, &path)?;
        Ok(facts.and_then(|facts| definition_digest(self.snapshot, &path, &facts, &definition.qualified_name)))
    }

    /// The file that has exactly the old content of a deleted file. It must be the only one, and must not have had this
    /// content before.
    fn renamed_file(&self, place: &CodePlace) -> Result<Option<CodeFile>, Error> {
        let Some(blob_id) = blob_then(place) else { return Ok(None) };
        let Some(blob_no) = blob_of_view(self.snapshot, blob_id, &path_of(&place.path))? else { return Ok(None) };
        let paths = self.snapshot.view.paths_of(&FxHashSet::from_iter([blob_no]))?;
        let mut new = Vec::new();
        for (_, _, other) in &paths {
            if self.blob_before(&other.path) != Some(blob_id) {
                new.push(&other.path);
            }
        }
        let [path] = new.as_slice() else { return Ok(None) };
        let file = CodeFile::at(self.snapshot, path)?;
        // Many files are empty, and none of them is the new place of another.
        Ok(file.filter(|file| file.file.row.bytes_total > 0))
    }

    /// The definition of that qualified name that is now in another file. It must be the only one, and must not have
    /// been there before.
    fn moved_definition(&self, place: &CodePlace, symbol: &str) -> Result<Option<NamedDefinition>, Error> {
        let mut parts: Vec<String> = symbol.split('.').map(str::to_owned).collect();
        let Some(name) = parts.pop() else { return Ok(None) };
        let name = MentionedName { outer: parts, name };
        let meanings = meanings_of(self.snapshot, &name)?.unwrap_or_default();
        let path = path_of(&place.path);
        let mut new = Vec::new();
        for definition in meanings.iter().filter_map(NameMeaning::definition) {
            let is_it = definition.qualified_name == symbol && *definition.code.path() != path;
            if is_it && !self.was_there(definition)? {
                new.push(definition.clone());
            }
        }
        // If there are several, the unchanged one.
        if new.len() > 1 {
            new.retain(|definition| place.definition.is_some() && definition.digest(self.snapshot) == place.definition);
        }
        Ok(if new.len() == 1 { new.pop() } else { None })
    }

    /// Whether a definition was at its present place when the binding was made; true if that is unknown.
    fn was_there(&self, definition: &NamedDefinition) -> Result<bool, Error> {
        let path = definition.code.path();
        let is_of_binding = |place: &CodePlace| {
            place.symbol.as_deref() == Some(&definition.qualified_name) && path_of(&place.path) == *path
        };
        if self.tree.is_none() || self.binding.places.iter().any(is_of_binding) {
            return Ok(true);
        }
        let Some(blob_id) = self.blob_before(path) else { return Ok(false) };
        if blob_id == definition.code.file.row.blob_id {
            return Ok(true);
        }
        let facts = facts_of_blob(self.snapshot, blob_id, path)?;
        Ok(facts.is_none_or(|facts| defines(&facts, &definition.qualified_name)))
    }

    /// The blob at a path in the tree of the binding; `None` if there is none, or if the tree is no longer available.
    fn blob_before(&self, path: &RepoPath) -> Option<BlobId> {
        let repository = &self.snapshot.context.foundation.repository;
        let (blob_id, kind) = repository.file_at(self.tree?, path).ok()??;
        kind.is_file().then_some(blob_id)
    }
}

/// The indentation level of each line of a text, 0 for the least. Blank lines and comments are ignored.
fn block_depths(text: &[u8]) -> Vec<usize> {
    let says_something = |line: &&[u8]| {
        let line = line.trim_ascii_start();
        !line.is_empty() && !line.starts_with(b"#")
    };
    // The text of the first line starts after its indentation.
    let lines = text.split(|byte| *byte == b'\n').skip(1).filter(says_something);
    let indents: Vec<usize> = lines.map(|line| line.len() - line.trim_ascii_start().len()).collect();
    let mut known = indents.clone();
    known.sort_unstable();
    known.dedup();
    indents.iter().map(|indent| known.partition_point(|other| other < indent)).collect()
}

/// The file's blob when the binding was made.
fn blob_then(place: &CodePlace) -> Option<BlobId> {
    place.blob.as_deref()?.parse().ok()
}

/// The number of a blob in the language of a path, as in the view; `None` for a blob that the view cannot have.
fn blob_of_view(snapshot: &Snapshot, blob_id: BlobId, path: &RepoPath) -> Result<Option<BlobNo>, Error> {
    let wanted = WantedBlob { blob_id, language: icr_lang::language_of(path) };
    if let Some(row) = snapshot.view.transient().rows.get(&wanted) {
        return Ok(Some(row.blob_no));
    }
    Ok(snapshot.view.look_ups().row_of(wanted)?.map(|row| row.blob_no))
}

/// Whether the tree has a file that the view does not show: its rules leave it out, or its object cannot be read.
fn is_unreadable(snapshot: &Snapshot, path: &RepoPath) -> bool {
    let overlay = snapshot.view.overlay();
    if overlay.unread.iter().any(|unread| unread.path == *path) {
        return true;
    }
    let repository = &snapshot.context.foundation.repository;
    let in_tree = || repository.file_at(snapshot.view.revision().tree, path);
    overlay.entry(path).is_none() && in_tree().map_or(true, |file| file.is_some_and(|(_, kind)| kind.is_file()))
}

/// Signatures as they are written, with the text that was read last.
struct SignatureTexts<'a> {
    snapshot: &'a Snapshot,
    read: Option<(BlobNo, Vec<u8>)>,
}

impl SignatureTexts<'_> {
    /// One line: where it is, and a definition's signature or a file's length.
    fn line(&mut self, present: &Present) -> Result<String, Error> {
        match present {
            Present::File(file) => {
                let lines = file.file.row.lines_total;
                let unit = if lines == 1 { "line" } else { "lines" };
                Ok(plain_line(&format!("{}, {lines} {unit}", file.path()), usize::MAX))
            }
            Present::Definition(definition) => {
                let signature = self.signature(definition)?;
                let place = format!("{}:{}", definition.code.path(), definition.symbol().lines.start);
                let signature = signature.unwrap_or_else(|| definition.qualified_name.clone());
                Ok(format!("{} {}", plain_line(&place, usize::MAX), plain_line(&signature, SIGNATURE_CHARACTERS)))
            }
        }
    }

    /// The signature as written; `None` where the text cannot be read.
    fn signature(&mut self, definition: &NamedDefinition) -> Result<Option<String>, Error> {
        let row = &definition.code.file.row;
        if self.read.as_ref().is_none_or(|(blob_no, _)| *blob_no != row.blob_no) {
            let mut text = Vec::new();
            if let Err(error) = self.snapshot.view.texts().read(row, &mut text) {
                tracing::debug!(%error, "a signature is not shown");
                return Ok(None);
            }
            self.read = Some((row.blob_no, text));
        }
        let Some((_, text)) = &self.read else { return Ok(None) };
        Ok(Some(String::from_utf8_lossy(definition.symbol().signature.of(text)).into_owned()))
    }
}

//! `icr init`

use std::path::{Path, PathBuf};

use super::entry::{ConfigurationEntry, EntryLocation, EntryState, Insertion};
use super::files;
use super::json;
use super::manifest::{Error, FileRecord, FileState, InstallationManifest};
use super::refusal::Refusal;
use super::wanted_entries::{NAME, NoPlace, WantedEntry, wanted_entries};
use super::{ConfigurationReport, FileOutcome, FileReport, InitRequest, diff};
use crate::hosts::ConfigurationScope;

/// Puts icr into the files of the hosts in `request`, file by file. A refusal in one file does not affect the others.
/// Running it twice has the same result as once.
///
/// # Errors
///
/// [`Error`] if the manifest cannot be read or written. Changes made before the error stay and are in the manifest.
pub fn init(request: &InitRequest<'_>) -> Result<ConfigurationReport, Error> {
    let mut manifest = match request.dry_run {
        true => InstallationManifest::read(request.agents_directory)?,
        false => InstallationManifest::lock(request.agents_directory)?,
    };
    let mut report = ConfigurationReport::default();
    let mut by_file: Vec<(PathBuf, Vec<WantedEntry>)> = Vec::new();
    for (host, mode) in request.hosts.iter().flat_map(|host| request.modes.iter().map(move |mode| (*host, *mode))) {
        match wanted_entries(request, host, mode) {
            Ok(entries) => entries.into_iter().for_each(|entry| add(&mut by_file, entry)),
            Err(NoPlace { refusal: None, .. }) => report.without_place.push((host, mode)),
            Err(NoPlace { path, refusal: Some(refusal), .. }) => report.files.push(FileReport {
                path,
                hosts: vec![host.name.to_owned()],
                modes: vec![mode.name().to_owned()],
                outcome: FileOutcome::Unchanged,
                is_unrecorded: false,
                refusals: vec![refusal],
                diff: String::new(),
            }),
        }
    }
    for (path, entries) in by_file {
        report.files.push(fill(&mut manifest, request, &path, &entries)?);
    }
    Ok(report)
}

fn add(by_file: &mut Vec<(PathBuf, Vec<WantedEntry>)>, wanted: WantedEntry) {
    match by_file.iter_mut().find(|(path, _)| *path == wanted.path) {
        Some((_, entries)) => entries.push(wanted),
        None => by_file.push((wanted.path.clone(), vec![wanted])),
    }
}

/// Puts `entries` into the file at `path`.
fn fill(
    manifest: &mut InstallationManifest,
    request: &InitRequest<'_>,
    path: &Path,
    entries: &[WantedEntry],
) -> Result<FileReport, Error> {
    let mut file = FileReport {
        path: Some(path.to_owned()),
        hosts: Vec::new(),
        modes: Vec::new(),
        outcome: FileOutcome::Unchanged,
        is_unrecorded: false,
        refusals: Vec::new(),
        diff: String::new(),
    };
    for wanted in entries {
        push_new(&mut file.hosts, wanted.host.name);
        push_new(&mut file.modes, wanted.mode.name());
    }
    let project = request.directories.project.as_deref().filter(|_| request.scope == ConfigurationScope::Project);
    let plan = match plan(manifest, request, path, project, entries, &mut file) {
        Ok(plan) => plan,
        Err(refusal) => {
            file.refusals.push(refusal);
            return Ok(file);
        }
    };
    let Some(FilePlan { record, base, before, after, state, is_taken_over }) = plan else { return Ok(file) };
    let is_changed = before.as_deref() != Some(after.as_str());
    if is_changed && let Err(refusal) = files::check_writable(path) {
        file.refusals.push(refusal);
        return Ok(file);
    }
    if !request.dry_run {
        let outcome = manifest.change(record, base.as_deref(), before.as_deref(), Some(&after), state)?;
        if let Err(refusal) = outcome {
            file.refusals.push(refusal);
            return Ok(file);
        }
    }
    file.outcome = match FileOutcome::between(before.as_deref(), Some(&after)) {
        FileOutcome::Unchanged if is_taken_over => FileOutcome::TakenOver,
        outcome => outcome,
    };
    file.diff = diff(path, before.as_deref(), Some(&after));
    Ok(file)
}

/// A planned change to a file.
struct FilePlan {
    record: FileRecord,
    base: Option<String>,
    before: Option<String>,
    after: String,
    state: FileState,
    /// Whether existing entries without a record are added to the manifest.
    is_taken_over: bool,
}

/// The plan for a file; `None` if all entries are there already, and if all are refused.
fn plan(
    manifest: &InstallationManifest,
    request: &InitRequest<'_>,
    path: &Path,
    project: Option<&Path>,
    entries: &[WantedEntry],
    file: &mut FileReport,
) -> Result<Option<FilePlan>, Refusal> {
    if path.to_str().is_none() {
        return Err(Refusal::PathNotUtf8);
    }
    let before = files::read(path, project)?;
    let known = manifest.record(path).and_then(|record| record.state.clone());
    let mut text = before.clone().unwrap_or_default();
    let mut insertions = known.as_ref().map(|state| state.insertions.clone()).unwrap_or_default();
    let is_as_left = known.as_ref().is_some_and(|state| state.written == before.as_deref().map(files::digest));
    let base = match (&known, &before) {
        (None, _) | (_, None) => before.clone(),
        (Some(state), Some(text)) => base_of(manifest, state, text, is_as_left)?,
    };
    if before.is_none() {
        insertions.clear();
    }
    let PlacedEntries { adopted, has_entry } = place_all(entries, request, &mut text, &mut insertions, file);
    if !file.refusals.is_empty() && !has_entry {
        // What an entry needs beside it is of no use alone.
        return Ok(None);
    }
    let base = match &base {
        // A file that contains only these entries may have existed before, perhaps empty.
        Some(base) if !adopted.is_empty() => {
            without_all(base, &adopted, adopted.iter().any(|insertion| insertion.entry.place == EntryLocation::File))?
        }
        _ => base,
    };
    let known_insertions = known.as_ref().map(|state| state.insertions.as_slice()).unwrap_or_default();
    let is_written = before.as_deref() == Some(text.as_str()) || (before.is_none() && text.is_empty());
    if is_written && insertions == known_insertions {
        return Ok(None);
    }
    let state = FileState {
        base: base.as_deref().map(files::digest),
        written: Some(files::digest(&text)),
        insertions,
        directories: known.map(|state| state.directories).unwrap_or_default(),
    };
    let record = manifest.record(path).cloned().unwrap_or_else(|| FileRecord {
        path: path.to_owned(),
        project: project.map(Path::to_owned),
        state: None,
        pending: None,
    });
    Ok(Some(FilePlan { record, base, before, after: text, state, is_taken_over: !adopted.is_empty() }))
}

/// What became of the entries that a file is to have.
#[derive(Default)]
struct PlacedEntries {
    /// Entries that were there without a record and are taken over.
    adopted: Vec<Insertion>,
    /// Whether an entry of icr's own is there, not only what it needs beside it.
    has_entry: bool,
}

/// Puts `entries` into `text` and records them in `insertions`; refusals go into the report of the file.
fn place_all(
    entries: &[WantedEntry],
    request: &InitRequest<'_>,
    text: &mut String,
    insertions: &mut Vec<Insertion>,
    file: &mut FileReport,
) -> PlacedEntries {
    let mut all = PlacedEntries::default();
    for wanted in entries {
        let known_count = insertions.len();
        let is_default = matches!(wanted.entry.place, EntryLocation::JsonDefault { .. });
        match place(text, &wanted.entry, insertions, request) {
            Ok(placed) => {
                all.has_entry |= !is_default;
                match placed {
                    Some(placed) => *text = placed,
                    None => all.adopted.extend(insertions.get(known_count..).unwrap_or_default().iter().cloned()),
                }
                let ours = insertions.iter_mut().find(|insertion| insertion.entry.place == wanted.entry.place);
                file.is_unrecorded |= !is_default && ours.is_none();
                if let Some(insertion) = ours {
                    push_new(&mut insertion.hosts, wanted.host.name);
                    push_new(&mut insertion.modes, wanted.mode.name());
                }
            }
            Err(refusal) => file.refusals.push(refusal),
        }
    }
    all
}

/// The text that a file with `text` would have without icr: the backup, if it exists and the file is as icr left it.
pub(super) fn base_of(
    manifest: &InstallationManifest,
    state: &FileState,
    text: &str,
    is_as_left: bool,
) -> Result<Option<String>, Refusal> {
    let backup = state.base.as_deref().and_then(|digest| manifest.backup(digest));
    match (&state.base, backup) {
        (None, _) if is_as_left => Ok(None),
        (Some(_), Some(backup)) if is_as_left => Ok(Some(backup)),
        (base, _) => without_all(text, &state.insertions, base.is_none()),
    }
}

/// `text` without any of `insertions`; `None` if nothing is left of a file that icr created.
pub(super) fn without_all(text: &str, insertions: &[Insertion], is_made: bool) -> Result<Option<String>, Refusal> {
    let mut left = text.to_owned();
    for insertion in insertions.iter().rev() {
        left = insertion.remove(&left)?;
    }
    let is_json = insertions.iter().any(|insertion| {
        use EntryLocation::{JsonDefault, JsonItem, JsonMember};
        matches!(insertion.entry.place, JsonMember { .. } | JsonItem { .. } | JsonDefault { .. })
    });
    let is_nothing = left.trim_start_matches('\u{feff}').trim().is_empty() || (is_json && json::is_vacuous(&left));
    Ok(if is_made && is_nothing { None } else { Some(left) })
}

/// Puts `entry` into `text` and adds the record to `insertions`. If the entry is there already, the text stays; an
/// entry without a record is then recorded if the user uses `--force`.
fn place(
    text: &str,
    entry: &ConfigurationEntry,
    insertions: &mut Vec<Insertion>,
    request: &InitRequest<'_>,
) -> Result<Option<String>, Refusal> {
    let ours = insertions.iter().position(|insertion| insertion.entry.place == entry.place);
    let (texts, canonical) = match entry.state_in(text)? {
        EntryState::Equal if ours.is_none() && request.force => {
            insertions.push(Insertion::from_existing(entry));
            return Ok(None);
        }
        EntryState::Equal => return Ok(None),
        EntryState::Absent => {
            let (after, insertion) = entry.insert(text)?;
            let (hosts, modes) = match ours {
                Some(ours) => (insertions[ours].hosts.clone(), insertions[ours].modes.clone()),
                None => (Vec::new(), Vec::new()),
            };
            if let Some(ours) = ours {
                insertions.remove(ours);
            }
            insertions.push(Insertion { hosts, modes, ..insertion });
            return Ok(Some(after));
        }
        EntryState::Other { texts, canonical } => (texts, canonical),
    };
    let what = entry.title();
    match ours.map(|ours| insertions[ours].clone()) {
        Some(known) => {
            if known.entry.canonical() != canonical && !request.force {
                return Err(Refusal::Changed { what });
            }
            // An older entry of icr: the new one takes its place and keeps the record of what was there before icr.
            let (after, fresh) = entry.insert(text)?;
            let replaced = fresh.replaced.clone();
            let newer = if known.text.matches(&replaced).count() == 1 && !replaced.is_empty() {
                Insertion { text: known.text.replace(&replaced, &fresh.text), entry: entry.clone(), ..known }
            } else {
                // From now on it is found by its place alone.
                Insertion { text: String::new(), entry: entry.clone(), ..known }
            };
            if let Some(ours) = ours {
                insertions[ours] = newer;
            }
            Ok(Some(after))
        }
        None => {
            match command_of(&texts) {
                Some(command) if !is_gone(&command, request) && !request.force => return Ok(None),
                Some(command) if !request.force => return Err(Refusal::Stale { what, command }),
                None if !request.force => return Err(Refusal::Foreign { what }),
                _ => {}
            }
            let (after, insertion) = entry.insert(text)?;
            insertions.push(insertion);
            Ok(Some(after))
        }
    }
}

/// Path or name of the icr that an entry runs; `None` if it does not run icr.
pub(super) fn command_of(texts: &[String]) -> Option<String> {
    let is_called = texts.iter().any(|text| text.split(' ').any(|word| matches!(word, "mcp" | "serve" | "hook")));
    let words = texts.iter().flat_map(|text| [text.as_str(), text.split(' ').next().unwrap_or_default()]);
    let words = words.map(|word| word.trim_matches(['\'', '"']));
    let is_icr = |word: &&str| {
        let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
        name.strip_suffix(".exe").unwrap_or(name) == NAME
    };
    let icrs: Vec<&str> = words.filter(is_icr).collect();
    // `icr` may also be just the name of the entry, so another path is preferred.
    let command = icrs.iter().find(|word| **word != NAME).or(icrs.first());
    command.filter(|_| is_called).map(|command| (*command).to_owned())
}

fn is_gone(command: &str, request: &InitRequest<'_>) -> bool {
    if command == NAME { !request.is_on_path } else { !Path::new(command).exists() }
}

fn push_new(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

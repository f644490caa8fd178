//! `icr uninstall`

use std::path::PathBuf;

use super::entry::Insertion;
use super::files;
use super::init::{base_of, without_all};
use super::manifest::{Error, FileRecord, FileState, InstallationManifest};
use super::refusal::Refusal;
use super::{ConfigurationReport, FileOutcome, FileReport, UninstallRequest, diff};

/// Removes icr from the files of its manifest. A file that is as icr left it gets its former text back byte for byte,
/// or is removed if it did not exist before. From any other file, only icr's entries are removed. Refused entries stay
/// in the manifest.
///
/// # Errors
///
/// [`Error`] where the manifest cannot be read or written.
pub fn uninstall(request: &UninstallRequest<'_>) -> Result<ConfigurationReport, Error> {
    let mut manifest = match request.dry_run {
        true => InstallationManifest::read(request.agents_directory)?,
        // Without a lock file, `icr init` never wrote anything.
        false if !request.agents_directory.join("lock").exists() => return Ok(ConfigurationReport::default()),
        false => InstallationManifest::lock(request.agents_directory)?,
    };
    let mut report = ConfigurationReport::default();
    let paths: Vec<PathBuf> = manifest.files.iter().map(|record| record.path.clone()).collect();
    for path in paths {
        // Read again, because removing an earlier file may have changed this record's directories.
        let Some(record) = manifest.record(&path).cloned() else { continue };
        let is_meant = request.project.is_none_or(|project| record.project.as_deref() == Some(project));
        let Some(state) = record.state.clone().filter(|_| is_meant) else { continue };
        let (stay, go) = split_by_hosts(&state.insertions, request.hosts);
        if go.is_empty() && stay == state.insertions {
            continue;
        }
        report.files.push(remove_insertions(&mut manifest, request, record, &state, stay, &go)?);
    }
    Ok(report)
}

/// Splits the insertions into those that stay for other hosts and those to remove.
fn split_by_hosts(insertions: &[Insertion], hosts: &[&'static str]) -> (Vec<Insertion>, Vec<Insertion>) {
    let (mut stay, mut go) = (Vec::new(), Vec::new());
    for insertion in insertions {
        let mut left = insertion.clone();
        left.hosts.retain(|host| !hosts.is_empty() && !hosts.contains(&host.as_str()));
        if left.hosts.is_empty() {
            go.push(insertion.clone());
        } else {
            stay.push(left);
        }
    }
    (stay, go)
}

/// Removes the insertions `go` from the file of `record`.
fn remove_insertions(
    manifest: &mut InstallationManifest,
    request: &UninstallRequest<'_>,
    record: FileRecord,
    state: &FileState,
    stay: Vec<Insertion>,
    go: &[Insertion],
) -> Result<FileReport, Error> {
    let path = record.path.clone();
    let names = |of: fn(&Insertion) -> &Vec<String>| {
        let mut all: Vec<String> = go.iter().flat_map(|insertion| of(insertion).clone()).collect();
        all.sort();
        all.dedup();
        all
    };
    let mut file = FileReport {
        path: Some(path.clone()),
        hosts: names(|insertion| &insertion.hosts),
        modes: names(|insertion| &insertion.modes),
        outcome: FileOutcome::Unchanged,
        is_unrecorded: false,
        refusals: Vec::new(),
        diff: String::new(),
    };
    let FileTexts { base, before, after } = match texts(manifest, &record, state, &stay, go) {
        Ok(texts) => texts,
        Err(refusal) => {
            file.refusals.push(refusal);
            return Ok(file);
        }
    };
    if !request.dry_run {
        let next = FileState {
            base: base.as_deref().map(files::digest),
            written: after.as_deref().map(files::digest),
            insertions: if before.is_some() { stay } else { Vec::new() },
            directories: state.directories.clone(),
        };
        let kept = base.as_deref().filter(|_| !next.insertions.is_empty());
        let outcome: Result<(), Refusal> = manifest.change(record, kept, before.as_deref(), after.as_deref(), next)?;
        if let Err(refusal) = outcome {
            file.refusals.push(refusal);
            return Ok(file);
        }
    }
    file.outcome = FileOutcome::between(before.as_deref(), after.as_deref());
    file.diff = diff(&path, before.as_deref(), after.as_deref());
    Ok(file)
}

/// Texts of a file; `None` where it does not exist.
struct FileTexts {
    /// Without anything of icr.
    base: Option<String>,
    /// As it is.
    before: Option<String>,
    /// Without the insertions to remove.
    after: Option<String>,
}

/// The texts of the file of `record`, from which the insertions `go` are to be removed and `stay` are not.
fn texts(
    manifest: &InstallationManifest,
    record: &FileRecord,
    state: &FileState,
    stay: &[Insertion],
    go: &[Insertion],
) -> Result<FileTexts, Refusal> {
    let before = files::read(&record.path, record.project.as_deref())?;
    let is_as_left = before.as_deref().map(files::digest) == state.written;
    let base = match &before {
        Some(text) => base_of(manifest, state, text, is_as_left)?,
        None => None,
    };
    let after = match (&before, stay.is_empty()) {
        (None, _) => None,
        (Some(_), true) => base.clone(),
        (Some(text), false) => without_all(text, go, false)?,
    };
    if before != after {
        files::check_writable(&record.path)?;
    }
    Ok(FileTexts { base, before, after })
}

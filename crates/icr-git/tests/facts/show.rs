//! Answers as text, and repositories opened for tests.

use std::path::Path;

use icr_fixture::Fixture;
use icr_git::{ChangeKind, CommitFacts, FileKind, Overlay, OverlayState, Policy, Repository};
use icr_model::TreeId;

pub(crate) fn open(directory: &Path) -> Repository {
    Repository::discover(directory).unwrap()
}

pub(crate) fn head_tree(repository: &Repository) -> TreeId {
    repository.head().unwrap().tree
}

/// The overlay over HEAD, one path a line: `path blob-id bytes` or `path deleted`, then the gaps.
pub(crate) fn overlay_at(directory: &Path) -> String {
    let repository = open(directory);
    show(&repository.overlay(&Policy::default(), head_tree(&repository)).unwrap())
}

pub(crate) fn show(overlay: &Overlay) -> String {
    let entries = overlay.entries.iter().map(|entry| match entry.state {
        OverlayState::Present { blob, bytes_total } => format!("{} {blob} {bytes_total}\n", entry.path),
        OverlayState::Deleted => format!("{} deleted\n", entry.path),
    });
    entries.chain(overlay.gaps.iter().map(|gap| format!("{gap:?}\n"))).collect()
}

/// Checks the overlay of the fixture's worktree over HEAD. In `expected` a line is `path = content` (what git would
/// store, with `\n` and `\r` written so), `path deleted`, or a gap.
#[track_caller]
pub(crate) fn check_overlay(fixture: &Fixture, expected: &str) {
    let expected: String = expected.lines().map(|line| with_blob(fixture, line) + "\n").collect();
    assert_eq!(overlay_at(fixture.root()), expected);
}

fn with_blob(fixture: &Fixture, line: &str) -> String {
    let Some((path, content)) = line.split_once(" = ") else { return line.to_owned() };
    let content = content.replace("\\n", "\n").replace("\\r", "\r");
    let file = fixture.home().join("content");
    std::fs::write(&file, &content).unwrap();
    let id = fixture.git(&["hash-object", "--no-filters", file.to_str().unwrap()]);
    format!("{path} {id} {}", content.len())
}

pub(crate) fn letter(kind: ChangeKind) -> char {
    match kind {
        ChangeKind::Added => 'A',
        ChangeKind::Modified => 'M',
        ChangeKind::Deleted => 'D',
        ChangeKind::Renamed => 'R',
        ChangeKind::TypeChanged => 'T',
    }
}

pub(crate) fn mode(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Regular => "100644",
        FileKind::Executable => "100755",
        FileKind::Symlink => "120000",
        FileKind::Submodule => "160000",
    }
}

/// A commit as `git log --format=%H --name-status` shows it, with the similarity left out.
pub(crate) fn name_status(facts: &CommitFacts) -> String {
    let changes = facts.changes.iter().flatten().map(|change| match &change.old_path {
        Some(old) => format!("\n{}\t{old}\t{}", letter(change.kind), change.path),
        None => format!("\n{}\t{}", letter(change.kind), change.path),
    });
    format!("{}{}", facts.id, changes.collect::<String>())
}

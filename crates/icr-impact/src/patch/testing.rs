//! What the tests of this module share.

use super::{FilePatch, LineKind};

/// A unified diff of one file, by a printer as small as can be: quadratic, and with `context` lines around changes.
pub(super) fn printed(old: &[u8], new: &[u8], context: usize) -> Vec<u8> {
    let (old, new) = (lines(old), lines(new));
    let script = script(&old, &new);
    let mut text = b"--- a/f\n+++ b/f\n".to_vec();
    let mut start = 0;
    while let Some(first) = script[start..].iter().position(|(kind, _)| *kind != LineKind::Context) {
        let first = start + first;
        // A hunk ends where more lines are equal than it shows around the changes.
        let mut last = first;
        let mut next = first;
        while next < script.len() && next - last <= 2 * context + 1 {
            if script[next].0 != LineKind::Context {
                last = next;
            }
            next += 1;
        }
        let from = first.saturating_sub(context).max(start);
        let end = (last + 1 + context).min(script.len());
        push_hunk(&script[..from], &script[from..end], &mut text);
        start = end;
    }
    text
}

/// One line for each patch: status, paths, what is special, hunks.
pub(super) fn summary(patches: &[FilePatch<'_>]) -> String {
    patches.iter().map(|patch| format!("{}\n", summary_of(patch))).collect()
}

fn summary_of(patch: &FilePatch<'_>) -> String {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let mut text = format!("{:?}", patch.status);
    match (&patch.old_path, &patch.new_path) {
        (Some(old), Some(new)) if old != new => text += &format!(" {old} -> {new}"),
        _ => text += &format!(" {}", patch.path()),
    }
    if patch.old_mode.is_some() || patch.new_mode.is_some() {
        let mode = |mode: Option<u32>| or_none(mode.map(|mode| format!("{mode:o}")));
        text += &format!(" {}..{}", mode(patch.old_mode), mode(patch.new_mode));
    }
    if patch.old_blob.is_some() || patch.new_blob.is_some() {
        text += &format!(" {}..{}", or_none(patch.old_blob.clone()), or_none(patch.new_blob.clone()));
    }
    text += if patch.binary { " binary" } else { "" };
    text += if patch.submodule { " submodule" } else { "" };
    for hunk in &patch.hunks {
        let ((old, old_lines), (new, new_lines)) = ((hunk.old_start, hunk.old_lines), (hunk.new_start, hunk.new_lines));
        let section = String::from_utf8_lossy(&hunk.section);
        text += &format!(" @{old},{old_lines} {new},{new_lines}@{section}");
    }
    text + &format!(" +{} -{}", patch.lines_added(), patch.lines_removed())
}

type Script<'a> = [(LineKind, &'a [u8])];

fn lines(content: &[u8]) -> Vec<&[u8]> {
    content.split_inclusive(|byte| *byte == b'\n').collect()
}

/// The lines of both contents in the order of a diff, with as many shared ones as can be.
fn script<'a>(old: &[&'a [u8]], new: &[&'a [u8]]) -> Vec<(LineKind, &'a [u8])> {
    // Shared lines of what follows a place in both.
    let mut shared = vec![vec![0; new.len() + 1]; old.len() + 1];
    for x in (0..old.len()).rev() {
        for y in (0..new.len()).rev() {
            shared[x][y] = match old[x] == new[y] {
                true => shared[x + 1][y + 1] + 1,
                false => shared[x + 1][y].max(shared[x][y + 1]),
            };
        }
    }
    let (mut x, mut y) = (0, 0);
    let mut script = Vec::new();
    while x < old.len() || y < new.len() {
        if x < old.len() && y < new.len() && old[x] == new[y] {
            script.push((LineKind::Context, old[x]));
            (x, y) = (x + 1, y + 1);
        } else if x < old.len() && (y == new.len() || shared[x + 1][y] >= shared[x][y + 1]) {
            script.push((LineKind::Removed, old[x]));
            x += 1;
        } else {
            script.push((LineKind::Added, new[y]));
            y += 1;
        }
    }
    script
}

fn push_hunk(before: &Script<'_>, hunk: &Script<'_>, text: &mut Vec<u8>) {
    let range = |other: LineKind| {
        let count = |script: &Script<'_>| script.iter().filter(|(kind, _)| *kind != other).count();
        let (start, length) = (count(before), count(hunk));
        format!("{},{length}", if length == 0 { start } else { start + 1 })
    };
    text.extend(format!("@@ -{} +{} @@\n", range(LineKind::Added), range(LineKind::Removed)).into_bytes());
    for (kind, line) in hunk {
        text.push(match kind {
            LineKind::Context => b' ',
            LineKind::Added => b'+',
            LineKind::Removed => b'-',
        });
        text.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            text.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

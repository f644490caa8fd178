//! How many lines differ between two contents.

use std::collections::HashMap;

/// Lines that differ between two contents, as a line diff counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct LineChanges {
    /// Lines of the new content that the old one lacks.
    pub added: u32,
    /// Lines of the old content that the new one lacks.
    pub removed: u32,
}

/// Steps of the search for the shortest way from one content to the other: about half a second.
const MOST_STEPS: usize = 1 << 26;

/// Edits that are searched for in one go, at least, in contents of millions of lines.
const LEAST_EDITS: usize = 16;

/// Not reached, and beaten by any place that is.
const UNREACHED: isize = isize::MIN / 2;

/// Lines that have to be added and removed to get from `old` to `new`, as few as possible. Lines are equal when all
/// their bytes are, line ends too.
///
/// Cost: linear in the contents, plus a bounded search among the lines that both contents have between their first and
/// last difference. With up to 11,000 such lines the counts are exact, and with more if few of them differ. Otherwise,
/// the counts may not be minimal, as in git's own diffs.
pub fn changed_lines(old: &[u8], new: &[u8]) -> LineChanges {
    changed_lines_within(old, new, MOST_STEPS)
}

fn changed_lines_within(old: &[u8], new: &[u8], most_steps: usize) -> LineChanges {
    let mut numbers = HashMap::new();
    let (old, new) = (numbered(old, &mut numbers), numbered(new, &mut numbers));
    let (old, new) = without_shared_ends(&old, &new);
    let occurrences = occurrences(old, new, numbers.len());
    let on_both = |line: &&u32| occurrences[**line as usize].0 > 0 && occurrences[**line as usize].1 > 0;
    let old_shared: Vec<u32> = old.iter().filter(on_both).copied().collect();
    let new_shared: Vec<u32> = new.iter().filter(on_both).copied().collect();
    let shared = old_shared.len() + new_shared.len();
    // A search for `edits` takes half of their square, and leads behind at least as many lines.
    let most_edits = (2 * most_steps / shared.max(1)).max(LEAST_EDITS);
    let kept = (shared - edits(&old_shared, &new_shared, most_edits)) / 2;
    let count = |lines: &[u32]| u32::try_from(lines.len() - kept).unwrap_or(u32::MAX);
    LineChanges { added: count(new), removed: count(old) }
}

/// A number for each line, the same for equal lines.
fn numbered<'a>(content: &'a [u8], numbers: &mut HashMap<&'a [u8], u32>) -> Vec<u32> {
    let lines = content.split_inclusive(|byte| *byte == b'\n');
    lines
        .map(|line| {
            let next = u32::try_from(numbers.len()).expect("contents have fewer than 2^32 lines, or memory ends first");
            *numbers.entry(line).or_insert(next)
        })
        .collect()
}

fn without_shared_ends<'a>(old: &'a [u32], new: &'a [u32]) -> (&'a [u32], &'a [u32]) {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    (&old[..old.len() - end], &new[..new.len() - end])
}

/// How often each line is in `old` and in `new`.
fn occurrences(old: &[u32], new: &[u32], lines: usize) -> Vec<(u32, u32)> {
    let mut occurrences = vec![(0, 0); lines];
    old.iter().for_each(|line| occurrences[*line as usize].0 += 1);
    new.iter().for_each(|line| occurrences[*line as usize].1 += 1);
    occurrences
}

/// Insertions and deletions from `old` to `new`, found by ways of at most `most_edits` edits one behind the other, each
/// as short as can be.
fn edits(mut old: &[u32], mut new: &[u32], most_edits: usize) -> usize {
    let mut edits = 0;
    loop {
        if old.is_empty() || new.is_empty() {
            return edits + old.len() + new.len();
        }
        match way(old, new, most_edits) {
            EditProgress::Whole { edits: last } => return edits + last,
            EditProgress::Part { x, y } => {
                edits += most_edits;
                (old, new) = (&old[x..], &new[y..]);
            }
        }
    }
}

/// Result of one search.
enum EditProgress {
    /// To the ends of both contents, with as few edits as can be.
    Whole { edits: usize },
    /// Behind `x` old and `y` new lines, with all edits that were allowed.
    Part { x: usize, y: usize },
}

/// The greedy algorithm of E. Myers, "An O(ND) Difference Algorithm and Its Variations", figure 2, without the path.
fn way(old: &[u32], new: &[u32], most_edits: usize) -> EditProgress {
    // Contents have fewer lines than `isize::MAX`, since each takes a byte.
    let (old_end, new_end) = (old.len() as isize, new.len() as isize);
    let most_edits = most_edits.min(old.len() + new.len()) as isize;
    // For each diagonal `x - y` the farthest `x` reached on it.
    let index = |diagonal: isize| (diagonal + most_edits + 1) as usize;
    let mut farthest = vec![UNREACHED; 2 * most_edits as usize + 3];
    let mut part = (0, 0);
    for edits in 0..=most_edits {
        // Diagonals beyond the ends of the contents lead nowhere; every second one is reached by an even number of
        // edits.
        let first = if edits <= new_end { -edits } else { (edits - new_end) % 2 - new_end };
        let last = if edits <= old_end { edits } else { old_end - (edits - old_end) % 2 };
        part = (0, 0);
        for diagonal in (first..=last).step_by(2) {
            let by_deletion = Some(farthest[index(diagonal - 1)] + 1).filter(|x| *x <= old_end);
            let by_insertion = Some(farthest[index(diagonal + 1)]).filter(|x| x - diagonal <= new_end);
            let start = if edits == 0 { 0 } else { by_deletion.max(by_insertion).unwrap_or(UNREACHED) };
            if start < 0 {
                farthest[index(diagonal)] = UNREACHED;
                continue;
            }
            let (mut x, mut y) = (start, start - diagonal);
            while x < old_end && y < new_end && old[x as usize] == new[y as usize] {
                (x, y) = (x + 1, y + 1);
            }
            if x == old_end && y == new_end {
                return EditProgress::Whole { edits: edits as usize };
            }
            farthest[index(diagonal)] = x;
            if x + y > part.0 + part.1 {
                part = (x, y);
            }
        }
    }
    EditProgress::Part { x: part.0 as usize, y: part.1 as usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, most_steps: usize, added: u32, removed: u32) {
        let changes = changed_lines_within(old.as_bytes(), new.as_bytes(), most_steps);
        assert_eq!(changes, LineChanges { added, removed });
    }

    #[test]
    fn lines_differ_by_any_byte() {
        check("", "", MOST_STEPS, 0, 0);
        check("", "a\nb\n", MOST_STEPS, 2, 0);
        check("a\nb\n", "", MOST_STEPS, 0, 2);
        check("a\nb", "a\nb\n", MOST_STEPS, 1, 1);
        check("a\r\nb\n", "a\nb\n", MOST_STEPS, 1, 1);
        check("a\nb\nc\n", "c\na\nb\n", MOST_STEPS, 1, 1);
    }

    #[test]
    fn many_goes_lead_to_the_end_too() {
        // Every hundredth line is taken away, and every line of the other content is somewhere in this one.
        let old: String = (0..1_000).map(|line| format!("{}\n", line % 97)).collect();
        let new: String = (0..1_000).filter(|line| line % 100 != 0).map(|line| format!("{}\n", line % 97)).collect();
        check(&old, &new, MOST_STEPS, 0, 10);
        check(&old, &new, 0, 0, 10);
        // Nothing is in its order: a longer way is found, and is a way.
        let backwards: String = (0..1_000).rev().map(|line| format!("{line}\n")).collect();
        let forwards: String = (0..1_000).map(|line| format!("{line}\n")).collect();
        check(&forwards, &backwards, MOST_STEPS, 999, 999);
        let changes = changed_lines_within(forwards.as_bytes(), backwards.as_bytes(), 0);
        assert_eq!(changes.added, changes.removed);
        assert!((999..=1_000).contains(&changes.added), "{changes:?}");
    }
}

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

/// Steps after which the shortest way from one content to the other is not looked for any more: about half a second.
/// Contents that differ in 16,000 of their shared lines stay below.
const MOST_STEPS: u64 = 1 << 28;

/// Lines that have to be added and removed to get from `old` to `new`, as few as possible. Lines are equal when all their
/// bytes are, line ends too.
///
/// Cost: linear in the contents and in the square of the differing lines that occur on both sides, within a bound.
/// Beyond that bound a line that only moved counts as unchanged, so that the counts are lower than those of a diff.
pub fn changed_lines(old: &[u8], new: &[u8]) -> LineChanges {
    changed_lines_within(old, new, MOST_STEPS)
}

fn changed_lines_within(old: &[u8], new: &[u8], most_steps: u64) -> LineChanges {
    let mut numbers = HashMap::new();
    let (old, new) = (numbered(old, &mut numbers), numbered(new, &mut numbers));
    let (old, new) = without_shared_ends(&old, &new);
    let occurrences = occurrences(old, new, numbers.len());
    let on_both = |line: &&u32| occurrences[**line as usize].0 > 0 && occurrences[**line as usize].1 > 0;
    let old_shared: Vec<u32> = old.iter().filter(on_both).copied().collect();
    let new_shared: Vec<u32> = new.iter().filter(on_both).copied().collect();
    let kept = match edit_distance(&old_shared, &new_shared, most_steps) {
        Some(edits) => (old_shared.len() + new_shared.len() - edits) / 2,
        None => occurrences.iter().map(|(old, new)| *old.min(new) as usize).sum(),
    };
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

/// Least number of insertions and deletions from `old` to `new`: the greedy algorithm of E. Myers, "An O(ND) Difference
/// Algorithm and Its Variations", figure 2, without the path. `None` after `most_steps` of its steps.
fn edit_distance(old: &[u32], new: &[u32], most_steps: u64) -> Option<usize> {
    // Contents have fewer lines than `isize::MAX`, since each takes a byte.
    let (old_end, new_end) = (old.len() as isize, new.len() as isize);
    // For each diagonal `x - y` the farthest `x` reached on it; those not reached are beaten by any other.
    let index = |diagonal: isize| (diagonal + new_end + 1) as usize;
    let mut farthest = vec![-1; old.len() + new.len() + 3];
    let mut steps = 0;
    let mut edits = 0;
    loop {
        // Diagonals beyond the ends of the contents lead nowhere; every second one is reached by an even number of edits.
        let first = if edits <= new_end { -edits } else { (edits - new_end) % 2 - new_end };
        let last = if edits <= old_end { edits } else { old_end - (edits - old_end) % 2 };
        for diagonal in (first..=last).step_by(2) {
            let (by_deletion, by_insertion) = (farthest[index(diagonal - 1)] + 1, farthest[index(diagonal + 1)]);
            let mut x = by_deletion.max(by_insertion).max(0);
            let mut y = x - diagonal;
            while x < old_end && y < new_end && old[x as usize] == new[y as usize] {
                (x, y, steps) = (x + 1, y + 1, steps + 1);
            }
            if x >= old_end && y >= new_end {
                return Some(edits as usize);
            }
            farthest[index(diagonal)] = x;
            steps += 1;
            if steps > most_steps {
                return None;
            }
        }
        edits += 1;
    }
}

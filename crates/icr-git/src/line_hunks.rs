//! Which lines differ between two contents.

use std::ops::Range;

use gix::diff::blob::{Algorithm, Diff, InternedInput};

/// Adjacent lines of the old content that are replaced by adjacent lines of the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineHunk {
    /// Removed lines of the old content, counted from 0; empty if lines were only added.
    pub old: Range<u32>,
    /// Added lines of the new content, counted from 0; empty if lines were only removed.
    pub new: Range<u32>,
}

/// The hunks between two contents in order, as a histogram diff finds them: what git shows with `--histogram`. Lines
/// are equal when all their bytes are, line ends too. Cost: close to linear in the contents.
pub fn line_hunks(old: &[u8], new: &[u8]) -> Vec<LineHunk> {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    diff.hunks().map(|hunk| LineHunk { old: hunk.before, new: hunk.after }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: &[(Range<u32>, Range<u32>)]) {
        let found: Vec<_> =
            line_hunks(old.as_bytes(), new.as_bytes()).into_iter().map(|hunk| (hunk.old, hunk.new)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn hunks_are_where_lines_differ() {
        check("a\nb\nc\n", "a\nb\nc\n", &[]);
        check("", "a\nb\n", &[(0..0, 0..2)]);
        check("a\nb\n", "", &[(0..2, 0..0)]);
        check("a\nb\nc\nd\n", "a\nx\nc\ny\nd\n", &[(1..2, 1..2), (3..3, 3..4)]);
        check("a", "a\n", &[(0..1, 0..1)]);
    }

    proptest! {
        #[test]
        fn the_old_content_with_its_hunks_replaced_is_the_new_one(old in "([abc]\n){0,12}", new in "([abc]\n){0,12}") {
            let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
            let (old_lines, new_lines) = (lines(&old), lines(&new));
            let mut made = String::new();
            let mut at = 0;
            for hunk in line_hunks(old.as_bytes(), new.as_bytes()) {
                made.push_str(&old_lines[at..hunk.old.start as usize].concat());
                made.push_str(&new_lines[hunk.new.start as usize..hunk.new.end as usize].concat());
                at = hunk.old.end as usize;
            }
            made.push_str(&old_lines[at..].concat());
            prop_assert_eq!(made, new);
        }
    }
}

//! Facts that hold for every text.

use proptest::prelude::*;

use super::testing::printed;
use super::{Direction, LineKind, apply, changed_lines, parse};

/// Few different lines, so that they repeat; some of them look like parts of a diff.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(vec!["", "a", "b", "c", "}", "-- x", "++ y", "@@ -1 +1 @@", "\\ z", "w\r", "\r"]);
    (prop::collection::vec(line, 0..24), any::<bool>()).prop_map(|(lines, ended)| {
        let mut text = lines.join("\n").into_bytes();
        if ended && !lines.is_empty() {
            text.push(b'\n');
        }
        text
    })
}

/// A content, and one made from it by a few changes.
fn contents() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let edits = prop::collection::vec((any::<prop::sample::Index>(), content(), 0..3_usize), 0..4);
    let edited = (content(), edits).prop_map(|(old, edits)| {
        let mut lines: Vec<Vec<u8>> = old.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        for (place, text, removed) in edits {
            let start = place.index(lines.len());
            let end = (start + removed).min(lines.len());
            lines.splice(start..end, text.split(|byte| *byte == b'\n').take(3).map(<[u8]>::to_vec));
        }
        let new = lines.join(&b'\n');
        (old, new)
    });
    prop_oneof![(content(), content()), edited]
}

fn with_returns(content: &[u8]) -> Vec<u8> {
    let lines = content.split_inclusive(|byte| *byte == b'\n');
    lines
        .flat_map(|line| match line.strip_suffix(b"\n") {
            Some(line) => [line, b"\r\n"].concat(),
            None => line.to_vec(),
        })
        .collect()
}

fn without_returns(content: &[u8]) -> Vec<u8> {
    content.iter().copied().filter(|byte| *byte != b'\r').collect()
}

fn applied(diff: &[u8], content: &[u8], direction: Direction) -> Vec<u8> {
    let patches = parse(diff).expect("the printer writes diffs");
    assert_eq!(patches.len(), 1);
    apply(&patches[0], content, direction).expect("the content is one side of the diff")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn a_diff_leads_from_one_side_to_the_other_and_back((old, new) in contents(), context in 0..4_usize) {
        prop_assume!(old != new);
        let diff = printed(&old, &new, context);
        prop_assert_eq!(applied(&diff, &old, Direction::Forward), new.clone());
        prop_assert_eq!(applied(&diff, &new, Direction::Reverse), old);
    }

    #[test]
    fn line_ends_of_a_content_are_kept((old, new) in contents(), context in 1..4_usize) {
        let (old, new) = (without_returns(&old), without_returns(&new));
        prop_assume!(old != new && old.contains(&b'\n'));
        let (old_returns, new_returns) = (with_returns(&old), with_returns(&new));
        let diff = printed(&old, &new, context);
        prop_assert_eq!(applied(&diff, &old_returns, Direction::Forward), new_returns.clone());
        let diff_returns = printed(&old_returns, &new_returns, context);
        prop_assert_eq!(applied(&diff_returns, &old, Direction::Forward), new.clone());
        // The whole diff went through a program that writes `\r\n`.
        let converted = with_returns(&diff);
        prop_assert_eq!(applied(&converted, &old, Direction::Forward), new);
        prop_assert_eq!(applied(&converted, &old_returns, Direction::Forward), new_returns);
    }

    #[test]
    fn lines_pushed_in_above_move_all_hunks(
        edits in prop::collection::vec((4..60_usize, 0..3_usize), 1..8),
        more in 1..100_usize,
        context in 1..4_usize,
    ) {
        // No line is there twice, and the first and the last are in no hunk.
        let old: Vec<String> = (0..64).map(|line| format!("line {line}\n")).collect();
        let mut new = old.clone();
        for (at, edit) in edits {
            match edit {
                0 => new[at].clear(),
                1 => new[at] = format!("other {at}\n"),
                _ => new[at].push_str(&format!("more {at}\n")),
            }
        }
        let (old, new) = (old.concat().into_bytes(), new.concat().into_bytes());
        let diff = printed(&old, &new, context);
        let above = b"pushed in\n".repeat(more);
        let (old, new) = ([above.as_slice(), &old].concat(), [above.as_slice(), &new].concat());
        prop_assert_eq!(applied(&diff, &old, Direction::Forward), new.clone());
        prop_assert_eq!(applied(&diff, &new, Direction::Reverse), old);
    }

    #[test]
    fn no_text_makes_reading_or_applying_panic(
        (old, new) in contents(),
        mutations in prop::collection::vec((any::<prop::sample::Index>(), 0..6_usize, any::<prop::sample::Index>()), 0..8),
    ) {
        let mut text = [HEADERS.as_bytes(), &printed(&old, &new, 3)].concat();
        for (place, what, other) in mutations {
            let at = place.index(text.len() + 1).min(text.len());
            let from = other.index(text.len() + 1);
            match what {
                0 => text.truncate(at.max(1)),
                1 => drop(text.splice(at..(at + 1).min(text.len()), [])),
                2 => text.insert(at, FRAGMENT[other.index(FRAGMENT.len())]),
                3 => drop(text.splice(at..at, text[from..(from + 12).min(text.len())].to_vec())),
                4 => drop(text.splice(at..(at + from % 20).min(text.len()), [])),
                _ => text.splice(at..at, b"\n".to_vec()).for_each(drop),
            }
        }
        if let Ok(patches) = parse(&text) {
            for patch in patches {
                for content in [&old, &new] {
                    let _ = apply(&patch, content, Direction::Forward);
                    let _ = apply(&patch, content, Direction::Reverse);
                }
                prop_assert_eq!(patch.lines_added() as usize, count(&patch, LineKind::Added));
                prop_assert_eq!(patch.lines_removed() as usize, count(&patch, LineKind::Removed));
            }
        }
    }

    #[test]
    fn changed_lines_are_those_of_the_shortest_diff((old, new) in contents()) {
        let diff = printed(&old, &new, 0);
        let counted = parse(&diff).map_or((0, 0), |patches| {
            patches.first().map_or((0, 0), |patch| (patch.lines_added(), patch.lines_removed()))
        });
        let changes = changed_lines(&old, &new);
        prop_assert_eq!((changes.added, changes.removed), counted);
    }
}

fn count(patch: &super::FilePatch<'_>, kind: LineKind) -> usize {
    patch.hunks.iter().flat_map(|hunk| hunk.lines()).filter(|line| line.kind == kind).count()
}

const FRAGMENT: &[u8] = b"@-+ \\\n\r\"/.,09\x1bad";

const HEADERS: &str = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n\
    diff --git \"a/\\303\\244 b\" \"b/\\303\\244 b\"\nnew file mode 100644\nindex 0000000..e69de29\n\
    diff --git a/p q b/r s\nsimilarity index 100%\nrename from p q\nrename to r s\n\
    diff --git a/i.png b/i.png\nindex 1111111..2222222 100644\nGIT binary patch\nliteral 3\nKcmZ0\n\nliteral 0\nKcmZ1\n\n\
    Submodule lib 1111111..2222222:\n  > more\nBinary files a/y and b/y differ\n";

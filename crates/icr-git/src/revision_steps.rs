//! Parts of a revision that walk over history: `:/text`, `main^{/text}`, `main~1000`.
//!
//! gix cannot interrupt such walks. Here they end when the caller no longer waits.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use gix::objs::{CommitRef, Kind};
use icr_model::CommitId;

use crate::interrupt;
use crate::lineage::Lineage;
use crate::message_pattern::message_pattern;
use crate::object::{commit_id, corrupt, find, object_id};
use crate::{Error, Repository};

/// Most generations that gix goes back itself: this takes less time than a look-up.
pub(crate) const SHORT: u32 = 100;

/// A revision that contains a walk, with the text before and after it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RevisionWalk<'a> {
    /// The revision where the walk begins; `None` for all refs.
    pub(crate) from: Option<&'a str>,
    pub(crate) step: RevisionStep<'a>,
    /// The text that applies to the commit where the walk ends: `~3`, `^2`.
    pub(crate) rest: &'a str,
}

/// Where a walk ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RevisionStep<'a> {
    /// At the newest commit whose message matches the pattern, or does not match it.
    Message { text: Cow<'a, str>, has: bool },
    /// Back along parents, step by step.
    Back(Vec<ParentStep>),
}

/// A step back along parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParentStep {
    /// Which parent of each commit; the first one is 1.
    parent: u32,
    /// How many commits.
    generations: u32,
}

impl RevisionStep<'_> {
    /// The same pattern, independent of the text it came from.
    pub(crate) fn into_owned(self) -> RevisionStep<'static> {
        match self {
            Self::Message { text, has } => RevisionStep::Message { text: text.into_owned().into(), has },
            Self::Back(steps) => RevisionStep::Back(steps),
        }
    }
}

impl<'a> RevisionWalk<'a> {
    /// The first walk in `revision`; `None` if there is none, or if the syntax is unknown here. Steps along parents are
    /// no walk if each goes back at most `short` generations.
    pub(crate) fn of(revision: &'a str, short: u32) -> Option<Self> {
        if let Some(text) = revision.strip_prefix(":/") {
            return Some(Self { from: None, step: message(text)?, rest: "" });
        }
        let mut at = 0;
        while let Some(found) = revision[at..].find([':', '{', '~', '^']) {
            at += found;
            let behind = &revision[at..];
            let (step, rest) = match () {
                // A file name may contain all of these.
                () if behind.starts_with(':') => return None,
                () if behind.starts_with("^{/") => {
                    let (text, rest) = behind[3..].split_once('}')?;
                    (message(text)?, rest)
                }
                // A date may, too; the other braces contain kinds of objects.
                () if behind.starts_with('{') || behind.starts_with("^{") => {
                    at += behind.find('}')? + 1;
                    continue;
                }
                () => {
                    let (steps, rest) = parent_steps(behind);
                    if steps.is_empty() {
                        return None;
                    }
                    if steps.iter().all(|step| step.generations <= short) {
                        at = revision.len() - rest.len();
                        continue;
                    }
                    (RevisionStep::Back(steps), rest)
                }
            };
            return (at > 0).then_some(Self { from: Some(&revision[..at]), step, rest });
        }
        None
    }
}

/// The steps `~`, `~3`, `^`, `^2` with which `text` begins, and the text after them.
fn parent_steps(mut text: &str) -> (Vec<ParentStep>, &str) {
    let mut steps = Vec::new();
    while let Some(behind) = text.strip_prefix(['~', '^']) {
        let (digits, rest) = behind.split_at(behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len()));
        let number = if digits.is_empty() { Some(1) } else { digits.parse::<u32>().ok() };
        // Other text belongs to the step, as in `^{commit}`, and may make it something else or invalid.
        let Some(number) = number.filter(|_| rest.is_empty() || rest.starts_with([':', '~', '^'])) else { break };
        steps.push(match text.starts_with('~') {
            true => ParentStep { parent: 1, generations: number },
            false => ParentStep { parent: number.max(1), generations: number.min(1) },
        });
        text = rest;
    }
    (steps, text)
}

/// Parses the `text` of a message search. As in git, `!-` negates it and `!!` stands for `!`; any other text that
/// begins with `!` is reserved.
fn message(text: &str) -> Option<RevisionStep<'_>> {
    let (text, has) = match (text.strip_prefix("!-"), text.strip_prefix("!!")) {
        (Some(text), _) => (text, false),
        (_, Some(_)) => (&text[1..], true),
        _ if text.starts_with('!') => return None,
        _ => (text, true),
    };
    (!text.is_empty()).then_some(RevisionStep::Message { text: text.into(), has })
}

/// The commit that `step` leads to from `from`. A message search returns the newest match by committer time; as in git,
/// the one that was reached first among those of the same second. `None` if there is none.
///
/// Cost: each commit on the way decoded once.
///
/// # Errors
///
/// [`Error::Interrupted`]; [`Error::MessagePattern`]; [`Error::MissingObject`] and [`Error::CorruptObject`] for commits on
/// the way.
pub(crate) fn walk(
    repository: &Repository,
    from: &[CommitId],
    step: &RevisionStep<'_>,
) -> Result<Option<CommitId>, Error> {
    let mut lineage = Lineage::new(repository)?;
    let mut from = from.iter().map(|commit| object_id(commit.as_bytes()));
    match step {
        RevisionStep::Back(steps) => {
            let mut at = from.next_back();
            for ParentStep { parent, generations } in steps {
                for _ in 0..*generations {
                    let Some(id) = at else { return Ok(None) };
                    at = lineage.descent(id)?.parents.into_iter().nth(*parent as usize - 1);
                }
            }
            Ok(at.map(|id| commit_id(&id)))
        }
        RevisionStep::Message { text, has } => {
            let (repo, pattern) = (repository.local_for_walks(), message_pattern(text)?);
            let (mut queue, mut met, mut buffer) = (BinaryHeap::new(), HashSet::new(), Vec::new());
            for id in from {
                if met.insert(id) {
                    queue.push((lineage.descent(id)?.committer_time, Reverse(met.len()), id));
                }
            }
            while let Some((_, _, id)) = queue.pop() {
                interrupt::check()?;
                let data = find(&repo, id, Kind::Commit, &mut buffer)?.data;
                let commit = CommitRef::from_bytes(data, repo.object_hash()).map_err(|error| corrupt(id, error))?;
                if pattern.is_match(commit.message) == *has {
                    return Ok(Some(commit_id(&id)));
                }
                for parent in lineage.descent(id)?.parents {
                    if met.insert(parent) {
                        queue.push((lineage.descent(parent)?.committer_time, Reverse(met.len()), parent));
                    }
                }
            }
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_with(short: u32, revision: &str, expected: Option<(Option<&str>, RevisionStep<'_>, &str)>) {
        let expected = expected.map(|(from, step, rest)| RevisionWalk { from, step, rest });
        assert_eq!(RevisionWalk::of(revision, short), expected, "{revision}");
    }

    #[track_caller]
    fn check(revision: &str, expected: Option<(Option<&str>, RevisionStep<'_>, &str)>) {
        check_with(SHORT, revision, expected);
    }

    fn back(steps: &[(u32, u32)]) -> RevisionStep<'static> {
        RevisionStep::Back(steps.iter().map(|&(parent, generations)| ParentStep { parent, generations }).collect())
    }

    #[test]
    fn the_first_walk_of_a_revision_is_taken_out_of_it() {
        let says = |text: &'static str| RevisionStep::Message { text: text.into(), has: true };
        check("HEAD", None);
        check("HEAD~3", None);
        check("HEAD~101", Some((Some("HEAD"), back(&[(1, 101)]), "")));
        let steps = back(&[(2, 1), (1, 3), (1, 5_000)]);
        check("v1^2~3~5000^{/Fix: it}~2", Some((Some("v1"), steps, "^{/Fix: it}~2")));
        check("v1^2^{commit}~5000:a~1", Some((Some("v1^2^{commit}"), back(&[(1, 5_000)]), ":a~1")));
        check("main@{2 days ~3}^{/Fix}", Some((Some("main@{2 days ~3}"), says("Fix"), "")));
        check("HEAD^{/Fix: it}~2000", Some((Some("HEAD"), says("Fix: it"), "~2000")));
        check(":/Fix ~2000", Some((None, says("Fix ~2000"), "")));
        check(":/!-Fix", Some((None, RevisionStep::Message { text: "Fix".into(), has: false }, "")));
        check(":/!!Fix", Some((None, says("!Fix"), "")));
        for nothing in
            [":/", ":/!Fix", "HEAD^{/}", "~2000", "^{/x}", "HEAD:a~2000", "main@{2000 ~1000}", "HEAD^{/x", ""]
        {
            check(nothing, None);
        }
    }

    #[test]
    fn all_steps_along_parents_are_walks_where_none_is_short() {
        let check = |revision, expected| check_with(0, revision, expected);
        check("HEAD^", Some((Some("HEAD"), back(&[(1, 1)]), "")));
        check("@{1}^2~^0~3:a^", Some((Some("@{1}"), back(&[(2, 1), (1, 1), (1, 0), (1, 3)]), ":a^")));
        check("v1~^{tree}", Some((Some("v1"), back(&[(1, 1)]), "^{tree}")));
        for nothing in ["HEAD", "HEAD^0", "v1^{commit}", "HEAD^!", "HEAD^@", "HEAD^-", "HEAD~-1", "HEAD^+1", "HEAD:a~"]
        {
            check(nothing, None);
        }
    }
}

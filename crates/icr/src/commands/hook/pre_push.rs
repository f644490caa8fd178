//! Reports the impact of a push before it is made.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::Context as _;
use icr_engine::{ChangeSource, Error, ImpactRequest, PushBase};
use icr_impact::report::visible;
use icr_impact::{Impact, Verdict};
use icr_model::is_hexadecimal;

use super::sync_in_background;
use crate::arguments::Global;
use crate::commands::impact::rules;
use crate::context::Context;
use crate::crash_restart;

/// Most refs of a push that are reported. A larger push is usually one of tags or of a mirror.
const REFS_TOLD: usize = 3;

/// Digits of a commit id that people read, as git abbreviates them in a large repository.
const ID_DIGITS: usize = 12;

/// What is said about a push from a repository without an index.
const INDEXING: &str = "nothing compared: this repository is being indexed in the background";

/// For each ref that git's standard input says is about to be pushed, writes one line to standard error with the result
/// of `icr impact`.
///
/// `arguments` are those of git's hook: the remote's name comes first. A ref that the remote does not have yet is
/// compared with the nearest commit that the remote has according to its remote-tracking refs; if there is none, its
/// line says so. A ref gets no line if it is deleted, if it brings nothing new, or if the commit that it replaces is not
/// in this clone. The store is not written: what is missing in it is read and discarded. A repository without an index
/// gets one line, and its index is made in the background.
///
/// # Errors
///
/// Errors from reading standard input, opening the repository or computing an impact. Lines already written stay.
pub(super) fn report_pushed_refs(global: &Global, home: &Path, arguments: &[OsString]) -> anyhow::Result<()> {
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input).context("reading what is pushed")?;
    crash_restart::keep(crash_restart::ReplayableInput::Whole(input.as_slice().into()));
    let refs = pushed_refs(&String::from_utf8_lossy(&input));
    if refs.is_empty() {
        return Ok(());
    }
    let context = Context::open_with(&Global { read_only: true, quiet: true, ..global.clone() }, home.to_owned())?;
    if !context.hooks_enabled {
        return Ok(());
    }
    if !context.engine.store().is_indexed()? {
        if !global.read_only {
            let context = Context::open_with(&Global { quiet: true, ..global.clone() }, home.to_owned())?;
            sync_in_background(home, &context.engine)?;
            write_stderr_line(INDEXING);
        }
        return Ok(());
    }
    let remote = arguments.first().and_then(|name| name.to_str()).unwrap_or_default();
    let mut told = 0;
    for (number, pushed) in refs.iter().enumerate() {
        if told == REFS_TOLD {
            write_stderr_line(&not_looked_at(refs.len() - number));
            break;
        }
        if let Some(line) = line_of(&context, remote, pushed)? {
            write_stderr_line(&line);
            told += 1;
        }
    }
    Ok(())
}

/// The line about a ref, or `None` if it brings nothing new or replaces a commit that is not in this clone.
fn line_of(context: &Context, remote: &str, pushed: &PushedRef) -> anyhow::Result<Option<String>> {
    let base = match &pushed.old {
        Some(old) => old.clone(),
        None => match PushBase::of(&context.engine, remote, &pushed.new)? {
            PushBase::Commit(base) => base,
            PushBase::NothingNew => return Ok(None),
            PushBase::Unknown { reason } => return Ok(Some(not_compared(&pushed.name, reason))),
        },
    };
    match impact_of_range(context, pushed.range(&base, usize::MAX)) {
        Ok(impact) if impact.verdict == Verdict::Empty => Ok(None),
        Ok(impact) => Ok(Some(line(&pushed.name, impact.verdict, &impact.summary, &pushed.range(&base, ID_DIGITS)))),
        Err(error) if has_no_base(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A ref that is about to be pushed.
#[derive(Debug, PartialEq, Eq)]
struct PushedRef {
    /// What the remote calls it, without `refs/heads/` or `refs/tags/`.
    name: String,
    /// Commit id that the remote has now; `None` if the ref is new.
    old: Option<String>,
    /// Commit id that the remote gets.
    new: String,
}

impl PushedRef {
    /// Range argument for `icr impact`: from the commit `base`, with the first `digits` of each id.
    fn range(&self, base: &str, digits: usize) -> String {
        let id = |id: &str| id.chars().take(digits).collect::<String>();
        format!("{}..{}", id(base), id(&self.new))
    }
}

/// The refs in git's lines, `LOCAL-REF LOCAL-ID REMOTE-REF REMOTE-ID` each, without deleted ones. Other lines are
/// ignored.
fn pushed_refs(lines: &str) -> Vec<PushedRef> {
    let pushed = |line: &str| {
        // Split from the end: the local ref is given as typed, and `HEAD^{/two words}` contains spaces.
        let mut fields = line.rsplitn(4, ' ');
        let (old, name, new, _local) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let name = ["refs/heads/", "refs/tags/"].iter().find_map(|start| name.strip_prefix(*start)).unwrap_or(name);
        let is_id = |text: &str| matches!(text.len(), 40 | 64) && is_hexadecimal(text);
        let is_none = |id: &str| id.bytes().all(|byte| byte == b'0');
        (is_id(old) && is_id(new) && !is_none(new)).then(|| PushedRef {
            name: name.to_owned(),
            old: (!is_none(old)).then(|| old.to_owned()),
            new: new.to_owned(),
        })
    };
    lines.lines().filter_map(pushed).collect()
}

/// The impact of a range, under the configuration and ignore files from before the change.
fn impact_of_range(context: &Context, range: String) -> anyhow::Result<Impact> {
    let source = ChangeSource::Revisions(range);
    let before = context.with_base_rules(&source)?;
    let context = before.as_ref().map_or(context, |(before, _)| before);
    let (impact, _) = context.impact(&ImpactRequest { source, rules: rules(&context.config) })?;
    Ok(impact)
}

/// Whether this clone has no base to compare with: a commit that was never fetched, shallow or unrelated history, or a
/// tag that does not point to a commit.
fn has_no_base(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::NoBase { .. } | Error::BeyondCut { .. } | Error::Range { .. }))
}

/// `main: review: 1 file changed: 2 files to re-check (icr impact A..B)`.
fn line(name: &str, verdict: Verdict, summary: &str, range: &str) -> String {
    format!("{name}: {}: {summary} (icr impact {range})", verdict.word())
}

/// Line about a new ref without a base.
fn not_compared(name: &str, reason: &str) -> String {
    format!("{name}: not compared: {reason}")
}

/// Line for the refs beyond the limit. They are only counted, since nobody knows which of them change something.
fn not_looked_at(refs: usize) -> String {
    match refs {
        1 => "1 more ref was not looked at".to_owned(),
        refs => format!("{refs} more refs were not looked at"),
    }
}

/// Writes a line in a single call, so that git's output does not interleave with it.
fn write_stderr_line(text: &str) {
    // If stderr is closed, nobody can be told.
    let _ = std::io::stderr().lock().write_all(format!("icr: {}\n", visible(text)).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
    const NONE: &str = "0000000000000000000000000000000000000000";

    /// Names of the refs that are pushed, with the first four digits of what the remote has and gets.
    #[track_caller]
    fn check(lines: &str, expected: &[(&str, &str)]) {
        let refs = pushed_refs(lines);
        let ranges = refs.iter().map(|pushed| (&*pushed.name, pushed.range(pushed.old.as_deref().unwrap_or("new"), 4)));
        assert_eq!(ranges.collect::<Vec<_>>(), expected.iter().map(|(a, b)| (*a, (*b).to_owned())).collect::<Vec<_>>());
    }

    #[test]
    fn a_ref_has_the_commit_of_the_remote_unless_it_is_new() {
        check(&format!("refs/heads/main {B} refs/heads/main {A}\n"), &[("main", "aaaa..bbbb")]);
        check(&format!("refs/heads/topic {B} refs/heads/topic {NONE}\n"), &[("topic", "new..bbbb")]);
        let (long_a, long_b) = ("a".repeat(64), "b".repeat(64));
        check(&format!("refs/tags/v1 {long_b} refs/tags/v1 {long_a}\n"), &[("v1", "aaaa..bbbb")]);
    }

    #[test]
    fn a_ref_that_is_deleted_is_not_pushed() {
        check("", &[]);
        check(&format!("(delete) {NONE} refs/heads/gone {A}\n"), &[]);
        check(
            &format!("(delete) {NONE} refs/heads/gone {A}\nrefs/heads/main {B} refs/heads/main {A}\n"),
            &[("main", "aaaa..bbbb")],
        );
    }

    #[test]
    fn a_local_ref_is_what_was_typed() {
        check(&format!("HEAD^{{/two words}} {B} refs/notes/x {A}\n"), &[("refs/notes/x", "aaaa..bbbb")]);
    }

    #[test]
    fn a_line_that_git_would_not_write_says_nothing() {
        for line in ["\n", "main\n", &format!("{B} refs/heads/main {A}"), &format!("x main refs/heads/main {A}")] {
            check(line, &[]);
        }
    }

    #[test]
    fn a_line_has_the_verdict_the_sentence_and_the_command() {
        assert_eq!(
            line("main", Verdict::MayBreak, "1 file changed: 2 files to re-check", "a..b"),
            "main: may_break: 1 file changed: 2 files to re-check (icr impact a..b)"
        );
    }

    #[test]
    fn refs_that_nobody_looked_at_are_counted() {
        assert_eq!(not_looked_at(1), "1 more ref was not looked at");
        assert_eq!(not_looked_at(2), "2 more refs were not looked at");
    }
}

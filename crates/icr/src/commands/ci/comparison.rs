//! What HEAD is compared with.

use std::fmt;

use icr_engine::{ChangeSource, Error};
use icr_model::is_hexadecimal;

use super::hosts::{Environment, PipelineHost};
use super::quoting::word;
use crate::commands::impact::{Bounds, ImpactReport};
use crate::context::Context;
use crate::problem::NotAnalysed;

/// The base of a change, with all revisions that may hold it in this clone.
#[derive(Debug, Clone)]
pub(super) struct Base {
    kind: BaseKind,
    /// Name of the base, for people.
    name: String,
    /// Candidates in order; the first one that this clone has is used.
    places: Vec<BaseCandidate>,
}

/// Why something is the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BaseKind {
    /// It was named on the command line.
    Given,
    /// HEAD asks to be merged into it.
    Request,
    /// HEAD was pushed on top of it.
    Push,
    /// HEAD is on a new branch that began there.
    BranchOff,
}

/// A revision that may be the base.
#[derive(Debug, Clone)]
struct BaseCandidate {
    revision: String,
    /// Environment variable that named the revision; empty if the user gave it.
    variable: &'static str,
    /// What to pass to `git fetch` to get the revision.
    fetched_by: String,
}

impl Base {
    pub(super) fn from_revision(revision: &str) -> Self {
        let base = Self { kind: BaseKind::Given, name: revision.to_owned(), places: Vec::new() };
        if is_commit(revision) {
            return base.or_commit(Some(revision), "");
        }
        // Nothing can be fetched under the name `main~2`, only what its steps begin at.
        let steps = revision.find(['~', '^']).or_else(|| revision.find("@{")).unwrap_or(revision.len());
        let (start, steps) = revision.split_at(steps);
        let branch = start.strip_prefix("origin/").unwrap_or(start);
        let is_head = matches!(start, "" | "@" | "HEAD");
        let fetched_by = match is_head || is_commit(start) {
            true => if is_head { "HEAD" } else { start }.to_owned(),
            false => refspec(branch),
        };
        let place = BaseCandidate { revision: revision.to_owned(), variable: "", fetched_by };
        let base = Self { places: vec![place], ..base };
        // A clone with one branch checked out has other branches only as remote-tracking branches.
        let has_remote = !is_head && !is_commit(start) && !steps.starts_with('@');
        if has_remote { base.or_step_of_branch(branch, steps, "") } else { base }
    }

    pub(super) fn request(target: &str) -> Self {
        Self { kind: BaseKind::Request, name: target.to_owned(), places: Vec::new() }
    }

    pub(super) fn push() -> Self {
        Self { kind: BaseKind::Push, name: "the push before".to_owned(), places: Vec::new() }
    }

    pub(super) fn branch_off(branch: &str) -> Self {
        Self { kind: BaseKind::BranchOff, name: branch.to_owned(), places: Vec::new() }
    }

    /// Adds the commit `id` as a further candidate. Ignores an all-zero id, which hosts write for "no commit".
    pub(super) fn or_commit(self, id: Option<&str>, variable: &'static str) -> Self {
        self.or_place(id, "", variable)
    }

    /// Adds the first parent of the commit `id` as a further candidate.
    pub(super) fn or_first_parent(self, id: Option<&str>, variable: &'static str) -> Self {
        self.or_place(id, "^1", variable)
    }

    /// Adds the remote-tracking branch as a further candidate.
    pub(super) fn or_branch(self, branch: &str, variable: &'static str) -> Self {
        self.or_step_of_branch(branch, "", variable)
    }

    /// Adds a revision that begins at the remote-tracking branch as a further candidate; `steps` is such as `~2`.
    fn or_step_of_branch(mut self, branch: &str, steps: &str, variable: &'static str) -> Self {
        let revision = format!("refs/remotes/origin/{branch}{steps}");
        self.places.push(BaseCandidate { revision, variable, fetched_by: refspec(branch) });
        self
    }

    fn or_place(mut self, id: Option<&str>, step: &str, variable: &'static str) -> Self {
        if let Some(id) = id.filter(|id| is_commit(id)) {
            self.places.push(BaseCandidate { revision: format!("{id}{step}"), variable, fetched_by: id.to_owned() });
        }
        self
    }

    /// Whether there is any candidate.
    pub(super) fn is_named(&self) -> bool {
        !self.places.is_empty()
    }

    /// The change from the base to HEAD.
    ///
    /// # Errors
    ///
    /// [`Error::NoBase`] if this clone has none of the candidates, or if HEAD is already part of the branch it asks to
    /// be merged into: a wrong checkout would otherwise look like a change without findings. Also the errors of
    /// [`ImpactReport::of`].
    fn compare_with_head(
        &self,
        context: &Context,
        bounds: &Bounds,
        host: &PipelineHost,
    ) -> anyhow::Result<ImpactReport> {
        for place in &self.places {
            match compared_with(&place.revision, context, bounds) {
                Err(error) if is_absent(&error) => {}
                Err(error) => return Err(error),
                Ok(mut report) => {
                    report.impact.sides.base.clone_from(&self.name);
                    return if self.kind == BaseKind::Request && is_empty(&report) {
                        Err(self.has_head())
                    } else {
                        Ok(report)
                    };
                }
            }
        }
        Err(self.absent(host))
    }

    fn has_head(&self) -> anyhow::Error {
        NotAnalysed(Error::NoBase {
            reason: format!("HEAD has nothing that `{}`, the target of the request, does not have", self.name),
            hint: "check out the request and not its target; one that was merged has nothing to compare any more"
                .into(),
        })
        .into()
    }

    fn absent(&self, host: &PipelineHost) -> anyhow::Error {
        let name = &self.name;
        let what = match self.kind {
            BaseKind::Given => format!("`{name}`"),
            BaseKind::Request => format!("`{name}`, the target of the request,"),
            BaseKind::Push => "what the branch was before the push".to_owned(),
            BaseKind::BranchOff => format!("`{name}`, the default branch,"),
        };
        let place = |place: &BaseCandidate| match place.variable {
            "" => format!("`{}`", place.revision),
            variable => format!("`{}` by `{variable}`", place.revision),
        };
        let places: Vec<String> = self.places.iter().map(place).collect();
        let fetched_by = self.places.last().map_or("HEAD", |place| &place.fetched_by);
        NotAnalysed(Error::NoBase {
            reason: format!("{what} is not in this clone; looked for {}", places.join(", ")),
            hint: format!(
                "run `{}` first, or let the checkout bring the whole history: {}",
                fetch(fetched_by),
                host.whole_history
            )
            .into(),
        })
        .into()
    }
}

/// The form that tests compare: "request into main: one place or another".
impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            BaseKind::Given => write!(f, "given"),
            BaseKind::Request => write!(f, "request into {}", self.name),
            BaseKind::Push => write!(f, "push"),
            BaseKind::BranchOff => write!(f, "branch off {}", self.name),
        }?;
        let places: Vec<&str> = self.places.iter().map(|place| place.revision.as_str()).collect();
        write!(f, ": {}", places.join(" or "))
    }
}

/// Reports what HEAD changed since the base that was given or that the host knows. Without such a base: since HEAD left
/// the remote's default branch, or since HEAD's parent if it never did.
///
/// # Errors
///
/// [`Error::NoBase`] if the base is known but missing in this clone; also the errors of [`ImpactReport::of`].
pub(super) fn compare_head(
    given: Option<&str>,
    host: &PipelineHost,
    environment: &Environment,
    context: &Context,
    bounds: &Bounds,
) -> anyhow::Result<ImpactReport> {
    if let Some(base) = given.map(Base::from_revision).or_else(|| host.base(environment)) {
        return base.compare_with_head(context, bounds, host);
    }
    match compared_with("refs/remotes/origin/HEAD", context, bounds) {
        Ok(mut report) if !is_empty(&report) => {
            "origin/HEAD".clone_into(&mut report.impact.sides.base);
            return Ok(report);
        }
        Err(error) if !is_absent(&error) => return Err(error),
        Ok(_) | Err(_) => {}
    }
    let mut report = ImpactReport::of(context, ChangeSource::Revisions("HEAD".to_owned()), bounds)?;
    report.impact.sides.notes.push("nothing says what HEAD was made on; compared with its parent".to_owned());
    Ok(report)
}

fn compared_with(revision: &str, context: &Context, bounds: &Bounds) -> anyhow::Result<ImpactReport> {
    let source = ChangeSource::Revisions(format!("{revision}...HEAD"));
    ImpactReport::of(context, source, bounds)
}

/// Whether a side of the range is not in this clone.
fn is_absent(error: &anyhow::Error) -> bool {
    let Some(NotAnalysed(error)) = error.downcast_ref::<NotAnalysed>() else { return false };
    // A shallow clone knows ids of commits beyond its cut without having the objects.
    matches!(error, Error::BeyondCut { .. })
        || matches!(error, Error::Range { .. }) && matches!(error.code(), "UNKNOWN_REVISION" | "MISSING_OBJECT")
}

/// Whether both sides of the range are the same commit.
fn is_empty(report: &ImpactReport) -> bool {
    let sides = &report.impact.sides;
    sides.base_commit == sides.head_commit
}

/// Whether `id` is a full commit id, and not the zeros that hosts write for "no commit".
fn is_commit(id: &str) -> bool {
    matches!(id.len(), 40 | 64) && is_hexadecimal(id) && id.bytes().any(|byte| byte != b'0')
}

fn refspec(branch: &str) -> String {
    format!("+refs/heads/{branch}:refs/remotes/origin/{branch}")
}

/// The command that fetches the base and HEAD with all their history. The depth is git's number for all history;
/// `--unshallow` means the same but fails in a clone that is not shallow.
fn fetch(fetched_by: &str) -> String {
    format!("git fetch --no-tags --depth=2147483647 origin {}", word(fetched_by))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

    #[test]
    fn a_given_base_is_looked_for_at_the_remote_too() {
        for (given, places) in [
            ("main", "given: main or refs/remotes/origin/main"),
            ("origin/main", "given: origin/main or refs/remotes/origin/main"),
            (A, &format!("given: {A}")),
            ("HEAD~1", "given: HEAD~1"),
            ("main~2", "given: main~2 or refs/remotes/origin/main~2"),
            ("main@{1}", "given: main@{1}"),
        ] {
            assert_eq!(Base::from_revision(given).to_string(), places);
        }
    }

    #[test]
    fn only_whole_ids_are_commits() {
        for (id, expected) in [
            (A, true),
            (&"0".repeat(40), false),
            (&"0a".repeat(32), true),
            ("aaaaaaa", false),
            (&"g".repeat(40), false),
            ("", false),
        ] {
            assert_eq!(is_commit(id), expected, "{id}");
        }
    }

    #[test]
    fn an_absent_base_is_told_with_the_command_that_gets_it() {
        let host = PipelineHost::of(&Environment::new());
        let told = |base: Base| {
            let error = base.absent(host);
            let NotAnalysed(error) = error.downcast_ref::<NotAnalysed>().unwrap();
            format!("{error}\n{}", error.command_line_hints().join("\n"))
        };
        insta::assert_snapshot!(told(Base::request("main").or_commit(Some(A), "X_SHA").or_branch("main", "X_REF")), @r"
        cannot compare: `main`, the target of the request, is not in this clone; looked for `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa` by `X_SHA`, `refs/remotes/origin/main` by `X_REF`
        run `git fetch --no-tags --depth=2147483647 origin +refs/heads/main:refs/remotes/origin/main` first, or let the checkout bring the whole history: a clone without `--depth`
        ");
        insta::assert_snapshot!(told(Base::push().or_commit(Some(A), "X_SHA")), @r"
        cannot compare: what the branch was before the push is not in this clone; looked for `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa` by `X_SHA`
        run `git fetch --no-tags --depth=2147483647 origin aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa` first, or let the checkout bring the whole history: a clone without `--depth`
        ");
        let fetched = |given: &str| {
            let told = told(Base::from_revision(given));
            told.split(" first").next().and_then(|told| told.rsplit(' ').next()).unwrap_or_default().to_owned()
        };
        assert_eq!(fetched("HEAD~1"), "HEAD`");
        assert_eq!(fetched("main~2"), "+refs/heads/main:refs/remotes/origin/main`");
        assert!(
            told(Base::branch_off("a$(b)").or_branch("a$(b)", "X"))
                .contains("origin '+refs/heads/a$(b):refs/remotes/origin/a$(b)'`")
        );
    }
}

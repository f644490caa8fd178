//! CI hosts: how to recognise them, what they say about a change, and which outputs they read.

use std::collections::BTreeMap;

use icr_impact::report;

use super::comparison::Base;
use super::event::WebhookPayload;

/// Non-empty environment variables.
pub(super) type Environment = BTreeMap<String, String>;

/// A CI host.
pub(super) struct PipelineHost {
    pub(super) name: &'static str,
    /// Variables that only this host sets; one of them is enough to recognise it.
    signs: &'static [&'static str],
    /// The base of the change, if the host gives it.
    base: fn(&Environment) -> Option<Base>,
    /// Variable with the name of the repository.
    repository: &'static str,
    /// The kind of repository host that shows the files, and the URL of the repository.
    link: fn(&Environment) -> Option<(report::RepositoryHost, String)>,
    /// How jobs of the host read outputs.
    pub(super) reads: Reads,
    /// The CI setting that fetches all history, in words.
    pub(super) whole_history: &'static str,
}

/// How jobs of a host read the outputs of an earlier job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// Variables in a file among the reports.
    Dotenv,
    /// Workflow commands on standard output, and files that the environment names.
    Github,
    /// The host has no way of its own.
    Nothing,
}

const HOSTS: &[PipelineHost] = &[
    // tidy: sorted
    PipelineHost {
        name: "azure",
        signs: &["TF_BUILD", "SYSTEM_PULLREQUEST_TARGETBRANCH"],
        base: |environment| request(environment, "SYSTEM_PULLREQUEST_TARGETBRANCH"),
        repository: "BUILD_REPOSITORY_NAME",
        link: |_| None,
        reads: Reads::Nothing,
        whole_history: "`fetchDepth: 0` of its `checkout` step",
    },
    PipelineHost {
        name: "bitbucket",
        signs: &["BITBUCKET_BUILD_NUMBER", "BITBUCKET_PR_DESTINATION_BRANCH"],
        base: |environment| request(environment, "BITBUCKET_PR_DESTINATION_BRANCH"),
        repository: "BITBUCKET_REPO_FULL_NAME",
        link: |environment| {
            Some((report::RepositoryHost::Bitbucket, environment.get("BITBUCKET_GIT_HTTP_ORIGIN")?.clone()))
        },
        reads: Reads::Nothing,
        whole_history: "`clone: depth: full` of the pipeline",
    },
    PipelineHost {
        name: "buildkite",
        signs: &["BUILDKITE"],
        base: |environment| request(environment, "BUILDKITE_PULL_REQUEST_BASE_BRANCH"),
        repository: "BUILDKITE_PIPELINE_SLUG",
        link: |_| None,
        reads: Reads::Nothing,
        whole_history: "no `--depth` in `BUILDKITE_GIT_CLONE_FLAGS`",
    },
    PipelineHost {
        name: "github",
        signs: &["GITHUB_ACTIONS"],
        base: |environment| WebhookPayload::of(environment).base(environment),
        repository: "GITHUB_REPOSITORY",
        link: github_link,
        reads: Reads::Github,
        whole_history: "`fetch-depth: 0` of `actions/checkout`",
    },
    PipelineHost {
        name: "gitlab",
        signs: &["GITLAB_CI"],
        base: gitlab_base,
        repository: "CI_PROJECT_PATH",
        link: |environment| Some((report::RepositoryHost::Gitlab, environment.get("CI_PROJECT_URL")?.clone())),
        reads: Reads::Dotenv,
        whole_history: "the variable `GIT_DEPTH: \"0\"` of the job",
    },
    PipelineHost {
        name: "jenkins",
        signs: &["JENKINS_URL", "CHANGE_TARGET"],
        base: |environment| request(environment, "CHANGE_TARGET"),
        repository: "JOB_NAME",
        link: |_| None,
        reads: Reads::Nothing,
        whole_history: "`shallow: false` in the clone options of its `checkout` step",
    },
    // tidy: end
];

/// A host that is not recognised.
static ELSEWHERE: PipelineHost = PipelineHost {
    name: "none",
    signs: &[],
    base: |_| None,
    repository: "",
    link: |_| None,
    reads: Reads::Nothing,
    whole_history: "a clone without `--depth`",
};

impl PipelineHost {
    /// The host that the environment speaks of.
    pub(super) fn of(environment: &Environment) -> &'static Self {
        let is_set = |sign: &&str| environment.get(*sign).is_some_and(|value| !value.eq_ignore_ascii_case("false"));
        HOSTS.iter().find(|host| host.signs.iter().any(is_set)).unwrap_or(&ELSEWHERE)
    }

    /// The base of the change, if the host gives it.
    pub(super) fn base(&self, environment: &Environment) -> Option<Base> {
        (self.base)(environment)
    }

    /// Name of the repository on the host.
    pub(super) fn repository(&self, environment: &Environment) -> Option<String> {
        environment.get(self.repository).cloned()
    }

    /// Template for links to files at `commit`.
    pub(super) fn link(&self, environment: &Environment, commit: &str) -> Option<report::LinkTemplate> {
        let (host, address) = (self.link)(environment)?;
        report::LinkTemplate::new(host, &address, commit)
    }
}

/// The base for a merge request: its target branch, named in `variable`.
fn request(environment: &Environment, variable: &'static str) -> Option<Base> {
    Some(Base::request(branch(environment, variable)?).or_branch(branch(environment, variable)?, variable))
}

/// The branch in `variable`, which some hosts write as a full name of git.
fn branch<'a>(environment: &'a Environment, variable: &str) -> Option<&'a str> {
    environment.get(variable).map(|branch| branch.strip_prefix("refs/heads/").unwrap_or(branch))
}

fn github_link(environment: &Environment) -> Option<(report::RepositoryHost, String)> {
    let is_set = |variable| environment.contains_key(variable);
    // Forgejo and Gitea run GitHub workflows and use the same variable names.
    let is_forgejo = is_set("FORGEJO_ACTIONS") || is_set("GITEA_ACTIONS");
    let host = if is_forgejo { report::RepositoryHost::Forgejo } else { report::RepositoryHost::Github };
    let (server, name) = (environment.get("GITHUB_SERVER_URL")?, environment.get("GITHUB_REPOSITORY")?);
    Some((host, format!("{server}/{name}")))
}

fn gitlab_base(environment: &Environment) -> Option<Base> {
    const TARGET: &str = "CI_MERGE_REQUEST_TARGET_BRANCH_NAME";
    const MERGED: &str = "CI_MERGE_REQUEST_TARGET_BRANCH_SHA";
    const DIFF: &str = "CI_MERGE_REQUEST_DIFF_BASE_SHA";
    const BEFORE: &str = "CI_COMMIT_BEFORE_SHA";
    const DEFAULT: &str = "CI_DEFAULT_BRANCH";
    let commit = |variable| environment.get(variable).map(String::as_str);
    let target = branch(environment, TARGET);
    if target.is_some() || commit(DIFF).is_some() {
        let mut base = Base::request(target.unwrap_or("the target branch"));
        // MERGED is set when HEAD is the request merged into this commit; the variables of the request itself do not
        // contain it.
        base = base.or_commit(commit(MERGED), MERGED).or_commit(commit(DIFF), DIFF);
        return Some(target.into_iter().fold(base, |base, target| base.or_branch(target, TARGET)));
    }
    let pushed = Base::push().or_commit(commit(BEFORE), BEFORE);
    if pushed.is_named() {
        return Some(pushed);
    }
    let default = branch(environment, DEFAULT).filter(|default| commit("CI_COMMIT_BRANCH") != Some(*default))?;
    Some(Base::branch_off(default).or_branch(default, DEFAULT))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
    const ZEROS: &str = "0000000000000000000000000000000000000000";

    fn environment(variables: &[(&str, &str)]) -> Environment {
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[track_caller]
    fn check(variables: &[(&str, &str)], host: &str, base: &str) {
        let environment = environment(variables);
        let found = PipelineHost::of(&environment);
        assert_eq!(found.name, host);
        assert_eq!(found.base(&environment).map_or("none".to_owned(), |base| base.to_string()), base);
    }

    #[test]
    fn each_host_names_the_target_of_a_request() {
        check(
            &[("TF_BUILD", "True"), ("SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/main")],
            "azure",
            "request into main: refs/remotes/origin/main",
        );
        check(
            &[("BITBUCKET_BUILD_NUMBER", "7"), ("BITBUCKET_PR_DESTINATION_BRANCH", "release/2")],
            "bitbucket",
            "request into release/2: refs/remotes/origin/release/2",
        );
        check(
            &[("BUILDKITE", "true"), ("BUILDKITE_PULL_REQUEST_BASE_BRANCH", "main")],
            "buildkite",
            "request into main: refs/remotes/origin/main",
        );
        check(&[("CHANGE_TARGET", "main")], "jenkins", "request into main: refs/remotes/origin/main");
    }

    #[test]
    fn builds_of_no_request_name_none() {
        for (sign, host) in [
            ("TF_BUILD", "azure"),
            ("BITBUCKET_BUILD_NUMBER", "bitbucket"),
            ("BUILDKITE", "buildkite"),
            ("JENKINS_URL", "jenkins"),
        ] {
            check(&[(sign, "1")], host, "none");
        }
        check(&[], "none", "none");
        check(&[("GITHUB_ACTIONS", "false")], "none", "none");
    }

    #[test]
    fn gitlab_names_commits_first() {
        let request = [
            ("GITLAB_CI", "true"),
            ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", A),
            ("CI_COMMIT_BEFORE_SHA", ZEROS),
            ("CI_DEFAULT_BRANCH", "main"),
        ];
        check(&request, "gitlab", &format!("request into main: {A} or refs/remotes/origin/main"));
        let merged = [&request[..], &[("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", B)]].concat();
        check(&merged, "gitlab", &format!("request into main: {B} or {A} or refs/remotes/origin/main"));
    }

    #[test]
    fn gitlab_compares_a_push_with_what_was_there_before() {
        let push = [("GITLAB_CI", "true"), ("CI_COMMIT_BEFORE_SHA", A), ("CI_DEFAULT_BRANCH", "main")];
        check(&push, "gitlab", &format!("push: {A}"));
        let new_branch = [("GITLAB_CI", "true"), ("CI_COMMIT_BEFORE_SHA", ZEROS), ("CI_DEFAULT_BRANCH", "main")];
        check(&new_branch, "gitlab", "branch off main: refs/remotes/origin/main");
        check(&[&new_branch[..], &[("CI_COMMIT_BRANCH", "main")]].concat(), "gitlab", "none");
    }

    #[test]
    fn files_are_linked_where_their_host_shows_them() {
        let url = |variables: &[(&str, &str)]| {
            let environment = environment(variables);
            let link = PipelineHost::of(&environment).link(&environment, A);
            link.map(|link| link.url("a.rs", None).replace(A, "A"))
        };
        let github =
            [("GITHUB_ACTIONS", "true"), ("GITHUB_SERVER_URL", "https://host.example"), ("GITHUB_REPOSITORY", "o/n")];
        assert_eq!(url(&github).as_deref(), Some("https://host.example/o/n/blob/A/a.rs"));
        let forgejo = [&github[..], &[("FORGEJO_ACTIONS", "true")]].concat();
        assert_eq!(url(&forgejo).as_deref(), Some("https://host.example/o/n/src/commit/A/a.rs"));
        let gitlab = [("GITLAB_CI", "true"), ("CI_PROJECT_URL", "https://host.example/g/n")];
        assert_eq!(url(&gitlab).as_deref(), Some("https://host.example/g/n/-/blob/A/a.rs"));
        let bitbucket = [("BITBUCKET_BUILD_NUMBER", "7"), ("BITBUCKET_GIT_HTTP_ORIGIN", "http://host.example/w/n")];
        assert_eq!(url(&bitbucket).as_deref(), Some("http://host.example/w/n/src/A/a.rs"));
        assert_eq!(url(&[("JENKINS_URL", "http://host.example")]), None);
    }
}

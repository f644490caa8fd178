//! What GitHub says of the event that started a workflow.

use serde_json::Value;

use super::comparison::Base;
use super::hosts::Environment;

/// The payload of a webhook; `null` where there is none.
pub(super) struct WebhookPayload(Value);

/// Largest payload in bytes: GitHub caps payloads at 25 MB.
const MAX_BYTES: u64 = 25 << 20;

impl WebhookPayload {
    /// The payload of the event that the environment names; `null` if it cannot be read, so that only the variables
    /// count.
    pub(super) fn of(environment: &Environment) -> Self {
        let Some(path) = environment.get("GITHUB_EVENT_PATH") else { return Self(Value::Null) };
        let text = std::fs::metadata(path).ok().filter(|file| file.len() <= MAX_BYTES).map(|_| std::fs::read(path));
        let payload = text.and_then(Result::ok).and_then(|text| serde_json::from_slice(&text).ok());
        if payload.is_none() {
            tracing::warn!("`{path}`, the file in `GITHUB_EVENT_PATH`, has no JSON; the base of a push is in it");
        }
        Self(payload.unwrap_or(Value::Null))
    }

    /// The base of the change.
    pub(super) fn base(&self, environment: &Environment) -> Option<Base> {
        const EVENT: &str = "GITHUB_EVENT_PATH";
        let variable = |name| environment.get(name).map(String::as_str);
        let target = self.text("/pull_request/base/ref").or_else(|| variable("GITHUB_BASE_REF"));
        if let Some(target) = target {
            let merge = merge_commit(variable("GITHUB_REF"), variable("GITHUB_SHA"));
            let base = Base::request(target)
                .or_first_parent(merge, "GITHUB_SHA")
                .or_commit(self.text("/pull_request/base/sha"), EVENT);
            return Some(base.or_branch(target, "GITHUB_BASE_REF"));
        }
        if let Some(base) = self.text("/merge_group/base_sha") {
            let name = self.text("/merge_group/base_ref").unwrap_or("the target branch");
            return Some(Base::request(name.trim_start_matches("refs/heads/")).or_commit(Some(base), EVENT));
        }
        let pushed = Base::push().or_commit(self.text("/before"), EVENT);
        if pushed.is_named() {
            return Some(pushed);
        }
        let default = self.text("/repository/default_branch")?;
        let is_default = variable("GITHUB_REF").is_some_and(|name| name == format!("refs/heads/{default}"));
        (!is_default).then(|| Base::branch_off(default).or_branch(default, EVENT))
    }

    fn text(&self, pointer: &str) -> Option<&str> {
        self.0.pointer(pointer).and_then(Value::as_str)
    }
}

/// The merge commit that GitHub made of a pull request and its target, if the workflow runs on it. Its first parent is
/// newer than the base in the payload, which is from the last push to the request.
fn merge_commit<'a>(name: Option<&str>, commit: Option<&'a str>) -> Option<&'a str> {
    let is_merge = name.is_some_and(|name| name.starts_with("refs/pull/") && name.ends_with("/merge"));
    commit.filter(|_| is_merge)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const M: &str = "cccccccccccccccccccccccccccccccccccccccc";
    const ZEROS: &str = "0000000000000000000000000000000000000000";

    #[track_caller]
    fn check(payload: Value, variables: &[(&str, &str)], expected: &str) {
        let environment = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let base = WebhookPayload(payload).base(&environment);
        assert_eq!(base.map_or("none".to_owned(), |base| base.to_string()), expected);
    }

    #[test]
    fn a_pull_request_is_compared_with_what_it_was_merged_into() {
        let payload = json!({"pull_request": {"base": {"sha": A, "ref": "main"}}});
        let merge = [("GITHUB_BASE_REF", "main"), ("GITHUB_REF", "refs/pull/7/merge"), ("GITHUB_SHA", M)];
        check(payload.clone(), &merge, &format!("request into main: {M}^1 or {A} or refs/remotes/origin/main"));
        // Such a workflow runs on the target, whose first parent is no base.
        let target = [("GITHUB_REF", "refs/heads/main"), ("GITHUB_SHA", M)];
        check(payload, &target, &format!("request into main: {A} or refs/remotes/origin/main"));
        check(Value::Null, &[("GITHUB_BASE_REF", "main")], "request into main: refs/remotes/origin/main");
    }

    #[test]
    fn a_merge_group_is_compared_with_its_base() {
        let payload = json!({"merge_group": {"base_sha": A, "base_ref": "refs/heads/main"}});
        check(payload, &[], &format!("request into main: {A}"));
    }

    #[test]
    fn a_push_is_compared_with_what_was_there_before() {
        check(json!({"before": A}), &[], &format!("push: {A}"));
    }

    #[test]
    fn a_new_branch_is_compared_with_the_default_one() {
        let payload = json!({"before": ZEROS, "repository": {"default_branch": "main"}});
        check(payload.clone(), &[("GITHUB_REF", "refs/heads/topic")], "branch off main: refs/remotes/origin/main");
        check(payload, &[("GITHUB_REF", "refs/heads/main")], "none");
    }

    #[test]
    fn what_is_no_commit_is_no_base() {
        for before in [json!("--upload-pack=x"), json!("HEAD"), json!("aaaa"), json!(7), json!(null)] {
            check(json!({"before": before}), &[], "none");
        }
        check(Value::Null, &[], "none");
    }

    #[test]
    fn a_payload_that_cannot_be_read_tells_nothing() {
        let environment = [("GITHUB_EVENT_PATH".to_owned(), "no/such/file.json".to_owned())].into();
        assert!(WebhookPayload::of(&environment).base(&environment).is_none());
    }
}

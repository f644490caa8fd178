//! Lists of packages other than the list in `package.json`: `pnpm-workspace.yaml`, `lerna.json`, `rush.json`.

use std::sync::Arc;

use serde_json::Value;

use crate::graph::{Db, PathInput};
use crate::manifests::{ManifestResult, jsonc, text};
use crate::view::{GraphView, file_name};

/// Names of the files that list packages, in the order in which they are tried.
pub(crate) const WORKSPACE_FILES: [&str; 3] = ["pnpm-workspace.yaml", "lerna.json", "rush.json"];

/// What is wrong with the list at `path`, when something is.
pub(crate) fn problem(view: GraphView<'_>, path: &str) -> Option<String> {
    view.workspace_members(path)?.err()
}

impl GraphView<'_> {
    /// Directory patterns in the list at `path`, which is one of [`WORKSPACE_FILES`]; `None` when the file does not
    /// exist.
    pub(crate) fn workspace_members(self, path: &str) -> Option<ManifestResult<Vec<String>>> {
        workspace_members(self.db(), self.input(path))
    }
}

#[salsa::tracked(returns(clone))]
fn workspace_members(db: &dyn Db, input: PathInput) -> Option<ManifestResult<Vec<String>>> {
    let text = text(db, input)?;
    let members = match file_name(input.path(db).as_str()?) {
        "lerna.json" => jsonc::parse(&text).map(|value| strings(&value["packages"]).collect()),
        "rush.json" => jsonc::parse(&text).map(|value| rush_projects(&value)),
        _ => Ok(pnpm_packages(&String::from_utf8_lossy(&text))),
    };
    Some(members.map(Arc::new))
}

fn strings(value: &Value) -> impl Iterator<Item = String> {
    value.as_array().into_iter().flatten().filter_map(|entry| entry.as_str().map(str::to_owned))
}

fn rush_projects(value: &Value) -> Vec<String> {
    let projects = value["projects"].as_array().into_iter().flatten();
    projects.filter_map(|project| project["projectFolder"].as_str().map(str::to_owned)).collect()
}

/// The list under the key `packages`: one entry per line after `-`, or all in brackets. The file has no other YAML.
fn pnpm_packages(text: &str) -> Vec<String> {
    let mut packages = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let entry = without_comment(line).trim();
        if let Some(rest) = line.strip_prefix("packages:") {
            inside = true;
            let list = without_comment(rest).trim().trim_start_matches('[').trim_end_matches(']');
            packages.extend(list.split(',').map(unquoted).filter(|name| !name.is_empty()));
        } else if let Some(name) = entry.strip_prefix('-').filter(|_| inside) {
            packages.push(unquoted(name));
        } else if !entry.is_empty() && inside {
            if line.starts_with([' ', '\t', ']']) {
                let list = entry.trim_start_matches('[').trim_end_matches(']');
                packages.extend(list.split(',').map(unquoted).filter(|name| !name.is_empty()));
            } else {
                inside = false;
            }
        }
    }
    packages
}

/// `line` up to a `#` that begins a comment: at its start or after white space.
fn without_comment(line: &str) -> &str {
    let comment = line.match_indices('#').find(|(at, _)| *at == 0 || line[..*at].ends_with([' ', '\t']));
    comment.map_or(line, |(at, _)| &line[..at])
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pnpm_lists_packages_in_two_ways() {
        for (text, expected) in [
            (
                "packages:\n  - 'packages/*' # all\n  # none\n  - \"!**/test/**\"\ncatalog:\n  - x\n",
                &["packages/*", "!**/test/**"][..],
            ),
            ("a: 1\npackages: ['a', b/*]\n", &["a", "b/*"]),
            ("packages: [\n  a,\n  'b',\n]\n", &["a", "b"]),
            ("packages:\n- a\n\n- b\nonly:\n- c\n", &["a", "b"]),
            ("catalog:\n  packages: x\n", &[]),
            ("", &[]),
        ] {
            assert_eq!(pnpm_packages(text), expected, "{text}");
        }
    }
}

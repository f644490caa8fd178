//! RSpec, Rails and Minitest.

use super::project::{Project, relative};
use super::quote::argument;
use super::{Runner, TestTarget};

const ROOTS: &[&str] = &["Gemfile", ".rspec", "Rakefile", "*.gemspec"];

/// Bundler starts what a `Gemfile` lists.
pub(super) const ROW: Runner = Runner { endings: &[".rb"], markers: ROOTS, others: &["bin/rails"], target };

fn target(project: &Project<'_>, path: &str) -> Option<TestTarget> {
    let root = project.nearest(path, ROOTS)?.directory;
    let mentions = |word: &str| {
        ROOTS.iter().any(|name| project.find(root, &[name]).is_some_and(|found| found.text.contains(word)))
    };
    let bundle: &[&str] = if project.find(root, &["Gemfile"]).is_some() { &["bundle", "exec"] } else { &[] };
    let file = argument(relative(root, path));
    let is_rspec = path.ends_with("_spec.rb") && (project.find(root, &[".rspec"]).is_some() || mentions("rspec"));
    if is_rspec {
        return Some(TestTarget::new("rspec", root, &[bundle, &["rspec"]].concat(), file));
    }
    if project.find(root, &["bin/rails"]).is_some() {
        return Some(TestTarget::new("rails test", root, &["bin/rails", "test"], file));
    }
    let is_plain = file.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./+@".contains(&byte));
    if mentions("TestTask") && is_plain {
        // The task takes one pattern, which can list files.
        let alone = vec![format!("TEST={file}")];
        let head = [bundle, &["rake", "test"]].concat();
        return Some(
            TestTarget::new("minitest", root, &head, file).with_joint("TEST={", ",", "}").with_single_arguments(alone),
        );
    }
    // Ruby runs one file at a time.
    let head = [bundle, &["ruby", "-Ilib:test", &file]].concat();
    Some(TestTarget::with("minitest", root, &head, Vec::new()))
}

//! Ruby projects.

use super::CommandKind::{Build, Format, Lint, Run, Test};
use super::directory::ManifestDirectory;
use super::targets::declare;
use super::{Findings, is_plain};

/// What the gems of a Gemfile are started with.
pub(super) fn bundler(directory: &ManifestDirectory<'_>, marker: &str, findings: &mut Findings) {
    let gems = directory.text(marker);
    let has = |gem: &str| gems.lines().any(|line| is_gem(line, gem));
    if let Some(specification) = directory.file("*.gemspec").filter(|name| is_plain(name)) {
        findings.customary(Build, format!("gem build {specification}"), specification);
    }
    match directory.file(".rspec") {
        Some(file) => findings.declared(Test, "bundle exec rspec", file),
        None if has("rspec") || has("rspec-rails") => findings.declared(Test, "bundle exec rspec", marker),
        None => {}
    }
    match directory.file(".rubocop.yml") {
        Some(file) => rubocop(findings, file),
        None if has("rubocop") => rubocop(findings, marker),
        None => {}
    }
    if has("standard") {
        findings.declared(Lint, "bundle exec standardrb", marker);
        findings.declared(Format, "bundle exec standardrb --fix", marker);
    }
    if has("rails") {
        findings.declared(Run, "bundle exec rails server", marker);
    }
}

/// Tasks of a Rakefile, written out or made by the usual classes.
pub(super) fn rake(directory: &ManifestDirectory<'_>, marker: &str, findings: &mut Findings) {
    let prefix = if directory.file("Gemfile").is_some() { "bundle exec " } else { "" };
    let text = directory.text(marker);
    let mut tasks: Vec<&str> = text.lines().filter_map(task).collect();
    let made = [("bundler/gem_tasks", "build"), ("Rake::TestTask", "test"), ("Minitest::TestTask", "test")];
    tasks.extend(made.iter().filter(|(class, _)| text.contains(class)).map(|(_, task)| *task));
    declare(findings, marker, &[], |name| tasks.contains(&name), |name| format!("{prefix}rake {name}"));
    if text.contains("RSpec::Core::RakeTask") {
        findings.declared(Test, format!("{prefix}rake spec"), marker);
    }
    if text.contains("RuboCop::RakeTask") {
        findings.declared(Lint, format!("{prefix}rake rubocop"), marker);
    }
}

fn rubocop(findings: &mut Findings, source: &str) {
    findings.declared(Lint, "bundle exec rubocop", source);
    findings.declared(Format, "bundle exec rubocop -a", source);
}

/// `gem "name"` in any of its spellings.
fn is_gem(line: &str, name: &str) -> bool {
    let rest = line.trim_start().strip_prefix("gem").map(|rest| rest.trim_start_matches([' ', '(']));
    let quoted = rest.and_then(|rest| rest.strip_prefix(['"', '\'']));
    quoted.and_then(|rest| rest.split(['"', '\'']).next()) == Some(name)
}

/// The name in `task :name`, `task name: …`, `task "name"`.
fn task(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("task")?;
    let name = rest.strip_prefix([' ', '('])?.trim_start().trim_start_matches([':', '"', '\'']);
    let end = name.find(|next: char| !next.is_ascii_alphanumeric() && next != '_').unwrap_or(name.len());
    Some(&name[..end])
}

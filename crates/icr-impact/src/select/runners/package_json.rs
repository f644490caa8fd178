//! `package.json`: the package manager, and the scripts for tests.

use serde_json::{Map, Value};

use super::project::Project;

/// A `package.json` that parses.
pub(super) struct NodePackage {
    fields: Map<String, Value>,
}

impl NodePackage {
    /// `None` for a text that is no JSON object.
    pub(super) fn of(text: &str) -> Option<Self> {
        match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
            Ok(Value::Object(fields)) => Some(Self { fields }),
            _ => None,
        }
    }

    /// Whether the package depends on another one, for any purpose.
    pub(super) fn depends_on(&self, name: &str) -> bool {
        ["devDependencies", "dependencies", "peerDependencies"]
            .iter()
            .any(|field| self.fields.get(*field).and_then(|names| names.get(name)).is_some())
    }

    /// Whether it has a field of that name: a configuration of a program.
    pub(super) fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    /// The commands of the scripts for tests, each as words: `test` first, then `test:…` and `test-…` by name.
    pub(super) fn test_commands(&self) -> Vec<Vec<&str>> {
        let Some(scripts) = self.fields.get("scripts").and_then(Value::as_object) else { return Vec::new() };
        let mut named: Vec<(&String, &str)> = scripts
            .iter()
            .filter(|(name, _)| *name == "test" || name.starts_with("test:") || name.starts_with("test-"))
            .filter_map(|(name, text)| Some((name, text.as_str()?)))
            .collect();
        named.sort_unstable();
        let commands = named.into_iter().flat_map(|(_, text)| text.split(['&', '|', ';']));
        commands
            .map(|command| command.split_whitespace().collect())
            .filter(|words: &Vec<_>| !words.is_empty())
            .collect()
    }

    fn launcher(&self) -> Option<&'static Launcher> {
        let named = self.fields.get("packageManager").and_then(Value::as_str)?;
        let name = named.split('@').next()?;
        LAUNCHERS.iter().find(|launcher| launcher.name == name)
    }
}

/// A package manager: how it starts a program that a package depends on.
pub(super) struct Launcher {
    pub(super) name: &'static str,
    locks: &'static [&'static str],
    pub(super) launch: &'static [&'static str],
}

static LAUNCHERS: [Launcher; 4] = [
    // tidy: sorted
    Launcher { name: "bun", locks: &["bun.lock", "bun.lockb"], launch: &["bunx"] },
    Launcher { name: "npm", locks: &["package-lock.json", "npm-shrinkwrap.json"], launch: &["npx"] },
    Launcher { name: "pnpm", locks: &["pnpm-lock.yaml"], launch: &["pnpm"] },
    Launcher { name: "yarn", locks: &["yarn.lock"], launch: &["yarn"] },
    // tidy: end
];

/// Names of all lock files.
pub(super) const LOCKS: &[&str] =
    &["bun.lock", "bun.lockb", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock"];

/// The package manager of the file at `path`: by the nearest lock file, else by the nearest `packageManager`, else npm.
pub(super) fn launcher_of(project: &Project<'_>, path: &str) -> &'static Launcher {
    let by_lock = || {
        let found = project.nearest(path, LOCKS)?;
        LAUNCHERS.iter().find(|launcher| launcher.locks.contains(&found.name))
    };
    let by_field = || {
        project
            .above(path, &["package.json"])
            .find_map(|found| NodePackage::of(found.text).and_then(|package| package.launcher()))
    };
    by_lock().or_else(by_field).unwrap_or(&LAUNCHERS[1])
}

//! Manifests in JSON with a table of scripts: package.json, deno.json, composer.json.

use super::CommandKind::{Format, Lint};
use super::Findings;
use super::directory::ManifestDirectory;
use super::targets::declare;

/// Files that show which package manager a project uses.
pub(super) const LOCK_FILES: &[&str] =
    &["bun.lock", "bun.lockb", "npm-shrinkwrap.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock"];

pub(super) fn is_bun(directory: &ManifestDirectory<'_>) -> bool {
    package_manager(directory) == "bun"
}

pub(super) fn is_npm(directory: &ManifestDirectory<'_>) -> bool {
    package_manager(directory) == "npm"
}

pub(super) fn is_pnpm(directory: &ManifestDirectory<'_>) -> bool {
    package_manager(directory) == "pnpm"
}

pub(super) fn is_yarn(directory: &ManifestDirectory<'_>) -> bool {
    package_manager(directory) == "yarn"
}

/// The scripts of a package.json. Where it cannot be read, nothing is known but the manager.
pub(super) fn read(directory: &ManifestDirectory<'_>, marker: &str, findings: &mut Findings) {
    let manifest = directory.json(marker, findings);
    let manager = package_manager(directory);
    if lock_file_managers(directory).len() > 1 {
        let path = directory.path_of(marker);
        findings.warnings.push(format!("`{path}` has lock files of several package managers; `{manager}` is used"));
    }
    let scripts = &manifest["scripts"];
    let has = |name: &str| scripts[name].as_str().is_some_and(|script| !is_placeholder(script));
    declare(findings, marker, &[], has, |name| format!("{manager} run {name}"));
}

/// The scripts of a composer.json.
pub(super) fn composer(directory: &ManifestDirectory<'_>, marker: &str, findings: &mut Findings) {
    let manifest = directory.json(marker, findings);
    let scripts = &manifest["scripts"];
    let also = [(Lint, "cs-check"), (Format, "cs-fix")];
    declare(findings, marker, &also, |name| !scripts[name].is_null(), |name| format!("composer run-script {name}"));
}

/// The tasks of a deno.json.
pub(super) fn deno(directory: &ManifestDirectory<'_>, marker: &str, findings: &mut Findings) {
    let manifest = directory.json(marker, findings);
    let tasks = &manifest["tasks"];
    declare(findings, marker, &[], |name| !tasks[name].is_null(), |name| format!("deno task {name}"));
}

/// The lock file decides, then the manifest's `packageManager`, then custom. Of several lock files the one that the
/// manifest names counts.
fn package_manager(directory: &ManifestDirectory<'_>) -> &'static str {
    let locked = lock_file_managers(directory);
    let named = || {
        let manifest = directory.json("package.json", &mut Findings::default());
        let field = manifest["packageManager"].as_str().unwrap_or_default();
        let name = field.split('@').next().unwrap_or_default();
        ["bun", "npm", "pnpm", "yarn"].into_iter().find(|known| *known == name)
    };
    match locked.as_slice() {
        [only] => only,
        several => {
            let named = named().filter(|name| several.is_empty() || several.contains(name));
            named.or(several.first().copied()).unwrap_or("npm")
        }
    }
}

/// The managers whose lock files lie here or, for a member of a workspace, above.
fn lock_file_managers(directory: &ManifestDirectory<'_>) -> Vec<&'static str> {
    let of_manager = [
        ("pnpm", &["pnpm-lock.yaml"][..]),
        ("yarn", &["yarn.lock"]),
        ("bun", &["bun.lock", "bun.lockb"]),
        ("npm", &["package-lock.json", "npm-shrinkwrap.json"]),
    ];
    let here: Vec<&str> =
        of_manager.iter().filter(|(_, files)| directory.first(files).is_some()).map(|(name, _)| *name).collect();
    if !here.is_empty() {
        return here;
    }
    let above = |files: &[&str]| files.iter().any(|file| directory.has_here_or_above(file));
    of_manager.iter().filter(|(_, files)| above(files)).map(|(name, _)| *name).collect()
}

/// What `npm init` writes where there are no tests.
fn is_placeholder(script: &str) -> bool {
    script.contains("no test specified")
}

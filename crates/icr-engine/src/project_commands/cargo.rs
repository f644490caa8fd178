//! Rust packages and workspaces.

use toml::Value;

use super::CommandKind::{Build, Format, Lint, Run, Test};
use super::Findings;
use super::directory::ManifestDirectory;

/// The commands of a `Cargo.toml`; those of a workspace cover its members.
pub(super) fn read(directory: &ManifestDirectory<'_>, marker: &str, findings: &mut Findings) {
    let manifest = directory.toml(marker, findings);
    let all = if manifest.contains_key("workspace") { " --workspace" } else { "" };
    findings.customary(Build, format!("cargo build{all}"), marker);
    findings.customary(Test, format!("cargo test{all}"), marker);
    let clippy = format!("cargo clippy{all} --all-targets");
    match directory.first(&["clippy.toml", ".clippy.toml"]) {
        Some(file) => findings.declared(Lint, clippy, file),
        None if has_clippy_lints(&manifest) => findings.declared(Lint, clippy, marker),
        None => findings.customary(Lint, clippy, marker),
    }
    match directory.first(&["rustfmt.toml", ".rustfmt.toml"]) {
        Some(file) => findings.declared(Format, "cargo fmt --all", file),
        None => findings.customary(Format, "cargo fmt --all", marker),
    }
    let has_binary = manifest.get("bin").and_then(Value::as_array).is_some_and(|binaries| binaries.len() == 1);
    let default_run = manifest.get("package").and_then(|package| package.get("default-run")).is_some();
    if has_binary || default_run {
        findings.declared(Run, "cargo run", marker);
    } else if let Some(main) = directory.file("src/main.rs").filter(|_| manifest.contains_key("package")) {
        findings.customary(Run, "cargo run", main);
    }
}

fn has_clippy_lints(manifest: &toml::Table) -> bool {
    let own = manifest.get("lints");
    let shared = manifest.get("workspace").and_then(|workspace| workspace.get("lints"));
    [own, shared].into_iter().flatten().any(|lints| lints.get("clippy").is_some())
}

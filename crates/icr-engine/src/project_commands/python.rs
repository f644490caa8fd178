//! Python projects: who packages them, and which checkers they use.

use toml::{Table, Value};

use super::CommandKind::{Build, Format, Lint, Run, Test};
use super::directory::ManifestDirectory;
use super::{Findings, is_plain};

/// Files that make a directory a Python project.
pub(super) const MANIFEST: &[&str] =
    &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "requirements-dev.txt"];
/// Files that can show pytest.
pub(super) const PYTEST: &[&str] = &[
    "pytest.ini",
    "conftest.py",
    "tests/conftest.py",
    "pyproject.toml",
    "setup.cfg",
    "requirements-dev.txt",
    "requirements.txt",
];
/// Files that can show ruff.
pub(super) const RUFF: &[&str] =
    &["ruff.toml", ".ruff.toml", "pyproject.toml", "setup.cfg", "requirements-dev.txt", "requirements.txt"];
/// Files that can show mypy.
pub(super) const MYPY: &[&str] =
    &["mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg", "requirements-dev.txt", "requirements.txt"];
/// Files that can show tox.
pub(super) const TOX: &[&str] = &["tox.ini", "pyproject.toml"];
/// Everything any of the rows looks at.
pub(super) const FILES: &[&str] = &[
    ".mypy.ini",
    ".ruff.toml",
    "conftest.py",
    "mypy.ini",
    "poetry.lock",
    "pyproject.toml",
    "pytest.ini",
    "requirements-dev.txt",
    "requirements.txt",
    "ruff.toml",
    "setup.cfg",
    "setup.py",
    "tests/conftest.py",
    "tox.ini",
    "uv.lock",
];

pub(super) fn is_uv(directory: &ManifestDirectory<'_>) -> bool {
    packager_of(directory) == "uv"
}

pub(super) fn is_poetry(directory: &ManifestDirectory<'_>) -> bool {
    packager_of(directory) == "poetry"
}

pub(super) fn is_hatch(directory: &ManifestDirectory<'_>) -> bool {
    packager_of(directory) == "hatch"
}

pub(super) fn is_pip(directory: &ManifestDirectory<'_>) -> bool {
    packager_of(directory) == "pip"
}

pub(super) fn is_tox(directory: &ManifestDirectory<'_>) -> bool {
    directory.file("tox.ini").is_some() || has_table(directory, "tox")
}

pub(super) fn is_pytest(directory: &ManifestDirectory<'_>) -> bool {
    sign_of_pytest(directory).is_some()
}

pub(super) fn is_ruff(directory: &ManifestDirectory<'_>) -> bool {
    sign_of_ruff(directory).is_some()
}

pub(super) fn is_black(directory: &ManifestDirectory<'_>) -> bool {
    sign(directory, "black", &[]).is_some()
}

pub(super) fn is_mypy(directory: &ManifestDirectory<'_>) -> bool {
    sign_of_mypy(directory).is_some()
}

/// Building, the program that the project installs, and the standard test runner where no other is known.
pub(super) fn packager(directory: &ManifestDirectory<'_>, marker: &str, findings: &mut Findings) {
    let project = project(directory, findings);
    let packager = packager_of(directory);
    let is_package = project.contains_key("build-system") || directory.file("setup.py").is_some();
    match packager {
        "pip" if is_package => findings.customary(Build, "python -m build", marker),
        "uv" if is_package => findings.customary(Build, "uv build", marker),
        "poetry" | "hatch" => findings.customary(Build, format!("{packager} build"), marker),
        _ => {}
    }
    if packager == "hatch" && !is_pytest(directory) && !is_tox(directory) {
        findings.customary(Test, "hatch test", marker);
    } else if is_package && !is_pytest(directory) && !is_tox(directory) && directory.file("noxfile.py").is_none() {
        findings.customary(Test, format!("{}python -m unittest", prefix(directory)), marker);
    }
    let scripts = [at(&project, &["project", "scripts"]), at(&project, &["tool", "poetry", "scripts"])];
    let names: Vec<&String> = scripts.into_iter().flatten().flat_map(Table::keys).collect();
    // With several programs none is the one to run.
    if let [name] = names.as_slice()
        && is_plain(name)
    {
        findings.declared(Run, format!("{}{name}", prefix(directory)), "pyproject.toml");
    }
}

pub(super) fn tox(directory: &ManifestDirectory<'_>, marker: &str, findings: &mut Findings) {
    findings.declared(Test, format!("{}tox", prefix(directory)), marker);
}

pub(super) fn pytest(directory: &ManifestDirectory<'_>, marker: &str, findings: &mut Findings) {
    let source = sign_of_pytest(directory).unwrap_or(marker);
    findings.declared(Test, format!("{}pytest", prefix(directory)), source);
}

pub(super) fn ruff(directory: &ManifestDirectory<'_>, marker: &str, findings: &mut Findings) {
    let source = sign_of_ruff(directory).unwrap_or(marker);
    findings.declared(Lint, format!("{}ruff check .", prefix(directory)), source);
    // Projects that keep black use ruff for its checks alone.
    if !is_black(directory) {
        findings.declared(Format, format!("{}ruff format .", prefix(directory)), source);
    }
}

pub(super) fn black(directory: &ManifestDirectory<'_>, marker: &str, findings: &mut Findings) {
    let source = sign(directory, "black", &[]).unwrap_or(marker);
    findings.declared(Format, format!("{}black .", prefix(directory)), source);
}

pub(super) fn mypy(directory: &ManifestDirectory<'_>, marker: &str, findings: &mut Findings) {
    let source = sign_of_mypy(directory).unwrap_or(marker);
    findings.declared(Lint, format!("{}mypy .", prefix(directory)), source);
}

fn packager_of(directory: &ManifestDirectory<'_>) -> &'static str {
    let backend_is = |name: &str| {
        let project = project(directory, &mut Findings::default());
        let backend = at(&project, &["build-system"]).and_then(|table| table.get("build-backend"));
        backend.and_then(Value::as_str).is_some_and(|backend| backend.starts_with(name))
    };
    if directory.file("uv.lock").is_some() || has_table(directory, "uv") {
        "uv"
    } else if directory.file("poetry.lock").is_some() || has_table(directory, "poetry") || backend_is("poetry") {
        "poetry"
    } else if has_table(directory, "hatch") || backend_is("hatchling") {
        "hatch"
    } else {
        "pip"
    }
}

/// How the packager starts a program of the project's environment.
fn prefix(directory: &ManifestDirectory<'_>) -> &'static str {
    match packager_of(directory) {
        "uv" => "uv run ",
        "poetry" => "poetry run ",
        "hatch" => "hatch run ",
        _ => "",
    }
}

fn project(directory: &ManifestDirectory<'_>, findings: &mut Findings) -> Table {
    directory.file("pyproject.toml").map(|name| directory.toml(name, findings)).unwrap_or_default()
}

fn has_table(directory: &ManifestDirectory<'_>, tool: &str) -> bool {
    at(&project(directory, &mut Findings::default()), &["tool", tool]).is_some()
}

fn sign_of_pytest<'a>(directory: &ManifestDirectory<'a>) -> Option<&'a str> {
    sign(directory, "pytest", &["pytest.ini", "conftest.py", "tests/conftest.py"])
}

fn sign_of_ruff<'a>(directory: &ManifestDirectory<'a>) -> Option<&'a str> {
    sign(directory, "ruff", &["ruff.toml", ".ruff.toml"])
}

fn sign_of_mypy<'a>(directory: &ManifestDirectory<'a>) -> Option<&'a str> {
    sign(directory, "mypy", &["mypy.ini", ".mypy.ini"])
}

/// The file by which the project shows that it uses `tool`: one of the tool's own, else one that configures it or
/// depends on it.
fn sign<'a>(directory: &ManifestDirectory<'a>, tool: &str, own: &[&str]) -> Option<&'a str> {
    if let Some(file) = directory.first(own) {
        return Some(file);
    }
    let project = project(directory, &mut Findings::default());
    let has_line =
        |file: &str, is_sign: fn(&str, &str) -> bool| directory.text(file).lines().any(|line| is_sign(line, tool));
    let file = if at(&project, &["tool", tool]).is_some() || depends_on(&project, tool) {
        "pyproject.toml"
    } else if has_line("setup.cfg", section_is) {
        "setup.cfg"
    } else {
        ["requirements-dev.txt", "requirements.txt"].into_iter().find(|file| has_line(file, is_requirement))?
    };
    directory.file(file)
}

/// Whether any list of requirements or table of dependencies names `package`.
fn depends_on(project: &Table, package: &str) -> bool {
    let lists = [
        at(project, &["project"]).and_then(|table| table.get("dependencies")),
        project.get("project").and_then(|table| table.get("optional-dependencies")),
        project.get("dependency-groups"),
        at(project, &["tool", "uv"]).and_then(|table| table.get("dev-dependencies")),
        at(project, &["tool", "hatch", "envs"]).and_then(|table| table.get("default")),
    ];
    let listed = lists.into_iter().flatten().any(|value| lists_requirement(value, package));
    let poetry = at(project, &["tool", "poetry"]);
    let in_table =
        |table: Option<&Value>| table.and_then(Value::as_table).is_some_and(|table| table.contains_key(package));
    let in_groups = poetry
        .and_then(|table| table.get("group"))
        .and_then(Value::as_table)
        .is_some_and(|groups| groups.values().any(|group| in_table(group.get("dependencies"))));
    let in_poetry =
        poetry.is_some_and(|table| in_table(table.get("dependencies")) || in_table(table.get("dev-dependencies")));
    listed || in_groups || in_poetry
}

fn lists_requirement(value: &Value, package: &str) -> bool {
    match value {
        Value::String(requirement) => is_requirement(requirement, package),
        Value::Array(items) => items.iter().any(|item| lists_requirement(item, package)),
        Value::Table(table) => table.values().any(|item| lists_requirement(item, package)),
        _ => false,
    }
}

/// `pytest`, `pytest>=8`, `pytest[x]`, but not `pytest-cov`.
fn is_requirement(requirement: &str, package: &str) -> bool {
    let rest = requirement.trim().strip_prefix(package);
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '-' | '_' | '.')))
}

/// `[tool:pytest]`, `[mypy]`, `[mypy-package]`.
fn section_is(line: &str, tool: &str) -> bool {
    let name = line.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    name.is_some_and(|name| name == tool || name.strip_prefix("tool:") == Some(tool))
}

fn at<'a>(table: &'a Table, path: &[&str]) -> Option<&'a Table> {
    path.iter().try_fold(table, |table, name| table.get(*name)?.as_table())
}

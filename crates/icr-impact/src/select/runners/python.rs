//! pytest, Django and unittest.

use super::project::{FoundManifest, Project, is_identifier, relative};
use super::quote::argument;
use super::scan::has_toml_table;
use super::{Runner, TestTarget};

/// Files that configure a project and may mention pytest.
const MANIFESTS: &[&str] = &[
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
    "setup.py",
    "noxfile.py",
    "Pipfile",
    "requirements.txt",
    "requirements-dev.txt",
    "requirements-test.txt",
    "requirements_dev.txt",
    "requirements_test.txt",
    "dev-requirements.txt",
    "test-requirements.txt",
    "conftest.py",
    "manage.py",
];

/// Lock files, and the tables of `pyproject.toml`, of programs that start others in the environment of a project.
static LAUNCHERS: [(&str, &str, &[&str]); 4] = [
    // tidy: sorted
    ("Pipfile.lock", "tool.pipenv", &["pipenv", "run"]),
    ("pdm.lock", "tool.pdm", &["pdm", "run"]),
    ("poetry.lock", "tool.poetry", &["poetry", "run"]),
    ("uv.lock", "tool.uv", &["uv", "run"]),
    // tidy: end
];

/// pytest if a manifest mentions it, else Django's runner, else unittest if a manifest mentions that. If no manifest
/// mentions a runner, pytest: it runs both kinds of tests, while unittest passes without running tests that it does not
/// know.
pub(super) const ROW: Runner = Runner {
    endings: &[".py"],
    markers: MANIFESTS,
    others: &["Pipfile.lock", "pdm.lock", "poetry.lock", "uv.lock"],
    target,
};

fn target(project: &Project<'_>, path: &str) -> Option<TestTarget> {
    let found: Vec<FoundManifest<'_>> = project.all_above(path, MANIFESTS).collect();
    let launcher = launcher(project, path);
    if found.iter().any(|file| configures_pytest(file) || file.name == "conftest.py" || file.text.contains("pytest")) {
        let root =
            found.iter().find(|file| configures_pytest(file)).or_else(|| found.iter().find(|file| is_package(file)));
        let root = root
            .or_else(|| found.iter().rev().find(|file| file.name != "conftest.py"))
            .map_or("", |file| file.directory);
        return Some(TestTarget::new(
            "pytest",
            root,
            &[launcher, &["pytest"]].concat(),
            argument(relative(root, path)),
        ));
    }
    if let Some(manage) = found.iter().find(|file| file.name == "manage.py") {
        let module = relative(manage.directory, path).strip_suffix(".py")?;
        let head = [launcher, &["python", "manage.py", "test"]].concat();
        let label = module.split('/').all(is_identifier).then(|| module.replace('/', "."));
        return Some(TestTarget::new("django", manage.directory, &head, label?));
    }
    let root = found.iter().find(|file| is_package(file)).or(found.first())?.directory;
    let runner = if found.iter().any(|file| file.text.contains("unittest")) { "unittest" } else { "pytest" };
    let head = [launcher, &["python", "-m", runner]].concat();
    Some(TestTarget::new(runner, root, &head, argument(relative(root, path))))
}

/// Whether pytest would take the directory of the file for its root.
fn configures_pytest(file: &FoundManifest<'_>) -> bool {
    match file.name {
        "pytest.ini" | ".pytest.ini" => true,
        "pyproject.toml" => has_toml_table(file.text, "tool.pytest"),
        "tox.ini" => file.text.lines().any(|line| line.trim_end() == "[pytest]"),
        "setup.cfg" => file.text.lines().any(|line| line.trim_end() == "[tool:pytest]"),
        _ => false,
    }
}

fn is_package(file: &FoundManifest<'_>) -> bool {
    matches!(file.name, "pyproject.toml" | "setup.py" | "setup.cfg")
}

/// What starts programs in the environment of the project; the nearest lock file decides, then the nearest table.
fn launcher(project: &Project<'_>, path: &str) -> &'static [&'static str] {
    let locks = LAUNCHERS.map(|(lock, ..)| lock);
    let by_lock = project.nearest(path, &locks).and_then(|found| LAUNCHERS.iter().find(|row| row.0 == found.name));
    let by_table = || {
        project
            .above(path, &["pyproject.toml"])
            .find_map(|file| LAUNCHERS.iter().find(|row| has_toml_table(file.text, row.1)))
    };
    by_lock.or_else(by_table).map_or(&[], |row| row.2)
}

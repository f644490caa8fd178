//! Files that change only because other files changed, and so explain nothing: lock files, generated files and change
//! logs.

use icr_model::RepoPath;

/// Lock files, by name: written by a package manager whenever its manifest changes.
const LOCK_FILES: [&str; 24] = [
    // tidy: sorted
    "Cargo.lock",
    "Gemfile.lock",
    "Gopkg.lock",
    "MODULE.bazel.lock",
    "Package.resolved",
    "Pipfile.lock",
    "Podfile.lock",
    "bun.lock",
    "bun.lockb",
    "composer.lock",
    "deno.lock",
    "flake.lock",
    "go.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "packages.lock.json",
    "pdm.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "yarn.lock",
    // tidy: end
];

/// Ends of the names of generated files, with what makes them.
const GENERATED: [(&str, &str); 12] = [
    // tidy: sorted
    (".Designer.cs", "written by a designer"),
    (".d.ts.map", "a source map"),
    (".g.cs", "written by a source generator"),
    (".g.dart", "written by build_runner"),
    (".js.map", "a source map"),
    (".min.css", "minified"),
    (".min.js", "minified"),
    (".pb.cc", "written by protoc"),
    (".pb.go", "written by protoc"),
    (".pb.h", "written by protoc"),
    (".snap", "recorded by a test run"),
    ("_pb2.py", "written by protoc"),
    // tidy: end
];

/// Why nobody writes the file at `path` by hand; `None` when somebody may.
pub fn unauthored(path: &RepoPath) -> Option<&'static str> {
    let name = path.file_name();
    if LOCK_FILES.iter().any(|lock| lock.as_bytes() == name) {
        return Some("written by a package manager");
    }
    GENERATED.iter().find(|(end, _)| name.ends_with(end.as_bytes())).map(|(_, reason)| *reason)
}

/// Names of change logs, in lower case and without an extension: written whatever changes.
const CHANGE_LOGS: [&str; 12] = [
    // tidy: sorted
    "change_log",
    "changelog",
    "changes",
    "history",
    "news",
    "release-notes",
    "release_notes",
    "releasenotes",
    "releases",
    "whats-new",
    "whats_new",
    "whatsnew",
    // tidy: end
];

/// Extensions of what people read, in lower case; code may be called `history` too.
const OF_PROSE: [&str; 8] = ["adoc", "html", "markdown", "md", "rdoc", "rst", "txt", "xml"];

/// Whether the file at `path` can explain a change of another file: it is no lock file, no generated file and no change
/// log.
pub fn explains(path: &RepoPath) -> bool {
    unauthored(path).is_none() && !is_change_log(path)
}

/// Whether the file at `path` is a change log by its name.
pub fn is_change_log(path: &RepoPath) -> bool {
    let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
    let stem = match name.rsplit_once('.') {
        Some((stem, extension)) if OF_PROSE.contains(&extension) => stem,
        Some(_) => return false,
        None => &name,
    };
    // `CHANGELOG-1.28.md`, `changes.v2.x.rst`.
    let is_version = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '-' | '_' | 'v' | 'x');
    CHANGE_LOGS.contains(&stem) || CHANGE_LOGS.contains(&stem.trim_end_matches(is_version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_logs_explain_nothing() {
        for (path, expected) in [
            ("CHANGELOG.md", false),
            ("docs/History.md", false),
            ("src/changes/changes.xml", false),
            ("NEWS", false),
            ("CHANGELOG-1.28.md", false),
            ("changes.v2.x.rst", false),
            ("Cargo.lock", false),
            ("src/history.rs", true),
            ("History.tsx", true),
            ("changes/1234.md", true),
            ("README.md", true),
        ] {
            assert_eq!(explains(&path.into()), expected, "{path}");
        }
    }

    #[test]
    fn lock_files_and_generated_ones_are_told_by_their_names() {
        for (path, reason) in [
            ("Cargo.lock", Some("written by a package manager")),
            ("web/yarn.lock", Some("written by a package manager")),
            ("api/v1/user.pb.go", Some("written by protoc")),
            ("user_pb2.py", Some("written by protoc")),
            ("dist/app.min.js", Some("minified")),
            ("src/lock.rs", None),
            ("Cargo.lock/notes.md", None),
            ("my-Cargo.lock", None),
            ("CHANGELOG.md", None),
            ("", None),
        ] {
            assert_eq!(unauthored(&path.into()), reason, "{path}");
        }
    }

    #[test]
    fn the_tables_are_sorted_and_hold_nothing_twice() {
        assert!(LOCK_FILES.is_sorted_by(|one, other| one < other));
        assert!(GENERATED.is_sorted_by(|one, other| one.0 < other.0));
    }
}

//! Files that change because others did: nobody forgets them, and they explain nothing.

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

#[cfg(test)]
mod tests {
    use super::*;

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

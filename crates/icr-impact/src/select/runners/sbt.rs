//! sbt, by project and class.

use super::jvm_classes::{ENDINGS, JvmClass};
use super::project::{Project, is_identifier, relative};
use super::{Runner, TestTarget};

/// `build.sbt` at the root names the projects and their directories.
pub(super) const ROW: Runner = Runner { endings: ENDINGS, markers: &["build.sbt"], others: &[], target };

fn target(project: &Project<'_>, path: &str) -> Option<TestTarget> {
    let root = project.above(path, &["build.sbt"]).last()?;
    let path = relative(root.directory, path);
    let (directory, class) = match path.find("/src/") {
        Some(at) if !path.starts_with("src/") => (&path[..at], &path[at + 1..]),
        _ => ("", path),
    };
    let class = JvmClass::of(class)?;
    let task = match (project_of(root.text, directory), class.set) {
        (None, "it") => "it:testOnly".to_owned(),
        (None, _) => "testOnly".to_owned(),
        (Some(id), "it") => format!("{id}/it:testOnly"),
        (Some(id), _) => format!("{id}/testOnly"),
    };
    // A command of sbt is one argument, with its own.
    Some(TestTarget::new("sbt", root.directory, &["sbt"], class.qualified).with_joint(format!("{task} "), " ", ""))
}

/// The id of the project in `directory`: the value that `file("directory")` is written for, or the one called as the
/// directory. `None` for the root.
fn project_of<'a>(build: &'a str, directory: &'a str) -> Option<&'a str> {
    if directory.is_empty() {
        return None;
    }
    let quoted = format!("file(\"{directory}\")");
    let before = build.find(&quoted).map(|at| &build[..at]);
    let declared = before.and_then(|before| before.rsplit_once("lazy val ")).map(|(_, rest)| rest);
    let id = declared.and_then(|rest| rest.split([' ', ':', '=']).next()).unwrap_or(directory);
    let id = id.rsplit('/').next().unwrap_or(id);
    is_identifier(id).then_some(id)
}

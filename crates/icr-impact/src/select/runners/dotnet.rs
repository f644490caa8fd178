//! `dotnet test`, by project and class.

use super::project::{is_identifier, join, stem};
use super::quote::argument;
use super::{Runner, TestTarget};

const PROJECTS: &[&str] = &["*.csproj", "*.fsproj", "*.vbproj"];

/// The class of a file is customarily called as it; the filter takes any part of a full name.
pub(super) const ROW: Runner = Runner {
    endings: &[".cs", ".fs", ".vb"],
    markers: PROJECTS,
    others: &[],
    target: |project, path| {
        let found = project.nearest(path, PROJECTS)?;
        let class = stem(path);
        let file = argument(&join(found.directory, found.name));
        let head = ["dotnet", "test", file.as_str(), "--filter"];
        let filter = format!("FullyQualifiedName~{class}");
        is_identifier(class).then(|| TestTarget::new("dotnet test", "", &head, filter).with_joint("", "|", ""))
    },
};

//! Pictures of dependencies between files, as Graphviz text or as one self-contained HTML file.
//!
//! Everything here is a pure function from plain data to text. Equal data give equal text, in whatever order lists of
//! files and edges come.

mod components;
mod dot;
mod embedded;
mod escape;
mod fold;
pub(crate) mod impact;
mod layers;
mod matrix;
mod neighbourhood;
mod overview;
mod page;
mod svg;
#[cfg(test)]
mod tests;

/// Heading of a picture.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heading {
    /// What is shown, such as `What depends on src/a.rs`.
    pub(crate) title: String,
    /// Name of the repository.
    pub(crate) repo: String,
    /// The commit of the picture as it shall be shown, abbreviated or in full. Empty if there is no commit yet.
    pub(crate) commit: String,
    /// Whether uncommitted content was looked at as well.
    pub(crate) dirty: bool,
    /// What is missing in the picture, one sentence each.
    pub(crate) gaps: Vec<String>,
}

/// One file and the files around it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Neighbourhood {
    /// Heading of the picture.
    pub(crate) heading: Heading,
    /// Path of the file in the centre.
    pub(crate) centre: String,
    /// Files that import the centre, directly or through others.
    pub(crate) importers: Vec<Neighbour>,
    /// Files that the centre imports, directly or through others.
    pub(crate) imports: Vec<Neighbour>,
    /// Files that usually change in the commits that change the centre.
    pub(crate) changed_together: Vec<Neighbour>,
    /// Edges between neighbours beyond those in [`Neighbour::via`]. Edges of files that are not shown are ignored.
    pub(crate) links: Vec<NeighbourLink>,
    /// Why the lists are not complete, when they are not.
    pub(crate) truncated: Option<String>,
}

/// A file near another one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Neighbour {
    /// Its path.
    pub(crate) path: String,
    /// Steps from the centre, from 1; 0 counts as 1.
    pub(crate) depth: u32,
    /// Path of the neighbour on the same side, one step nearer to the centre, that leads here. `None` for direct
    /// neighbours.
    pub(crate) via: Option<String>,
    /// Notes about the file, such as `re-export`, `test`, `type only` (these three also change the box and its edge) or
    /// `12 of 14 commits`.
    pub(crate) labels: Vec<String>,
    /// Relevance; larger is more. For files that change together it is the share of commits in `0.0..=1.0`, drawn as a
    /// bar. A value that is not a number counts as 0.
    pub(crate) weight: f64,
}

/// An edge between two neighbours, by path.
#[derive(Debug, Clone)]
pub(crate) struct NeighbourLink {
    /// Path of the file that imports.
    pub(crate) from: String,
    /// Path of the file that is imported.
    pub(crate) to: String,
    /// Kind of the import.
    pub(crate) kind: DependencyKind,
}

/// All files of a repository, or of a part of it, and the edges between them.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileGraph {
    /// Heading of the picture.
    pub(crate) heading: Heading,
    /// The files. A file that is listed twice counts once.
    pub(crate) nodes: Vec<FileNode>,
    /// The edges. A file that only an edge names is a file without language. Equal edges add up; those from a file to
    /// itself are passed over.
    pub(crate) edges: Vec<Edge>,
}

/// A file of a [`FileGraph`].
#[derive(Debug, Clone)]
pub(crate) struct FileNode {
    /// Its path.
    pub(crate) path: String,
    /// Name of its language; empty when it has none.
    pub(crate) language: String,
}

/// An edge of a [`FileGraph`], by path.
#[derive(Debug, Clone)]
pub(crate) struct Edge {
    /// Path of the file that depends.
    pub(crate) from: String,
    /// Path of the file it depends on.
    pub(crate) to: String,
    /// Kind of the dependency.
    pub(crate) kind: DependencyKind,
    /// Number of references or imported names.
    pub(crate) count: u32,
}

/// Kinds of dependency between files, in the order of legends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum DependencyKind {
    /// An ordinary import.
    Import,
    /// An import whose names are exported again.
    Reexport,
    /// An import of types that leaves nothing at run time.
    TypeOnly,
    /// A test that imports what it tests.
    Test,
    /// A textual inclusion.
    Include,
    /// The declaration of a child module.
    Module,
    /// A use of a name where no import between the files is known.
    Reference,
}

impl DependencyKind {
    /// All kinds, in order.
    pub(crate) const ALL: [Self; 7] =
        [Self::Import, Self::Reexport, Self::TypeOnly, Self::Test, Self::Include, Self::Module, Self::Reference];

    /// Name of the kind; also the label of a [`Neighbour`] with this kind.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Reexport => "re-export",
            Self::TypeOnly => "type only",
            Self::Test => "test",
            Self::Include => "include",
            Self::Module => "module",
            Self::Reference => "reference",
        }
    }

    /// The kind that `labels` name. If there are several, a test comes before a re-export, and both before others,
    /// because reviewers look for these first. Without such a label: a plain import.
    pub(crate) fn of_labels(labels: &[String]) -> Self {
        let is_told = |kind: &Self| labels.iter().any(|label| label == kind.name());
        let order = [Self::Test, Self::Reexport, Self::TypeOnly, Self::Include, Self::Module, Self::Reference];
        order.into_iter().find(is_told).unwrap_or(Self::Import)
    }

    /// Name of its class in the style sheet.
    fn class(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Reexport => "reexport",
            Self::TypeOnly => "typeonly",
            Self::Test => "test",
            Self::Include => "include",
            Self::Module => "module",
            Self::Reference => "reference",
        }
    }
}

impl Neighbourhood {
    /// As a Graphviz digraph, with a cluster per list and a style per kind.
    pub(crate) fn dot(&self) -> String {
        dot::neighbourhood(self)
    }

    /// As one HTML file: a drawing of at most 560 neighbours, and tables of all of them.
    pub(crate) fn html(&self) -> String {
        neighbourhood::html(self)
    }
}

impl FileGraph {
    /// As a Graphviz digraph of files, with a cluster per directory and a style per kind.
    pub(crate) fn dot(&self) -> String {
        dot::graph(self)
    }

    /// As one HTML file: a drawing of at most 60 boxes, files or directories, and all files and edges for the script
    /// that draws the inside of a directory.
    ///
    /// Size with paths of at most 255 bytes: at most 4 MiB plus 40 bytes per edge, 16 bytes per file and 6 bytes per
    /// byte of a path. 100,000 edges between 10,000 files take about 1 MiB. Time grows with files and edges, which are
    /// sorted; the boxes cost the same for every graph.
    pub(crate) fn html(&self) -> String {
        overview::html(self)
    }
}

//! Reduces many files to a few boxes; a box may stand for all files of a directory.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{DependencyKind, FileGraph};

/// A graph with numbered files: files are sorted by path, edges are sorted, and equal edges are added up.
pub(super) struct NumberedGraph<'a> {
    /// Paths, ascending, each once. The files of a directory stand together.
    pub(super) paths: Vec<&'a str>,
    /// The language of each file; empty if it has none.
    pub(super) languages: Vec<&'a str>,
    /// Edges by file numbers.
    pub(super) edges: Vec<FileEdge>,
}

/// An edge between two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileEdge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: DependencyKind,
    pub(super) count: u64,
}

impl<'a> NumberedGraph<'a> {
    /// Numbers the files of `graph`, including files that only edges name. Cost: sorting files and edges.
    pub(super) fn of(graph: &'a FileGraph) -> Self {
        let named = graph.edges.iter().flat_map(|edge| [&edge.from, &edge.to]).map(|path| (path.as_str(), ""));
        let told = graph.nodes.iter().map(|node| (node.path.as_str(), node.language.as_str()));
        let mut all: Vec<(&str, &str)> = named.chain(told).collect();
        all.sort_unstable();
        // Of equal paths the last is kept; it has a language if any of them has one.
        all.reverse();
        all.dedup_by_key(|(path, _)| *path);
        all.reverse();
        let (paths, languages): (Vec<&str>, Vec<&str>) = all.into_iter().unzip();
        let number = |path: &str| paths.binary_search(&path).expect("paths of edges were numbered");
        let mut edges: Vec<FileEdge> = graph
            .edges
            .iter()
            .map(|edge| FileEdge {
                from: number(&edge.from),
                to: number(&edge.to),
                kind: edge.kind,
                count: u64::from(edge.count),
            })
            .filter(|edge| edge.from != edge.to)
            .collect();
        edges.sort_unstable();
        edges.dedup_by(|next, kept| {
            let same = (next.from, next.to, next.kind) == (kept.from, kept.to, kept.kind);
            kept.count += if same { next.count } else { 0 };
            same
        });
        Self { paths, languages, edges }
    }
}

/// What a box stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    /// One file.
    File,
    /// Everything below a directory.
    Directory,
    /// The files directly in a directory, without its subdirectories.
    FilesOf,
    /// The smaller parts of a directory, combined.
    Rest,
}

/// A box and the files in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GraphPart {
    pub(super) form: PartKind,
    /// Path of the file or directory. A directory has a slash at the end; the root is empty.
    pub(super) path: String,
    /// Numbers of the files.
    pub(super) files: Vec<Range<usize>>,
}

impl GraphPart {
    /// How many files are in it.
    pub(super) fn len(&self) -> usize {
        self.files.iter().map(Range::len).sum()
    }
}

/// All edges from one part to another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartEdge {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Counts by kind.
    pub(super) counts: BTreeMap<DependencyKind, u64>,
}

impl PartEdge {
    /// The sum over all kinds.
    pub(super) fn count(&self) -> u64 {
        self.counts.values().sum()
    }

    /// The kind of all edges if they have the same kind; else that of plain imports.
    pub(super) fn kind(&self) -> DependencyKind {
        match self.counts.keys().next() {
            Some(kind) if self.counts.len() == 1 => *kind,
            _ => DependencyKind::Import,
        }
    }
}

/// Parts that hold every file once, at most `limit` of them (at least 2), in the order of their first files.
///
/// If there are few enough files, each is a part. Otherwise the directory with most edges is replaced by its content,
/// repeatedly, as long as everything fits. If not all of its content fits, the smaller parts are combined into one box.
pub(super) fn parts(files: &NumberedGraph<'_>, limit: usize) -> Vec<GraphPart> {
    let paths = &files.paths;
    if paths.len() <= limit {
        return (0..paths.len()).map(|no| file(paths, no)).collect();
    }
    let ends = ends_before(files);
    let weight = &|part: &GraphPart| {
        let ends: usize = part.files.iter().map(|range| ends[range.end] - ends[range.start]).sum();
        (ends, part.len())
    };
    let root =
        GraphPart { form: PartKind::Directory, path: String::new(), files: std::iter::once(0..paths.len()).collect() };
    let mut parts = vec![root];
    let mut closed: Vec<GraphPart> = Vec::new();
    // Takes the heaviest directory that was not looked at yet.
    while let Some(at) = heaviest_directory(&parts, weight) {
        let part = parts.swap_remove(at);
        let room = limit.saturating_sub(parts.len() + closed.len());
        match fitting(direct_content(paths, &part), room, FEW, weight) {
            Some(inner) if inner.len() > 1 => parts.extend(inner),
            _ => closed.push(part),
        }
    }
    closed.extend(parts);
    // If the repository has only few directories, files are shown too.
    while closed.len() + 1 < FEW.min(limit) {
        let open = |(_, part): &(usize, &GraphPart)| matches!(part.form, PartKind::Directory | PartKind::FilesOf);
        let by_weight = |(_, part): &(usize, &GraphPart)| (weight(part), std::cmp::Reverse(part.files[0].start));
        let Some((at, _)) = closed.iter().enumerate().filter(open).max_by_key(by_weight) else { break };
        let part = closed.swap_remove(at);
        let all = part.files.iter().cloned().flatten().map(|no| file(paths, no)).collect();
        let inner = fitting(all, limit - closed.len(), 2, weight);
        closed.extend(inner.expect("there is room when few boxes stand"));
    }
    closed.sort_by_key(|part| part.files.first().map(|range| range.start));
    closed
}

/// The parts of `inner` that fit in `room`: all of them; or the heaviest, with the others combined; or `None` if `room`
/// would then be less than `least`.
fn fitting(
    mut inner: Vec<GraphPart>,
    room: usize,
    least: usize,
    weight: impl Fn(&GraphPart) -> (usize, usize),
) -> Option<Vec<GraphPart>> {
    if inner.len() <= room {
        return Some(inner);
    }
    if room < least {
        return None;
    }
    inner.sort_by_key(|part| std::cmp::Reverse(weight(part)));
    let rest: Vec<GraphPart> = inner.drain(room - 1..).collect();
    let path = common_directory(rest.iter().chain(&inner).map(|part| part.path.as_str()));
    let mut files: Vec<usize> = rest.into_iter().flat_map(|part| part.files).flatten().collect();
    files.sort_unstable();
    let mut ranges = Vec::new();
    files.into_iter().for_each(|no| extend(&mut ranges, no));
    inner.push(GraphPart { form: PartKind::Rest, path, files: ranges });
    Some(inner)
}

/// The longest directory that contains all `paths`, of which there must be at least one.
fn common_directory<'a>(mut paths: impl Iterator<Item = &'a str>) -> String {
    let above = |path: &str| path.trim_end_matches('/').rfind('/').map_or(0, |slash| slash + 1);
    let first = paths.next().unwrap_or_default();
    let mut common = &first[..above(first)];
    for path in paths {
        while !path.starts_with(common) || above(path) < common.len() {
            common = &common[..above(common)];
        }
    }
    common.to_owned()
}

/// Number of boxes that counts as few. A directory is opened for only its larger parts if there is room for this many,
/// and files are shown if there are fewer boxes than this.
const FEW: usize = 12;

/// For each file number, the number of edge ends at earlier files.
fn ends_before(files: &NumberedGraph<'_>) -> Vec<usize> {
    let mut ends = vec![0; files.paths.len() + 1];
    for edge in &files.edges {
        ends[edge.from + 1] += 1;
        ends[edge.to + 1] += 1;
    }
    for no in 1..ends.len() {
        ends[no] += ends[no - 1];
    }
    ends
}

/// Index of the directory with the largest weight, the first by path of equal ones. Directories without edges are
/// skipped, except the root.
fn heaviest_directory(parts: &[GraphPart], weight: impl Fn(&GraphPart) -> (usize, usize)) -> Option<usize> {
    let directories = parts.iter().enumerate().filter(|(_, part)| part.form == PartKind::Directory);
    let is_root = |part: &GraphPart| part.path.is_empty();
    let open = directories.filter(|(_, part)| weight(part).0 > 0 || is_root(part));
    open.max_by_key(|(_, part)| (weight(part), std::cmp::Reverse(part.files[0].start))).map(|(at, _)| at)
}

/// The direct content of a directory: its subdirectories, and its own files as one part. A directory that contains only
/// one directory is skipped in favour of that one.
fn direct_content(paths: &[&str], part: &GraphPart) -> Vec<GraphPart> {
    let mut prefix = part.path.clone();
    loop {
        let mut directories: Vec<GraphPart> = Vec::new();
        let mut own: Vec<Range<usize>> = Vec::new();
        for no in part.files.iter().cloned().flatten() {
            let rest = &paths[no][prefix.len()..];
            let Some(slash) = rest.find('/') else {
                extend(&mut own, no);
                continue;
            };
            let path = &paths[no][..=prefix.len() + slash];
            match directories.last_mut().filter(|last| last.path == path) {
                Some(last) => extend(&mut last.files, no),
                None => {
                    let files = std::iter::once(no..no + 1).collect();
                    directories.push(GraphPart { form: PartKind::Directory, path: path.to_owned(), files });
                }
            }
        }
        if let ([only], []) = (directories.as_slice(), own.as_slice()) {
            prefix.clone_from(&only.path);
            continue;
        }
        let files_of = GraphPart { form: PartKind::FilesOf, path: prefix, files: own };
        let has_own = files_of.len() > 0;
        let all = directories.into_iter().chain(has_own.then_some(files_of));
        return all.map(|part| if part.len() == 1 { file(paths, part.files[0].start) } else { part }).collect();
    }
}

fn file(paths: &[&str], no: usize) -> GraphPart {
    let files = std::iter::once(no..no + 1).collect();
    GraphPart { form: PartKind::File, path: paths[no].to_owned(), files }
}

/// Adds `no` to ascending ranges.
fn extend(ranges: &mut Vec<Range<usize>>, no: usize) {
    match ranges.last_mut() {
        Some(last) if last.end == no => last.end += 1,
        _ => ranges.push(no..no + 1),
    }
}

/// Edges between different parts, ascending, and for each part the count of edges inside it.
pub(super) fn edges_between(files: &NumberedGraph<'_>, parts: &[GraphPart]) -> (Vec<PartEdge>, Vec<u64>) {
    let mut part_of = vec![0; files.paths.len()];
    for (no, part) in parts.iter().enumerate() {
        for range in &part.files {
            part_of[range.clone()].fill(no);
        }
    }
    let mut inside = vec![0; parts.len()];
    let mut between: BTreeMap<(usize, usize), BTreeMap<DependencyKind, u64>> = BTreeMap::new();
    for edge in &files.edges {
        let (from, to) = (part_of[edge.from], part_of[edge.to]);
        if from == to {
            inside[from] += edge.count;
        } else {
            *between.entry((from, to)).or_default().entry(edge.kind).or_default() += edge.count;
        }
    }
    let edges = between.into_iter().map(|((from, to), counts)| PartEdge { from, to, counts }).collect();
    (edges, inside)
}

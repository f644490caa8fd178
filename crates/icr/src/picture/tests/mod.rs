//! Pictures of tiny graphs, and of hostile and huge ones.

mod browser;
mod dot;
mod impact;
mod impacts;
mod layout;
mod markup;
mod page;

use super::*;

fn heading() -> Heading {
    Heading {
        title: "Around src/a.rs".to_owned(),
        repo: "shop".to_owned(),
        commit: "1a2b3c4".to_owned(),
        dirty: true,
        gaps: vec!["2 files were not read.".to_owned()],
    }
}

/// A neighbour from `path depth via labels`, in which `-` is none and labels are separated by `,`.
fn neighbour(line: &str) -> Neighbour {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [path, depth, via, labels] = fields[..] else { panic!("`{line}` has other fields") };
    let labels: Vec<String> =
        labels.split(',').filter(|label| *label != "-").map(|label| label.replace('_', " ")).collect();
    Neighbour {
        path: path.to_owned(),
        depth: depth.parse().expect("the depth is a number"),
        via: (via != "-").then(|| via.to_owned()),
        labels,
        weight: 0.5,
    }
}

/// A neighbourhood of `src/a.rs` from lines that begin with `<` for importers, `>` for imports, `~` for what is changed
/// together.
fn neighbourhood(fixture: &str) -> Neighbourhood {
    let mut neighbourhood =
        Neighbourhood { heading: heading(), centre: "src/a.rs".to_owned(), ..Neighbourhood::default() };
    for line in fixture.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let list = match line.chars().next() {
            Some('<') => &mut neighbourhood.importers,
            Some('>') => &mut neighbourhood.imports,
            _ => &mut neighbourhood.changed_together,
        };
        list.push(neighbour(&line[1..]));
    }
    neighbourhood
}

/// A graph from lines `from to kind count`.
fn graph(fixture: &str) -> FileGraph {
    let mut graph = FileGraph { heading: heading(), ..FileGraph::default() };
    for line in fixture.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [from, to, kind, count] = fields[..] else { panic!("`{line}` has other fields") };
        graph.edges.push(edge(
            from,
            to,
            DependencyKind::of_labels(&[kind.replace('_', " ")]),
            count.parse().expect("a number"),
        ));
    }
    let named = graph.edges.iter().flat_map(|edge| [edge.from.clone(), edge.to.clone()]);
    graph.nodes = named.map(|path| FileNode { path, language: "Rust".to_owned() }).collect();
    graph
}

fn edge(from: &str, to: &str, kind: DependencyKind, count: u32) -> Edge {
    Edge { from: from.to_owned(), to: to.to_owned(), kind, count }
}

/// Paths that would break out of markup, ids or scripts, or look like others.
const HOSTILE: [&str; 9] = [
    "<script>alert(1)</script>",
    "a\"><b>&amp;.rs",
    "it's/a</title></svg>.rs",
    "back\\slash\\\".rs",
    "]]>--><!--/x.rs",
    "line\nbreak\u{0}\u{1b}.rs",
    "\u{202e}sr.exe",
    "http://example.org//x.js",
    "\u{fffd}\u{6f22}\u{5b57}/\u{1f980}.rs",
];

/// A neighbourhood and a graph in which every text is hostile.
fn hostile() -> (Neighbourhood, FileGraph) {
    let text = |no: usize| HOSTILE[no % HOSTILE.len()].to_owned();
    let heading = Heading {
        title: text(0),
        repo: text(1),
        commit: text(2),
        dirty: true,
        gaps: HOSTILE.map(str::to_owned).into(),
    };
    let list = |depth: u32| -> Vec<Neighbour> {
        (0..HOSTILE.len())
            .map(|no| Neighbour {
                path: text(no),
                depth,
                via: (depth > 1).then(|| text(no + 1)),
                labels: vec![text(no + 2), text(no + 3), "test".to_owned()],
                weight: [f64::NAN, f64::INFINITY, -1.0][no % 3],
            })
            .collect()
    };
    let neighbourhood = Neighbourhood {
        heading: heading.clone(),
        centre: text(3),
        importers: [list(1), list(u32::MAX)].concat(),
        imports: list(0),
        changed_together: list(1),
        links: HOSTILE
            .windows(2)
            .map(|pair| NeighbourLink { from: pair[0].into(), to: pair[1].into(), kind: DependencyKind::Reexport })
            .collect(),
        truncated: Some(text(4)),
    };
    let edges = (0..HOSTILE.len()).map(|no| edge(&text(no), &text(no * 2 + 1), DependencyKind::ALL[no % 7], u32::MAX));
    let graph = FileGraph {
        heading,
        nodes: HOSTILE.map(|path| FileNode { path: path.to_owned(), language: path.to_owned() }).into(),
        edges: edges.collect(),
    };
    (neighbourhood, graph)
}

/// `edges_total` edges among `files_total` files in nested directories, by a fixed linear congruence.
fn large(files_total: u64, edges_total: u64) -> FileGraph {
    let mut state = 1_u64;
    let mut next = |below: u64| {
        // Multiplier and increment of Knuth's MMIX; the upper bits are the better ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let path = |no: u64| format!("packages/area{}/part{}/src/file_{no}.ts", no % 120, no % 17);
    let nodes = (0..files_total).map(|no| FileNode { path: path(no), language: "TypeScript".to_owned() }).collect();
    let edges = (0..edges_total).map(|_| {
        let kind = DependencyKind::ALL[next(7) as usize];
        edge(&path(next(files_total)), &path(next(files_total)), kind, 1 + next(9) as u32)
    });
    FileGraph { heading: heading(), nodes, edges: edges.collect() }
}

//! Where files stand.

use icr_impact::GraphEdge;

use super::*;

/// Sections with their places, and the boxes of each that are seen at first.
#[track_caller]
fn check(fixture: &str, expected: &str) {
    let layout = layout(&graph(fixture));
    let mut lines = Vec::new();
    for (no, section) in layout.sections.iter().enumerate() {
        lines.push(format!("{} at {},{}", section.section.heading(), section.x, section.y));
        for boxed in layout.boxes.iter().filter(|boxed| boxed.section == no && boxed.parent.is_none()) {
            lines.push(format!("  {}", name(boxed)));
        }
    }
    assert_eq!(lines.join("\n"), expected);
}

fn name(boxed: &DrawingBox) -> String {
    match &boxed.content {
        BoxContent::File(no) => format!("file {no}"),
        BoxContent::Group { form, label, files, .. } => format!("{form:?} {label} {files}"),
    }
}

/// A graph from lines `path role depth`.
fn graph(fixture: &str) -> ImpactGraph {
    let node = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [path, role, depth] = fields[..] else { panic!("`{line}` has other fields") };
        let role = match role {
            "changed" => GraphRole::Changed,
            "missing" => GraphRole::Missing,
            "expected" => GraphRole::Expected,
            "test" => GraphRole::Test,
            _ => GraphRole::Dependent,
        };
        let depth = depth.parse().expect("the depth is a number");
        GraphNode { path: path.to_owned(), label: path.to_owned(), role, depth, strength: 0.5 }
    };
    let lines = fixture.lines().map(str::trim).filter(|line| !line.is_empty());
    ImpactGraph { nodes: lines.map(node).collect(), edges: Vec::new() }
}

#[test]
fn columns_go_from_what_is_expected_to_what_is_far_away() {
    check(
        "a changed 0\nb missing 1\nc expected 1\nd dependent 1\ne dependent 2\nf test 2\ng test 7\nh dependent 0",
        "Seem forgotten at 16,16\n  file 1\nOften change too at 16,86\n  file 2\nChanged at 248,16\n  file 0\n\
         Refer to the change at 480,16\n  file 3\n  file 7\n2 steps away at 712,16\n  file 4\n\
         Tests, 2 steps at 712,86\n  file 5\nTests, 3+ steps at 944,16\n  file 6",
    );
}

#[test]
fn columns_without_files_take_no_room() {
    check("a changed 0\nb test 3", "Changed at 16,16\n  file 0\nTests, 3+ steps at 248,16\n  file 1");
    check("", "");
}

#[test]
fn a_file_that_stands_twice_is_drawn_once() {
    check("a changed 0\na test 1", "Changed at 16,16\n  file 0");
}

#[test]
fn directories_are_called_by_what_tells_them_apart() {
    let mut fixture = "x changed 0\n".to_owned();
    for no in 0..72 {
        fixture.push_str(&format!("p/a{}/src/f{no}.rs dependent 1\n", no % 12));
    }
    let groups: String = (0..12).map(|no| format!("\n  Directory a{no}/ 6")).collect();
    check(&fixture, &format!("Changed at 16,16\n  file 0\nRefer to the change at 248,16{groups}"));
}

#[test]
fn files_whose_directory_gave_way_stay_together() {
    let paths = (0..66).map(|no| format!("{}f{no:02} dependent 1\n", ["p/a/", "p/b/", "q/"][no % 3]));
    let fixture: String = paths.collect();
    let files: String = (0..22).map(|no| format!("\n  file {}", no * 3)).collect();
    check(&fixture, &format!("Refer to the change at 16,16{files}\n  Directory b/ 22\n  Directory q/ 22"));
}

proptest::proptest! {
    #[test]
    fn every_file_has_one_box_and_boxes_do_not_overlap(
        files in proptest::collection::vec(("([a-c]/){0,4}[a-z]{1,2}", 0_usize..6, 0_u32..6, 0.0..1.0), 0..300),
        ends in proptest::collection::vec((0_usize..300, 0_usize..300), 0..300),
    ) {
        let roles = [
            GraphRole::Changed, GraphRole::Missing, GraphRole::Test, GraphRole::Dependent, GraphRole::Transitive,
            GraphRole::Expected,
        ];
        let node = |(path, role, depth, strength): &(String, usize, u32, f64)| GraphNode {
            path: path.clone(), label: path.clone(), role: roles[*role], depth: *depth, strength: *strength,
        };
        let nodes: Vec<GraphNode> = files.iter().map(node).collect();
        let path = |no: usize| nodes.get(no).map_or(String::new(), |node| node.path.clone());
        let edges = ends.iter().map(|(from, to)| GraphEdge {
            from: path(*from), to: path(*to), kind: GraphEdgeKind::Import, count: 1, label: String::new(),
        });
        let graph = ImpactGraph { edges: edges.collect(), nodes: nodes.clone() };
        let layout = layout(&graph);
        let mut drawn: Vec<&str> = layout.boxes.iter().filter_map(|boxed| match boxed.content {
            BoxContent::File(no) => Some(graph.nodes[no].path.as_str()),
            BoxContent::Group { .. } => None,
        }).collect();
        drawn.sort_unstable();
        let mut expected: Vec<&str> = graph.nodes.iter().map(|node| node.path.as_str()).collect();
        expected.sort_unstable();
        expected.dedup();
        proptest::prop_assert_eq!(drawn, expected);

        let seen: Vec<&DrawingBox> = layout.boxes.iter().filter(|boxed| boxed.parent.is_none()).collect();
        proptest::prop_assert!(seen.len() <= MAX_BOXES.max(LEAST_BOXES * layout.sections.len()));
        for (at, boxed) in seen.iter().enumerate() {
            let place = boxed.rectangle;
            proptest::prop_assert!(place.x >= SIZES.margin && place.x + place.width <= layout.width - SIZES.margin);
            proptest::prop_assert!(place.y >= SIZES.margin && place.y + place.height <= layout.height - SIZES.margin);
            proptest::prop_assert!(seen[..at].iter().all(|other| !other.rectangle.overlaps(&place)));
        }
        for (no, boxed) in layout.boxes.iter().enumerate() {
            if let BoxContent::Group { files, .. } = boxed.content {
                let inside = layout.boxes.iter().filter(|inner| inner.parent == Some(no)).count();
                proptest::prop_assert!((2..=MAX_INSIDE).contains(&inside) && inside <= files, "{inside} of {files}");
            }
        }
        proptest::prop_assert!(layout.edges.iter().map(|edge| edge.edges).sum::<usize>() <= graph.edges.len());
        let is_seen = |no: usize| layout.boxes[no].parent.is_none();
        let join = layout.edges.iter().all(|edge| edge.from != edge.to && is_seen(edge.from) && is_seen(edge.to));
        proptest::prop_assert!(join);
    }
}

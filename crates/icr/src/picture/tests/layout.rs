//! Where boxes stand, and which files are in them.

use super::super::fold::{GraphPart, NumberedGraph, PartKind, edges_between, parts};
use super::super::neighbourhood::tests::rectangles_and_size;
use super::*;

#[track_caller]
fn check(fixture: &str, limit: usize, expected: &str) {
    let graph = graph(fixture);
    let files = NumberedGraph::of(&graph);
    let parts = parts(&files, limit);
    let line = |part: &GraphPart| {
        let sign = match part.form {
            PartKind::File | PartKind::Directory => "",
            PartKind::FilesOf => "*",
            PartKind::Rest => "rest",
        };
        format!("{}{sign} {}", part.path, part.files.iter().map(|range| range.len()).sum::<usize>())
    };
    assert_eq!(parts.iter().map(line).collect::<Vec<_>>().join("\n"), expected);
}

#[test]
fn few_files_stand_for_themselves() {
    check("src/a.rs src/b/c.rs import 1", 2, "src/a.rs 1\nsrc/b/c.rs 1");
}

#[test]
fn many_files_stand_in_directories_and_single_directories_are_passed() {
    let mut fixture = "x/y/3.rs x/y/4.rs import 1\n".to_owned();
    let mut expected = "x/y/* 2".to_owned();
    for no in 10..23 {
        fixture.push_str(&format!("x/y/d{no}/only/1.rs x/y/d{no}/only/2.rs import 1\n"));
        expected.push_str(&format!("\nx/y/d{no}/ 2"));
    }
    check(&fixture, 20, &expected);
}

#[test]
fn a_directory_with_more_than_fits_keeps_its_smaller_parts_together() {
    let fixture: String = (0..40)
        .map(|no| format!("d{no:02}/a.rs d{no:02}/b.rs import {no}\nd39/c.rs d{no:02}/a.rs import 1\n"))
        .collect();
    let expected: String = (0..12).map(|no| format!("d{no:02}/ 2\n")).collect();
    check(&fixture, 14, &format!("{expected}rest 54\nd39/ 3"));
}

#[test]
fn a_flat_repository_shows_its_files() {
    let fixture: String = (0..30).map(|no| format!("f{no:02}.rs f00.rs import 1\n")).collect();
    let mut expected: String = (0..13).map(|no| format!("f{no:02}.rs 1\n")).collect();
    expected.push_str("rest 17");
    check(&fixture, 14, &expected);
}

proptest::proptest! {
    #[test]
    fn every_file_is_in_one_part_and_every_edge_in_or_between_parts(
        paths in proptest::collection::vec("([a-c]/){0,4}[a-z]", 1..80),
        ends in proptest::collection::vec((0usize..80, 0usize..80, 1u32..9), 0..120),
        limit in 2usize..30,
    ) {
        let path = |no: usize| paths[no % paths.len()].as_str();
        let edges = ends.iter().map(|(from, to, count)| edge(path(*from), path(*to), DependencyKind::Import, *count)).collect();
        let nodes = paths.iter().map(|path| FileNode { path: path.clone(), language: String::new() }).collect();
        let graph = FileGraph { heading: heading(), nodes, edges };
        let files = NumberedGraph::of(&graph);
        let parts = parts(&files, limit);
        proptest::prop_assert!(parts.len() <= limit);
        let mut held: Vec<usize> = parts.iter().flat_map(|part| part.files.iter().cloned().flatten()).collect();
        held.sort_unstable();
        proptest::prop_assert_eq!(held, (0..files.paths.len()).collect::<Vec<_>>());
        let (between, inside) = edges_between(&files, &parts);
        let counted = between.iter().map(|edge| edge.count()).sum::<u64>() + inside.iter().sum::<u64>();
        proptest::prop_assert_eq!(counted, files.edges.iter().map(|edge| edge.count).sum::<u64>());
    }

    #[test]
    fn no_two_boxes_of_a_neighbourhood_overlap(
        lists in proptest::collection::vec(proptest::collection::vec((0u32..6, 0usize..90, proptest::bool::ANY), 0..100), 3)
    ) {
        let list = |no: usize| -> Vec<Neighbour> {
            let neighbour = |(at, (depth, via, labelled)): (usize, &(u32, usize, bool))| Neighbour {
                path: format!("d/f{at}.rs"),
                depth: *depth,
                via: (*depth > 1).then(|| format!("d/f{via}.rs")),
                labels: if *labelled { vec!["test".to_owned()] } else { Vec::new() },
                weight: *via as f64,
            };
            lists[no].iter().enumerate().map(neighbour).collect()
        };
        let neighbourhood = Neighbourhood {
            centre: "c.rs".to_owned(), importers: list(0), imports: list(1), changed_together: list(2), ..Neighbourhood::default()
        };
        let (rectangles, width, height) = rectangles_and_size(&neighbourhood);
        for (no, rectangle) in rectangles.iter().enumerate() {
            proptest::prop_assert!(rectangle.x >= 16.0 && rectangle.x + rectangle.width <= width - 16.0);
            proptest::prop_assert!(rectangle.y >= 48.0 && rectangle.y + rectangle.height <= height - 16.0);
            for other in &rectangles[..no] {
                proptest::prop_assert!(!rectangle.overlaps(other), "{:?} {:?}", rectangle, other);
            }
        }
    }
}

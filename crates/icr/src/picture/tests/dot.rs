//! Graphviz text.

use super::*;

#[test]
fn a_neighbourhood_has_a_cluster_per_list() {
    let mut neighbourhood = neighbourhood(
        "< src/main.rs 1 - -
         < tests/a.rs 1 - test
         < src/cli.rs 2 src/main.rs -
         > src/b.rs 1 - type_only
         > src/main.rs 1 - -
         ~ docs/a.md 1 - 12_of_14_commits",
    );
    let link = |from: &str, to: &str| NeighbourLink {
        from: from.to_owned(),
        to: to.to_owned(),
        kind: DependencyKind::Reexport,
    };
    neighbourhood.links = vec![link("tests/a.rs", "src/main.rs"), link("src/gone.rs", "src/main.rs")];
    neighbourhood.truncated = Some("Stopped after\n2 steps.".to_owned());
    insta::assert_snapshot!(neighbourhood.dot(), @r##"
    digraph icr {
      graph [rankdir=LR, fontname="Helvetica", label="Around src/a.rs · shop at 1a2b3c4 with uncommitted changes"];
      node [shape=box, style=rounded, fontname="Helvetica", fontsize=10];
      edge [fontname="Helvetica", fontsize=8];
      // 2 files were not read.
      "src/a.rs" [style="rounded,filled,bold"];
      subgraph cluster_importers {
        label="Imported by"; style=rounded; color="#c8d0da";
        "src/main.rs";
        "tests/a.rs" [label="tests/a.rs (test)"];
        "src/cli.rs";
      }
      subgraph cluster_imports {
        label="Imports"; style=rounded; color="#c8d0da";
        "src/b.rs" [label="src/b.rs (type only)"];
      }
      subgraph cluster_together {
        label="Changed together"; style=rounded; color="#c8d0da";
        "docs/a.md" [label="docs/a.md (12 of 14 commits)"];
      }
      "src/a.rs" -> "docs/a.md" [color="#bc4c00", style=dotted, dir=none, constraint=false, label="12 of 14 commits"];
      "src/a.rs" -> "src/b.rs" [color="#0969da", style=dashed];
      "src/a.rs" -> "src/main.rs" [color="#5b6b82"];
      "src/cli.rs" -> "src/main.rs" [color="#5b6b82"];
      "src/main.rs" -> "src/a.rs" [color="#5b6b82"];
      "tests/a.rs" -> "src/a.rs" [color="#1a7f37", arrowhead=empty];
      "tests/a.rs" -> "src/main.rs" [color="#8250df:#8250df"];
      // Stopped after 2 steps.
    }
    "##);
}

#[test]
fn a_graph_has_a_cluster_per_directory() {
    let graph = graph(
        "src/a.rs src/b/c.rs import 1
         src/a.rs src/b/c.rs import 2
         src/b/c.rs src/a.rs re-export 1
         main.rs src/a.rs module 1
         main.rs main.rs import 9",
    );
    insta::assert_snapshot!(graph.dot(), @r##"
    digraph icr {
      graph [rankdir=LR, fontname="Helvetica", label="Around src/a.rs · shop at 1a2b3c4 with uncommitted changes"];
      node [shape=box, style=rounded, fontname="Helvetica", fontsize=10];
      edge [fontname="Helvetica", fontsize=8];
      // 2 files were not read.
      "main.rs" [label="main.rs", tooltip="Rust"];
      subgraph "cluster_src/" {
        label="src/"; style=rounded; color="#c8d0da";
        "src/a.rs" [label="a.rs", tooltip="Rust"];
        subgraph "cluster_src/b/" {
          label="src/b/"; style=rounded; color="#c8d0da";
          "src/b/c.rs" [label="c.rs", tooltip="Rust"];
        }
      }
      "main.rs" -> "src/a.rs" [color="#5b6b82", arrowhead=diamond];
      "src/a.rs" -> "src/b/c.rs" [color="#5b6b82", label="3"];
      "src/b/c.rs" -> "src/a.rs" [color="#8250df:#8250df"];
    }
    "##);
}

#[test]
fn quotes_and_line_ends_stay_inside_of_ids() {
    let (neighbourhood, graph) = hostile();
    for text in [neighbourhood.dot(), graph.dot()] {
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let unescaped = line.replace("\\\\", "").replace("\\\"", "");
            assert_eq!(unescaped.matches('"').count() % 2, 0, "{line}");
            let outside: String = unescaped.split('"').step_by(2).collect();
            assert!(!outside.contains(['<', '&', '\\']), "{line}");
        }
    }
}

#[test]
fn ten_thousand_directories_within_each_other_are_drawn() {
    let path = format!("{}a.rs", "d/".repeat(10_000));
    let graph = FileGraph { edges: vec![edge(&path, "b.rs", DependencyKind::Import, 1)], ..FileGraph::default() };
    assert!(graph.dot().contains(&path));
    assert!(graph.html().contains("a.rs"));
}

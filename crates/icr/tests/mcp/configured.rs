//! What keys of the configuration change in answers of the server.

use std::fmt::Write;

use icr_fixture::Fixture;
use serde_json::{Value, json};

use crate::place::Place;
use crate::server::Server;

/// A function, 14 files that call it, and one that calls one of these.
fn chain() -> Place {
    let mut files = "//- base.py\ndef base():\n    return 1\n".to_owned();
    for number in 0..14 {
        let _ = write!(files, "//- use{number}.py\nfrom base import base\n\ndef use{number}():\n    return base()\n");
    }
    let _ = write!(files, "//- top.py\nfrom use0 import use0\n\ndef top():\n    return use0()\n");
    Place::of(Fixture::new(&files))
}

#[test]
fn how_far_an_impact_is_followed_and_how_much_of_it_is_told() {
    let place = chain();
    place.index();
    let lengths = |args: &[&str], arguments: Value| {
        let mut server = Server::run(&place, place.icr(&[&["mcp"], args].concat()));
        let data = server.data("project_impact", arguments);
        server.ends_well();
        let graph = &data["graph"];
        let lists = [&data["direct_dependents"], &data["transitive_dependents"], &graph["nodes"], &graph["edges"]];
        lists.map(|list| list.as_array().map_or(0, Vec::len))
    };
    let of_base = json!({"changed_paths": ["base.py"]});
    let [direct, transitive, nodes, edges] = lengths(&[], of_base.clone());
    assert!(direct == 14 && transitive == 1 && nodes == 16 && edges > 14, "{direct} {transitive} {nodes} {edges}");
    assert_eq!(lengths(&["--set", "impact.depth=1"], of_base.clone())[..2], [14, 0]);
    assert_eq!(lengths(&["--set", "impact.max_nodes=10"], of_base.clone())[2], 10);
    assert_eq!(lengths(&["--set", "impact.max_edges=11"], of_base)[3], 11);
    let asked = json!({"changed_paths": ["base.py"], "max_nodes": 12});
    assert_eq!(lengths(&["--set", "impact.max_nodes=10"], asked)[2], 12, "what is asked for counts");
}

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
        let length = |list: &Value| list.as_array().map_or(0, Vec::len);
        let graph = &data["graph"];
        let edges = graph["edges"].as_object().expect("edges by kind").values().map(length).sum();
        let lists = [&data["direct_dependents"], &data["transitive_dependents"], &graph["nodes"]].map(length);
        [lists[0], lists[1], lists[2], edges]
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

#[test]
fn a_range_is_judged_by_the_rules_that_stood_before_it() {
    for (path, rules) in [(".icr.toml", "[watcher]\nignore_patterns = [\"src/\"]\n"), (".icrignore", "src/\n")] {
        let place = Place::of(Fixture::new(
            "//- src/base.py\ndef area():\n    return 1\n//- use.py\nfrom src.base import area\n\narea()\n",
        ));
        place.fixture.write("//- src/base.py\ndef surface():\n    return 1\n");
        place.fixture.write_bytes(path, rules.as_bytes());
        place.fixture.commit("rename, and look away");
        place.index();
        let mut server = Server::start(&place);
        for range in ["HEAD", "HEAD~1..HEAD"] {
            let data = server.data("impact_diff", json!({"range": range}));
            assert_eq!(data["verdict"], "breaking", "{path}, {range}: {data:#}");
            assert!(data["notes"].to_string().contains("as they were before the change"), "{path}, {range}: {data:#}");
        }
        server.ends_well();
    }
}

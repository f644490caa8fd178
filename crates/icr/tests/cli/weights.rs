//! What the configuration lets count in searches and packs.

use icr_fixture::Fixture;
use serde_json::Value;

use crate::run::Icr;

const FILES: &str = "\
//- src/harbour.rs
/// Ties a ship to the berth.
pub fn moor(ship: &str) -> bool {
    !ship.is_empty()
}
//- src/pilot.rs
/// A pilot brings a ship to its berth, and another ship out of the berth.
pub trait Pilot {
    fn bring(&self, ship: &str, berth: u32);
}
//- src/tide.rs
pub fn tide(hour: u32) -> u32 {
    hour % 12
}
";

const QUERY: [&str; 4] = ["search", "ship berth", "--explain", "--set"];

/// The part that `channel` has in the score of the file at `path`; 0 where it counts nothing.
fn part(answer: &Value, path: &str, channel: &str) -> f64 {
    let hits = answer["results"].as_array().expect("results");
    let hit = hits.iter().find(|hit| hit["path"] == path).unwrap_or_else(|| panic!("{path} is not in {answer}"));
    let parts = hit["explanation"].as_array().expect("parts");
    parts.iter().find(|part| part[0] == channel).and_then(|part| part[1].as_f64()).unwrap_or_default()
}

#[test]
fn what_does_not_count_is_no_part_of_a_score() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let rows = [
        ("retrieval.weight_bm25=0", "text"),
        ("retrieval.weight_embedding=0", "similarity"),
        ("retrieval.weight_recency=0", "recency"),
    ];
    for (set, channel) in rows {
        let usual = icr.json(&[&QUERY[..], &["retrieval.final_results=20"]].concat());
        assert!(part(&usual, "src/pilot.rs", channel) > 0.0, "{channel}: {usual}");
        let without = icr.json(&[&QUERY[..], &[set]].concat());
        assert_eq!(part(&without, "src/pilot.rs", channel), 0.0, "{set}");
    }
    let more = icr.json(&[&QUERY[..], &["retrieval.weight_bm25=0.9"]].concat());
    let usual = icr.json(&[&QUERY[..], &["retrieval.weight_bm25=0.3"]].concat());
    assert!(part(&more, "src/pilot.rs", "text") > part(&usual, "src/pilot.rs", "text"));
}

#[test]
fn what_is_near_or_pinned_counts_as_much_as_is_set() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let focus =
        |set| part(&icr.json(&[&QUERY[..], &[set, "--focus", "src/harbour.rs"]].concat()), "src/harbour.rs", "focus");
    assert!(focus("retrieval.weight_focus=0.05") > 0.0);
    assert_eq!(focus("retrieval.weight_focus=0"), 0.0);
    let pinned = |set| part(&icr.json(&[&QUERY[..], &[set]].concat()), "src/harbour.rs", "pinned");
    assert_eq!(pinned("retrieval.weight_pinned=0.05"), 0.0);
    icr.prints(&["pin", "src/harbour.rs"]);
    assert!(pinned("retrieval.weight_pinned=0.05") > 0.0, "a pin counts in a search");
    assert_eq!(pinned("retrieval.weight_pinned=0"), 0.0);
}

#[test]
fn channels_are_fused_as_is_set() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let least = |fusion| {
        let answer = icr.json(&[&QUERY[..], &[fusion]].concat());
        let [one, other] = ["src/pilot.rs", "src/harbour.rs"].map(|path| part(&answer, path, "text"));
        one.min(other) / one.max(other)
    };
    assert!((least("retrieval.fusion=rrf") - 61.0 / 62.0).abs() < 1e-9, "the second of two places");
    assert!(least("retrieval.fusion=weighted") < 0.95);
}

#[test]
fn the_first_files_are_read_again_unless_that_is_switched_off() {
    let fixture = Fixture::new(
        "//- src/quay.rs\n/// Serialization of ships.\npub fn moor() {}\n\
         //- src/serializer.rs\n/// Serialization of ships, too.\npub fn write_out() {}\n",
    );
    let icr = Icr::new(&fixture);
    let first = |set: &str| {
        let answer = icr.json(&["search", "serialization of ships", "--mode", "lexical", "--explain", "--set", set]);
        (answer["results"][0]["path"].to_string(), part(&answer, "src/serializer.rs", "read again"))
    };
    let (path, gained) = first("retrieval.reranker_enabled=true");
    assert_eq!(path, "\"src/serializer.rs\"", "its name is said in another form");
    assert!(gained > 0.0);
    assert_eq!(first("retrieval.reranker_enabled=false"), ("\"src/quay.rs\"".to_owned(), 0.0));
}

#[test]
fn as_many_files_are_shown_as_is_set_or_typed() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    let shown = |args: &[&str]| icr.json(&[&QUERY[..], args].concat())["results"].as_array().map(Vec::len);
    assert_eq!(shown(&["retrieval.final_results=1"]), Some(1));
    assert_eq!(shown(&["retrieval.final_results=1", "-n", "2"]), Some(2));
}

#[test]
fn recency_decays_as_fast_as_is_set() {
    let fixture = Fixture::new(FILES);
    fixture.write("//- src/tide.rs\npub fn tide(hour: u32) -> u32 {\n    hour % 24\n}\n");
    fixture.commit("a day of tides");
    let icr = Icr::new(&fixture);
    let recency = |set| part(&icr.json(&[&QUERY[..], &[set]].concat()), "src/pilot.rs", "recency");
    assert!(recency("retrieval.recency_tau_days=1") < recency("retrieval.recency_tau_days=365"));
}

#[test]
fn pins_take_as_much_of_a_pack_as_is_set() {
    let fixture = Fixture::new(FILES);
    let icr = Icr::new(&fixture);
    icr.prints(&["pin", "src/tide.rs"]);
    let has_pin = |set| {
        let answer = icr.json(&["pack", "how ships are tied", "--set", set]);
        answer["sources"]
            .as_array()
            .expect("sources")
            .iter()
            .any(|source| source["path"] == "src/tide.rs" && source["is_pinned"] == true)
    };
    assert!(has_pin("pack.pin_share=0.5"));
    assert!(!has_pin("pack.pin_share=0"));
}

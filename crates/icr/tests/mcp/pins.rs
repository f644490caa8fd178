//! What agents asked to keep: it outlives servers, and is where packs are made.

use icr_fixture::Fixture;
use serde_json::json;

use crate::place::Place;
use crate::server::{Era, Server};

fn place() -> Place {
    let place = Place::of(Fixture::new(
        "//- src/anchor.rs\n/// Holds a ship.\npub fn anchor() {}\n//- src/buoy.rs\n/// Marks a shoal.\npub fn buoy() {}\n",
    ));
    place.index();
    place
}

/// Ids of what is pinned, in order.
#[track_caller]
fn pinned(server: &mut Server) -> Vec<String> {
    let listed = server.data("memory_list", json!({"filter_type": "pinned"}));
    let items = listed["items"].as_array().expect("a list of items").iter();
    items.map(|item| item["id"].as_str().expect("an item has an id").to_owned()).collect()
}

#[test]
fn a_pin_outlives_the_server_and_is_in_every_pack_until_it_is_taken_away() {
    let place = place();
    let mut server = Server::ready(&place, Era::Modern);
    server.data("memory_pin", json!({"source_id": "shoals", "path": "src/buoy.rs"}));
    server.ends_well();

    let mut server = Server::ready(&place, Era::Legacy("2025-06-18"));
    assert_eq!(pinned(&mut server), ["shoals"]);
    let question = json!({"prompt": "What holds a ship?", "focus_paths": ["src/anchor.rs"]});
    let pack = server.text("memory_pack", question.clone());
    assert!(pack.contains(" src/buoy.rs") && pack.contains(", 1 pinned"), "{pack}");
    server.data("memory_unpin", json!({"source_id": "shoals"}));
    server.ends_well();

    let mut server = Server::ready(&place, Era::Modern);
    assert_eq!(pinned(&mut server), Vec::<String>::new());
    let pack = server.text("memory_pack", question);
    assert!(pack.contains(", 0 pinned"), "{pack}");
    server.ends_well();
}

#[test]
fn what_one_server_pins_another_sees_at_once() {
    let place = place();
    let mut servers = [Server::ready(&place, Era::Modern), Server::ready(&place, Era::Modern)];
    for (number, id) in ["one", "two", "three", "four"].into_iter().enumerate() {
        servers[number % 2].data("memory_pin", json!({"source_id": id, "path": "src/buoy.rs"}));
        let mut seen = pinned(&mut servers[(number + 1) % 2]);
        seen.sort_unstable();
        let mut made = ["one", "two", "three", "four"][..=number].to_vec();
        made.sort_unstable();
        assert_eq!(seen, made);
    }
    for server in servers {
        server.ends_well();
    }
}

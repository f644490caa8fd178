//! What pins mean in a view: recent and stale ones, pages, and their content.

use icr_engine::{Moment, PinFilter, PinListRequest, Staleness, ViewSelector};

use crate::asking::{FILES, NOW, World, ids_at, items, snapshot};

const DAY: i64 = 24 * 60 * 60;

#[test]
fn recent_pins_are_those_of_seven_days() {
    let world = World::new(FILES);
    world.pin("src/tide.rs", NOW);
    world.pin("src/harbour.rs", NOW + DAY);
    assert_eq!(world.ids(PinFilter::Recent, NOW + 7 * DAY), ["src/harbour.rs", "src/tide.rs"]);
    assert_eq!(world.ids(PinFilter::Recent, NOW + 7 * DAY + 1), ["src/harbour.rs"]);
    assert!(world.ids(PinFilter::Recent, NOW + 9 * DAY).is_empty());
    assert_eq!(world.ids(PinFilter::All, NOW + 9 * DAY).len(), 2);
    assert_eq!(world.ids(PinFilter::Pinned, NOW + 9 * DAY).len(), 2);
}

#[test]
fn a_pin_is_stale_while_its_file_is_another_one_or_gone() {
    let world = World::new(FILES);
    for path in ["src/tide.rs", "src/harbour.rs", "docs/mooring.md"] {
        world.pin(path, NOW);
    }
    let stale = |snapshot: &icr_engine::Snapshot| -> Vec<(String, Option<Staleness>)> {
        items(snapshot, PinFilter::Stale, NOW).into_iter().map(|item| (item.id, item.stale)).collect()
    };
    let changed = ("src/tide.rs".to_owned(), Some(Staleness::Changed));
    let gone = ("docs/mooring.md".to_owned(), Some(Staleness::Gone));
    assert_eq!(stale(&world.snapshot()), []);
    world.fixture.write("//- src/tide.rs\npub fn ebb() {}\n");
    assert_eq!(stale(&world.snapshot()), std::slice::from_ref(&changed), "an edit that is not committed");
    world.fixture.delete("docs/mooring.md");
    world.fixture.commit("second");
    assert_eq!(stale(&world.snapshot()), [gone, changed.clone()]);
    assert_eq!(stale(&snapshot(&world.engine(), &ViewSelector::Revision("HEAD~1".to_owned()))), [], "as it was");
    world.fixture.git(&["mv", "src/harbour.rs", "src/port.rs"]);
    assert_eq!(stale(&world.snapshot()).len(), 3, "a pin is a path");
    world.pin("src/tide.rs", NOW + 1);
    assert!(!stale(&world.snapshot()).contains(&changed), "pinned again, it is what was pinned");
    world.fixture.git(&["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(stale(&world.snapshot()), [changed]);
}

#[test]
fn an_uncommitted_file_can_be_pinned_and_is_the_same_once_committed() {
    let world = World::new(FILES);
    world.fixture.write("//- src/new.rs\nfn new() {}\n");
    world.pin("src/new.rs", NOW);
    assert_eq!(world.content("src/new.rs", NOW).content.as_deref(), Some("fn new() {}\n"));
    world.fixture.commit("second");
    assert!(world.ids(PinFilter::Stale, NOW).is_empty());
}

#[test]
fn a_list_comes_in_parts_that_add_up() {
    let world = World::new(FILES);
    let snapshot = world.snapshot();
    for at in 0..7 {
        let request = crate::asking::request(&format!("pin-{at}"), "src/tide.rs");
        world.engine().pins().set(&icr_engine::new_pin(&snapshot, &request, Moment(NOW + at)).unwrap()).unwrap();
    }
    let part = |offset, limit| {
        let request = PinListRequest { filter: PinFilter::All, limit, offset };
        let list = icr_engine::list_pins(&snapshot, &request, Moment(NOW + 10)).unwrap();
        assert_eq!(list.total_count, 7);
        (list.items.into_iter().map(|item| item.id).collect::<Vec<_>>(), list.has_more)
    };
    assert_eq!(part(0, 3), (["pin-6", "pin-5", "pin-4"].map(str::to_owned).to_vec(), true));
    assert_eq!(part(3, 3), (["pin-3", "pin-2", "pin-1"].map(str::to_owned).to_vec(), true));
    assert_eq!(part(6, 3), (vec!["pin-0".to_owned()], false));
    assert!(!part(4, 3).1, "these are the last");
    for offset in [7, 8, usize::MAX] {
        assert_eq!(part(offset, 200), (Vec::new(), false));
    }
}

#[test]
fn an_item_says_all_of_a_pin() {
    let world = World::new(FILES);
    let request = icr_engine::PinRequest {
        label: Some("Core type definitions".to_owned()),
        ttl_seconds: Some(600),
        ..crate::asking::request("core-types", "src/tide.rs")
    };
    crate::asking::pin(&world.engine(), &request, NOW).unwrap();
    let list = icr_engine::list_pins(&world.snapshot(), &PinListRequest::default(), Moment(NOW)).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&list).unwrap(), @r#"
    {
      "items": [
        {
          "id": "core-types",
          "path": "src/tide.rs",
          "label": "Core type definitions",
          "type": "pinned",
          "created_at": "2024-01-15T10:30:00Z",
          "expires_at": "2024-01-15T10:40:00Z",
          "priority": 5,
          "stale": null
        }
      ],
      "total_count": 1,
      "has_more": false
    }
    "#);
}

#[test]
fn a_path_that_is_no_text_is_pinned_as_it_is_shown() {
    let world = World::new(FILES);
    world.fixture.write_bytes("src/odd\nname.rs", b"fn odd() {}\n");
    let shown = "src/odd\\012name.rs";
    world.pin(shown, NOW);
    let snapshot = world.snapshot();
    assert_eq!(items(&snapshot, PinFilter::All, NOW)[0].path, shown);
    assert!(ids_at(&snapshot, PinFilter::Stale, NOW).is_empty());
    assert_eq!(world.content(shown, NOW).content.as_deref(), Some("fn odd() {}\n"));
}

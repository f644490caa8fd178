//! Packs of pinned files.

use std::fs;

use icr_engine::{Deadline, Moment, PackAnswer, PackMode, PackRequest, ViewSelector};
use icr_fixture::Fixture;

use crate::asking::{FILES, NOW, World};

#[track_caller]
fn pack(world: &World, request: &PackRequest) -> PackAnswer {
    let answer = icr_engine::pack_with_pins(&world.snapshot(), request, Moment(NOW + 1_000)).unwrap();
    assert!(answer.metadata.tokens_used <= request.budget_tokens, "{:?}", answer.metadata);
    answer
}

fn question(text: &str) -> PackRequest {
    PackRequest { mode: PackMode::Pack, k: 1, ..PackRequest::new(text) }
}

fn pinned_paths(answer: &PackAnswer) -> Vec<&str> {
    answer.sources.iter().filter(|source| source.is_pinned).map(|source| source.path.as_str()).collect()
}

#[test]
fn what_is_pinned_stands_first_whatever_was_asked() {
    let world = World::new(FILES);
    let unpinned = pack(&world, &question("cast off a ship"));
    assert!(!unpinned.sources.iter().any(|source| source.path == "src/tide.rs"), "{:?}", unpinned.sources);
    world.pin("src/tide.rs", NOW);
    let answer = pack(&world, &question("cast off a ship"));
    assert_eq!(answer.sources[0].path, "src/tide.rs");
    assert_eq!((answer.sources[0].score, answer.sources[0].is_pinned), (0.0, true));
    assert!(answer.pack_content.contains("hour % 12"), "{}", answer.pack_content);
    assert!(answer.sources[1..].iter().any(|source| source.path == "src/harbour.rs"), "{:?}", answer.sources);
    let nothing = pack(&world, &question("zzz qqq"));
    assert_eq!(pinned_paths(&nothing), ["src/tide.rs"]);
    world.engine().pins().remove("src/tide.rs", Moment(NOW)).unwrap();
    assert_eq!(pack(&world, &question("cast off a ship")).pack_content, unpinned.pack_content);
}

#[test]
fn the_newest_pin_stands_first_and_a_file_stands_once() {
    let world = World::new(FILES);
    for (id, path, at) in [("a", "src/tide.rs", 0), ("b", "docs/mooring.md", 1), ("c", "src/tide.rs", 2)] {
        let pin = icr_engine::new_pin(&world.snapshot(), &crate::asking::request(id, path), Moment(NOW + at)).unwrap();
        world.engine().pins().set(&pin).unwrap();
    }
    let answer = pack(&world, &PackRequest { pinned_only: true, ..question("anything") });
    assert_eq!(pinned_paths(&answer), ["src/tide.rs", "docs/mooring.md"]);
    assert!(answer.omitted.is_empty(), "{:?}", answer.omitted);
}

/// A repository with a pin on each of `files` files of some 1,000 tokens, the last one the newest.
fn with_large_pins(files: i64) -> World {
    let world = World { fixture: Fixture::empty(), home: icr_tests::empty_home() };
    for at in 0..files {
        let function = |part| {
            let lines: String = (0..25).map(|line| format!("    wave({line}, {at}, {part});\n")).collect();
            format!("/// Part {part}.\nfn tide{at}_{part}() {{\n{lines}}}\n\n")
        };
        let text: String = (0..4).map(function).collect();
        world.fixture.write_bytes(&format!("src/pin{at:02}.rs"), text.as_bytes());
    }
    world.fixture.commit("first");
    let (engine, snapshot) = (world.engine(), world.snapshot());
    for at in 0..files {
        let path = format!("src/pin{at:02}.rs");
        engine
            .pins()
            .set(&icr_engine::new_pin(&snapshot, &crate::asking::request(&path, &path), Moment(NOW + at)).unwrap())
            .unwrap();
    }
    world
}

#[test]
fn thirty_large_pins_have_half_of_the_budget_and_those_left_out_are_named() {
    let world = with_large_pins(30);
    let answer = pack(&world, &question("wave"));
    let placed = pinned_paths(&answer);
    let pin_tokens: u32 =
        answer.sources.iter().filter(|source| source.is_pinned).map(|source| source.token_count).sum();
    assert!((1_000..=2_000).contains(&pin_tokens), "{pin_tokens}");
    assert_eq!(placed[0], "src/pin29.rs", "the newest stands first");
    let left_out: Vec<_> = answer.omitted.iter().filter(|omission| omission.is_pinned).collect();
    // A pin that is too long may be shown in part; the rest is only named.
    let named = left_out.iter().map(|omission| omission.path.as_str());
    let files: std::collections::BTreeSet<_> = placed.iter().copied().chain(named).collect();
    assert_eq!(files.len(), 30, "every pin is placed or named");
    let reasons: Vec<_> = left_out.iter().map(|omission| serde_json::to_value(omission.reason).unwrap()).collect();
    assert!(reasons.iter().all(|reason| reason == "pin_share"), "{reasons:?}");

    let only = pack(&world, &PackRequest { pinned_only: true, ..question("wave") });
    assert!(only.sources.iter().all(|source| source.is_pinned) && only.sources.len() > placed.len());
    assert!(only.metadata.tokens_remaining < 400, "{:?}", only.metadata);
}

#[test]
fn a_pin_whose_file_is_gone_or_empty_is_a_warning() {
    let world = World::new(FILES);
    world.fixture.write_bytes("src/empty.rs", b"");
    for path in ["src/tide.rs", "src/empty.rs", "docs/mooring.md"] {
        world.pin(path, NOW);
    }
    world.fixture.delete("docs/mooring.md");
    let answer = pack(&world, &question("cast off a ship"));
    assert_eq!(pinned_paths(&answer), ["src/tide.rs"]);
    let warnings = [
        "a pin is left out: `docs/mooring.md` is not in the view of the worktree on `main`",
        "a pin is left out: `src/empty.rs` has no text: it is empty",
    ];
    assert_eq!(answer.warnings, warnings);
}

#[test]
fn a_pack_that_was_given_up_is_not_one_without_pins() {
    let world = World::new(FILES);
    world.pin("src/tide.rs", NOW);
    let deadline = Deadline::never();
    let snapshot = crate::asking::snapshot(&world.engine().with_deadline(&deadline), &ViewSelector::Worktree);
    deadline.cancel();
    let given_up =
        icr_engine::pack_with_pins(&snapshot, &PackRequest { pinned_only: true, ..question("tide") }, Moment(NOW));
    assert_eq!(given_up.unwrap_err().code(), "CANCELLED");
}

#[test]
fn an_expired_pin_is_in_no_pack() {
    let world = World::new(FILES);
    let short = icr_engine::PinRequest { ttl_seconds: Some(60), ..crate::asking::request("a", "src/tide.rs") };
    crate::asking::pin(&world.engine(), &short, NOW).unwrap();
    let answer = pack(&world, &PackRequest { pinned_only: true, ..question("tide") });
    assert!(answer.sources.is_empty(), "{:?}", answer.sources);
}

#[test]
fn pins_that_cannot_be_read_are_a_warning_unless_nothing_else_was_asked_for() {
    let world = World::new(FILES);
    world.pin("src/tide.rs", NOW);
    let database = world.home.path().join("repos").join(world.engine().repo_id()).join("pins.db");
    fs::write(&database, "something else").unwrap();
    let answer = pack(&world, &question("cast off a ship"));
    assert!(!answer.sources.is_empty() && pinned_paths(&answer).is_empty());
    assert_eq!(answer.warnings.len(), 1);
    assert!(answer.warnings[0].starts_with("what is pinned is left out: the pins in "), "{:?}", answer.warnings);
    let only = icr_engine::pack_with_pins(
        &world.snapshot(),
        &PackRequest { pinned_only: true, ..question("tide") },
        Moment(NOW),
    );
    assert_eq!(only.unwrap_err().code(), "PINS_DAMAGED");
}

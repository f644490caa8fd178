//! The content of pinned files.

use icr_engine::{Moment, PinContentRequest, Staleness, ViewSelector};

use crate::asking::{FILES, NOW, World, snapshot, whole};

#[test]
fn content_is_verbatim_and_counted() {
    let world = World::new(FILES);
    world.pin("src/tide.rs", NOW);
    let found = world.content("src/tide.rs", NOW);
    insta::assert_snapshot!(serde_json::to_string_pretty(&found).unwrap(), @r#"
    {
      "id": "src/tide.rs",
      "path": "src/tide.rs",
      "label": null,
      "type": "pinned",
      "created_at": "2024-01-15T10:30:00Z",
      "expires_at": null,
      "priority": 5,
      "stale": null,
      "content": "pub fn tide(hour: u32) -> u32 {\n    hour % 12\n}\n",
      "token_count": 19,
      "total_lines": 3,
      "end_line": 3,
      "truncated": false,
      "problem": null
    }
    "#);
    let without = PinContentRequest { include_content: false, ..whole("src/tide.rs") };
    let without = icr_engine::pin_content(&world.snapshot(), &without, Moment(NOW)).unwrap();
    assert_eq!((without.content, without.token_count, without.end_line), (None, 19, 0));
}

#[test]
fn content_is_that_of_the_view_that_is_asked() {
    let world = World::new(FILES);
    world.pin("src/tide.rs", NOW);
    world.fixture.write("//- src/tide.rs\npub fn ebb() {}\n");
    let now = world.content("src/tide.rs", NOW);
    assert_eq!((now.content.as_deref(), now.item.stale), (Some("pub fn ebb() {}\n"), Some(Staleness::Changed)));
    let then =
        icr_engine::pin_content(&snapshot(&world.engine(), &ViewSelector::Head), &whole("src/tide.rs"), Moment(NOW))
            .unwrap();
    assert!(then.content.is_some_and(|text| text.starts_with("pub fn tide")) && then.item.stale.is_none());
    world.fixture.delete("src/tide.rs");
    let gone = world.content("src/tide.rs", NOW);
    assert_eq!((gone.content, gone.token_count, gone.item.stale), (None, 0, Some(Staleness::Gone)));
    assert_eq!(gone.problem.as_deref(), Some("`src/tide.rs` is not in the view of the worktree on `main`"));
}

#[test]
fn an_empty_file_has_content() {
    let world = World::new(FILES);
    world.fixture.write_bytes("src/empty.rs", b"");
    world.pin("src/empty.rs", NOW);
    let found = world.content("src/empty.rs", NOW);
    assert_eq!((found.content.as_deref(), found.token_count, found.truncated), (Some(""), 0, false));
}

#[test]
fn what_is_long_ends_before_a_definition() {
    let world = World::new(FILES);
    world.pin("src/harbour.rs", NOW);
    let most = |max_tokens| {
        let request = PinContentRequest { max_tokens, ..whole("src/harbour.rs") };
        icr_engine::pin_content(&world.snapshot(), &request, Moment(NOW)).unwrap()
    };
    let all = most(25_000);
    assert_eq!((all.truncated, all.end_line), (false, 9));
    assert_eq!(most(all.token_count), all);
    let cut = most(all.token_count - 1);
    assert_eq!((cut.truncated, cut.end_line, cut.token_count), (true, 5, all.token_count));
    assert!(cut.content.as_deref().is_some_and(|text| text.ends_with("}\n\n")), "{cut:?}");
    let nothing = most(0);
    assert_eq!((nothing.content.as_deref(), nothing.end_line, nothing.truncated), (Some(""), 0, true));
}

#[test]
fn a_pin_that_is_not_there_has_neighbours() {
    let world = World::new(FILES);
    let missing = |id: &str| {
        let error = icr_engine::pin_content(&world.snapshot(), &whole(id), Moment(NOW)).unwrap_err();
        format!("{}: {error}; {}", error.code(), error.command_line_hints().join("; "))
    };
    assert_eq!(missing("tide"), "NOT_FOUND: there is no pin `tide`; `icr pins` lists them");
    world.pin("src/tide.rs", NOW);
    assert_eq!(missing("src/tide.r"), "NOT_FOUND: there is no pin `src/tide.r`; did you mean `src/tide.rs`?");
}

//! Requests that cannot be pinned, and their errors.

use icr_engine::{Engine, Moment, OpenOptions, PinListRequest, PinRequest};

use crate::asking::{FILES, NOW, World, pin, request};

/// The code and the text of the error that a request is answered with, and its hints.
#[track_caller]
fn refused(engine: &Engine, request: &PinRequest) -> String {
    let error = pin(engine, request, NOW).expect_err("it cannot be pinned");
    let hints = error.command_line_hints().iter().map(|hint| format!("; {hint}")).collect::<String>();
    format!("{}: {error}{hints}", error.code())
}

#[track_caller]
fn check(world: &World, path: &str, expected: &str) {
    assert_eq!(refused(&world.engine(), &request("id", path)), expected, "{path}");
}

#[test]
fn what_is_not_a_file_of_the_view_is_not_pinned() {
    let world = World::new(FILES);
    world.fixture.write("//- .gitignore\n/target\n//- target/built.rs\nfn built() {}\n");
    std::fs::write(world.fixture.home().join("outside.rs"), "fn outside() {}\n").unwrap();
    let lacks = "is not in the view of the worktree on `main`";
    let roots = "`icr map` lists what is there";
    check(&world, "src/tyde.rs", &format!("NOT_FOUND: `src/tyde.rs` {lacks}; did you mean `src/tide.rs`?"));
    check(&world, "docs/absent.txt", &format!("NOT_FOUND: `docs/absent.txt` {lacks}; {roots}"));
    check(&world, "tide.rs", &format!("NOT_FOUND: `tide.rs` {lacks}; did you mean `src/tide.rs`?"));
    check(&world, "target/built.rs", &format!("NOT_FOUND: `target/built.rs` {lacks}; {roots}"));
    for path in ["../outside.rs", "src/../../outside.rs", "/etc/passwd", "..", "src/../src/tide.rs"] {
        let outside = format!("VALIDATION_ERROR: `{path}` is not below the root of the repository; {roots}");
        check(&world, path, &outside);
    }
}

#[test]
fn directories_are_not_pinned_and_their_files_are_named() {
    let world = World::new(FILES);
    let files = "pin the files that matter, for example `src/harbour.rs` or `src/tide.rs`";
    check(&world, "src", &format!("VALIDATION_ERROR: `src` is a directory; only files can be pinned; {files}"));
    check(&world, "src/", &format!("VALIDATION_ERROR: `src/` is a directory; only files can be pinned; {files}"));
    let all = "pin the files that matter, for example `docs/mooring.md` or `src/harbour.rs` or `src/tide.rs`";
    for root in ["", "."] {
        check(&world, root, &format!("VALIDATION_ERROR: `{root}` is a directory; only files can be pinned; {all}"));
    }
}

#[test]
fn secrets_and_what_has_no_text_are_not_pinned() {
    let world = World::new(FILES);
    world.fixture.write("//- .env\nTOKEN=1\n//- deploy/id_rsa\nkey\n");
    world.fixture.write_bytes("logo.png", b"\x89PNG\0\0\0");
    world.fixture.write_bytes("large.txt", &vec![b'a'; 5 << 20]);
    world.fixture.commit("second");
    let secret = "is on the list of secret files, which icr never reads";
    check(&world, ".env", &format!("SECRET: `.env` {secret}"));
    check(&world, "deploy/id_rsa", &format!("SECRET: `deploy/id_rsa` {secret}"));
    check(&world, ".git/config", &format!("SECRET: `.git/config` {secret}"));
    check(&world, "absent/.env", &format!("SECRET: `absent/.env` {secret}"));
    let no_text = "NOT_TEXT: `logo.png` has no text: its content is binary, or a pointer to content elsewhere";
    check(&world, "logo.png", no_text);
    let large = "NOT_TEXT: `large.txt` has no text: too large for `watcher.max_file_size_kb`";
    check(&world, "large.txt", large);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let world = World::new(FILES);
    std::fs::write(world.fixture.home().join("outside.rs"), "fn outside() {}\n").unwrap();
    world.fixture.symlink("../outside.rs", "link.rs");
    world.fixture.symlink("..", "up");
    world.fixture.commit("second");
    for path in ["link.rs", "up/outside.rs"] {
        let said = refused(&world.engine(), &request("id", path));
        assert!(said.starts_with(&format!("NOT_FOUND: `{path}` is not in the view")), "{said}");
    }
}

#[test]
fn ids_labels_lives_and_limits_have_bounds() {
    let world = World::new(FILES);
    let engine = world.engine();
    let of =
        |id: &str, label: Option<String>, ttl_seconds| PinRequest { label, ttl_seconds, ..request(id, "src/tide.rs") };
    let most = 3_650 * 24 * 60 * 60;
    let letters = |count| "é".repeat(count);
    for good in [
        of("a", None, None),
        of(&letters(256), Some(letters(256)), Some(60)),
        of("a b", Some(String::new()), Some(most)),
    ] {
        pin(&engine, &good, NOW).unwrap_or_else(|error| panic!("{good:?}: {error}"));
    }
    for bad in [
        of("", None, None),
        of(&letters(257), None, None),
        of("a\nb", None, None),
        of("a\u{1b}[2J", None, None),
        of("a", Some(letters(257)), None),
        of("a", Some("\0".to_owned()), None),
        of("a", None, Some(59)),
        of("a", None, Some(0)),
        of("a", None, Some(most + 1)),
        of("a", None, Some(u64::MAX)),
    ] {
        let said = refused(&engine, &bad);
        assert!(said.starts_with("VALIDATION_ERROR: the ") && !said.contains(char::is_control), "{said}");
        assert!(said.chars().count() < 250, "{said}");
    }
    for limit in [0, 201, usize::MAX] {
        let list = icr_engine::list_pins(
            &world.snapshot(),
            &PinListRequest { limit, ..PinListRequest::default() },
            Moment(NOW),
        );
        assert_eq!(list.unwrap_err().code(), "VALIDATION_ERROR", "{limit}");
    }
}

#[test]
fn what_became_secret_is_not_shown_any_more() {
    let world = World::new(FILES);
    world.pin("src/tide.rs", NOW);
    let options = OpenOptions::new(world.fixture.root(), world.home.path());
    let options = OpenOptions { secret_patterns: vec!["tide.rs".to_owned()], ..options };
    let engine = Engine::open(options).unwrap();
    let snapshot = crate::asking::snapshot(&engine, &icr_engine::ViewSelector::Worktree);
    let found = icr_engine::pin_content(&snapshot, &crate::asking::whole("src/tide.rs"), Moment(NOW)).unwrap();
    assert_eq!(found.content, None);
    let problem = "`src/tide.rs` is on the list of secret files, which icr never reads";
    assert_eq!(found.problem.as_deref(), Some(problem));
    let pack = icr_engine::pack_with_pins(&snapshot, &icr_engine::PackRequest::new("tide"), Moment(NOW)).unwrap();
    assert!(!pack.pack_content.contains("hour"), "{}", pack.pack_content);
    assert_eq!(pack.warnings, [format!("a pin is left out: {problem}")]);
}

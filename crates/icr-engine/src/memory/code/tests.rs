//! From the text of a memory to what has become of its code.

use icr_fixture::Fixture;
use icr_memory::{CodeBinding, MemoryDatabase, MemoryOptions, NewMemory, PlaceItem, ProjectKey, RecallRequest};
use icr_model::UnixMillis;

use super::*;
use crate::{Engine, OpenOptions, Snapshot, SyncOptions, ViewSelector};

/// Two modules and a script; `close` is defined in four files, `flush` in two.
const HARBOUR: &str = "\
//- src/store.rs
//! Where ships are kept.

/// A store.
pub struct Store {
    path: String,
}

impl Store {
    /// Opens it.
    pub fn open(path: &str) -> Self {
        Self { path: path.to_owned() }
    }

    fn close(self) {}
}

pub fn flush_all() -> usize {
    2 + 3
}
//- src/quay/mod.rs
pub fn close() {}

pub fn tie_up() {
    rope();
}
//- src/quay/rope.rs
pub fn close() {}
pub fn flush_all() {}
//- tools/tide.py
class Tide:
    def close(self):
        return 1

    def rise(self, by):
        return by
//- lock/mod.rs
pub fn fill() {}
//- .env
STORE_KEY=1
";

/// A repository with a store of its own.
struct World {
    fixture: Fixture,
    _home: tempfile::TempDir,
    engine: Engine,
}

impl World {
    fn new(fixture: Fixture) -> Self {
        let home = tempfile::tempdir().unwrap();
        let engine = Engine::open(OpenOptions::new(fixture.root(), home.path())).unwrap();
        let world = Self { fixture, _home: home, engine };
        world.sync();
        world
    }

    fn sync(&self) {
        self.engine.sync(&SyncOptions::default(), &icr_ingest::SilentObserver).unwrap();
    }

    fn at(&self, at: ViewSelector) -> Snapshot {
        self.engine.snapshot(&at).unwrap()
    }

    fn bind(&self, text: &str) -> CodeBinding {
        let request = BindRequest { text: text.to_owned(), ..BindRequest::default() };
        bind_code(&self.at(ViewSelector::Worktree), &request).unwrap()
    }

    /// What has become of a binding in the worktree, after a sync.
    fn states(&self, binding: &CodeBinding) -> String {
        self.sync();
        self.states_at(binding, ViewSelector::Worktree)
    }

    fn states_at(&self, binding: &CodeBinding, at: ViewSelector) -> String {
        shown_states(&code_states(&self.at(at), &[binding]).unwrap()[0])
    }

    /// The error of naming a path or a symbol, with its hints.
    fn refusal(&self, paths: &[&str], symbols: &[&str]) -> String {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let request = BindRequest { text: String::new(), paths: owned(paths), symbols: owned(symbols) };
        let error = bind_code(&self.at(ViewSelector::Worktree), &request).unwrap_err();
        [error.to_string()].into_iter().chain(error.command_line_hints()).collect::<Vec<_>>().join("; ")
    }
}

fn shown_places(binding: &CodeBinding) -> String {
    let places = binding.places.iter().map(|place| {
        let symbol = place.symbol.as_ref().map(|symbol| format!(" {symbol}")).unwrap_or_default();
        format!("{}{symbol}{}", place.path, if place.found_in_text { "" } else { " (named)" })
    });
    places.collect::<Vec<_>>().join(", ")
}

fn shown_states(places: &[PlaceItem]) -> String {
    let shown = places.iter().map(|place| {
        let state = place.state.as_ref().map_or("-".to_owned(), |state| format!("{state:?}").to_lowercase());
        let symbol = place.symbol.as_ref().map(|symbol| format!(" {symbol}")).unwrap_or_default();
        let now = place.now.as_ref().map(|now| format!(" = {now}")).unwrap_or_default();
        format!("{}{symbol}: {state}{now}", place.path)
    });
    shown.collect::<Vec<_>>().join("; ")
}

#[track_caller]
fn check_text(text: &str, expected: &str) {
    let world = World::new(Fixture::new(HARBOUR));
    assert_eq!(shown_places(&world.bind(text)), expected, "{text}");
}

#[test]
fn files_are_found_by_path_by_an_ending_that_is_theirs_alone_and_by_line() {
    check_text("src/store.rs is old, so is ./tools/tide.py.", "src/store.rs, tools/tide.py");
    check_text("see quay/mod.rs and rope.rs", "src/quay/mod.rs, src/quay/rope.rs");
    check_text("mod.rs and tore.rs and gone/store.rs", "");
    check_text("src/store.rs:11-12 copies", "src/store.rs Store.open");
    check_text("src/store.rs:1 says so", "src/store.rs");
    check_text("panicked at /srv/build/src/store.rs:18:5", "src/store.rs flush_all");
}

#[test]
fn definitions_are_found_where_the_text_writes_them_as_code() {
    check_text("Store::open takes a path", "src/store.rs Store.open");
    check_text("`Store` and Tide.rise(by)", "src/store.rs Store, tools/tide.py Tide.rise");
    check_text("tie_up() and `fill`", "src/quay/mod.rs tie_up, lock/mod.rs fill");
    check_text("quay::tie_up and lock::tie_up", "src/quay/mod.rs tie_up");
    check_text("flush_all is slow", "src/quay/rope.rs flush_all, src/store.rs flush_all");
    check_text("we open the store, fill it and close it", "");
}

#[test]
fn a_name_of_many_definitions_means_the_one_in_a_file_that_is_named_too() {
    check_text("`close` is final", "");
    check_text("`close` in src/store.rs is final", "src/store.rs Store.close");
    check_text("src/store.rs holds `tie_up` no more", "src/store.rs, src/quay/mod.rs tie_up");
    check_text("`flush_all` in src/store.rs is slow", "src/store.rs flush_all");
}

#[test]
fn a_name_that_is_only_imported_means_what_the_import_leads_to() {
    let world = World::new(Fixture::new(
        "//- main.js
const pickKeys = require('./pick');
const omitKeys = require('./omit');
const allKeys = require('./all');
const { sort_keys: sorted_keys } = require('./all');
const mapKeys = require('./all').map_keys;
const outerKeys = require('outer-keys');
pickKeys(omitKeys(allKeys.map_keys(outerKeys)));
//- other.js
const pickKeys = require('./pick');
const omitKeys = require('./omit');
//- pick.js
module.exports = (obj) => obj;
//- omit.js
module.exports = function omitAll(obj) { return obj; };
//- all.js
function map_keys(obj) { return obj; }
module.exports = { map_keys };
//- main.lua
local util_keys = require('util')
//- util.lua
local M = {}
return M
",
    ));
    let check = |text: &str, expected: &str| assert_eq!(shown_places(&world.bind(text)), expected, "{text}");
    check("pickKeys is slow", "pick.js exports");
    check("omitKeys is slow", "omit.js omitAll");
    check("allKeys is slow", "all.js");
    check("mapKeys is slow", "all.js map_keys");
    check("util_keys is slow", "util.lua");
    check("outerKeys is slow", "");
    check("pickKeys of main.js is slow", "main.js, pick.js exports");
    let request = BindRequest { symbols: vec!["pickKeys".to_owned()], ..BindRequest::default() };
    let binding = bind_code(&world.at(ViewSelector::Worktree), &request).unwrap();
    assert_eq!(shown_places(&binding), "pick.js exports (named)");
    assert!(world.refusal(&[], &["outerKeys"]).contains("defines `outerKeys`"));
    world.fixture.write("//- pick.js\nmodule.exports = (obj) => null;\n");
    assert!(world.states(&binding).contains("changed"), "{}", world.states(&binding));
}

#[test]
fn what_is_named_comes_before_what_is_found() {
    let world = World::new(Fixture::new(HARBOUR));
    let request = BindRequest {
        text: "Tide.rise calls `Store` and tie_up()".to_owned(),
        paths: vec!["src/quay/rope.rs".to_owned(), "src/store.rs:10".to_owned()],
        symbols: vec!["tie_up".to_owned(), "close".to_owned()],
    };
    let binding = bind_code(&world.at(ViewSelector::Worktree), &request).unwrap();
    assert_eq!(
        shown_places(&binding),
        "src/quay/rope.rs (named), src/store.rs Store.open (named), src/quay/mod.rs tie_up (named), \
         src/quay/rope.rs close (named), src/store.rs Store.close (named), tools/tide.py Tide.rise, src/store.rs Store"
    );
    let head = world.fixture.git(&["rev-parse", "HEAD"]);
    assert_eq!(binding.commit, Some(head));
    assert_eq!(binding.tree, Some(world.fixture.git(&["rev-parse", "HEAD^{tree}"])));
    assert_eq!(binding.places[0].blob, Some(world.fixture.git(&["rev-parse", "HEAD:src/quay/rope.rs"])));
    assert_eq!(binding.places[0].definition, None);
    assert_eq!(binding.places[1].definition.as_ref().map(String::len), Some(24));
}

#[test]
fn what_is_named_and_not_there_is_an_error_that_says_what_is() {
    let world = World::new(Fixture::new(HARBOUR));
    insta::assert_snapshot!(world.refusal(&["src/stor.rs"], &[]), @"`src/stor.rs` is not in the view of the worktree on `main`; did you mean `src/store.rs`?");
    insta::assert_snapshot!(world.refusal(&["quay/store.rs"], &[]), @"`quay/store.rs` is not in the view of the worktree on `main`; did you mean `src/store.rs`?");
    insta::assert_snapshot!(world.refusal(&[], &["tie_pu"]), @"no file in the view of the worktree on `main` defines `tie_pu`; did you mean `tie_up`?");
    insta::assert_snapshot!(world.refusal(&[], &["no name"]), @"no file in the view of the worktree on `main` defines `no name`");
    insta::assert_snapshot!(world.refusal(&[], &["close"]), @"the symbol of a memory must be one of at most 3 definitions: name its file too, or what is around it, such as `close` in `src/quay/mod.rs`, `close` in `src/quay/rope.rs`, `Store.close` in `src/store.rs`, not `close`");
    insta::assert_snapshot!(world.refusal(&[".env"], &[]), @"`.env` is on the list of secret files, which icr never reads");
    let many: Vec<String> = (0..21).map(|at| format!("src/f{at}.rs")).collect();
    many.iter().for_each(|path| world.fixture.write(&format!("//- {path}\n// {path}\n")));
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    insta::assert_snapshot!(world.refusal(&many, &[]), @"the paths and symbols of a memory must be at most 20, not `21`");
}

#[test]
fn a_text_has_at_most_twenty_places_and_no_secret_one() {
    let world = World::new(Fixture::new(HARBOUR));
    let files: String = (0..30).map(|at| format!("//- src/f{at}.rs\n// {at}\n")).collect();
    world.fixture.write(&files);
    let text: String = (0..30).map(|at| format!("src/f{at}.rs ")).collect();
    assert_eq!(world.bind(&text).places.len(), 20);
    assert_eq!(shown_places(&world.bind("the key is in .env, as STORE_KEY")), "");
}

#[test]
fn a_repository_without_commits_has_the_places_of_its_worktree() {
    let world = World::new(Fixture::empty());
    let binding = world.bind("src/a.rs and `open`");
    assert_eq!((binding.commit, binding.places.len()), (None, 0));
    world.fixture.write("//- src/a.rs\nfn open() {}\n");
    let binding = world.bind("src/a.rs has open()");
    assert_eq!(shown_places(&binding), "src/a.rs open");
    assert_eq!(binding.commit, None);
    assert_eq!(world.states(&binding), "src/a.rs open: same = src/a.rs:1 fn open()");
    world.fixture.commit("first");
    assert_eq!(world.states(&binding), "src/a.rs open: same = src/a.rs:1 fn open()");
}

#[test]
fn a_bare_repository_has_the_places_of_its_commit() {
    let world = World::new(Fixture::generated_bare(4));
    let paths = world.at(ViewSelector::Head).view.paths().unwrap();
    let path = paths.iter().map(ToString::to_string).min().unwrap();
    let request = BindRequest { text: format!("see {path}"), ..BindRequest::default() };
    let binding = bind_code(&world.at(ViewSelector::Head), &request).unwrap();
    assert_eq!(shown_places(&binding), path);
    assert_eq!(world.states_at(&binding, ViewSelector::Head), format!("{path}: same"));
}

#[test]
fn a_dirty_file_is_bound_as_it_is_and_not_as_it_was_committed() {
    let world = World::new(Fixture::new(HARBOUR));
    world.fixture.write("//- lock/mod.rs\npub fn fill() { water(); }\n");
    let binding = world.bind("`fill` in lock/mod.rs");
    assert_eq!(binding.places[0].blob, Some(world.fixture.git(&["hash-object", "lock/mod.rs"])));
    assert_eq!(world.states(&binding), "lock/mod.rs fill: same = lock/mod.rs:1 pub fn fill()");
    assert_eq!(
        world.states_at(&binding, ViewSelector::Head),
        "lock/mod.rs fill: changed = lock/mod.rs:1 pub fn fill()"
    );
}

#[test]
fn a_memory_says_when_its_function_changed_is_absent_on_a_branch_and_is_back() {
    let world = World::new(Fixture::new(HARBOUR));
    world.fixture.git(&["branch", "before"]);
    world
        .fixture
        .write("//- src/retry.rs\n/// Tries again.\npub fn retry_delay(turn: u32) -> u32 {\n    turn * 2\n}\n");
    world.fixture.commit("second");
    world.sync();
    let binding = world.bind("retry_delay doubles each turn");
    let same = "src/retry.rs retry_delay: same = src/retry.rs:2 pub fn retry_delay(turn: u32) -> u32";
    assert_eq!(world.states(&binding), same);

    world.fixture.write(
        "//- src/retry.rs\nfn new() {}\n\n/// Tries once more.\npub fn retry_delay(turn: u32) -> u32 {\n\n    // twice\n    turn * 2 }\n",
    );
    world.fixture.commit("comments and layout");
    assert_eq!(
        world.states(&binding),
        "src/retry.rs retry_delay: same = src/retry.rs:4 pub fn retry_delay(turn: u32) -> u32"
    );

    world.fixture.write("//- src/retry.rs\npub fn retry_delay(turn: u64) -> u64 {\n    turn * 3\n}\n");
    world.fixture.commit("another delay");
    assert_eq!(
        world.states(&binding),
        "src/retry.rs retry_delay: changed = src/retry.rs:1 pub fn retry_delay(turn: u64) -> u64"
    );

    world.fixture.git(&["checkout", "-q", "before"]);
    assert_eq!(world.states(&binding), "src/retry.rs retry_delay: absent");
    assert_eq!(world.states_at(&binding, ViewSelector::Revision("main~2".to_owned())), same);
    world.fixture.git(&["checkout", "-q", "main"]);
    world.fixture.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(
        world.states(&binding),
        "src/retry.rs retry_delay: same = src/retry.rs:4 pub fn retry_delay(turn: u32) -> u32"
    );
}

#[test]
fn a_line_in_another_block_changes_a_definition_and_another_width_of_blocks_does_not() {
    let world = World::new(Fixture::new(
        "//- a.py\ndef sail(ships):\n    for ship in ships:\n        hoist(ship)\n        steer(ship)\n",
    ));
    let binding = world.bind("`sail` in a.py");
    world
        .fixture
        .write("//- a.py\ndef sail(ships):\n  for ship in ships:\n    hoist(ship)\n    # on\n    steer(ship)\n");
    assert_eq!(world.states(&binding), "a.py sail: same = a.py:1 def sail(ships)");
    world.fixture.write("//- a.py\ndef sail(ships):\n    for ship in ships:\n        hoist(ship)\n    steer(ship)\n");
    assert_eq!(world.states(&binding), "a.py sail: changed = a.py:1 def sail(ships)");
}

#[test]
fn a_file_is_the_same_only_with_the_same_content() {
    let world = World::new(Fixture::new(HARBOUR));
    let binding = world.bind("lock/mod.rs is short");
    assert_eq!(world.states(&binding), "lock/mod.rs: same");
    world.fixture.write("//- lock/mod.rs\npub fn fill() {}\n// more\n");
    assert_eq!(world.states(&binding), "lock/mod.rs: changed = lock/mod.rs, 2 lines");
    world.fixture.delete("lock/mod.rs");
    assert_eq!(world.states(&binding), "lock/mod.rs: absent");
}

#[test]
fn what_was_renamed_or_moved_is_said_to_be_elsewhere() {
    let world = World::new(Fixture::new(HARBOUR));
    let binding = world.bind("src/quay/mod.rs, `Tide.rise` and `Store::open`");
    world.fixture.git(&["mv", "src/quay/mod.rs", "src/quay.rs"]);
    world.fixture.git(&["mv", "tools/tide.py", "tools/moon.py"]);
    world.fixture.write(
        "//- src/store.rs\n// gone\n//- src/ship.rs\npub struct Store;\nimpl Store {\n    pub fn open(at: u8) {}\n}\n",
    );
    world.fixture.commit("moves");
    assert_eq!(
        world.states(&binding),
        "src/quay/mod.rs: moved = src/quay.rs, 5 lines; \
         tools/tide.py Tide.rise: moved = tools/moon.py:5 def rise(self, by); \
         src/store.rs Store.open: changed = src/ship.rs:3 pub fn open(at: u8)"
    );
}

#[test]
fn what_stood_elsewhere_before_is_not_what_was_moved() {
    let world = World::new(Fixture::new(
        "//- a.rs\nfn tie_up() { 1 }\n//- b.rs\nfn tie_up() { 2 }\n//- c.rs\nfn c() {}\n//- d.rs\nfn c() {}\n",
    ));
    let request = BindRequest {
        paths: vec!["a.rs".to_owned(), "a.rs:1".to_owned(), "c.rs".to_owned()],
        ..BindRequest::default()
    };
    let binding = bind_code(&world.at(ViewSelector::Worktree), &request).unwrap();
    world.fixture.delete("a.rs");
    world.fixture.delete("c.rs");
    world.fixture.write("//- b.rs\n// more\nfn tie_up() { 2 }\n");
    world.fixture.commit("less");
    assert_eq!(world.states(&binding), "a.rs: absent; a.rs tie_up: absent; c.rs: absent");
}

#[test]
fn a_digest_of_another_recipe_is_made_again_from_the_blob_of_then() {
    let world = World::new(Fixture::new(HARBOUR));
    let mut binding = world.bind("tie_up() and `fill`");
    for place in &mut binding.places {
        place.definition = Some("0123456789abcdef00000000".to_owned());
    }
    world.fixture.write("//- lock/mod.rs\n\npub fn fill() {\n}\n//- src/quay/mod.rs\npub fn tie_up() {}\n");
    world.fixture.commit("second");
    assert_eq!(
        world.states(&binding),
        "src/quay/mod.rs tie_up: changed = src/quay/mod.rs:1 pub fn tie_up(); lock/mod.rs fill: same = lock/mod.rs:2 pub fn fill()"
    );
    for place in &mut binding.places {
        place.blob = None;
    }
    assert_eq!(
        world.states(&binding),
        "src/quay/mod.rs tie_up: unknown = src/quay/mod.rs:1 pub fn tie_up(); lock/mod.rs fill: unknown = lock/mod.rs:2 pub fn fill()"
    );
}

#[test]
fn what_may_not_be_looked_into_is_unknown() {
    let world = World::new(Fixture::new(HARBOUR));
    let mut binding = world.bind("lock/mod.rs");
    binding.places[0].path = ".env".to_owned();
    assert_eq!(world.states(&binding), ".env: unknown");
}

#[test]
fn recalled_memories_say_what_has_become_of_their_code_and_can_be_hidden() {
    let world = World::new(Fixture::new(HARBOUR));
    let snapshot = world.at(ViewSelector::Worktree);
    let project = ProjectKey::of_repository(&snapshot.provenance().repo_id);
    let mut database = MemoryDatabase::in_memory(MemoryOptions::default()).unwrap();
    let stored = [
        ("the lock uses `fill`", project.clone()),
        ("the lock uses tie_up()", project),
        ("the lock is old", ProjectKey::NONE),
        ("the lock has `fill` elsewhere", ProjectKey::of_repository("another")),
    ];
    for (text, project) in stored {
        let code = world.bind(text);
        let code = (!code.places.is_empty()).then_some(code);
        let new = NewMemory { project, topic: "a".to_owned(), summary: text.to_owned(), code, ..NewMemory::default() };
        icr_memory::store(&mut database, &new, UnixMillis(1_700_000_000_000)).unwrap();
    }
    world.fixture.delete("lock/mod.rs");
    let request = RecallRequest {
        query: "lock".to_owned(),
        scope: icr_memory::ListScope::All,
        limit: 10,
        ..RecallRequest::default()
    };
    let recalled = icr_memory::recall(&database, &request, UnixMillis(1_700_000_000_000)).unwrap().memories;
    let snapshot = world.at(ViewSelector::Worktree);
    let shown = |absent| {
        let found = memories_in_view(&snapshot, &recalled, absent).unwrap();
        let mut lines: Vec<String> =
            found.items.iter().map(|item| format!("{} [{}]", item.summary, shown_states(&item.code))).collect();
        lines.sort();
        (lines.join("\n"), found.hidden)
    };
    let (all, none) = shown(AbsentCode::Show);
    insta::assert_snapshot!(all, @r"
    the lock has `fill` elsewhere [lock/mod.rs fill: -]
    the lock is old []
    the lock uses `fill` [lock/mod.rs fill: absent]
    the lock uses tie_up() [src/quay/mod.rs tie_up: same = src/quay/mod.rs:3 pub fn tie_up()]
    ");
    let (rest, one) = shown(AbsentCode::Hide);
    assert!(!rest.contains("lock/mod.rs fill: absent"));
    assert_eq!((none, one), (0, 1));
}

#[test]
fn what_is_shown_of_code_is_one_line_that_no_terminal_obeys() {
    assert_eq!(plain_line("a\n\tb\u{1b}[31m \u{202e}c\u{0}", 99), "a b[31m c");
    assert_eq!(plain_line("größer als", 4), "grö…");
    assert_eq!(plain_line("größ", 4), "größ");
    assert_eq!(plain_line("", 0), "");
}

//! From a memory about a function to the answers that quote it.

use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;

use icr_fixture::Fixture;
use icr_memory::{Author, MemoryRules, NewMemory};

use super::*;
use crate::{
    BindRequest, ChangeSource, ContextRequest, Engine, Freshness, ImpactRequest, OpenOptions, PackRequest, SyncOptions,
    ViewSelector, Warm, bind_code, context, pack,
};

const HARBOUR: &str = "\
//- src/retry.rs
//! Trying again.

/// How long to wait before the next turn.
pub fn retry_delay(turn: u32) -> u32 {
    turn * 2
}

/// Whether there is another turn.
pub fn may_retry(turn: u32) -> bool {
    turn < 5
}
//- src/quay.rs
//! Places for ships.

/// Ties a ship to the quay.
pub fn tie_up(ship: &str) -> bool {
    !ship.is_empty()
}
";

const LONGER_DELAY: &str = "\
//- src/retry.rs
//! Trying again.

/// How long to wait before the next turn.
pub fn retry_delay(turn: u32) -> u32 {
    turn * 3
}

/// Whether there is another turn.
pub fn may_retry(turn: u32) -> bool {
    turn < 5
}
";

const QUESTION: &str = "how long is the retry delay before the next turn";

/// A repository with a store and a memory database of its own.
struct World {
    fixture: Fixture,
    home: tempfile::TempDir,
    engine: Engine,
}

impl World {
    fn new() -> Self {
        let (fixture, home) = (Fixture::new(HARBOUR), tempfile::tempdir().unwrap());
        let memory = Some(MemoryPlace::new(home.path().join("memory.db"), MemoryRules::default(), false, false));
        let options = OpenOptions { memory, ..OpenOptions::new(fixture.root(), home.path()) };
        let world = Self { engine: Engine::open(options).unwrap(), fixture, home };
        world.sync();
        world
    }

    fn sync(&self) {
        self.engine.sync(&SyncOptions::default(), &icr_ingest::SilentObserver).unwrap();
    }

    fn path(&self) -> PathBuf {
        self.home.path().join("memory.db")
    }

    fn snapshot(&self) -> Snapshot {
        self.sync();
        self.engine.snapshot(&ViewSelector::Worktree).unwrap()
    }

    /// The same repository without memories.
    fn without_memories(&self) -> Snapshot {
        let engine = Engine::open(OpenOptions::new(self.fixture.root(), self.home.path())).unwrap();
        engine.snapshot(&ViewSelector::Worktree).unwrap()
    }

    /// Stores a memory about the code that its text names.
    fn note(&self, text: &str) -> icr_memory::RecordId {
        let snapshot = self.snapshot();
        let request = BindRequest { text: text.to_owned(), ..BindRequest::default() };
        let code = Some(bind_code(&snapshot, &request).unwrap());
        let project = ProjectKey::of_repository(&snapshot.provenance().repo_id);
        let new =
            NewMemory { project, topic: "choices".to_owned(), summary: text.to_owned(), code, ..NewMemory::default() };
        icr_memory::store(&mut self.database(), &new, UnixMillis(1_700_000_000_000)).unwrap().id
    }

    fn database(&self) -> icr_memory::MemoryDatabase {
        self.engine.context().options.memory.as_ref().unwrap().for_changes().unwrap()
    }

    fn impact(&self) -> icr_impact::Impact {
        self.engine.impact(&newest_commit(), &Freshness::default(), &icr_ingest::SilentObserver).unwrap().0
    }

    /// What the impact of the newest commit says of memories, a line each.
    fn impact_notes(&self) -> String {
        let line = |note: icr_impact::CodeNote| {
            let state = note.state.map_or("-".to_owned(), |state| format!("{state:?}").to_lowercase());
            let symbol = note.symbol.map_or(String::new(), |symbol| format!(" {symbol}"));
            format!("{}{symbol} ({state}): {}", note.path, note.summary)
        };
        self.impact().memories.into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn pack(&self) -> crate::PackAnswer {
        pack(&self.snapshot(), &PackRequest::new(QUESTION)).unwrap()
    }

    fn lengthen_delay(&self) {
        self.fixture.write(LONGER_DELAY);
        self.fixture.commit("another delay");
        self.sync();
    }
}

fn newest_commit() -> ImpactRequest {
    ImpactRequest::new(ChangeSource::Revisions("HEAD~1..HEAD".to_owned()))
}

/// The notes at the end of a text.
fn notes_in(text: &str) -> &str {
    text.split_once("## Notes\n").map_or("", |(_, notes)| notes)
}

#[test]
fn the_impact_of_a_commit_lists_what_is_noted_about_the_function_that_it_changes() {
    let world = World::new();
    world.note("`tie_up` knots twice");
    world.note("src/retry.rs is copied from the pilot boat");
    world.note("`may_retry` stops after five turns");
    world.note("`retry_delay` doubles, as the lock needs 2 s");
    world.lengthen_delay();
    insta::assert_snapshot!(world.impact_notes(), @r##"
    src/retry.rs retry_delay (changed): `retry_delay` doubles, as the lock needs 2 s
    src/retry.rs may_retry (same): `may_retry` stops after five turns
    src/retry.rs (changed): src/retry.rs is copied from the pilot boat
    "##);
    world.fixture.write("//- src/quay.rs\n//! Places for ships.\n");
    world.fixture.commit("nothing to tie");
    insta::assert_snapshot!(world.impact_notes(), @"src/quay.rs tie_up (absent): `tie_up` knots twice");
}

#[test]
fn an_impact_has_at_most_five_memories_and_what_was_renamed_keeps_its_own() {
    let world = World::new();
    for number in ["one", "two", "three", "four", "five", "six"] {
        world.note(&format!("src/quay.rs, observation number {number}: {}", number.repeat(3)));
    }
    world.fixture.git(&["mv", "src/quay.rs", "src/pier.rs"]);
    world.fixture.commit("another name");
    world.sync();
    let memories = world.impact().memories;
    assert_eq!(memories.len(), 5);
    assert!(memories.iter().all(|note| note.path == "src/quay.rs" && note.state == Some(icr_impact::NotedCode::Moved)));
}

#[test]
fn a_pack_and_a_map_carry_what_is_noted_about_their_files() {
    let world = World::new();
    world.note("`tie_up` knots twice");
    world.note("`retry_delay` doubles,\n## as the _lock_ needs 2 s");
    let answer = world.pack();
    insta::assert_snapshot!(notes_in(&answer.pack_content), @r##"
    - src/retry.rs:retry_delay: retry_delay doubles, ## as the \_lock\_ needs 2 s
    - src/quay.rs:tie_up: tie_up knots twice
    "##);
    let tokens = icr_tokens::model_tokens(answer.pack_content.as_bytes());
    assert_eq!(answer.metadata.tokens_used, tokens);
    assert_eq!(answer.metadata.tokens_remaining, answer.metadata.tokens_budget - tokens);
    let request = ContextRequest {
        goal: QUESTION.to_owned(),
        scripts: Vec::new(),
        next_steps: "icr search \"<query>\" | icr read <path> | icr pack \"<question>\" | icr impact",
        budget_tokens: 300,
    };
    let map = context(&world.snapshot(), &request).unwrap().map;
    insta::assert_snapshot!(notes_in(&map.text), @r##"
    - src/retry.rs:retry_delay: retry_delay doubles, ## as the \_lock\_ needs 2 s
    - src/quay.rs:tie_up: tie_up knots twice

    ## Tools
    icr search "<query>" | icr read <path> | icr pack "<question>" | icr impact
    "##);
    assert!(map.tokens_used <= 300);
}

#[test]
fn a_pack_that_is_full_gives_up_code_for_notes_and_never_exceeds_its_budget() {
    let world = World::new();
    let long: String = (0..400).map(|at| format!("/// The retry delay of turn {at}.\npub fn retry_delay_{at}(turn: u32) -> u32 {{\n    turn * {at}\n}}\n\n")).collect();
    world.fixture.write(&format!("//- src/retry.rs\n{long}"));
    world.note("src/retry.rs is made by a program");
    for budget_tokens in [512, 700, 1_000, 2_000] {
        let request = PackRequest { budget_tokens, ..PackRequest::new(QUESTION) };
        let answer = pack(&world.snapshot(), &request).unwrap();
        assert_eq!(answer.notes.len(), 1, "{budget_tokens}");
        assert!(answer.pack_content.ends_with("- src/retry.rs: src/retry.rs is made by a program\n"));
        assert!(icr_tokens::model_tokens(answer.pack_content.as_bytes()) <= budget_tokens);
        let without = pack(&world.without_memories(), &request).unwrap();
        assert!(answer.metadata.tokens_used > budget_tokens - 100, "{}", answer.metadata.tokens_used);
        assert!(answer.sources.len() <= without.sources.len());
    }
}

#[test]
fn what_is_gone_and_packs_of_pins_alone_carry_no_notes() {
    let world = World::new();
    world.note("`may_retry` stops after five turns");
    let pins = vec![crate::Pin::of_file(
        "src/retry.rs".to_owned(),
        icr_pack::PinRank { priority: 5, pinned_at: icr_model::Moment(1) },
    )];
    let request = PackRequest { pins, pinned_only: true, ..PackRequest::new(QUESTION) };
    assert!(pack(&world.snapshot(), &request).unwrap().notes.is_empty());
    assert_eq!(world.pack().notes.len(), 1);
    world
        .fixture
        .write("//- src/retry.rs\n/// How long to wait before the next turn.\npub fn retry_delay() -> u32 { 7 }\n");
    assert!(world.pack().notes.is_empty());
}

#[test]
fn memories_of_another_repository_and_those_that_are_over_are_not_quoted() {
    let world = World::new();
    let code = || {
        let request = BindRequest { text: "`retry_delay`".to_owned(), ..BindRequest::default() };
        Some(bind_code(&world.snapshot(), &request).unwrap())
    };
    let new = |project, summary: &str, expires_at| NewMemory {
        project,
        topic: "choices".to_owned(),
        summary: summary.to_owned(),
        expires_at,
        code: code(),
        ..NewMemory::default()
    };
    let own = ProjectKey::of_repository(world.engine.repo_id());
    let stored = [
        new(ProjectKey::of_repository("0123456789abcdef"), "elsewhere", None),
        new(ProjectKey::NONE, "nowhere", None),
        new(own, "yesterday's news", Some(UnixMillis(1_700_000_000_001))),
    ];
    for new in &stored {
        icr_memory::store(&mut world.database(), new, UnixMillis(1_700_000_000_000)).unwrap();
    }
    world.lengthen_delay();
    assert_eq!(world.impact_notes(), "");
    assert!(world.pack().notes.is_empty());
}

#[test]
fn without_a_database_answers_are_what_they_are_without_memories_and_none_is_made() {
    let world = World::new();
    world.lengthen_delay();
    assert_eq!(
        world.pack().pack_content,
        pack(&world.without_memories(), &PackRequest::new(QUESTION)).unwrap().pack_content
    );
    assert!(world.impact().memories.is_empty());
    assert!(!world.path().exists());
}

#[test]
fn a_database_that_cannot_be_read_takes_the_notes_and_no_answer() {
    let world = World::new();
    world.note("`retry_delay` doubles, as the lock needs 2 s");
    assert_eq!(world.pack().notes.len(), 1);
    let mut file = std::fs::OpenOptions::new().write(true).open(world.path()).unwrap();
    // SQLite keeps the version of the schema as a big-endian number at byte 60 (its file format, 1.3).
    file.seek(SeekFrom::Start(60)).unwrap();
    file.write_all(&999_u32.to_be_bytes()).unwrap();
    drop(file);
    let plain = pack(&world.without_memories(), &PackRequest::new(QUESTION)).unwrap().pack_content;
    assert_eq!(world.pack().pack_content, plain, "of a newer version");
    std::fs::write(world.path(), b"no database").unwrap();
    assert_eq!(world.pack().pack_content, plain, "damaged");
    world.lengthen_delay();
    assert!(world.impact().memories.is_empty());
    assert_eq!(std::fs::read(world.path()).unwrap(), b"no database");
}

#[test]
fn an_impact_that_is_kept_sees_what_is_noted_and_forgotten_later() {
    let world = World::new();
    world.lengthen_delay();
    let mut warm = Warm::default();
    let mut notes = || {
        let (freshness, silent) = (Freshness::default(), icr_ingest::SilentObserver);
        let (impact, _) = warm.impact(&world.engine, None, &newest_commit(), &freshness, &silent).unwrap();
        impact.memories.len()
    };
    assert_eq!((notes(), notes()), (0, 0));
    let id = world.note("`retry_delay` doubles, as the lock needs 2 s");
    assert_eq!((notes(), notes()), (1, 1));
    icr_memory::forget(&mut world.database(), &id, Author::Person, UnixMillis(1_700_000_000_001)).unwrap();
    assert_eq!((notes(), notes()), (0, 0));
    assert_eq!(warm.impacts_told_again(), 2);
}

use super::*;
use crate::{Author, CodePlace, MemoryOptions, MemoryUpdate, NewMemory, RecordId, forget, store, undo, update};

/// A database of one project; what is stored is told apart by its summary.
struct Notes(MemoryDatabase);

impl Notes {
    fn new() -> Self {
        Self(MemoryDatabase::in_memory(MemoryOptions::default()).unwrap())
    }

    fn store(&mut self, summary: &str, places: &[&str], now: i64) -> RecordId {
        self.store_new(NewMemory { code: Some(binding(places)), ..note(summary) }, now)
    }

    fn store_new(&mut self, new: NewMemory, now: i64) -> RecordId {
        store(&mut self.0, &new, UnixMillis(now)).unwrap().id
    }

    /// The summaries of what is about the places, at the moment 1,000; places as `path` or `path name`.
    fn at(&self, places: &[&str]) -> Vec<String> {
        self.best_at(places, 10)
    }

    fn best_at(&self, places: &[&str], limit: usize) -> Vec<String> {
        let paths: Vec<&str> = places.iter().filter(|place| !place.contains(' ')).copied().collect();
        let symbols: Vec<(&str, &str)> = places.iter().filter_map(|place| place.split_once(' ')).collect();
        let found =
            memories_at(&self.0, &project(), &paths, &symbols, (PlaceOrder::Newest, limit), UnixMillis(1_000)).unwrap();
        found.into_iter().map(|memory| memory.summary).collect()
    }
}

fn project() -> ProjectKey {
    ProjectKey::of_repository("0123456789abcdef")
}

fn note(summary: &str) -> NewMemory {
    NewMemory { project: project(), topic: "notes".to_owned(), summary: summary.to_owned(), ..NewMemory::default() }
}

fn binding(places: &[&str]) -> CodeBinding {
    let place = |place: &&str| {
        let (path, symbol) =
            place.split_once(' ').map_or((*place, None), |(path, symbol)| (path, Some(symbol.to_owned())));
        CodePlace { path: path.to_owned(), symbol, blob: None, definition: None, found_in_text: false }
    };
    CodeBinding { places: places.iter().map(place).collect(), ..CodeBinding::default() }
}

#[test]
fn a_path_finds_what_is_about_its_file_and_what_is_about_definitions_in_it() {
    let mut notes = Notes::new();
    notes.store("berths are few", &["quay.rs"], 1);
    notes.store("ropes rot", &["quay.rs tie_up", "quay.rs"], 2);
    notes.store("tides turn", &["tide.rs rise"], 3);
    assert_eq!(notes.at(&["quay.rs"]), ["ropes rot", "berths are few"]);
    assert_eq!(notes.at(&["tide.rs", "quay.rs"]), ["tides turn", "ropes rot", "berths are few"]);
    assert!(notes.at(&["quay.r", "Quay.rs", ""]).is_empty());
}

#[test]
fn what_is_about_a_symbol_comes_before_what_is_newer_about_the_file() {
    let mut notes = Notes::new();
    notes.store("ropes rot", &["quay.rs tie_up"], 1);
    notes.store("berths are few", &["quay.rs"], 2);
    notes.store("cranes squeak", &["quay.rs lift"], 3);
    assert_eq!(notes.at(&["quay.rs", "quay.rs tie_up"]), ["ropes rot", "cranes squeak", "berths are few"]);
    assert_eq!(notes.best_at(&["quay.rs", "quay.rs tie_up"], 2), ["ropes rot", "cranes squeak"]);
    assert_eq!(notes.at(&["quay.rs tie_up", "tide.rs lift"]), ["ropes rot"]);
    assert!(notes.best_at(&["quay.rs"], 0).is_empty());
}

#[test]
fn only_what_is_recalled_of_this_project_is_found() {
    let mut notes = Notes::new();
    let code = || Some(binding(&["quay.rs"]));
    notes.store_new(NewMemory { code: code(), expires_at: Some(UnixMillis(1_000)), ..note("high water today") }, 1);
    notes.store_new(NewMemory { code: code(), expires_at: Some(UnixMillis(1_001)), ..note("ebb tomorrow morning") }, 1);
    let another = ProjectKey::of_repository("fedcba9876543210");
    notes.store_new(NewMemory { code: code(), project: another, ..note("of another harbour") }, 1);
    notes.store_new(NewMemory { code: code(), project: ProjectKey::NONE, ..note("of no harbour") }, 1);
    assert_eq!(notes.at(&["quay.rs"]), ["ebb tomorrow morning"]);
}

#[test]
fn places_follow_what_becomes_of_a_memory() {
    let mut notes = Notes::new();
    let id = notes.store("ropes rot", &["quay.rs tie_up"], 1);
    let found = |notes: &Notes| (notes.at(&["quay.rs"]).len(), notes.at(&["rope.rs", "rope.rs knot"]).len());
    let moved = MemoryUpdate { code: Some(binding(&["rope.rs knot"])), ..MemoryUpdate::default() };
    update(&mut notes.0, &id, &moved, Author::Person, UnixMillis(2)).unwrap();
    assert_eq!(found(&notes), (0, 1), "after the update");
    forget(&mut notes.0, &id, Author::Person, UnixMillis(3)).unwrap();
    assert_eq!(found(&notes), (0, 0), "after it was forgotten");
    undo(&mut notes.0, None, Author::Person, UnixMillis(4)).unwrap();
    assert_eq!(found(&notes), (0, 1), "after that was undone");
    undo(&mut notes.0, None, Author::Person, UnixMillis(5)).unwrap();
    assert_eq!(found(&notes), (1, 0), "after the update was undone");
    undo(&mut notes.0, None, Author::Person, UnixMillis(6)).unwrap();
    assert_eq!(found(&notes), (0, 0), "after the storing was undone");
    let left: i64 =
        notes.0.read("counting", |sql| sql.query_row("SELECT count(*) FROM places", [], |row| row.get(0))).unwrap();
    assert_eq!(left, 0);
}

#[test]
fn a_code_column_that_cannot_be_read_has_no_places() {
    let notes = Notes::new();
    let written = notes.0.read("writing", |sql| write_places(sql, 1, Some("{\"places\": 3}")));
    assert!(written.is_ok());
    assert!(notes.at(&["quay.rs"]).is_empty());
}

#[test]
fn what_is_named_first_comes_first_where_that_is_asked() {
    let mut notes = Notes::new();
    notes.store("old, of the first", &["first.rs"], 1);
    notes.store("new, of the second", &["second.rs"], 2);
    let at = |order| {
        let found =
            memories_at(&notes.0, &project(), &["first.rs", "second.rs"], &[], (order, 1), UnixMillis(1_000)).unwrap();
        found.into_iter().map(|memory| memory.summary).collect::<Vec<_>>()
    };
    assert_eq!(at(PlaceOrder::AsNamed), ["old, of the first"]);
    assert_eq!(at(PlaceOrder::Newest), ["new, of the second"]);
}

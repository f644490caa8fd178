//! Sets and reads pins, each time with a new engine, as separate processes do.

use std::path::Path;

use icr_engine::{
    CreatedPin, Engine, Error, Freshness, Moment, PinContent, PinContentRequest, PinFilter, PinItem, PinListRequest,
    PinPriority, PinRequest, SilentObserver, Snapshot, ViewSelector,
};
use icr_fixture::Fixture;
use tempfile::TempDir;

/// The time of all events in these tests: 2024-01-15T10:30:00Z.
pub(crate) const NOW: i64 = 1_705_314_600;

/// Three files, one of them with definitions.
pub(crate) const FILES: &str = "\
//- src/harbour.rs
/// Ties a ship to the berth.
pub fn moor(ship: &str) -> bool {
    !ship.is_empty()
}

/// Lets it go.
pub fn cast_off(ship: &str) -> bool {
    ship.is_empty()
}
//- src/tide.rs
pub fn tide(hour: u32) -> u32 {
    hour % 12
}
//- docs/mooring.md
# Mooring
";

/// A repository with a home of icr.
pub(crate) struct World {
    pub(crate) fixture: Fixture,
    pub(crate) home: TempDir,
}

impl World {
    pub(crate) fn new(files: &str) -> Self {
        Self { fixture: Fixture::new(files), home: icr_tests::empty_home() }
    }

    pub(crate) fn engine(&self) -> Engine {
        icr_tests::engine(self.fixture.root(), self.home.path())
    }

    #[track_caller]
    pub(crate) fn snapshot(&self) -> Snapshot {
        snapshot(&self.engine(), &ViewSelector::Worktree)
    }

    /// Pins a file by its path, without expiry.
    #[track_caller]
    pub(crate) fn pin(&self, path: &str, now: i64) -> CreatedPin {
        pin(&self.engine(), &request(path, path), now).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Ids of the pins that pass `filter`.
    #[track_caller]
    pub(crate) fn ids(&self, filter: PinFilter, now: i64) -> Vec<String> {
        ids_at(&self.snapshot(), filter, now)
    }

    #[track_caller]
    pub(crate) fn content(&self, source_id: &str, now: i64) -> PinContent {
        icr_engine::pin_content(&self.snapshot(), &whole(source_id), Moment(now))
            .unwrap_or_else(|error| panic!("{source_id}: {error}"))
    }
}

#[track_caller]
pub(crate) fn snapshot(engine: &Engine, at: &ViewSelector) -> Snapshot {
    engine.ask(at, &Freshness::default(), &SilentObserver).expect("the fixture is in order")
}

pub(crate) fn request(source_id: &str, path: &str) -> PinRequest {
    let priority = PinPriority::default();
    PinRequest { source_id: source_id.to_owned(), path: path.to_owned(), label: None, ttl_seconds: None, priority }
}

/// The complete file of a pin.
pub(crate) fn whole(source_id: &str) -> PinContentRequest {
    PinContentRequest { source_id: source_id.to_owned(), include_content: true, max_tokens: 25_000 }
}

/// Pins as the interfaces do.
pub(crate) fn pin(engine: &Engine, request: &PinRequest, now: i64) -> Result<CreatedPin, Error> {
    let ask = |snapshot: &Snapshot| icr_engine::new_pin(snapshot, request, Moment(now));
    engine.pins().set(&engine.answer(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver, ask)?)
}

/// Ids of the pins that a process standing in `directory` sees, which asks as the interfaces do.
#[track_caller]
pub(crate) fn ids_in(directory: &Path, home: &Path, now: i64) -> Vec<String> {
    let ask = |snapshot: &Snapshot| Ok(ids_at(snapshot, PinFilter::All, now));
    let engine = icr_tests::engine(directory, home);
    let answered = engine.answer(&ViewSelector::Worktree, &Freshness::default(), &SilentObserver, ask);
    answered.expect("the fixture is in order")
}

#[track_caller]
pub(crate) fn ids_at(snapshot: &Snapshot, filter: PinFilter, now: i64) -> Vec<String> {
    items(snapshot, filter, now).into_iter().map(|item| item.id).collect()
}

#[track_caller]
pub(crate) fn items(snapshot: &Snapshot, filter: PinFilter, now: i64) -> Vec<PinItem> {
    let list = icr_engine::list_pins(snapshot, &PinListRequest { filter, ..PinListRequest::default() }, Moment(now));
    list.expect("the pins can be read").items
}

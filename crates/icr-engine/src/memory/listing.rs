//! Lists of pins and derived memories, with their state in a view.

use std::time::Duration;

use icr_memory::{ListOrder, ListRequest, ListScope, Memory, MemoryKind, PinPriority, PlaceState, ProjectKey};
use icr_model::UnixMillis;
use serde::Serialize;

use super::about::now_ms;
use super::code::{code_states, plain_line};

use super::{Moment, live_pins};
use crate::{Error, Snapshot};

/// How long a pin is recent: a week.
const RECENT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Most items of one list.
const ITEMS_MOST: usize = 200;

/// What kinds of items a list has.
const PINNED: &str = "pinned";
const DERIVED: &str = "derived";

/// Longest label of a derived memory, in characters.
const LABEL_CHARACTERS: usize = 200;

/// Which pins to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PinFilter {
    /// All.
    #[default]
    All,
    /// Those that were set by hand; these are all.
    Pinned,
    /// Those of the last seven days.
    Recent,
    /// Those whose file has changed since, or is not in the view.
    Stale,
}

/// Which part of which list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PinListRequest {
    /// Which pins.
    pub filter: PinFilter,
    /// Most items, 1 to 200.
    pub limit: usize,
    /// Items to leave out at the beginning.
    pub offset: usize,
}

impl Default for PinListRequest {
    fn default() -> Self {
        Self { filter: PinFilter::All, limit: 50, offset: 0 }
    }
}

/// A part of a list of pins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PinList {
    /// Items by descending priority, then newest first, then by id.
    pub items: Vec<PinItem>,
    /// Items of the whole list.
    pub total_count: usize,
    /// Whether there are items after these.
    pub has_more: bool,
}

/// A pin, as a view sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PinItem {
    /// What it is called.
    pub id: String,
    /// The file, relative to the root.
    pub path: String,
    /// What it is.
    pub label: Option<String>,
    /// `pinned`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// When it was set.
    pub created_at: Moment,
    /// When it expires; `None` for a pin that does not expire.
    pub expires_at: Option<Moment>,
    /// How much it counts beside other pins, 1 to 10.
    pub priority: PinPriority,
    /// How the file differs from what was pinned; `None` if it does not.
    pub stale: Option<Staleness>,
}

/// How a file differs from what was pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Staleness {
    /// Its content has changed.
    Changed,
    /// The view has no such file.
    Gone,
}

/// A derived memory of the repository, as a view sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct DerivedItem {
    /// Its id.
    pub id: String,
    /// The first file that it is about.
    pub path: Option<String>,
    /// What it says, in one line of at most 200 characters.
    pub label: String,
    /// `derived`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// What it is: an invariant, a decision or a fact.
    pub memory_kind: &'static str,
    /// When it was stored.
    pub created_at: Moment,
    /// When it expires and is no longer recalled; `None` if it does not expire.
    pub expires_at: Option<Moment>,
    /// How the first changed place of it has changed; `None` if none has, or if that is unknown.
    pub stale: Option<Staleness>,
}

/// A pin or a derived memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum KeptItem {
    /// A file that was pinned.
    Pin(PinItem),
    /// A memory that was derived.
    Derived(DerivedItem),
}

/// A part of the list of what is kept about a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct KeptList {
    /// Pins, as [`PinList::items`]; then derived memories, the newest first.
    pub items: Vec<KeptItem>,
    /// Items of the whole list.
    pub total_count: usize,
    /// Whether there are items after these.
    pub has_more: bool,
}

/// The live pins of the clone, as this view sees them.
///
/// # Errors
///
/// [`Error::Bounds`] for a limit out of bounds; [`Error::Memory`]; those of reading the store.
pub fn list_pins(snapshot: &Snapshot, request: &PinListRequest, now: Moment) -> Result<PinList, Error> {
    check_limit(request)?;
    let pins = pins_of(snapshot, request.filter, now)?;
    let (items, total_count, has_more) = part(pins, request);
    Ok(PinList { items, total_count, has_more })
}

/// The live pins of the clone and the derived memories of its repository; [`PinFilter::Pinned`] leaves out the memories.
///
/// # Errors
///
/// As [`list_pins`].
pub fn list_kept(snapshot: &Snapshot, request: &PinListRequest, now: Moment) -> Result<KeptList, Error> {
    check_limit(request)?;
    let mut kept: Vec<KeptItem> = pins_of(snapshot, request.filter, now)?.into_iter().map(KeptItem::Pin).collect();
    if request.filter != PinFilter::Pinned {
        kept.extend(derived_of(snapshot, request.filter, now)?.into_iter().map(KeptItem::Derived));
    }
    let (items, total_count, has_more) = part(kept, request);
    Ok(KeptList { items, total_count, has_more })
}

/// The derived memory of the repository with that id and its whole text; `None` where there is none.
///
/// # Errors
///
/// [`Error::Memory`]; those of reading the store.
pub fn derived_memory(snapshot: &Snapshot, id: &str) -> Result<Option<(DerivedItem, String)>, Error> {
    let memories = derived_memories(snapshot)?;
    let Some(memory) = memories.into_iter().find(|memory| memory.id.as_str() == id) else { return Ok(None) };
    let text = memory.summary.clone();
    Ok(derived_items(snapshot, vec![memory])?.pop().map(|item| (item, text)))
}

fn check_limit(request: &PinListRequest) -> Result<(), Error> {
    if (1..=ITEMS_MOST).contains(&request.limit) {
        return Ok(());
    }
    Err(Error::Bounds {
        field: "the number of items",
        allowed: format!("1 to {ITEMS_MOST}"),
        value: request.limit.to_string(),
    })
}

/// The requested part, the total number, and whether more items follow.
fn part<T>(items: Vec<T>, request: &PinListRequest) -> (Vec<T>, usize, bool) {
    let total_count = items.len();
    let items: Vec<T> = items.into_iter().skip(request.offset).take(request.limit).collect();
    let has_more = request.offset.saturating_add(items.len()) < total_count;
    (items, total_count, has_more)
}

fn pins_of(snapshot: &Snapshot, filter: PinFilter, now: Moment) -> Result<Vec<PinItem>, Error> {
    let mut items = Vec::new();
    for pin in live_pins(snapshot, now)? {
        let item = pin_item(snapshot, &pin)?;
        items.extend(is_listed(filter, pin.pinned_at, item.stale, now).then_some(item));
    }
    Ok(items)
}

fn derived_of(snapshot: &Snapshot, filter: PinFilter, now: Moment) -> Result<Vec<DerivedItem>, Error> {
    let mut items = derived_items(snapshot, derived_memories(snapshot)?)?;
    items.retain(|item| is_listed(filter, item.created_at, item.stale, now));
    Ok(items)
}

fn is_listed(filter: PinFilter, kept_at: Moment, stale: Option<Staleness>, now: Moment) -> bool {
    match filter {
        PinFilter::All | PinFilter::Pinned => true,
        PinFilter::Recent => kept_at >= now.saturating_sub(RECENT),
        PinFilter::Stale => stale.is_some(),
    }
}

/// The derived memories that are recalled in the repository, the newest first; none where the engine was opened without memories.
fn derived_memories(snapshot: &Snapshot) -> Result<Vec<Memory>, Error> {
    let Some(place) = &snapshot.context.options.memory else { return Ok(Vec::new()) };
    let Some(database) = place.for_quoting()? else { return Ok(Vec::new()) };
    let project = ProjectKey::of_repository(&snapshot.provenance().repo_id);
    let request = ListRequest {
        scope: ListScope::Project(project),
        derived_only: true,
        order: ListOrder::Created,
        ..ListRequest::default()
    };
    Ok(icr_memory::list(&database, &request, now_ms())?)
}

fn derived_items(snapshot: &Snapshot, memories: Vec<Memory>) -> Result<Vec<DerivedItem>, Error> {
    let nothing = icr_memory::CodeBinding::default();
    let bindings: Vec<_> = memories.iter().map(|memory| memory.code.as_ref().unwrap_or(&nothing)).collect();
    let states = code_states(snapshot, &bindings)?;
    let item = |(memory, places): (&Memory, Vec<icr_memory::PlaceItem>)| {
        let of_state = |place: &icr_memory::PlaceItem| match place.state {
            Some(PlaceState::Absent) => Some(Staleness::Gone),
            Some(PlaceState::Changed) => Some(Staleness::Changed),
            _ => None,
        };
        DerivedItem {
            id: memory.id.to_string(),
            path: places.first().map(|place| place.path.clone()),
            label: plain_line(&memory.summary, LABEL_CHARACTERS),
            kind: DERIVED,
            memory_kind: MemoryKind::name(memory.kind),
            created_at: memory.created_at.to_moment(),
            expires_at: memory.expires_at.map(UnixMillis::to_moment),
            stale: places.iter().find_map(of_state),
        }
    };
    Ok(memories.iter().zip(states).map(item).collect())
}

pub(super) fn pin_item(snapshot: &Snapshot, pin: &icr_memory::Pin) -> Result<PinItem, Error> {
    let stale = match snapshot.view.file(&pin.path)? {
        None => Some(Staleness::Gone),
        Some(file) => (file.row.blob_id != pin.blob_id).then_some(Staleness::Changed),
    };
    Ok(PinItem {
        id: pin.source_id.clone(),
        path: pin.path.to_string(),
        label: pin.label.clone(),
        kind: PINNED,
        created_at: pin.pinned_at,
        expires_at: pin.expires_at,
        priority: pin.priority,
        stale,
    })
}

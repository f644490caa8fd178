//! Lists of pins, and what they mean in a view.

use serde::Serialize;

use super::Moment;
use crate::{Error, Snapshot};

/// How long a pin is recent, in seconds: a week.
const RECENT_SECONDS: i64 = 7 * 24 * 60 * 60;

/// Most items of one list.
const ITEMS_MOST: usize = 200;

/// What kind of item a pin is, beside others of a memory.
const PINNED: &str = "pinned";

/// Which pins to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PinFilter {
    /// All.
    #[default]
    All,
    /// Those that were set by hand, which all are.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PinList {
    /// Newest first, those of one second by their ids.
    pub items: Vec<PinItem>,
    /// Items of the whole list.
    pub total_count: usize,
    /// Whether there are items after these.
    pub has_more: bool,
}

/// A pin, as a view sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    /// From when on there is no such pin any more; `None` for one that stays.
    pub expires_at: Option<Moment>,
    /// In which way the file is not what was pinned; `None` for one that is.
    pub stale: Option<Staleness>,
}

/// In which way a file is not what was pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Staleness {
    /// It says something else now.
    Changed,
    /// The view has no such file.
    Gone,
}

/// The live pins of the clone, as this view sees them; `now` is in seconds since 1970.
///
/// # Errors
///
/// [`Error::Bounds`] for a limit out of bounds; [`Error::Memory`]; those of reading the store.
pub fn list_pins(snapshot: &Snapshot, request: &PinListRequest, now: i64) -> Result<PinList, Error> {
    if !(1..=ITEMS_MOST).contains(&request.limit) {
        return Err(Error::Bounds {
            field: "the number of items",
            allowed: format!("1 to {ITEMS_MOST}"),
            value: request.limit.to_string(),
        });
    }
    let mut items = Vec::new();
    for pin in snapshot.engine.live_pins(now)? {
        let is_recent = pin.pinned_at >= now.saturating_sub(RECENT_SECONDS);
        let item = pin_item(snapshot, &pin)?;
        let is_listed = match request.filter {
            PinFilter::All | PinFilter::Pinned => true,
            PinFilter::Recent => is_recent,
            PinFilter::Stale => item.stale.is_some(),
        };
        items.extend(is_listed.then_some(item));
    }
    let total_count = items.len();
    let items: Vec<PinItem> = items.into_iter().skip(request.offset).take(request.limit).collect();
    let has_more = request.offset.saturating_add(items.len()) < total_count;
    Ok(PinList { items, total_count, has_more })
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
        created_at: Moment(pin.pinned_at),
        expires_at: pin.expires_at.map(Moment),
        stale,
    })
}

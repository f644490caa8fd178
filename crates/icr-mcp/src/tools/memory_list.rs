//! `memory_list`: the pins, and the memories that icr derived.

use icr_engine::{PinFilter, PinListRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::cursor::List;
use crate::page::Page;
use crate::reply::Reply;
use icr_serve::CallFailure;

/// Most items that are looked at for a page: the most that one list of the engine holds.
const ITEMS_MOST: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct MemoryListInput {
    #[serde(default)]
    filter_type: FilterType,
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    cursor: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FilterType {
    #[default]
    All,
    Pinned,
    Recent,
    Stale,
}

impl From<FilterType> for PinFilter {
    fn from(filter: FilterType) -> Self {
        match filter {
            FilterType::All => Self::All,
            FilterType::Pinned => Self::Pinned,
            FilterType::Recent => Self::Recent,
            FilterType::Stale => Self::Stale,
        }
    }
}

/// Most items of a page where nobody says how many.
const LIMIT: u32 = 50;

pub(crate) fn run(call: &CallContext<'_>, input: MemoryListInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let list = List::of("memory_list", "");
    let page = Page::of(list, input.cursor.as_deref(), input.limit, LIMIT)?;
    let request =
        PinListRequest { filter: input.filter_type.into(), limit: page.limit().min(ITEMS_MOST), offset: page.offset() };
    let now = call.now();
    let (list, provenance) = call.ask(&repository, |snapshot| icr_engine::list_kept(snapshot, &request, now))?;
    let items: Vec<Value> = list.items.iter().map(|item| json!(item)).collect();
    Ok(page.reply_of("items", items, list.has_more, list.total_count as u64, call.settings).from(provenance))
}

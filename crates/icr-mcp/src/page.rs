//! Lists that are read page by page.

use serde_json::{Value, json};

use crate::cursor::List;
use crate::reply::Reply;
use crate::settings::Settings;
use crate::truncation::tokens_of;
use icr_serve::CallFailure;

/// Model tokens kept for what stands beside the items of a page.
const FRAME_TOKENS: u32 = 600;

/// Model tokens of a page where nobody said how many items there are to be: enough for what is looked at.
const USUAL_TOKENS: u32 = 1_000;

/// Which items of a list are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    list: List,
    offset: usize,
    limit: usize,
    /// Somebody said how many items.
    is_asked: bool,
    /// Model tokens of what stands beside the items, above the usual.
    beside: u32,
}

impl Page {
    /// The page of `list` that `cursor` leads to, of `limit` items, or of `usual` and no more than [`USUAL_TOKENS`] where no limit is given.
    ///
    /// # Errors
    ///
    /// A validation error for a cursor that no answer gave, or one about another list.
    pub(crate) fn of(list: List, cursor: Option<&str>, limit: Option<u32>, usual: u32) -> Result<Self, CallFailure> {
        Ok(Self {
            list,
            offset: list.offset(cursor)?,
            limit: limit.unwrap_or(usual) as usize,
            is_asked: limit.is_some(),
            beside: 0,
        })
    }

    /// The page, where so many model tokens stand beside its items.
    pub(crate) fn beside(self, tokens: u32) -> Self {
        Self { beside: tokens, ..self }
    }

    /// Items before the page.
    pub(crate) fn offset(self) -> usize {
        self.offset
    }

    /// Items of the page, at most.
    pub(crate) fn limit(self) -> usize {
        self.limit
    }

    /// Items from the beginning of the list that have to be there for this page: one more than it shows, which tells whether
    /// there is another.
    pub(crate) fn needed(self) -> usize {
        self.offset + self.limit + 1
    }

    /// The page out of the items from the beginning of the list, as many as fit into an answer, and how to read on.
    pub(crate) fn reply(self, name: &str, items: Vec<Value>, total_count: u64, settings: &Settings) -> Reply {
        let is_more = items.len() > self.offset + self.limit;
        let items = items.into_iter().skip(self.offset).take(self.limit).collect();
        self.reply_of(name, items, is_more, total_count, settings)
    }

    /// As [`Page::reply`], of the items of the page alone; `is_more` says whether there are others after these.
    pub(crate) fn reply_of(
        self,
        name: &str,
        wanted: Vec<Value>,
        is_more: bool,
        total_count: u64,
        settings: &Settings,
    ) -> Reply {
        let wanted_total = wanted.len();
        let room = settings.limits.soft_tokens.saturating_sub(FRAME_TOKENS + self.beside);
        let room = if self.is_asked { room } else { room.min(USUAL_TOKENS) };
        let mut spent = 0;
        let mut shown: Vec<Value> = Vec::new();
        for item in wanted {
            spent += tokens_of(&item);
            if spent > room && !shown.is_empty() {
                break;
            }
            shown.push(item);
        }
        let end = self.offset + shown.len();
        let has_more = is_more || shown.len() < wanted_total;
        let next_cursor = has_more.then(|| self.list.cursor(end)).flatten();
        // Who did not say how many sees by the cursor that there are more.
        let notice = (shown.len() < wanted_total && self.is_asked).then(|| {
            format!("{} of {wanted_total} `{name}` fit into an answer; `next_cursor` has the rest", shown.len())
        });
        let mut data = serde_json::Map::new();
        data.insert(name.to_owned(), Value::Array(shown));
        data.insert("total_count".to_owned(), json!(total_count));
        data.insert("has_more".to_owned(), json!(has_more));
        data.insert("next_cursor".to_owned(), json!(next_cursor));
        Reply::of_object(data).cutting(notice)
    }
}

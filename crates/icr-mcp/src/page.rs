//! Paged lists.

use serde_json::{Value, json};

use crate::cursor::List;
use crate::reply::Reply;
use crate::settings::Settings;
use crate::truncation::tokens_of;
use icr_serve::CallFailure;

/// Model tokens reserved for the rest of a page, besides its items.
const FRAME_TOKENS: u32 = 600;

/// Model tokens of a page if the caller gave no limit: as much as a reader will look at.
const USUAL_TOKENS: u32 = 1_000;

/// The range of a list that a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    list: List,
    offset: usize,
    limit: usize,
    /// Whether the caller gave a limit.
    is_asked: bool,
    /// Model tokens of text beside the items, in addition to [`FRAME_TOKENS`].
    beside: u32,
}

impl Page {
    /// The page of `list` at `cursor`, with `limit` items. Without a limit: `usual` items, and at most
    /// [`USUAL_TOKENS`].
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

    /// Reserves more model tokens for text beside the items.
    pub(crate) fn with_tokens_beside(self, tokens: u32) -> Self {
        Self { beside: tokens, ..self }
    }

    /// Number of items before the page.
    pub(crate) fn offset(self) -> usize {
        self.offset
    }

    /// Most items of the page.
    pub(crate) fn limit(self) -> usize {
        self.limit
    }

    /// Number of items that the caller must fetch from the beginning of the list: one more than the page ends with,
    /// which shows whether there is a further page.
    pub(crate) fn needed(self) -> usize {
        self.offset + self.limit + 1
    }

    /// Makes the page from the items since the beginning of the list: as many as fit into an answer, and the cursor of
    /// the next page.
    pub(crate) fn reply(self, name: &str, items: Vec<Value>, total_count: u64, settings: &Settings) -> Reply {
        let is_more = items.len() > self.offset + self.limit;
        let items = items.into_iter().skip(self.offset).take(self.limit).collect();
        self.reply_of(name, items, is_more, total_count, settings)
    }

    /// As [`Page::reply`], but `items` begin with the page; `is_more` says whether there are others after them.
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
        // A caller who gave no limit sees from the cursor that there are more.
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

//! One file per tool: its arguments, its answer, and how it gets that.

pub(crate) mod admin_ping;
pub(crate) mod env_peek;
pub(crate) mod env_search;

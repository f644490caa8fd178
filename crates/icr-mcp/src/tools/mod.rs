//! One file per tool: its arguments, its answer, and how it gets that.

pub(crate) mod admin_ping;
pub(crate) mod context_pack;
pub(crate) mod env_aggregate;
pub(crate) mod env_peek;
pub(crate) mod env_search;
pub(crate) mod env_slice;
pub(crate) mod graph_neighbors;
pub(crate) mod impact_diff;
pub(crate) mod memory_get;
pub(crate) mod memory_list;
pub(crate) mod memory_pack;
pub(crate) mod memory_pin;
pub(crate) mod memory_stats;
pub(crate) mod memory_unpin;
pub(crate) mod project_commands;
pub(crate) mod project_impact;
pub(crate) mod project_map;
pub(crate) mod project_symbol_search;
pub(crate) mod rlm_map_reduce;
pub(crate) mod rlm_plan;

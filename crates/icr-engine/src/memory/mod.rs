//! Pins, and statistics about everything that is stored.
//!
//! A pin belongs to the clone it was set in, and is seen from all of its worktrees. A snapshot says what a pin means in
//! its view; only the engine writes.

mod about;
mod code;
mod content;
mod listing;
mod pinning;
mod place;
mod stats;

pub use about::memories_about;
pub(crate) use about::{QUOTED_CHARACTERS, file_notes};
pub(crate) use code::plain_line;
pub use code::{
    AbsentCode, AmbiguousName, BindRequest, MemoriesInView, ambiguous_names, bind_code, code_states, may_name_code,
    memories_in_view,
};
pub(crate) use code::{enclosing_symbol, file_called};
pub use content::{PinContent, PinContentRequest, pin_content};
pub use icr_model::Moment;
pub use listing::{
    DerivedItem, KeptItem, KeptList, PinFilter, PinItem, PinList, PinListRequest, Staleness, derived_memory, list_kept,
    list_pins,
};
pub(crate) use pinning::live_pins;
pub use pinning::{ClonePins, CreatedPin, NewPin, PinRemoval, PinRequest, new_pin};
pub use place::MemoryPlace;
pub(crate) use place::MemoryStamp;
pub use stats::{MemoryBreakdown, MemoryStats, MemoryUsage, memory_stats};

//! Answers under a budget: packs of code, the map for a goal, the lines of many sources, and the threshold of the gate,
//! which decides between one search and several for a pack.
//!
//! The choice and the layout are made by `icr-pack`, which is pure. This module supplies the candidates from a view:
//! lines of the files that a search finds, facts and history of files.

mod answer;
mod budgets;
mod calibration;
mod candidates;
mod context;
mod describe;
mod expand;
mod named_lines;
mod notes;
mod pack;
mod pins;
mod sources;
mod uses;

pub use answer::{PackAnswer, PackExpansion, PackMetadata, PackSearch, ThresholdSource};
pub use budgets::PackBudgets;
pub use calibration::{EasyQuestion, GateCalibration, GateThresholds, calibrate_gate};
pub use context::{ContextAnswer, ContextRequest, PromptRequest, context, prompt_context};
pub use pack::{PackRequest, PackRules, pack, unknown_focus};
pub use pins::{Pin, pack_with_pins, pins, search_with_pins};
pub(crate) use sources::is_of_one_file;
pub use sources::{MapReduceAnswer, MapReduceMetadata, MapReduceRequest, map_reduce};

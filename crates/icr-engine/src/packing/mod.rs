//! Answers under a budget: packs of code, the map for a goal, the lines of many sources, and the threshold that decides
//! how a pack is made.
//!
//! What is chosen and how it is laid out is decided by `icr-pack`, which is pure. Here a view gives it what to choose
//! from: lines of the files that a search finds, facts and history of files.

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
pub use calibration::{EasyQuestion, GateCalibration, calibrate_gate};
pub use context::{ContextAnswer, ContextRequest, PromptRequest, context, prompt_context};
pub use pack::{PackRequest, PackRules, pack};
pub use pins::{Pin, pack_with_pins, pins, search_with_pins};
pub(crate) use sources::is_of_one_file;
pub use sources::{MapReduceAnswer, MapReduceMetadata, MapReduceRequest, map_reduce};

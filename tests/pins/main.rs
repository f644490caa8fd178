//! Pins in the engine: what they survive, who sees them, how they appear in a view and in packs.

mod asking;
mod content;
mod keeping;
mod packing;
mod refusing;
mod stats;
mod views;

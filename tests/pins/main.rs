//! Pins as the engine keeps them: what they survive, who sees them, what they mean in a view, and what packs make of them.

mod asking;
mod content;
mod keeping;
mod packing;
mod refusing;
mod stats;
mod views;

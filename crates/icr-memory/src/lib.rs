//! What a user or an agent asked icr to keep: pins.
//!
//! Nothing here can be derived again, so it lies apart from what can: in a database of its own, which is moved forward by
//! numbered migrations, which no rebuild and no garbage collection touches, and which is never deleted, whatever is found
//! in it. What time it is, callers say.

mod error;
mod migrations;
mod pins;
mod preamble;

pub use error::Error;
pub use pins::{Access, CloneKey, PINS_MOST, Pin, Pins};
pub use preamble::{PreambleItem, PreambleLimits, preamble};

//! Coding agents that icr works in: what their hooks say and expect, and where their configuration lies.
//!
//! An agent program is a *host*. Hosts differ in the names of their events, in the fields of their payloads and in what they take as an answer;
//! each way of speaking is a [`Dialect`], a row of a table.

pub mod configuration;
mod dialect;
mod event;
pub mod hosts;

pub use dialect::{Dialect, HostEvent, OutputShape, TimeoutUnit};
pub use event::Event;

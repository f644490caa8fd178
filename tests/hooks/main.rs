//! Git hooks as git runs them: the index follows every operation, and git notices nothing.

#![expect(clippy::disallowed_methods, reason = "the program is run")]

mod following;
mod kept;
mod pushing;
mod quiet;
mod world;

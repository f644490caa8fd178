//! Git hooks as git runs them: the index follows every operation, and git notices nothing.

mod following;
mod kept;
mod quiet;
mod world;

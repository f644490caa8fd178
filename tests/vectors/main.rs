//! Vectors over the life of a store: made, taken over, left for later, found to be missing, collected.

mod filling;
mod garbage;
mod lacking;
mod model_server;
mod slow;

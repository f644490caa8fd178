//! Other machines, as far as this one can play them: no test here leaves the loopback address.

mod embedder;
mod fetch;
mod server;

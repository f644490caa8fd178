//! The service as programs and browsers meet it: over real connections, on a real repository.

mod answers;
mod connections;
mod entry;
mod page;
mod place;
mod protocol;

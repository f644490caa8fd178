//! The server as clients meet it: over lines of JSON, on a real repository.

mod bounds;
mod client;
mod examples;
mod freshness;
mod listing;
mod memory;
mod pages;
mod places;
mod protocol;
mod slow_model;
mod work;

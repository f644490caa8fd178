//! Hooks in repositories made by the real git: what is put in, what is kept, what is put back, and what scripts decide.

#![expect(clippy::disallowed_methods, reason = "scripts are run as git runs them")]

mod installing;
mod managers;
mod pausing;
mod places;
mod repository;
mod scripts;

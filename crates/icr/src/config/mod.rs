//! The configuration: one table of keys, six layers of values, and everything that is derived from them.
//!
//! Everything here is pure: the caller reads files and the environment, and writes what [`set`] and [`migrate()`]
//! return. The layers, lowest first: built-in values, the user's file, the repository's override in the store, the
//! project file of the worktree, environment variables, flags. The project file comes with a clone, so its author is
//! not the user: forbidden or wrong settings in it are ignored with an [`error::Warning`] and never stop a command.
//! Errors in the other layers do.

mod edit;
mod error;
mod file;
mod keys;
mod layers;
mod message_text;
mod migrate;
mod render;
mod resolve;
mod table;
mod value;

#[cfg(test)]
mod accept_list;
#[cfg(test)]
mod key_use_tests;
#[cfg(test)]
mod tests;

pub(crate) use edit::{check_set, set, unset};
pub(crate) use error::ConfigError;
pub(crate) use file::read;
pub(crate) use layers::{ConfigurationLayers, user_file};
pub(crate) use migrate::migrate;
pub(crate) use render::{json, reference, text};
pub(crate) use resolve::{ResolvedConfig, resolve, warnings_of};
pub(crate) use value::{duration, duration_text};

//! What this crate says of repositories, against what git says of them.

#![expect(clippy::disallowed_methods, reason = "some facts need a process of their own, with another environment")]

mod ancestry;
mod changes;
mod conversions;
mod git_directories;
mod history;
mod objects;
mod odd_repositories;
mod outside_world;
mod overlay;
mod overlay_property;
mod ranges;
mod repositories;
mod revision_forms;
mod show;
mod staged;
mod tree_bounds;
mod trees;
mod worktree_files;

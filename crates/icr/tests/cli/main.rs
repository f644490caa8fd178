//! The program as its users meet it: what it prints, how it ends, and what it makes of repositories, contents and
//! questions that nobody wishes for.

#![expect(clippy::disallowed_methods, reason = "the program is run")]

mod agent_files;
mod agent_hooks;
mod answers;
mod bench_memory;
mod bench_packs;
mod bench_retrieval;
mod ci;
mod ci_hooks;
mod configuration;
mod configured;
mod contents;
#[cfg(target_os = "linux")]
mod crash_restart;
mod credentials;
mod freshness;
mod graphs;
mod impact_accepted;
mod impact_answers;
mod impact_builds;
mod impact_cargo;
mod impact_changes;
mod impact_history;
mod impact_incomplete;
mod impact_patches;
mod impact_proofs;
mod impact_rules;
mod impact_types;
mod memory;
mod memory_names;
mod models;
mod no_network;
mod notes;
mod options;
mod packs;
mod pins;
mod programs;
mod questions;
mod readme;
mod real_model;
mod repositories;
mod run;
mod scopes;
mod secrets;
mod stores;
mod system_calls;
mod transcripts;
mod verbs;
mod weights;

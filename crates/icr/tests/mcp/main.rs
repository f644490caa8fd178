//! The MCP server as its clients meet it: the built program on pipes, in both eras of the protocol, with the requests of
//! `fixtures/mcp`, with clients that others wrote, and with what goes wrong between programs.

#![expect(clippy::disallowed_methods, reason = "the program is run")]

mod clients;
mod concurrency;
mod configured;
mod conformance;
mod endings;
mod examples;
mod lines;
mod memory;
mod pins;
mod place;
mod protocol_versions;
mod rendering;
mod repositories;
mod schemas;
mod server;
mod sockets;
mod transcripts;

//! Clients that differ from what the protocol leads to expect.

/// A client and how it differs.
struct Client {
    /// As it names itself in `clientInfo`.
    name: &'static str,
    quirks: Quirks,
}

/// How answers are made for a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quirks {
    /// The model is shown the text of an answer that has structured content too.
    pub(crate) shows_text: bool,
}

/// Clients that differ, each with the reason.
const CLIENTS: &[Client] = &[
    // tidy: sorted
    // Its model is shown structured content in place of text, so that code would never be seen.
    Client { name: "claude-code", quirks: Quirks { shows_text: false } },
    // tidy: end
];

impl Quirks {
    /// Those of the client with this name; of the others none.
    pub(crate) fn of(client: Option<&str>) -> Self {
        let known = CLIENTS.iter().find(|row| Some(row.name) == client);
        known.map_or(Self { shows_text: true }, |row| row.quirks)
    }
}

-- Times are microseconds since 1970. All texts are masked and cut before they are written.
PRAGMA application_id = 0x69637274;

CREATE TABLE calls (
    no INTEGER PRIMARY KEY,
    -- 64 bits as a signed number.
    id INTEGER NOT NULL UNIQUE,
    parent INTEGER,
    started_at INTEGER NOT NULL,
    duration INTEGER NOT NULL,
    door TEXT NOT NULL,
    kind TEXT NOT NULL,
    tool TEXT NOT NULL,
    task TEXT,
    step TEXT,
    client TEXT,
    session TEXT,
    repo_id TEXT,
    root TEXT,
    -- JSON.
    input TEXT NOT NULL,
    outcome TEXT NOT NULL,
    output_tokens INTEGER NOT NULL,
    output_bytes INTEGER NOT NULL,
    -- JSON: names.
    gaps TEXT NOT NULL,
    -- JSON: spans, and `asked` and `predicted` with lists of paths; null where there are none.
    returned TEXT,
    impact TEXT
) STRICT;

CREATE INDEX calls_by_time ON calls (started_at);
CREATE INDEX calls_by_session ON calls (session) WHERE session IS NOT NULL;

-- What agents and people did with files.
CREATE TABLE file_uses (
    no INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    -- `opened`, `changed`, or `seen_call` for a call of icr that a hook saw.
    event TEXT NOT NULL,
    session TEXT NOT NULL,
    repo_id TEXT NOT NULL,
    path TEXT,
    start_line INTEGER,
    end_line INTEGER,
    tool TEXT,
    manual INTEGER NOT NULL
) STRICT;

CREATE INDEX file_uses_by_time ON file_uses (at);
CREATE INDEX file_uses_by_session ON file_uses (session);

-- How many events were not recorded.
CREATE TABLE drops (
    at INTEGER NOT NULL,
    events INTEGER NOT NULL
) STRICT;

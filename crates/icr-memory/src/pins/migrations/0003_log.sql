-- What was done to pins, so that it can be undone: the row as it was before, or no `path` where there was none. `undone_by` is the operation
-- that undid it. A pin that expires is no operation.
CREATE TABLE pin_operations (
    no INTEGER PRIMARY KEY,
    clone BLOB NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    source_id TEXT NOT NULL,
    path BLOB,
    label TEXT,
    blob_id BLOB,
    pinned_at INTEGER,
    expires_at INTEGER,
    undone_by INTEGER
) STRICT;
CREATE INDEX pin_operations_by_pin ON pin_operations (clone, source_id);

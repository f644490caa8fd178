-- "icrp": tells this database from those of other programs.
PRAGMA application_id = 0x69637270;

-- Files that a user or an agent wants in every pack. `clone` is the git directory that all worktrees of one clone share;
-- `blob_id` is what the file was when it was pinned; times are seconds since 1970, and without `expires_at` a pin stays.
CREATE TABLE pins (
    clone BLOB NOT NULL,
    source_id TEXT NOT NULL,
    path BLOB NOT NULL,
    label TEXT,
    blob_id BLOB NOT NULL,
    pinned_at INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (clone, source_id)
) STRICT, WITHOUT ROWID;

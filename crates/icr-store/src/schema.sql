-- Numbers given out (`next_*`) and the garbage collection generation.
CREATE TABLE numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

-- How the rows of one language were made; `recipe_no` stands for all of it in `blobs`.
CREATE TABLE recipes (
    recipe_no INTEGER PRIMARY KEY,
    language TEXT NOT NULL,
    facts BLOB NOT NULL,
    postings BLOB NOT NULL,
    used_at INTEGER NOT NULL,
    UNIQUE (language, facts, postings)
);

-- A row says that facts and postings of the blob are complete. `content`: 0 text, 1 binary, 2 above the size limit.
CREATE TABLE blobs (
    blob_no INTEGER PRIMARY KEY,
    blob_id BLOB NOT NULL,
    recipe_no INTEGER NOT NULL,
    content INTEGER NOT NULL,
    bytes_total INTEGER NOT NULL,
    lines_total INTEGER NOT NULL,
    chunk_first INTEGER NOT NULL,
    chunk_count INTEGER NOT NULL,
    tokens_body INTEGER NOT NULL,
    tokens_def INTEGER NOT NULL,
    tokens_doc INTEGER NOT NULL
);
CREATE UNIQUE INDEX blobs_by_id ON blobs (blob_id, recipe_no);
-- From a chunk to the blob that holds it.
CREATE INDEX blobs_by_chunk ON blobs (chunk_first) WHERE chunk_count > 0;

CREATE TABLE facts (blob_no INTEGER PRIMARY KEY, bytes BLOB NOT NULL);

CREATE TABLE paths (path_no INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, tokens INTEGER NOT NULL);

-- One row per published tree and shape (membership rules and recipes); worktrees at one tree share it.
CREATE TABLE views (
    tree_id BLOB NOT NULL,
    shape BLOB NOT NULL,
    commit_id BLOB,
    committer_time INTEGER,
    manifest BLOB NOT NULL,
    live_chunks BLOB NOT NULL,
    totals BLOB NOT NULL,
    used_at INTEGER NOT NULL,
    PRIMARY KEY (tree_id, shape)
);

-- The tree that each worktree (or bare repository) published last.
CREATE TABLE worktrees (path BLOB PRIMARY KEY, tree_id BLOB NOT NULL, shape BLOB NOT NULL, published_at INTEGER NOT NULL) WITHOUT ROWID;

-- Clones that use this store, by the path of their common git directory.
CREATE TABLE clones (common_dir BLOB PRIMARY KEY, seen_at INTEGER NOT NULL) WITHOUT ROWID;

-- What commits are and did: immutable, but for `history_known`. That is a number n: the newest n commits (merges apart)
-- from here on are all listed, and the merges between them. `parents` are ids in a row; a walk reads a row for each commit, so
-- that texts lie elsewhere.
CREATE TABLE commits (
    commit_id BLOB PRIMARY KEY,
    committer_time INTEGER NOT NULL,
    author_time INTEGER NOT NULL,
    history_known INTEGER NOT NULL,
    parents BLOB NOT NULL,
    changes BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE messages (commit_id BLOB PRIMARY KEY, text BLOB NOT NULL) WITHOUT ROWID;

-- How probabilities are made and which of them warn, worked out from the history of a commit by a rule (a digest of all that
-- shapes it). Without a threshold the history is too short for one.
CREATE TABLE calibrations (
    anchor BLOB NOT NULL,
    rule BLOB NOT NULL,
    threshold REAL,
    false_alarms REAL NOT NULL,
    precision REAL,
    recall REAL,
    commits INTEGER NOT NULL,
    scale REAL NOT NULL,
    shift REAL NOT NULL,
    PRIMARY KEY (anchor, rule)
) WITHOUT ROWID;

-- Times are milliseconds since 1970. `version` counts the changes of a row that a user can see; the log of operations compares it.
PRAGMA application_id = 0x6963726d;

CREATE TABLE memories (
    -- Order of storing; neighbours of a conversation have neighbouring numbers.
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    -- Id of a repository; empty for no project.
    project TEXT NOT NULL,
    topic TEXT NOT NULL,
    summary TEXT NOT NULL,
    raw_excerpt TEXT,
    -- JSON list of words.
    keywords TEXT NOT NULL,
    -- 0 low, 1 medium, 2 high, 3 critical.
    importance INTEGER NOT NULL,
    source TEXT NOT NULL,
    author TEXT NOT NULL,
    kind TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    accessed_at INTEGER NOT NULL,
    access_count INTEGER NOT NULL,
    weight REAL NOT NULL,
    weight_at INTEGER NOT NULL,
    expires_at INTEGER,
    superseded_by TEXT,
    -- JSON list of ids.
    related TEXT NOT NULL,
    -- JSON; see CodeBinding.
    code TEXT,
    -- Digest of topic and normalised summary.
    exact_key BLOB NOT NULL,
    -- What it is found by: the words of topic, keywords, summary and excerpt, with spaces between.
    terms TEXT NOT NULL,
    version INTEGER NOT NULL
);
CREATE INDEX memories_by_topic ON memories (project, topic, no);
CREATE INDEX memories_by_text ON memories (exact_key);

-- Min-hash keys of a summary: near duplicates share one.
CREATE TABLE near_keys (
    key INTEGER NOT NULL,
    no INTEGER NOT NULL,
    PRIMARY KEY (key, no)
) WITHOUT ROWID;

-- Places in code that memories are about; made from the code of a row. The symbol is empty for a file as a whole.
CREATE TABLE places (
    path TEXT NOT NULL,
    symbol TEXT NOT NULL,
    no INTEGER NOT NULL,
    PRIMARY KEY (path, symbol, no)
) WITHOUT ROWID;
CREATE INDEX places_by_memory ON places (no);

CREATE TABLE memoirs (
    -- Never given twice, so that a row that was removed can be put back with its number.
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    consolidation_threshold INTEGER NOT NULL DEFAULT 50,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL
);

CREATE TABLE concepts (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    memoir_id TEXT NOT NULL REFERENCES memoirs (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    definition TEXT NOT NULL,
    -- JSON list of `namespace:value` or plain words.
    labels TEXT NOT NULL,
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    revision INTEGER NOT NULL,
    -- JSON list of ids of memories.
    sources TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    UNIQUE (memoir_id, name)
);

CREATE TABLE links (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    source_id TEXT NOT NULL REFERENCES concepts (id) ON DELETE CASCADE,
    target_id TEXT NOT NULL REFERENCES concepts (id) ON DELETE CASCADE,
    relation TEXT NOT NULL CHECK (relation IN ('part_of', 'depends_on', 'related_to', 'contradicts', 'refines', 'alternative_to',
        'caused_by', 'instance_of', 'superseded_by')),
    weight REAL NOT NULL,
    created_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    CHECK (source_id <> target_id),
    UNIQUE (source_id, target_id, relation)
);
CREATE INDEX links_by_target ON links (target_id);

CREATE VIRTUAL TABLE concepts_fts USING fts5 (name, definition, labels, content = 'concepts', content_rowid = 'no',
    tokenize = 'porter unicode61 remove_diacritics 2');
CREATE TRIGGER concepts_inserted AFTER INSERT ON concepts BEGIN
    INSERT INTO concepts_fts (rowid, name, definition, labels) VALUES (new.no, new.name, new.definition, new.labels);
END;
CREATE TRIGGER concepts_deleted AFTER DELETE ON concepts BEGIN
    INSERT INTO concepts_fts (concepts_fts, rowid, name, definition, labels)
        VALUES ('delete', old.no, old.name, old.definition, old.labels);
END;
CREATE TRIGGER concepts_updated AFTER UPDATE OF no, name, definition, labels ON concepts BEGIN
    INSERT INTO concepts_fts (concepts_fts, rowid, name, definition, labels)
        VALUES ('delete', old.no, old.name, old.definition, old.labels);
    INSERT INTO concepts_fts (rowid, name, definition, labels) VALUES (new.no, new.name, new.definition, new.labels);
END;

-- What was done, so that it can be undone. `undone_by` is the operation that undid it.
CREATE TABLE operations (
    no INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    author TEXT NOT NULL,
    project TEXT NOT NULL,
    undone_by INTEGER
);

-- The rows that an operation changed: what each was before (JSON; none for a new one), and its version after (none for one that is gone).
CREATE TABLE changes (
    operation INTEGER NOT NULL REFERENCES operations (no),
    entity TEXT NOT NULL,
    id TEXT NOT NULL,
    before TEXT,
    version_after INTEGER,
    PRIMARY KEY (operation, entity, id)
) WITHOUT ROWID;
CREATE INDEX changes_by_record ON changes (entity, id);

-- Records that were forgotten, so that merging another database does not bring them back.
CREATE TABLE tombstones (
    entity TEXT NOT NULL,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (entity, id)
) WITHOUT ROWID;

-- What is known about the database itself.
CREATE TABLE properties (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Rows by their terms. Which rows have a term is all that is asked of it: scores are worked out from the terms of a row.
CREATE VIRTUAL TABLE memories_fts USING fts5 (terms, content = 'memories', content_rowid = 'no', detail = none, columnsize = 0,
    tokenize = "ascii tokenchars '_'");
CREATE TRIGGER memories_inserted AFTER INSERT ON memories BEGIN
    INSERT INTO memories_fts (rowid, terms) VALUES (new.no, new.terms);
END;
CREATE TRIGGER memories_deleted AFTER DELETE ON memories BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, terms) VALUES ('delete', old.no, old.terms);
END;
CREATE TRIGGER memories_updated AFTER UPDATE OF no, terms ON memories BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, terms) VALUES ('delete', old.no, old.terms);
    INSERT INTO memories_fts (rowid, terms) VALUES (new.no, new.terms);
END;

-- Spaces of vectors, by the name of the model; those of a model that is not used now are kept.
CREATE TABLE spaces (
    no INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL
);

-- Vectors of memories: a scale (little-endian 32-bit float), then a signed byte for each component. `change` grows with every write, so that
-- who holds some can tell which are new.
CREATE TABLE vectors (
    change INTEGER PRIMARY KEY AUTOINCREMENT,
    space INTEGER NOT NULL,
    no INTEGER NOT NULL,
    row BLOB NOT NULL,
    UNIQUE (no, space)
);

-- Memories that a topic counts are counted without reading them.
DROP INDEX memories_by_topic;
CREATE INDEX memories_by_topic ON memories (project, topic, superseded_by, no);

-- Keys of near duplicates begin with the topic now. Those of memories that were stored before are gone: they are kept apart from what is
-- stored from now on.
DELETE FROM near_keys;

-- Memories that a topic counts are counted without reading them.
DROP INDEX memories_by_topic;
CREATE INDEX memories_by_topic ON memories (project, topic, superseded_by, no);

-- Keys of near duplicates begin with the topic now; those of the rows that are there are made anew after this step.
DELETE FROM near_keys;

-- When a record had last changed, as who forgot it knew it.
ALTER TABLE tombstones ADD COLUMN seen INTEGER;

-- How much a pin counts beside others, 1 to 10: those of high priority stand first in packs. 5 is the one of pins that were set before there
-- were any. The log keeps what a pin had; a row without one is from before, or had no pin.
ALTER TABLE pins ADD COLUMN priority INTEGER NOT NULL DEFAULT 5 CHECK (priority BETWEEN 1 AND 10);
ALTER TABLE pin_operations ADD COLUMN priority INTEGER;

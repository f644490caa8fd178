-- From here on `clone` is the id that a clone has in its git directory, 16 hexadecimal digits; where none can be recorded, the
-- path of the git directory as before. No row changes here: which id belongs to a path stands in the git directory, so the pins
-- of a clone get its id when they are next read or written. A program that knows paths alone would miss those, and leaves a
-- database of this version alone.
UPDATE pins SET clone = clone WHERE FALSE;

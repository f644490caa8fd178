//! Chunk vectors: write, nearest under a live set.

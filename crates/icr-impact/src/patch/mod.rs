//! Unified diffs as git writes them: reading them, and applying them to contents.

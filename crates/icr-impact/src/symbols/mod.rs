//! Which definitions a change changed, and how.

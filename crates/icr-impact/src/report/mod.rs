//! One impact, in the formats that people and programs read.

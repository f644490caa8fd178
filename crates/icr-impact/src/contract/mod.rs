//! What a changed definition breaks for those who use it: reviewed classes, each with its severity.

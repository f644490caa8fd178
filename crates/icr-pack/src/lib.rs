//! Chooses and lays out spans under a token budget. Pure.

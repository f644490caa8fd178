//! How much is done, and what is left alone.

mod identity;
mod lines;
mod untouched;
mod warm;
mod work;

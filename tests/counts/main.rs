//! How much is done, and what is left alone.

mod identity;
mod untouched;
mod warm;
mod work;

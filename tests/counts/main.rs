//! How much work icr does, and what it leaves untouched.

mod identity;
mod lines;
mod untouched;
mod warm;
mod work;

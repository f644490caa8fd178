//! An empty store for the tests of this crate.

use icr_model::Recipe;
use tempfile::TempDir;

use crate::{RepositoryPlace, StorePlace};

/// An empty store in a home of its own, which is deleted with the first value.
pub(crate) fn store() -> (TempDir, StorePlace) {
    let home = tempfile::tempdir().unwrap();
    let place = RepositoryPlace::new(home.path(), "0123456789abcdef").store(Recipe(7));
    place.create().unwrap();
    (home, place)
}

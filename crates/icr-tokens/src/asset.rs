//! Checks generated assets in tests. `ICR_WRITE_ASSETS=1 cargo test -p icr-tokens table` writes them instead.

use std::path::Path;

/// Asserts that `asset`, which is compiled into the program, equals `right`. If `ICR_WRITE_ASSETS` is set, writes the
/// file instead.
#[track_caller]
pub(crate) fn check(name: &str, right: &[u8], asset: &[u8]) {
    #[expect(clippy::disallowed_methods, reason = "the environment says that assets are to be written")]
    let is_written = std::env::var_os("ICR_WRITE_ASSETS").is_some();
    if is_written {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name);
        std::fs::write(file, right).expect("the asset can be written");
        return;
    }
    assert!(right == asset, "assets/{name} is not what its sources give; see asset.rs for how to write it");
}

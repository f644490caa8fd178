//! Keys under which an import statement can be found from the module it might name.

/// The key of imports that name a parent directory and nothing in it (`..`, `../..`).
const RELATIVE_PARENT: &str = "relative-parent";

/// Keys of an import specifier: the specifier as written, its last two segments joined by `/`, its last segment, and
/// `relative-parent` for `..`-like ones. Segments are what stands between `/`, `\`, `.` and `::`. Distinct, sorted.
pub fn import_keys(specifier: &str) -> Vec<String> {
    let segments: Vec<&str> = specifier.split(['/', '\\', '.', ':']).filter(|segment| !segment.is_empty()).collect();
    let mut keys = vec![specifier.to_owned()];
    match segments.as_slice() {
        [] if specifier.contains("..") => keys.push(RELATIVE_PARENT.to_owned()),
        [] => {}
        [only] => keys.push((*only).to_owned()),
        [.., second, last] => {
            keys.push((*last).to_owned());
            keys.push(format!("{second}/{last}"));
        }
    }
    keys.retain(|key| !key.is_empty());
    keys.sort();
    keys.dedup();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_segments_are_keys_in_every_notation() {
        for (specifier, keys) in [
            ("std::fs::File", &["File", "fs/File", "std::fs::File"][..]),
            ("./lib/open.js", &["./lib/open.js", "js", "open/js"]),
            ("..pkg.mod", &["..pkg.mod", "mod", "pkg/mod"]),
            ("../..", &["../..", "relative-parent"]),
            ("os", &["os"]),
            ("", &[]),
        ] {
            assert_eq!(import_keys(specifier), keys, "{specifier}");
        }
    }
}

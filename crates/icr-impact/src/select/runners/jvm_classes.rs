//! Where the class of a file stands, by the layout that Maven, Gradle and sbt share.

use super::project::is_identifier;

/// A class of `src/<set>/<language>/<package>/<class>`.
pub(super) struct JvmClass<'a> {
    /// Source set: `test`, `integrationTest`.
    pub(super) set: &'a str,
    /// Name of the class: that of the file.
    pub(super) name: &'a str,
    /// Name with those of the packages, joined by dots.
    pub(super) qualified: String,
}

impl<'a> JvmClass<'a> {
    /// The class of a path relative to its module. `None` in another layout, and for names that are none of a class.
    pub(super) fn of(path: &'a str) -> Option<Self> {
        let mut parts = path.strip_prefix("src/")?.split('/');
        let (set, _language) = (parts.next()?, parts.next()?);
        let names: Vec<&str> = parts.collect();
        let (file, packages) = names.split_last()?;
        let name = file.split_once('.')?.0;
        if !packages.iter().chain([&name]).all(|name| is_identifier(name)) {
            return None;
        }
        let qualified = packages.iter().chain([&name]).copied().collect::<Vec<_>>().join(".");
        Some(Self { set, name, qualified })
    }
}

/// Ends of the names of files with classes.
pub(super) const ENDINGS: &[&str] = &[".groovy", ".java", ".kt", ".scala"];

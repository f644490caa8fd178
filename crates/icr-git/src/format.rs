//! Repository formats, which are checked before anything else is read.

use std::path::Path;

/// Extensions that do not concern a reader, or that gix supports. All others must be refused, as git's
/// repository-version document demands. Sorted, in lower case.
const EXTENSIONS: [&str; 7] =
    ["noop", "noop-v1", "objectformat", "partialclone", "preciousobjects", "relativeworktrees", "worktreeconfig"];

/// The first setting of the format that icr cannot read, as `key=value`; `None` if icr can read the repository.
pub(crate) fn unreadable(config: &gix::config::File) -> Option<String> {
    let version = config.integer("core.repositoryFormatVersion").ok().flatten().unwrap_or(0);
    if !(0..=1).contains(&version) {
        return Some(format!("core.repositoryFormatVersion={version}"));
    }
    for section in config.sections_by_name("extensions")? {
        for name in section.value_names() {
            let value = section.value(&name).map(|value| value.to_string()).unwrap_or_default();
            let is_readable = match name.to_lowercase().as_str() {
                "refstorage" => value == "files",
                // Version 0 is older than extensions. Git honours some of them there and ignores the others.
                name => version == 0 || EXTENSIONS.binary_search(&name).is_ok(),
            };
            if !is_readable {
                return Some(format!("extensions.{name}={value}"));
            }
        }
    }
    None
}

/// Like [`unreadable`], for the repository that holds `start`, after gix could not open it.
pub(crate) fn unreadable_at(start: &Path) -> Option<String> {
    let (found, _) = gix::discover::upwards(start).ok()?;
    let (git_dir, _) = found.into_repository_and_work_tree_directories();
    let common_dir = std::fs::read_to_string(git_dir.join("commondir"));
    let common_dir = common_dir.map(|path| git_dir.join(path.trim_end())).unwrap_or(git_dir);
    let config = gix::config::File::from_path_no_includes(common_dir.join("config"), gix::config::Source::Local);
    unreadable(&config.ok()?)
}

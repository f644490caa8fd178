//! The commands of the project, from the manifests of the view.

use crate::project_commands::{ProjectCommands, detect, is_foreign, manifests};
use crate::{Error, Snapshot};

/// Deepest directory of a manifest that is read: deeper ones belong to parts that outer manifests cover, or to
/// fixtures.
const DEEPEST: usize = 3;

/// Most manifests that are read; the first ones of a monorepo say how it is built.
const MOST: usize = 200;

/// How the project is built, tested, linted, formatted and run, by the manifests in its root and a few directories below.
///
/// Cost: a pass over the paths of the view, and the texts of 200 manifests at most.
///
/// # Errors
///
/// Those of reading the store and the contents.
pub fn project_commands(snapshot: &Snapshot) -> Result<ProjectCommands, Error> {
    Ok(detect(&texts_of_manifests(snapshot, manifests())?))
}

/// Path and content of the files with one of `names` (`name`, `directory/name`, `*.extension`) in the root or a few
/// directories below: outer files first, then by path. Files of foreign code are left out, because they would displace
/// those of the project.
fn texts_of_manifests(snapshot: &Snapshot, names: &[&str]) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let depth = |path: &str| path.matches('/').count();
    let mut named: Vec<_> = Vec::new();
    for file in snapshot.view.files()? {
        let is_read = |path: &&str| depth(path) <= DEEPEST && is_named(path, names) && !is_foreign(path);
        let path = file.path.as_str().filter(is_read);
        if let Some(path) = path.map(str::to_owned) {
            named.push((depth(&path), path, file));
        }
    }
    named.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let mut texts = snapshot.view.texts();
    let mut found = Vec::new();
    for (_, path, file) in named.into_iter().take(MOST) {
        let mut content = Vec::new();
        texts.read(&file.row, &mut content)?;
        found.push((path, content));
    }
    Ok(found)
}

fn is_named(path: &str, names: &[&str]) -> bool {
    names.iter().any(|name| match name.strip_prefix('*') {
        Some(end) => path.ends_with(end),
        None => path.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/')),
    })
}

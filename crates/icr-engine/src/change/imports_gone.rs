//! Files that are no longer where others import them from, although their definitions may still be found by name.

use std::collections::BTreeSet;
use std::path::Path;

use icr_impact::contract::{Categories, ContractChangeClass};
use icr_impact::{BrokenUse, ContractChange, Effect};
use icr_model::RepoPath;

use crate::Error;
use crate::change::dependents::lost_imports;
use crate::change::sides::{FilePair, ViewChange};
use crate::change::uses::UseFinder;

/// A row for each moved or deleted file that other files still import from its old place, or whose PHP class they use
/// though no rule finds it any more, and these files. Imports at `shown`, which other rows show already, are left out.
///
/// An import that resolves to nothing is a break. One that now counts as external may be taken from a package instead.
///
/// Cost: for each such file, the imports of its importers on both sides.
pub(crate) fn imports_gone(
    change: &ViewChange<'_>,
    finder: &UseFinder<'_>,
    categories: Categories,
    shown: &BTreeSet<(String, u32)>,
) -> Result<(Vec<ContractChange>, BTreeSet<String>), Error> {
    let (mut rows, mut affected) = (Vec::new(), BTreeSet::new());
    if change.is_whole_files {
        return Ok((rows, affected));
    }
    for file in &change.files {
        let Some(old) = file.old.as_ref().filter(|old| file.new.as_ref() != Some(*old)) else { continue };
        let class = if file.new.is_some() { ContractChangeClass::MOVED } else { ContractChangeClass::REMOVED };
        if file.opaque.is_some() || !categories.has(class.category()) {
            continue;
        }
        let class_users = users_of_lost_class(change, file, old)?;
        let importers = change.old.graph()?.importers(old)?;
        let (mut uses, mut losers) = (BTreeSet::new(), BTreeSet::new());
        for importer in &importers {
            let Some(path) = finder.after(importer) else { continue };
            let lost = lost_imports(change, importer, &path, old)?;
            if lost.is_empty() {
                continue;
            }
            let unresolved = change.new.graph()?.imports(&path)?.unresolved;
            for import in lost {
                if shown.contains(&(path.to_string(), import.line)) {
                    continue;
                }
                losers.insert(path.to_string());
                if unresolved.iter().any(|other| other.specifier == import.specifier) {
                    let reason = format!("`{old}` is not there any more");
                    let place = finder.broken_use_at(&path, import.line)?;
                    uses.extend(place.map(|place| BrokenUse { reason, ..place }));
                }
            }
        }
        let is_class_lost = !class_users.is_empty();
        losers.extend(class_users);
        if !losers.is_empty() {
            let mut gone = row(file, old, class, (importers.len().max(losers.len()), losers.len()), uses);
            if is_class_lost {
                gone.detail.push_str(", where no PSR-4 or PSR-0 rule of `composer.json` looks for its class");
            }
            rows.push(gone);
            affected.extend(losers);
        }
    }
    Ok((rows, affected))
}

/// Files that use a PHP class whose file left its autoload path; empty if it did not.
fn users_of_lost_class(change: &ViewChange<'_>, file: &FilePair, old: &RepoPath) -> Result<BTreeSet<String>, Error> {
    let Some(new) = file.new.as_ref() else { return Ok(BTreeSet::new()) };
    let is_lost =
        change.old.graph()?.is_autoloaded(old)? == Some(true) && change.new.graph()?.is_autoloaded(new)? == Some(false);
    let Some(class) = new.as_str().and_then(|path| Path::new(path).file_stem()?.to_str()).filter(|_| is_lost) else {
        return Ok(BTreeSet::new());
    };
    let referring = change.new.graph()?.referring(new, class, None)?;
    let others = referring.iter().map(|user| &user.path).filter(|path| *path != new);
    Ok(others.map(ToString::to_string).collect())
}

/// The row for a file that was at `old`, with the number of its users before the change and of those that still look
/// for it there.
fn row(
    file: &FilePair,
    old: &RepoPath,
    class: ContractChangeClass,
    (importers, losers): (usize, usize),
    uses: BTreeSet<BrokenUse>,
) -> ContractChange {
    ContractChange {
        path: file.path().to_string(),
        symbol: String::from_utf8_lossy(old.file_name()).into_owned(),
        class: class.name(),
        detail: match &file.new {
            Some(new) => format!("the file moved from `{old}` to `{new}`"),
            None => format!("the file `{old}` was deleted"),
        },
        severity: class.severity(),
        exported: true,
        line: 1,
        consumers: importers as u32,
        consumers_untouched: losers as u32,
        own_references: 0,
        declared_at: None,
        lacked_by: Vec::new(),
        effect: if uses.is_empty() { Effect::MayBreak } else { Effect::Breaks },
        uses: uses.into_iter().take(BrokenUse::MOST).collect(),
        accepted: None,
    }
}

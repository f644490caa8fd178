//! Files that are no longer where others import them from, although their definitions may still be found by name.

use std::collections::BTreeSet;

use icr_impact::contract::{Categories, ContractChangeClass};
use icr_impact::{BrokenUse, ContractChange, Effect};
use icr_model::RepoPath;

use crate::Error;
use crate::change::dependents::lost_imports;
use crate::change::sides::{FilePair, ViewChange};
use crate::change::uses::UseFinder;

/// A row for each moved or deleted file that another file still imports from its old place, and the importers. A file
/// of `explained` is left out, because a row about one of its definitions shows the same imports.
///
/// Cost: for each such file, the imports of its importers on both sides.
pub(crate) fn imports_gone(
    change: &ViewChange<'_>,
    finder: &UseFinder<'_>,
    categories: Categories,
    explained: &BTreeSet<String>,
) -> Result<(Vec<ContractChange>, BTreeSet<String>), Error> {
    let (mut rows, mut affected) = (Vec::new(), BTreeSet::new());
    for file in &change.files {
        let Some(old) = file.old.as_ref().filter(|old| file.new.as_ref() != Some(*old)) else { continue };
        let class = if file.new.is_some() { ContractChangeClass::MOVED } else { ContractChangeClass::REMOVED };
        let is_reported = file.opaque.is_some() || explained.contains(&file.path().to_string());
        if change.is_whole_files || is_reported || !categories.has(class.category()) {
            continue;
        }
        let mut uses = BTreeSet::new();
        let importers = change.old.graph()?.importers(old)?;
        for importer in &importers {
            let Some(now) = finder.after(importer) else { continue };
            for import in lost_imports(change, importer, &now, old)? {
                let reason = format!("`{old}` is not there any more");
                uses.extend(finder.broken_use_at(&now, import.line)?.map(|place| BrokenUse { reason, ..place }));
            }
        }
        if !uses.is_empty() {
            affected.extend(uses.iter().map(|broken| broken.path.clone()));
            rows.push(row(file, old, class, importers.len(), uses));
        }
    }
    Ok((rows, affected))
}

fn row(
    file: &FilePair,
    old: &RepoPath,
    class: ContractChangeClass,
    importers: usize,
    uses: BTreeSet<BrokenUse>,
) -> ContractChange {
    let untouched = uses.iter().map(|broken| broken.path.as_str()).collect::<BTreeSet<_>>().len();
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
        consumers_untouched: untouched as u32,
        effect: Effect::Breaks,
        uses: uses.into_iter().take(BrokenUse::MOST).collect(),
        accepted: None,
    }
}

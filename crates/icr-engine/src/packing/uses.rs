//! Lists every use of what a task names, for tasks that ask for uses: a search shows only the best places, but a
//! question for callers wants all.

use icr_pack::{asks_for_uses, named_in};
use icr_tokens::model_tokens;

use crate::references::{ReferencePlace, ReferencesRequest, add_uses, references};
use crate::{Error, Snapshot};

/// Definitions of which uses are listed.
const NAMES: usize = 3;

/// Lines of a file whose text is shown.
const LINES_SHOWN: usize = 30;

/// Share of the budget that the list may take: the code of the best places is wanted too.
const SHARE: f64 = 0.5;

/// The list for `task`, within its share of `budget_tokens`; `None` where the task does not ask for uses, or names nothing that the view
/// defines.
///
/// Cost: as of [`references`] for each name, and a read of each file that uses it.
///
/// # Errors
///
/// Those of reading the store.
pub(super) fn uses(snapshot: &Snapshot, task: &str, budget_tokens: u32) -> Result<Option<String>, Error> {
    if !asks_for_uses(task) {
        return Ok(None);
    }
    let room = (f64::from(budget_tokens) * SHARE) as u32;
    let mut list = String::new();
    for name in named_in(task).into_iter().take(NAMES) {
        let request = ReferencesRequest { symbol: name.clone(), ..ReferencesRequest::default() };
        let mut found = match references(snapshot, &request) {
            Ok(found) => found,
            // The word is no definition, or one with too many definitions.
            Err(Error::NoDefinition { .. } | Error::Bounds { .. } | Error::TooManyDefiners { .. }) => continue,
            Err(error) => return Err(error),
        };
        if found.references.is_empty() {
            continue;
        }
        add_uses(snapshot, &mut found.references, LINES_SHOWN)?;
        list.push_str(&format_uses(&name, &found.references, room.saturating_sub(model_tokens(list.as_bytes()))));
    }
    Ok(Some(list).filter(|list| !list.is_empty()))
}

/// Share of a reference above which the definition is more likely meant than another one.
const LIKELY: f64 = 0.5;

/// The uses of one definition as Markdown: with their text if that fits, else with their line numbers, else for as many
/// files as fit. Mentions that more likely mean something else are only counted, unless there are no others.
fn format_uses(name: &str, places: &[ReferencePlace], room: u32) -> String {
    let (sure, doubtful): (Vec<&ReferencePlace>, Vec<&ReferencePlace>) =
        places.iter().partition(|place| place.share > LIKELY);
    let count = |places: &[&ReferencePlace]| {
        let total: u32 = places.iter().map(|place| place.count).sum();
        let files = if places.len() == 1 { "1 file".to_owned() } else { format!("{} files", places.len()) };
        format!("{total} in {files}")
    };
    let (title, places) = match (sure.is_empty(), doubtful.is_empty()) {
        (true, _) => (format!("## Possible uses of `{name}`: {}\n", count(&doubtful)), doubtful),
        (false, true) => (format!("## Uses of `{name}`: {}\n", count(&sure)), sure),
        (false, false) => {
            let others = count(&doubtful);
            (format!("## Uses of `{name}`: {}, and perhaps {others} more\n", count(&sure)), sure)
        }
    };
    let fits = |text: &String| model_tokens(text.as_bytes()) <= room;
    let with_text: String = places.iter().map(|place| in_file(place, true)).collect();
    let whole = format!("{title}{with_text}\n");
    if fits(&whole) {
        return whole;
    }
    let mut shown = title.clone();
    for (at, place) in places.iter().enumerate() {
        let next = format!("{shown}{}", in_file(place, false));
        let rest = format!("and {} more files; `icr refs` and project_references list them\n\n", places.len() - at);
        if !fits(&format!("{next}{rest}")) {
            return if at == 0 { String::new() } else { format!("{shown}{rest}") };
        }
        shown = next;
    }
    format!("{shown}\n")
}

fn in_file(place: &ReferencePlace, with_text: bool) -> String {
    if !with_text {
        let lines: Vec<String> = place.lines.iter().map(u32::to_string).collect();
        return format!("- {}:{}\n", place.path, lines.join(","));
    }
    let line = |number: &u32| {
        let used = place.uses.iter().find(|used| used.line == *number);
        let within =
            used.and_then(|used| used.within.as_deref()).map(|within| format!(" in {within}")).unwrap_or_default();
        let text = used.map(|used| format!(": `{}`", used.text.replace('`', "'"))).unwrap_or_default();
        format!("- {}:{number}{within}{text}\n", place.path)
    };
    place.lines.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, share: f64) -> ReferencePlace {
        ReferencePlace { path: path.to_owned(), count: 1, lines: vec![3], share, uses: Vec::new() }
    }

    #[test]
    fn mentions_that_may_mean_something_else_are_counted_apart() {
        let both = format_uses("A.b", &[place("a.py", 1.0), place("b.py", 0.25), place("c.py", 0.25)], 1_000);
        assert_eq!(both, "## Uses of `A.b`: 1 in 1 file, and perhaps 2 in 2 files more\n- a.py:3\n\n");
        let doubtful = format_uses("A.b", &[place("b.py", 0.25)], 1_000);
        assert_eq!(doubtful, "## Possible uses of `A.b`: 1 in 1 file\n- b.py:3\n\n");
        let sure = format_uses("A.b", &[place("a.py", 1.0)], 1_000);
        assert_eq!(sure, "## Uses of `A.b`: 1 in 1 file\n- a.py:3\n\n");
    }
}

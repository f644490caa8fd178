//! Lists every use of what a task names, for tasks that ask for uses: a search shows only the best places, but a
//! question for callers wants all.

use icr_pack::{asks_for_uses, named_in};
use icr_tokens::model_tokens;

use crate::references::{ReferencePlace, References, ReferencesRequest, add_uses, references};
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
        let Some((name, mut found)) = references_to(snapshot, task, name)? else { continue };
        add_uses(snapshot, &found.symbol, &mut found.references, LINES_SHOWN)?;
        let room = room.saturating_sub(model_tokens(list.as_bytes()));
        list.push_str(&format_uses(&name, &found, room));
    }
    Ok(Some(list).filter(|list| !list.is_empty()))
}

/// The references to what a task names `name`, with the name; `None` if it is no definition, or one of too many. At the
/// end of a name, Ruby's `?` and `!` belong to it if there is such a definition.
fn references_to(snapshot: &Snapshot, task: &str, name: String) -> Result<Option<(String, References)>, Error> {
    let signed = ["!", "?"].map(|sign| format!("{name}{sign}"));
    for symbol in std::iter::once(name).chain(signed.into_iter().filter(|signed| task.contains(signed.as_str()))) {
        let request = ReferencesRequest { symbol: symbol.clone(), ..ReferencesRequest::default() };
        match references(snapshot, &request) {
            Ok(found) => return Ok(Some((symbol, found))),
            Err(
                Error::NoDefinition { .. }
                | Error::NoSuchMember(_)
                | Error::PathForSymbol { .. }
                | Error::Bounds { .. }
                | Error::TooManyDefiners { .. },
            ) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Share of a reference above which the definition is more likely meant than another one.
const LIKELY: f64 = 0.5;

/// The lines of one file that are listed.
struct ListedLines<'p> {
    place: &'p ReferencePlace,
    lines: Vec<u32>,
}

/// The uses of one definition as Markdown: with their text if that fits, else with their line numbers, else for as many
/// files as fit. Lines that are less sure than others of their file, and files that more likely mean something else, are only
/// counted, unless there are no others.
fn format_uses(name: &str, found: &References, room: u32) -> String {
    let (mut likely, mut doubtful) = (Vec::new(), Vec::new());
    for place in &found.references {
        let (sure, unsure) = match place.share > LIKELY {
            true => (place.surest().collect(), place.less_sure.clone()),
            false => (Vec::new(), place.lines.clone()),
        };
        likely.extend(Some(ListedLines { place, lines: sure }).filter(|listed| !listed.lines.is_empty()));
        doubtful.extend(Some(ListedLines { place, lines: unsure }).filter(|listed| !listed.lines.is_empty()));
    }
    let files = |count: u64| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let count = |listed: &[ListedLines<'_>]| {
        let total: usize = listed.iter().map(|listed| listed.lines.len()).sum();
        format!("{total} in {}", files(listed.len() as u64))
    };
    // These mention the name and are not known to mean the definition.
    let mentioned = match found.mentioned {
        0 => String::new(),
        mentioned => format!("; {} more with the name", files(mentioned)),
    };
    let (title, listed) = match (likely.is_empty(), doubtful.is_empty()) {
        (true, true) if found.mentioned == 0 => return String::new(),
        (true, true) => {
            let more = if found.mentioned > found.mentioned_in.len() as u64 { ", …" } else { "" };
            (format!("none known{mentioned}: {}{more}", found.mentioned_in.join(", ")), Vec::new())
        }
        (true, false) => (format!("perhaps {}{mentioned}", count(&doubtful)), doubtful),
        (false, true) => (format!("{}{mentioned}", count(&likely)), likely),
        (false, false) => (format!("{}, and perhaps {} more{mentioned}", count(&likely), count(&doubtful)), likely),
    };
    let title = format!("## Uses of `{name}`: {title}\n");
    let fits = |text: &String| model_tokens(text.as_bytes()) <= room;
    let with_text: String = listed.iter().map(|listed| in_file(listed, true)).collect();
    let whole = format!("{title}{with_text}\n");
    if fits(&whole) {
        return whole;
    }
    if listed.is_empty() {
        return String::new();
    }
    let mut shown = title.clone();
    for (at, file) in listed.iter().enumerate() {
        let next = format!("{shown}{}", in_file(file, false));
        let rest = format!("and {} more files; `icr refs` and project_references list them\n\n", listed.len() - at);
        if !fits(&format!("{next}{rest}")) {
            return if at == 0 { String::new() } else { format!("{shown}{rest}") };
        }
        shown = next;
    }
    format!("{shown}\n")
}

fn in_file(ListedLines { place, lines }: &ListedLines<'_>, with_text: bool) -> String {
    if !with_text {
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        return format!("- {}:{}\n", place.path, lines.join(","));
    }
    let line = |number: &u32| {
        let used = place.uses.iter().find(|used| used.line == *number);
        let within =
            used.and_then(|used| used.within.as_deref()).map(|within| format!(" in {within}")).unwrap_or_default();
        let text = used.map(|used| format!(": `{}`", used.text.replace('`', "'"))).unwrap_or_default();
        format!("- {}:{number}{within}{text}\n", place.path)
    };
    lines.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, share: f64) -> ReferencePlace {
        let (path, lines, less_sure) = (path.to_owned(), vec![3], Vec::new());
        ReferencePlace { path, count: 1, lines, share, less_sure, uses: Vec::new() }
    }

    fn format(references: Vec<ReferencePlace>, mentioned: u64) -> String {
        let found = References {
            symbol: "A.b".to_owned(),
            definitions: Vec::new(),
            references,
            mentioned,
            unread_in: Vec::new(),
            calls_only: false,
            inexact: false,
            inherited_from: Vec::new(),
            mentioned_in: vec!["z.py".to_owned()],
        };
        format_uses("A.b", &found, 1_000)
    }

    #[test]
    fn mentions_that_may_mean_something_else_are_counted_apart() {
        let both = format(vec![place("a.py", 1.0), place("b.py", 0.25), place("c.py", 0.25)], 0);
        assert_eq!(both, "## Uses of `A.b`: 1 in 1 file, and perhaps 2 in 2 files more\n- a.py:3\n\n");
        let doubtful = format(vec![place("b.py", 0.25)], 0);
        assert_eq!(doubtful, "## Uses of `A.b`: perhaps 1 in 1 file\n- b.py:3\n\n");
        let mixed = ReferencePlace { lines: vec![3, 7, 9], less_sure: vec![7, 9], ..place("a.py", 1.0) };
        let mixed = format(vec![mixed], 0);
        assert_eq!(mixed, "## Uses of `A.b`: 1 in 1 file, and perhaps 2 in 1 file more\n- a.py:3\n\n");
        let sure = format(vec![place("a.py", 1.0)], 1);
        assert_eq!(sure, "## Uses of `A.b`: 1 in 1 file; 1 file more with the name\n- a.py:3\n\n");
        assert_eq!(format(Vec::new(), 1), "## Uses of `A.b`: none known; 1 file more with the name: z.py\n\n");
        assert_eq!(format(Vec::new(), 0), "");
    }
}

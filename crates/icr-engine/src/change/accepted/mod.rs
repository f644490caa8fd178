//! Contract changes that a repository accepts, each with a reason: `[[impact.accept]]` in `.icr.toml`.
//!
//! The list before the change counts, so that a change cannot accept its own breaks.

mod entry;

use icr_impact::ContractChange;
use icr_model::RepoPath;
use toml::{Table, Value};

use crate::change::accepted::entry::Acceptance;
use crate::change::rules::RULE_FILES;
use crate::change::sides::{FilePair, ViewChange};
use crate::engine::committed;
use crate::{Error, Snapshot};

pub use entry::AcceptProblem;

/// The file that holds the list.
const FILE: &str = RULE_FILES[0];

/// Most notes of one kind; with more entries, the list has to be read anyway.
const NOTES_MOST: usize = 10;

/// Most entries of a list; the others accept nothing.
const ENTRIES_MOST: usize = 1_000;

/// Seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// The mistakes in `list`, the value of `impact.accept` in a project file; all other entries are valid.
pub fn accept_list_problems(list: &Value) -> Vec<AcceptProblem> {
    AcceptList::of(list).problems
}

/// Sets [`ContractChange::accepted`] of each of `rows` that an entry from before the change accepts. Returns notes
/// about entries that the change adds or alters, that have expired, and that are invalid and so accept nothing.
///
/// # Errors
///
/// Those of reading both sides.
pub(crate) fn accept(change: &ViewChange<'_>, rows: &mut [ContractChange]) -> Result<Vec<String>, Error> {
    let path = RepoPath::from(FILE);
    let was_there = change.files.iter().any(|file| file.old.as_ref() == Some(&path));
    let is_there = change.files.iter().any(|file| file.new.as_ref() == Some(&path));
    let is_altered = was_there || is_there;
    if rows.is_empty() && !is_altered {
        return Ok(Vec::new());
    }
    let before = AcceptList::read(text_of(change, &change.old, was_there || !is_altered)?);
    let over = before.accept(rows, &change.files, newest_day(change));
    let over =
        over.into_iter().map(|entry| format!("`{FILE}` accepted {entry} until {}, which is over", entry.expiry_date()));
    let mut notes = at_most(over.collect());
    let wrong =
        before.problems.iter().map(|problem| format!("`{FILE}` before this change: {problem}; it accepts nothing"));
    notes.extend(at_most(wrong.collect()));
    if is_altered {
        let after = AcceptList::read(text_of(change, &change.new, is_there)?);
        notes.extend(after.news_since(&before));
    }
    Ok(notes)
}

/// The project file on one side of the change; `None` if it does not exist there or may not be read. `may_be_there` is
/// false if the change says that the file does not exist there.
fn text_of(change: &ViewChange<'_>, side: &Snapshot, may_be_there: bool) -> Result<Option<Vec<u8>>, Error> {
    if !may_be_there {
        return Ok(None);
    }
    let committed = || committed(&side.context.foundation.repository, side.view.revision().tree, FILE);
    // Between commits, the trees have the file. Otherwise the view has it with uncommitted changes, unless a rule
    // leaves the file out; then the tree has its old content only if the change does not alter it.
    if change.sides.head_commit.is_some() {
        return committed();
    }
    let path = RepoPath::from(FILE);
    let is_altered =
        change.files.iter().any(|file| [&file.old, &file.new].into_iter().flatten().any(|side| *side == path));
    match side.view.text_at(&path)? {
        Some(text) => Ok(Some(text)),
        None if is_altered => Ok(None),
        None => committed(),
    }
}

/// The day of the newest commit of both sides, in days since 1970; "today" is never earlier than this. A change with an
/// old date cannot be older than the commit that it was made on.
fn newest_day(change: &ViewChange<'_>) -> Option<i64> {
    let head = change.sides.head_commit.as_ref().and_then(|_| change.new.view.revision().committer_time);
    let base = change.old.view.revision().committer_time;
    [head, base].into_iter().flatten().max().map(|time| time.div_euclid(DAY))
}

/// The first [`NOTES_MOST`] of `notes`, and a count of the rest.
fn at_most(mut notes: Vec<String>) -> Vec<String> {
    let more = notes.len().saturating_sub(NOTES_MOST);
    notes.truncate(NOTES_MOST);
    if more > 0 {
        notes.push(format!("`{FILE}`: {more} more like the one before"));
    }
    notes
}

/// The valid entries of a list, and the mistakes in the others.
#[derive(Debug, Default)]
struct AcceptList {
    entries: Vec<Acceptance>,
    problems: Vec<AcceptProblem>,
}

impl AcceptList {
    /// The list of a project file. A file that is not valid TOML accepts nothing; the error is reported where the
    /// configuration is read.
    fn read(text: Option<Vec<u8>>) -> Self {
        let text = text.and_then(|text| String::from_utf8(text).ok()).unwrap_or_default();
        let file: Table = toml::from_str(&text).unwrap_or_default();
        let list = file.get("impact").and_then(|impact| impact.get("accept"));
        list.map(Self::of).unwrap_or_default()
    }

    fn of(list: &Value) -> Self {
        let mut read = Self::default();
        let Some(rows) = list.as_array() else {
            read.problems.push(AcceptProblem::no_list(list));
            return read;
        };
        if rows.len() > ENTRIES_MOST {
            read.problems.push(AcceptProblem::too_long(rows.len(), ENTRIES_MOST));
        }
        for (entry, row) in (1..=ENTRIES_MOST).zip(rows) {
            match Acceptance::read(entry, row) {
                Ok(acceptance) => read.entries.push(acceptance),
                Err(problems) => read.problems.extend(problems),
            }
        }
        read
    }

    /// Gives each of `rows` the reason of the first entry that covers it. Returns the expired entries that would cover
    /// some row; `today` is in days since 1970.
    fn accept(&self, rows: &mut [ContractChange], files: &[FilePair], today: Option<i64>) -> Vec<&Acceptance> {
        let mut over = Vec::new();
        for entry in &self.entries {
            let Some(scope) = entry.scope() else { continue };
            let mut covered =
                rows.iter_mut().filter(|row| row.accepted.is_none() && scope.covers(row, files)).peekable();
            match today.is_some_and(|today| entry.is_over(today)) {
                true if covered.peek().is_some() => over.push(entry),
                true => {}
                false => covered.for_each(|row| row.accepted = Some(entry.reason.clone())),
            }
        }
        over
    }

    /// Notes about entries that come with the change itself, which count only for later changes.
    fn news_since(&self, before: &Self) -> Vec<String> {
        let added = self.entries.iter().filter(|entry| before.entries.iter().all(|known| known.row != entry.row));
        let added =
            added.map(|entry| format!("`{FILE}` of this change accepts {entry}: that holds from the next change on"));
        let wrong = self.problems.iter().filter(|problem| !before.problems.contains(problem));
        let wrong = wrong.map(|problem| format!("`{FILE}` of this change: {problem}; it will accept nothing"));
        [at_most(added.collect()), at_most(wrong.collect())].concat()
    }
}

#[cfg(test)]
mod tests {
    use icr_impact::contract::ContractChangeClass;
    use icr_impact::{Effect, FileStatus, Severity};

    use super::entry::day_number;
    use super::*;

    fn list(entries: &str) -> AcceptList {
        AcceptList::read(Some(entries.replace("[[accept]]", "[[impact.accept]]").into_bytes()))
    }

    fn row(path: &str, symbol: &str, class: ContractChangeClass) -> ContractChange {
        ContractChange {
            path: path.to_owned(),
            symbol: symbol.to_owned(),
            class: class.name(),
            detail: String::new(),
            severity: Severity::Breaking,
            exported: true,
            line: 1,
            consumers: 0,
            consumers_untouched: 0,
            own_references: 0,
            declared_at: None,
            lacked_by: Vec::new(),
            effect: Effect::Breaks,
            uses: Vec::new(),
            accepted: None,
        }
    }

    /// Which of four changes an entry with these fields and a reason accepts, by their symbols.
    #[track_caller]
    fn check(fields: &str, expected: &[&str]) {
        let moved = FilePair {
            old: Some("old/d.rs".into()),
            new: Some("new/d.rs".into()),
            status: FileStatus::Renamed,
            opaque: None,
        };
        let mut rows = [
            row("src/a.rs", "Shape.area", ContractChangeClass::RENAMED),
            row("src/deep/b.rs", "Shape.width", ContractChangeClass::REMOVED),
            row("src/c.rs", "operator[]", ContractChangeClass::MOVED),
            row("new/d.rs", "house", ContractChangeClass::MOVED),
        ];
        let list = list(&format!("[[accept]]\n{fields}\nreason = \"planned\"\n"));
        assert!(list.problems.is_empty(), "{fields}: {:?}", list.problems);
        assert_eq!(list.accept(&mut rows, &[moved], None).len(), 0);
        let accepted = rows.iter().filter(|row| row.accepted.as_deref() == Some("planned"));
        assert_eq!(accepted.map(|row| row.symbol.as_str()).collect::<Vec<_>>(), expected, "{fields}");
    }

    #[test]
    fn an_entry_accepts_what_all_of_its_fields_name() {
        check("path = 'src/**'", &["Shape.area", "Shape.width", "operator[]"]);
        check("path = 'src/*.rs'", &["Shape.area", "operator[]"]);
        check("path = 'old/d.rs'", &["house"]);
        check("symbol = 'Shape.area'", &["Shape.area"]);
        check("symbol = 'Shape.*'", &["Shape.area", "Shape.width"]);
        check("symbol = '*'\nclass = 'moved'", &["operator[]", "house"]);
        check("symbol = 'operator[]'", &["operator[]"]);
        check("symbol = 'area'", &[]);
        check("path = 'src/a.rs'\nsymbol = 'Shape.*'", &["Shape.area"]);
        check("path = 'src/a.rs'\nclass = 'removed'", &[]);
    }

    #[test]
    fn the_first_entry_that_covers_a_change_gives_the_reason() {
        let list = list("[[accept]]\nsymbol='a'\nreason=' one '\n[[accept]]\nsymbol='*'\nreason='two'\n");
        let mut rows = [row("a.rs", "a", ContractChangeClass::MOVED), row("a.rs", "b", ContractChangeClass::MOVED)];
        list.accept(&mut rows, &[], None);
        assert_eq!(rows.map(|row| row.accepted.unwrap()), ["one", "two"]);
    }

    #[test]
    fn an_entry_holds_up_to_its_last_day() {
        for (until, today, is_over) in [
            ("'2027-01-31'", day_number("2027-01-31"), false),
            ("'2027-01-31'", day_number("2027-02-01"), true),
            ("2027-01-31", day_number("2027-02-01"), true),
            ("2027-01-31", None, false),
        ] {
            let list = list(&format!("[[accept]]\nsymbol = 'a'\nreason = 'b'\nuntil = {until}\n"));
            let mut rows = [row("a.rs", "a", ContractChangeClass::MOVED)];
            let over: Vec<String> = list.accept(&mut rows, &[], today).into_iter().map(ToString::to_string).collect();
            let expected: &[&str] = if is_over { &["`a`"] } else { &[] };
            assert_eq!(over, expected, "{until} {today:?}");
            assert_eq!(rows[0].accepted.is_none(), is_over, "{until} {today:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_by_entry_and_field_with_what_would_be_right() {
        let list = list(
            "[[accept]]\nsymbol = 'a'\n\
             [[accept]]\nreason = 'b'\n\
             [[accept]]\nsymbol = 'a'\nreason = ' '\nclass = 'renamde'\n\
             [[accept]]\npath = 'src/['\nreason = 'b'\nuntil = 'tomorrow'\n\
             [[accept]]\nsymbl = 'a'\npath = 3\nreason = 'b'\n\
             [[accept]]\nsymbol = 'right'\nreason = 'b'\n",
        );
        let problems: Vec<String> = list.problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            problems,
            [
                "entry 1 of `impact.accept`: `reason` is missing, expected why the change is accepted, in words",
                "entry 2 of `impact.accept` is for everything, expected a `path` or a `symbol` that says what it is for",
                "entry 3 of `impact.accept`: `class` is `renamde`, expected `renamed`",
                "entry 3 of `impact.accept`: `reason` is `\" \"`, expected why the change is accepted, in words",
                "entry 4 of `impact.accept`: `path` is `src/[`, expected a glob of paths such as `src/**/*.rs`",
                "entry 4 of `impact.accept`: `until` is `\"tomorrow\"`, expected a date such as `2027-01-31`",
                "entry 5 of `impact.accept`: `symbl` is not a field, expected `symbol`",
                "entry 5 of `impact.accept`: `path` is `3`, expected a glob of paths such as `src/**/*.rs`",
            ]
        );
        assert_eq!(list.entries.iter().map(ToString::to_string).collect::<Vec<_>>(), ["`right`"]);
        let list: Vec<String> = accept_list_problems(&Value::Integer(3)).iter().map(ToString::to_string).collect();
        assert_eq!(list, ["`impact.accept` is `3`, expected entries `[[impact.accept]]`"]);
    }

    #[test]
    fn globs_and_lists_are_bounded() {
        let bad = |text: &str| list(text).problems.iter().map(ToString::to_string).collect::<Vec<_>>();
        for field in ["path", "symbol"] {
            assert_eq!(bad(&format!("[[accept]]\n{field} = '{}'\nreason = 'b'\n", "*a".repeat(32))), [""; 0]);
            assert_eq!(
                bad(&format!("[[accept]]\n{field} = '{}'\nreason = 'b'\n", "*a".repeat(33))),
                [format!(
                    "entry 1 of `impact.accept`: `{field}` is a glob with 33 special characters, expected at most 32 of \
                     `*`, `?`, `[` and `{{`"
                )]
            );
        }
        let long = list(&"[[accept]]\nsymbol = 'a'\nreason = 'b'\n".repeat(1_001));
        assert_eq!(long.entries.len(), 1_000);
        assert_eq!(
            long.problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["`impact.accept` is a list of 1001 entries, expected at most 1000; the others accept nothing"]
        );
    }

    #[test]
    fn a_list_tells_what_it_adds_to_the_one_before() {
        let before = "[[accept]]\nsymbol = 'a'\nreason = 'b'\n";
        let added =
            "[[accept]]\nsymbol = 'c'\npath = 'd/**'\nclass = 'moved'\nreason = 'e'\n[[accept]]\nsymbol = 'f'\n";
        let after = list(&format!("{before}{added}"));
        assert_eq!(
            after.news_since(&list(before)),
            [
                "`.icr.toml` of this change accepts `c` of `d/**` (moved): that holds from the next change on",
                "`.icr.toml` of this change: entry 3 of `impact.accept`: `reason` is missing, expected why the change is \
                 accepted, in words; it will accept nothing",
            ]
        );
        let altered = list(&before.replace("'b'", "'another reason'"));
        assert_eq!(
            altered.news_since(&list(before)),
            ["`.icr.toml` of this change accepts `a`: that holds from the next change on"]
        );
        assert_eq!(list(before).news_since(&after), [""; 0], "what is taken away is no longer accepted");
        let many = list(&"[[accept]]\nsymbol = 'a'\nreason = 'b'\n".repeat(12));
        let news = many.news_since(&AcceptList::default());
        assert_eq!((news.len(), news[10].as_str()), (11, "`.icr.toml`: 2 more like the one before"));
    }

    #[test]
    fn what_is_no_project_file_accepts_nothing() {
        for text in [b"[impact\n".to_vec(), vec![0xff], b"impact = 3\n".to_vec(), Vec::new()] {
            let list = AcceptList::read(Some(text));
            assert_eq!((list.entries.len(), list.problems.len()), (0, 0));
        }
        assert_eq!(AcceptList::read(None).entries.len(), 0);
    }
}

//! One entry of an accept list: parsing, and which changes it covers.

use std::fmt;
use std::ops::Range;

use globset::{GlobBuilder, GlobSet};
use icr_impact::ContractChange;
use icr_impact::contract::ContractChangeClass;
use icr_model::{RepoPath, similar_names};
use toml::{Table, Value};

use crate::change::sides::FilePair;
use crate::globs::Globs;

/// The fields of an entry.
const FIELDS: [&str; 5] = ["class", "path", "reason", "symbol", "until"];

/// Characters of a value that are shown in a message.
const SHOWN: usize = 60;

/// Characters of a reason that are shown in an answer.
const REASON: usize = 300;

/// Most special characters of one glob. Compiling a thousand globs of this many takes half a second; without a bound, a file
/// of a megabyte took six.
const GLOB_SIGNS: usize = 32;

/// A mistake in an accept list. As a sentence: "entry 2 of `impact.accept`: `reason` is missing, expected why the
/// change is accepted".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptProblem {
    /// Number of the entry, from 1; 0 if the list itself is wrong.
    pub entry: usize,
    /// Name of the field, made safe to show; `None` if the entry as a whole is wrong.
    field: Option<String>,
    /// What was found, to complete "… is …".
    found: String,
    /// What would be right, to complete "expected …".
    expected: String,
}

impl AcceptProblem {
    /// The error for a `value` that is not a list of entries.
    pub(super) fn no_list(value: &Value) -> Self {
        Self { entry: 0, field: None, found: quoted(value), expected: "entries `[[impact.accept]]`".to_owned() }
    }

    /// The error for a list of `entries` entries, of which only the first `most` count.
    pub(super) fn too_long(entries: usize, most: usize) -> Self {
        let (found, expected) =
            (format!("a list of {entries} entries"), format!("at most {most}; the others accept nothing"));
        Self { entry: 0, field: None, found, expected }
    }
}

impl fmt::Display for AcceptProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entry, field, found, expected } = self;
        match (entry, field) {
            (0, _) => write!(f, "`impact.accept` is {found}, expected {expected}"),
            (_, Some(field)) => {
                write!(f, "entry {entry} of `impact.accept`: `{field}` is {found}, expected {expected}")
            }
            (_, None) => write!(f, "entry {entry} of `impact.accept` is {found}, expected {expected}"),
        }
    }
}

/// One entry.
#[derive(Debug)]
pub(super) struct Acceptance {
    path: Option<String>,
    symbol: Option<String>,
    class: Option<ContractChangeClass>,
    pub(super) reason: String,
    /// The last day, as it is written and in days since 1970.
    until: Option<(String, i64)>,
    /// All of it, as it is written.
    pub(super) row: Table,
}

/// The value that says what is covered, as written.
impl fmt::Display for Acceptance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, symbol) = (self.path.as_deref(), self.symbol.as_deref());
        match (symbol, path) {
            (Some(symbol), Some(path)) => write!(f, "`{}` of `{}`", one_line_excerpt(symbol), one_line_excerpt(path))?,
            (part, other) => write!(f, "`{}`", one_line_excerpt(part.or(other).unwrap_or_default()))?,
        }
        match self.class {
            Some(class) => write!(f, " ({})", class.name()),
            None => Ok(()),
        }
    }
}

impl Acceptance {
    /// Reads entry number `entry`, counted from 1.
    ///
    /// # Errors
    ///
    /// All mistakes in it.
    pub(super) fn read(entry: usize, row: &Value) -> Result<Self, Vec<AcceptProblem>> {
        let mut reader = EntryReader { entry, problems: Vec::new() };
        let acceptance = reader.read(row);
        acceptance.filter(|_| reader.problems.is_empty()).ok_or(reader.problems)
    }

    /// Whether its last day is before `today`, in days since 1970.
    pub(super) fn is_over(&self, today: i64) -> bool {
        self.until.as_ref().is_some_and(|(_, last)| today > *last)
    }

    /// The last day as it is written; empty where there is none.
    pub(super) fn expiry_date(&self) -> &str {
        self.until.as_ref().map_or("", |(date, _)| date)
    }

    /// The matcher of what is covered; `None` for an invalid glob.
    pub(super) fn scope(&self) -> Option<AcceptanceScope<'_>> {
        let path = self.path.as_ref().map(|path| Globs::of(std::slice::from_ref(path))).transpose().ok()?;
        Some(AcceptanceScope {
            path,
            symbol: self.symbol.as_deref().map(|name| (name, name_glob(name))),
            class: self.class,
        })
    }
}

/// What an entry covers.
pub(super) struct AcceptanceScope<'a> {
    path: Option<Globs>,
    /// The path as written, and as a glob if it is one.
    symbol: Option<(&'a str, Option<GlobSet>)>,
    class: Option<ContractChangeClass>,
}

impl AcceptanceScope<'_> {
    /// Whether `row` is covered. Its file is matched under the paths before and after the change.
    pub(super) fn covers(&self, row: &ContractChange, files: &[FilePair]) -> bool {
        let class = self.class.is_none_or(|class| class.name() == row.class);
        let symbol = self.symbol.as_ref().is_none_or(|(name, glob)| {
            *name == row.symbol || glob.as_ref().is_some_and(|glob| glob.is_match(&row.symbol))
        });
        class && symbol && self.path.as_ref().is_none_or(|globs| covers_path(globs, &row.path, files))
    }
}

fn covers_path(globs: &Globs, path: &str, files: &[FilePair]) -> bool {
    let path = RepoPath::from_display(path);
    let old = files.iter().find(|file| file.new.as_ref() == Some(&path)).and_then(|file| file.old.as_ref());
    globs.matches(&path) || old.is_some_and(|old| globs.matches(old))
}

/// A glob over qualified names, in which `*` matches any part; `None` if the name is no valid glob, such as
/// `operator[]`.
fn name_glob(name: &str) -> Option<GlobSet> {
    let glob = GlobBuilder::new(name).build().ok()?;
    GlobSet::builder().add(glob).build().ok()
}

/// Parses one entry and collects its mistakes.
struct EntryReader {
    entry: usize,
    problems: Vec<AcceptProblem>,
}

impl EntryReader {
    fn read(&mut self, row: &Value) -> Option<Acceptance> {
        let Some(table) = row.as_table() else {
            self.note(None, quoted(row), "a table with a `reason`, and a `path` or a `symbol`".to_owned());
            return None;
        };
        for field in table.keys().filter(|field| !FIELDS.contains(&field.as_str())) {
            let near = similar_names(field, FIELDS, 1).pop();
            let expected = near.map_or_else(|| format!("one of {}", quoted_list(&FIELDS)), |near| format!("`{near}`"));
            self.note(Some(field.as_str()), "not a field".to_owned(), expected);
        }
        let path = self.text(table, "path", "a glob of paths such as `src/**/*.rs`");
        let symbol = self.text(table, "symbol", "a qualified name such as `Shape.area`, or a glob such as `Shape.*`");
        // The globs are compiled by every command, since the file of a clone is checked whenever it is read.
        for (field, glob) in [("path", path), ("symbol", symbol)] {
            let signs = glob.map_or(0, |glob| glob.bytes().filter(|byte| b"*?[{".contains(byte)).count());
            if signs > GLOB_SIGNS {
                let expected = format!("at most {GLOB_SIGNS} of `*`, `?`, `[` and `{{`");
                self.note(Some(field), format!("a glob with {signs} special characters"), expected);
                return None;
            }
        }
        if let Some(path) = path
            && Globs::of(&[path.to_owned()]).is_err()
        {
            self.note(
                Some("path"),
                format!("`{}`", one_line_excerpt(path)),
                "a glob of paths such as `src/**/*.rs`".to_owned(),
            );
        }
        if !table.contains_key("path") && !table.contains_key("symbol") {
            self.note(None, "for everything".to_owned(), "a `path` or a `symbol` that says what it is for".to_owned());
        }
        let class = self.class(table);
        let until = self.parse_expiry(table);
        let reason = self.reason(table)?;
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Some(Acceptance { path: owned(path), symbol: owned(symbol), class, reason, until, row: table.clone() })
    }

    fn reason(&mut self, table: &Table) -> Option<String> {
        const EXPECTED: &str = "why the change is accepted, in words";
        if !table.contains_key("reason") {
            self.note(Some("reason"), "missing".to_owned(), EXPECTED.to_owned());
        }
        self.text(table, "reason", EXPECTED).map(|text| one_line(text, REASON))
    }

    fn class(&mut self, table: &Table) -> Option<ContractChangeClass> {
        let expected = "the name of a class of changes such as `parameter_removed`, or no `class` for all";
        let name = self.text(table, "class", expected)?;
        let class = ContractChangeClass::of_name(name);
        if class.is_none() {
            let near = similar_names(name, ContractChangeClass::all().map(ContractChangeClass::name), 1).pop();
            let expected = near.map_or_else(|| expected.to_owned(), |near| format!("`{near}`"));
            self.note(Some("class"), format!("`{}`", one_line_excerpt(name)), expected);
        }
        class
    }

    fn parse_expiry(&mut self, table: &Table) -> Option<(String, i64)> {
        let value = table.get("until")?;
        let date = match value {
            Value::String(text) => text.trim().to_owned(),
            other => other.to_string(),
        };
        let day = day_number(&date);
        if day.is_none() {
            self.note(Some("until"), quoted(value), "a date such as `2027-01-31`".to_owned());
        }
        Some((date, day?))
    }

    /// The text of a field without the white space around it; `None` where the field is absent or wrong.
    fn text<'t>(&mut self, table: &'t Table, field: &str, expected: &str) -> Option<&'t str> {
        let value = table.get(field)?;
        let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
        if text.is_none() {
            self.note(Some(field), quoted(value), expected.to_owned());
        }
        text
    }

    fn note(&mut self, field: Option<&str>, found: String, expected: String) {
        self.problems.push(AcceptProblem { entry: self.entry, field: field.map(one_line_excerpt), found, expected });
    }
}

/// Days from 1970-01-01 to `date`, written `YYYY-MM-DD`; `None` for an invalid date.
pub(super) fn day_number(date: &str) -> Option<i64> {
    let is_written_so =
        |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    if date.len() != 10 || !date.bytes().enumerate().all(is_written_so) {
        return None;
    }
    let number = |part: Range<usize>| date[part].parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let is_leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + i64::from(is_leap_year),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    // Years begin in March here, so that a leap day is the last day of a year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    // Days from 1 March of the year 0 to 1970-01-01.
    (1..=last).contains(&day).then_some(year * 365 + leap_days + day_of_year - 719_468)
}

/// `` `a`, `b` ``
fn quoted_list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A value as a message shows it.
fn quoted(value: &Value) -> String {
    format!("`{}`", one_line_excerpt(&value.to_string()))
}

/// A text made safe to show in a message, because it came with the clone.
fn one_line_excerpt(text: &str) -> String {
    one_line(text, SHOWN)
}

/// `text` on one line without control characters, cut after `most` characters.
fn one_line(text: &str, most: usize) -> String {
    let is_break = |character: char| character.is_whitespace() || character.is_control();
    let words: Vec<&str> = text.split(is_break).filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    let end = line.char_indices().nth(most).map(|(end, _)| end);
    match end {
        Some(end) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (date, day) in [
            ("1970-01-01", Some(0)),
            ("1969-12-31", Some(-1)),
            ("2000-02-29", Some(11_016)),
            ("2000-03-01", Some(11_017)),
            ("2023-11-14", Some(19_675)),
            ("2100-02-29", None),
            ("2027-02-30", None),
            ("2027-13-01", None),
            ("2027-1-1", None),
            ("2027-01-01T00:00:00", None),
            ("zwölf-mai", None),
        ] {
            assert_eq!(day_number(date), day, "{date}");
        }
    }

    #[test]
    fn what_a_clone_wrote_is_shown_on_one_short_line() {
        assert_eq!(one_line(" a\n\u{1b}[31mb\t c ", 60), "a [31mb c");
        assert_eq!(one_line_excerpt(&"é".repeat(61)), format!("{}…", "é".repeat(60)));
    }
}

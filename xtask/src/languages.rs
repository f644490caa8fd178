//! The table of languages in the README, generated from that of `icr-lang`: what a reader sees is what the queries say.

use std::fmt::Write;
use std::io;
use std::path::Path;

use icr_lang::{LanguageRow, language_row, languages};

/// The document that holds the table.
pub(crate) const README: &str = "README.md";

/// How the lines begin between which the table stands.
const BEGIN: &str = "<!-- languages: begin";
const END: &str = "<!-- languages: end";

/// Why the table cannot be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("`{README}` cannot be read or written: {0}")]
    File(#[from] io::Error),
    #[error("`{README}` needs a line that begins with `{BEGIN}` and behind it one that begins with `{END}`")]
    NoPlace,
}

/// Writes the table into the README of the workspace that this program was built in.
///
/// # Errors
///
/// [`Error::File`] when the README cannot be read or written; [`Error::NoPlace`] when it has no place for the table.
pub(crate) fn write() -> Result<(), Error> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the directory of a crate has a parent");
    let path = root.join(README);
    let text = std::fs::read_to_string(&path)?;
    let right = with_table(&text)?;
    if right != text {
        std::fs::write(&path, right)?;
    }
    Ok(())
}

/// `readme` with the table as it is right.
///
/// # Errors
///
/// [`Error::NoPlace`] when it has no place for the table.
pub(crate) fn with_table(readme: &str) -> Result<String, Error> {
    let line_at = |marker: &str| match readme.starts_with(marker) {
        true => Some(0),
        false => readme.find(&format!("\n{marker}")).map(|at| at + 1),
    };
    let (Some(begin), Some(end)) = (line_at(BEGIN), line_at(END)) else {
        return Err(Error::NoPlace);
    };
    let Some(begin_end) = readme[begin..].find('\n').map(|len| begin + len + 1).filter(|at| *at <= end) else {
        return Err(Error::NoPlace);
    };
    Ok(format!("{}\n{}\n{}", &readme[..begin_end], table(), &readme[end..]))
}

/// A line for each language.
fn table() -> String {
    let mut table = "| language | files | definitions | imports | references | contracts |\n\
                     |---|---|---|---|---|---|\n"
        .to_owned();
    for row in languages().filter_map(language_row) {
        let support = row.support();
        let definitions: Vec<&str> = support.definitions.iter().map(|kind| kind.name()).collect();
        let contracts: Vec<String> = support.contracts.iter().map(|label| label.name().replace('_', " ")).collect();
        let cells = [
            row.name.to_owned(),
            files(row),
            definitions.join(", "),
            mark(support.imports).to_owned(),
            mark(support.references).to_owned(),
            contracts.join(", "),
        ];
        let cells = cells.map(|cell| if cell.is_empty() { NOTHING.to_owned() } else { cell });
        writeln!(table, "| {} |", cells.join(" | ")).expect("a string takes all text");
    }
    table
}

/// Stands in a cell that says no.
const NOTHING: &str = "–";

fn mark(has: bool) -> &'static str {
    if has { "yes" } else { NOTHING }
}

/// Extensions, then whole names.
fn files(row: &LanguageRow) -> String {
    let extensions = row.extensions.iter().map(|extension| format!("`.{extension}`"));
    let names = row.file_names.iter().map(|name| format!("`{name}`"));
    extensions.chain(names).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_replaces_what_stands_in_its_place() {
        let readme = "# A\n<!-- languages: begin; x -->\nold\n<!-- languages: end -->\nrest\n";
        let right = with_table(readme).unwrap();
        assert!(right.starts_with("# A\n<!-- languages: begin; x -->\n\n| language |"), "{right}");
        assert!(right.ends_with("|\n\n<!-- languages: end -->\nrest\n"), "{right}");
        assert!(!right.contains("old"), "{right}");
        assert_eq!(with_table(&right).unwrap(), right);
    }

    #[test]
    fn a_language_is_one_line_and_says_what_its_queries_say() {
        let table = table();
        assert_eq!(table.lines().count(), 2 + languages().count());
        let line = |name: &str| table.lines().find(|line| line.starts_with(&format!("| {name} |"))).unwrap();
        assert_eq!(line("markdown").matches(NOTHING).count(), 3);
        assert!(line("go").contains("| `.go` | function, method, struct, interface,"), "{}", line("go"));
        assert!(line("make").contains("`Makefile`"), "{}", line("make"));
        assert!(table.lines().all(|line| line.matches('|').count() == 7), "{table}");
    }

    #[test]
    fn a_document_without_a_place_is_refused() {
        for readme in ["", "<!-- languages: begin -->\n", "<!-- languages: end -->\n<!-- languages: begin -->\n"] {
            assert!(with_table(readme).is_err(), "{readme:?}");
        }
    }
}

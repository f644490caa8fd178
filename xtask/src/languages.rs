//! The table of languages in the README, generated from that of `icr-lang`, so that readers see the queries that exist.

use std::fmt::Write;

use icr_lang::{LanguageRow, language_row, languages};

/// A line for each language.
pub(crate) fn table() -> String {
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

/// Mark of a cell for "no".
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
    fn a_language_is_one_line_and_says_what_its_queries_say() {
        let table = table();
        assert_eq!(table.lines().count(), 2 + languages().count());
        let line = |name: &str| table.lines().find(|line| line.starts_with(&format!("| {name} |"))).unwrap();
        assert_eq!(line("markdown").matches(NOTHING).count(), 3);
        assert!(line("go").contains("| `.go` | function, method, struct, interface,"), "{}", line("go"));
        assert!(line("make").contains("`Makefile`"), "{}", line("make"));
        assert!(table.lines().all(|line| line.matches('|').count() == 7), "{table}");
    }
}

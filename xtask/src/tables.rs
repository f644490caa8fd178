//! Tables in documents that are generated from those of the program.

use std::io;
use std::path::Path;

use crate::{channels, crate_map, languages};

/// A table in a document. It stands between a line that begins with `<!-- NAME: begin` and one that begins with
/// `<!-- NAME: end`.
pub(crate) struct GeneratedTable {
    /// Its content; also the name of the command that writes it.
    pub(crate) name: &'static str,
    /// The document that holds it.
    pub(crate) document: &'static str,
    rows: fn() -> String,
}

/// All of them.
pub(crate) const TABLES: &[GeneratedTable] = &[
    // tidy: sorted
    GeneratedTable { name: "channels", document: "ARCHITECTURE.md", rows: channels::table },
    GeneratedTable { name: "crates", document: "ARCHITECTURE.md", rows: crate_map::table },
    GeneratedTable { name: "languages", document: "README.md", rows: languages::table },
    // tidy: end
];

/// Why a table cannot be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("`{document}` cannot be read or written: {source}")]
    File { document: &'static str, source: io::Error },
    #[error("`{document}` needs a line that begins with `{begin}` and behind it one that begins with `{end}`")]
    NoPlace { document: &'static str, begin: String, end: String },
}

impl GeneratedTable {
    /// Writes the table into the document of the workspace that this program was built in.
    ///
    /// # Errors
    ///
    /// [`Error::File`] when the document cannot be read or written; [`Error::NoPlace`] when it has no place for the table.
    pub(crate) fn write(&self) -> Result<(), Error> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the directory of a crate has a parent");
        let path = root.join(self.document);
        let failed = |source| Error::File { document: self.document, source };
        let text = std::fs::read_to_string(&path).map_err(failed)?;
        let right = self.put_into(&text)?;
        if right != text {
            std::fs::write(&path, right).map_err(failed)?;
        }
        Ok(())
    }

    /// `document` with the current table.
    ///
    /// # Errors
    ///
    /// [`Error::NoPlace`] when it has no place for the table.
    pub(crate) fn put_into(&self, document: &str) -> Result<String, Error> {
        let marker = |side: &str| format!("<!-- {}: {side}", self.name);
        let line_at = |marker: &str| match document.starts_with(marker) {
            true => Some(0),
            false => document.find(&format!("\n{marker}")).map(|at| at + 1),
        };
        let (begin, end) = (marker("begin"), marker("end"));
        let after_begin = |at: usize| document[at..].find('\n').map(|length| at + length + 1);
        match (line_at(&begin).and_then(after_begin), line_at(&end)) {
            (Some(from), Some(to)) if from <= to => {
                Ok(format!("{}\n{}\n{}", &document[..from], (self.rows)(), &document[to..]))
            }
            _ => Err(Error::NoPlace { document: self.document, begin, end }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: GeneratedTable =
        GeneratedTable { name: "tides", document: "README.md", rows: || "| tide |\n|---|\n".to_owned() };

    #[test]
    fn the_table_replaces_what_stands_in_its_place() {
        let document = "# A\n<!-- tides: begin; x -->\nold\n<!-- tides: end -->\nrest\n";
        let right = TABLE.put_into(document).unwrap();
        assert_eq!(right, "# A\n<!-- tides: begin; x -->\n\n| tide |\n|---|\n\n<!-- tides: end -->\nrest\n");
        assert_eq!(TABLE.put_into(&right).unwrap(), right);
    }

    #[test]
    fn a_document_without_a_place_is_refused() {
        for document in
            ["", "<!-- tides: begin -->\n", "<!-- tides: end -->\n<!-- tides: begin -->\n", "<!-- tides: begin -->"]
        {
            assert!(TABLE.put_into(document).is_err(), "{document:?}");
        }
    }
}

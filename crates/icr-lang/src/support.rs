//! Which facts the queries of a language can produce, read from the queries themselves.

use icr_model::{Contract, SymbolKind};

use crate::grammar::{Capture, flag, grammar};
use crate::table::LanguageRow;

/// The facts that a language can have. Parsed text has chunks in every language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// Kinds of definitions that the queries name, in the order of [`SymbolKind`]. In addition, a function inside a
    /// type becomes a method, and a variable a field.
    pub definitions: Vec<SymbolKind>,
    /// Whether imports are extracted.
    pub imports: bool,
    /// Whether the packages, namespaces and modules that a file declares are extracted.
    pub provides: bool,
    /// Whether exports under another name are extracted.
    pub exports: bool,
    /// Whether references are extracted.
    pub references: bool,
    /// Contract labels that definitions may have, in the order of the type.
    pub contracts: Vec<Contract>,
}

impl LanguageRow {
    /// Whether the language defines more than keys and sections. Otherwise it is a data or document format. Reads the
    /// texts of the row's queries, which are some kilobytes.
    pub fn is_code(&self) -> bool {
        let outlines =
            |kind: &str| kind.starts_with(SymbolKind::Key.name()) || kind.starts_with(SymbolKind::Section.name());
        self.queries.iter().flat_map(|file| file.text.split("@definition.").skip(1)).any(|kind| !outlines(kind))
    }

    /// What the queries of the row can produce. The first call for a language compiles its queries.
    pub fn support(&'static self) -> Support {
        let grammar = grammar(self);
        let captures = |capture: Capture| grammar.captures.contains(&capture);
        let named = |kind: &SymbolKind| captures(Capture::Definition(*kind));
        Support {
            definitions: SymbolKind::ALL.into_iter().filter(named).collect(),
            imports: grammar.captures.iter().any(|capture| matches!(capture, Capture::Import(_))),
            provides: grammar.captures.iter().any(|capture| matches!(capture, Capture::Provides(_))),
            exports: captures(Capture::ExportAs),
            references: grammar.has_any(flag::IDENTIFIER),
            contracts: Contract::ALL.into_iter().filter(|label| captures(Capture::Contract(*label))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{TABLE, language_row};

    #[test]
    fn data_and_documents_are_no_code() {
        let others: Vec<&str> = TABLE.iter().filter(|row| !row.is_code()).map(|row| row.name).collect();
        assert_eq!(others, ["html", "json", "markdown", "toml", "yaml"]);
    }

    #[test]
    fn a_language_can_say_what_its_queries_capture() {
        let support = |name: &str| language_row(name).unwrap().support();
        let nothing = Support {
            definitions: vec![SymbolKind::Key],
            imports: false,
            provides: false,
            exports: false,
            references: false,
            contracts: Vec::new(),
        };
        assert_eq!(support("yaml"), nothing);
        assert_eq!(support("toml"), Support { provides: true, ..nothing });
        let protobuf = support("protobuf");
        assert_eq!(protobuf.contracts, [Contract::Interface, Contract::Schema, Contract::Enum]);
        assert!(protobuf.imports && protobuf.provides && protobuf.references);
    }
}

//! What a language's queries can say, read off the queries themselves.

use icr_model::{Contract, SymbolKind};

use crate::grammar::{Capture, flag, grammar};
use crate::table::LanguageRow;

/// What facts of a language can hold. Parsed text has chunks in every language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// Kinds of definitions that the queries name, in the order of the type. A function under a type is its method besides,
    /// and a variable its field.
    pub definitions: Vec<SymbolKind>,
    /// Whether imports are read.
    pub imports: bool,
    /// Whether the names that a file declares itself to be are read: packages, namespaces, modules.
    pub provides: bool,
    /// Whether references are read.
    pub references: bool,
    /// Labels that definitions may have, in the order of the type.
    pub contracts: Vec<Contract>,
}

impl LanguageRow {
    /// What the queries of the row can say. The first call for a language compiles its queries.
    pub fn support(&'static self) -> Support {
        let grammar = grammar(self);
        let captures = |capture: Capture| grammar.captures.contains(&capture);
        let named = |kind: &SymbolKind| captures(Capture::Definition(*kind));
        Support {
            definitions: SymbolKind::ALL.into_iter().filter(named).collect(),
            imports: grammar.captures.iter().any(|capture| matches!(capture, Capture::Import(_))),
            provides: captures(Capture::Provides),
            references: grammar.has_any(flag::IDENTIFIER),
            contracts: Contract::ALL.into_iter().filter(|label| captures(Capture::Contract(*label))).collect(),
        }
    }
}

//! What a file imports and offers: the part of its facts that the import graph reads, often for a thousand files at a
//! time.

use serde::{Deserialize, Serialize};

use crate::facts::plain;
use crate::{DecodeError, ExportAlias, Facts, Import, SymbolKind};

/// What a file imports, and the names under which other files can import it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Statements {
    /// [`Facts::language`].
    pub language: String,
    /// [`Facts::imports`].
    pub imports: Vec<Import>,
    /// [`Facts::provides`].
    pub provides: Vec<String>,
    /// [`Facts::exports`].
    pub exports: Vec<ExportAlias>,
    /// For each import, the names of the inline modules around it in the file, outermost first.
    pub inside: Vec<Vec<String>>,
}

impl Facts {
    /// What the file imports and offers.
    pub fn statements(&self) -> Statements {
        let modules: Vec<_> = self.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Module).collect();
        let inside = |import: &Import| {
            let around = modules.iter().filter(|module| (module.lines.start..=module.lines.end).contains(&import.line));
            // A statement that declares a module is not inside that module.
            let around =
                around.filter(|module| module.lines.start < module.lines.end || module.lines.start != import.line);
            around.map(|module| module.name.clone()).collect()
        };
        Statements {
            language: self.language.clone(),
            imports: self.imports.clone(),
            provides: self.provides.clone(),
            exports: self.exports.clone(),
            inside: self.imports.iter().map(inside).collect(),
        }
    }

    /// [`Facts::statements`] of facts encoded by [`Facts::encode`]. It costs about a third of decoding all facts.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] for any other bytes. Only the bytes that are read are checked.
    pub fn decode_statements(bytes: &[u8]) -> Result<Statements, DecodeError> {
        let plain = plain(bytes)?;
        postcard::take_from_bytes(&plain).map(|(statements, _)| statements).map_err(DecodeError::new)
    }
}

#[cfg(test)]
mod tests {
    use crate::{ImportKind, LineSpan, Span, Symbol, Visibility};

    use super::*;

    fn module(name: &str, start: u32, end: u32) -> Symbol {
        Symbol {
            name: name.to_owned(),
            kind: SymbolKind::Module,
            span: Span::new(0, 1),
            lines: LineSpan { start, end },
            name_start: 0,
            signature: Span::new(0, 1),
            doc: None,
            parent: None,
            receiver: None,
            path: Some("Point".to_owned()),
            bases: vec!["Shape".to_owned()],
            contract: None,
            visibility: Visibility::Public,
            signature_hash: 0,
            body_hash: 0,
        }
    }

    fn import(line: u32) -> Import {
        Import {
            specifier: format!("line_{line}"),
            kind: ImportKind::Import,
            names: Vec::new(),
            type_only: false,
            reexport: false,
            line,
        }
    }

    #[test]
    fn statements_stand_in_the_modules_around_them_and_not_in_what_they_declare() {
        let facts = Facts {
            language: "rust".to_owned(),
            symbols: vec![module("outer", 2, 9), module("inner", 4, 6), module("declared", 7, 7)],
            imports: vec![import(1), import(3), import(5), import(7)],
            provides: vec!["a".to_owned()],
            exports: vec![ExportAlias { name: ExportAlias::DEFAULT.to_owned(), local: "outer".to_owned() }],
            ..Facts::default()
        };
        let statements = facts.statements();
        let inside: Vec<String> = statements.inside.iter().map(|modules| modules.join("::")).collect();
        assert_eq!(inside, ["", "outer", "outer::inner", "outer"]);
        assert_eq!((&statements.language, &statements.provides), (&facts.language, &facts.provides));
        assert_eq!(statements.exports, facts.exports);
        assert_eq!(Facts::decode_statements(&facts.encode()).unwrap(), statements);
        assert_eq!(Facts::decode(&facts.encode()).unwrap(), facts);
    }

    #[test]
    fn bytes_that_are_no_facts_have_no_statements() {
        assert!(Facts::decode_statements(b"").is_err());
        assert!(Facts::decode_statements(&[0; 40]).is_err());
        let good = Facts { language: "c".to_owned(), ..Facts::default() }.encode();
        assert!(Facts::decode_statements(&good[..good.len() - 1]).is_err());
    }
}

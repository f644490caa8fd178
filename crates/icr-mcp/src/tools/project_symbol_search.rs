//! `project_symbol_search`: definitions by name.

use icr_engine::{SymbolKind, SymbolRequest};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::CallContext;
use crate::cursor::List;
use crate::page::Page;
use crate::reply::Reply;
use icr_serve::CallFailure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ProjectSymbolSearchInput {
    /// Name, part of one, or `Class.name`
    #[schemars(length(min = 1, max = 500))]
    query: String,
    #[serde(default)]
    symbol_types: Vec<SymbolType>,
    #[serde(default)]
    #[schemars(length(max = 20))]
    languages: Vec<String>,
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    cursor: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SymbolType {
    Function,
    Class,
    Method,
    Variable,
    Type,
    Interface,
}

impl SymbolType {
    /// The kinds, in all languages, that the word means.
    fn kinds(self) -> &'static [SymbolKind] {
        use SymbolKind::{
            Class, Constant, Enum, Field, Function, Interface, Macro, Method, Struct, Trait, Type, Variable,
        };
        match self {
            Self::Function => &[Function, Macro],
            Self::Class => &[Class, Struct],
            Self::Method => &[Method],
            Self::Variable => &[Variable, Constant, Field],
            Self::Type => &[Type, Struct, Enum],
            Self::Interface => &[Interface, Trait],
        }
    }
}

/// Most items of a page where nobody says how many.
const LIMIT: u32 = 30;

/// Longest signature and docstring shown, in bytes; env_slice shows the whole.
const SIGNATURE_BYTES: usize = 160;
const DOC_BYTES: usize = 120;

fn first_sentence(doc: &str) -> &str {
    doc.find(". ").map_or(doc, |end| &doc[..=end])
}

fn shortened(text: &str, most: usize) -> String {
    let part = &text[..text.floor_char_boundary(most)];
    if part.len() < text.len() { format!("{part}…") } else { part.to_owned() }
}

/// The requested kinds. By default all except headings and keys of data files, which define nothing.
fn kinds(asked: &[SymbolType]) -> Vec<SymbolKind> {
    let says_nothing = |kind: &SymbolKind| matches!(kind, SymbolKind::Section | SymbolKind::Key);
    match asked {
        [] => SymbolKind::ALL.into_iter().filter(|kind| !says_nothing(kind)).collect(),
        _ => asked.iter().flat_map(|symbol_type| symbol_type.kinds()).copied().collect(),
    }
}

pub(crate) fn run(call: &CallContext<'_>, input: ProjectSymbolSearchInput) -> Result<Reply, CallFailure> {
    let repository = call.repository()?;
    let list = List::of("project_symbol_search", &input.query);
    let page = Page::of(list, input.cursor.as_deref(), input.limit, LIMIT)?;
    let names_kinds = !input.symbol_types.is_empty();
    let request = SymbolRequest {
        query: input.query,
        kinds: kinds(&input.symbol_types),
        languages: input.languages,
        path_prefix: None,
        limit: page.needed(),
    };
    let (found, provenance) = call.ask(&repository, |snapshot| icr_engine::symbols(snapshot, &request))?;
    let items: Vec<Value> = found
        .symbols
        .iter()
        .map(|symbol| {
            json!({
                "name": symbol.name,
                "qualified_name": symbol.qualified_name,
                "type": symbol.kind,
                "path": symbol.path,
                "start_line": symbol.start_line,
                "end_line": symbol.end_line,
                "signature": shortened(&symbol.signature, SIGNATURE_BYTES),
                "docstring": symbol.docstring.as_deref().map(|doc| shortened(first_sentence(doc), DOC_BYTES)),
                "score": symbol.score,
            })
        })
        .collect();
    let mut reply = page.reply("symbols", items, found.total_count, call.settings);
    // Nobody asked to leave headings and keys out, so that only matters if nothing else is found.
    let note = found.other_kinds_note.as_ref().filter(|_| names_kinds || found.symbols.is_empty());
    if let Some(note) = note {
        reply = reply.noting([note.clone()]);
    } else {
        reply = reply.noting(found.note());
    }
    Ok(reply.from(provenance.with_gaps(&found.gaps)))
}

//! `project_symbol_search`

use icr_engine::{SymbolKind, SymbolRequest};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::Call;
use crate::page::Page;
use crate::reply::Reply;
use icr_serve::Failure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Name, part of one, or `Class.name`
    #[schemars(length(min = 1, max = 500))]
    query: String,
    #[serde(default)]
    symbol_types: Vec<SymbolType>,
    #[serde(default)]
    #[schemars(length(max = 20))]
    languages: Vec<String>,
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
    #[schemars(length(max = 100))]
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
    /// The kinds of all languages that the word stands for.
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

fn limit() -> u32 {
    30
}

pub(crate) fn run(call: &Call<'_>, input: Input) -> Result<Reply, Failure> {
    let repository = call.repository()?;
    let page = Page::of(input.cursor.as_deref(), input.limit)?;
    let request = SymbolRequest {
        query: input.query,
        kinds: input.symbol_types.iter().flat_map(|symbol_type| symbol_type.kinds()).copied().collect(),
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
                "signature": symbol.signature,
                "docstring": symbol.docstring,
                "score": symbol.score,
            })
        })
        .collect();
    Ok(page.reply("symbols", items, found.total_count, call.settings).from(provenance.lacking(&found.gaps)))
}
